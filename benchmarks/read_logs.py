"""Reading nuttcp's result lines: `hecn_analysis.read` against one regular expression over the same files and pandas.

Many copies of the sample logs with such lines, so that it is the reading that is timed. The peer knows these lines only
and trusts them; ours also finds tool, label, streams and bytes, checks each figure and keeps where it stands. Both give
the same rows, or nothing is timed. The target keeps what a result may cost: some tenths of a millisecond.
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

import hecn_analysis as hecn
from benchmarks.harness import Pair
from hecn_analysis.base import places

COPIES = 50
LINE = re.compile(
    r"(?P<mbps>\d+\.\d+)\s*-?\s*Mbps\s+(?P<tx>\d+)\s*%\s?TX\s+(?P<rx>\d+)\s*%\s?RX\s+"
    r"(?P<retransmits>\d+)\s*(?:=\s*[\d+]+\s*)?retrans\s+(?P<rtt_ms>[\d.]+)\s*ms\s*-?RTT"
)
COLUMNS = ["line_first", "throughput_bps", "cpu_sender_fraction", "cpu_receiver_fraction", "retransmits", "rtt_s"]


@contextmanager
def logs() -> Iterator[Path]:
    """Give a folder with many copies of the sample logs that hold nuttcp's results."""
    with tempfile.TemporaryDirectory(prefix="hecn-bench-") as name:
        for sample in sorted((places.data_dir() / "logs").glob("*.txt")):
            text = sample.read_text(encoding="utf-8")
            for copy in range(COPIES if LINE.search(text) else 0):
                (Path(name) / f"{sample.stem}-{copy:03}.txt").write_text(text, encoding="utf-8")
        yield Path(name)


def plain(folder: Path) -> pd.DataFrame:
    """Read what nuttcp prints as a script would."""
    rows = []
    for path in sorted(folder.iterdir()):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if found := LINE.search(line):
                rows.append(
                    {
                        "line_first": number,
                        "throughput_bps": float(found["mbps"]) * 1e6,
                        "cpu_sender_fraction": float(found["tx"]) / 100,
                        "cpu_receiver_fraction": float(found["rx"]) / 100,
                        "retransmits": int(found["retransmits"]),
                        "rtt_s": float(found["rtt_ms"]) / 1000,
                    }
                )
    return pd.DataFrame(rows)


def assert_same_rows(folder: Path) -> None:
    """Refuse to time two jobs that are not the same."""
    ours = hecn.read(folder).runs
    ours = ours[ours.retransmits.notna()][COLUMNS].astype(float).reset_index(drop=True)
    pd.testing.assert_frame_equal(ours, plain(folder).astype(float), check_dtype=False, rtol=1e-12)


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark while their files are there."""
    with logs() as folder:
        assert_same_rows(folder)
        yield [
            Pair("hecn_analysis.read", "regex + pandas", lambda: hecn.read(folder), lambda: plain(folder), target=25.0)
        ]
