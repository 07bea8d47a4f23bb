"""A brief as PDF: Chromium, which is optional, prints the HTML with its layout for paper."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Final

from hecn_analysis.base.children import Stop, kill_group, private_folder, tied
from hecn_analysis.base.errors import HecnError, MissingProgramError
from hecn_analysis.files import whole

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TIME_LIMIT_S = 60
SANDBOX_ADVICE: Final = (
    "Chromium's sandbox cannot be used here; allow Chromium user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1, its AppArmor profile, or the seccomp profile of the container), "
    "or install its helper (Debian: apt install chromium-sandbox)"
)
SANDBOX_FAULT = re.compile(r"No usable sandbox|Failed to move to new namespace|SUID sandbox helper")
DATES = re.compile(rb"/(?:CreationDate|ModDate) \(D:[^)]*\)")
NODES = re.compile(rb"\(node\d{8}\)")


class PdfError(HecnError):
    """Chromium did not print."""


def find_chromium(without: str = "no PDF was made") -> str:
    """Path of the installed Chromium."""
    for name in PROGRAMS:
        if path := shutil.which(name):
            return path
    raise MissingProgramError(
        f"{without}: Chromium is not installed; "
        "install it (Debian, Ubuntu: apt install chromium; Fedora: dnf install chromium)"
    )


def can_draw() -> bool:
    """Whether Chromium is installed."""
    return any(map(shutil.which, PROGRAMS))


def has_sandbox() -> bool:
    """Whether Chromium runs with its sandbox: always, except for root, for whom Chromium has none."""
    return not hasattr(os, "geteuid") or os.geteuid() != 0


def sandbox_fault(stderr: str) -> str | None:
    """Return advice if Chromium ended because its sandbox cannot be used."""
    return SANDBOX_ADVICE if SANDBOX_FAULT.search(stderr) else None


def sandbox_fault_of(program: str) -> str | None:
    """Start Chromium once; return what to do if it ends because its sandbox cannot be used."""
    with private_folder("chromium") as private:
        try:
            return sandbox_fault(_run(program, private, ["--dump-dom", "about:blank"], TIME_LIMIT_S, Stop()))
        except PdfError:
            return None


def write_pdf(html: Path, pdf: Path, *, time_limit_s: float = TIME_LIMIT_S, stop: Stop | None = None) -> None:
    """Print a brief."""
    program = find_chromium()
    stop = stop or Stop()
    with private_folder("chromium") as private:
        printed = private / "brief.pdf"
        options = ["--no-pdf-header-footer", f"--print-to-pdf={printed}", f"{html.resolve().as_uri()}#print"]
        stderr = _run(program, private, options, time_limit_s, stop)
        stop.check()
        if not printed.is_file():
            last_line = (stderr.strip().splitlines() or ["nothing"])[-1]
            raise PdfError(f"no PDF was made: {sandbox_fault(stderr) or f'{program} said: {last_line}'}")
        whole.write(pdf, repeatable(printed.read_bytes()))


def repeatable(content: bytes) -> bytes:
    """A PDF of Chromium without what differs from one printing to the next: dates, and where its numbers begin."""
    content = DATES.sub(lambda date: b" " * len(date[0]), content)
    numbers = {name: b"(node%08d)" % number for number, name in enumerate(sorted(set(NODES.findall(content))))}
    return NODES.sub(lambda name: numbers[name[0]], content)


def _run(program: str, private: Path, options: list[str], time_limit_s: float, stop: Stop) -> str:
    """Run Chromium without a window and return its stderr; kill its process group if it takes too long."""
    command = [
        *tied(),
        program,
        "--headless",
        *([] if has_sandbox() else ["--no-sandbox"]),
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        f"--user-data-dir={private}/profile",
        *options,
    ]
    with subprocess.Popen(  # noqa: S603  (no shell; a session of its own)
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    ) as process:
        try:
            stop.call(partial(kill_group, process))
            return process.communicate(timeout=time_limit_s)[1]
        except subprocess.TimeoutExpired:
            kill_group(process)
            raise PdfError(f"no PDF was made: {program} took longer than {time_limit_s:g} s") from None
