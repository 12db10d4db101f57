"""The device's own sheet for sharing."""

SHEET = """
window.shared = [];
navigator.canShare = ({ files }) => files.every((file) => file.type !== "text/plain");
navigator.share = async ({ url, files: [file] = [] }) => {
  shared.push(url ?? `${file.name} ${file.type} ${file.size}`);
};
"""


def test_the_devices_sheet_gets_the_link_and_the_files_that_it_takes(watch, new_game):
    game_id = new_game(1)
    page = watch.open(f"/games/{game_id}/share")
    assert page.locator("[data-send]:visible").count() == 0
    page.add_init_script(SHEET)
    page.reload()
    page.click("[data-send=link]")
    assert page.locator("[data-type='text/plain']:visible").count() == 0
    page.click("[data-type='image/png']")
    page.wait_for_function("() => shared.length === 2")
    link, file = page.evaluate("shared")
    assert link == page.input_value("[data-link]")
    name, kind, size = file.split()
    assert (name, kind) == (f"inkeek-{game_id}-1.png", "image/png")
    assert int(size) > 10_000


def test_the_button_of_the_review_shares_the_turn_that_is_shown(watch, new_game):
    page = watch.open(f"/games/{new_game(3)}/review?ply=1")
    page.click("[data-step=next]")
    page.click("[data-share-turn]")
    page.wait_for_url("**/share?ply=2")
