// Comments, NAGs and variations, edited where they stand in the list. Every change is one event with its author.

import { sendOnce } from "../forms.js";
import { refreshRecord } from "./study_record.js";
import { ask, root, say } from "./study_requests.js";
import { partsOf } from "./study_tree.js";

const CONFLICT = [409, 412];

export class Editing {
  constructor(study) {
    this.study = study;
    this.refused = root.querySelector("[data-error]");
    this.annotations = null; // those of the game as it was at the event `seq`
    this.seq = null;
  }

  /** Do what a button says. */
  press(button) {
    if (button.dataset.nag) this.toggleNag(Number(button.dataset.nag));
    else if (button.matches("[data-save]")) this.saveTried();
    else if (button.dataset.edit === "new") this.comment(this.study.node, null);
    else if (button.dataset.edit === "comment")
      this.comment(button.closest("[data-on]").dataset.on, button.closest("[data-annotation]"));
    else if (confirm(say("discard")))
      this.change(async () => ({ remove: [await this.known(button.dataset.annotation)] }));
  }

  /** The annotations as they are stored; read once for each version of the game. */
  async stored() {
    if (this.seq !== root.dataset.seq) {
      const { seq } = root.dataset;
      this.annotations = (await ask(`${root.dataset.api}/annotations`)).items;
      this.seq = seq;
    }
    return this.annotations;
  }

  async known(id) {
    const one = (await this.stored()).find((each) => each.id === id);
    return one ? { id, seq: one.seq } : { id };
  }

  /** The stored variation that a node is in, with the ply of it that the node is, both to be changed. */
  async inVariation(id) {
    const lines = (await this.stored()).filter((each) => each.variation && each.ply === this.study.tree.ply(id));
    const annotation = lines[Number(/v(\d+)/.exec(id)[1]) - 1];
    const variation = structuredClone(annotation.variation);
    return { annotation, variation, ...this.find(variation, id) };
  }

  /** Send changes of annotations and show the record as it is then. Returns whether they were stored. */
  async change(make) {
    this.refused.textContent = "";
    try {
      const body = await make();
      await ask(`${root.dataset.api}/annotations`, { body, headers: { "If-Match": `"${root.dataset.seq}"` } });
      await refreshRecord(this.study);
      return true;
    } catch (error) {
      const text = CONFLICT.includes(error.status) ? say("changed") : error.message;
      if (CONFLICT.includes(error.status)) await refreshRecord(this.study);
      this.refused.textContent = text;
      return false;
    }
  }

  async toggleNag(nag) {
    const { node, tree } = this.study;
    await this.change(async () => {
      if (partsOf(node)) {
        const { annotation, variation, ply } = await this.inVariation(node);
        const nags = ply.nags ?? [];
        ply.nags = nags.includes(nag) ? nags.filter((each) => each !== nag) : [...nags, nag];
        return { change: [{ id: annotation.id, seq: annotation.seq, variation }] };
      }
      const there = (await this.stored()).find((each) => each.ply === tree.ply(node) && each.nag === nag);
      return there ? { remove: [{ id: there.id, seq: there.seq }] } : { add: [{ ply: tree.ply(node), nag }] };
    });
  }

  /** Open the editor of a comment in the list: of the one that stands in `place`, or of a new one on the node. */
  async comment(node, place, text = null) {
    root.querySelector("[data-editor]")?.remove();
    const { tree } = this.study;
    if (tree.isTried(node)) return;
    const inner = partsOf(node) ? await this.inVariation(node) : null;
    const written = text ?? place?.dataset.written ?? inner?.ply.comments?.[0] ?? "";
    const id = place?.dataset.annotation ?? null;
    const form = Object.assign(document.createElement("form"), { className: "comment-editor" });
    form.dataset.editor = "";
    const field = Object.assign(document.createElement("textarea"), {
      value: written,
      maxLength: 4000,
      rows: 3,
      required: true,
    });
    field.setAttribute("aria-label", node === "0" ? say("start") : say("comment", { turn: tree.cite(node) }));
    const button = (name, type = "button") =>
      Object.assign(document.createElement("button"), { type, className: "small", textContent: say(name) });
    const [save, remove, cancel] = [button("save", "submit"), button("remove"), button("cancel")];
    form.append(field, save, ...(written && (id || inner) ? [remove] : []), cancel);
    const row = place ?? tree.get(node).element?.closest(".pair, .variation");
    if (row) row.after(form);
    else tree.list.prepend(form);
    field.focus();
    const send = async (value) => {
      const stored = await this.change(async () => {
        if (inner) {
          const { annotation, variation, ply } = await this.inVariation(node);
          ply.comments = [value, ...(ply.comments ?? []).slice(1)].filter(Boolean);
          return { change: [{ id: annotation.id, seq: annotation.seq, variation }] };
        }
        if (!id) return { add: [{ ply: Number(node), comment: value }] };
        const known = await this.known(id);
        return value ? { change: [{ ...known, comment: value }] } : { remove: [known] };
      });
      // The list may have been made anew: what was typed comes back in it.
      if (!stored && !form.isConnected)
        await this.comment(node, id ? tree.list.querySelector(`[data-annotation="${id}"]`) : null, value || written);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sendOnce(form, () => send(field.value.trim()));
    });
    remove.addEventListener("click", () => sendOnce(form, () => send("")));
    cancel.addEventListener("click", () => form.remove());
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") form.remove();
    });
  }

  /** Save all turns that were tried, as variations: all of them, or none. */
  async saveTried() {
    const { tree } = this.study;
    const first = tree.tried().filter((node) => {
      const inner = partsOf(node.id);
      // What begins a tried line, or goes on a stored one; lines on tried turns are saved within these.
      return inner.at > 1 ? !tree.isTried(`${inner.line}.${inner.at - 1}`) : !tree.isTried(inner.on);
    });
    if (first.some((node) => tree.ply(node.id) > tree.plies)) {
      this.refused.textContent = say("end");
      return;
    }
    await this.change(async () => {
      const add = [];
      const changed = new Map(); // by the id of the annotation
      for (const { id } of first) {
        const inner = partsOf(id);
        if (inner.at === 1 && !partsOf(inner.on)) {
          add.push({ ply: Number(inner.on), variation: tree.variation(id) });
          continue;
        }
        const stored = await this.inVariation(inner.at > 1 ? `${inner.line}.${inner.at - 1}` : inner.on);
        const change = changed.get(stored.annotation.id) ?? {
          id: stored.annotation.id,
          seq: stored.annotation.seq,
          variation: stored.variation,
        };
        const { line, ply } = changed.has(stored.annotation.id)
          ? this.find(change.variation, inner.at > 1 ? `${inner.line}.1` : inner.on)
          : stored;
        if (inner.at > 1) line.plies.push(...tree.variation(id).plies);
        else (ply.variations ??= []).push(tree.variation(id));
        changed.set(change.id, change);
      }
      return { add, change: [...changed.values()] };
    });
  }

  /** The line and the ply of a node within a variation of the main line. */
  find(variation, id) {
    let line = variation;
    let ply = null;
    id.split("v")
      .slice(1)
      .map((step) => step.split(".").map(Number))
      .forEach(([number, at], depth) => {
        if (depth) line = ply.variations[number - 1];
        ply = line.plies[at - 1];
      });
    return { line, ply };
  }
}
