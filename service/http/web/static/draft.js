// The draft of a form: this browser keeps what was typed, until it is sent or dropped.

import { wordsIn } from "./refresh.js";

const HIDDEN = ["csrf", "confirm", "was.ruling"]; // belong to one answer of the service

const fieldsOf = (form) => [...new FormData(form)].filter(([name]) => !HIDDEN.includes(name));

function fill(form, fields) {
  for (const [name, value] of fields) {
    for (const field of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (field.type === "radio" || field.type === "checkbox") field.checked = field.value === value || field.checked;
      else field.value = value;
    }
  }
  for (const field of form.elements) {
    // what was filled in is seen
    if (field.value && field.value !== field.defaultValue && field.tagName === "INPUT" && field.type !== "radio")
      field.closest("details")?.setAttribute("open", "");
  }
  form.querySelector("[name=outcome]:checked")?.dispatchEvent(new Event("change", { bubbles: true }));
}

/** What was kept under `key`: its `time`, `fields`, `words` of them, and whether it `isSent`; null: nothing. */
export const loadDraft = (key) => JSON.parse(localStorage.getItem(key));

export const dropDraft = (key) => localStorage.removeItem(key);

/** Note that what was kept under `key` is sent, or that it was refused. */
export function markSent(key, isSent) {
  const kept = loadDraft(key);
  if (kept) localStorage.setItem(key, JSON.stringify({ ...kept, isSent }));
}

/** Keep what is typed in a form under `key`, and bring back what was kept, with a line that says so; `isSent`: the form has what was sent. */
export function keepDraft(form, key, isSent) {
  const line = form.querySelector("[data-draft]");
  form.addEventListener("input", () =>
    localStorage.setItem(key, JSON.stringify({ time: new Date(), fields: fieldsOf(form), words: wordsIn(form) })),
  );
  line.querySelector("button").addEventListener("click", () => {
    dropDraft(key);
    form.reset();
    line.hidden = true;
  });
  const kept = loadDraft(key);
  if (!kept || isSent) return;
  fill(form, kept.fields);
  line.querySelector("time").textContent = new Date(kept.time).toLocaleTimeString(document.documentElement.lang, {
    hour: "2-digit",
    minute: "2-digit",
  });
  line.hidden = false;
}
