// Requests of the review page and the analysis board to the public API, and the words they show.

export const root = document.querySelector("[data-review]");
export const words = JSON.parse(root.dataset.words);

/** A text with its `{names}` replaced. */
export function say(name, values = {}) {
  return words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
}

/** An answer that is an error: its `status`, and its problem document. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? String(status));
    this.status = status;
  }
}

/** Get JSON from the API, or post it. */
export async function ask(path, { body, signal, headers, method } = {}) {
  const answer = await fetch(path, {
    method: method ?? (body ? "POST" : "GET"),
    signal,
    headers: {
      Accept: "application/json",
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(root.dataset.csrf ? { "X-CSRF-Token": root.dataset.csrf } : {}),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  let problem = { title: `${answer.status} ${answer.statusText}` };
  try {
    problem = await answer.json();
  } catch {
    /* an answer of a proxy */
  }
  throw new Refused(answer.status, problem);
}

/** The path of what the rules, or the stored games, say of a position. */
export function aboutPosition(what, position, more = {}) {
  return `/api/v1/${what}?${new URLSearchParams({ game: root.dataset.game, options: root.dataset.options, position, ...more })}`;
}

const known = new Map(); // legal turns by position

/** The legal turns of a position; asked once. */
export async function legalTurns(position) {
  if (!known.has(position)) known.set(position, await ask(aboutPosition("positions/turns", position)));
  return known.get(position);
}
