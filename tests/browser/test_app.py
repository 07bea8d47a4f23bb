"""`hecn app` in a real browser that reaches no host but this one: what a reader sees, by keyboard alone.

One server and one page for most of it: a page takes seconds to start.
"""

import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml

from hecn_analysis.hardware import load_scenario
from hecn_analysis.prediction import predict

PATIENCE = 120_000  # milliseconds that a page may take where many tests share a processor
MINE = "sender: b\nreceiver: b\npath: netem-80ms-10ge\ntool: nuttscp\n"
EXACT = '.hecn-app[data-exact="true"]'


def children(pid):
    """Processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for task in tasks for word in (task / "children").read_text().split()]


def is_alive(pid):
    return Path(f"/proc/{pid}").exists()


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The server with a scenario of one's own, and its address; at the end it is interrupted as Ctrl-C does."""
    folder = tmp_path_factory.mktemp("here")
    (folder / "mine.yaml").write_text(MINE)
    command = [sys.executable, "-m", "hecn_analysis", "app", "mine.yaml", "--no-browser"]
    with (
        (folder / "stderr.txt").open("w+") as errors,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True) as running,
    ):
        address = running.stdout.readline().strip()
        yield running, address
        left = children(running.pid)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        until(lambda: not any(is_alive(pid) for pid in left))
        errors.seek(0)
        assert "Traceback" not in errors.read()


def opened(browser, address, *, width=1440, scheme="light"):
    """Page of the app with all its numbers, and what went wrong on the way."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            wrong.append(f"asked for {request.url}")
            if not re.match(rf"(http|ws)://{re.escape(address.split('/')[2])}/|data:|blob:", request.url)
            else None
        ),
    )
    page.goto(address, timeout=PATIENCE)
    page.wait_for_selector(EXACT)
    page.wait_for_function("document.querySelectorAll('.hecn-app .plot .main-svg').length >= 2")
    return page, wrong


@pytest.fixture(scope="module")
def page(browser, server):
    found, wrong = opened(browser, server[1])
    yield found
    assert wrong == []
    found.context.close()


def number(page):
    return page.inner_text(".hecn-app .number")


def tab_to(page, label):
    """Reach a control by the tabulator alone."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.labels?.[0]?.firstChild.textContent") == label:
            return
    raise AssertionError(f"no tabulator leads to {label}")


def status(address):
    try:
        with urllib.request.urlopen(address) as answer:  # noqa: S310 (our own server)
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_without_the_token_nothing_is_shown(server):
    bare = server[1].split("?")[0]
    for address in (bare, f"{bare}?token=wrong", f"{bare}?token=", f"{bare}voila/files/what_if.ipynb"):
        code, text = status(address)
        assert code == 403, address
        assert "hecn-app" not in text
        assert "kernel" not in text.lower()


def test_only_this_machine_is_listened_on(server):
    port = int(server[1].split(":")[2].split("/")[0])
    listening = {
        line.split()[1]
        for name in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(name).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    }
    assert listening == {f"0100007F:{port:04X}"}


def test_page_shows_the_throughput_the_ladder_the_map_and_the_cost(page, tmp_path):
    (tmp_path / "mine.yaml").write_text(MINE)
    assert number(page) == f"{predict(load_scenario(tmp_path / 'mine.yaml')).throughput_bps / 1e9:.2f}"
    assert "core 1 of the receiver" in page.inner_text(".hecn-app .sentence")
    for name, words in {"ladder": "core 1 of the receiver", "map": "binds"}.items():
        assert words in page.inner_text(f'.hecn-app [data-name="{name}"] .plot')
    assert "USD" in page.inner_text(".hecn-app .notes")


def test_slider_moved_by_keyboard_changes_the_number_and_its_reset_brings_it_back(page):
    before = number(page)
    tab_to(page, "Round-trip time")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"document.querySelector('.hecn-app .number').textContent !== '{before}'")
    page.wait_for_selector(EXACT)
    shown = page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    assert shown == page.evaluate("document.activeElement.parentElement.querySelector('output').textContent")
    assert float(number(page)) < float(before)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelector('.hecn-app .number').textContent === '{before}'")


