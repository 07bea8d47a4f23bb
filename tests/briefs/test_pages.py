"""The written pages, as a browser and a printer show them, with the network off."""

import os
import re
import subprocess

import pytest

from hecn_analysis.base.errors import MissingProgramError
from hecn_analysis.briefs import pdf
from hecn_analysis.briefs.pictures import PictureError, Pictures

from .conftest import HOSTILE  # isort: skip

HEIGHT = 800


@pytest.fixture(params=[380, 1280])
def visit(browser, request):
    """Open a page in a window of this width, network off; gives the page, and what it asked for or complained of."""
    context = browser.new_context(viewport={"width": request.param, "height": HEIGHT}, offline=True)

    def open_page(path):
        page = context.new_page()
        trouble = []
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda asked: trouble.append(asked.url) if asked.url != path.as_uri() else None)
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(path.as_uri(), wait_until="load")
        return page, trouble

    yield open_page
    context.close()


def sideways(page):
    """How much wider than the window the page is. [px]"""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def test_brief_opens_without_network_error_or_sideways_scrolling(made, visit):
    page, trouble = visit(made.html)
    assert page.title() == "Small & simple <brief>"
    drawn = page.evaluate(
        "[...document.querySelectorAll('.plot')].map(p => p.querySelectorAll('.main-svg .point').length)"
    )
    assert len(drawn) == 2
    assert all(drawn), drawn
    right = page.evaluate(
        "[...document.querySelectorAll('.plot .main-svg')].map(s => s.getBoundingClientRect().right - innerWidth)"
    )
    assert max(right) <= 0
    assert sideways(page) <= 0
    assert trouble == []


def test_wide_table_scrolls_in_its_own_box(made, browser):
    page = browser.new_page(viewport={"width": 380, "height": HEIGHT})
    page.goto(made.html.as_uri())
    widths = page.evaluate("[...document.querySelectorAll('.scroll')].map(b => [b.scrollWidth, b.clientWidth])")
    assert widths[0][0] > widths[0][1]
    page.close()


def test_plot_is_interactive(made, browser):
    page = browser.new_page(viewport={"width": 1280, "height": HEIGHT}, offline=True)
    page.goto(made.html.as_uri())
    page.locator("#figure-2").scroll_into_view_if_needed()
    page.locator("#figure-2 .main-svg .point").first.hover(force=True)
    page.wait_for_selector("#figure-2 .hoverlayer .hovertext", timeout=3000)
    assert "logs/" in page.locator("#figure-2 .hoverlayer").text_content()
    page.close()


def test_what_a_log_says_is_text_everywhere(made, visit):
    page, trouble = visit(made.html)
    assert page.title() == "Small & simple <brief>"  # the hostile label would have changed it
    assert HOSTILE in page.locator(".sentence").text_content()
    assert HOSTILE in page.locator("#table-1 td").nth(6).text_content()
    assert page.locator("img").count() == 0
    assert HOSTILE[:20] in page.locator("#figure-1 .annotation").first.text_content()
    assert trouble == []


def test_page_forbids_scripts_and_requests_that_are_not_its_own(made, browser):
    page = browser.new_page()
    refused, answered = [], []
    page.on("requestfailed", lambda request: refused.append((request.url, request.failure)))
    page.on("response", lambda response: answered.append(response.url))
    page.goto(made.html.as_uri())
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://127.0.0.1:9/x onerror=\"document.title=1\">')"
    )
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'document.title=2'}))"
    )
    page.wait_for_timeout(200)
    assert page.title() == "Small & simple <brief>"
    assert refused == [("http://127.0.0.1:9/x", "csp")]
    assert answered == [made.html.as_uri()]
    page.close()


def test_index_opens_without_network_error_or_sideways_scrolling(made, visit):
    page, trouble = visit(made.html.parent / "index.html")
    assert page.title() == "Result briefs"
    assert page.locator("article svg").count() == 1
    assert sideways(page) <= 0
    assert trouble == []


@pytest.mark.slow
def test_html_stays_below_six_megabytes_with_the_library_once(made):
    text = made.html.read_text()
    assert len(text.encode()) < 6e6
    assert text.count("plotly.js v") == 1


def test_pages_name_no_file_to_load(made):
    for path in (made.html, made.html.parent / "index.html"):
        head = re.sub(r"<script>.*?</script>", "", path.read_text(), flags=re.DOTALL)
        assert re.findall(r"<(?:link|script|img|iframe)[^>]+(?:href|src)=(?!\"?data:)", head) == []


# paper


@pytest.fixture(scope="module")
def printed(made, chromium, tmp_path_factory):  # noqa: ARG001  (skips where there is no Chromium)
    path = tmp_path_factory.mktemp("pdf") / "small.pdf"
    pdf.write_pdf(made.html, path)
    return path


