// The review page and the analysis board: steps through a tree of turns by key, slider, click and swipe. The page holds
// all positions, so a step asks the service for nothing.

import { Board, parsePosition } from "../drawing/board.js";
import { flip, flipByLinks, scrollToCurrent } from "../game_page.js";
import { togglePath } from "../drawing/sowing_path.js";
import { aboutPosition, ask, root, say, words } from "./study_requests.js";
import { Tabs, isShown } from "./study_tabs.js";
import { Tree, partsOf, pitOf } from "./study_tree.js";
import { WhatIf } from "./study_what_if.js";

const LONGEST = 20000; // milliseconds for the animation of one turn
const SLOWEST = 190; // milliseconds per seed
const SWIPE = 45; // pixels
const ADDRESS_AFTER = 200; // milliseconds: browsers refuse an address that changes with every repeat of a key

const find = (name) => root.querySelector(`[data-${name}]`);
const [slider, errorText, sowLabel, explained, sentences, finding] = [
  "slider",
  "error",
  "sow-label",
  "explained",
  "sentences",
  "finding",
].map(find);

class Study {
  constructor() {
    this.board = new Board(find("board"));
    this.tree = new Tree(find("movelist"), root.dataset.start);
    this.node = this.tree.get(root.dataset.node) ? root.dataset.node : "0";
    this.current = root.querySelector(".turn.current");
    this.sowing = null; // AbortController of the running animation
    this.traces = new Map();
    this.watchers = [];
  }

  get position() {
    return this.tree.get(this.node).position;
  }

  /** Whether a node is the end of an ended game. */
  isEnd(id) {
    return root.dataset.ended === "1" && id === String(this.tree.plies);
  }

  /** Show a node; null stays. */
  go(id) {
    this.sowing?.abort();
    if (id !== null && this.tree.get(id)) this.node = id;
    this.show();
    clearTimeout(this.addressing);
    if (!root.dataset.api || !this.tree.isTried(this.node))
      this.addressing = setTimeout(() => this.address(), ADDRESS_AFTER);
  }

  address() {
    const url = new URL(location.href);
    if (root.dataset.api) url.searchParams.set("ply", this.node);
    else url.searchParams.set("position", this.position);
    history.replaceState(null, "", url);
  }

  show() {
    const { node, tree } = this;
    const shown = tree.get(node);
    this.board.show(shown.position);
    this.highlight();
    const { toMove } = parsePosition(shown.position);
    const title = this.titleOf(node);
    find("where").textContent = title;
    this.board.call(title);
    find("move").textContent = node === "0" ? say("start") : tree.cite(node);
    find("summary").textContent = shown.summary ?? "";
    root.querySelector(".commands").textContent = shown.said ?? "";
    this.mark(shown);
    find("move").closest("[role=tabpanel]").scrollTop = 0; // what is said of the turn begins above
    this.tell();
    this.link();
    for (const player of root.querySelectorAll("[data-player]")) {
      player.classList.toggle("to-move", !this.isEnd(node) && Number(player.dataset.player) === toMove);
    }
    root.dataset.node = node;
    for (const watcher of this.watchers) watcher();
  }

  /** After which turn a node stands, and who is to move. */
  titleOf(node) {
    const place = node === "0" ? say("start") : say("after", { turn: this.tree.cite(node) });
    if (this.isEnd(node)) return place;
    const { toMove } = parsePosition(this.tree.get(node).position);
    return `${place}, ${say("to_move", { side: words.sides[toMove] })}`;
  }

  highlight() {
    if (this.node === "0") return this.board.point({});
    const [before, after] = [this.tree.before(this.node), this.node].map((id) =>
      parsePosition(this.tree.get(id).position),
    );
    const changed = after.pits
      .map((_, pit) => pit)
      .filter((pit) => before.pits[pit] !== after.pits[pit] || before.marks[pit] !== after.marks[pit]);
    this.board.point({ start: pitOf(this.tree.get(this.node).text, this.tree.row), changed });
    return this.number();
  }

  /** Number the seeds of the turn, if that is wanted: only then is the turn fetched. */
  async number() {
    const { node } = this;
    if (node === "0" || !root.classList.contains("path-shown")) return;
    try {
      const { path } = await this.trace(node);
      if (node === this.node && !this.sowing) this.board.number(path);
    } catch (error) {
      this.fail(error);
    }
  }

  mark(shown) {
    if (slider) {
      slider.value = this.tree.ply(this.node);
      slider.setAttribute(
        "aria-valuetext",
        this.node === "0" ? say("start") : say("turn_of", { ply: slider.value, plies: slider.max }),
      );
    }
    this.markGraphs();
    this.current?.classList.remove("current");
    this.current?.removeAttribute("aria-current");
    this.current = shown.element ?? null;
    this.current?.classList.add("current");
    this.current?.setAttribute("aria-current", "true");
    scrollToCurrent(root);
  }

