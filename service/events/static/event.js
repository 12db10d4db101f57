// An event with rounds follows the feed: boards change where they lie, and the texts come from the server.

import { isNews, refreshBoards } from "./boards.js";
import { Follower, GAME_KINDS } from "../follow.js";
import { pageAddress } from "../refresh.js";

const follower = new Follower({
  kinds: ["board", ...GAME_KINDS],
  show: () => refreshBoards(pageAddress()),
  onEvent: (event, kind) => (kind !== "board" || isNews(event)) && follower.update(),
  pause: 400,
});
