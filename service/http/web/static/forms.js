// Forms that scripts send: each press once, and a refusal in the service's own words.

const QUIET = 400; // milliseconds after an answer in which a press is the second tap of the same intent

const busy = new WeakSet(); // of which a request is under way

/**
 * Do the `work` of a form that was pressed. While it runs, and for a moment after it, another press does nothing; but
 * at once if the work returns true: the form was refused and is as it was.
 * `part`: the form, or the part of the page in which updates replace it.
 */
export async function sendOnce(part, work) {
  if (busy.has(part)) return;
  busy.add(part);
  let isAsItWas = false;
  try {
    isAsItWas = await work();
  } finally {
    setTimeout(() => busy.delete(part), isAsItWas ? 0 : QUIET);
  }
}

/** An answer that refuses a form: its `status`, and as the message what its page says. */
export class RefusedForm extends Error {
  constructor({ status, statusText }, page) {
    const said = page.querySelector("[data-refusal]:not(:empty)")?.textContent.trim();
    super(said || `${status} ${statusText}`);
    this.status = status;
  }
}

/**
 * Post a form with the button that was pressed. Returns the page that answers, and its `url`.
 * Throws `RefusedForm`, or what `fetch` throws when no answer comes.
 */
export async function postForm(form, submitter) {
  const answer = await fetch(form.getAttribute("action"), {
    method: "POST",
    body: new URLSearchParams(new FormData(form, submitter)),
  });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) throw new RefusedForm(answer, page);
  return { page, url: answer.url };
}
