// While the service opens again, for other devices or only for this one: look until it answers, and go on. Over the
// other one of http and https no page may look: go on when it should be open.

const EVERY = 500; // milliseconds
const OPENED = 8000;

const next = document.querySelector("[data-opening]");

async function look() {
  try {
    if ((await fetch("/healthz")).ok) {
      location.assign(next.href);
      return;
    }
  } catch {
    // it is not there yet
  }
  setTimeout(look, EVERY);
}

if (next?.protocol === location.protocol) setTimeout(look, 3 * EVERY);
else if (next) setTimeout(() => location.assign(next.href), OPENED);
