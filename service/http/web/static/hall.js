// A hall's boards follow the feed: a turn changes its board at once, and the texts come from the server.

import { Board, parsePosition } from "./board.js";
import { fetchPage, refresh } from "./refresh.js";

const KINDS = ["created", "turn", "retraction", "dispute", "ruling", "appeal", "tags", "ended", "correction", "reopening"];
const PAUSE = 400; // milliseconds in which the events of a hall are gathered for one refresh
const RETRY = 5000; // milliseconds until a refused stream is opened again

const hall = document.querySelector("[data-hall]");
const linkState = document.querySelector("[data-link-state]");
const boards = new Map();
for (const game of hall.querySelectorAll("[data-game]")) boards.set(game.dataset.game, new Board(game.querySelector("[data-board]")));
let after = new URL(hall.dataset.hall, location.href).searchParams.get("after");
let waiting = false;

function show(event) {
  const board = boards.get(event.game_id);
  if (!board || !event.position) return;
  const turn = event.kind === "turn" ? parsePosition(event.position) : null;
  board.show(event.position);
  board.figure.closest("[data-game]").dataset.ply = turn ? turn.ply : "";
}

async function update() {
  if (waiting) return;
  waiting = true;
  await new Promise((done) => setTimeout(done, PAUSE));
  waiting = false; // before fetching: later events need another refresh
  try {
    const page = await fetchPage(location.href);
    const shown = [...page.querySelectorAll("[data-game]")];
    if (shown.length !== boards.size || shown.some((game) => !boards.has(game.dataset.game))) return location.reload();
    for (const game of shown) {
      const board = boards.get(game.dataset.game);
      const position = game.querySelector("svg.board").dataset.position;
      if (board.position !== position) board.show(position);
    }
    refresh(page);
    linkState.textContent = "";
  } catch {
    linkState.textContent = hall.dataset.lost;
    setTimeout(update, RETRY);
  }
  return undefined;
}

function follow() {
  const address = new URL(hall.dataset.hall, location.href);
  address.searchParams.set("after", after);
  const stream = new EventSource(address);
  for (const kind of KINDS) {
    stream.addEventListener(kind, (message) => {
      show(JSON.parse(message.data));
      update();
    });
  }
  stream.addEventListener("open", () => {
    hall.dataset.following = "1";
    linkState.textContent = "";
  });
  stream.addEventListener("error", () => {
    delete hall.dataset.following;
    linkState.textContent = hall.dataset.lost;
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => { after = "end"; update().then(follow); }, RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
follow();
