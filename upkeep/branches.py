"""How many branches of the code do its own tests reach: ``python -m upkeep.branches traffic limits``; `make coverage`.

Each room is run alone, with its own tests and doctests: what the tests of a neighbour reach does not count. A room with
fewer than `WANTED` of its branches reached fails the run; branches that no test reaches are listed, as line → line.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
ROOMS: Final = ("limits", "prediction", "traffic", "logs", "counters", "inventory")
WANTED: Final = 0.95


def measured(room: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """What coverage.py reports of a room; ends the program where its tests fail.

    Parameters
    ----------
    room
        Folder of hecn_analysis, and of tests.
    arguments
        Handed to pytest.
    """
    with tempfile.TemporaryDirectory() as folder:
        data, report = f"--data-file={folder}/data", Path(folder, "report.json")
        run = [sys.executable, "-m", "coverage", "run", data, "--branch", f"--source=hecn_analysis/{room}"]
        tests = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", f"tests/{room}", f"hecn_analysis/{room}"]
        if subprocess.run([*run, *tests, *arguments], cwd=ROOT, check=False).returncode:
            sys.exit(f"The tests of {room} fail: mend them first.")
        told = [sys.executable, "-m", "coverage", "json", data, "--quiet", "-o", str(report)]
        subprocess.run(told, cwd=ROOT, check=True)
        return dict(json.loads(report.read_text(encoding="utf-8")))


def unreached(report: dict[str, Any]) -> list[str]:
    """Lines that name the branches of each file that no test reaches, a line that ends the function as ``end``.

    >>> unreached({"files": {"a.py": {"missing_branches": [[3, 5], [7, -2]]}, "b.py": {"missing_branches": []}}})
    ['a.py: 3 → 5, 7 → end']
    """
    named = {
        file: ", ".join(f"{begin} → {end if end > 0 else 'end'}" for begin, end in found["missing_branches"])
        for file, found in report["files"].items()
    }
    return [f"{file}: {branches}" for file, branches in named.items() if branches]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure rooms, one after another; 1 where one of them has too few."""
    parser = argparse.ArgumentParser(prog="python -m upkeep.branches", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rooms", nargs="*", default=ROOMS, help=f"default: {' '.join(ROOMS)}")
    rooms = parser.parse_args(arguments).rooms
    rows = []
    for room in rooms:
        report = measured(room)
        totals = report["totals"]
        rows.append((room, totals["covered_branches"], totals["num_branches"]))
        print("\n".join(unreached(report)), flush=True)
    print(f"\n{'room':12} branches  reached   share (wanted: {WANTED:.0%})")
    for room, reached, every in rows:
        print(f"{room:12} {every:8} {reached:8} {reached / every:7.2%}")
    return int(any(reached < WANTED * every for _, reached, every in rows))


if __name__ == "__main__":
    sys.exit(main())
