// The boards on a page of many games, and which reports of a board it must show: not each seed that moves.

import { SmallBoard } from "../drawing/small_board.js";
import { fetchPage, refresh } from "../refresh.js";

/** The boards by the ids of their games. */
export const boards = new Map();
for (const game of document.querySelectorAll("[data-game]"))
  boards.set(game.dataset.game, new SmallBoard(game.querySelector("svg.board")));

/** Show what the page of this address has now: boards change where they lie. Other games are another page. */
export async function refreshBoards(address) {
  const page = await fetchPage(address);
  const shown = [...page.querySelectorAll("[data-game]")];
  if (shown.length !== boards.size || shown.some((game) => !boards.has(game.dataset.game))) location.reload();
  for (const game of shown) {
    const board = boards.get(game.dataset.game);
    const { position } = game.querySelector("svg.board").dataset;
    if (board && board.position !== position) board.show(position);
  }
  return refresh(page);
}

const reports = new Map(); // what the boards last said that people must know, by board

/** Whether a board refuses a turn, asks, is mended, comes or goes: since the last call it has said so. */
export function isNews(board) {
  const { state, refusal, mend, dispute } = board.status;
  const notice = JSON.stringify([board.game, state, refusal, mend, dispute]);
  const before = reports.get(board.id);
  reports.set(board.id, notice);
  return before !== notice;
}
