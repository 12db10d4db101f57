// Plays the game of a file that stands alone. All scripts of that file are one module: the ones before this are in it.

import { Board, parsePosition, pause } from "../drawing/board.js";

const EVENTS = ["lift", "drop", "store", "take", "shift", "special", "choose"]; // as `player.py` numbers them
const BEAT = 170; // milliseconds per seed
const LONGEST_TURN = 6000; // milliseconds for the seeds of one turn
const BETWEEN = 900; // milliseconds between turns

const page = document.querySelector("[data-playing]");
const part = (name) => page.querySelector(name);
const game = JSON.parse(document.getElementById("game").textContent);
const board = new Board(part("[data-board]"));
const [shown, text, slider, list, button] = ["[data-shown]", "[data-text]", "input", ".turns", "[data-step=play]"].map(
  part,
);
const [startWords, playWords] = [shown.textContent, button.textContent];
const positions = [game.start, ...game.turns.map((turn) => turn[1])];
const items = ["", ...game.turns.map(([name]) => name)].map((name, ply) => {
  const item = document.createElement("li");
  const link = Object.assign(document.createElement("button"), { type: "button", textContent: name || startWords });
  link.addEventListener("click", () => go(ply));
  item.append(link);
  list.append(item);
  return link;
});
let at = 0;
let playing = null; // AbortController

function stop() {
  playing?.abort();
  playing = null;
  button.textContent = playWords;
}

function tell() {
  const turn = game.turns[at - 1];
  shown.textContent = turn ? turn[0] : startWords;
  text.textContent = turn?.[3] ?? "";
  slider.value = at;
  slider.setAttribute("aria-valuetext", shown.textContent);
  items.forEach((item, ply) =>
    ply === at ? item.setAttribute("aria-current", "true") : item.removeAttribute("aria-current"),
  );
  list.scrollTop = items[at].offsetTop - list.clientHeight / 2;
  const { toMove } = parsePosition(positions[at]);
  for (const player of page.querySelectorAll("[data-player]"))
    player.classList.toggle("to-move", at < game.turns.length && Number(player.dataset.player) === toMove);
}

function go(ply) {
  stop();
  at = Math.min(Math.max(ply, 0), game.turns.length);
  board.show(positions[at]);
  tell();
}

async function play() {
  if (playing) return stop();
  if (at === game.turns.length) go(0);
  const { signal } = (playing = new AbortController());
  button.textContent = button.dataset.stop;
  try {
    while (at < game.turns.length) {
      const [, position, seeds] = game.turns[at];
      const events = (seeds ? seeds.split(" ") : []).map((event) => {
        const [kind, pit, other, count] = event.split(",").map(Number);
        return { kind: EVENTS[kind], pit, other, count };
      });
      const before = positions[at];
      at += 1;
      tell();
      await board.sow({ before, position, events }, Math.min(BEAT, LONGEST_TURN / (events.length || 1)), signal);
      await pause(BETWEEN, signal);
    }
    stop();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return undefined;
}

const steps = {
  first: () => go(0),
  back: () => go(at - 1),
  play,
  next: () => go(at + 1),
  last: () => go(game.turns.length),
};
const byKey = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
page.addEventListener("click", (event) => steps[event.target.closest("[data-step]")?.dataset.step]?.());
slider.addEventListener("input", () => go(Number(slider.value)));
document.addEventListener("keydown", (event) => {
  if (event.target !== slider && !event.altKey && !event.ctrlKey && !event.metaKey) steps[byKey[event.key]]?.();
});
slider.max = game.turns.length;
part(".steps").hidden = false;
go(0);
