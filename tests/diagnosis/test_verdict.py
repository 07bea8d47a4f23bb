"""Verdicts: their keys, their quotes, and their forms for terminals and notebooks."""

import json
import math
import os
from collections import Counter
from pathlib import Path

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.result import FINE
from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

FULL = e.iperf3(e.ramp(941.5e6, 10, (1.01,)), [393 * 1024.0] * 10, command="iperf3 -c files")
WINDOW = {
    "iperf3.txt": e.iperf3(
        e.ramp(3.23e9, 30, (0.12, 0.8)), [6.1 * e.MIB, *[31.9 * e.MIB] * 29], command="iperf3 -c 10.30.0.12 -t 30"
    ),
    "ping.txt": e.ping("10.30.0.12", 0.080, 20),
    "ethtool.txt": e.ethtool(10000),
    "sysctl.txt": e.sysctl(32 * e.MIB, 32 * e.MIB),
}
LINK = {"a.txt": FULL, "ethtool.txt": e.ethtool(1000), "ping.txt": e.ping("10.30.0.12", 0.0003)}
PACED = {"a.json": e.iperf3_json(e.ramp(1e9, 10, (1.0,)), target=1_000_000_000), "ethtool.txt": e.ethtool(10000)}
PING = {"ping.txt": e.ping("203.0.113.4", 0.088, 100, lost=10)}
FOLDERS = {"window": WINDOW, "link": LINK, "paced": PACED, "ping": PING, "nothing": {"a.txt": "\n"}}

KEYS = {
    "": "condition tool protocol direction source_host destination_host streams runs source_files"
    " measured_bps measured_low_bps measured_high_bps expected_bps expected_low_bps expected_high_bps"
    " verdict causes changes missing",
    "causes": "class resource probability limit_bps evidence",
    "changes": "what settings command check throughput_bps low_bps high_bps probability source",
    "missing": "what command separates bits",
    "evidence": "source_file line says",
}


def folder(place, files):
    for name, content in files.items():
        (place / name).write_text(content, encoding="utf-8")
    return place


@pytest.fixture(params=FOLDERS)
def verdicts(request, tmp_path):
    return diagnose(folder(tmp_path, FOLDERS[request.param]))


