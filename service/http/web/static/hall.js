// A hall's boards follow the feed: a turn changes its board at once, and the texts come from the server.

import { Board, parsePosition } from "./board.js";
import { followFeed, gathered } from "./feed.js";
import { fetchPage, refresh } from "./refresh.js";

const KINDS = ["created", "turn", "retraction", "dispute", "ruling", "appeal", "tags", "ended", "correction", "reopening"];

const hall = document.querySelector("[data-hall]");
const boards = new Map();
for (const game of hall.querySelectorAll("[data-game]")) boards.set(game.dataset.game, new Board(game.querySelector("[data-board]")));

function show(event) {
  const board = boards.get(event.game_id);
  if (!board || !event.position) return;
  const turn = event.kind === "turn" ? parsePosition(event.position) : null;
  board.show(event.position);
  board.figure.closest("[data-game]").dataset.ply = turn ? turn.ply : "";
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

followFeed(hall, KINDS, (event) => { show(event); update(); }, update);