  /** Move the markers of the graphs of values to the turn that is shown. */
  markGraphs() {
    for (const marker of root.querySelectorAll("[data-marker]")) {
      marker.setAttribute("transform", `translate(${this.tree.ply(this.node) * marker.ownerSVGElement.dataset.by} 0)`);
    }
  }

  /** Links about the position that is shown. */
  link() {
    for (const [step, id] of [
      ["back", this.tree.before(this.node)],
      ["next", this.tree.after(this.node)],
    ]) {
      const url = new URL(location.href);
      url.searchParams.set("ply", id ?? this.node);
      root.querySelector(`.stepper [data-step=${step}]`).href = url;
    }
    for (const link of root.querySelectorAll("[data-analyse], [data-search]")) {
      const url = new URL(link.href);
      url.searchParams.set("position", this.position);
      link.href = url;
    }
    const share = root.querySelector("[data-share-turn]");
    if (share) {
      const url = new URL(share.href);
      if (!this.tree.isTried(this.node)) url.searchParams.set("ply", this.node);
      share.href = url;
    }
    const dispute = root.querySelector("[data-dispute-turn]");
    if (dispute) {
      dispute.hidden = !/^[1-9][0-9]*$/.test(this.node); // turns of the game itself, not of its variations
      dispute.href = `${dispute.dataset.live}?dispute=${this.node}#dispute`;
    }
  }

  /** The turn in words, and the question whether it was legal: fetched only while its list is open. */
  tell() {
    const isTurn = this.node !== "0";
    if (explained) explained.hidden = !isTurn;
    if (finding) {
      finding.hidden = !isTurn;
      if (isTurn) {
        const { position } = this.tree.get(this.tree.before(this.node));
        const claimed = this.tree.get(this.node).text.replace(/[x=].*$/, "");
        finding.href = `${finding.dataset.base}&${new URLSearchParams({ position, ...(/[@~-]/.test(claimed) ? {} : { claimed }) })}`;
      }
    }
    if (!explained?.open) {
      sentences.replaceChildren();
      return;
    }
    this.fill();
  }

  async fill() {
    const node = this.node;
    if (node === "0") return;
    try {
      const trace = await this.trace(node);
      if (node !== this.node) return;
      sentences.replaceChildren(
        ...trace.sentences.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
      );
    } catch (error) {
      this.fail(error);
    }
  }

  /** A turn seed by seed, in the game or from the rules alone. */
  async trace(node, signal) {
    if (!this.traces.has(node)) {
      const own = root.dataset.api && !partsOf(node);
      const move = this.tree.get(node).text;
      const { lang: language } = document.documentElement;
      const path = own
        ? `${root.dataset.api}/turns/${node}/trace?language=${language}`
        : aboutPosition("positions/trace", this.tree.get(this.tree.before(node)).position, { move, language });
      this.traces.set(node, await ask(path, { signal }));
    }
    return this.traces.get(node);
  }

  /** Show an error, unless it only says that a request was ended. */
  fail(error) {
    if (error.name !== "AbortError") errorText.textContent = say("failed", { error: error.message });
  }

  async sow() {
    if (this.sowing) return this.sowing.abort();
    if (this.node === "0") this.go(this.tree.after("0"));
    if (this.node === "0") return undefined;
    const mine = (this.sowing = new AbortController());
    sowLabel.textContent = say("stop");
    root.dataset.sowing = "1";
    try {
      const trace = await this.trace(this.node, mine.signal);
      errorText.textContent = "";
      await this.board.sow(trace, Math.min(SLOWEST, LONGEST / trace.events.length), mine.signal);
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.sowing === mine) this.sowing = null;
      sowLabel.textContent = say("sow");
      delete root.dataset.sowing;
      this.board.show(this.position);
      this.highlight();
    }
    return undefined;
  }

  /** The list of turns was made anew by the server: read it, and stay where we are if that is still there. */
  reread() {
    let at = this.node;
    this.tree.read();
    this.traces.clear();
    while (!this.tree.get(at)) at = partsOf(at) ? partsOf(at).on : String(Number(at) - 1);
    this.current = null;
    this.go(at);
  }
}

const study = new Study();
scrollToCurrent(root);
const { tree } = study;
const line = (id) => (partsOf(id) ? partsOf(id).line : null);
const steps = {
  first: () => study.go(line(study.node) ? `${line(study.node)}.1` : "0"),
  back: () => study.go(tree.before(study.node)),
  next: () => study.go(tree.after(study.node)),
  last: () => study.go(tree.last(study.node)),
  into: () => study.go(tree.alternatives(study.node)[0] ?? null),
  out: () => study.go(tree.parent(study.node)),
  sow: () => study.sow(),
  flip: () => flip(root),
  help: () => find("more").togglePopover(),
};
const keys = {
  ArrowLeft: "back",
  ArrowRight: "next",
  ArrowUp: "first",
  ArrowDown: "last",
  Home: "first",
  End: "last",
  " ": "sow",
  f: "flip",
  "?": "help",
};
const shifted = { ArrowRight: "into", ArrowLeft: "out", "?": "help" };

