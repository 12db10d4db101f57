// The analysis of the game in the review: its page, shown in a panel, with the turns of the record marked by it.

import { followJob } from "../job.js";
import { fetchPage } from "../refresh.js";
import { tryLine } from "./study_line.js";
import { refreshRecord } from "./study_record.js";
import { root, say } from "./study_requests.js";

/** Load the style sheet of what is drawn here. */
function loadStyles() {
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: new URL("../review/analysis.css", import.meta.url),
  });
  const loaded = new Promise((done, fail) => {
    link.onload = done;
    link.onerror = () => fail(new Error(link.href));
  });
  document.head.append(link);
  return loaded;
}

export class GameAnalysis {
  constructor(study) {
    this.study = study;
    this.panel = root.querySelector("[data-analysis]");
    this.body = this.panel.querySelector("[data-analysis-body]");
    this.rows = new Map(); // of the table, by ply
    study.watchers.push(() => this.show());
    this.panel.addEventListener("toggle", () => (this.panel.open ? this.load() : this.job?.abort()));
    this.panel.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(event.target, event.submitter);
    });
    this.panel.addEventListener("click", (event) => {
      const line = event.target.closest("[data-line]");
      if (!line) return;
      event.preventDefault();
      this.try(line);
    });
    addEventListener("pagehide", () => this.job?.abort());
    loadStyles()
      .catch((error) => this.fail(error))
      .then(() => this.load());
  }

  fail(error) {
    if (error.name === "AbortError") return;
    const place = this.body.querySelector("[data-judging-error]") ?? this.body;
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
      const answer = await fetch(form.getAttribute("action"), {
        method: "POST",
        body: new URLSearchParams(new FormData(form, submitter)),
      });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok) throw new Error(page.querySelector(".error p")?.textContent ?? answer.statusText);
      this.draw(page, answer.url);
      if ("notes" in form.dataset) await refreshRecord(this.study);
    } catch (error) {
      this.fail(error);
    }
  }

  draw(page, url) {
    this.job?.abort();
    this.body.replaceChildren(...page.querySelector("[data-judged]").childNodes);
    this.rows = new Map(Array.from(this.body.querySelectorAll("tr[data-ply]"), (row) => [row.dataset.ply, row]));
    const graph = this.body.querySelector(".value-graph");
    if (graph) for (const written of root.querySelectorAll("[data-written-values]")) written.hidden = true;
    this.markTurns();
    this.show();
    this.study.markGraphs();
    const working = this.body.querySelector("[data-job]");
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

  /** Show what the turn on the board was worth. */
  show() {
    if (this.marked !== this.study.tree.nodes) this.markTurns(); // the record was made anew
    this.current?.classList.remove("current");
    this.current = this.rows.get(this.study.node) ?? null;
    this.current?.classList.add("current");
  }

  async try(line) {
    const ply = Number(line.closest("tr").dataset.ply);
    try {
      await tryLine(this.study, String(ply - 1), line.dataset.line.split(" "));
    } catch (error) {
      this.fail(error);
    }
  }
}
