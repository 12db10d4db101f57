// The page of findings: boards are set up by mouse, keyboard and touch. The form works without it, and is sent as it is.

import { Board } from "./board.js";
import { togglePath } from "./sowing_path.js";

const LONG_PRESS = 450; // milliseconds
const WORD = /^(?:(\d{1,4}|\?)([sn]?)|(x))$/;
const MARKS = ["", "s", "n", "x"];

const form = document.querySelector("[data-finding-form]");
const wanted = Number(form.dataset.seeds);
const totals = JSON.parse(form.dataset.totals);
const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
const row = Number(form.dataset.row);

const mode = () => form.querySelector("[data-mode]:checked").value;

/** A board that is set up: its fields are the truth, the drawing follows. */
class Editor {
  constructor(root) {
    this.root = root;
    this.board = new Board(root.querySelector("[data-board]"));
    this.fields = [];
    for (const field of root.querySelectorAll("[data-place]")) this.fields[Number(field.dataset.place)] = field;
    this.total = root.querySelector("[data-total]");
    this.listen();
    this.draw();
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

  draw() {
    let seeds = 0;
    let unknown = 0;
    this.fields.forEach((_, place) => {
      const { seeds: count, mark } = this.read(place);
      if (count === null) unknown += 1;
      else seeds += count;
      if (place < 2 * row) {
        this.board.mark(place, mark);
        this.board.fill(place, count);
      } else this.board.store(place - 2 * row, count);
    });
    const missing = wanted - seeds;
    let words = filled(totals.all, { seeds, wanted });
    if (unknown) words = filled(totals.unknown, { total: words, count: unknown });
    else if (missing) words = filled(missing > 0 ? totals.missing : totals.extra, { total: words, count: Math.abs(missing) });
    if (this.total.textContent !== words) this.total.textContent = words;
    this.total.classList.toggle("off", !unknown && missing !== 0);
  }

  add(place, by) {
    const { seeds, mark } = this.read(place);
    if (mark !== 3) this.write(place, { seeds: Math.min(9999, Math.max(0, (seeds ?? 0) + by)), mark });
  }

  tap(place, removes) {
    const { seeds, mark } = this.read(place);
    const asked = removes ? "remove" : mode();
    if (asked === "unknown") this.write(place, { seeds: seeds === null ? 0 : null, mark });
    else if (asked === "special") {
      if (place < 2 * row && mark !== 3) this.write(place, { seeds, mark: (mark + 1) % 3 });
    } else this.add(place, asked === "remove" ? -1 : 1);
  }

  /** The place that is drawn at an event; null elsewhere. */
  static placeAt(event) {
    const pit = event.target.closest(".pit");
    if (pit) return Number(pit.dataset.pit);
    const store = event.target.closest(".store");
    return store ? 2 * row + Number(store.dataset.store) : null;
  }

  listen() {
    const svg = this.board.svg;
    let pressed = null; // the timer of a long press
    let held = false; // a long press took a seed: the click after it is no tap
    const release = () => clearTimeout(pressed);
    svg.addEventListener("pointerdown", (event) => {
      held = false;
      const place = Editor.placeAt(event);
      if (place === null || event.pointerType === "mouse") return;
      pressed = setTimeout(() => { held = true; this.tap(place, true); }, LONG_PRESS);
    });
    for (const kind of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(kind, release);
    svg.addEventListener("click", (event) => {
      const place = Editor.placeAt(event);
      if (place !== null && !held) this.tap(place, false);
    });
    svg.addEventListener("contextmenu", (event) => {
      const place = Editor.placeAt(event);
      if (place === null) return;
      event.preventDefault();
      if (event.pointerType === "mouse") this.tap(place, true); // a touch was a long press already
    });
    this.root.addEventListener("input", () => this.draw());
    this.root.addEventListener("focusin", (event) => { if (event.target.matches("[data-place]")) event.target.select(); });
    this.root.addEventListener("click", (event) => {
      const step = event.target.closest("[data-by]");
      if (step) this.add(Number(step.parentElement.querySelector("[data-place]").dataset.place), Number(step.dataset.by));
      if (event.target.closest("[data-copy]")) this.copy(editors[0]);
      if (event.target.closest("[data-clear]")) this.clear();
    });
    this.root.addEventListener("keydown", (event) => {
      if (!event.target.matches("[data-place]") || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = Number(event.target.dataset.place);
      const to = this.neighbour(place, event.key);
      if (to !== null) { event.preventDefault(); this.fields[to].focus(); return; }
      if (event.key !== "+" && event.key !== "-") return;
      event.preventDefault();
      this.add(place, event.key === "+" ? 1 : -1);
      event.target.select();
    });
  }

  /** Where an arrow leads on the board as it is drawn; null for other keys. */
  neighbour(place, key) {
    if (key === "ArrowUp" || key === "ArrowDown") return place < 2 * row ? 2 * row - 1 - place : null;
    const right = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!right) return null;
    const north = [2 * row + 1, ...Array.from({ length: row }, (_, pit) => 2 * row - 1 - pit)];
    const south = [...Array.from({ length: row }, (_, pit) => pit), 2 * row];
    const line = north.includes(place) ? north : south;
    return line[line.indexOf(place) + right] ?? null;
  }

  copy(from) {
    this.fields.forEach((field, place) => { field.value = from.fields[place].value; });
    this.draw();
  }

  clear() {
    const empty = this.root.dataset.editor === "now." ? "?" : "0";
    this.fields.forEach((field) => { if (field.value !== "x") field.value = empty; });
    this.draw();
  }
}

const editors = [...document.querySelectorAll("[data-editor]")].map((root) => new Editor(root));

form.querySelector("[data-pad]").addEventListener("click", (event) => {
  const field = form.elements.lifted;
  const letters = field.value.trim().split(/[\s,]+/).filter(Boolean);
  const letter = event.target.closest("[data-letter]");
  if (letter) letters.push(letter.dataset.letter);
  else if (event.target.closest("[data-letter-back]")) letters.pop();
  field.value = letters.join(" ");
});

togglePath(document.querySelector("main"));
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
form.dataset.ready = "1";
