// On paper, the boards of the turning points stand in the list of turns.

import { Board } from "../drawing/board.js";
import { root } from "./study_requests.js";

export function printTurningPoints(study) {
  const turns = root.dataset.turning?.split(" ") ?? [];
  let drawn = [];
  addEventListener("beforeprint", () => {
    drawn = turns.map((turn) => {
      const before = study.tree.before(turn);
      const figure = study.board.figure.cloneNode(true);
      new Board(figure).show(study.tree.get(before).position);
      const caption = document.createElement("figcaption");
      caption.textContent = study.titleOf(before);
      figure.prepend(caption);
      study.tree.get(turn).element.closest(".pair").before(figure);
      return figure;
    });
  });
  addEventListener("afterprint", () => {
    for (const figure of drawn) figure.remove();
  });
}
