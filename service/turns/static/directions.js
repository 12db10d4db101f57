// The choice of direction in a turn: an arrow for each way at the pit where it is made, with what it leads to.

import { QUIET } from "./entry.js";

const GAP = 4; // pixels between an arrow, its pit and the edge of the window
const SEEN = 0.75; // of the window's height: bars may cover what is below
const ARROW = "M2 17C6 8 14 6 21 10M14 5l7 5-8 4";

const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);

function arrow(angle) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ARROW);
  svg.style.transform = Math.abs(angle) > Math.PI / 2 ? `rotate(${angle}rad) scaleY(-1)` : `rotate(${angle}rad)`;
  svg.append(path);
  return svg;
}

const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
const between = (value, low, high) => Math.max(low, Math.min(value, high));

export class Directions {
  constructor(root) {
    this.root = root;
    this.part = root.querySelector("[data-directions]");
    addEventListener("scroll", () => this.place(), { passive: true });
    addEventListener("resize", () => this.place());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    document.addEventListener("click", (event) => {
      if (event.timeStamp > this.opened && !event.target.closest("[data-directions], .pit")) this.close();
    });
  }

  /** Offer the moves of a list of buttons, one choice after the other. */
  choose(list) {
    const moves = [...list.querySelectorAll("button")].map((button) => ({
      button,
      ways: button.dataset.ways.split(" ").map((way) => ({ pit: Number(way.slice(0, -1)), sign: way.at(-1) })),
    }));
    this.ask(moves, 0);
  }

  ask(moves, depth) {
    const groups = ["<", ">"].map((sign) => moves.filter(({ ways }) => ways[depth].sign === sign));
    if (groups.some((group) => !group.length)) {
      this.take(
        groups.find((group) => group.length),
        depth,
      );
      return;
    }
    this.close();
    this.pit = moves[0].ways[depth].pit;
    this.opened = performance.now();
    const { words } = this.part.dataset;
    const { way, ways, clockwise, counter } = JSON.parse(words);
    const drawn = this.drawn(this.pit);
    drawn.closest(".pit").classList.add("shown");
    const { top, bottom } = drawn.getBoundingClientRect();
    if (top < 0 || bottom > document.documentElement.clientHeight * SEEN) drawn.scrollIntoView({ block: "center" });
    this.part.setAttribute("aria-label", filled(way, { pit: drawn.closest(".pit").dataset.letter }));
    this.buttons = groups.map((group, counterClockwise) => {
      const button = document.createElement("button");
      const says = group.length === 1 ? group[0].button.dataset.preview : filled(ways, { count: group.length });
      button.type = "button";
      button.setAttribute("aria-label", `${counterClockwise ? counter : clockwise}: ${says}`);
      button.append(arrow(this.angle(counterClockwise ? 1 : -1)), says);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        if (this.part.dataset.open !== undefined) this.take(group, depth); // else the echo of the tap that opened it
      });
      return button;
    });
    this.part.replaceChildren(...this.buttons);
    this.part.hidden = false;
    this.part.dataset.depth = depth;
    this.opening = setTimeout(() => {
      this.part.dataset.open = "";
    }, QUIET);
    this.place();
    this.buttons[1].focus({ preventScroll: true });
  }

  /** One of the two ways was chosen. */
  take(group, depth) {
    this.close();
    if (group.length === 1) group[0].button.click();
    else this.ask(group, depth + 1);
  }

  drawn(pit) {
    return this.root.querySelector(`.board .pit[data-pit="${pit}"] .hollow`);
  }

  /** The direction in the window in which the next pit lies, `step` being 1 counter-clockwise and -1 clockwise. */
  angle(step) {
    const pits = this.root.querySelectorAll(".board .pit").length;
    const [[x, y], [toX, toY]] = [this.pit, (this.pit + step + pits) % pits].map((pit) =>
      middle(this.drawn(pit).getBoundingClientRect()),
    );
    return Math.atan2(toY - y, toX - x);
  }

  /** Put each arrow beside the pit, towards the pit that it leads to. */
  place() {
    if (this.part.hidden) return;
    const hollow = this.drawn(this.pit).getBoundingClientRect();
    const [x, y] = middle(hollow);
    const { clientWidth, clientHeight } = document.documentElement;
    let other = null;
    for (const [index, button] of this.buttons.entries()) {
      const { offsetWidth: width, offsetHeight: height } = button;
      const angle = this.angle(index ? 1 : -1);
      const [across, down] = [Math.cos(angle), Math.sin(angle)];
      const away = hollow.width / 2 + GAP + (Math.abs(across) * width + Math.abs(down) * height) / 2;
      const left = between(x + across * away - width / 2, GAP, clientWidth - width - GAP);
      let top = between(y + down * away - height / 2, GAP, clientHeight - height - GAP);
      if (
        other &&
        left < other.left + other.width &&
        other.left < left + width &&
        top < other.top + other.height &&
        other.top < top + height
      ) {
        top =
          other.top + other.height + GAP + height < clientHeight
            ? other.top + other.height + GAP
            : other.top - height - GAP;
      }
      Object.assign(button.style, { left: `${left}px`, top: `${top}px` });
      other = { left, top, width, height };
    }
  }

  close() {
    clearTimeout(this.opening);
    delete this.part.dataset.open;
    this.part.hidden = true;
    this.part.replaceChildren();
    this.root.querySelector(".pit.shown")?.classList.remove("shown");
  }
}
