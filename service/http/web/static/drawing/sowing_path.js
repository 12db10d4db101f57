// The path of a turn: each seed's number where it fell. The server draws it too, from the same list (sowing_path.py); the
// style sheet says where the numbers of a place stand.

const MOST = 6; // numbers at one place
const KEPT = 3; // of more numbers, the first ones that remain; then "…" and the last ones
const PLATES = 4; // shapes behind the numbers, for one lap after the other
const STORED = "inkeek-path"; // whether paths are shown, in the browser

function shortened(numbers) {
  if (numbers.length <= MOST) return numbers;
  const last = numbers.slice(KEPT + 1 - MOST);
  return [...numbers.slice(0, KEPT), { text: "…", lap: numbers[numbers.length - last.length - 1].lap }, ...last];
}

function drawnNumber({ text, lap }, namespace) {
  const plate = (lap - 1) % PLATES;
  const [group, shape, words] = ["g", "use", "text"].map((name) => document.createElementNS(namespace, name));
  shape.setAttribute("href", `#plate-${plate}`);
  words.setAttribute("y", 7);
  words.textContent = text;
  group.setAttribute("class", `sown plate-${plate}`);
  group.append(shape, words);
  return group;
}

/** Draw a path, a list of `{ place, lap }`, at the drawn places: pits, then stores. */
export function drawPath(places, path) {
  const numbers = places.map(() => []);
  path.forEach(({ place, lap }, index) => numbers[place].push({ text: String(index + 1), lap }));
  places.forEach((drawn, place) => {
    const group = drawn.querySelector(".path");
    if (!group || (!group.childElementCount && !numbers[place].length)) return;
    const shown = shortened(numbers[place]);
    group.replaceChildren(...shown.map((number) => drawnNumber(number, group.namespaceURI)));
    if (shown.length) group.dataset.numbers = shown.length;
    else delete group.dataset.numbers;
  });
}

/** Show or hide paths under `root` by its buttons and the key `p`, as they were last; `changed` hears of it. Returns what
 * brings new buttons up to date. */
export function togglePath(root, changed = () => {}) {
  const markButtons = () => {
    const isShown = root.classList.contains("path-shown");
    for (const button of root.querySelectorAll("[data-path]")) button.setAttribute("aria-pressed", isShown);
  };
  const set = (isShown) => {
    root.classList.toggle("path-shown", isShown);
    markButtons();
    changed(isShown);
  };
  const toggle = () => {
    const isShown = !root.classList.contains("path-shown");
    localStorage.setItem(STORED, isShown ? "1" : "");
    set(isShown);
  };
  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-path]")) toggle();
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.key !== "p" ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest("input, textarea, select")
    )
      return;
    toggle();
  });
  root.classList.add("has-path");
  set(Boolean(localStorage.getItem(STORED)));
  return markButtons;
}
