// The form for rules of a local game: an answer that is chosen is shown at once.

const CHOSEN = "inkeek.rules.chosen"; // the field, which is looked at again on the page with its answer

const form = document.querySelector("[data-rules-form]");
const chosen = document.getElementById(sessionStorage.getItem(CHOSEN));
if (chosen) {
  chosen.focus({ preventScroll: true });
  chosen.scrollIntoView({ block: "center" });
}
sessionStorage.removeItem(CHOSEN);
form.addEventListener("change", ({ target }) => {
  if (!target.matches("select")) return;
  sessionStorage.setItem(CHOSEN, target.id);
  form.requestSubmit();
});
