"""Hints that keep prose from a reader still pass all of its own lines."""

from pathlib import Path

import pytest

from hecn_analysis.files.source import Line, Lines
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.runs.circumstances import CIRCUMSTANTIAL, named

SAMPLES = Path(__file__).parent / "samples"
KINDS = ("HINTS_TOGETHER", "HINTS_REPEATED", "LATER_HINTS")
NARROW = [reader for reader in registry.READERS if any(hasattr(reader, kind) for kind in KINDS)]
SYSLOG = "Nov 23 10:00:00 dtn1 kernel: [9.1] eth0: link up, 10000Mbps, full-duplex\n" * 600
RESULT = "1180.0000 MB /   1.00 sec = 9898.5574 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"


def _read(text):
    findings = RunFindings("a.log")
    registry.read(Lines.of(text), findings)
    return findings


@pytest.mark.parametrize("reader", NARROW)
def test_every_line_that_starts_a_reader_contains_a_hint(reader):
    for sample in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        for text in set(sample.read_text(errors="replace").splitlines()):
            found = registry._hints(reader).on(text)
            assert found or not reader(RunFindings("a")).feed(Line(10, text)), (sample, text)


def test_a_line_deep_in_a_system_log_is_read():
    findings = _read(f"{SYSLOG}Nov 23 10:00:00 dtn1 test[7]: {RESULT}{SYSLOG}")
    assert [run.line_first for run in findings.runs] == [601]


@pytest.mark.parametrize("begin", ["nuttcp -T1 there", "$ nuttcp -T1 there"])
def test_later_hints_count_after_a_command(begin):
    findings = _read(f"{SYSLOG}{begin}\nbad hostname or address: there\n{SYSLOG}")
    assert [(found["line"], found["kind"]) for found in findings.problems] == [(602, "aborted")]
    assert not _read(f"{SYSLOG}bad hostname or address: there\n").problems


def test_later_hints_count_after_a_line_of_the_reader():
    findings = _read(f"{RESULT.replace('MB /', 'MB/')}{SYSLOG}$ scp there:a .\n{SYSLOG}lost connection\n")
    assert len(findings.runs) == 1
    near = _read(f"{SYSLOG}$ scp there:a .\nlost connection\n")
    assert [(found["line"], found["kind"]) for found in near.problems] == [(602, "aborted")]


@pytest.mark.parametrize(
    "heading",
    ["64-GB file", "64 GiB files", "64-gbyte-file", "64 Gigs; 64 GBytes Files:", "64 GBYTES FILE", "64GB-FILE"],
)
def test_a_size_deep_in_a_log_counts_for_the_copies_below_it(heading):
    findings = _read(f"{SYSLOG * 9}{heading}\nFile copy 1: 5092.5 Mbps 43 %TX 77 %RX 0 retrans 0.10 msRTT\n")
    assert [run.columns["bytes"] for run in findings.runs] == [64 * 2**30]


def test_values_of_bonnie_are_found_deep_in_other_values():
    values = next(
        line
        for path in sorted((SAMPLES / "bonnie").iterdir())
        for line in path.read_text().splitlines()
        if line.count(",") >= 26
    )
    other = "12,5,+7,a,9\n" * 5000
    runs = [(run.line_first, run.columns) for run in _read(f"{other}{values}\n{other}").runs]
    assert runs == [(5001, run.columns) for run in _read(f"{values}\n").runs]
    assert runs


@pytest.mark.parametrize(
    "text",
    [
        *("Simultaneous", "bidirectional", "bi-directional", "Bi directional", "both ways", "Both directions"),
        *("emulated", "NetEm", "real WAN", "Real path", "B-System", "c-systems"),
    ],
)
def test_a_text_that_names_circumstances_has_one_of_their_words(text):
    assert named(text)
    assert any(word in text.lower() for word in CIRCUMSTANTIAL)
