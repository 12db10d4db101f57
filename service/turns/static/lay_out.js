// Laying out what stands on the board: an irregular turn, or a rearrangement. A board that no rearrangement lays out goes
// to the service as a form: its answer says why. So do turns that nobody saw.

import { parsePosition, placeWords } from "../drawing/board.js";
import { BoardEditor } from "../drawing/board_editor.js";
import { showTyped } from "../refresh.js";

const SIDES = ["South", "North"];

export class LayOut {
  /** `entry`: what enters turns. `restore`: shows the board of the record again. */
  constructor(root, entry, restore) {
    Object.assign(this, { root, entry, restore });
    this.panel = root.querySelector("#irregular");
    this.sent = null; // the turn that was laid out and entered
    this.dropped = null; // the editor of a form that is no longer there
    this.kept = null; // what its places had, if that was not stored: the next form begins with it
    this.missed = null; // the form of turns that nobody saw, from which this one was opened
    root.addEventListener("click", ({ target }) => {
      if (target.closest("[data-lay-out-gap]")) this.missed = target.closest("[data-fresh]").querySelector("form");
    });
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  get form() {
    return this.panel.querySelector("[data-lay-out]");
  }

  get isOpen() {
    return this.root.classList.contains("laying-out");
  }

  follow() {
    const wanted = location.hash === "#irregular" && this.form !== null;
    if (wanted !== this.isOpen) wanted ? this.begin() : this.end();
  }

  begin() {
    const { form } = this;
    this.root.classList.add("laying-out");
    if (this.editor?.root === form) this.base();
    else this.edit(form);
    if (this.missed) this.fillGap(this.missed.elements);
    form.dataset.kind = form.elements.action.value;
    this.missed = null;
  }

  /** Go on with what was said of turns that nobody saw: a pit that nobody looks at is not known. */
  fillGap({ turns, next }) {
    const { elements } = this.form;
    elements.action.value = "gap";
    elements.turns.value = turns.value;
    elements.next.value = next.value;
    this.editor.fill(() => "?");
  }

  /** Have a form edit the board. */
  edit(form) {
    const kind = () => form.elements.action.value;
    this.editor = new BoardEditor(form, this.root.querySelector("[data-board]"), {
      wanted: Number(form.dataset.seeds),
      totals: JSON.parse(form.dataset.totals),
      mode: () => "select",
      isActive: () => this.isOpen && form === this.editor.root && form.isConnected,
    });
    const send = form.querySelector("[data-save]");
    const show = () => {
      form.dataset.kind = kind();
      send.setAttribute("aria-disabled", !this.editor.isComplete && kind() !== "gap");
    };
    form.addEventListener("drawn", show);
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => {
      if (this.editor.isComplete || kind() === "gap") return;
      event.preventDefault();
      event.stopPropagation(); // the total says what is missing
    });
    this.sent = this.dropped = null;
    this.base();
    const { kept } = this;
    if (kept) this.editor.fill((_, place) => kept[place]);
    this.editor.select(Number(form.dataset.first));
  }

  get shown() {
    return parsePosition(this.root.querySelector("svg.board").dataset.position);
  }

  /** Begin from the board that is shown; the form knows only that of the record. */
  base() {
    const { editor, form } = this;
    if (!this.entry.waiting) {
      editor.draw();
      return;
    }
    const { pits, toMove } = this.shown;
    const row = pits.length / 2;
    const letters = [...this.root.querySelectorAll("svg.board .pit")].filter(
      ({ dataset }) => Number(dataset.pit) >= row === (toMove === 1),
    );
    const { pit, next } = form.elements;
    pit.replaceChildren(pit.options[0], ...letters.map(({ dataset }) => new Option(dataset.letter)));
    next.value = SIDES[1 - toMove];
    editor.fillFrom(this.shown);
  }

  /** What the form laid out, for `Entry.enter`; null: no turn. */
  turn(form) {
    if (form !== this.form || !this.isOpen) return null;
    const { action, pit, next } = form.elements;
    const { ply, toMove } = this.shown;
    if (action.value === "gap") return null;
    if (action.value === "irregular") {
      return {
        move: `~${pit.value}`,
        after: `${this.editor.text} ${next.value[0].toLowerCase()} ${ply + this.entry.unseen + 1}`,
        irregular: true,
      };
    }
    const move = this.rearrangement();
    return move && { move, after: `${this.editor.text} ${"sn"[toMove]} ${ply + this.entry.unseen}`, rearranged: true };
  }

  /** The rearrangement that was laid out, in the notation; null: none. */
  rearrangement() {
    const { pits, marks, toMove } = this.shown;
    const row = pits.length / 2;
    const now = pits.map((_, pit) => this.editor.read(pit));
    const isOwn = (pit) => pit >= row === (toMove === 1);
    const words = placeWords(this.shown);
    const isOther = this.editor.fields.some(
      ({ value }, place) => !(place < pits.length && isOwn(place)) && value.trim() !== words[place],
    );
    if (isOther || now.some(({ mark }, pit) => mark !== marks[pit])) return null;
    const own = [...pits.keys()].filter(isOwn);
    const emptied = own.filter((pit) => now[pit].seeds < pits[pit]);
    if (emptied.length === 1) emptied.push(...own.filter((pit) => pit !== emptied[0] && !marks[pit]).slice(0, 1)); // filled again
    if (emptied.length !== 2) return null;
    const letter = (pit) => this.root.querySelector(`svg.board .pit[data-pit="${pit}"]`).dataset.letter;
    const laid = own
      .map((pit) => [letter(pit), now[pit].seeds - (emptied.includes(pit) ? 0 : pits[pit])])
      .filter(([, seeds]) => seeds);
    return `${emptied
      .sort((one, other) => one - other)
      .map(letter)
      .join("")}@${laid.flat().join("")}`;
  }

  /** Leave the board to the record. */
  end() {
    const form = this.editor.root;
    this.root.classList.remove("laying-out");
    form.reset();
    this.kept = null;
    this.restore();
  }

  /** The page was updated: what was laid out belonged to another turn if the form is a new one. */
  check() {
    if (!this.isOpen || this.editor.root.isConnected) return;
    this.root.classList.remove("laying-out");
    this.dropped = this.editor;
    if (!this.sent) this.offer();
    this.close();
  }

  /** A turn was refused: if it was laid out here, it is not stored. */
  refuse({ after }) {
    if (!this.sent || after !== this.sent.after) return;
    this.sent = null;
    if (this.dropped) this.offer();
  }

  /** Show what was laid out for a turn that another one came before, and begin with it again. */
  offer() {
    const { fields, text } = this.dropped;
    if (fields.every(({ value, defaultValue }) => value === defaultValue)) return;
    this.kept = fields.map(({ value }) => value);
    showTyped([text], () => {
      this.kept = null;
    });
  }

  close() {
    if (location.hash === "#irregular") location.hash = "#main";
  }
}
