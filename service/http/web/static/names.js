// Adds names that begin with what is typed to the suggestions of a field.

const LEAST = 2; // letters
const MOST = 20; // names
const WAIT = 200; // milliseconds after a key

for (const list of document.querySelectorAll("datalist[data-names]")) {
  for (const field of document.querySelectorAll(`input[list="${list.id}"]`)) {
    let timer = 0;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => suggest(list, field.value.trim()), WAIT);
    });
  }
}

/** Add the names that begin so; without an answer those of the page stay. */
async function suggest(list, prefix) {
  if (prefix.length < LEAST) return;
  const query = new URLSearchParams({ prefix, limit: MOST });
  const answer = await fetch(`/api/v1/${list.dataset.names}?${query}`).catch(() => null);
  if (!answer?.ok) return;
  const known = new Set([...list.options].map((option) => option.value));
  for (const { name } of (await answer.json()).items) {
    const begins = name.toLowerCase().startsWith(prefix.toLowerCase()); // initials do not
    if (begins && !known.has(name)) list.append(new Option("", name));
  }
}
