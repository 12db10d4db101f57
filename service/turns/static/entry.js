// Enters turns. Each is sent once: it has a key and its number, and waits while the connection is gone.

export const QUIET = 400; // milliseconds in which a second tap or key is the same intent
const RETRY = 2000; // milliseconds until a queued turn is sent again
const LONGEST = 10000; // milliseconds that an answer may take

const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");
const stored = (name) => JSON.parse(localStorage.getItem(name) ?? "[]");
const store = (name, items) =>
  items.length ? localStorage.setItem(name, JSON.stringify(items)) : localStorage.removeItem(name);

export class Entry {
  /**
   * `root`: the page. `onPlayed`: awaited after a turn is stored or refused, `onRefused` called before that with a
   * refused one. `show`: shows the position after a turn that waits.
   */
  constructor(root, { onPlayed, onRefused, show }) {
    this.root = root;
    this.onPlayed = onPlayed;
    this.onRefused = onRefused;
    this.show = show;
    this.name = `inkeek-queue-${root.dataset.game}`;
    this.queue = stored(this.name).map((turn) => ({ ...turn, waited: true }));
    this.refusal = root.querySelector("[data-refusal]");
    this.state = root.querySelector("[data-queue]");
    this.unstored = root.querySelector("[data-unstored]");
    this.closed = 0; // until this time
    this.offline = false;
    this.sending = false;
    addEventListener("online", () => this.send());
    this.unstored.querySelector("button").addEventListener("click", () => {
      store(this.unstoredName, []);
      this.draw();
    });
    this.draw();
    if (this.queue.length) this.send();
    else this.root.dataset.open = "1";
  }

  get isOpen() {
    return performance.now() >= this.closed && !(this.sending && !this.offline);
  }

  get isWaiting() {
    return this.offline && this.queue.length > 0;
  }

  /** The position after the turns that wait; null: none waits, or unknown. */
  get waiting() {
    return (this.offline && this.queue.at(-1)?.after) || null;
  }

  /** How many of the last turns that wait led to positions that are not known. */
  get unseen() {
    return this.queue.length - 1 - this.queue.findLastIndex(({ after }) => after);
  }

  get unstoredName() {
    return `inkeek-unstored-${this.root.dataset.game}`;
  }

  close() {
    this.closed = performance.now() + QUIET;
    delete this.root.dataset.open;
    clearTimeout(this.opening);
    this.opening = setTimeout(() => {
      if (this.isOpen) this.root.dataset.open = "1";
    }, QUIET + 10);
  }

  /**
   * Play a turn unless this is the echo of the last tap. `ply`: its number on the page; `after`: the position after it, if
   * known; of turns that were laid out (`irregular`, `rearranged`) what stands on the board. `pit`: a pit whose turns the
   * page does not know yet, `move` being its letter. Returns whether it is played.
   */
  enter({ move, ply, after, irregular, rearranged, pit }) {
    if (!move || !this.isOpen) return false;
    this.close();
    this.refusal.textContent = "";
    const last = this.queue.at(-1); // the page may show its turn already, before the answer to it is here
    this.queue.push({
      key: newKey(),
      move,
      ply: last ? last.ply + 1 : ply,
      after,
      irregular,
      rearranged,
      pit,
      waited: this.offline,
    });
    this.keep();
    if (this.waiting) this.show(this.waiting);
    this.send();
    return true;
  }

  /** Drop the last turn that waits. If it was stored and only the answer was lost, the record has it all the same. */
  drop() {
    if (!this.isOpen) return;
    this.close();
    this.queue.pop();
    this.keep();
    this.show(this.queue.findLast(({ after }) => after)?.after ?? this.root.dataset.position);
  }

  keep() {
    store(this.name, this.queue);
    this.draw();
  }

  draw() {
    this.root.classList.toggle("waiting", this.isWaiting);
    this.state.textContent = this.isWaiting
      ? `${this.state.dataset.waiting} ${this.queue.map((turn) => this.words(turn)).join(", ")}`
      : "";
    const unstored = stored(this.unstoredName);
    this.unstored.hidden = !unstored.length;
    this.unstored.querySelector("ol").replaceChildren(
      ...unstored.map((turn) => {
        const item = document.createElement("li");
        item.value = turn.ply;
        item.textContent = `${this.words(turn)}${turn.irregular || turn.rearranged ? ` (${turn.after})` : ""}: ${turn.why ?? this.unstored.dataset.unsent}`;
        return item;
      }),
    );
  }

  words({ move, irregular, rearranged }) {
    const { dataset } = this.state;
    return irregular || rearranged ? `${move} (${irregular ? dataset.irregular : dataset.rearranged})` : move;
  }

  /** Stop at a refused turn: those behind it followed from it. All stay listed until read. */
  refuse(why) {
    const [refused, ...later] = this.queue;
    this.queue = [];
    const isListed = refused.waited || later.length;
    if (isListed) store(this.unstoredName, [...stored(this.unstoredName), { ...refused, why }, ...later]);
    else this.refusal.textContent = why;
    this.keep();
    if (isListed) this.unstored.scrollIntoView({ block: "nearest" });
    else this.onRefused(refused);
  }

  /** Find the move of a pit that was tapped, now that the page shows the position before it: it must be the only one. */
  findMove(turn) {
    if (!turn.pit) return true;
    const next = Number(this.root.dataset.ply) + 1;
    if (next < turn.ply) throw new Error("the page shows an older position");
    const control = this.root.querySelector(`[data-enter] [data-pit="${turn.pit}"]`);
    if (next === turn.ply) {
      if (!control?.type) {
        // a list of moves
        this.refuse(
          JSON.parse(this.root.querySelector("[data-directions]").dataset.words).way.replace("{pit}", turn.move),
        );
        return false;
      }
      turn.move = control.value || turn.move;
    }
    delete turn.pit;
    return true;
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.retry);
    try {
      while (this.queue.length) {
        if (!this.findMove(this.queue[0])) continue;
        const { key, move, ply, after, irregular } = this.queue[0];
        const answer = await fetch(`${this.root.dataset.api}/${irregular ? "irregular-turns" : "turns"}`, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            "X-CSRF-Token": this.root.querySelector("[name=csrf]")?.value ?? "",
            "Idempotency-Key": key,
          },
          body: JSON.stringify({ move, ply, ...(irregular ? { position: after } : {}) }),
          signal: AbortSignal.timeout(LONGEST),
        });
        if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
        const problem = answer.ok ? null : await answer.json();
        if (this.offline) {
          this.offline = false;
          this.close();
        }
        if (this.queue[0]?.key === key) {
          // else it was dropped meanwhile
          // Whoever is signed in and may not write reads why: for example that somebody else keeps the score now.
          if (problem) this.refuse(answer.status === 401 ? this.state.dataset.out : (problem.detail ?? problem.title));
          else this.queue.shift();
        }
        this.keep();
        await this.onPlayed();
      }
      this.close(); // what is tapped while the page changes is not meant for the new position
    } catch {
      const isNew = !this.offline;
      this.offline = true;
      for (const turn of this.queue) turn.waited = true;
      if (isNew) {
        if (this.waiting) this.show(this.waiting);
        this.close();
      }
      this.keep();
      this.retry = setTimeout(() => this.send(), RETRY);
    } finally {
      this.sending = false;
    }
  }
}
