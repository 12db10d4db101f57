// A board that is set up by tapping, or in its fields: the fields are the truth, the drawing follows.

import { Board } from "./board.js";

const LONG_PRESS = 450; // milliseconds
const MOST = 9999; // seeds in a field
const WORD = /^(?:(\d{1,4}|\?)([sn]?)|(x))$/;
const MARKS = ["", "s", "n", "x"];

const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);

export class BoardEditor {
  /**
   * `root` holds the fields (`data-place`), the total (`data-total`) and buttons (`data-by`, `data-set`, `data-mark`); `figure` the
   * drawing. `wanted`: seeds in all; `totals`: the texts of the total; `mode`: what a tap does now (`select`: it selects
   * a place, and adds a seed to the one that is selected); `isActive`: whether taps set up at all.
   */
  constructor(root, figure, { wanted, totals, mode, isActive = () => true }) {
    Object.assign(this, { root, figure, wanted, totals, mode, isActive });
    this.row = Number(figure.dataset.row);
    this.fields = [];
    for (const field of root.querySelectorAll("[data-place]")) this.fields[Number(field.dataset.place)] = field;
    this.total = root.querySelector("[data-total]");
    this.listenToFields();
    this.listenToBoard();
  }

  /** The seeds and the mark of a place; null seeds: not counted. */
  read(place) {
    const match = WORD.exec(this.fields[place].value.trim());
    if (!match) return { seeds: null, mark: 0 };
    return { seeds: match[3] ? 0 : match[1] === "?" ? null : Number(match[1]), mark: MARKS.indexOf(match[3] ?? match[2]) };
  }

  write(place, { seeds, mark }) {
    this.fields[place].value = mark === 3 ? "x" : (seeds === null ? "?" : String(seeds)) + MARKS[mark];
    this.draw();
  }

  /** Show the fields on the board and in the total. */
  draw() {
    const board = new Board(this.figure);
    let seeds = 0;
    let unknown = 0;
    this.fields.forEach((_, place) => {
      const { seeds: count, mark } = this.read(place);
      if (count === null) unknown += 1;
      else seeds += count;
      if (place < 2 * this.row) {
        board.mark(place, mark);
        board.fill(place, count);
      } else board.store(place - 2 * this.row, count);
    });
    const { wanted, totals } = this;
    const missing = wanted - seeds;
    let words = filled(totals.all, { seeds, wanted });
    if (unknown) words = filled(totals.unknown, { total: words, count: unknown });
    else if (missing) words = filled(missing > 0 ? totals.missing : totals.extra, { total: words, count: Math.abs(missing) });
    if (this.total.textContent !== words) this.total.textContent = words;
    this.total.classList.toggle("off", !unknown && missing !== 0);
    this.isComplete = !unknown && !missing;
    this.root.dispatchEvent(new Event("drawn"));
  }

  add(place, by) {
    const { seeds, mark } = this.read(place);
    if (mark !== 3) this.write(place, { seeds: Math.min(MOST, Math.max(0, (seeds ?? 0) + by)), mark });
  }

  /** The place that the buttons without a field of their own are about. */
  select(place) {
    this.selected = place;
    this.fields.forEach((field, at) => field.parentElement.classList.toggle("selected", at === place));
    this.figure.querySelector(".shown")?.classList.remove("shown");
    const drawn = place < 2 * this.row ? `.pit[data-pit="${place}"]` : `.store[data-store="${place - 2 * this.row}"]`;
    if (this.isActive()) this.figure.querySelector(drawn).classList.add("shown");
  }

  /** Make a pit special for South, for North, or ordinary again. */
  remark(place) {
    const { seeds, mark } = this.read(place);
    if (place < 2 * this.row && mark !== 3) this.write(place, { seeds, mark: (mark + 1) % 3 });
  }

