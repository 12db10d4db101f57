"""An app in a browser, on another site, asks who is signed in and plays with what it gets."""

from urllib.parse import urlsplit

import pytest
from flask import Flask

from service.http.access.caller import SESSION
from service.http.context import services_of
from tests.service.http.web.club import serving

pytestmark = pytest.mark.browser

APP = """<!doctype html>
<button>Sign in</button>
<output></output>
<script type="module">
  const service = "SERVICE", here = location.origin + "/", output = document.querySelector("output");
  const kept = (name, value = sessionStorage[name]) => (sessionStorage[name] = value);
  const fetched = (path, options) => fetch(service + path, options).then((answer) => answer.json());
  const post = (path, body, headers = {}) =>
    fetched(path, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
  const base64 = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+]/g, "-").replace(/[/]/g, "_").replace(/=/g, "");

  document.querySelector("button").onclick = async () => {
    const wanted = JSON.stringify({ client_name: "Tally", redirect_uris: [here] });
    const places = await fetched("/.well-known/oauth-authorization-server");
    const client_id = kept("client", (await post("/oauth/register", wanted)).client_id);
    const verifier = kept("verifier", base64(crypto.getRandomValues(new Uint8Array(32))));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    location = places.authorization_endpoint + "?" + new URLSearchParams({
      response_type: "code", client_id, redirect_uri: here, scope: "record", state: "s1",
      code_challenge: base64(digest), code_challenge_method: "S256",
    });
  };

  const back = new URLSearchParams(location.search);
  if (back.has("error")) output.value = back.get("error");
  if (back.has("code")) {
    const given = new URLSearchParams({
      grant_type: "authorization_code", client_id: kept("client"), redirect_uri: here,
      code: back.get("code"), code_verifier: kept("verifier"),
    });
    const { access_token } = await fetched("/oauth/token", { method: "POST", body: given });
    const game = await post("/api/v1/games", '{"game": "oware"}', { Authorization: `Bearer ${access_token}` });
    output.value = `${game.id} ${back.get("state")}`;
  }
</script>
"""


@pytest.mark.parametrize("button", ["Allow", "No"])
def test_a_page_of_another_site_gets_the_answer(browser, make, button):
    elsewhere = Flask("elsewhere")
    with serving(elsewhere) as there:
        there = there.replace("127.0.0.1", "localhost")  # another site
        app = make(allowed_origins=there)
        services = services_of(app)
        with serving(app) as base:
            elsewhere.add_url_rule("/", "start", lambda: APP.replace("SERVICE", base))
            context = browser.new_context(viewport={"width": 390, "height": 844})
            secret = services.keys.create(SESSION, "Naisula", ["record"], None)[1]
            cookie = {"name": f"inkeek_{urlsplit(base).port}", "value": secret, "domain": "127.0.0.1", "path": "/"}
            context.add_cookies([{**cookie, "sameSite": "Strict", "httpOnly": True}])
            page = context.new_page()
            page.goto(there)
            page.click("button")
            page.get_by_role("button", name=button, exact=True).click()
            page.wait_for_function("() => document.querySelector('output')?.value")
            said = page.locator("output").inner_text()
            context.close()
        if button == "No":
            assert said == "access_denied"
            assert services.games.page(1) == ([], None)
        else:
            (row,) = services.games.page(2)[0]
            assert said == f"{row.id} s1"
