// Codes follow the address of the machine that serves them: in another network it gets another one.

import { fetchPage, refresh } from "./refresh.js";

const EVERY = 4000; // milliseconds

const code = document.querySelector("[data-address]");

async function look() {
  try {
    const answer = await fetch(code.dataset.look, { cache: "no-store" });
    const { address } = await answer.json();
    if (answer.ok && address !== code.dataset.address) {
      refresh(await fetchPage(location.href), [], ["code", "addresses"]);
      code.dataset.address = address;
      code.querySelector("[data-address-changed]").hidden = false;
    }
  } catch {
    // The page says itself when the connection is lost.
  }
}

if (code) setInterval(look, EVERY);
