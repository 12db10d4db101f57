// A hall's boards follow the feed: a turn changes its board at once, and the texts come from the server.

import { Follower, GAME_KINDS, linkState } from "../follow.js";
import { RefusedForm, postForm, sendOnce } from "../forms.js";
import { boards, isNews, refreshBoards } from "./boards.js";
import { CONNECTION_LOST } from "../refresh.js";

const hall = document.querySelector("[data-hall]");

function onEvent(event, kind) {
  if (kind === "board") {
    if (boards.has(event.game) && isNews(event)) follower.update();
    return;
  }
  if (event.position) boards.get(event.game_id)?.show(event.position);
  follower.update();
}

const follower = new Follower({
  kinds: ["board", ...GAME_KINDS],
  show: () => refreshBoards(location.href),
  onEvent,
  pause: 400,
});

/** Answer a board's question here, without leaving the hall. */
hall.addEventListener("submit", (event) => {
  event.preventDefault();
  const { target: form, submitter } = event;
  sendOnce(form.closest("[data-fresh]"), async () => {
    try {
      await postForm(form, submitter);
      await follower.update();
    } catch (error) {
      linkState.textContent = error instanceof RefusedForm ? error.message : CONNECTION_LOST;
    }
  });
});

// What nothing in the feed tells of, such as that an event is over, standings show within a minute.
if (document.querySelector(".wall-standings")) setInterval(() => follower.update(), 60_000);
