// The home page follows the feed: a turn moves its board at once; what else changes comes from the server.

import { Follower, GAME_KINDS } from "../follow.js";
import { fetchPage, refresh } from "../refresh.js";
import { SmallBoard } from "../drawing/small_board.js";

let boards;

function findBoards() {
  const games = [...document.querySelectorAll("[data-game]")];
  boards = new Map(games.map((game) => [game.dataset.game, new SmallBoard(game.querySelector("svg.board"))]));
}

async function show() {
  const page = refresh(await fetchPage(location.href));
  findBoards();
  return page;
}

function onEvent(event, kind) {
  if (kind !== "turn") return follower.update();
  const game = document.querySelector(`[data-game="${event.game_id}"]`);
  if (!game || !event.position) return;
  boards.get(event.game_id).show(event.position);
  game.dataset.toMove = event.position.split(" ")[2] === "s" ? "South" : "North";
}

findBoards();
const follower = new Follower({ kinds: GAME_KINDS, show, onEvent, pause: 1000 });
