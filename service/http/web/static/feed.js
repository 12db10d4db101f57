// Follows the feed of a page that says in `data-feed` which one.

import { CONNECTION_LOST } from "./refresh.js";

export const RETRY = 5000; // milliseconds until a refused stream is opened again

export const linkState = document.querySelector("[data-link-state]");

/** Call `onEvent` with each event of these kinds; `update`, which may fail, brings the page up to date after a gap. */
export function followFeed(part, kinds, onEvent, update) {
  let after = null; // where the address of the page says
  const follow = () => {
    const address = new URL(part.dataset.feed, location.href);
    if (after) address.searchParams.set("after", after);
    const stream = new EventSource(address);
    for (const kind of kinds) stream.addEventListener(kind, (message) => onEvent(JSON.parse(message.data)));
    stream.addEventListener("open", () => {
      part.dataset.following = "1";
      linkState.textContent = "";
    });
    stream.addEventListener("error", () => {
      delete part.dataset.following;
      linkState.textContent = CONNECTION_LOST;
      if (stream.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
      setTimeout(() => { after = "end"; update().then(follow); }, RETRY);
    });
    addEventListener("pagehide", () => stream.close(), { once: true });
  };
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  follow();
}

/** A function that calls `fetchAndShow` once for all calls within a moment, and again until it succeeds. */
export function gathered(fetchAndShow, pause = 400) {
  let waiting = false;
  return async function update() {
    if (waiting) return;
    waiting = true;
    await new Promise((done) => setTimeout(done, pause));
    waiting = false; // before fetching: later events need another refresh
    try {
      await fetchAndShow();
      linkState.textContent = "";
    } catch {
      linkState.textContent = CONNECTION_LOST;
      setTimeout(update, RETRY);
    }
  };
}
