// Laying out on the live page what stands on the board: an irregular turn, or a rearrangement. Taps on the board set it
// up while the panel is open; the form is sent like the other forms of the page.

import { BoardEditor } from "./board_editor.js";

export class LayOut {
  /** `restore`: shows the board of the record again. */
  constructor(root, restore) {
    this.root = root;
    this.restore = restore;
    this.panel = root.querySelector("#irregular");
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  get form() { return this.panel.querySelector("[data-lay-out]"); }

  get isOpen() { return this.root.classList.contains("laying-out"); }

  /** Lay out while the panel is open. */
  follow() {
    const wanted = location.hash === "#irregular" && this.form !== null;
    if (wanted !== this.isOpen) (wanted ? this.begin() : this.end());
  }

  begin() {
    const { form } = this;
    this.root.classList.add("laying-out");
    const kind = () => form.elements.action.value;
    form.dataset.kind = kind();
    if (this.editor?.root === form) { this.editor.draw(); return; }
    this.editor = new BoardEditor(form, this.root.querySelector("[data-board]"), {
      wanted: Number(form.dataset.seeds),
      totals: JSON.parse(form.dataset.totals),
      mode: () => "select",
      isActive: () => this.isOpen && form === this.editor.root && form.isConnected,
    });
    const send = form.querySelector("[data-save]");
    const show = () => {
      form.dataset.kind = kind();
      send.setAttribute("aria-disabled", !this.editor.isComplete);
    };
    form.addEventListener("drawn", show);
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => {
      if (this.editor.isComplete) return;
      event.preventDefault();
      event.stopPropagation(); // the total says what is missing
    });
    this.editor.draw();
    this.editor.select(Number(form.dataset.first));
  }

  /** Leave the board to the record. */
  end() {
    const form = this.editor.root;
    this.root.classList.remove("laying-out");
    form.reset();
    this.restore();
  }

  /** The page was updated: what was laid out belonged to another turn if the form is a new one. */
  check() {
    if (!this.isOpen || this.editor.root.isConnected) return;
    this.root.classList.remove("laying-out");
    location.hash = "#main";
  }
}
