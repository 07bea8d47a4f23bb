"""Prefixes of loggers and mail do not change the rows."""

from pathlib import Path

import pandas as pd
import pytest

from hecn_analysis.logs import read
from hecn_analysis.logs.network.nuttcp import Nuttcp
from hecn_analysis.parsing import prefixes

SAMPLES = Path(__file__).parent / "samples"
# Lines of these tools begin with a date, end a run at the left margin, or are known by their beginning: a prefix
# hides that. States of fast-cli and lines of CrystalDiskMark and mc are joined with others behind some prefixes. A
# comma in a prefix is one more cell of a table of results.
BY_BEGINNING = {"ceph", "hping", "sysbench", "uperf", "wrk"}
EXCEPT = {
    "mail": {"juicefs"},
    "mail twice": {"juicefs"},
    "ISO 8601": {"diskspd", "warp", "ceph", "globus-task", "ethr", "globus-url-copy", "netperf", "ping"},
    "journal": {"fast-cli"},
    "clock": {"crystal-disk-mark", "fast-cli"},
    "kernel": {"fast-cli", "netperf"},
    "date and time": {
        "diskspd",
        "warp",
        "fast-cli",
        "ceph",
        "globus-task",
        "dsync",
        "ethr",
        "globus-url-copy",
        "netperf",
        "results-table",
    },
    "time and level": {"minio-client", "dd", "juicefs", "netperf", "nuttscp", "ping", "results-table", *BY_BEGINNING},
    "Python": {"minio-client", "dd", "netperf", "nuttscp", "ping", "results-table", *BY_BEGINNING},
}
COLUMNS = [
    "tool",
    "direction",
    "throughput_bps",
    "bytes",
    "duration_s",
    "retransmits",
    "loss_fraction",
    "rtt_avg_s",
    "line_first",
]
PREFIXES = {
    "mail": "> ",
    "mail twice": "> > ",
    "syslog": "Mar  1 10:00:{:02d} dtn1 test[4711]: ",
    "journal": "2026-03-01T10:00:{:02d}+0100 dtn1 test[4711]: ",
    "ISO 8601": "2026-03-01T10:00:{:02d}.123456Z ",
    "date and time": "[2026-03-01 10:00:{:02d},123] ",
    "level": "INFO: ",
    "Python": "2026-03-01 10:00:{:02d},123 - root - INFO - ",
    "time and level": "2026-03-01 10:00:{:02d},123 INFO ",
    "clock": "10:00:{:02d} ",
    "kernel": "[  12.3456{:02d}] ",
    "container": "client-1  | ",
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Folder of the samples without prefixes, named by tool and file, and the runs in it."""
    folder = tmp_path_factory.mktemp("bare")
    for sample in SAMPLES.glob("*/*.txt"):
        if sample.parent.name != "neighbours":
            lines = sample.read_text(errors="replace").splitlines()
            (folder / f"{sample.parent.name}@{sample.name}").write_text("\n".join(lines) + "\n")
    return folder, read(folder).runs


@pytest.mark.slow  # every sample; tests/parsing/test_wrappings.py has a selection
@pytest.mark.parametrize("kind", PREFIXES)
def test_a_prefix_does_not_change_the_rows(tmp_path, kind, bare):
    folder, runs = bare
    left_out = EXCEPT.get(kind, ())
    for sample in folder.iterdir():
        if sample.name.partition("@")[0] not in left_out:
            lines = enumerate(sample.read_text().splitlines())
            (tmp_path / sample.name).write_text(
                "".join(f"{PREFIXES[kind].format(number % 60)}{line}\n" for number, line in lines)
            )
    tools = runs["source_file"].str.rpartition("/")[2].str.partition("@")[0]
    wanted, behind = runs[~tools.isin(left_out)].reset_index(drop=True), read(tmp_path).runs
    assert wanted.tool.nunique() > 30
    pd.testing.assert_frame_equal(wanted[COLUMNS], behind[COLUMNS])


def test_json_after_a_prefix_is_read(tmp_path):
    text = (SAMPLES / "iperf3/bidirectional-json.txt").read_text()
    (tmp_path / "bare.log").write_text(text)
    (tmp_path / "prefixed.log").write_text("".join(f"2026-03-01T10:00:00Z {line}\n" for line in text.splitlines()))
    bare, prefixed = read(tmp_path / "bare.log"), read(tmp_path / "prefixed.log")
    assert not bare.intervals.empty
    pd.testing.assert_frame_equal(
        bare.intervals.drop(columns="source_file"), prefixed.intervals.drop(columns="source_file")
    )


@pytest.mark.parametrize(
    "text",
    [
        "[  5]   0.00-1.00   sec",
        "64 bytes from 192.0.2.1",
        "10 packets transmitted",
        "",
        "- - -x",
        "265534971.0000 MB / 90000.00 sec",
    ],
)
def test_output_of_tools_is_not_a_prefix(text):
    assert prefixes.bare(text) == text


@pytest.mark.parametrize("marks", [["> "] * 400 + [">> "] * 301, [f"10:00:{n % 60:02} " for n in range(701)]])
def test_rows_behind_as_many_prefixes_are_taken_at_once(tmp_path, monkeypatch, marks):
    amounts = [1100 + number % 7 for number in range(700)]
    rows = [f"{amount:10.4f} MB / {1:6.2f} sec = {amount * 8.388608:9.4f} Mbps     0 retrans" for amount in amounts]
    last = f"{sum(amounts):10.4f} MB / 700.00 sec = {sum(amounts) * 8.388608 / 700:9.4f} Mbps 9 %TX 19 %RX 0 retrans"
    asked = []
    feed = Nuttcp.feed
    monkeypatch.setattr(Nuttcp, "feed", lambda self, line: asked.append(line.number) or feed(self, line))
    (tmp_path / "a.log").write_text("\n".join([*rows, last, ""]))
    bare = read(tmp_path / "a.log")
    fed = len(asked)
    (tmp_path / "a.log").write_text("".join(f"{mark}{row}\n" for mark, row in zip(marks, [*rows, last], strict=True)))
    quoted = read(tmp_path / "a.log")
    assert (len(bare.intervals), len(bare.runs), bare.problems.empty, quoted.problems.empty) == (700, 1, True, True)
    pd.testing.assert_frame_equal(bare.intervals, quoted.intervals)
    pd.testing.assert_frame_equal(bare.runs[COLUMNS], quoted.runs[COLUMNS])
    assert len(asked) - fed <= fed + 8
