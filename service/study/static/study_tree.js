// A game as a tree of positions, read from the list of turns that the server made. Turns that are tried join it here.
//
// A node is `0` for the start, `12` for the twelfth turn, `12v1.3` for the third turn of the first variation on it.

import { parsePosition } from "../drawing/board.js";

const INNER = /^(.*)v(\d+)\.(\d+)$/;

/** The line of a node in a variation (`12v1`), its turn's number in there, and the node that the line replaces. */
export function partsOf(id) {
  const match = INNER.exec(id);
  return match && { line: `${match[1]}v${match[2]}`, at: Number(match[3]), on: match[1] };
}

/** The index of the pit where a move begins; null if it begins in none. */
export function pitOf(move, row) {
  const letter = /^~?([A-Za-z])(?![A-Za-z]*@)/.exec(move)?.[1];
  if (!letter) return null;
  const lower = letter.toLowerCase();
  return lower.charCodeAt(0) - 97 + (letter === lower ? 0 : row);
}

export class Tree {
  /** `list`: the element with the turns, which the tree adds tried turns to. */
  constructor(list, start) {
    this.list = list;
    this.start = start;
    const { pits, ply, toMove } = parsePosition(start);
    this.row = pits.length / 2;
    this.first = Math.floor((ply + ((ply + toMove) % 2)) / 2) + 1; // the number of the first turn
    this.read();
  }

  /** Read the list (again). Turns that were tried and not saved are dropped. */
  read() {
    this.nodes = new Map([["0", { id: "0", position: this.start, text: "" }]]);
    this.plies = 0;
    for (const element of this.list.querySelectorAll(".turn[data-node]")) {
      const id = element.dataset.node;
      const text = element.firstChild.textContent.trim();
      this.nodes.set(id, {
        id,
        element,
        text,
        position: element.dataset.at,
        summary: element.title,
        said: element.dataset.said ?? "",
      });
      if (!id.includes("v")) this.plies = Number(id);
    }
  }

  get(id) {
    return this.nodes.get(id);
  }

  before(id) {
    if (id === "0") return null;
    const inner = partsOf(id);
    if (!inner) return String(Number(id) - 1);
    return inner.at > 1 ? `${inner.line}.${inner.at - 1}` : this.before(inner.on);
  }

  after(id) {
    const inner = partsOf(id);
    const next = inner ? `${inner.line}.${inner.at + 1}` : String(Number(id) + 1);
    return this.nodes.has(next) ? next : null;
  }

  /** The first turns of the variations that could follow a node instead of its next turn. */
  alternatives(id) {
    const inner = partsOf(id);
    const next = inner ? `${inner.line}.${inner.at + 1}` : String(Number(id) + 1);
    const found = [];
    for (let number = 1; this.nodes.has(`${next}v${number}.1`); number += 1) found.push(`${next}v${number}.1`);
    return found;
  }

  last(id) {
    let at = id;
    for (let next = this.after(at); next; next = this.after(at)) at = next;
    return at;
  }

  /** Out of a variation: the turn before which it begins. */
  parent(id) {
    const inner = partsOf(id);
    return inner ? this.before(inner.on) : null;
  }

  /** Who played a turn: 0 for South. */
  side(id) {
    return this.nodes.get(this.before(id)).position.split(" ")[2] === "s" ? 0 : 1;
  }

  /** The number that a turn has, which it shares with the turn of the other side. Each is worked out once. */
  count(id) {
    const waiting = [];
    let at = id;
    while (at !== "0" && this.nodes.get(at).number === undefined) {
      waiting.push(at);
      at = this.before(at);
    }
    for (const one of waiting.reverse()) {
      const before = this.before(one);
      this.nodes.get(one).number =
        before === "0"
          ? this.first
          : this.nodes.get(before).number + Number(this.side(one) === 0 && this.side(before) === 1);
    }
    return this.nodes.get(id).number;
  }

  /** The number of a turn as it is cited: `3.` or `3…`. */
  number(id) {
    return `${this.count(id)}${this.side(id) === 0 ? "." : "…"}`;
  }

  cite(id) {
    return `${this.number(id)} ${this.nodes.get(id).text}`;
  }

  /** The ply of the main line that a node stands at. */
  ply(id) {
    return Number(id.split("v")[0]);
  }

  isTried(id) {
    return this.nodes.get(id)?.tried === true;
  }

  tried() {
    return [...this.nodes.values()].filter((node) => node.tried);
  }

  /** Follow a turn `{move, position}` from a node: one that is there, or a new one that is only here. */
  try(id, turn) {
    const plain = (text) => text.replace(/[x=].*$/, "").replace(/[!?]+$/, "");
    const next = this.after(id);
    for (const known of [next, ...this.alternatives(id)]) {
      if (known && plain(this.nodes.get(known).text) === plain(turn.move)) return known;
    }
    const inner = partsOf(id);
    let made;
    if (!next && inner) made = `${inner.line}.${inner.at + 1}`;
    else {
      const on = next ?? String(Number(id) + 1);
      made = `${on}v${this.alternatives(id).length + 1}.1`;
    }
    const node = { id: made, text: turn.move, position: turn.position, summary: "", said: "", tried: true };
    this.nodes.set(made, node);
    node.element = this.draw(made, node, !next && inner ? this.nodes.get(id).element : null);
    return made;
  }

  /** Put a tried turn into the list: behind the turn `behind`, or as a line of its own. */
  draw(id, node, behind) {
    const link = document.createElement("a");
    link.className = "turn tried";
    link.href = `?ply=${id}`;
    link.dataset.node = id;
    link.dataset.at = node.position;
    link.textContent = node.text;
    const parts = [link];
    if (!behind || this.side(id) === 0) {
      const number = document.createElement("span");
      number.className = "num";
      number.textContent = this.number(id);
      parts.unshift(number, " ");
    }
    if (behind) behind.after(" ", ...parts);
    else {
      const line = document.createElement("p");
      line.className = "variation tried-line";
      line.append(...parts);
      const row = this.nodes.get(String(Math.min(this.ply(id), this.plies)))?.element?.closest(".pair");
      let at = row;
      while (at?.nextElementSibling?.matches(".comment, .variation")) at = at.nextElementSibling;
      if (at) at.after(line);
      else this.list.append(line);
    }
    return link;
  }

  /** The turns of a tried line from a node on, as the variation that the API takes. */
  variation(id) {
    const plies = [];
    for (let at = id; at; at = this.after(at)) {
      const variations = this.alternatives(this.before(at)).filter((one) => one !== at && partsOf(one).on === at);
      plies.push({ move: this.nodes.get(at).text, variations: variations.map((one) => this.variation(one)) });
    }
    return { plies };
  }
}
