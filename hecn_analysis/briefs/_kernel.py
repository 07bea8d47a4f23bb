"""A kernel that records what it reads: ``python -m hecn_analysis.briefs._kernel NOTES -f CONNECTION_FILE``.

Files opened for reading and folders listed are written to NOTES at once, one per line, so that they survive any end of
the kernel. Files that other programs and compiled libraries open are not recorded.
"""

from __future__ import annotations

import os
import runpy
import sys

LISTINGS = ("os.listdir", "os.scandir")
IMPORTER = "importlib"  # in the file name of callers that list folders to find modules


def _note_reads(notes: str) -> None:
    """Record from now on what this process reads; this cannot be undone."""
    descriptor = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    seen: set[bytes] = set()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY:
                return
        elif event in LISTINGS and IMPORTER not in sys._getframe(1).f_code.co_filename:  # noqa: SLF001
            path = "." if arguments[0] is None else arguments[0]
        else:
            return
        if isinstance(path, (str, bytes)) and b"\n" not in (name := os.fsencode(path)):
            line = (b"F" if event == "open" else b"D") + os.path.abspath(name) + b"\n"  # noqa: PTH100 (links stay)
            if line not in seen:
                seen.add(line)
                os.write(descriptor, line)

    sys.addaudithook(hook)


if __name__ == "__main__":
    _note_reads(sys.argv.pop(1))
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
