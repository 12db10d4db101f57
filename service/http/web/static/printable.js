// The title of the page at the head of each sheet of paper.

document.documentElement.style.setProperty("--paper-title", JSON.stringify(document.title.slice(0, 100)));
