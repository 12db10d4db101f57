// The live page: follows the game, animates new turns, and enters turns where no board does.

import { Board } from "../drawing/board.js";
import { Directions } from "./directions.js";
import { Entry } from "./entry.js";
import { flipByLinks, scrollToCurrent } from "../game_page.js";
import { Follower, linkState } from "../follow.js";
import { RefusedForm, postForm, sendOnce } from "../forms.js";
import { LayOut } from "./lay_out.js";
import { Preview } from "./preview.js";
import { togglePath } from "../drawing/sowing_path.js";
import { UPDATE_FAILED, fetchPage, forget, refresh, renew } from "../refresh.js";

const PACES = { full: { longest: 3500, slowest: 150 }, fast: { longest: 900, slowest: 40 } }; // milliseconds of a turn, and of a seed

const root = document.querySelector("[data-live]");
const refusal = root.querySelector("[data-refusal]");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const preview = new Preview(root);
const directions = new Directions(root);
let ply = Number(root.dataset.ply);
let sowing = null; // AbortController of the running animation
let newest = null; // the last page that was fetched
let shown = null; // resolves when it has ended
let isTyped = false; // something that was not sent
let isLeaving = false; // for the next game
const isOld = root.querySelector("[data-next]") !== null; // the next game went on before the page was opened

function pace() {
  const wanted = document.documentElement.dataset.motion;
  return document.hidden || still.matches ? undefined : PACES[wanted]; // browsers stop the timers of hidden pages
}

async function showTurn(number, { longest, slowest }, signal) {
  try {
    const answer = await fetch(`${root.dataset.api}/turns/${number}/trace`, { signal });
    if (!answer.ok) return;
    const trace = await answer.json();
    const board = new Board(root.querySelector("[data-board]"));
    await board.sow(trace, Math.min(slowest, longest / trace.events.length), signal);
  } catch (error) {
    if (error.name !== "AbortError") linkState.textContent = UPDATE_FAILED + error.message;
  }
}

/** Show a turn, if any, then the board of the newest page. A change of the game, or a tap, cuts this short. */
async function animate(page, number, isChanged) {
  newest = page;
  if (sowing && !isChanged) return; // what runs ends with this page
  sowing?.abort();
  const mine = (sowing = new AbortController());
  await shown;
  if (sowing !== mine) return;
  const at = number === null ? undefined : pace();
  if (at) await (shown = showTurn(number, at, mine.signal));
  if (sowing !== mine) return;
  sowing = null;
  refresh(newest, [], ["board"]);
  if (entry.waiting) showWaiting(entry.waiting);
}

async function show() {
  const page = await fetchPage(root.dataset.page); // not location: a refusal stands at the address of its form
  const { ply: number, position } = page.querySelector("[data-live]").dataset;
  const now = Number(number);
  const played = now === ply + 1 ? now : null;
  const isChanged = now !== ply;
  ply = now;
  preview.hide();
  directions.close();
  refresh(page, ["board"]);
  scrollToCurrent(root);
  layOut?.check();
  Object.assign(root.dataset, { ply, position });
  animate(page, played, isChanged);
  const next = page.querySelector('[data-next="leads"]');
  if (next && !isOld && !isLeaving && !hasUnsent()) {
    isLeaving = true; // a second time would break off the first
    location.assign(next.getAttribute("href"));
  }
  return page;
}

/** Whether turns or words would be lost if the page changed. */
function hasUnsent() {
  const isOpen = location.hash && location.hash !== "#main"; // one of the tools
  const isListed = root.querySelector("[data-unstored]:not([hidden]), [data-typed]:not([hidden])");
  return isTyped || isOpen || entry.isWaiting || isListed !== null;
}

const follower = new Follower({
  show,
  onEvent(event, kind) {
    const isOther = event.game_id && event.game_id !== root.dataset.game; // of the event, which the page of an ended game follows
    if (!isOther || ["created", "tags"].includes(kind)) follower.update();
  },
});

function showWaiting(position) {
  forget("board"); // the server has not drawn this
  new Board(root.querySelector("[data-board]")).show(position);
}

