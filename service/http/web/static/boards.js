// The pages of boards: refresh themselves when the event stream reports a change.

import { SmallBoard } from "./small_board.js";
import { UPDATE_FAILED, CONNECTION_LOST, fetchPage, refresh } from "./refresh.js";

const RETRY = 5000; // milliseconds until a refused stream is opened again
const PAUSE = 300; // milliseconds between two refreshes: counts change all the time while people play

const root = document.querySelector("[data-follow]");
const linkState = root.querySelector("[data-link-state]");
let waiting = false;

function laySeeds() {
  for (const svg of root.querySelectorAll("svg.small")) new SmallBoard(svg);
}

async function update() {
  if (waiting) return;
  waiting = true;
  await new Promise((done) => setTimeout(done, PAUSE));
  waiting = false; // before fetching: later changes need another refresh
  try {
    const page = await fetchPage(location.href);
    root.dataset.follow = page.querySelector("[data-follow]").dataset.follow;
    const kept = [...root.querySelectorAll("details[data-kept][open]")].map((one) => one.dataset.kept);
    refresh(page);
    for (const one of root.querySelectorAll("details[data-kept]")) one.open = kept.includes(one.dataset.kept);
    laySeeds();
    linkState.textContent = "";
  } catch (error) {
    linkState.textContent = UPDATE_FAILED + error.message;
  }
}

function follow() {
  const stream = new EventSource(root.dataset.follow);
  for (const kind of ["board", "log"]) stream.addEventListener(kind, update);
  stream.addEventListener("open", () => {
    root.dataset.following = "1";
    linkState.textContent = "";
  });
  stream.addEventListener("error", () => {
    delete root.dataset.following;
    linkState.textContent = CONNECTION_LOST;
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => update().then(follow), RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
laySeeds();
follow();
