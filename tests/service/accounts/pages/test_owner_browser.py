"""What administers the service needs the link that signed in, which a script keeps, in a real browser."""

from datetime import timedelta

import pytest

from inkeek.service.http.access.caller import LINK

pytestmark = pytest.mark.browser
HOUR = timedelta(hours=1)


@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_makes_tokens_with_scripts_and_without_them_soon_after_signing_in(
    browser, served, services, monkeypatch, scripts
):
    link = services.keys.create(LINK, "Owner", ("admin",), HOUR)[1]
    context = browser.new_context(java_script_enabled=scripts)
    try:
        page = context.new_page()
        page.goto(f"{served}/sign-in?key={link}")
        page.click("button.strong")

        def create(name):
            page.goto(f"{served}/tokens")
            page.fill("form.sheet [name=name]", name)
            page.check("form.sheet [value=read]")
            page.click("form.sheet button")
            return [key.name for key in services.keys.list() if key.kind == "token"]

        assert create("soon") == ["soon"]
        monkeypatch.setattr("inkeek.service.http.access.keys.FRESH", timedelta())
        assert create("later") == (["soon", "later"] if scripts else ["soon"])
    finally:
        context.close()
