// A small board that the server drew with its counts (small_boards.py): lays the seeds into its pits, and updates it.

import { markHref, parsePosition } from "./board.js";

const VARIANTS = 4; // arrangements of the seeds in a pit
const MOST = [30, 60]; // seeds drawn one by one in a pit, and in a store

export class SmallBoard {
  constructor(svg) {
    this.svg = svg;
    this.seeds = svg.querySelector(".seeds");
    this.marks = svg.querySelector(".marks");
    this.counts = [...svg.querySelectorAll(".counts text")];
    this.rows = this.seeds.dataset.pits.split(" ");
    const [south, north, top] = this.seeds.dataset.stores.split(" ");
    this.stores = [
      [south, top],
      [north, top],
    ];
    this.show(this.position);
  }

  get position() {
    return this.svg.dataset.position;
  }

  show(text) {
    const { pits, marks, stores } = parsePosition(text);
    this.seeds.replaceChildren();
    this.marks.replaceChildren();
    pits.forEach((count, pit) => {
      const at = [this.counts[pit].getAttribute("x"), this.rows[pit < pits.length / 2 ? 0 : 1]];
      this.lay(`s${pit % VARIANTS}-`, Math.min(count, MOST[0]), at);
      if (marks[pit]) this.put(this.marks, markHref(marks[pit], this.svg.dataset.sign), at);
      this.counts[pit].textContent = marks[pit] === 3 ? "" : (count ?? "?");
    });
    stores.forEach((count, side) => {
      this.lay("t-", Math.min(count, MOST[1]), this.stores[side]);
      this.counts[pits.length + side].textContent = count ?? "?";
    });
    this.svg.dataset.position = text;
  }

  lay(slots, count, at) {
    for (let number = 0; number < count; number += 1) this.put(this.seeds, `#${slots}${number}`, at);
  }

  put(group, href, [x, y]) {
    const use = document.createElementNS(group.namespaceURI, "use");
    use.setAttribute("href", href);
    use.setAttribute("x", x);
    use.setAttribute("y", y);
    group.append(use);
  }
}
