"""Search for inputs that break the readers: ``python -m fuzz.run GROUP --minutes 10``; `make fuzz` runs all groups.

An input is a file. The search starts from the sample logs; what it changes is lines (taken from other samples,
repeated, cut, joined, swapped), words and numbers in them, the packing around them, and bytes. Atheris guides it by the
branches that an input reaches. What breaks (`fuzz.checks`) is made smaller, line by line and then byte by byte, and
kept in fuzz/regressions/GROUP, where the tests try it from then on; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import io
import lzma
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import atheris

with atheris.instrument_imports(include=["hecn_analysis.logs"]):
    from fuzz import checks

LONGEST: Final = 1 << 14
MEMORY_MEBIBYTES: Final = 2048
_WORD: Final = re.compile(rb"[A-Za-z_%/]+|[-+]?[\d.,]+|\s+|[^\w\s]")
_NUMBERS: Final = (
    *(b"0", b"-1", b"1", b"0.0", b"-0.001", b"1e309", b"1e-320", b"nan", b"-nan", b"inf", b"9" * 30, b"0" * 30, b"."),
    *(
        b"18446744073709551616",
        b"9223372036854775808",
        b"4294967295",
        b"1,5",
        b"1.234.567",
        b"1_000",
        b"1e5",
        b"",
        b"-",
    ),
    *("\u0661\u0662".encode(), "\u00b2".encode(), b"2262-04-12 00:00:00", b"0001-01-01", b"99:99:99"),
)
_BETWEEN: Final = (
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\x00",
    b"\x1b[31m",
    b"\t",
    b"\xff",
    b"> ",
    b"2026-01-31T12:00:00Z ",
    b"[  5] ",
)
_MAGIC: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd", b"PK\x03\x04")


def _tar(content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        member = tarfile.TarInfo("a.log")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def _zip(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", content)
    return made.getvalue()


_PACKINGS: Final[tuple[Callable[[bytes], bytes], ...]] = (
    gzip.compress,
    bz2.compress,
    lzma.compress,
    _tar,
    _zip,
    lambda content: content.decode("latin-1").encode("utf-16"),
)


class Mutator:
    """Changes of an input.

    Parameters
    ----------
    group
        The group of `checks.GROUPS` whose samples give lines.
    """

    def __init__(self, group: str) -> None:
        self._packs = group == "wrappers"
        self._lines = [line for path in checks.samples(group) for line in path.read_bytes().splitlines(keepends=True)]
        self._lines = sorted(set(self._lines))

    def __call__(self, data: bytes, most: int, seed: int) -> bytes:
        """Change an input a few times."""
        rng = random.Random(seed)  # noqa: S311 - for trying, not for secrets
        if data.startswith(_MAGIC) or rng.random() < 0.1:
            return atheris.Mutate(data, most)[:most]
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = self._changed(data, rng)
        if self._packs and rng.random() < 0.2:
            data = rng.choice(_PACKINGS)(data)
        return data[:most]

    def _changed(self, data: bytes, rng: random.Random) -> bytes:
        lines = data.splitlines(keepends=True) or [b"\n"]
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(9):
            case 0:
                lines.insert(at, rng.choice(self._lines))
            case 1:
                start = rng.randrange(len(self._lines))
                lines[at:at] = self._lines[start : start + rng.randint(2, 6)]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                del lines[min(at, other) : max(at, other) + rng.randint(0, 1)]
            case 4:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)] + (b"\n" if rng.random() < 0.5 else b"")
            case 5:
                lines[at] = lines[at].rstrip(b"\r\n") + rng.choice(_BETWEEN) + lines[other]
            case 6:
                lines.insert(at, lines[other] * rng.choice((1, 1, 3, 40)))
            case _:
                lines[at] = self._line(lines[at], rng)
        return b"".join(lines)

    def _line(self, line: bytes, rng: random.Random) -> bytes:
        words = _WORD.findall(line)
        if not words:
            return line
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                words[at] = rng.choice(_NUMBERS)
            case 1:
                numbers = [place for place, word in enumerate(words) if word[:1].isdigit()]
                words[rng.choice(numbers or [at])] = rng.choice(_NUMBERS)
            case 2:
                words[at] = words[rng.randrange(len(words))]
            case 3:
                del words[at]
            case 4:
                others = _WORD.findall(rng.choice(self._lines)) or [b" "]
                words[at:at] = others[: rng.randint(1, len(others))]
        return b"".join(words)


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
