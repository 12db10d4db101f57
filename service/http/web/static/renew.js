// Pages without a stream of events: their changing parts are fetched anew now and then.

import { fetchPage, refresh } from "./refresh.js";

const EVERY = 10_000; // milliseconds

setInterval(async () => {
  if (document.hidden) return;
  try {
    refresh(await fetchPage(location.href));
  } catch {
    // the next time
  }
}, EVERY);
