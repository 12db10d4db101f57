// Replaces the changing parts of a page by those of a newly fetched copy: all texts come from the server.

// Words in the language of the page.
export const UPDATE_FAILED = `${document.body.dataset.failed} `;
export const CONNECTION_LOST = document.body.dataset.lost;

const FOCUSABLE = "a, button, summary, input:not([type=hidden]), select, textarea, [tabindex]";

// The last HTML of each part from the server. The page may differ: the user opened a list or began to type.
const lastHtml = new Map();
for (const part of document.querySelectorAll("[data-fresh]")) lastHtml.set(part.dataset.fresh, htmlOf(part));

/** The HTML of a part without the token of its forms, which is another one on every page. */
function htmlOf(part) {
  const token = part.querySelector("[name=csrf]")?.value;
  return token ? part.innerHTML.replaceAll(token, "") : part.innerHTML;
}

const LONGEST = 10_000; // milliseconds that a page may take

/** Fetch `url` as a page. Throws when the response is an error, or does not come. */
export async function fetchPage(url) {
  const signal = AbortSignal.timeout(LONGEST);
  const answer = await fetch(url, { headers: { Accept: "text/html" }, signal, cache: "no-cache" });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** The address of the page. A refusal stands at the address of its form, which cannot be fetched. */
export const pageAddress = () => document.body.dataset.page ?? location.href;

/** The fields in which something was typed or chosen and not sent; a board that is laid out follows the turns. */
const typedFields = (part) =>
  [...part.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((field) => {
    if (field.closest("[data-lay-out]")) return false;
    if (field.type === "radio" || field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
    const first = [...field.options].findLastIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(first, 0);
  });

// What a refused form says was typed: no page that is fetched has it.
if (document.querySelector("[data-refusal]:not(:empty)")) {
  for (const field of document.querySelectorAll("[data-fresh] :is(input:not([type]), input[type=text], textarea)")) {
    const typed = field.value;
    field.defaultValue = "";
    field.value = typed;
  }
}

/** Replace what stands in a part; the focus stays at its place there. */
function replaceContents(old, nodes) {
  const focused = [...old.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  old.replaceChildren(...nodes);
  if (focused < 0) return;
  const found = [...old.querySelectorAll(FOCUSABLE)];
  (found[focused] ?? found[0])?.focus({ preventScroll: true });
}

const isBox = ({ type }) => type === "radio" || type === "checkbox";

/** What was typed or chosen in a field, in words; empty for a box without its tick. */
function wordsOf(field) {
  if (isBox(field)) return field.checked ? field.closest("label").textContent.trim().replaceAll(/\s+/g, " ") : "";
  if (field.tagName === "SELECT") return field.selectedOptions[0].text.trim();
  if (field.type === "file") return Array.from(field.files, ({ name }) => name).join(", ");
  return field.value.trim();
}

/** The words of a form: its texts, ticks and choices, one for each field that has some. */
export function wordsIn(form) {
  const typed = typedFields(form);
  const fields = [...form.querySelectorAll("input:not([type=hidden]), select, textarea")];
  return fields
    .filter((field) => field.tagName !== "SELECT" || typed.includes(field))
    .map(wordsOf)
    .filter(Boolean);
}

/**
 * Show what was typed in a form that is no longer there, until the reader closes that. `onClose`: called then.
 * `texts`: one for each field.
 */
export function showTyped(texts, onClose = () => {}) {
  const place = document.querySelector("[data-typed]");
  const line = document.createElement("p");
  line.textContent = place.dataset.words.replace("{text}", () => texts.join("; "));
  place.querySelector("button").before(line);
  place.querySelector("button").addEventListener(
    "click",
    () => {
      line.remove();
      place.hidden = true;
      onClose();
    },
    { once: true },
  );
  place.hidden = false;
}

/** Bring what was typed into the forms of a fresh part. Returns the words of what has no field there. */
function bringTyped(old, fresh) {
  const forms = fresh.matches("form") ? [fresh] : [...fresh.querySelectorAll("form")];
  const left = [];
  for (const field of typedFields(old)) {
    const isOfTurn = field.form.elements.ply?.type === "hidden"; // what was chosen for a turn says nothing of another
    const form = forms.find((one) => one.getAttribute("action") === field.form.getAttribute("action"));
    if (form && isOfTurn && (isBox(field) || field.tagName === "SELECT")) continue;
    const same = [...(form?.elements ?? [])].find(
      (one) => one.name === field.name && (field.type !== "radio" || one.value === field.value),
    );
    if (!same) {
      left.push(wordsOf(field));
      continue;
    }
    if (isBox(field)) same.checked = field.checked;
    else if (field.type === "file") same.files = field.files;
    else same.value = field.value;
    const [shown, now] = [field.form, form].map((one) => one.elements[`was.${field.name}`]);
    if (shown && now) now.value = shown.value; // what was typed was typed in place of that
    same.closest("details")?.setAttribute("open", "");
  }
  return left.filter(Boolean);
}

/** Replace a part by a fresh one, with what was typed in the forms that both have; show the rest. `onClose`: of `showTyped`. */
export function replaceForms(old, fresh, onClose) {
  const left = bringTyped(old, fresh);
  old.replaceWith(fresh);
  if (left.length) showTyped(left, onClose);
}

/**
 * Have a form that was refused go with what `page` shows now: all that it says and names at once, such as a turn.
 * What was typed stays. A board that is laid out follows the turns.
 */
export function renew(form, page) {
  const old = form.closest("[data-fresh]");
  if (!old || form.matches("[data-lay-out]")) return;
  const name = old.dataset.fresh;
  const fresh = page.querySelector(`[data-fresh="${name}"]`);
  if (!fresh || lastHtml.get(name) === htmlOf(fresh)) return;
  lastHtml.set(name, htmlOf(fresh));
  const left = bringTyped(old, fresh);
  replaceContents(old, fresh.childNodes);
  if (left.length) showTyped(left);
}

/** Have the next refresh replace a part in any case, because a script changed it. */
export function forget(name) {
  lastHtml.delete(name);
}

/**
 * Replace every `data-fresh` part that changed on the server, or `only` these, but for those in which something is typed,
 * and hide what `page` hides (`data-shown`). Returns `page`.
 */
export function refresh(page, except = [], only = null) {
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const name = old.dataset.fresh;
    if (except.includes(name) || (only && !only.includes(name)) || typedFields(old).length) continue; // it belongs to the page on which it was begun
    const fresh = page.querySelector(`[data-fresh="${name}"]`);
    const html = fresh ? htmlOf(fresh) : "";
    old.hidden = !fresh || fresh.hidden;
    old.className = fresh ? fresh.className : old.className;
    if (lastHtml.get(name) === html) continue;
    lastHtml.set(name, html);
    replaceContents(old, fresh ? fresh.cloneNode(true).childNodes : []);
  }
  for (const old of document.querySelectorAll("[data-shown]")) {
    old.hidden = page.querySelector(`[data-shown="${old.dataset.shown}"]`)?.hidden ?? true;
  }
  return page;
}
