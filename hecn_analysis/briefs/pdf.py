"""A brief as PDF: Chromium, which need not be there, prints the HTML with the layout that it has for paper."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from hecn_analysis.errors import HecnError, MissingProgramError
from hecn_analysis.files import whole

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TIME_LIMIT_S = 60
DATES = re.compile(rb"/(?:CreationDate|ModDate) \(D:[^)]*\)")


class PdfError(HecnError):
    """Chromium did not print."""


def find_chromium(without: str = "no PDF was made") -> str:
    """Path of the browser.

    Parameters
    ----------
    without
        What there is not, without a browser.

    Returns
    -------
    str
        Where the first of `PROGRAMS` is that is installed.

    Raises
    ------
    MissingProgramError
        None is installed; the message says what to install.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, PATH=""):
    ...     find_chromium()
    Traceback (most recent call last):
    hecn_analysis.errors.MissingProgramError: no PDF was made: Chromium is not installed; install it ...
    """
    for name in PROGRAMS:
        if found := shutil.which(name):
            return found
    raise MissingProgramError(
        f"{without}: Chromium is not installed; "
        "install it (Debian, Ubuntu: apt install chromium; Fedora: dnf install chromium)"
    )


def can_draw() -> bool:
    """Whether a browser is installed.

    Returns
    -------
    bool
        The answer: without one there is neither PDF nor picture.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, PATH=""):
    ...     can_draw()
    False
    """
    return any(map(shutil.which, PROGRAMS))


def write_pdf(html: Path, pdf: Path, *, time_limit_s: float = TIME_LIMIT_S) -> None:
    """Print a brief.

    The same HTML gives the same PDF: the time of printing is taken out.

    Parameters
    ----------
    html
        The brief.
    pdf
        The file to write.
    time_limit_s
        How long Chromium may take. [s]

    Raises
    ------
    MissingProgramError
        No Chromium is installed.
    PdfError
        Chromium failed or took too long.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, PATH=""):
    ...     write_pdf(Path("brief.html"), Path("brief.pdf"))
    Traceback (most recent call last):
    hecn_analysis.errors.MissingProgramError: no PDF was made: Chromium is not installed; install it ...
    """
    program = find_chromium()
    with tempfile.TemporaryDirectory(prefix="hecn-chromium-") as private:
        printed = Path(private) / "brief.pdf"
        command = [
            program,
            "--headless",
            "--no-sandbox",  # it opens nothing but our own page, which forbids all requests; root has no other way
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--no-pdf-header-footer",
            f"--user-data-dir={private}/profile",
            f"--print-to-pdf={printed}",
            f"{html.resolve().as_uri()}#print",
        ]
        said = _run(command, time_limit_s)
        if not printed.is_file():
            raise PdfError(f"no PDF was made: {program} said: {(said.strip().splitlines() or ['nothing'])[-1]}")
        whole.write(pdf, DATES.sub(lambda found: b" " * len(found[0]), printed.read_bytes()))


def _run(command: list[str], time_limit_s: float) -> str:
    """Run Chromium and give what it said; end it with all processes that it started when it takes too long."""
    with subprocess.Popen(  # noqa: S603  (no shell; a session of its own)
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    ) as process:
        try:
            return process.communicate(timeout=time_limit_s)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise PdfError(f"no PDF was made: {command[0]} took longer than {time_limit_s:g} s") from None
