// Lessons: the reader plays the turn that shows a rule, or another one. The server knows the rules.

import { Board } from "../drawing/board.js";
import { SmallBoard } from "../drawing/small_board.js";

const BEATS = { full: 320, fast: 120 }; // milliseconds per seed
const LONGEST_TURN = 6000; // milliseconds for the seeds of one turn
const NEAR = "600px"; // from the screen, where a lesson gets its board

const list = document.querySelector("[data-lessons]");
const words = JSON.parse(list.dataset.words);
const still = matchMedia("(prefers-reduced-motion: reduce)");

function make(tag, attributes, ...children) {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...children);
  return element;
}

class Lesson {
  constructor(article) {
    this.before = article.dataset.lesson;
    this.turns = [...article.querySelectorAll("[data-turn]")];
    this.said = article.querySelector("[data-said]");
    const row = this.before.split("/")[0].split(".").length;
    const figure = list.querySelector(`template[data-row="${row}"]`).content.cloneNode(true).firstElementChild;
    article.querySelector("[data-before]").replaceChildren(figure);
    this.board = new Board(figure);
    this.ask = make("p", { className: "ask" });
    this.choices = this.turns.map((turn) =>
      make("button", {
        type: "button",
        textContent: turn.querySelector("[data-title]")?.textContent,
        onclick: () => this.choose(turn),
      }),
    );
    article.querySelector("[data-choices]")?.append(...this.choices);
    figure.before(this.ask);
    figure.after(this.keys());
    figure.addEventListener("click", (event) => {
      const pit = event.target.closest(".pit");
      if (pit) this.play(pit.dataset.letter);
    });
    article.classList.add("playable");
    this.choose(this.turns[0]);
  }

  /** Buttons for keyboards and screen readers; those who tap the board need none. */
  keys() {
    const { toMove, row } = this.board.svg.dataset;
    const pits = this.board.pits.filter((_, pit) => pit >= row === (toMove === "1"));
    const keys = make("div", { className: "lesson-keys", role: "group", ariaLabel: words.pits });
    const lays = !this.turns[0].dataset.start;
    const letters = lays ? [this.turns[0].dataset.turn] : pits.map((pit) => pit.dataset.letter);
    keys.classList.toggle("lays", lays);
    keys.append(
      ...letters.map((letter) =>
        make("button", { type: "button", textContent: lays ? words.lay : letter, onclick: () => this.play(letter) }),
      ),
    );
    return keys;
  }

  choose(turn) {
    this.turn = turn;
    this.sowing?.abort();
    this.choices.forEach((button, index) => button.setAttribute("aria-pressed", this.turns[index] === turn));
    this.ask.replaceChildren(...turn.querySelector("[data-ask]").cloneNode(true).childNodes);
    this.said.replaceChildren();
    this.reset();
  }

  reset() {
    this.board.show(this.before);
    const asked = this.board.pits.find((pit) => pit.dataset.letter === this.turn.dataset.start);
    asked?.classList.add("legal");
  }

  async play(letter) {
    const { turn } = this;
    const { start, turn: move, options, refusals } = turn.dataset;
    const isAsked = letter === start || letter === move;
    this.sowing?.abort();
    const { signal } = (this.sowing = new AbortController());
    const other = turn.dataset.trace ? words.asked.replace("{pit}", start || move) : undefined;
    const why = isAsked ? undefined : (JSON.parse(refusals)[letter] ?? other);
    if (why) {
      this.reset();
      this.say([why]);
      return;
    }
    this.said.replaceChildren();
    try {
      const trace = await this.trace(isAsked ? move : letter, options, signal);
      const beat = still.matches ? undefined : BEATS[document.documentElement.dataset.motion];
      if (beat === undefined) this.board.show(trace.position);
      else await this.board.sow(trace, Math.min(beat, LONGEST_TURN / (trace.events.length || 1)), signal);
      const sentences = isAsked
        ? [...turn.querySelectorAll(".sentences li")].map((item) => item.textContent)
        : [...trace.sentences, words.asked.replace("{pit}", start || move)];
      this.say(sentences, isAsked);
    } catch (error) {
      if (signal.aborted) return;
      this.reset();
      this.say([words.failed]);
    }
  }

  /** The turn seed by seed. Rules that the service does not keep bring that of the turn that is asked for. */
  async trace(move, options, signal) {
    if (this.turn.dataset.trace) return JSON.parse(this.turn.dataset.trace);
    const query = new URLSearchParams({
      game: list.dataset.lessons,
      options,
      position: this.before,
      move,
      language: document.documentElement.lang,
    });
    const answer = await fetch(`/api/v1/positions/trace?${query}`, { signal });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }

  say(sentences, isAsked = false) {
    this.said.classList.toggle("right", isAsked);
    const said = sentences.map((sentence) => make(sentences.length > 1 ? "li" : "p", { textContent: sentence }));
    this.said.replaceChildren(...(sentences.length > 1 ? [make("ol", {}, ...said)] : said));
  }
}

/** Open what the address leads to: not every browser does. */
function openTarget() {
  const details = document.getElementById(location.hash.slice(1))?.closest("details");
  if (details) details.open = true;
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      new Lesson(target);
    }
  },
  { rootMargin: NEAR },
);
list.querySelector("[data-hint]").hidden = false;
for (const svg of document.querySelectorAll(".set-ups svg.small")) new SmallBoard(svg);
for (const article of list.querySelectorAll("[data-lesson]")) seen.observe(article);
addEventListener("hashchange", openTarget);
openTarget();
