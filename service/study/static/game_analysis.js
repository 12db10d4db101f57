// The analysis of the game in the review: its page, shown in a panel, with the turns of the record marked by it.

import { postForm, sendOnce } from "../forms.js";
import { followJob } from "../job.js";
import { fetchPage } from "../refresh.js";
import { tryLine } from "./study_line.js";
import { refreshRecord } from "./study_record.js";
import { root, say } from "./study_requests.js";
import { pitOf } from "./study_tree.js";

/** Load the style sheet of what is drawn here. */
function loadStyles() {
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: new URL("game_analysis.css", import.meta.url),
  });
  const loaded = new Promise((done, fail) => {
    link.onload = done;
    link.onerror = () => fail(new Error(link.href));
  });
  document.head.append(link);
  return loaded;
}

export class GameAnalysis {
  constructor(study, tabs) {
    this.study = study;
    this.tabs = tabs;
    this.panel = root.querySelector("[data-analysis]");
    [this.judgement, this.words, this.better] = ["judgement", "judged-words", "better"].map((name) =>
      root.querySelector(`[data-${name}]`),
    );
    this.rows = new Map(); // of the table, by ply
    this.trying = null; // the row of a mistake that the reader wants to do better
    study.watchers.push(() => this.show());
    root.querySelector("[data-try-myself]").addEventListener("click", () => this.challenge(this.study.node));
    this.better.addEventListener("click", () => this.reveal());
    this.panel.addEventListener("submit", (event) => {
      event.preventDefault();
      sendOnce(event.target, () => this.send(event.target, event.submitter));
    });
    this.panel.addEventListener("click", (event) => {
      if (event.target.closest("[data-next-mistake]")) this.goToNextMistake();
    });
    addEventListener("pagehide", () => this.job?.abort());
    loadStyles()
      .catch((error) => this.fail(error))
      .then(() => this.load());
  }

  fail(error) {
    if (error.name === "AbortError") return;
    const place = this.panel.querySelector("[data-judging-error]") ?? this.panel;
    place.textContent = say("failed", { error: error.message });
  }

  async load(url = this.panel.dataset.analysis) {
    try {
      this.draw(await fetchPage(url), url);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ask for an analysis, cancel one, or write it into the record; the answer is the page as it is then. */
  async send(form, submitter) {
    try {
      const { page, url } = await postForm(form, submitter);
      this.draw(page, url);
      if ("notes" in form.dataset) await refreshRecord(this.study);
    } catch (error) {
      this.fail(error);
    }
  }

  draw(page, url) {
    this.job?.abort();
    this.panel.replaceChildren(...page.querySelector("[data-judged]").childNodes);
    this.rows = new Map(Array.from(this.panel.querySelectorAll("tr[data-ply]"), (row) => [row.dataset.ply, row]));
    const graph = this.panel.querySelector(".value-graph");
    if (graph) for (const written of root.querySelectorAll("[data-written-values]")) written.hidden = true;
    for (const part of this.panel.querySelectorAll(".needs-script")) part.hidden = false;
    this.markTurns();
    this.show();
    this.study.markGraphs();
    const working = this.panel.querySelector("[data-job]");
    if (working) {
      this.job = new AbortController();
      followJob(working, this.job.signal).then(
        () => this.load(url),
        (error) => this.fail(error),
      );
    }
    this.panel.dataset.loaded = working ? "job" : "1";
  }

  /** Put the glyphs into the record. */
  markTurns() {
    const { tree } = this.study;
    for (const old of tree.list.querySelectorAll(".judged-glyph")) old.remove();
    for (const [ply, row] of this.rows) {
      const glyph = row.querySelector("[data-glyph]");
      const { element } = tree.get(ply) ?? {};
      if (glyph && element && !element.querySelector(".glyph")) element.append(glyph.cloneNode(true));
    }
    this.marked = tree.nodes;
  }

  goToNextMistake() {
    const mistakes = [...this.rows.keys()].filter((ply) => this.rows.get(ply).matches(".mistake"));
    const here = Number(this.trying ?? this.study.tree.ply(this.study.node));
    this.challenge(mistakes.find((ply) => Number(ply) > here) ?? mistakes[0]);
    this.tabs.choose("this-turn");
  }

  /** Say what the turn on the board lost, but not yet what was better; or how the reader's own try compares. */
  show() {
    const { node, tree } = this.study;
    if (this.marked !== tree.nodes) this.markTurns(); // the record was made anew
    if (this.trying && this.answer(node)) return;
    this.trying = null;
    const row = this.rows.get(node);
    const line = row?.querySelector("[data-line]");
    this.judgement.hidden = !line;
    if (!line) return;
    this.words.textContent = say("lost", { turn: tree.cite(node), seeds: this.lost(node) });
    this.offer(true);
  }

  /** The seeds that a turn lost, as they are written. */
  lost(ply) {
    return this.rows.get(ply).querySelector(".lost").textContent.replace("−", "");
  }

  /** Offer to try, or else to see what was better. */
  offer(toTry) {
    root.querySelector("[data-try-myself]").hidden = !toTry;
    this.better.textContent = say("show");
    this.better.hidden = false;
  }

  /** Before the mistake: what would the reader play? */
  challenge(ply) {
    this.trying = ply;
    this.study.go(String(Number(ply) - 1));
  }

  /** Whether the reader still tries; if they have played, say how it compares. */
  answer(node) {
    const { tree } = this.study;
    const before = String(Number(this.trying) - 1);
    if (node === before) {
      this.judgement.hidden = false;
      this.words.textContent = say("try", { turn: tree.cite(this.trying) });
      this.study.board.point({ start: pitOf(tree.get(this.trying).text, tree.row) });
      this.offer(false);
      return true;
    }
    if (node === this.trying || tree.before(node) !== before) return false;
    const [best] = this.line(this.trying);
    const played = tree.get(node).text.replace(/[x=].*$/, "");
    this.words.textContent = say(played === best ? "right" : "other");
    this.offer(false);
    return true;
  }

  line(ply) {
    return this.rows.get(ply).querySelector("[data-line]").dataset.line.split(" ");
  }

  /** Put the better line into the record, as a variation to look at. */
  async reveal() {
    const ply = this.trying ?? this.study.node;
    this.trying = null;
    try {
      await tryLine(this.study, String(Number(ply) - 1), this.line(ply));
      const { node, tree } = this.study;
      this.words.textContent = say("gain", { turn: tree.cite(node), played: tree.cite(ply), seeds: this.lost(ply) });
      this.judgement.hidden = false;
      root.querySelector("[data-try-myself]").hidden = this.better.hidden = true;
    } catch (error) {
      this.fail(error);
    }
  }
}
