"""Light and dark pages: what a reader's system asks for, the button, the figures, the contrast, and paper."""

import re

import pytest

from hecn_analysis.figures import theme

READABLE = 4.5  # the least contrast of text, WCAG 2.1, 1.4.3


def luminance(colour):
    """Relative luminance of "#rrggbb" or "rgb(…)", WCAG 2.1."""
    numbers = (
        [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        if colour.startswith("#")
        else [int(one) for one in re.findall(r"\d+", colour)[:3]]
    )
    parts = [one / 255 / 12.92 if one <= 10 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in numbers]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture
def visit(browser):
    """Open a page on a system of this colour scheme."""
    contexts = []

    def open_page(path, scheme):
        contexts.append(browser.new_context(color_scheme=scheme, offline=True))
        page = contexts[-1].new_page()
        page.goto(path.as_uri(), wait_until="load")
        return page

    yield open_page
    for one in contexts:
        one.close()


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def ink_of_figures(page):
    """Colours of all that is written in figures."""
    return set(
        page.evaluate(
            "[...document.querySelectorAll('.plot .main-svg text')].filter(t => t.textContent.trim())"
            ".map(t => getComputedStyle(t).fill)"
        )
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_of_a_page_can_be_read(made, visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in (made.html, made.html.parent / "index.html"):
        page = visit(path, scheme)
        found = axe.run(page, options={"runOnly": ["color-contrast"]}).response
        assert [node["html"] for one in found["violations"] for node in one["nodes"]] == []
        assert any(one["id"] == "color-contrast" for one in found["passes"])


@pytest.mark.parametrize(("scheme", "paper"), [("light", theme.PAPER), ("dark", theme.DARK[theme.PAPER])])
def test_page_and_figures_are_as_the_system_is(made, visit, scheme, paper):
    page = visit(made.html, scheme)
    assert luminance(ground(page)) == pytest.approx(luminance(paper))
    papers = page.evaluate("[...document.querySelectorAll('.plot')].map(p => p._fullLayout.paper_bgcolor)")
    assert papers == [paper] * 2
    inks = ink_of_figures(page)
    assert inks
    assert min(contrast(one, paper) for one in inks) >= READABLE


def test_button_changes_page_and_figures_and_its_choice_is_kept(made, visit):
    page = visit(made.html, "light")
    page.get_by_role("button", name="Dark page").click()
    assert luminance(ground(page)) == pytest.approx(luminance(theme.DARK[theme.PAPER]))
    assert min(contrast(one, theme.DARK[theme.PAPER]) for one in ink_of_figures(page)) >= READABLE
    page.reload(wait_until="load")
    assert luminance(ground(page)) == pytest.approx(luminance(theme.DARK[theme.PAPER]))
    page.goto((made.html.parent / "index.html").as_uri())
    page.get_by_role("button", name="Light page").click()
    assert luminance(ground(page)) == 1


def test_paper_is_light_whatever_the_screen_is(made, visit):
    page = visit(made.html, "dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(27, 31, 36)"
    assert page.locator("button.theme").is_hidden()
    papers = page.evaluate("[...document.querySelectorAll('.plot')].map(p => p._fullLayout.paper_bgcolor)")
    assert papers == [theme.PAPER] * 2


# the theme


@pytest.mark.parametrize("shown", [lambda colour: colour, theme.DARK.get], ids=["light", "dark"])
def test_text_can_be_read_and_marks_stand_out(shown):
    paper = shown(theme.PAPER)
    assert min(contrast(shown(one), paper) for one in (theme.INK, theme.MUTED)) >= READABLE
    # Marks have an outline of ink; lines have none, and are of these colours.
    assert min(contrast(one, paper) for one in (theme.BLUE, theme.VERMILION, theme.GREEN)) >= 3


def test_dark_figure_has_nothing_of_the_light_page_and_shows_the_same():
    light, _ = theme.draw_rows(labels=["a"], x_title="Throughput (Gb/s)", legend_entries=1)
    light.add_trace(theme.measured_trace([1.0], [0.5], ["a.log:3"]))
    light.add_bar(x=[2.0], y=[0.5], marker=theme.bar_marker(theme.BLUE, striped=True))
    dark = theme.dark(light)
    for colour, other in theme.DARK.items():
        assert colour in light.to_json()
        assert colour not in dark.to_json()
        assert other in dark.to_json()
    assert dark.data[1].marker.color == theme.BLUE
    assert [list(one.x) for one in dark.data] == [list(one.x) for one in light.data]


def test_figures_have_no_colours_of_their_own(root):
    """A colour that is not in the theme has no dark one."""
    for path in sorted((root / "hecn_analysis" / "figures").glob("*.py")):
        if path.name != "theme.py":
            assert re.findall(r"#[0-9a-fA-F]{6}\b|rgba?\(", path.read_text()) == [], path.name
