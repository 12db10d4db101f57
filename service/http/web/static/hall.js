// A hall's boards follow the feed: a turn changes its board at once, and the texts come from the server.

import { RETRY, followFeed, gathered, linkState } from "./feed.js";
import { CONNECTION_LOST, fetchPage, refresh } from "./refresh.js";
import { SmallBoard } from "./small_board.js";

const KINDS = ["created", "turn", "retraction", "dispute", "ruling", "appeal", "tags", "ended", "correction", "reopening"];

const hall = document.querySelector("[data-hall]");
const boards = new Map();
for (const game of hall.querySelectorAll("[data-game]")) boards.set(game.dataset.game, new SmallBoard(game.querySelector("svg.board")));
const reports = new Map(); // what the boards on the tables last said that people must know, by board

function show(event) {
  const board = boards.get(event.game_id);
  if (!board || !event.position) return;
  board.show(event.position);
}

/** Update the page when a board refuses a turn, asks, is mended, comes or goes; not when a seed moves. */
function report(board) {
  if (!boards.has(board.game)) return;
  const { state, refusal, mend, dispute } = board.status;
  const notice = JSON.stringify([state, refusal, mend, dispute]);
  if (reports.get(board.id) !== notice) update();
  reports.set(board.id, notice);
}

const update = gathered(async () => {
  const page = await fetchPage(location.href);
  const shown = [...page.querySelectorAll("[data-game]")];
  if (shown.length !== boards.size || shown.some((game) => !boards.has(game.dataset.game))) return location.reload();
  for (const game of shown) {
    const board = boards.get(game.dataset.game);
    const position = game.querySelector("svg.board").dataset.position;
    if (board.position !== position) board.show(position);
  }
  refresh(page);
  return undefined;
});

function followBoards() {
  const stream = new EventSource(hall.dataset.boards);
  stream.addEventListener("board", (message) => report(JSON.parse(message.data)));
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(followBoards, RETRY);
  });
  addEventListener("pagehide", () => stream.close(), { once: true });
}

/** Answer a board's question here, without leaving the hall. */
hall.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const sent = { method: "POST", body: new URLSearchParams(new FormData(form, event.submitter)) };
  try {
    const answer = await fetch(form.getAttribute("action"), sent);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok) update();
    else linkState.textContent = page.querySelector("[data-refusal], .error p")?.textContent || `${answer.status} ${answer.statusText}`;
  } catch {
    linkState.textContent = CONNECTION_LOST;
  }
});

if (hall.dataset.boards) followBoards();
followFeed(hall, KINDS, (event) => { show(event); update(); }, update);
