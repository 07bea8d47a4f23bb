"""What tests of several rooms share: the checkout, optional programs, and a collection of real logs where there is one.

An optional program that is not installed skips the tests that ask for it, with the package to install as the reason.
With HECN_REQUIRE_ALL set (as in continuous integration) it fails them instead.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# No deadline: how long an example takes is the machine's affair. The same examples each time, so that a test that fails
# was broken by the change at hand; `--hypothesis-profile=fresh` looks at others.
settings.register_profile("hecn", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.load_profile("hecn")

# What `make test` leaves to `make test-all`: folders and modules with kills, live transfers, searches or the wheel, and
# tests that ask for a browser, a transfer tool or the collection of real logs. Others are marked one by one.
SLOW = {"browser", "faults", "live", "test_mutations.py", "test_patterns.py", "test_wheel.py"}
SLOW_FIXTURES = {"browser", "chromium", "corpus", "iperf3", "nuttcp"}
#: Two long files of few tests: one of two workers that began them last would end long after the other.
FIRST = {"test_mutations.py", "test_patterns.py"}


@pytest.hookimpl(tryfirst=True)  # before pytest selects by -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves to `make test-all`, and put the longest files first."""
    items.sort(key=lambda item: item.path.name not in FIRST)
    for item in items:
        is_slow = item.path.suffix == ".ipynb" or not SLOW.isdisjoint(item.path.parts)
        if is_slow or not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


# A browser that does nothing of its own accord, and to which no name leads anywhere.
BROWSER = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
]


def _program(package: str, *names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    reason = f"{names[0]} is not installed (Debian, Ubuntu: apt install {package})"
    if os.environ.get("HECN_REQUIRE_ALL"):
        pytest.fail(f"{reason}, and HECN_REQUIRE_ALL is set")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the checkout."""
    return Path(__file__).resolve().parent.parent


def _with_another(value: Any, other: Any) -> Iterator[Any]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, part in parts:
        for changed in (other, *_with_another(part, other)):
            if isinstance(value, dict):
                yield value | {place: changed}
            else:
                yield [*value[:place], changed, *value[place + 1 :]]


@pytest.fixture(scope="session")
def with_another() -> Callable[[Any, Any], Iterator[Any]]:
    """A value of JSON as often as it has parts, each time with one part replaced by another value."""
    return _with_another


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium or Chrome."""
    return _program("chromium", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A browser that reaches no host but this one; a module that makes briefs makes them before it asks for one."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=chromium, args=BROWSER)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def nuttcp() -> str:
    """Path of nuttcp."""
    return _program("nuttcp", "nuttcp")


@pytest.fixture(scope="session")
def iperf3() -> str:
    """Path of iperf3."""
    return _program("iperf3", "iperf3")


@pytest.fixture(scope="session")
def pdftotext() -> str:
    """Path of pdftotext, which reads back what a PDF says."""
    return _program("poppler-utils", "pdftotext")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of a collection of real logs, named by HECN_CORPUS; tests that read it are skipped without."""
    place = os.environ.get("HECN_CORPUS")
    if not place or not Path(place).is_dir():
        pytest.skip("HECN_CORPUS names no folder")
    return Path(place)
