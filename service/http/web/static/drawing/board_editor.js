// A board that is set up by tapping, or in its fields: the fields are the truth, the drawing follows.

import { Board, MARKS, boardText, placeWord, placeWords } from "./board.js";
import { BoardTapping } from "./board_tapping.js";

const WORD = /^(?:(\d{1,4}|\?)([sn]?)|(x))$/;

const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);

export class BoardEditor extends BoardTapping {
  /**
   * `root` holds the fields (`data-place`), the total (`data-total`) and buttons (`data-by`, `data-set`, `data-mark`); `figure` the
   * drawing. `wanted`: seeds in all; `totals`: the texts of the total; `mode` and `isActive` as in `BoardTapping`.
   */
  constructor(root, figure, { wanted, totals, mode, isActive = () => true }) {
    super(figure, { mode, isActive });
    Object.assign(this, { root, wanted, totals });
    this.fields = [];
    for (const field of root.querySelectorAll("[data-place]")) this.fields[Number(field.dataset.place)] = field;
    this.total = root.querySelector("[data-total]");
    this.listenToFields();
  }

  /** The seeds and the mark of a place; null seeds: not counted. */
  read(place) {
    const match = WORD.exec(this.fields[place].value.trim());
    if (!match) return { seeds: null, mark: 0 };
    return { seeds: match[3] ? 0 : match[1] === "?" ? null : Number(match[1]), mark: MARKS[match[3] ?? match[2]] };
  }

  write(place, content) {
    this.fields[place].value = placeWord(content);
    this.draw();
  }

  /** The board as it is written, without the side to move. */
  get text() {
    return boardText(this.fields.map(({ value }) => value.trim()));
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
        // Who does not know the seeds may not know the mark either: what was drawn stays.
        if (count !== null || mark) board.mark(place, mark);
        board.fill(place, count);
      } else board.store(place - 2 * this.row, count);
    });
    const { wanted, totals } = this;
    const missing = wanted - seeds;
    let words = filled(totals.all, { seeds, wanted });
    if (unknown) words = filled(totals.unknown, { total: words, count: unknown });
    else if (missing)
      words = filled(missing > 0 ? totals.missing : totals.extra, { total: words, count: Math.abs(missing) });
    if (this.total.textContent !== words) this.total.textContent = words;
    this.total.classList.toggle("off", !unknown && missing !== 0);
    this.isComplete = !unknown && !missing;
    this.root.dispatchEvent(new Event("drawn"));
  }

  /** The place that the buttons without a field of their own are about. */
  select(place) {
    this.selected = place;
    this.fields.forEach((field, at) => field.parentElement.classList.toggle("selected", at === place));
    this.figure.querySelector(".chosen")?.classList.remove("chosen");
    const drawn = place < 2 * this.row ? `.pit[data-pit="${place}"]` : `.store[data-store="${place - 2 * this.row}"]`;
    if (this.isActive()) this.figure.querySelector(drawn).classList.add("chosen");
  }

  listenToFields() {
    const { root } = this;
    root.addEventListener("input", (event) => {
      if (event.target.matches("[data-place]")) this.draw();
    });
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
      else if (this.read(place).mark !== 3)
        this.write(place, {
          ...this.read(place),
          seeds: button.dataset.set === "?" ? null : Number(button.dataset.set),
        });
    });
    root.addEventListener("keydown", (event) => {
      if (!event.target.matches("[data-place]") || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = Number(event.target.dataset.place);
      const to = this.neighbour(place, event.key);
      if (to !== null) {
        event.preventDefault();
        this.select(to);
        this.fields[to].focus();
        return;
      }
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

  /** Show a parsed position. */
  fillFrom(position) {
    const words = placeWords(position);
    this.fill((_, place) => words[place]);
  }

  /** Give every field its word, by place. */
  fill(words) {
    this.fields.forEach((field, place) => {
      field.value = words(field, place);
    });
    this.draw();
  }
}
