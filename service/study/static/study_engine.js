// The engine: value and best lines of the position that is shown, searched while its panel is open.

import { parsePosition } from "../drawing/board.js";
import { tryLine } from "./study_line.js";
import { root, say, words } from "./study_requests.js";
import { isShown } from "./study_tabs.js";

const SETTLE = 250; // milliseconds: a key that is held down starts no search on the way
const RETRY = 2000; // milliseconds, when too many others search
const SECONDS = 8;
const LINES = 3;

/** Read an answer line by line. */
async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part.trim()) yield JSON.parse(part);
  }
  if (rest.trim()) yield JSON.parse(rest);
}

/** A value for South as it is written: `+3`, `−1.5`. */
export function seeds(value) {
  const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : 1);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;
}

function element(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

export class Engine {
  constructor(study) {
    this.study = study;
    this.panel = root.querySelector("[data-engine]");
    this.value = this.panel.querySelector("[data-value]");
    this.facts = this.panel.querySelector("[data-engine-facts]");
    this.list = this.panel.querySelector("[data-lines]");
    study.watchers.push(() => this.update());
    this.panel.addEventListener("toggle", () => this.update());
    this.update();
    addEventListener("pagehide", () => this.stop());
  }

  stop() {
    this.search?.abort();
    this.search = null;
    clearTimeout(this.timer);
  }

  update() {
    const { position } = this.study;
    if (isShown(this.panel) && this.about === position) return;
    this.stop();
    this.about = null;
    if (!isShown(this.panel)) return;
    this.about = position;
    this.clear("");
    this.timer = setTimeout(() => this.run(position), SETTLE);
  }

  clear(says) {
    this.value.textContent = "";
    this.list.replaceChildren();
    this.facts.textContent = says;
    delete this.panel.dataset.depth;
  }

  async run(position) {
    const mine = (this.search = new AbortController());
    const options = Object.fromEntries(
      root.dataset.options
        .split(" ")
        .filter(Boolean)
        .map((word) => word.split("=")),
    );
    const { pits, stores } = parsePosition(position);
    const total = [...pits, ...stores].reduce((sum, count) => sum + count, 0);
    const body = { game: root.dataset.game, options, position, seeds: total, lines: LINES, seconds: SECONDS };
    try {
      const answer = await fetch("/api/v1/analysis", {
        method: "POST",
        signal: mine.signal,
        headers: {
          Accept: "application/x-ndjson",
          "Content-Type": "application/json",
          ...(root.dataset.csrf ? { "X-CSRF-Token": root.dataset.csrf } : {}),
        },
        body: JSON.stringify(body),
      });
      if (answer.status === 503 && this.search === mine) {
        this.facts.textContent = say("busy");
        this.timer = setTimeout(() => this.run(position), RETRY);
        return;
      }
      if (!answer.ok) {
        const problem = await answer.json();
        this.clear(problem.detail ?? problem.title);
        return;
      }
      for await (const found of lines(answer)) if (this.search === mine) this.draw(found, position);
      if (this.search === mine) this.panel.dataset.searched = position;
    } catch (error) {
      if (error.name !== "AbortError" && this.search === mine) this.clear(say("failed", { error: error.message }));
    }
  }

  /** Values come for the side to move, and are shown for South, as everywhere on these pages. */
  draw(found, position) {
    const sign = position.split(" ")[2] === "s" ? 1 : -1;
    if (!found.lines.length) {
      this.clear(say("none"));
      return;
    }
    const best = sign * found.lines[0].value;
    this.value.textContent = `${seeds(Math.abs(best)).replace("+", "")} ${best === 0 ? say("even") : say("for", { side: words.sides[best > 0 ? 0 : 1] })}`;
    this.facts.textContent = [
      found.exact ? say("exact") : say("depth", { depth: found.depth }),
      say("searched", { nodes: found.nodes.toLocaleString() }),
      ...(found.left_out.length ? [say("left_out")] : []),
    ].join(" · ");
    this.panel.dataset.depth = found.depth;
    this.list.replaceChildren(
      ...found.lines.map((line) => {
        const item = document.createElement("li");
        const exact = line.depends_on.length === 0;
        const moves = element(
          "button",
          "small line-moves",
          line.moves.slice(0, 8).join(" ") + (line.moves.length > 8 ? " …" : ""),
        );
        moves.type = "button";
        moves.title = say("play_line");
        moves.addEventListener("click", () => this.play(line.moves));
        item.append(
          element("span", "line-value", seeds(sign * line.value)),
          " ",
          ...(exact ? [element("span", "exact", say("exact")), " "] : []),
          ...(line.moves.length ? [moves] : []),
        );
        return item;
      }),
    );
  }

  async play(moves) {
    try {
      await tryLine(this.study, this.study.node, moves);
    } catch (error) {
      this.facts.textContent = error.message;
    }
  }
}