/** Answer a tap at once: mark its pit until the turn is shown or refused; undefined marks none. */
function markPit(pit) {
  root.querySelector(".pit.touched")?.classList.remove("touched");
  if (pit !== undefined) root.querySelector(`.board .pit[data-pit="${pit}"]`)?.classList.add("touched");
}

const entry = new Entry(root, {
  onPlayed: () => {
    markPit();
    return follower.update();
  },
  onRefused: (turn) => layOut?.refuse(turn),
  show: (position) => {
    layOut?.close();
    showWaiting(position);
  },
});

const restore = () => {
  showWaiting(new Board(root.querySelector("[data-board]")).position);
  follower.update();
};
const layOut = root.querySelector("#irregular") && new LayOut(root, entry, restore);

/** Send a form of the page and show the page it leads to. Returns whether it was refused and is as it was. */
async function send(form, submitter) {
  refusal.textContent = "";
  try {
    await postForm(form, submitter);
    form.reset();
    location.hash = "#main";
    entry.close(); // a second tap of the button meets the board
    await follower.update();
    return false;
  } catch (error) {
    isTyped = true;
    const isRefused = error instanceof RefusedForm;
    refusal.textContent = isRefused ? error.message : `${document.body.dataset.unsent} ${error.message}`;
    const page = error.status === 409 && (await fetchPage(root.dataset.page).catch(() => null));
    if (page) renew(form, page); // else the old form is refused again
    return !page;
  }
}

root.addEventListener("input", () => {
  isTyped = true;
});

root.addEventListener("submit", (event) => {
  isTyped = false;
  const form = event.target.closest("[data-enter], [data-send]");
  if (!form) return;
  event.preventDefault();
  const ply = Number(form.elements.ply?.value);
  const laid = layOut?.turn(form);
  if (laid) {
    if (entry.enter({ ply, ...laid })) layOut.sent = laid;
    return;
  }
  if (form.matches("[data-send]")) {
    sendOnce(form.closest("[data-fresh]") ?? form, () => send(form, event.submitter));
    return;
  }
  const move = new FormData(form, event.submitter).get("move")?.trim();
  if (!move) return;
  form.reset(); // what is typed would keep the part as it is
  sowing?.abort();
  markPit(event.submitter?.closest("[data-pit]")?.dataset.pit);
  const button = event.submitter?.dataset.afterTurn
    ? event.submitter
    : form.closest("[data-shown]").querySelector(`button[name=move][value="${CSS.escape(move)}"]`);
  entry.enter({ move, ply, after: entry.isWaiting ? undefined : button?.dataset.afterTurn }); // the buttons are of the record
});

addEventListener("keydown", (event) => {
  const tool = root.querySelector(".tool:target");
  if (event.key !== "Escape" || !tool) return;
  location.hash = "#main";
  (root.querySelector(`.tools [href="#${tool.id}"]`) ?? root.querySelector('.tools [href="#more"]')).focus();
});

/** Whether a pit of the board that is shown may have seeds to lift. */
function mayLift({ pit, count }) {
  const { row, toMove } = root.querySelector("svg.board").dataset;
  return Number(count) > 0 && Number(pit) >= row === (toMove === "1");
}

root.addEventListener("click", (event) => {
  refusal.textContent = ""; // it was read, and covers the head of the page on a phone
  if (entry.isWaiting && event.target.closest('[href="#take-back"]')) {
    event.preventDefault();
    entry.drop();
    return;
  }
  const why = event.target.closest("[data-why]");
  if (why) {
    preview.refuse(why.dataset.pit);
    return;
  }
  const pit = event.target.closest(".enterable .pit");
  if (!pit || preview.held) return;
  if (entry.isWaiting) {
    // only the service knows the rules
    if (entry.unseen || mayLift(pit.dataset))
      entry.enter({ move: pit.dataset.letter, ply: ply + 1, pit: pit.dataset.pit });
    return;
  }
  const control = preview.control(pit.dataset.pit);
  if (control?.tagName === "DETAILS") {
    preview.hide();
    directions.choose(control);
  } else if (control?.dataset.why) preview.refuse(pit.dataset.pit);
  else control?.click();
});

flipByLinks(root);
scrollToCurrent(root);
togglePath(root);
