"""A kernel that notes what it reads: ``python -m hecn_analysis.briefs._kernel NOTES -f CONNECTION_FILE``.

The files that are opened for reading and the folders that are listed go to NOTES as they come, one a line, so that they
are there however the kernel ends. What other programs and libraries open by themselves is not seen.
"""

from __future__ import annotations

import os
import runpy
import sys

LISTINGS = ("os.listdir", "os.scandir")
IMPORTER = "importlib"  # in the name of what lists folders to look for modules and packages


def _note_reads(notes: str) -> None:
    """Note from now on what this process reads; this cannot be undone."""
    into = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
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
                os.write(into, line)

    sys.addaudithook(hook)


if __name__ == "__main__":
    _note_reads(sys.argv.pop(1))
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
