// While the service opens again, for other devices or only for this one: look until it answers.

const EVERY = 500; // milliseconds

async function look() {
  try {
    if ((await fetch("/healthz")).ok) {
      location.assign("/welcome");
      return;
    }
  } catch {
    // it is not there yet
  }
  setTimeout(look, EVERY);
}

if (document.querySelector("[data-opening]")) {
  setTimeout(look, 3 * EVERY);
}
