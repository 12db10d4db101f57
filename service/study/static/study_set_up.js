// Setting up a position on the analysis board, by tapping: the field of the form is the truth, the drawing follows.

import { boardText, parsePosition, placeWords } from "../drawing/board.js";
import { BoardTapping } from "../drawing/board_tapping.js";

export class SetUp extends BoardTapping {
  /** `panel`: the form's panel; taps set up while it is open. */
  constructor(study, panel) {
    const form = panel.querySelector("form");
    super(study.board.figure, {
      mode: () => form.elements.mode.value,
      isActive: () => panel.open && this.position !== null,
    });
    Object.assign(this, { study, panel, form, field: form.elements.position });
    study.watchers.push(() => {
      this.field.value = study.position;
      this.count();
    });
    form.addEventListener("change", (event) => {
      const { position } = this;
      if (position && event.target.name === "side") this.show({ ...position, toMove: Number(event.target.value) });
    });
    panel.querySelector("[data-empty]").addEventListener("click", () => {
      const { position } = this;
      if (!position) return;
      position.pits.fill(0);
      position.stores.fill(0);
      this.show({ ...position, marks: position.marks.map((mark) => (mark === 3 ? 3 : 0)) });
    });
    this.count();
  }

  get isOpen() {
    return this.panel.open;
  }

  /** What is in the field; null while it is being typed. */
  get position() {
    try {
      return parsePosition(this.field.value.trim());
    } catch {
      return null;
    }
  }

  read(place) {
    const { pits, marks, stores } = this.position;
    return { seeds: [...pits, ...stores][place], mark: marks[place] ?? 0 };
  }

  write(place, { seeds, mark }) {
    const { position } = this;
    if (place < 2 * this.row) [position.pits[place], position.marks[place]] = [seeds, mark];
    else position.stores[place - 2 * this.row] = seeds;
    this.show(position);
  }

  select() {
    /* every tap changes its place at once */
  }

  show(position) {
    this.field.value = `${boardText(placeWords(position))} ${"sn"[position.toMove]} ${position.ply}`;
    this.study.board.show(this.field.value);
    this.count();
  }

  /** Say how many seeds there are, and who is to move. */
  count() {
    if (!this.position) return;
    const { pits, stores, toMove } = this.position;
    this.panel.querySelector("[data-total]").textContent = [...pits, ...stores].reduce((sum, count) => sum + count, 0);
    this.form.elements.side.value = String(toMove);
  }
}
