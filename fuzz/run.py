"""Search for inputs that break the readers: ``python -m fuzz.run GROUP --minutes 10``; `make fuzz` runs all groups.

An input is a file. The search starts from the sample logs; what it changes is lines (taken from other samples,
repeated, cut, joined, swapped), words and numbers in them, the packing around them, and bytes. Atheris guides it by the
branches that an input reaches. What breaks (`fuzz.checks`) is made smaller, line by line and then byte by byte, and
kept in fuzz/regressions/GROUP, where the tests try it from then on; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Final

import atheris

with atheris.instrument_imports(include=["hecn_analysis.logs", "hecn_analysis.parsing"]):
    from fuzz import checks

from fuzz import mutations

LONGEST: Final = 1 << 14
MEMORY_MEBIBYTES: Final = 2048
_PACKINGS: Final = tuple(mutations.PACKINGS.values())


class Mutator:
    """Changes of an input.

    Parameters
    ----------
    group
        The group of `checks.GROUPS` whose samples give lines.
    """

    def __init__(self, group: str) -> None:
        self._packs = group == "wrappers"
        self._changes = mutations.Mutator([path.read_bytes() for path in checks.samples(group)])

    def __call__(self, data: bytes, most: int, seed: int) -> bytes:
        """Change an input a few times."""
        rng = random.Random(seed)  # noqa: S311 - for trying, not for secrets
        if data.startswith(mutations.MAGIC) or rng.random() < 0.1:
            return atheris.Mutate(data, most)[:most]
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = self._changes.lines(data, rng)
        if self._packs and rng.random() < 0.2:
            data = rng.choice(_PACKINGS)(data)
        return data[:most]


def fault(content: bytes) -> str | None:
    """Say what is wrong with the reading of an input, as the same words for the same defect."""
    start = time.process_time()
    try:
        checks.check(content)
        if hashlib.sha256(content).digest()[0] < 4:
            checks.check_tables(content)
    except RecursionError:
        return "RecursionError"
    except Exception as error:  # noqa: BLE001 - that it raises is the finding
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "hecn_analysis" in frame.filename]
        place = f"{Path(frames[-1].filename).stem}-{frames[-1].lineno}" if frames else "checks"
        return f"{type(error).__name__}-{place}"
    limit = 10 * checks.SECONDS_PER_MEBIBYTE * len(content) / (1 << 20) + 0.3  # probes make it slower
    if time.process_time() - start > limit and checks.seconds_per_mebibyte(content) > checks.SECONDS_PER_MEBIBYTE:
        return "slow"
    return None


def smaller(content: bytes, words: str, seconds: float = 20.0) -> bytes:
    """Leave out what an input does not need in order to break in the same way."""
    until = time.monotonic() + (0 if words == "slow" else seconds)
    for split in (
        lambda text: text.splitlines(keepends=True),
        lambda text: [text[i : i + 1] for i in range(len(text))],
    ):
        parts = split(content)
        size = max(1, len(parts) // 2)
        while time.monotonic() < until:
            at = 0
            while at < len(parts) and time.monotonic() < until:
                shorter = parts[:at] + parts[at + size :]
                if fault(b"".join(shorter)) == words:
                    parts = shorter
                else:
                    at += size
            if size == 1:
                break
            size = max(1, size // 2)
        content = b"".join(parts)
    return content


class Search:
    """The inputs tried so far.

    Parameters
    ----------
    group
        A key of `checks.GROUPS`.
    """

    def __init__(self, group: str) -> None:
        self._group = group
        self._found: set[str] = set()

    def __call__(self, content: bytes) -> None:
        """Try one input."""
        words = fault(content)
        if words is None or words in self._found:
            return
        self._found.add(words)
        kept = smaller(content, words)
        path = checks.REGRESSIONS / self._group / f"{words}-{hashlib.sha256(kept).hexdigest()[:8]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(kept)
        print(f"\nfound {words}: {path.relative_to(checks.ROOT)}", file=sys.stderr)


def search(group: str, minutes: float) -> None:
    """Search in this process, which ends with it."""
    corpus = Path(__file__).parent / "corpus" / group
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as seeds:
        for number, path in enumerate(checks.samples(group)):
            content = path.read_bytes()
            Path(seeds, f"{number}").write_bytes(content[:LONGEST])
            if group == "wrappers":
                for way, pack in enumerate(_PACKINGS):
                    Path(seeds, f"{number}-{way}").write_bytes(pack(content[:LONGEST]))
        arguments = [
            *("fuzz", str(corpus), seeds, f"-max_total_time={minutes * 60:.0f}", f"-max_len={LONGEST}", "-timeout=120"),
            *(
                f"-rss_limit_mb={MEMORY_MEBIBYTES}",
                "-report_slow_units=120",
                "-print_final_stats=1",
                "-reload=0",
                "-verbosity=0",
            ),
            f"-artifact_prefix={checks.REGRESSIONS / group}/",
        ]
        atheris.Setup(arguments, Search(group), custom_mutator=Mutator(group))
        atheris.Fuzz()


def main() -> int:
    """Search for some time and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", choices=checks.GROUPS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        search(options.group, options.minutes)
    folder = checks.REGRESSIONS / options.group
    folder.mkdir(parents=True, exist_ok=True)
    known = set(folder.iterdir())
    command = [sys.executable, "-m", "fuzz.run", options.group, "--minutes", str(options.minutes), "--here"]
    done = subprocess.run(command, cwd=checks.ROOT, check=False)  # noqa: S603 - this module
    found = sorted(path.name for path in set(folder.iterdir()) - known)
    print(f"{options.group}: {len(found)} defects found {found or ''}")
    return 1 if found or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
