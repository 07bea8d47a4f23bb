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
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        browser = playwright.chromium.launch(executable_path=find_chromium("no picture was taken"), args=arguments)
        pages = _pages(Path(work), names)
        for name in names:
            if name == "app":
                with _app(Path(work)) as address:
                    _both(browser, name, address, target)
            else:
                _both(browser, name, pages[name].as_uri(), target)
        browser.close()


def _pages(work: Path, names: tuple[str, ...]) -> dict[str, Path]:
    """Make the report and the briefs that are shown."""
    if "verdict" in names:
        _hecn("report", data_dir() / "transfers" / "over_time", "-o", work / "report", "--no-pdf")
    if "brief" in names:
        _hecn("brief", "hotlava_tmt", "what_if", "switch_traffic", "-o", work / "briefs", "--no-pdf")
    return {
        "verdict": work / "report" / "your_own_data.html",
        "brief": work / "briefs" / "what_if.html",
        "briefs": work / "briefs" / "index.html",
    }


def _hecn(*arguments: str | Path) -> None:
    subprocess.run([*HECN, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


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
def _app(work: Path) -> Iterator[str]:
    """Address of the app while it runs."""
    (work / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    command = [*HECN, "app", "scenario.yaml", "--no-browser"]
    with subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None  # noqa: S101 - for the type checker
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


if __name__ == "__main__":
    main()
