// The standings of a match or an event follow the feed; all texts come from the server.

import { Follower, GAME_KINDS } from "../follow.js";
import { fetchPage, pageAddress, refresh } from "../refresh.js";

new Follower({
  kinds: GAME_KINDS,
  show: async () => refresh(await fetchPage(pageAddress())),
  pause: 400,
});
