// Updates the seeds and numbers of a board that the server drew. It does no layout.

import { drawPath } from "./sowing_path.js";

const SIGNS = ["bull", "uur"]; // words for special pits that have a sign of their own
export const MARKS = { "": 0, s: 1, n: 2, x: 3 };

/** Parse `<south row>/<north row> <s>-<n> <side> <ply>`. */
export function parsePosition(text) {
  const [rows, stores, side, ply] = text.split(" ");
  const words = rows.split("/").flatMap((row) => row.split("."));
  return {
    pits: words.map((word) => (word === "x" ? 0 : seedsOf(word.replace(/[sn]$/, "")))),
    marks: words.map((word) => MARKS[word.replace(/^(?:\d+|\?)/, "")]),
    stores: stores.split("-").map(seedsOf),
    toMove: side === "s" ? 0 : 1,
    ply: Number(ply),
  };
}

/** A number of seeds; null: nobody saw it. */
function seedsOf(word) {
  return word === "?" ? null : Number(word);
}

/** A pit or a store as it is written; null seeds: not counted. */
export function placeWord({ seeds, mark }) {
  return mark === 3 ? "x" : `${seeds ?? "?"}${Object.keys(MARKS)[mark]}`;
}

/** The words of a position's places: of its pits, then of its stores. */
export function placeWords({ pits, marks, stores }) {
  return [
    ...pits.map((seeds, pit) => placeWord({ seeds, mark: marks[pit] })),
    ...stores.map((seeds) => String(seeds ?? "?")),
  ];
}

/** `<south row>/<north row> <s>-<n>` of these words. */
export function boardText(words) {
  const row = words.length / 2 - 1;
  return `${words.slice(0, row).join(".")}/${words.slice(row, 2 * row).join(".")} ${words.slice(2 * row).join("-")}`;
}

/** Resolves after `time` milliseconds; rejects as soon as `signal` is aborted. */
export function pause(time, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, time);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Show `count` seeds in a place. Those that stay are not touched. */
function drawSeeds(drawn, count) {
  const group = drawn.querySelector(".seeds");
  const wanted = Math.min(count, Number(group.dataset.most));
  while (group.childElementCount > wanted) group.lastElementChild.remove();
  while (group.childElementCount < wanted) {
    const seed = document.createElementNS(group.namespaceURI, "use");
    seed.setAttribute("href", `#${group.dataset.slots}${group.childElementCount}`);
    group.append(seed);
  }
}

/** The picture of a mark in a game that calls its special pits `sign`. */
export function markHref(mark, sign) {
  return `#mark-${mark}${(mark === 1 || mark === 2) && SIGNS.includes(sign) ? `-${sign}` : ""}`;
}

