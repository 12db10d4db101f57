// The live page: follows the game's events, animates new turns, and enters turns where no board reports them.

import { Board } from "./board.js";
import { UPDATE_FAILED, CONNECTION_LOST, fetchPage, refresh } from "./refresh.js";

const KINDS = [
  "created", "turn", "retraction", "trial", "join", "leave", "dispute", "claim", "proposal", "response", "ruling", "appeal", "annotations", "tags", "ended", "correction", "reopening",
  "board",
];
const LONGEST = 3500; // milliseconds for the animation of a turn: the players do not wait
const SLOWEST = 150; // milliseconds per seed
const RETRY = 5000; // milliseconds until a refused stream is opened again

const root = document.querySelector("[data-live]");
const linkState = root.querySelector("[data-link-state]");
let ply = Number(root.dataset.ply);
let after = Number(root.dataset.after);
let busy = false;
let again = false;

async function showTurn(number) {
  if (document.hidden) return; // browsers stop the timers of hidden pages
  const answer = await fetch(`${root.dataset.api}/turns/${number}/trace`);
  if (!answer.ok) return;
  const trace = await answer.json();
  const board = new Board(root.querySelector("[data-board]"));
  await board.sow(trace, Math.min(SLOWEST, LONGEST / trace.events.length));
}

async function update() {
  again = true;
  if (busy) return;
  busy = true;
  try {
    while (again) {
      again = false;
      const page = await fetchPage(root.dataset.page); // not location: a refusal stands at the address of its form
      const now = Number(page.querySelector("[data-live]").dataset.ply);
      if (now === ply + 1) {
        refresh(page, ["board"]); // hide an old warning before the seeds move
        await showTurn(now);
      }
      ply = now;
      refresh(page);
      root.dataset.ply = ply;
      after = Math.min(after, Number(page.querySelector("[data-live]").dataset.after)); // a restored game may have fewer
    }
    linkState.textContent = "";
  } catch (error) {
    linkState.textContent = UPDATE_FAILED + error.message;
  } finally {
    busy = false;
  }
}

function follow() {
  const stream = new EventSource(`${root.dataset.api}/events?after=${after}`);
  const onEvent = (event) => {
    if (event.lastEventId) after = Math.max(after, Number(event.lastEventId));
    update();
  };
  for (const kind of KINDS) stream.addEventListener(kind, onEvent);
  stream.addEventListener("open", () => {
    root.dataset.following = "1";
    linkState.textContent = "";
  });
  stream.addEventListener("error", () => {
    delete root.dataset.following;
    linkState.textContent = CONNECTION_LOST;
    if (stream.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    setTimeout(() => update().then(follow), RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

async function enter(form, move) {
  const refusal = form.closest("section").querySelector("[data-refusal]");
  refusal.textContent = "";
  try {
    const answer = await fetch(`${root.dataset.api}/turns`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": form.elements.csrf.value },
      body: JSON.stringify({ move, ply: Number(form.elements.ply.value) }),
    });
    if (answer.ok) return await update();
    const problem = await answer.json();
    refusal.textContent = problem.detail ?? problem.title;
    if (answer.status === 409) await update();
  } catch (error) {
    refusal.textContent = `The turn could not be sent: ${error.message}`;
  }
  return undefined;
}

root.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-enter]");
  if (!form) return;
  event.preventDefault();
  const move = new FormData(form, event.submitter).get("move").trim();
  if (move) enter(form, move);
});

root.addEventListener("click", (event) => {
  const pit = event.target.closest(".enterable .pit.legal");
  if (!pit) return;
  const button = root.querySelector(`[data-enter] [data-pit="${pit.dataset.pit}"]`);
  if (button?.tagName === "DETAILS") {
    button.open = true;
    button.querySelector("button").focus();
  } else button?.click();
});

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
follow();
