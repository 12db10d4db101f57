// The page of a dispute: refreshes what was said and ruled when the game has a new event. Forms keep what is typed.

import { UPDATE_FAILED, CONNECTION_LOST, fetchPage, refresh } from "./refresh.js";
import { togglePath } from "./sowing_path.js";

const KINDS = ["dispute", "claim", "proposal", "response", "ruling", "appeal"];
const RETRY = 5000; // milliseconds until a refused stream is opened again
const AGAIN = 2000; // until a failed update is repeated, on average

const root = document.querySelector("[data-dispute]");
const page = root.dataset.page; // a preview or a refusal stands at the address of its form, which cannot be fetched
const linkState = root.querySelector("[data-link-state]");
// The forms belong to the state, and to the proposal that waits for an answer.
const formsOf = (part) => `${part.querySelector("[data-state]").dataset.state} ${part.querySelector("[name=proposal]")?.value}`;
const markPathButtons = togglePath(root);
let again; // when a failed update is repeated

async function update() {
  clearTimeout(again);
  let fresh;
  try {
    fresh = await fetchPage(page);
  } catch (error) { // perhaps too many ask what happened: not all of them come again at once
    linkState.textContent = UPDATE_FAILED + error.message;
    again = setTimeout(update, AGAIN * (0.5 + Math.random()));
    return;
  }
  const changed = formsOf(fresh) !== formsOf(root);
  refresh(fresh);
  markPathButtons();
  linkState.textContent = "";
  if (changed) {
    root.querySelector("[data-forms]").replaceWith(fresh.querySelector("[data-forms]"));
    for (const old of root.querySelectorAll("[data-preview], [data-refusal]")) old.remove();
    history.replaceState(null, "", page);
  }
}

function follow() {
  const stream = new EventSource(root.dataset.events);
  for (const kind of KINDS) stream.addEventListener(kind, update);
  stream.addEventListener("open", () => { linkState.textContent = ""; });
  stream.addEventListener("error", () => {
    linkState.textContent = CONNECTION_LOST;
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

follow();
