// Takes the parts of a page that change from a newly fetched copy of it: the server alone finds the words.

// What the server last said in each part. The page itself may have changed since: a list opened, a text begun.
const told = new Map();
for (const part of document.querySelectorAll("[data-fresh]")) told.set(part.dataset.fresh, part.innerHTML);

/** Fetch `url` as a page. Throws when the answer is no page. */
export async function fetchPage(url, signal) {
  const answer = await fetch(url, { headers: { Accept: "text/html" }, signal, cache: "no-store" });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Swap every `data-fresh` part of this page that `page` tells otherwise than before; what `page` hides is hidden
 * here too (`data-shown`). */
export function freshen(page, except = []) {
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const name = old.dataset.fresh;
    if (except.includes(name)) continue;
    const fresh = page.querySelector(`[data-fresh="${name}"]`);
    const html = fresh ? fresh.innerHTML : "";
    old.hidden = !fresh || fresh.hidden;
    old.className = fresh ? fresh.className : old.className;
    if (told.get(name) === html) continue;
    told.set(name, html);
    const focused = old.contains(document.activeElement);
    old.replaceChildren(...(fresh ? fresh.cloneNode(true).childNodes : []));
    if (focused) old.querySelector("a, button, summary, input")?.focus();
  }
  for (const old of document.querySelectorAll("[data-shown]")) {
    old.hidden = page.querySelector(`[data-shown="${old.dataset.shown}"]`)?.hidden ?? true;
  }
}
