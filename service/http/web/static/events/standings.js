// The standings of a match or an event follow the feed; all texts come from the server.

import { Follower } from "../follow.js";
import { fetchPage, refresh } from "../refresh.js";

new Follower({
  kinds: ["created", "turn", "retraction", "dispute", "ruling", "appeal", "tags", "ended", "correction", "reopening"],
  show: async () => refresh(await fetchPage(location.href)),
  pause: 400,
});
