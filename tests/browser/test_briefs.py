"""Every brief, on a screen and on paper, and the index over all of them: a real browser opens them without a network.

The briefs are made once, into pytest's cache: those that are unchanged since the last run of the tests are not made
again, as by `make brief`.
"""

import re
import subprocess

import nbformat
import numpy as np
import pytest

from hecn_analysis import briefs

NAMES = briefs.brief_names()
WIDE, NARROW, HEIGHT = 1280, 380, 800
MOST_BYTES = 6e6
CHECKED = {"nbval-check-output"}
DPI = 40
FREE_MM = 12  # of the right margin of 15 mm

# What of a figure says that something was drawn: marks of a trace, a shape, or words in place of data.
MARKS = (
    ".trace, .point, .sankey, .slice, .barlayer path, .imagelayer image, .heatmaplayer image, .shapelayer path, "
    ".infolayer .annotation"
)
WORD = re.compile(r"[A-Za-z]{4,}")


@pytest.fixture(scope="module")
def made(request):
    folder = request.config.cache.mkdir("briefs")
    for old in folder.glob("*.json"):
        if old.stem not in NAMES:
            old.unlink()
    return {result.name: result for result in briefs.make_briefs(["all"], folder, progress=False)}


def checked(path):
    """Outputs of the cells of a notebook whose numbers must not change, as text."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if CHECKED & set(cell.metadata.get("tags", []))]
    return [[output.data["text/plain"] for output in cell.outputs] for cell in cells]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_that_are_stored(name, made):
    """The same as nbval does with a notebook, of the run that the brief was made of."""
    result = made[name]
    assert result.error is None
    stored = checked(briefs.briefs()[name].notebook)
    assert stored
    assert checked(result.notebook) == stored


@pytest.fixture(scope="module")
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture
def visit(made, browser):  # noqa: ARG001  (the briefs first: they use browsers of their own)
    """Open a page, light and wide, network off; gives it, and what it asked for or complained of."""
    context = browser.new_context(viewport={"width": WIDE, "height": HEIGHT}, color_scheme="light", offline=True)
    context.set_default_timeout(120_000)  # a page draws when the machine finds the time

    def open_page(path, part=""):
        page = context.new_page()
        trouble = []
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda asked: trouble.append(asked.url) if not is_own(asked.url, path) else None)
        page.on("requestfailed", lambda asked: trouble.append(f"failed: {asked.url[:80]}"))
        page.goto(f"{path.as_uri()}{part}", wait_until="load")
        return page, trouble

    yield open_page
    context.close()


def is_own(url, path):
    return url == path.as_uri() or url.startswith("data:")


def sideways(page):
    """How much wider than the window the page is. [px]"""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def unreadable(page, axe):
    """Elements whose text has too little contrast."""
    found = axe.run(page, options={"runOnly": ["color-contrast"]}).response
    assert any(one["id"] == "color-contrast" for one in found["passes"])
    return [node["html"] for one in found["violations"] for node in one["nodes"]]


def drawn(page):
    """For each figure how many marks it has, and how far it stands out of the window. [px]"""
    return page.evaluate(
        f"""[...document.querySelectorAll('.plot')].map(plot => [
            plot.querySelectorAll('{MARKS}').length,
            Math.max(...[...plot.querySelectorAll('.main-svg')].map(s => s.getBoundingClientRect().right - innerWidth)),
        ])"""
    )


def settle(page):
    """Wait until the figures have followed the window, which they do when the browser finds the time."""
    for _ in range(100):
        if all(out <= 0 for _, out in drawn(page)):
            break
        page.wait_for_timeout(100)


@pytest.mark.parametrize("name", NAMES)
def test_brief_is_complete_on_a_screen_wide_and_light_narrow_and_dark(name, made, visit, axe):
    result = made[name]
    assert (result.error, result.remarks) == (None, ())
    page, trouble = visit(result.html)
    expected = page.locator("figure[id^=figure-]").count()
    for step in ("wide and light", "narrow and dark"):
        if step == "narrow and dark":
            page.set_viewport_size({"width": NARROW, "height": HEIGHT})
            page.emulate_media(color_scheme="dark")
            settle(page)
        figures = drawn(page)
        assert len(figures) == expected, step
        assert all(marks > 0 for marks, _ in figures), (step, figures)
        assert all(out <= 0 for _, out in figures), (step, figures)
        assert sideways(page) <= 0, step
        assert unreadable(page, axe) == [], step
    assert trouble == []


@pytest.mark.parametrize("name", NAMES)
def test_brief_has_one_run_id_and_is_small(name, made):
    result = made[name]
    text = result.html.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert text.count("plotly.js v") <= 1
    for path in (result.html, result.notebook, result.json):
        assert result.run_id in path.read_text(encoding="utf-8"), path.name


def pages_of(pdf, pdftotext):
    """Text of each page of a PDF."""
    done = subprocess.run([pdftotext, "-layout", pdf, "-"], capture_output=True, text=True, check=True)
    return done.stdout.split("\f")[:-1]


def looks_of(pdf, folder):
    """Each page of a PDF as brightness from 0 to 255."""
    subprocess.run(["pdftoppm", "-gray", "-r", str(DPI), pdf, folder / "page"], check=True)
    for path in sorted(folder.glob("page*.pgm")):
        _, size, _, pixels = path.read_bytes().split(b"\n", 3)
        width, height = map(int, size.split())
        yield np.frombuffer(pixels, dtype=np.uint8).reshape(height, width)


@pytest.mark.parametrize("name", NAMES)
def test_paper_has_numbered_pages_whole_figures_and_nothing_in_its_margin(name, made, pdftotext, visit, tmp_path):
    result = made[name]
    pages = pages_of(result.pdf, pdftotext)
    numbers = [re.search(r"Page (\d+) of (\d+)", page).groups() for page in pages]
    assert numbers == [(str(number), str(len(pages))) for number in range(1, len(pages) + 1)]
    assert result.run_id in pages[-1]
    for number, look in enumerate(looks_of(result.pdf, tmp_path), start=1):
        margin = look[:, -round(FREE_MM / 25.4 * DPI) :]
        assert margin.min() > 250, f"page {number} goes on to the right of the paper"
        assert look.min() < 200, f"page {number} is empty"
    page, _ = visit(result.html, "#print")  # the figures as they are on paper
    texts = page.evaluate(
        "[...document.querySelectorAll('.plot')].map(plot => [...plot.querySelectorAll('.main-svg :is(text, tspan)')]"
        ".flatMap(e => [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.textContent)).join(' '))"
    )
    for number, text in enumerate(texts, start=1):
        (own,) = [page for page in pages if re.search(rf"^\s*Figure {number}\.", page, re.MULTILINE)]
        assert set(WORD.findall(text)) <= set(WORD.findall(own)), f"figure {number} is split"


def test_index_is_complete_with_and_without_scripts(made, visit, browser, axe):
    index = next(iter(made.values())).html.parent / "index.html"
    page, trouble = visit(index)
    articles = page.locator("article.brief")
    assert articles.count() == len(NAMES)
    broken = "[...document.querySelectorAll('.picture img')].filter(i => !i.complete || !i.naturalWidth).length"
    assert page.evaluate(broken) == 0
    with_figures = sum(bool(result.html.read_text(encoding="utf-8").count('class="plot"')) for result in made.values())
    assert page.locator(".picture img").count() == with_figures
    for width, scheme in ((WIDE, "light"), (NARROW, "dark")):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme)
        assert sideways(page) <= 0
        assert unreadable(page, axe) == []
    page.get_by_label("Search").fill("TMT hotlava")
    assert [one.get_attribute("id") for one in articles.all() if one.is_visible()] == ["hotlava_tmt"]
    assert page.locator("#found").text_content() == f"1 of {len(NAMES)} briefs"
    page.get_by_label("Search").fill("")
    assert all(one.is_visible() for one in articles.all())
    assert trouble == []
    assert index.stat().st_size < MOST_BYTES
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(index.as_uri())
    assert all(one.is_visible() for one in plain.locator("article.brief").all())
    assert not plain.get_by_label("Search").is_visible()
    plain.context.close()


def test_figure_is_saved_from_the_page_as_svg_and_png(made, visit, tmp_path):
    page, trouble = visit(made["hotlava_tmt"].html)
    box = page.locator("#figure-2 .plot")
    box.scroll_into_view_if_needed()
    for form, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        box.hover()
        with page.expect_download() as waiting:
            page.locator(f"#figure-2 [data-title='Save as {form.upper()}']").click()
        waiting.value.save_as(tmp_path / form)
        assert waiting.value.suggested_filename == f"hotlava_tmt-figure-2.{form}"
        assert (tmp_path / form).read_bytes().startswith(start)
    assert [one for one in trouble if not one.startswith("blob:")] == []
