// The boards desk: follows the boards' events, and takes over what is new from the page fetched anew.

import { fetchPage, freshen } from "./fresh.js";

const RETRY = 5000; // milliseconds before a refused stream is asked for again
const PAUSE = 300; // milliseconds between two looks at the page: hands at work change counts all the while

const root = document.querySelector("[data-follow]");
const linkState = root.querySelector("[data-link-state]");
let waiting = false;

async function update() {
  if (waiting) return;
  waiting = true;
  await new Promise((done) => setTimeout(done, PAUSE));
  waiting = false; // what comes from now on is not on the page that is fetched now
  try {
    freshen(await fetchPage(location.href));
    linkState.textContent = "";
  } catch (error) {
    linkState.textContent = `The page could not be brought up to date: ${error.message}`;
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
    linkState.textContent = "The connection to the service is lost. What you see may be old; trying again …";
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
follow();
