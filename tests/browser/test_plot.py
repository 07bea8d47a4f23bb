"""The page of ``hecn plot``: light or dark as the system is, narrow enough for a phone, accessible."""

import pytest

from hecn_analysis.cli import main
from hecn_analysis.figures import theme


@pytest.fixture(scope="module")
def plotted(root, tmp_path_factory):
    """A page of runs over time, from a folder whose name is wider than a phone."""
    folder = tmp_path_factory.mktemp("plot")
    target = folder / "runs.html"
    source = folder / ("over_time" * 8)
    source.symlink_to(root / "data" / "transfers" / "over_time")
    assert main(["plot", str(source), "-o", str(target)]) == 0
    return target


@pytest.mark.parametrize(("width", "scheme", "ink"), [(1300, "light", theme.INK), (400, "dark", theme.DARK[theme.INK])])
def test_page_can_be_read(plotted, browser, width, scheme, ink):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(plotted.as_uri())
    label = page.locator(".xtick text").first
    label.wait_for()
    assert label.evaluate("each => getComputedStyle(each).fill") == f"rgb{tuple(bytes.fromhex(ink[1:]))}"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["id"], [part["html"] for part in each["nodes"]][:3]) for each in violations] == []
    page.close()
