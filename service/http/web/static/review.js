// The review page: steps through a record by key, slider and click, and animates a turn seed by seed.

import { Board, parsePosition, pause } from "./board.js";
import { fetchPage, refresh } from "./refresh.js";

const LONGEST = 20000; // milliseconds for the animation of one turn
const SLOWEST = 190; // milliseconds per seed

const root = document.querySelector("[data-review]");
const board = new Board(root.querySelector("[data-board]"));
const slider = root.querySelector("[data-slider]");
const errorText = root.querySelector("[data-error]");
const sowLabel = root.querySelector("[data-sow-label]");
const last = Number(root.dataset.plies);
let ply = Number(root.dataset.ply);
let positions = null; // as text, by ply
let starts = null; // the pit where each turn starts, by ply
let sowing = null; // AbortController of the running animation
let fetching = null; // AbortController of the page that is being fetched

async function getJson(path, signal) {
  const answer = await fetch(`${root.dataset.api}${path}`, { signal });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return answer.json();
}

function pageUrl(number) {
  const url = new URL(location.href);
  url.searchParams.set("ply", number);
  return url;
}

function pitOf(move, row) {
  const letter = /^~?([A-Za-z])(?![A-Za-z]@)/.exec(move)?.[1];
  if (!letter) return null;
  const lower = letter.toLowerCase();
  return lower.charCodeAt(0) - 97 + (letter === lower ? 0 : row);
}

function highlight() {
  if (ply === 0) return board.point({});
  const before = parsePosition(positions[ply - 1]);
  const after = parsePosition(positions[ply]);
  const changed = after.pits.map((_, pit) => pit).filter(
    (pit) => before.pits[pit] !== after.pits[pit] || before.marks[pit] !== after.marks[pit],
  );
  board.point({ start: starts[ply], changed });
}

async function update() {
  fetching?.abort();
  const mine = (fetching = new AbortController());
  try {
    await pause(80, mine.signal); // skip the pages in between while a key is held down
    const page = await fetchPage(pageUrl(ply), mine.signal);
    errorText.textContent = "";
    refresh(page, ["board"]);
    board.svg.querySelector("title").textContent = page.querySelector("svg.board title").textContent;
  } catch (error) {
    showError(error);
  }
}

/** Show an error, unless it only says that a fetch was aborted. */
function showError(error) {
  if (error.name === "AbortError") return;
  errorText.textContent = `The service did not respond: ${error.message}`;
}

function mark() {
  slider.value = ply;
  slider.setAttribute("aria-valuetext", ply ? `turn ${ply} of ${last}` : "start position");
  for (const turn of root.querySelectorAll(".turn")) {
    const current = Number(turn.dataset.ply) === ply;
    turn.classList.toggle("current", current);
    if (!current) { turn.removeAttribute("aria-current"); continue; }
    turn.setAttribute("aria-current", "true");
    const list = root.querySelector("[data-movelist]");
    const box = list.getBoundingClientRect();
    const place = turn.getBoundingClientRect();
    if (place.top < box.top) list.scrollTop -= box.top - place.top + 8;
    if (place.bottom > box.bottom) list.scrollTop += place.bottom - box.bottom + 8;
  }
  for (const player of root.querySelectorAll("[data-player]")) {
    player.classList.toggle("to-move", !ended() && Number(player.dataset.player) === parsePosition(positions[ply]).toMove);
  }
  root.dataset.ply = ply;
}

const ended = () => ply === last && root.dataset.ended === "1";

function go(number) {
  sowing?.abort();
  ply = Math.min(Math.max(number, 0), last);
  board.show(positions[ply]);
  highlight();
  mark();
  history.replaceState(null, "", pageUrl(ply));
  update();
}

async function sow() {
  if (sowing) return sowing.abort();
  if (last === 0) return undefined;
  if (ply === 0) { ply = 1; mark(); history.replaceState(null, "", pageUrl(1)); update(); }
  const mine = (sowing = new AbortController());
  const number = ply;
  sowLabel.textContent = "Stop";
  root.dataset.sowing = "1";
  try {
    const trace = await getJson(`/turns/${number}/trace`, mine.signal);
    errorText.textContent = "";
    await board.sow(trace, Math.min(SLOWEST, LONGEST / trace.events.length), mine.signal);
  } catch (error) {
    showError(error);
  } finally {
    if (sowing === mine) sowing = null;
    sowLabel.textContent = "Seed by seed";
    delete root.dataset.sowing;
    board.show(positions[ply]);
    highlight();
  }
  return undefined;
}

const steps = { first: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), last: () => go(last), sow };
const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "sow" };

function listen() {
  root.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const step = event.target.closest("[data-step]");
    const turn = event.target.closest(".turn");
    if (step) { event.preventDefault(); steps[step.dataset.step](); }
    else if (turn) { event.preventDefault(); go(Number(turn.dataset.ply)); }
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    const step = keys[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === slider && step !== "sow") return; // the slider handles its own keys
    if (event.target.closest("input:not([type=range])")) return; // a comment is typed
    if (step === "sow" && event.target.closest("a, button, summary")) return; // Space activates the focused element
    event.preventDefault();
    steps[step]();
  });
}

const replay = await getJson("/replay");
positions = [replay.start, ...replay.plies.map((turn) => turn.position)];
const row = parsePosition(replay.start).pits.length / 2;
starts = [null, ...replay.plies.map((turn) => pitOf(turn.move, row))];
listen();
for (const part of root.querySelectorAll(".needs-script")) part.hidden = false;
root.dataset.ready = "1";
