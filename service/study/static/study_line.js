// Puts lines of turns into the record of the review, to try them.

import { aboutPosition, ask } from "./study_requests.js";

/** Put a line into the tree as tried turns that follow the node `from`, and go to its first turn. */
export async function tryLine(study, from, moves) {
  const { tree } = study;
  let at = from;
  let { position } = tree.get(from);
  for (const move of moves) {
    const turn = await ask(aboutPosition("positions/trace", position, { move: move.replace(/[x=].*$/, "") }));
    at = tree.try(at, turn);
    position = turn.position;
  }
  let first = at;
  while (first !== from && tree.before(first) !== from) first = tree.before(first);
  study.go(first);
}
