// Keeps the organizer's pages and a guest's place up to date, and leads to the table's next game once it begins; all
// texts come from the server.

import { fetchPage, pageAddress, refresh } from "../refresh.js";

const EVERY = 5000; // milliseconds
const boardOf = (page) => page.querySelector("[data-to-board]")?.getAttribute("href");
const board = boardOf(document); // of the game that goes on since before the page was opened

setInterval(async () => {
  if (document.hidden) return;
  try {
    const page = refresh(await fetchPage(pageAddress()));
    const next = boardOf(page);
    if (next && next !== board) location.assign(next);
  } catch {
    // the next one may pass
  }
}, EVERY);
