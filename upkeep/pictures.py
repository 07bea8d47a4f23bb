"""Pictures of pages: ``make pictures`` makes those of README.md, ``make docs`` those of the documentation.

They show the page of ``hecn report`` for shipped transfers, a brief, the index of briefs, and ``hecn app`` with a
shipped scenario, each light and dark. Chromium takes them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, get_args

from playwright.sync_api import Browser, sync_playwright

from hecn_analysis.base.places import data_dir
from hecn_analysis.briefs.pdf import find_chromium, has_sandbox
from upkeep.palette import with_palette

Theme = Literal["light", "dark"]
HECN: Final = [sys.executable, "-m", "hecn_analysis"]
README: Final = ("verdict", "app")
NAMES: Final = (*README, "brief", "briefs")
SIZE: Final = {"width": 1000, "height": 720}
PATIENCE_MS: Final = 120_000
SCENARIO: Final = "sender: dtn-100g-2024\nreceiver: dtn-100g-2024\npath: lan-100ge\ntool: iperf3\n"


def main() -> None:
    """Write the pictures of README.md into the folder of the command line."""
    take(Path(sys.argv[1]), README)


def take(target: Path, names: tuple[str, ...]) -> None:
    """Write ``NAME-light.png`` and ``NAME-dark.png`` into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    arguments = [] if has_sandbox() else ["--no-sandbox"]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work, _app(Path(work)) as app:
        addresses = _pages(Path(work), names)
        assert app.stdout is not None  # noqa: S101 - for the type checker
        addresses["app"] = app.stdout.readline().strip()
        browser = playwright.chromium.launch(executable_path=find_chromium("no picture was taken"), args=arguments)
        for name in names:
            _both(browser, name, addresses[name], target)
        browser.close()


def _pages(work: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Make the report and the briefs that are shown, at the same time; return their addresses."""
    commands = {
        "verdict": ["report", data_dir() / "transfers" / "over_time", "-o", work / "report"],
        "brief": ["brief", "hotlava_tmt", "what_if", "switch_traffic", "-o", work / "briefs"],
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen([*HECN, *commands[name], "--no-pdf"], **quiet) for name in commands if name in names]
    for process in running:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)
    pages = {"verdict": "report/your_own_data", "brief": "briefs/what_if", "briefs": "briefs/index"}
    return {name: (work / f"{page}.html").as_uri() for name, page in pages.items()}


def _both(browser: Browser, name: str, address: str, target: Path) -> None:
    """Take the first screen of a page, light and dark."""
    for theme in get_args(Theme):
        page = browser.new_page(viewport=SIZE, color_scheme=theme)
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address, timeout=PATIENCE_MS)
        if name == "app":
            page.wait_for_selector('.hecn-app[data-exact="true"]')
        else:
            page.wait_for_load_state("networkidle")
        (target / f"{name}-{theme}.png").write_bytes(with_palette(page.screenshot()))
        page.close()


@contextmanager
def _app(work: Path) -> Iterator[subprocess.Popen[str]]:
    """The app, from its start on; the first line that it prints is its address."""
    (work / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    command = [*HECN, "app", "scenario.yaml", "--no-browser"]
    with subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.terminate()


if __name__ == "__main__":
    main()
