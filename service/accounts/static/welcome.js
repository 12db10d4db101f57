// While the service opens again, for other devices or only for this one: look until it answers, and go on. If it goes
// from http to https or back, it no longer answers here when it is there.

const EVERY = 500; // milliseconds
const REOPENED = 1500; // after it no longer answers

const next = document.querySelector("[data-opening]");

async function answers() {
  try {
    return (await fetch("/healthz")).ok;
  } catch {
    return false;
  }
}

async function look() {
  const stays = next.protocol === location.protocol;
  if ((await answers()) !== stays) setTimeout(look, EVERY);
  else if (stays) location.assign(next.href);
  else setTimeout(() => location.assign(next.href), REOPENED);
}

if (next) setTimeout(look, 3 * EVERY);