def test_scenario_that_is_saved_predicts_what_is_shown_and_opens_again(page, tmp_path):
    page.get_by_label("Path", exact=True).select_option("lan-10ge")
    page.wait_for_function("document.querySelector('.hecn-app pre').textContent.includes('lan-10ge')")
    page.wait_for_selector(EXACT)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").press("Enter")
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert yaml.safe_load(saved.read_text())["path"] == "lan-10ge"
    found = predict(load_scenario(saved))
    assert f"{found.throughput_bps / 1e9:.2f}" == number(page)
    page.get_by_role("button", name="Start again").press("Enter")
    page.wait_for_function("document.querySelector('.hecn-app pre').textContent.includes('netem-80ms')")
    page.locator('input[type="file"]').set_input_files(saved)
    page.wait_for_function("document.querySelector('.hecn-app pre').textContent.includes('lan-10ge')")


def test_what_cannot_be_is_said_and_read_aloud(page, tmp_path):
    wrong = tmp_path / "mine.yaml"
    wrong.write_text("sender: b\nreceiver: nobody\npath: lan-10ge\ntool: nuttcp\n")
    page.locator('input[type="file"]').set_input_files(wrong)
    alarm = page.get_by_role("alert")
    alarm.filter(has_text="mine.yaml:2: found host 'nobody'").wait_for()
    page.get_by_role("button", name="Start again").press("Enter")
    page.wait_for_function("document.querySelector('.hecn-app .alarm').textContent === ''")


def test_scenario_of_somebody_else_is_shown_as_text(page, tmp_path):
    attack = "EVIL<img src=x onerror=\"window.hacked=1\"><a href='javascript:window.hacked=2'>k</a>"
    opened_file = tmp_path / "theirs.yaml"
    path = {"title": attack, "rate": "10 Gb/s", "rtt": "80 ms", "mtu": 9000, "source": attack}
    opened_file.write_text(yaml.safe_dump({"sender": "b", "receiver": "b", "path": path, "tool": "nuttcp"}))
    page.locator('input[type="file"]').set_input_files(opened_file)
    page.wait_for_function("document.querySelector('.hecn-app pre').textContent.includes('EVIL<img')")
    page.wait_for_selector(EXACT)
    opened_file.write_text(yaml.safe_dump({"sender": "b", "receiver": attack, "path": "lan-10ge", "tool": "nuttcp"}))
    page.locator('input[type="file"]').set_input_files(opened_file)
    page.get_by_role("alert").filter(has_text="EVIL<img").wait_for()
    assert page.evaluate("window.hacked ?? null") is None
    assert page.locator(".hecn-app img, .hecn-app a[href^=javascript], .hecn-app .main-svg a").count() == 0
    page.get_by_role("button", name="Start again").press("Enter")
    page.wait_for_function("document.querySelector('.hecn-app .alarm').textContent === ''")
    page.wait_for_selector(EXACT)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (380, "dark")])
def test_page_fits_and_can_be_read(page, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"document.querySelector('.hecn-app').dataset.theme === '{scheme}'")
    page.wait_for_timeout(300)  # of a transition
    for summary in page.locator(".hecn-app summary").all():
        if summary.evaluate("each => !each.parentElement.open"):
            summary.press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    told = [(each["id"], [part["html"] for part in each["nodes"]][:3]) for each in found]
    assert told == []


def test_kernel_ends_with_its_page(browser, server, page):
    before = set(children(server[0].pid))
    other, wrong = opened(browser, server[1], width=800)
    assert (number(other), wrong) == (number(page), [])
    (kernel,) = set(children(server[0].pid)) - before
    other.close(run_before_unload=True)
    until(lambda: not is_alive(kernel))
    assert all(is_alive(pid) for pid in before)
    other.context.close()
