// Copies the link, and hands the link or a file to the device's own sheet for sharing.

const root = document.querySelector("[data-share]");
const errorText = document.querySelector("[data-error]");
const link = root.querySelector("[data-link]");
const { title, text, copied, wait, failed, ready } = root.dataset;
const files = new Map(); // by address, once they are fetched

/** Whether the device shares such a file. Browsers have a sheet only over TLS, and on this machine. */
function sharesFile({ name, type }) {
  return navigator.canShare?.({ files: [new File([""], name, { type })] }) ?? false;
}

async function fetched(button) {
  const { send, name, type } = button.dataset;
  if (!files.has(send)) {
    const answer = await fetch(send);
    if (!answer.ok) throw new Error(failed);
    files.set(send, new File([await answer.blob()], name, { type }));
  }
  return files.get(send);
}

/** Open the sheet. A browser lets us only soon after a tap: what took longer to fetch waits for the next tap. */
async function send(button) {
  const words = button.textContent;
  try {
    if (button.dataset.send === "link") return await navigator.share({ title, text, url: link.value });
    if (!files.has(button.dataset.send)) button.textContent = wait;
    const file = await fetched(button);
    button.textContent = words === ready ? root.querySelector("[data-send=link]").textContent : words;
    await navigator.share({ files: [file], title, text });
  } catch (error) {
    button.textContent = error.name === "NotAllowedError" ? ready : words;
    if (!["NotAllowedError", "AbortError"].includes(error.name)) errorText.textContent = error.message;
  }
  return undefined;
}

async function copy(button) {
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
  } catch {
    if (!document.execCommand("copy")) return; // it is selected: the reader can copy it
  }
  button.textContent = copied;
}

for (const button of root.querySelectorAll(".needs-script")) button.hidden = false;
for (const button of root.querySelectorAll("[data-send]")) {
  button.hidden = !(button.dataset.send === "link" ? navigator.share : sharesFile(button.dataset));
}
root.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.send) {
    errorText.textContent = "";
    send(button);
  } else if (button?.hasAttribute("data-copy")) copy(button);
});
