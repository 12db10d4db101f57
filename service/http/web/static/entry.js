// Enters turns. Each intended turn is sent once: it has a key and the number it is to have, and waits while the connection is gone.

export const QUIET = 400; // milliseconds in which a second tap or key is the same intent
const RETRY = 2000; // milliseconds until a queued turn is sent again
const LONGEST = 10000; // milliseconds that an answer may take

const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");

export class Entry {
  /** `root`: the page. `onPlayed`: awaited after a turn is stored. `show`: shows the position after a turn that waits. */
  constructor(root, { onPlayed, show }) {
    this.root = root;
    this.onPlayed = onPlayed;
    this.show = show;
    this.name = `inkeek-queue-${root.dataset.game}`;
    this.queue = JSON.parse(localStorage.getItem(this.name) ?? "[]");
    this.refusal = root.querySelector("[data-refusal]");
    this.state = root.querySelector("[data-queue]");
    this.closed = 0; // until this time
    this.sending = false;
    addEventListener("online", () => this.send());
    this.draw();
    if (this.queue.length) this.send();
    else this.root.dataset.open = "1";
  }

  get isOpen() { return performance.now() >= this.closed && !(this.sending && !this.offline); }

  close() {
    this.closed = performance.now() + QUIET;
    delete this.root.dataset.open;
    clearTimeout(this.opening);
    this.opening = setTimeout(() => { if (this.isOpen) this.root.dataset.open = "1"; }, QUIET + 10);
  }

  /** Play a move unless this is the echo of the last tap. `ply`: the number that the turn is to have, on the page. */
  enter(move, ply, after) {
    if (!move || !this.isOpen) return;
    this.close();
    this.refusal.textContent = "";
    const last = this.queue.at(-1); // the page may show its turn already, before the answer to it is here
    this.queue.push({ key: newKey(), move, ply: last ? last.ply + 1 : ply, after });
    this.keep();
    if (this.offline && after) this.show(after);
    this.send();
  }

  keep() {
    if (this.queue.length) localStorage.setItem(this.name, JSON.stringify(this.queue));
    else localStorage.removeItem(this.name);
    this.draw();
  }

  draw() {
    this.state.textContent = this.offline && this.queue.length
      ? `${this.state.dataset.waiting} ${this.queue.map((turn) => turn.move).join(", ")}` : "";
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.retry);
    try {
      while (this.queue.length) {
        const turn = this.queue[0];
        const answer = await fetch(`${this.root.dataset.api}/turns`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-CSRF-Token": this.root.querySelector("[name=csrf]")?.value ?? "", "Idempotency-Key": turn.key },
          body: JSON.stringify({ move: turn.move, ply: turn.ply }),
          signal: AbortSignal.timeout(LONGEST),
        });
        if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
        if (this.offline) { this.offline = false; this.close(); }
        if (answer.ok) this.queue.shift();
        else {
          const problem = await answer.json();
          this.refusal.textContent = problem.detail ?? problem.title;
          this.queue = []; // later turns followed from this one
        }
        this.keep();
        await this.onPlayed();
      }
      this.close(); // what is tapped while the page changes is not meant for the new position
    } catch {
      const turn = this.queue[0];
      if (!this.offline) {
        if (turn?.after) this.show(turn.after);
        this.close();
      }
      this.offline = true;
      this.draw();
      this.retry = setTimeout(() => this.send(), RETRY);
    } finally {
      this.sending = false;
    }
  }
}
