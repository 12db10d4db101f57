// The pages of boards: refresh themselves when the event stream reports a change.

import { Follower, GAME_KINDS } from "../follow.js";
import { fetchPage, pageAddress, refresh } from "../refresh.js";
import { SmallBoard } from "../drawing/small_board.js";

const root = document.querySelector("[data-follow]");

function laySeeds() {
  for (const svg of root.querySelectorAll("svg.small")) new SmallBoard(svg);
}

async function show() {
  const page = await fetchPage(pageAddress());
  refresh(page);
  laySeeds();
  return page;
}

laySeeds();
new Follower({ kinds: ["board", "ports", "log", ...GAME_KINDS], show, pause: 300 }); // counts change all the time while people play
