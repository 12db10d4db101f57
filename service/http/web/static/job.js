// Shows how far a job is.

const EVERY = 1000; // milliseconds between two looks
const ACTIVE = ["queued", "running"];

/** Keep the progress in `part` (`data-job`) up to date; returns when the job is over. Throws when `signal` says stop. */
export async function followJob(part, signal) {
  for (;;) {
    const answer = await fetch(`/api/v1/jobs/${part.dataset.job}`, { headers: { Accept: "application/json" }, signal });
    if (!answer.ok && answer.status !== 503) throw new Error(`${answer.status} ${answer.statusText}`);
    if (answer.ok) {
      const job = await answer.json();
      if (!ACTIVE.includes(job.state)) return;
      Object.assign(part.querySelector("[data-progress]"), { max: job.total, value: job.done });
      part.querySelector("[data-done]").textContent = `${job.done} / ${job.total}`;
    }
    await new Promise((done) => setTimeout(done, EVERY));
    signal?.throwIfAborted();
  }
}