  tap(place, removes) {
    const wasSelected = place === this.selected;
    this.select(place);
    const { seeds, mark } = this.read(place);
    const asked = removes ? "remove" : this.mode();
    if (asked === "unknown") this.write(place, { seeds: seeds === null ? 0 : null, mark });
    else if (asked === "special") this.remark(place);
    else if (asked !== "select" || wasSelected) this.add(place, asked === "remove" ? -1 : 1);
  }

  /** The place that is drawn at an event; null elsewhere, and while nothing is set up. */
  placeAt(event) {
    if (!this.isActive()) return null;
    const pit = event.target.closest(".pit");
    if (pit) return Number(pit.dataset.pit);
    const store = event.target.closest(".store");
    return store ? 2 * this.row + Number(store.dataset.store) : null;
  }

  listenToBoard() {
    let pressed = null; // the timer of a long press
    let since = 0; // when it began
    let held = null; // where a long press took a seed, and what was there: the click after it is no tap
    this.figure.addEventListener("pointerdown", (event) => {
      held = null;
      since = event.timeStamp;
      const place = this.placeAt(event);
      if (place === null || event.pointerType === "mouse") return;
      pressed = setTimeout(() => { held = { place, ...this.read(place) }; this.tap(place, true); }, LONG_PRESS);
    });
    for (const kind of ["pointerup", "pointercancel", "pointerleave"]) this.figure.addEventListener(kind, () => clearTimeout(pressed));
    // A busy device hears late of the end of a tap: only the times of the events say how long it was.
    this.figure.addEventListener("pointerup", (event) => {
      if (!held || event.timeStamp - since >= LONG_PRESS) return;
      this.write(held.place, held);
      held = null;
    });
    this.figure.addEventListener("click", (event) => {
      const place = this.placeAt(event);
      if (place === null) return;
      event.stopPropagation(); // it plays no turn
      if (!held) this.tap(place, false);
    });
    this.figure.addEventListener("contextmenu", (event) => {
      const place = this.placeAt(event);
      if (place === null) return;
      event.preventDefault();
      if (event.pointerType === "mouse") this.tap(place, true); // a touch was a long press already
    });
  }

  listenToFields() {
    const { root } = this;
    root.addEventListener("input", (event) => { if (event.target.matches("[data-place]")) this.draw(); });
    root.addEventListener("focusin", (event) => {
      if (!event.target.matches("[data-place]")) return;
      this.select(Number(event.target.dataset.place));
      event.target.select();
    });
    root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-by], [data-set], [data-mark]");
      if (!button) return;
      const own = button.parentElement.querySelector(":scope > [data-place]");
      const place = own ? Number(own.dataset.place) : this.selected;
      if (place === undefined) return;
      if (button.dataset.mark !== undefined) this.remark(place);
      else if (button.dataset.by) this.add(place, Number(button.dataset.by));
      else if (this.read(place).mark !== 3) this.write(place, { ...this.read(place), seeds: Number(button.dataset.set) });
    });
    root.addEventListener("keydown", (event) => {
      if (!event.target.matches("[data-place]") || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = Number(event.target.dataset.place);
      const to = this.neighbour(place, event.key);
      if (to !== null) { event.preventDefault(); this.select(to); this.fields[to].focus(); return; }
      if (event.key !== "+" && event.key !== "-") return;
      event.preventDefault();
      this.add(place, event.key === "+" ? 1 : -1);
      event.target.select();
    });
  }

  /** Where an arrow leads on the board as it is drawn; null for other keys. */
  neighbour(place, key) {
    const { row } = this;
    if (key === "ArrowUp" || key === "ArrowDown") return place < 2 * row ? 2 * row - 1 - place : null;
    const right = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!right) return null;
    const north = [2 * row + 1, ...Array.from({ length: row }, (_, pit) => 2 * row - 1 - pit)];
    const south = [...Array.from({ length: row }, (_, pit) => pit), 2 * row];
    const line = north.includes(place) ? north : south;
    return line[line.indexOf(place) + right] ?? null;
  }

  /** Give every field its word, by place. */
  fill(words) {
    this.fields.forEach((field, place) => { field.value = words(field, place); });
    this.draw();
  }
}
