// "What if": any legal turn from the position that is shown, as a variation that is only on this page until it is saved.

import { legalTurns, root, say } from "./study_requests.js";
import { pitOf } from "./study_tree.js";

export class WhatIf {
  /** `isBusy`: a tap on a pit means something else now. */
  constructor(study, isBusy) {
    this.study = study;
    this.part = root.querySelector("[data-what-if]");
    this.says = this.part.querySelector("[data-what-if-says]");
    this.choices = this.part.querySelector("[data-choices]");
    study.watchers.push(() => this.clear());
    study.board.figure.classList.add("tryable");
    study.board.svg.addEventListener("click", (event) => {
      const pit = event.target.closest(".pit");
      if (pit && !isBusy()) this.from(Number(pit.dataset.pit));
    });
    this.part.addEventListener("click", (event) => {
      if (event.target.closest("[data-list-turns]")) this.from(null);
      if (event.target.closest("[data-discard]")) this.discard();
      const choice = event.target.closest("[data-choice]");
      if (choice) this.play(this.turns[Number(choice.dataset.choice)]);
    });
  }

  clear() {
    this.says.textContent = "";
    this.choices.replaceChildren();
    this.part.querySelector("[data-unsaved]").hidden = this.study.tree.tried().length === 0;
  }

  /** Play from a pit; with null, or where several turns begin, offer them as buttons. */
  async from(pit) {
    const { study } = this;
    const { position } = study;
    this.clear();
    let found;
    try {
      found = await legalTurns(position);
    } catch (error) {
      this.says.textContent = error.message;
      return;
    }
    if (position !== study.position) return; // stepped on meanwhile
    if (!found.turns.length || study.isEnd(study.node)) {
      this.says.textContent = say("none");
      return;
    }
    const { row } = study.tree;
    this.turns = found.turns.filter((turn) => pit === null || pitOf(turn.move, row) === pit || turn.move === "--");
    if (!this.turns.length) {
      const letters = [...new Set(found.turns.map((turn) => turn.move[0]))].join(" ");
      this.says.textContent = say("cannot", { pit: study.board.pits[pit].dataset.letter, legal: letters });
    } else if (this.turns.length === 1 && pit !== null) this.play(this.turns[0]);
    else {
      this.says.textContent = say("choose") + (found.complete ? "" : ` ${say("more")}`);
      this.choices.replaceChildren(
        ...this.turns.map((turn, number) => {
          const button = Object.assign(document.createElement("button"), {
            type: "button",
            className: "small",
            textContent: turn.move,
          });
          button.dataset.choice = number;
          return button;
        }),
      );
    }
  }

  play(turn) {
    this.study.go(this.study.tree.try(this.study.node, turn));
  }

  discard() {
    const { study } = this;
    for (const { element } of study.tree.tried()) {
      const line = element.closest(".variation");
      if (line.classList.contains("tried-line")) {
        line.remove();
        continue;
      }
      if (element.previousElementSibling?.classList.contains("num")) element.previousElementSibling.remove();
      element.remove();
    }
    study.reread();
  }
}
