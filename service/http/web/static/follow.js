// Keeps a page up to date: follows the streams of events that it names in `data-follow`, and fetches it anew when needed.

import { CONNECTION_LOST, UPDATE_FAILED } from "./refresh.js";

// Kinds of events of the feed that lists and standings show.
export const GAME_KINDS = [
  "created",
  "turn",
  "retraction",
  "dispute",
  "ruling",
  "appeal",
  "tags",
  "ended",
  "correction",
  "reopening",
];

const SILENCE = 2500 * Math.max(1, Number(document.body.dataset.heartbeat)); // milliseconds after which two heartbeats are missing
const AGAIN = 3000; // milliseconds until a failed update is repeated, on average: not all pages come again at once

const part = document.querySelector("[data-follow]"); // the addresses of its streams, each from where the page ends
export const linkState = document.querySelector("[data-link-state]");

/** What addresses of streams lead to, wherever each begins. */
const streamsOf = (addresses) => addresses.replaceAll(/\bafter=[0-9.]+/g, "");

export class Follower {
  /**
   * `show`: fetches the page, shows what is new, and returns it. `onEvent`: called with each event of these `kinds`, by default those that the page names, and
   * its kind; else the page is updated. `pause`: milliseconds in which events share an update.
   */
  constructor({ kinds = part.dataset.kinds.split(" "), show, onEvent = () => this.update(), pause = 0 }) {
    Object.assign(this, { kinds, show, onEvent, pause });
    this.streams = [];
    this.isLost = false; // whether a stream has no connection
    this.failed = ""; // why the last update failed
    this.open();
    addEventListener("pagehide", () => {
      this.isHidden = true;
      this.close();
    });
    addEventListener("pageshow", (event) => {
      this.isHidden = false;
      if (event.persisted) this.resume();
    });
    addEventListener("online", () => this.resume());
    // A device that slept does not know that its connection is gone.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.resume();
    });
  }

  open() {
    if (this.isHidden) return;
    this.streams = part.dataset.follow.split(" ").map((address) => {
      const url = new URL(address, location);
      url.searchParams.set("heartbeat", "true");
      const stream = new EventSource(url); // when it connects again, it goes on after the last id
      for (const kind of this.kinds)
        stream.addEventListener(kind, ({ data }) => this.onEvent(JSON.parse(data) ?? {}, kind)); // null: the game has no board any more
      this.expect(stream);
      // A proxy may open a stream and pass nothing on: only a heartbeat says that it is there.
      stream.addEventListener("heartbeat", () => {
        this.expect(stream);
        stream.isAlive = true;
        if (!this.streams.every(({ isAlive }) => isAlive)) return;
        this.isLost = false;
        part.dataset.following = "1";
        this.report();
      });
      stream.addEventListener("error", () => {
        this.lose(stream);
        if (this.isRefused) this.later();
      });
      return stream;
    });
  }

  /** Connect again, and fetch what the page lacks, if the next heartbeats of a stream do not come. */
  expect(stream) {
    clearTimeout(stream.silence);
    stream.silence = setTimeout(() => {
      this.lose(stream);
      this.resume();
    }, SILENCE);
  }

  lose(stream) {
    stream.isAlive = false;
    this.isLost = true;
    delete part.dataset.following;
    this.report();
  }

  /** Whether a stream was refused: the browser does not connect it again. */
  get isRefused() {
    return this.streams.some(({ readyState }) => readyState === EventSource.CLOSED);
  }

  close() {
    clearTimeout(this.waiting);
    for (const stream of this.streams) {
      clearTimeout(stream.silence);
      stream.close();
    }
    this.streams = [];
    delete part.dataset.following;
  }

  /** Follow again, from where a newly fetched page ends. */
  resume() {
    this.close();
    return this.update();
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => (this.isRefused ? this.resume() : this.update()), AGAIN * (0.5 + Math.random()));
  }

  /** Fetch and show the page: once for all calls within a moment, and again until it succeeds. Never rejects. */
  update() {
    this.isWanted = true;
    this.updating ??= this.updateAll();
    return this.updating;
  }

  async updateAll() {
    try {
      while (this.isWanted) {
        if (this.pause) await new Promise((done) => setTimeout(done, this.pause));
        this.isWanted = false; // before fetching: later events need another update
        const page = await this.show();
        const { follow } = page.querySelector("[data-follow]").dataset;
        if (streamsOf(follow) !== streamsOf(part.dataset.follow)) this.close(); // others matter now
        part.dataset.follow = follow;
      }
      this.failed = "";
      if (!this.streams.length) this.open();
    } catch (error) {
      this.failed = UPDATE_FAILED + error.message;
      this.later();
    } finally {
      this.updating = null;
    }
    this.report();
  }

  report() {
    linkState.textContent = this.isLost ? CONNECTION_LOST : this.failed;
  }
}
