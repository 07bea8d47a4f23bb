"""What must hold for a file of any bytes, and the groups of readers that are searched one after another.

`check` is what the search runs for each input, and what the tests run for each input that has once been found.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from hecn_analysis.base import tables
from hecn_analysis.files import packed, streams
from hecn_analysis.files.opening import File
from hecn_analysis.files.source import Source
from hecn_analysis.logs import read, registry
from hecn_analysis.logs.contract import RunFindings

ROOT: Final = Path(__file__).resolve().parent.parent
REGRESSIONS: Final = Path(__file__).parent / "regressions"
SECONDS_PER_MEBIBYTE: Final = 2.0

_SAMPLES: Final = (ROOT / "tests" / "logs" / "samples", ROOT / "data" / "samples")
_MEMORY: Final = (
    *("nuttcp", "nttcp", "ttcp", "ntttcp", "iperf2", "iperf3", "netperf", "perftest", "qperf", "sockperf", "ethr"),
    "speedtest",
)
_PATHS: Final = ("ping", "fping", "traceroute", "mtr", "ss", "owping", "twping", "tc", "flent", "pscheduler")
_WRAPPED: Final = ("session", "neighbours", "nuttcp", "dd", "iperf3", "fio", "mtr", "flent", "pscheduler", "speedtest")
_FOLDERS: Final = {path.name for place in _SAMPLES for path in place.iterdir()}
GROUPS: Final = {
    "memory": _MEMORY,
    "files": tuple(sorted(_FOLDERS - {*_MEMORY, *_PATHS, "session", "neighbours"})),  # and whatever is new
    "paths": _PATHS,
    "wrappers": _WRAPPED,
}
"""Group -> the folders of samples whose lines it starts from."""


def samples(group: str) -> list[Path]:
    """Sample logs of a group: those of the tests and those recorded."""
    return [path for place in _SAMPLES for name in GROUPS[group] for path in sorted((place / name).glob("*"))]


class Broken(AssertionError):  # noqa: N818 - it says what the reading is
    """A reading that is not as documented."""


@contextmanager
def written(content: bytes, suffix: str = ".log") -> Iterator[Path]:
    """Give a file of these bytes, in memory where the system has a place for that."""
    memory = Path("/dev/shm")  # noqa: S108 - the file's name is random
    with tempfile.NamedTemporaryFile(dir=memory if memory.is_dir() else None, suffix=suffix) as file:
        file.write(content)
        file.flush()
        yield Path(file.name)


def _sources(path: Path) -> Iterator[Source]:
    """The file as lines, or the members of the archive that it is."""
    return map(Source, packed.texts("a.log", File(str(path)), streams.FREE_BY_LINES))


def check(content: bytes) -> None:
    """Read bytes as a file and check what comes out, row by row and without making the tables."""
    with written(content) as path, warnings.catch_warnings():
        warnings.simplefilter("error")
        for source in _sources(path):
            findings = RunFindings(source.name)
            registry.read(source.lines(), findings)
            runs, streams, blocks = findings.tables(source.content_hash)
            _ = source.problems
            for table, rows in (("runs", runs), ("streams", streams), ("problems", findings.problems)):
                for row in rows:
                    if faults := tables.faults(table, row):
                        raise Broken(f"{table}: {list(faults.values())} in {row}")
            for block in blocks:
                lengths = {len(values) for values in block.arrays.values()}
                if lengths - {block.length}:
                    raise Broken(f"intervals of {lengths} rows, expected {block.length}")
            tables.concatenate("intervals", blocks)


def check_tables(content: bytes) -> None:
    """Read bytes as users do and check the tables: dtypes, that they refer to each other, figures that can be."""
    with written(content) as path, warnings.catch_warnings():
        warnings.simplefilter("error")
        reading = read(path)
    for table in ("runs", "streams", "intervals", "problems"):
        columns = tables.COLUMNS[table]
        found = {name: str(dtype) for name, dtype in getattr(reading, table).dtypes.items()}
        if found != {column.name: column.dtype for column in columns.values()}:
            raise Broken(f"{table}: columns {found}")
    names = {(row.source_file, row.run) for row in reading.runs.itertuples()}
    for table in (reading.streams, reading.intervals):
        if not {(row.source_file, row.run) for row in table.itertuples()} <= names:
            raise Broken("streams or intervals of no run")
    if not len(reading.runs) + len(reading.problems):
        raise Broken("neither a run nor a problem")
    figures = reading.runs.select_dtypes("float64").to_numpy()
    if np.isinf(figures).any():
        raise Broken("an infinite figure")


def seconds_per_mebibyte(content: bytes, size: int = 1 << 20) -> float:
    """Time for reading the bytes, repeated until they make a mebibyte, in a process without the search's probes.

    What is packed counts as long as it is when it is unpacked.
    """
    repeated = content * max(1, size // max(1, len(content)))
    with written(repeated) as path:
        done = subprocess.run(  # noqa: S603 - this module
            [sys.executable, "-m", "fuzz.checks", str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    seconds, length = map(float, done.stdout.split())
    return seconds * (1 << 20) / max(length, len(repeated))


def main() -> None:
    """Print the processor time for reading a file, and its length in characters."""
    path = Path(sys.argv[1])
    start = time.process_time()
    read(path)
    seconds = time.process_time() - start
    print(seconds, sum(len(line.text) for source in _sources(path) for line in source.lines()))


if __name__ == "__main__":
    main()
