// Setting up a position on the analysis board, by tapping: the field of the form is the truth, the drawing follows.

import { parsePosition } from "./board.js";

const MARKS = ["", "s", "n", "x"];

export class SetUp {
  /** `panel`: the form's panel; taps set up while it is open. */
  constructor(study, panel) {
    this.study = study;
    this.panel = panel;
    this.form = panel.querySelector("form");
    this.field = this.form.elements.position;
    study.watchers.push(() => { this.field.value = study.position; this.count(); });
    study.board.svg.addEventListener("click", (event) => this.tap(event.target.closest(".pit, .store"), this.mode));
    study.board.svg.addEventListener("contextmenu", (event) => {
      const place = event.target.closest(".pit, .store");
      if (!place || !this.isOpen) return;
      event.preventDefault();
      this.tap(place, "remove");
    });
    this.form.addEventListener("change", (event) => {
      if (event.target.name === "side") this.change((position) => { position.toMove = Number(event.target.value); });
    });
    panel.querySelector("[data-empty]").addEventListener("click", () => this.change((position) => {
      position.pits.fill(0);
      position.stores.fill(0);
      position.marks = position.marks.map((mark) => (mark === 3 ? 3 : 0));
    }));
    this.count();
  }

  get isOpen() { return this.panel.open; }

  get mode() { return this.form.querySelector("[name=mode]:checked").value; }

  tap(place, mode) {
    if (!place || !this.isOpen) return;
    this.change((position) => {
      const by = mode === "remove" ? -1 : 1;
      if (place.dataset.pit === undefined) {
        const side = Number(place.dataset.store);
        position.stores[side] = Math.max(0, position.stores[side] + by);
        return;
      }
      const pit = Number(place.dataset.pit);
      if (position.marks[pit] === 3) return;
      if (mode === "special") position.marks[pit] = (position.marks[pit] + 1) % 3;
      else position.pits[pit] = Math.max(0, position.pits[pit] + by);
    });
  }

  change(edit) {
    let position;
    try { position = parsePosition(this.field.value.trim()); } catch { return; } // it is being typed
    edit(position);
    const row = position.pits.length / 2;
    const pits = position.pits.map((count, pit) => (position.marks[pit] === 3 ? "x" : `${count}${MARKS[position.marks[pit]]}`));
    this.field.value = `${pits.slice(0, row).join(".")}/${pits.slice(row).join(".")} ${position.stores.join("-")} ${"sn"[position.toMove]} ${position.ply}`;
    this.study.board.show(this.field.value);
    this.count();
  }

  /** Say how many seeds there are, and who is to move. */
  count() {
    const { pits, stores, toMove } = parsePosition(this.field.value);
    this.panel.querySelector("[data-total]").textContent = [...pits, ...stores].reduce((sum, count) => sum + count, 0);
    this.form.elements.side.value = String(toMove);
  }
}
