// What was played in the stored games from the position that is shown; asked only while the panel is open.

import { aboutPosition, ask, root, say, words } from "./study_requests.js";
import { isShown } from "./study_tabs.js";

const SETTLE = 150; // milliseconds: a key that is held down asks for nothing on the way

function cell(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

function seeds(value) {
  return value === null ? "–" : value.toFixed(1).replace("-", "−");
}

export class Explorer {
  constructor(study) {
    this.study = study;
    this.panel = root.querySelector("[data-explorer]");
    this.body = this.panel.querySelector("[data-explored]");
    this.shown = null; // the position that the panel is about
    study.watchers.push(() => this.update());
    this.panel.addEventListener("toggle", () => this.update());
    this.update();
  }

  update() {
    this.asking?.abort();
    clearTimeout(this.timer);
    if (!isShown(this.panel) || this.shown === this.study.position) return;
    this.timer = setTimeout(() => this.explore(this.study.position), SETTLE);
  }

  async explore(position) {
    this.asking = new AbortController();
    try {
      const found = await ask(aboutPosition("explorer", position), { signal: this.asking.signal });
      this.shown = position;
      this.panel.dataset.about = position;
      this.draw(found);
    } catch (error) {
      if (error.name !== "AbortError") this.body.replaceChildren(cell("p", error.message));
    }
  }

  draw(found) {
    this.body.replaceChildren(cell("p", found.times ? say("explored", { times: found.times }) : say("unexplored")));
    this.table(
      words.head,
      found.turns.filter((turn) => turn.times),
      (turn) => [turn.times, turn.south, turn.drawn, turn.north, seeds(turn.difference)],
    );
  }

  /** Append a table of turns, each with a button that plays it. */
  table(head, turns, values) {
    if (!turns.length) return;
    const table = Object.assign(document.createElement("table"), { className: "explored" });
    table
      .createTHead()
      .insertRow()
      .append(...head.map((text) => Object.assign(cell("th", text), { scope: "col" })));
    const rows = table.createTBody();
    for (const turn of turns) {
      const row = rows.insertRow();
      const button = Object.assign(cell("button", turn.move), { type: "button", className: "small" });
      button.addEventListener("click", () => this.study.go(this.study.tree.try(this.study.node, turn)));
      row.insertCell().append(button);
      for (const value of values(turn)) row.insertCell().textContent = value;
    }
    this.body.append(table);
  }
}
