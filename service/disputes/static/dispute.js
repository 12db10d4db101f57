// The page of a dispute: refreshes what was said and ruled when the game has a new event. Forms keep what is typed.

import { keepDraft } from "../draft.js";
import { Follower } from "../follow.js";
import { fetchPage, refresh, replaceForms } from "../refresh.js";
import { togglePath } from "../drawing/sowing_path.js";

const root = document.querySelector("[data-dispute]");

/** Keep the draft of a ruling until there is one. */
function keepRulingDraft() {
  const key = `ruling ${root.dataset.page}`;
  const form = root.querySelector("[data-rule]");
  if (root.querySelector("[data-state]").dataset.state === "ruled") localStorage.removeItem(key);
  else if (form) keepDraft(form, key, root.querySelector("[data-preview], [data-refusal]"));
}
// The forms belong to the state, and to the proposal that waits for an answer.
const formsOf = (part) =>
  `${part.querySelector("[data-state]").dataset.state} ${part.querySelector("[name=proposal]")?.value}`;
const markPathButtons = togglePath(root);

async function show() {
  const fresh = await fetchPage(root.dataset.page); // a preview or a refusal stands at the address of its form, which cannot be fetched
  const changed = formsOf(fresh) !== formsOf(root);
  refresh(fresh);
  markPathButtons();
  if (changed) {
    replaceForms(root.querySelector("[data-forms]"), fresh.querySelector("[data-forms]"));
    for (const old of root.querySelectorAll("[data-preview], [data-refusal]")) old.remove();
    history.replaceState(null, "", root.dataset.page);
    keepRulingDraft();
  }
  return fresh;
}

new Follower({ show });

// What belongs to the chosen outcome opens, also when a draft chooses it.
root.addEventListener("change", ({ target }) => {
  if (target.name !== "outcome") return;
  for (const part of target.form.querySelectorAll("[data-outcome]"))
    part.open = part.dataset.outcome.split(" ").includes(target.value);
});

keepRulingDraft();
