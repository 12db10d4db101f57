// Pages with a form in which boards are set up by tapping, or in their fields. The form works without it, and is sent as it is.

import { BoardEditor } from "../drawing/board_editor.js";
import { togglePath } from "../drawing/sowing_path.js";

const form = document.querySelector("[data-board-form]");
const shared = {
  wanted: Number(form.dataset.seeds),
  totals: JSON.parse(form.dataset.totals),
  mode: () => form.querySelector("[data-mode]:checked").value,
};

const editors = [...document.querySelectorAll("[data-editor]")].map(
  (root) => new BoardEditor(root, root.querySelector("[data-board]"), shared),
);
for (const editor of editors) {
  editor.draw();
  editor.root.addEventListener("click", (event) => {
    if (event.target.closest("[data-copy]")) editor.fill((_, place) => editors[0].fields[place].value);
    if (!event.target.closest("[data-clear]")) return;
    const empty = editor.root.dataset.editor === "now." ? "?" : "0";
    editor.fill((field) => (field.value === "x" ? "x" : empty));
  });
}

form.querySelector("[data-pad]")?.addEventListener("click", (event) => {
  const field = form.elements.lifted;
  const letters = field.value
    .trim()
    .split(/[\s,]+/)
    .filter(Boolean);
  const letter = event.target.closest("[data-letter]");
  if (letter) letters.push(letter.dataset.letter);
  else if (event.target.closest("[data-letter-back]")) letters.pop();
  field.value = letters.join(" ");
});

togglePath(document.querySelector("main"));
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
form.dataset.ready = "1";