root.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const step = event.target.closest("[data-step]");
  const turn = event.target.closest(".turn[data-node]");
  if (step) {
    event.preventDefault();
    steps[step.dataset.step]();
  } else if (turn) {
    event.preventDefault();
    study.go(turn.dataset.node);
  }
});
slider?.addEventListener("input", () => study.go(slider.value));
explained?.addEventListener("toggle", () => {
  if (explained.open && !sentences.childElementCount) study.fill();
});

document.addEventListener("keydown", (event) => {
  const step = (event.shiftKey ? shifted : keys)[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === slider && !["sow", "flip", "help"].includes(step)) return; // the slider handles its own keys
  if (event.target.closest("input:not([type=range]), textarea, select")) return; // something is typed
  if (step === "sow" && event.target.closest("a, button, summary")) return; // Space activates the focused element
  if (event.target === tree.list && ["ArrowUp", "ArrowDown"].includes(event.key)) return; // the list scrolls
  event.preventDefault();
  steps[step]();
});

let touched = null; // where a swipe began
study.board.figure.addEventListener(
  "touchstart",
  (event) => {
    touched = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY] : null;
  },
  { passive: true },
);
study.board.figure.addEventListener("touchend", (event) => {
  if (!touched) return;
  const { clientX, clientY } = event.changedTouches[0];
  const [right, down] = [clientX - touched[0], clientY - touched[1]];
  touched = null;
  if (Math.abs(right) < SWIPE || Math.abs(right) < 2 * Math.abs(down)) return;
  event.preventDefault(); // no tap on a pit follows
  steps[right < 0 ? "next" : "back"]();
});

/** Copy a text; where the browser does not let us, show it. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    find("where").textContent = say("copied");
  } catch {
    const field = Object.assign(document.createElement("textarea"), {
      value: text,
      readOnly: true,
      rows: 3,
      className: "copied",
    });
    errorText.replaceChildren(say("not_copied"), field);
    field.select();
  }
}

root.addEventListener("click", async (event) => {
  const what = event.target.closest("[data-copy]")?.dataset.copy;
  if (what === "position") await copy(study.position);
  if (what === "link") {
    study.address();
    await copy(location.href);
  }
  if (what === "record") await copy(await (await fetch(`${root.dataset.api}.pmn`)).text());
});

flipByLinks(root);
togglePath(root, () => {
  if (!study.sowing) study.number();
});
/** Show on the buttons which glyphs the turn has. */
function markNags() {
  const signs = [...(tree.get(study.node).element?.querySelectorAll(".glyph") ?? [])].map(
    (glyph) => glyph.firstChild.textContent,
  );
  for (const button of root.querySelectorAll("[data-nag]")) {
    button.disabled = study.node === "0" || tree.isTried(study.node);
    button.setAttribute("aria-pressed", String(signs.includes(button.dataset.sign)));
  }
}

const setUp = find("set-up") ? new (await import("./study_set_up.js")).SetUp(study, find("set-up")) : null;
new WhatIf(study, () => setUp?.isOpen);
root.addEventListener("click", (event) => {
  const graph = event.target.closest(".value-graph");
  if (!graph) return;
  const box = graph.getBoundingClientRect();
  const [, , width] = graph.getAttribute("viewBox").split(" ");
  study.go(String(Math.round(((event.clientX - box.left) / box.width) * (width / graph.dataset.by))));
});

/** Load what fills a panel when it is shown for the first time. */
function fillWhenShown(panel, load) {
  if (isShown(panel)) load();
  else panel.addEventListener("toggle", load, { once: true });
}

const tabs = new Tabs(find("tabs"));
fillWhenShown(find("explorer"), async () => new (await import("./study_explorer.js")).Explorer(study));
fillWhenShown(find("engine"), async () => new (await import("./study_engine.js")).Engine(study));
if (find("analysis")) new (await import("./game_analysis.js")).GameAnalysis(study, tabs);

let editing = null; // loaded for the first edit
if (root.dataset.mayWrite !== undefined) {
  study.watchers.push(markNags);
  markNags();
  root.addEventListener("click", async (event) => {
    const pressed = event.target.closest("[data-edit], [data-nag], [data-save]");
    if (!pressed) return;
    editing ??= import("./study_edit.js").then(({ Editing }) => new Editing(study));
    (await editing).press(pressed);
  });
}
for (const part of root.querySelectorAll(".needs-script")) part.hidden = false;
for (const part of root.querySelectorAll("[data-without-script]")) part.hidden = true;
root.dataset.ready = "1";
