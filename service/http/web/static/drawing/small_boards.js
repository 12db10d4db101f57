// Lays the seeds into the small boards of a page that does not change.

import { SmallBoard } from "./small_board.js";

for (const svg of document.querySelectorAll("svg.small")) new SmallBoard(svg);
