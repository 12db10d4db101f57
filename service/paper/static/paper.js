// A sheet of paper: what was typed is read by the server while it is typed; taps on the board add turns.

import { dropDraft, keepDraft } from "../draft.js";
import { Board } from "../drawing/board.js";
import { sendOnce } from "../forms.js";
import { refresh } from "../refresh.js";

const WAIT = 500; // milliseconds after the last key

const root = document.querySelector("[data-paper]");
const form = root.querySelector("form");
const text = form.querySelector("#text");
const key = `paper ${form.elements.into.value || form.elements.game.value}`; // a draft is one game's
let waiting = null; // the timer of the next reading
let asked = null; // AbortController of the running one
let ply = null; // the turn that is shown, if it is not the last

const positions = () => JSON.parse(root.querySelector("[data-positions]").dataset.positions);

/** Send the form, with one field more. An address of its own keeps the game. */
async function send(name, value, address = form.action) {
  clearTimeout(waiting);
  asked?.abort();
  asked = new AbortController();
  const body = new FormData(form);
  if (name) body.set(name, value);
  try {
    const answer = await fetch(address, { method: "POST", body, signal: asked.signal });
    if (answer.redirected) {
      dropDraft(key);
      location.assign(answer.url);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const read = page.querySelector("#text");
    if (!read) throw new Error(page.querySelector("main h1")?.textContent ?? String(answer.status));
    if (name === "add" || name === "answer") {
      text.value = read.value;
      form.dispatchEvent(new Event("input"));
    }
    refresh(page);
    ply = null;
  } catch (error) {
    if (error.name !== "AbortError") root.querySelector("[data-where]").textContent = error.message;
  }
}

/** Show the board after a turn. */
function show(to) {
  const all = positions();
  ply = Math.min(Math.max(to, 0), all.length - 1);
  new Board(root.querySelector("[data-board]")).show(all[ply]);
  for (const token of root.querySelectorAll("button.token")) {
    if (Number(token.value) === ply) token.setAttribute("aria-current", "true");
    else token.removeAttribute("aria-current");
  }
  const turn = root.querySelector("button.token[aria-current]");
  root.querySelector("[data-where]").textContent = turn ? `${Math.ceil(ply / 2)}. ${turn.textContent.trim()}` : "";
}

/** Select what is marked in the field. The server counts characters, the field UTF-16 units. */
function select({ start, end }) {
  const units = (count) => [...text.value].slice(0, Number(count)).join("").length;
  text.focus();
  text.setSelectionRange(units(start), units(end));
}

const steps = { first: () => 0, back: (at) => at - 1, next: (at) => at + 1, last: (_, count) => count };

root.addEventListener("click", (event) => {
  const button = event.target.closest("button[name]");
  const pit = event.target.closest("[data-board] .pit");
  const wrong = event.target.closest("mark[data-start]");
  if (button) {
    event.preventDefault();
    const last = positions().length - 1;
    const sendPressed = () => send(button.name, button.value, button.getAttribute("formaction") ?? form.action);
    if (button.name === "store") sendOnce(form, sendPressed);
    else if (button.name !== "ply") sendPressed();
    else show(button.dataset.step ? steps[button.dataset.step](ply ?? last, last) : Number(button.value));
  } else if (event.target.closest("[data-check]")) {
    event.preventDefault();
    send();
  } else if (wrong) select(wrong.dataset);
  else if (pit) {
    const group = root.querySelector(`.legal [data-pit="${pit.dataset.pit}"]`);
    if (group?.matches("details")) group.open = true;
    else group?.querySelector("button").click();
  }
});
form.addEventListener("input", (event) => {
  clearTimeout(waiting);
  if (event.target !== form) waiting = setTimeout(send, WAIT);
});
keepDraft(form, key, form.dataset.sent !== undefined || text.value);
form.querySelector("[data-draft] button").addEventListener("click", () => send());
if (text.value !== text.defaultValue) send(); // a draft, or what the browser kept
root.dataset.ready = "1";
