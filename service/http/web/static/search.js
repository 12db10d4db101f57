// The key "/" leads to the field that finds everything; where a narrow page has none, to the page of the search.

import "./names.js";

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  const field = document.querySelector("[aria-keyshortcuts='/']");
  if (!field) return;
  event.preventDefault();
  if (field.checkVisibility()) field.select();
  else location.assign(field.form.action);
});
