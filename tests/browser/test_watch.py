"""The pages of ``hecn watch``: light or dark as the system is, narrow enough for a phone, accessible, by keyboard."""

import pytest

from hecn_analysis.cli import main


@pytest.fixture(scope="module")
def watched(root, tmp_path_factory):
    """The pages of the shipped runs over time: a grid, and the series that it links to."""
    folder = tmp_path_factory.mktemp("watch")
    source = root / "data" / "transfers" / "over_time"
    main(["watch", str(source), "--archive", str(folder / "archive"), "-o", str(folder / "out"), "--once"])
    (series,) = (folder / "out").glob("series-*.html")
    return folder / "out" / "index.html", series


@pytest.mark.parametrize(("width", "scheme"), [(1300, "dark"), (400, "light")])
@pytest.mark.parametrize("which", [0, 1])
def test_page_can_be_read(watched, browser, which, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(watched[which].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["id"], [part["html"] for part in each["nodes"]][:3]) for each in violations] == []
    page.close()


def test_the_keyboard_goes_from_the_grid_to_a_series_and_back(watched, browser):
    grid, series = watched
    page = browser.new_page()
    page.goto(grid.as_uri())
    for target, text in ((series, "19.3 Mb/s"), (grid, "All pairs")):
        page.keyboard.press("Tab")
        if not page.evaluate("document.activeElement.matches('a')"):  # the grid itself scrolls
            page.keyboard.press("Tab")
        assert text in page.evaluate("document.activeElement.textContent")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        page.wait_for_url(target.as_uri())
    page.close()
