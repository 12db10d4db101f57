// Says at a pit what a turn from it would do or why it cannot be played.

const LONG_PRESS = 450; // milliseconds
const LONGEST_SHOWN = 4000; // milliseconds that a reason stays

export class Preview {
  constructor(root) {
    this.root = root;
    this.bubble = root.querySelector("[data-bubble]");
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.over(event.target);
    });
    root.addEventListener("focusin", (event) => this.over(event.target));
    root.addEventListener("focusout", () => {
      if (!this.bubble.hidden) this.hide();
    });
    root.addEventListener("pointerdown", (event) => {
      this.held = false;
      this.pressed = event.timeStamp;
      clearTimeout(this.timer);
      const target = event.target;
      if (event.pointerType !== "mouse")
        this.timer = setTimeout(() => {
          this.held = this.over(target);
        }, LONG_PRESS);
    });
    for (const kind of ["pointerup", "pointercancel", "pointermove"]) {
      root.addEventListener(kind, (event) => {
        if (kind !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 6) clearTimeout(this.timer);
      });
    }
    // A busy device hears late of the end of a tap: only the times of the events say how long it was.
    root.addEventListener("pointerup", (event) => {
      this.held &&= event.timeStamp - this.pressed >= LONG_PRESS;
    });
    root.addEventListener("contextmenu", (event) => {
      if (this.held) event.preventDefault();
    });
  }

  /** What the page says of a pit: the button or list of moves with its number. */
  control(pit) {
    return this.root.querySelector(`[data-enter] [data-pit="${pit}"]`);
  }

  /** Show what the pit or button under a pointer would do; returns whether there is something to show. */
  over(target) {
    const place = target.closest?.(".enterable .pit, [data-enter] [data-pit]");
    if (this.root.matches(".laying-out, .waiting") || this.root.querySelector("[data-directions] button")) return false;
    if (!place) {
      this.hide();
      return false;
    }
    const control = this.control(place.dataset.pit);
    const words = target.closest("[data-preview]")?.dataset.preview ?? control?.dataset.preview ?? control?.dataset.why;
    if (!words) {
      this.hide();
      return false;
    }
    this.show(place.dataset.pit, words);
    return true;
  }

  /** Why a pit cannot be played, for a moment. */
  refuse(pit) {
    const why = this.control(pit)?.dataset.why;
    if (why) this.show(pit, why, LONGEST_SHOWN);
  }

  show(pit, words, time) {
    clearTimeout(this.hiding);
    this.bubble.textContent = words;
    this.bubble.hidden = false;
    this.root.querySelector(".pit.shown")?.classList.remove("shown");
    this.root.querySelector(`.board .pit[data-pit="${pit}"]`)?.classList.add("shown");
    this.place(pit);
    if (time) this.hiding = setTimeout(() => this.hide(), time);
  }

  place(pit) {
    const drawn = this.root.querySelector(`.board .pit[data-pit="${pit}"] .hollow`);
    if (!drawn) return;
    const hollow = drawn.getBoundingClientRect();
    const width = this.bubble.offsetWidth;
    const left = Math.min(
      Math.max(hollow.left + hollow.width / 2 - width / 2, 4),
      document.documentElement.clientWidth - width - 4,
    );
    const above = hollow.top - this.bubble.offsetHeight - 6;
    this.bubble.style.left = `${left}px`;
    this.bubble.style.top = `${above > 4 ? above : hollow.bottom + 6}px`;
  }

  hide() {
    clearTimeout(this.hiding);
    this.bubble.hidden = true;
    this.root.querySelector(".pit.shown")?.classList.remove("shown");
  }
}
