// Setting up a board by tapping it: taps, long presses and right clicks. Who extends this says what is in a place, and where it is kept.

const LONG_PRESS = 450; // milliseconds
const MOST = 9999; // seeds in a place

export class BoardTapping {
  /**
   * `figure`: the drawing. `mode`: what a tap does now (`add`, `remove`, `special`, `unknown`; `select`: it selects a place,
   * and adds a seed to the one that is selected); `isActive`: whether taps set up at all.
   */
  constructor(figure, { mode, isActive }) {
    Object.assign(this, { figure, mode, isActive });
    this.row = Number(figure.dataset.row);
    this.listenToBoard();
  }

  add(place, by) {
    const { seeds, mark } = this.read(place);
    if (mark !== 3) this.write(place, { seeds: Math.min(MOST, Math.max(0, (seeds ?? 0) + by)), mark });
  }

  /** Make a pit special for South, for North, or ordinary again. */
  remark(place) {
    const { seeds, mark } = this.read(place);
    if (place < 2 * this.row && mark !== 3) this.write(place, { seeds, mark: (mark + 1) % 3 });
  }

  tap(place, removes) {
    const wasSelected = place === this.selected;
    this.select(place);
    const { seeds, mark } = this.read(place);
    const asked = removes ? "remove" : this.mode();
    if (asked === "unknown") this.write(place, { seeds: seeds === null ? 0 : null, mark });
    else if (asked === "special") this.remark(place);
    else if (asked !== "select" || wasSelected) this.add(place, asked === "remove" ? -1 : 1);
  }

  /** The place that is drawn at an event; null elsewhere, and while nothing is set up. */
  placeAt(event) {
    if (!this.isActive()) return null;
    const pit = event.target.closest(".pit");
    if (pit) return Number(pit.dataset.pit);
    const store = event.target.closest(".store");
    return store ? 2 * this.row + Number(store.dataset.store) : null;
  }

  listenToBoard() {
    let pressed = null; // the timer of a long press
    let since = 0; // when it began
    let held = null; // where a long press took a seed, and what was there: the click after it is no tap
    this.figure.addEventListener("pointerdown", (event) => {
      held = null;
      since = event.timeStamp;
      const place = this.placeAt(event);
      if (place === null || event.pointerType === "mouse") return;
      pressed = setTimeout(() => {
        held = { place, ...this.read(place) };
        this.tap(place, true);
      }, LONG_PRESS);
    });
    for (const kind of ["pointerup", "pointercancel", "pointerleave"])
      this.figure.addEventListener(kind, () => clearTimeout(pressed));
    // A busy device hears late of the end of a tap: only the times of the events say how long it was.
    this.figure.addEventListener("pointerup", (event) => {
      if (!held || event.timeStamp - since >= LONG_PRESS) return;
      this.write(held.place, held);
      held = null;
    });
    this.figure.addEventListener("click", (event) => {
      const place = this.placeAt(event);
      if (place === null) return;
      event.stopPropagation(); // it plays no turn
      if (!held) this.tap(place, false);
    });
    this.figure.addEventListener("contextmenu", (event) => {
      const place = this.placeAt(event);
      if (place === null) return;
      event.preventDefault();
      if (event.pointerType === "mouse") this.tap(place, true); // a touch was a long press already
    });
  }
}
