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

/** Replace a part by a fresh one, with what was typed in the forms that both have. */
export function replaceForms(old, fresh) {
  for (const field of typedFields(old)) {
    const form = fresh.querySelector(`form[action="${CSS.escape(field.form.getAttribute("action"))}"]`);
    const same = [...(form?.elements ?? [])].find(
      (one) => one.name === field.name && (field.type !== "radio" || one.value === field.value),
    );
    if (!same) continue;
    if (field.type === "radio" || field.type === "checkbox") same.checked = field.checked;
    else same.value = field.value;
    const [shown, now] = [field.form, form].map((one) => one.elements[`was.${field.name}`]);
    if (shown && now) now.value = shown.value; // what was typed was typed in place of that
    same.closest("details")?.setAttribute("open", "");
  }
  old.replaceWith(fresh);
}

/** Have a form that was refused go with what is shown now: its sender has read why. */
export function renew(form, page) {
  const fresh = page.querySelector(`[data-fresh="${form.closest("[data-fresh]")?.dataset.fresh}"]`);
  for (const field of form.querySelectorAll("input[type=hidden]")) {
    const now = fresh?.querySelector(`input[type=hidden][name="${CSS.escape(field.name)}"]`);
    if (now) field.value = now.value;
  }
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
    const focused = [...old.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
    old.replaceChildren(...(fresh ? fresh.cloneNode(true).childNodes : []));
    if (focused >= 0) {
      const found = [...old.querySelectorAll(FOCUSABLE)];
      (found[focused] ?? found[0])?.focus({ preventScroll: true });
    }
  }
  for (const old of document.querySelectorAll("[data-shown]")) {
    old.hidden = page.querySelector(`[data-shown="${old.dataset.shown}"]`)?.hidden ?? true;
  }
  return page;
}
