"""Namespaces of their own for the programs that record data: what they set up in them vanishes with them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable

INSIDE = "--inside-namespaces"


def namespaces() -> list[str] | None:
    """Words that run a program in namespaces of its own, None where they may not be made."""
    base = ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for words in (base, [*base, "--user", "--map-root-user"]):
        if subprocess.run([*words, "ip", "link"], capture_output=True, check=False).returncode == 0:
            return words
    return None


def record_apart(program: str, purpose: str | None, record_all: Callable[[], None]) -> int:
    """Run a program's recordings in namespaces of its own, and return its exit status."""
    parser = argparse.ArgumentParser(description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(INSIDE, action="store_true", dest="inside", help=argparse.SUPPRESS)
    if parser.parse_args().inside:
        record_all()
        return 0
    words = namespaces()
    if words is None:
        print("no namespaces may be made here, and the recordings need them", file=sys.stderr)
        return 1
    return subprocess.run([*words, sys.executable, program, INSIDE], check=False).returncode
