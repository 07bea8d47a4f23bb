"""Make the pictures of README.md: ``make pictures``, with Chromium.

They show the page of ``hecn report`` for shipped transfers, and ``hecn app`` with a shipped scenario.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from hecn_analysis.base.places import data_dir
from hecn_analysis.briefs.pdf import find_chromium, has_sandbox

HECN: Final = [sys.executable, "-m", "hecn_analysis"]
WIDTH: Final = 1000
PATIENCE_MS: Final = 120_000
SCENARIO: Final = "sender: dtn-100g-2024\nreceiver: dtn-100g-2024\npath: lan-100ge\ntool: iperf3\n"


def main() -> None:
    """Write verdict.png and app.png into the folder of the command line."""
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    arguments = [] if has_sandbox() else ["--no-sandbox"]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=arguments)
        _verdict(browser, Path(work), target / "verdict.png")
        _app(browser, Path(work), target / "app.png")
        browser.close()


def _verdict(browser: Browser, work: Path, target: Path) -> None:
    """Take the first screen of a report."""
    folder = data_dir() / "transfers" / "over_time"
    subprocess.run([*HECN, "report", folder, "-o", work / "report", "--no-pdf"], check=True, stdout=subprocess.DEVNULL)
    page = browser.new_page(viewport={"width": WIDTH, "height": 720})
    page.goto((work / "report" / "your_own_data.html").as_uri())
    page.wait_for_load_state("networkidle")
    page.screenshot(path=target)
    page.close()


def _app(browser: Browser, work: Path, target: Path) -> None:
    """Take the first screen of the app."""
    (work / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    command = [*HECN, "app", "scenario.yaml", "--no-browser"]
    with subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None  # noqa: S101 - for the type checker
        page = browser.new_page(viewport={"width": WIDTH, "height": 720})
        page.set_default_timeout(PATIENCE_MS)
        page.goto(running.stdout.readline().strip(), timeout=PATIENCE_MS)
        try:
            page.wait_for_selector('.hecn-app[data-exact="true"]')
            page.screenshot(path=target)
        finally:
            page.close()
            running.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