def test_every_pdf_page_is_numbered_and_repeats_the_head_of_a_long_table(printed, pdftotext):
    text = subprocess.run([pdftotext, "-layout", printed, "-"], capture_output=True, text=True, check=True).stdout
    pages = text.split("\f")[:-1]
    assert len(pages) > 2
    assert [re.search(r"Page (\d+) of (\d+)", page).groups() for page in pages] == [
        (str(number), str(len(pages))) for number in range(1, len(pages) + 1)
    ]
    rows = [page for page in pages if "8.50 – 9.30" in page]
    assert len(rows) > 1
    assert all("What binds" in page for page in rows)


def test_no_row_or_plot_is_cut_off_on_paper(made, browser):
    """At the width of the paper, nothing stands out of the page."""
    page = browser.new_page(viewport={"width": 680, "height": 1000}, offline=True)
    page.goto(f"{made.html.as_uri()}#print")
    page.emulate_media(media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('table, .plot, .main-svg, pre')].map(e => e.getBoundingClientRect().right - 680)"
    )
    assert max(wide) <= 0.5
    high = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.plot')].map(e => e.getBoundingClientRect().height))"
    )
    assert high <= 890  # a page has room for 259 mm, and the caption
    page.close()


def test_same_html_gives_the_same_pdf(made, printed, tmp_path):
    pdf.write_pdf(made.html, tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == printed.read_bytes()


def test_dates_and_the_first_number_of_a_node_do_not_change_a_pdf():
    first = b"/CreationDate (D:20261128084015+00'00') /ID (node00000064) /ID (node00000065) /Ref (node00000064)"
    second = b"/CreationDate (D:20261128084112+00'00') /ID (node00000071) /ID (node00000072) /Ref (node00000071)"
    assert pdf.repeatable(first) == pdf.repeatable(second)
    assert pdf.repeatable(first).endswith(b"/ID (node00000000) /ID (node00000001) /Ref (node00000000)")


def test_missing_chromium_names_the_package(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingProgramError) as missing:
        pdf.find_chromium()
    assert str(missing.value) == (
        "no PDF was made: Chromium is not installed; "
        "install it (Debian, Ubuntu: apt install chromium; Fedora: dnf install chromium)"
    )


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("sleep 30", "took longer than 0.5 s"),
        ("echo noise >&2; echo broken >&2; exit 3", "said: broken"),
        ("exit 1", "said: nothing"),
    ],
)
def test_failing_chromium_is_one_line(tmp_path, monkeypatch, script, message):
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(pdf, "find_chromium", lambda: str(program))
    with pytest.raises(pdf.PdfError) as failed:
        pdf.write_pdf(tmp_path / "x.html", tmp_path / "x.pdf", time_limit_s=0.5)
    assert str(failed.value) == f"no PDF was made: {program} {message}"
    assert not (tmp_path / "x.pdf").exists()


def as_user(tmp_path, monkeypatch, script):
    """Run as somebody else than root, with a Chromium that does as a script says."""
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.mark.parametrize(("user", "options"), [(0, ["--no-sandbox"]), (1000, [])])
def test_chromium_has_its_sandbox_but_for_root(tmp_path, monkeypatch, user, options):
    as_user(tmp_path, monkeypatch, f'printf "%s\\n" "$@" > "{tmp_path}/arguments.txt"')
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(pdf.PdfError, match="said: nothing"):
        pdf.write_pdf(tmp_path / "x.html", tmp_path / "x.pdf")
    arguments = (tmp_path / "arguments.txt").read_text().splitlines()
    assert [word for word in arguments if word.startswith("--") and "sandbox" in word] == options


NO_SANDBOX = "[7340:7340:1123/155751.488442:ERROR:content/browser/zygote_host/zygote_host_impl_linux.cc:130] "
NO_SANDBOX += "No usable sandbox! If this is a Debian system, please install the chromium-sandbox package"


def test_without_a_sandbox_chromium_is_not_run_and_it_is_said_what_to_do(tmp_path, monkeypatch):
    as_user(tmp_path, monkeypatch, f"echo '{NO_SANDBOX}' >&2; exit 1")
    with pytest.raises(pdf.PdfError) as failed:
        pdf.write_pdf(tmp_path / "x.html", tmp_path / "x.pdf")
    assert str(failed.value) == f"no PDF was made: {pdf.SANDBOX_ADVICE}"
    with Pictures() as pictures, pytest.raises(PictureError) as failed:
        pictures.figure({"data": [], "layout": {}}, "svg")
    assert str(failed.value) == f"no picture was drawn: {pdf.SANDBOX_ADVICE}"
