// What the live page, the review and the analysis board do alike: turn the board round, and keep the turn in sight.

/** Turn the board of `root` round, and keep that in the address. */
export function flip(root) {
  root.classList.toggle("flipped");
  const [far, near] = [...root.querySelectorAll("[data-player]")].map((player) => player.parentElement);
  if (far) {
    const board = root.querySelector("[data-board]");
    board.before(near);
    board.after(far);
  }
  const url = new URL(location.href);
  url.searchParams.set("view", url.searchParams.get("view") === "north" ? "south" : "north");
  history.replaceState(null, "", url);
}

/** Turn the board by the links that are there for it. */
export function flipByLinks(root) {
  root.addEventListener("click", (event) => {
    if (!event.target.closest("[data-flip]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    flip(root);
  });
}

/** Scroll the list of turns, and nothing else, to the turn that is shown. */
export function scrollToCurrent(root) {
  const list = root.querySelector("[data-movelist]");
  const current = list.querySelector(".turn.current");
  if (!current) {
    list.scrollTop = 0;
    return;
  }
  const box = list.getBoundingClientRect();
  const place = current.getBoundingClientRect();
  if (place.top < box.top) list.scrollTop -= box.top - place.top + 8;
  if (place.bottom > box.bottom) list.scrollTop += place.bottom - box.bottom + 8;
}
