// The tabs beside the board: one panel is shown at a time, and the choice lasts for the pages of this visit.

const CHOSEN = "inkeek-tab";
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export const isShown = (panel) => !panel.hidden;

const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

export class Tabs {
  constructor(list) {
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) this.choose(tab.getAttribute("aria-controls"));
    });
    list.addEventListener("keydown", (event) => this.step(event));
    this.choose(sessionStorage.getItem(CHOSEN) ?? panelOf(this.tabs[0]).id);
  }

  /** Show a panel by its id. It gets the event `toggle` when it is shown or hidden. */
  choose(id) {
    for (const tab of this.tabs) {
      const panel = panelOf(tab);
      const isChosen = panel.id === id;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (isShown(panel) === isChosen) continue;
      panel.hidden = !isChosen;
      panel.dispatchEvent(new Event("toggle"));
    }
    sessionStorage.setItem(CHOSEN, id);
  }

  step(event) {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation(); // else the arrow is a step through the game too
    const { tabs } = this;
    const next = tabs[(tabs.indexOf(event.target) + by + tabs.length) % tabs.length];
    this.choose(panelOf(next).id);
    next.focus();
  }
}