def numbers(value):
    """All numbers in a value of JSON."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)
    elif isinstance(value, float):
        yield value


def test_keys_are_those_that_are_documented(verdicts):
    for verdict in verdicts.to_list():
        assert set(verdict) == set(KEYS[""].split())
        for key in ("causes", "changes", "missing"):
            assert all(set(part) == set(KEYS[key].split()) for part in verdict[key])
        lines = [line for cause in verdict["causes"] for line in cause["evidence"]]
        assert all(set(line) == set(KEYS["evidence"].split()) for line in lines)


def test_numbers_are_finite_and_json(verdicts):
    assert all(map(math.isfinite, numbers(verdicts.to_list())))
    assert json.loads(json.dumps(verdicts.to_list(), allow_nan=False)) == verdicts.to_list()


def test_probabilities_sum_to_1_and_the_likeliest_is_first(verdicts):
    for verdict in verdicts:
        shares = [cause.probability for cause in verdict.causes]
        assert sum(shares) == pytest.approx(1)
        assert shares == sorted(shares, reverse=True)
        assert all(cause.limit_bps is None or cause.limit_bps > 0 for cause in verdict.causes)


def test_quotes_stand_where_they_are_said_to(verdicts):
    quoted = [line for verdict in verdicts for cause in verdict.causes for line in cause.evidence]
    for line in quoted:
        texts = Path(line.source_file).read_text(encoding="utf-8").splitlines()
        assert 1 <= line.line <= max(len(texts), 1), line


def test_a_quoted_line_has_the_words(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, WINDOW))
    quotes = [line for line in verdict.causes[0].evidence if Path(line.source_file).name == "sysctl.txt"]
    assert quotes
    for line in quotes:
        (text,) = Path(line.source_file).read_text(encoding="utf-8").splitlines()[line.line - 1 : line.line]
        assert line.says.startswith(text.strip().split("=")[0].strip())


def test_intervals_hold_their_middle(verdicts):
    for verdict in verdicts:
        for low, middle, high in (
            (verdict.measured_low_bps, verdict.measured_bps, verdict.measured_high_bps),
            (verdict.expected_low_bps, verdict.expected_bps, verdict.expected_high_bps),
        ):
            assert (low is None) == (middle is None) == (high is None)
            assert middle is None or low <= middle <= high
        for change in verdict.changes:
            assert change.throughput_bps is None or change.low_bps <= change.throughput_bps <= change.high_bps


@pytest.mark.parametrize(("files", "cause"), [(LINK, "link"), (PACED, "paced")])
def test_nothing_is_wrong_with_a_full_line_or_a_rate_asked_for(tmp_path, files, cause):
    (verdict,) = diagnose(folder(tmp_path, files))
    assert verdict.causes[0].kind == cause
    assert verdict.verdict == "as_expected"
    assert verdict.changes == ()


def test_a_window_is_below_what_is_expected(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, WINDOW))
    assert (verdict.verdict, verdict.causes[0].kind) == ("below", "window-host")
    assert verdict.causes[0].limit_bps == verdict.measured_bps  # half of the buffer, 1.68 Gb/s, is less
    assert verdict.expected_high_bps == pytest.approx(1e10 * 1448 / 1538, rel=0.01)
    assert verdict.changes[0].throughput_bps > verdict.measured_bps


def test_only_what_is_fine_is_as_expected(verdicts):
    for verdict in verdicts:
        assert verdict.verdict in ("as_expected", "below", "above", "undetermined")
        if verdict.verdict != "undetermined":
            assert (verdict.verdict == "as_expected") == (verdict.causes[0].kind in FINE)


@pytest.mark.slow
def test_thirty_kinds_are_told_in_twenty_lines(tmp_path):
    files = {f"{n}.json": e.iperf3_json([1e8] * 2, remote=f"10.30.0.{n}") for n in range(1, 31)}
    verdicts = diagnose(folder(tmp_path, files))
    lines = str(verdicts).splitlines()
    assert len(verdicts) == 30
    assert len(lines) <= 20
    told = sum(not line.startswith(" ") for line in lines[:-1])
    assert lines[-1].startswith(f"and {30 - told} more kinds of run")


def test_a_long_condition_leaves_the_rates_whole(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, PACED | {"notes.txt": "circuit: 10 Gb/s\n"}))
    assert len(verdict.kind.condition) > 80
    first = str(verdict).splitlines()[0]
    assert "…: 999 Mb/s (1 run); expected " in first
    assert len(first) <= 110


def test_each_number_of_a_run_is_quoted_once(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, LINK))
    told = [one.says for one in verdict.causes[0].evidence if one.source_file.endswith("a.txt")]
    assert len(told) == len(set(told)) > 1


def test_text_and_html_of_names_that_are_markup(tmp_path):
    place = tmp_path / "<script>x"
    place.mkdir()
    verdicts = diagnose(folder(place, {"<img src=x onerror=alert(1)>&.txt": FULL}))
    page = verdicts._repr_html_()
    assert "<img" not in page
    assert "<script" not in page
    assert page.startswith("<table>")
    assert page.count("<tr>") == 1 + len(verdicts)


def test_html_shows_direction_marks_as_text(tmp_path):
    page = diagnose(folder(tmp_path, {"log\u202egnp.txt": FULL, "notes.txt": "circuit: 1 Gb/s \u202e\n"}))._repr_html_()
    assert "\u202e" not in page


def test_verdicts_are_a_sequence(tmp_path):
    verdicts = hecn.diagnose(folder(tmp_path, WINDOW))
    assert verdicts[:1] == tuple(verdicts)
    assert len(verdicts) == 1


def test_files_that_say_nothing_are_named_as_unused(tmp_path):
    verdicts = diagnose(folder(tmp_path, {**LINK, "poem.txt": "The sea was calm that night.\n" * 20}))
    assert [Path(name).name for name in verdicts.unused] == ["poem.txt"]


def test_nothing_at_a_place_is_told(tmp_path):
    with pytest.raises(InputError):
        diagnose(tmp_path / "absent")


def test_the_same_folder_gets_the_same_verdict(tmp_path):
    folder(tmp_path, WINDOW)
    assert diagnose(tmp_path).to_list() == diagnose(tmp_path).to_list()


@pytest.mark.slow
def test_each_of_many_files_is_opened_once(tmp_path, monkeypatch):
    ping = e.ping("10.30.0.12", 0.0003, 3)
    folder(tmp_path, {f"{number:03}.txt": ping if number % 30 else FULL for number in range(300)})
    opened = Counter()

    opens = os.open

    def counted(path, *rest, **more):
        opened[str(path)] += str(path).startswith(str(tmp_path))
        return opens(path, *rest, **more)

    monkeypatch.setattr(os, "open", counted)
    (verdict,) = diagnose(tmp_path)
    assert len(verdict.kind.runs) == 10
    assert sorted(name for name, count in opened.items() if count) == sorted(map(str, tmp_path.iterdir()))
    assert max(opened.values()) == 1


def test_a_path_alone_says_what_a_transfer_would_take(tmp_path):
    hops = [("gw", 0, 0.4), ("r1.isp.example", 0, 3.1), ("r2.isp.example", 1, 90.0), ("far", 1, 100.0)]
    (tmp_path / "mtr.txt").write_text(e.mtr(hops))
    (verdict,) = diagnose(tmp_path)
    assert verdict.causes[0].kind == "loss"
    assert "hop 3, r2.isp.example" in str(verdict)
    # 1 Gb/s times 100 ms; 12 packets each RTT at a loss of 1 %, RFC 9438
    assert verdict.path == "RTT 100 ms: each Gb/s takes a window of 12.5 MB; a loss of 1.0 % leaves a stream 1.38 Mb/s"


def test_a_tunnel_tells_the_mtu_to_set(tmp_path):
    (tmp_path / "ping.txt").write_text("$ ping -M do -s 1472 h\nping: local error: message too long, mtu=1420\n")
    (verdict,) = diagnose(tmp_path)
    assert verdict.causes[0].kind == "mtu"
    assert "mtu 1420" in verdict.changes[0].command


def test_a_connection_that_was_refused_is_the_finding(tmp_path):
    said = "iperf3: error - unable to connect to server: Connection refused"
    (tmp_path / "a.txt").write_text(f"$ iperf3 -c 10.1.2.3\n{said}\n")
    verdicts = diagnose(tmp_path)
    assert verdicts[0].finding == "no connection came about, or it broke off"
    assert verdicts[0].failure.line == 2
    assert said in str(verdicts)
    assert "nc -vz HOST PORT" in str(verdicts)


def test_a_destination_that_alone_is_slow_is_the_finding(tmp_path):
    runs = {
        f"{end}.txt": e.iperf3([bps] * 10, [2e6] * 10, command=f"iperf3 -c 10.30.0.{end}", remote=f"10.30.0.{end}")
        for end, bps in {1: 9.41e9, 2: 9.42e9, 3: 0.94e9}.items()
    }
    verdicts = diagnose(folder(tmp_path, runs))
    slow = next(one for one in verdicts if one.measured_bps < 1e9)
    assert slow.finding.startswith("it is slow to 10.30.0.3 alone (10 times as fast to others): ")
    assert str(verdicts).splitlines()[1].strip().startswith(slow.finding)
    assert not any(one.outlier for one in verdicts if one is not slow)


def test_a_disk_gets_questions_changes_and_units_of_disks(tmp_path):
    run = "$ dd if=/dev/zero of=/data/t bs=1M count=4096 conv=fdatasync\n4096+0 records in\n4096+0 records out\n"
    dd = run + "4294967296 bytes (4.3 GB, 4.0 GiB) copied, 22.9673 s, 187 MB/s\n"
    verdicts = diagnose(folder(tmp_path, {"dd.txt": dd}))
    text = str(verdicts)
    assert text.startswith("dd write, 4.3 GB, on /data: 187 MB/s (1 run)")
    assert not [word for word in ("iperf3", "ss -tin", "the line") if word in text]
    assert {question.name for question in verdicts[0].questions} <= {"disks-during", "processes", "cores", "repeats"}


def test_a_run_that_stood_still_does_not_scale_the_rate_after_the_change(tmp_path):
    run = e.iperf3([0.69e6, *[0.0] * 9], [1448.0] * 10, [2, 0] * 5, command="iperf3 -c 203.0.113.9")
    verdict = diagnose(folder(tmp_path, {"a.txt": run}))[0]
    assert verdict.changes[0].settings["path.mtu"] == 1400
    assert verdict.changes[0].high_bps > 1e8
    assert "times as fast" not in str(diagnose(tmp_path))


def test_an_array_that_is_busy_with_itself_gets_no_advice_about_lines(tmp_path):
    mdstat = "md0 : active raid5 sdc1[2] sdb1[1]\n      [===>....]  resync = 37.1% (108741/293013) finish=41.7min\n"
    verdict = diagnose(folder(tmp_path, {"mdstat.txt": mdstat}))[0]
    assert verdict.causes[0].kind == "shared"
    assert [change.what.partition(":")[0] for change in verdict.changes[:1]] == [
        "run while nothing else uses the disks"
    ]
    assert not any("tool.streams" in change.settings for change in verdict.changes)


def test_before_there_is_a_connection_nothing_else_is_asked(tmp_path):
    refused = "$ iperf3 -c 203.0.113.9\niperf3: error - unable to connect to server: Connection refused\n"
    verdict = diagnose(folder(tmp_path, {"a.txt": refused, "ping.txt": e.ping("203.0.113.9", 0.012)}))[0]
    assert verdict.failure is not None
    assert verdict.missing == ()
