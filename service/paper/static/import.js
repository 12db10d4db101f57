// The import: a dropped or chosen file comes into the text, and an error leads to its place there.

const form = document.querySelector("#import");
const text = form?.querySelector("#text");
const file = form?.querySelector("#file");
const refusal = form?.querySelector("[data-refusal]");

async function take(chosen) {
  refusal.textContent = "";
  if (chosen.size > Number(form.dataset.most)) {
    file.value = "";
    refusal.textContent = form.dataset.tooLarge;
    return;
  }
  try {
    text.value = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
    file.value = ""; // what is sent is the text, which can be mended
  } catch {
    const transfer = new DataTransfer(); // not UTF-8: the server says where
    transfer.items.add(chosen);
    file.files = transfer.files;
  }
  form.requestSubmit();
}

function showPlace(line, column) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  const length = Math.max(1, text.value.slice(start).search(/\s|$/));
  text.focus();
  text.setSelectionRange(start, start + length);
  text.scrollTop = ((line - 3) / lines.length) * text.scrollHeight;
}

if (form) {
  const zone = form.querySelector("[data-drop]");
  file.addEventListener("change", () => file.files[0] && take(file.files[0]));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    zone.addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  }
  for (const link of document.querySelectorAll("[data-line]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showPlace(Number(link.dataset.line), Number(link.dataset.column));
    });
  }
  form.dataset.ready = "1";
}
