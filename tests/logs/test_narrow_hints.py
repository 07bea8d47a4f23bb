"""Hints that keep prose from a reader hide none of its own lines."""

from pathlib import Path

import pytest

from hecn_analysis.files.source import Line, Lines
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import Findings

SAMPLES = Path(__file__).parent / "samples"
KINDS = ("HINTS_TOGETHER", "HINTS_REPEATED", "LATER_HINTS")
NARROW = [reader for reader in registry.READERS if any(hasattr(reader, kind) for kind in KINDS)]
SYSLOG = "Nov 23 10:00:00 dtn1 kernel: [9.1] eth0: link up, 10000Mbps, full-duplex\n" * 600
RESULT = "1180.0000 MB /   1.00 sec = 9898.5574 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"


def _read(text):
    findings = Findings("a.log")
    registry.read(Lines.of(text), findings)
    return findings


@pytest.mark.parametrize("reader", NARROW)
def test_a_line_that_a_new_reader_takes_has_a_hint(reader):
    for sample in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        for text in set(sample.read_text(errors="replace").splitlines()):
            found = registry._Hints(reader).on(text)
            assert found or not reader(Findings("a")).feed(Line(10, text)), (sample, text)


def test_a_line_deep_in_a_log_of_the_system_is_found():
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
