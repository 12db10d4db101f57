// Brings the list of turns in the review up to date after its annotations changed.

import { fetchPage } from "../refresh.js";
import { root } from "./study_requests.js";

/** Fetch the page again for its list of turns. */
export async function refreshRecord(study) {
  const page = await fetchPage(location.href);
  const fresh = page.querySelector("[data-review]");
  root.dataset.seq = fresh.dataset.seq;
  const { list } = study.tree;
  list.replaceChildren(...fresh.querySelector("[data-movelist]").childNodes);
  for (const part of list.querySelectorAll(".needs-script")) part.hidden = false;
  study.reread();
}
