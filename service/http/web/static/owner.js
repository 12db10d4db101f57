// Browsers send cookies to every port of a host, so what administers the service needs more than the session: the used
// link that signed in. What is stored here only pages of this port can read.

const KEPT = "sign-in link";

addEventListener("formdata", ({ formData, target }) => {
  const to = new URL(target.getAttribute("action") ?? "", document.baseURI).pathname; // a control may be named action
  if (to === "/sign-in") localStorage.setItem(KEPT, formData.get("key"));
  else if (to === "/sign-out") localStorage.removeItem(KEPT);
  else if (formData.has("csrf")) formData.append("proof", localStorage.getItem(KEPT) ?? "");
});
