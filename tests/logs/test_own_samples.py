"""The samples recorded by data/record_samples.py, and the exact figures of each.

tests/logs/expected/own.json holds the runs and problems of every sample. HECN_UPDATE_GOLDEN=1 writes it anew after
new samples were recorded; every changed figure is then to be compared with the text of its sample. That the figures
are those that the tool printed is tested by other means too: `PRINTED` finds results in a sample without the readers.
"""

import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read

OWN = data_dir() / "samples"
EXPECTED = Path(__file__).parent / "expected" / "own.json"
SAMPLES = sorted(OWN.glob("*/*.txt"))
COLUMNS = (
    *("tool", "protocol", "direction", "bytes", "throughput_bps", "sender_throughput_bps", "duration_s", "streams"),
    *("retransmits", "rtt_s", "rtt_avg_s", "sent_packets", "lost_packets", "jitter_s", "error"),
)
MEBI = 2**20

# program: result lines in its samples, as a pattern with the printed rate, and the bit/s of its unit
PRINTED = {
    "nuttcp/summary": (r"= +([\d.]+) Mbps .*%TX", 1e6),
    "nuttcp/streams": (r"= +([\d.]+) Mbps .*%TX|nuttcp-r: .* = ([\d.]+) Mbps", 1e6),
    "nuttcp/udp": (r"= +([\d.]+) Mbps .*%TX", 1e6),
    "nuttcp/verbose": (r"nuttcp-r\S*: .* = ([\d.]+) Mbps", 1e6),
    "iperf3/tcp": (r"([\d.]+) Mbits/sec +receiver", 1e6),
    "iperf3/udp": (r"([\d.]+) Mbits/sec .* receiver", 1e6),
    "iperf3/json-stream": (r'"sum_received":\{[^}]*"bits_per_second":([\d.]+)', 1.0),
    "hdparm/timings": (r"= +([\d.]+) MB/sec", 8 * MEBI),
    "sockperf/tcp": (r"BandWidth is [\d.]+ MBps \(([\d.]+) Mbps", MEBI),
    "rsync/copies": (r"([\d,]+\.\d\d) bytes/sec|100% +([\d.]+)MB/s +\S+ \(xfr#1, to-chk=0/1\)\s*$", (8.0, 8 * MEBI)),
    "curl/variables": (r'"speed_download":(\d+)', 8.0),
    "lftp/transfer-log": (r"([\d.]+) MiB/s", 8 * MEBI),
    "globus-url-copy/verbose": (r"([\d.]+) MB/sec avg +[\d.]+ MB/sec inst *\r\n", 8 * MEBI),
}


def name(path):
    return f"{path.parent.name}/{path.name}"


def found(path):
    """Return the figures of a sample in the format of the file of expectations."""
    reading = read(path)
    runs = [
        {key: value for key in COLUMNS if not pd.isna(value := row[key]) and value is not False}
        for row in reading.runs.astype(object).to_dict("records")
    ]
    problems = [f"{row.line}: {row.kind}" for row in reading.problems.itertuples()]
    return {"runs": runs, "intervals": len(reading.intervals), "problems": problems}


@pytest.fixture(scope="module")
def expected():
    if os.environ.get("HECN_UPDATE_GOLDEN"):
        now = {name(path): found(path) for path in SAMPLES}
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in now.items())
        EXPECTED.write_text("{\n" + lines.replace('}, {"tool"', '},\n  {"tool"') + "\n}\n")
    return json.loads(EXPECTED.read_text())


@pytest.mark.parametrize("path", SAMPLES, ids=name)
def test_a_sample_gives_the_figures_that_its_tool_printed(path, expected):
    assert found(path) == expected[name(path)]


def test_every_expectation_has_its_sample(expected):
    assert sorted(expected) == sorted(map(name, SAMPLES))


@pytest.mark.parametrize("path", SAMPLES, ids=name)
def test_every_line_of_a_sample_is_recognised(path, expected):
    """Duplicate keys are iperf3's own, before 3.18 with several streams; a form that -w of curl gave is nobody's."""
    kinds = {problem.partition(": ")[2] for problem in expected[name(path)]["problems"]}
    doubled = path.parent.name == "iperf3" and path.name.startswith(("json-both-ways-3.", "json-streams-3."))
    own = path.parent.name == "curl" and path.name.startswith("variables-")
    more = {"malformed"} if doubled else {"unrecognised"} if own else set()
    assert kinds <= {"aborted", "truncated", "inconsistent"} | more


def printed(path):
    return PRINTED.get(name(path).rpartition("-")[0])


@pytest.mark.parametrize("path", [path for path in SAMPLES if printed(path)], ids=name)
def test_rates_agree_with_a_plain_search(path):
    pattern, unit = printed(path)
    text = path.read_bytes().decode()  # with its carriage returns
    factors = unit if isinstance(unit, tuple) else (unit, unit)
    rates = [
        float(group.replace(",", "")) * factor
        for hit in re.finditer(pattern, text, re.MULTILINE)
        for group, factor in zip(hit.groups(), factors, strict=False)
        if group
    ]
    assert rates
    assert read(path).runs.throughput_bps.dropna().tolist() == pytest.approx(rates)


def test_samples_stay_small_and_name_no_machine():
    assert sum(path.stat().st_size for path in SAMPLES) < 400_000
    for path in SAMPLES:
        text = path.read_text()
        assert not re.search(r"/(?:home|root|work|tmp)/|localdomain|\b(?:10|127|172|192\.168)\.\d+\.\d+\.\d+", text)
