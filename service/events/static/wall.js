// Nobody scrolls a wall: boards and standings that do not fit take turns.

const EVERY = 10_000; // milliseconds
const BOARDS = 12; // at once

const boards = document.querySelector(".hall-boards");
const standings = document.querySelector(".wall-standings");
let turn = 0;

/** Show those of the parts whose turn it is, and where they stand among all. */
function show(parts, most, place) {
  const pages = Math.max(1, Math.ceil(parts.length / most));
  const now = turn % pages;
  for (const [at, part] of parts.entries()) part.hidden = Math.floor(at / most) !== now;
  if (!place) return;
  if (pages > 1) place.dataset.page = `${now + 1}/${pages}`;
  else delete place.dataset.page;
}

function showAll() {
  const isWide = matchMedia("(min-width: 701px)").matches; // a phone scrolls
  show([...boards.querySelectorAll("[data-game]")], isWide ? BOARDS : Infinity, boards);
  const list = standings.querySelector(".leader-list");
  if (!list) return;
  const rows = [...list.children];
  for (const row of rows) row.hidden = false;
  const [all, row] = [list, rows[0] ?? list].map((part) => part.getBoundingClientRect().height);
  const fit = Math.floor(all / row + 0.01); // heights are no whole pixels
  show(rows, isWide ? Math.max(1, fit) : Infinity, standings.querySelector("h2"));
}

showAll();
setInterval(() => {
  turn += 1;
  showAll();
}, EVERY);
addEventListener("resize", showAll);
new MutationObserver(showAll).observe(standings, { childList: true });
