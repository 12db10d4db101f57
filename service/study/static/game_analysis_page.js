// The page of a game's analysis: shows how far its job is, then what it found.

import { followJob } from "../job.js";

followJob(document.querySelector("[data-job]")).then(
  () => location.reload(),
  (error) => {
    document.querySelector("[data-judging-error]").textContent = error.message;
  },
);
