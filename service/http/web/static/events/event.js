// An event with rounds follows the feed: boards change where they lie, and the texts come from the server.

import { isNews } from "./board_news.js";
import { Follower, GAME_KINDS } from "../follow.js";
import { fetchPage, pageAddress, refresh } from "../refresh.js";
import { SmallBoard } from "../drawing/small_board.js";

const boards = new Map();
for (const game of document.querySelectorAll("[data-game]"))
  boards.set(game.dataset.game, new SmallBoard(game.querySelector("svg.board")));

async function show() {
  const page = await fetchPage(pageAddress());
  const shown = [...page.querySelectorAll("[data-game]")];
  if (shown.length !== boards.size || shown.some((game) => !boards.has(game.dataset.game))) location.reload();
  for (const game of shown) {
    const board = boards.get(game.dataset.game);
    const { position } = game.querySelector("svg.board").dataset;
    if (board && board.position !== position) board.show(position);
  }
  return refresh(page);
}

const follower = new Follower({
  kinds: ["board", ...GAME_KINDS],
  show,
  onEvent: (event, kind) => (kind !== "board" || isNews(event)) && follower.update(),
  pause: 400,
});
