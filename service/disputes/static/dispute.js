// The page of a dispute: refreshes what was said and ruled when the game has a new event. Forms keep what is typed.

import { dropDraft, keepDraft, loadDraft, markSent } from "../draft.js";
import { Follower } from "../follow.js";
import { fetchPage, refresh, replaceForms, showTyped } from "../refresh.js";
import { togglePath } from "../drawing/sowing_path.js";

const root = document.querySelector("[data-dispute]");
const draft = `ruling ${root.dataset.page}`;

const ruleForm = (part) => part.querySelector("[data-rule]");

/** Keep the draft of a ruling until it is sent or dropped, also if somebody else has ruled meanwhile. */
function keepRulingDraft() {
  const form = ruleForm(root);
  if (!form) return;
  keepDraft(form, draft, root.querySelector("[data-preview], [data-refusal]"));
  form.addEventListener("submit", ({ submitter }) => markSent(draft, submitter?.value === "rule"));
}

/** What became of a draft since the last page: the ruling has it, or it is shown where no form has it any more. */
function findDraft() {
  const kept = loadDraft(draft);
  const isRuled = root.querySelector("[data-state]").dataset.state === "ruled";
  if (!kept) return;
  if (root.querySelector("[data-refusal]")) markSent(draft, false);
  else if (isRuled && kept.isSent) dropDraft(draft);
  else if (isRuled && !ruleForm(root))
    showTyped(kept.words ?? kept.fields.map(([, value]) => value), () => dropDraft(draft));
}
// The forms belong to the state, and to the proposal that waits for an answer.
const formsOf = (part) =>
  `${part.querySelector("[data-state]").dataset.state} ${part.querySelector("[name=proposal]")?.value}`;
let isSending = false; // a form: the next page says what became of it
root.addEventListener("submit", () => {
  isSending = true;
});
addEventListener("pageshow", () => {
  isSending = false;
});
const markPathButtons = togglePath(root);

async function show() {
  const fresh = await fetchPage(root.dataset.page); // a preview or a refusal stands at the address of its form, which cannot be fetched
  const changed = !isSending && formsOf(fresh) !== formsOf(root);
  refresh(fresh);
  markPathButtons();
  if (changed) {
    const hasForm = ruleForm(fresh) !== null;
    replaceForms(root.querySelector("[data-forms]"), fresh.querySelector("[data-forms]"), () => {
      if (!hasForm) dropDraft(draft);
    });
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

findDraft();
keepRulingDraft();