export class Board {
  /** `figure`: the element around the drawing and its table of counts. */
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg.board");
    this.sign = this.svg.dataset.sign;
    this.pits = [];
    for (const pit of this.svg.querySelectorAll(".pit")) this.pits[Number(pit.dataset.pit)] = pit;
    this.stores = [0, 1].map((side) => this.svg.querySelector(`.store[data-store="${side}"]`));
    this.hand = this.svg.querySelector(".hand");
    this.words = JSON.parse(figure.dataset.markWords);
  }

  get position() {
    return this.svg.dataset.position;
  }

  /** Show a position and remove all highlights. */
  show(text) {
    const position = parsePosition(text);
    position.pits.forEach((count, pit) => {
      this.mark(pit, position.marks[pit]);
      this.fill(pit, count);
    });
    position.stores.forEach((count, side) => this.store(side, count));
    this.svg.dataset.position = text;
    this.svg.dataset.toMove = position.toMove;
    this.point({});
    this.number([]);
    this.carry(null);
  }

  /** Call the drawing and its table of counts by a title. */
  call(title) {
    for (const named of this.figure.querySelectorAll("svg.board > title, [data-board-title]"))
      named.textContent = title;
  }

  fill(pit, count) {
    const drawn = this.pits[pit];
    const shown = count ?? "?"; // null: nobody counted
    drawn.dataset.count = shown;
    drawSeeds(drawn, count ?? 0);
    drawn.querySelector(".count").textContent = drawn.dataset.mark === "3" ? "" : shown;
    this.figure.querySelector(`[data-cell="${pit}"] [data-cell-count]`).textContent = shown;
  }

  mark(pit, mark) {
    this.pits[pit].dataset.mark = mark;
    this.pits[pit].querySelector(".mark").setAttribute("href", markHref(mark, this.sign));
    this.figure.querySelector(`[data-cell="${pit}"] [data-cell-mark]`).textContent = this.words[mark];
  }

  store(side, count) {
    const drawn = this.stores[side];
    const shown = count ?? "?";
    drawn.dataset.count = shown;
    drawn.querySelector(".count").textContent = shown;
    drawSeeds(drawn, count ?? 0);
    this.figure.querySelector(`[data-cell-store="${side}"] [data-cell-count]`).textContent = shown;
  }

  /** Number the seeds of a turn in the order in which they were sown. */
  number(path) {
    drawPath([...this.pits, ...this.stores], path);
  }

  count(pit) {
    return Number(this.pits[pit].dataset.count);
  }

  point({ start = null, changed = [] }) {
    this.stores.forEach((drawn) => drawn.classList.remove("mend"));
    this.pits.forEach((drawn, pit) => {
      drawn.classList.remove("legal", "mend", "touched");
      drawn.classList.toggle("start", pit === start);
      drawn.classList.toggle("changed", changed.includes(pit));
    });
  }

  /** Show the sowing hand with its seeds over a pit; null hides it. */
  carry(pit, seeds = 0) {
    if (pit === null) {
      this.hand.setAttribute("display", "none");
      this.hand.classList.remove("moving");
      return;
    }
    const [x, y] = this.pits[pit].getAttribute("transform").match(/-?[\d.]+/g);
    this.hand.style.transform = `translate(${x}px, ${y}px)`;
    drawSeeds(this.hand, seeds);
    this.hand.querySelector(".held").textContent = seeds;
    this.hand.removeAttribute("display");
  }

  /** Animate a turn from its trace, `beat` milliseconds per seed, ending with the position after it. */
  async sow(trace, beat, signal) {
    this.show(trace.before);
    this.svg.style.setProperty("--beat", `${Math.round(beat * 0.8)}ms`);
    let hand = 0;
    let touched = null;
    const touch = (pit) => {
      touched?.classList.remove("touched");
      touched = pit === null ? null : this.pits[pit];
      touched?.classList.add("touched");
    };
    try {
      for (const event of trace.events) {
        if (event.kind === "lift") {
          hand = event.count;
          touch(event.pit);
          this.fill(event.pit, 0);
          this.carry(event.pit, hand);
          await pause(beat * 1.6, signal);
          this.hand.classList.add("moving");
        } else if (event.kind === "drop") {
          hand -= 1;
          this.carry(event.pit, hand);
          await pause(beat, signal);
          touch(event.pit);
          this.fill(event.pit, event.count);
          if (hand === 0) this.carry(null);
        } else if (event.kind === "store") {
          hand -= 1;
          await pause(beat, signal);
          touch(null);
          this.store(event.other, event.count);
          if (hand === 0) this.carry(null);
        } else if (event.kind === "take") {
          if (event.pit < 0) this.carry(null); // the seeds still in the hand
          else this.fill(event.pit, this.count(event.pit) - event.count);
          this.store(event.other, Number(this.stores[event.other].dataset.count) + event.count);
          touch(event.pit < 0 ? null : event.pit);
          await pause(beat * 3, signal);
        } else if (event.kind === "shift") {
          this.fill(event.pit, this.count(event.pit) - 1);
          this.fill(event.other, this.count(event.other) + 1);
          await pause(beat * 2, signal);
        } else if (event.kind === "special") {
          this.mark(event.pit, event.other + 1);
          this.fill(event.pit, this.count(event.pit));
          await pause(beat * 3, signal);
        } else if (event.kind === "choose") {
          await pause(beat * 2, signal);
        }
      }
    } finally {
      touch(null);
      this.show(trace.position);
    }
  }
}
