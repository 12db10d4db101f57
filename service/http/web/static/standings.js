// The standings of a match or an event follow the feed; all texts come from the server.

import { followFeed, gathered } from "./feed.js";
import { fetchPage, refresh } from "./refresh.js";

const KINDS = ["created", "turn", "retraction", "dispute", "ruling", "appeal", "tags", "ended", "correction", "reopening"];

const part = document.querySelector("[data-standings]");
const update = gathered(async () => refresh(await fetchPage(location.href)));
followFeed(part, KINDS, update, update);
