// Keeps the organizer's pages and a guest's place up to date; all texts come from the server.

import { fetchPage, refresh } from "../refresh.js";

const EVERY = 5000; // milliseconds

setInterval(async () => {
  if (document.hidden) return;
  try {
    refresh(await fetchPage(location.href));
  } catch {
    // the next one may pass
  }
}, EVERY);
