"""What became of a cause between two sets of runs, and what its remedy had promised."""

import json
from dataclasses import replace

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.comparison import causes
from hecn_analysis.comparison.causes import COLUMNS
from tests.diagnosis import everyday as e

WINDOW = 256 * 1024
RTT = 0.01
HELD_BPS = 2 * WINDOW * 8 / RTT / 2  # a window each round trip: 209.7 Mb/s
FULL_BPS = 941e6  # TCP on 1 Gb/s with timestamps
TRANSFERS = data_dir() / "transfers"


def folder(place, rate, *, window=0, runs=2, port=1000):
    """Runs of iperf3 at a flat rate, with the port and an idle ping."""
    place.mkdir()
    asked = f" -w {window}" if window else ""
    for number in range(runs):
        line = f"iperf3 -c 10.30.0.12 -t 10{asked}"
        text = e.iperf3([rate * (1 + 0.001 * number)] * 10, [1.5 * rate * RTT / 8] * 10, command=line)
        (place / f"run{number}.txt").write_text(text, encoding="utf-8")
    (place / "ethtool.txt").write_text(e.ethtool(port), encoding="utf-8")
    (place / "notes.txt").write_text(f"circuit: {port} Mb/s\n", encoding="utf-8")
    (place / "ping-before.txt").write_text(e.ping("10.30.0.12", RTT), encoding="utf-8")
    return place


@pytest.fixture
def held(tmp_path):
    return folder(tmp_path / "held", HELD_BPS, window=WINDOW)


@pytest.fixture
def full(tmp_path):
    return folder(tmp_path / "full", FULL_BPS)


def compared(first, second):
    (row,) = hecn.compare(first, second).groups.to_dict("records")
    return row


def test_a_window_that_was_mended_is_removed_and_the_gain_is_as_promised(held, full):
    row = compared(held, full)
    assert (row["cause_a"], row["cause_b"], row["outcome"]) == ("window-tool", "link", "removed")
    before, after = hecn.diagnose(held)[0], hecn.diagnose(full)[0]
    assert row["probability_a"] == pytest.approx(before.causes[0].probability)
    assert row["probability_b"] == pytest.approx(after.causes[0].probability)
    assert row["promised_low_bps"] == before.changes[0].low_bps
    assert row["promised_high_bps"] == before.changes[0].high_bps
    assert row["promised_low_bps"] < FULL_BPS < row["promised_high_bps"]
    assert row["verdict"] == "too few runs to say"
    stated = f"window-tool, {100 * row['probability_a']:.0f} %"
    assert f"in A, the window that the tool asked for ({stated}), is removed: now the line is full" in row["sentence"]
    assert row["sentence"].endswith(": B is within that.")


def test_the_other_way_round_it_has_appeared(held, full):
    row = compared(full, held)
    assert (row["cause_a"], row["cause_b"], row["outcome"]) == ("link", "window-tool", "appeared")
    assert row["promised_low_bps"] is None
    assert "A new cause appeared: the window that the tool asked for holds it back" in row["sentence"]


def test_a_single_run_on_a_side_shows_no_change_of_the_cause(tmp_path, full):
    once = folder(tmp_path / "once", HELD_BPS, window=WINDOW, runs=1)
    again = folder(tmp_path / "again", 1.02 * HELD_BPS, window=WINDOW, runs=1)
    for second, cause, finding in (
        (full, "link", "the line is full"),
        (again, "window-tool", "the window that the tool asked for holds it back"),
    ):
        row = compared(once, second)
        assert (row["cause_a"], row["cause_b"], row["outcome"]) == ("window-tool", cause, "undetermined")
        assert "too few runs to say" in row["sentence"]
        assert "Each diagnosis stands alone; in A: the window that the tool asked for holds it back" in row["sentence"]
        assert f"; in B: {finding}" in row["sentence"]
        assert "remains" not in row["sentence"]
        assert "removed" not in row["sentence"]


def test_a_cause_on_both_sides_remains_and_too_little_gain_is_below(held, tmp_path):
    row = compared(held, folder(tmp_path / "again", 1.02 * HELD_BPS, window=WINDOW))
    assert (row["cause_a"], row["cause_b"], row["outcome"]) == ("window-tool", "window-tool", "remains")
    assert "The cause remains: the window that the tool asked for holds it back" in row["sentence"]
    assert row["sentence"].endswith(": B is below that.")


def test_more_than_was_promised_is_not_explained_by_the_cause(held, tmp_path):
    row = compared(held, folder(tmp_path / "fast", 10 * FULL_BPS, port=10_000))
    assert row["outcome"] == "removed"
    assert row["median_b_bps"] > row["promised_high_bps"]
    assert row["sentence"].endswith(": B is above that; that cause alone cannot explain it.")


def test_two_full_lines_remain_only_where_the_lines_differ_as_the_rates_do(full, tmp_path):
    faster = folder(tmp_path / "faster", 10 * FULL_BPS, port=10_000)
    row = compared(full, faster)
    assert (row["cause_a"], row["cause_b"], row["outcome"]) == ("link", "link", "remains")
    a, b = hecn.diagnose(full)[0], hecn.diagnose(faster)[0]
    unknown = replace(b, causes=(replace(b.causes[0], limit_bps=None), *b.causes[1:]))
    assert causes._outcome(a, b, 10.0) == "remains"
    assert causes._outcome(a, unknown, 10.0) == "undetermined"
    assert causes._outcome(a, a, 1.0) == "remains"


@pytest.mark.parametrize(
    ("first", "second", "ratio", "outcome"),
    [
        ("loss", "window-host", 2.0, "removed"),  # the next limit
        ("loss", "window-host", 1.0, "undetermined"),
        ("loss", "window-host", 0.5, "appeared"),
        ("window-tool", "window-host", 1.0, "remains"),  # both are windows
        ("udp", "paced", 0.94, "removed"),  # less is sent, and none is lost
        ("paced", "udp", 1.06, "appeared"),
        ("link", "cpu-receiver", 8.0, "removed"),  # a faster line
    ],
)
def test_outcome_of_two_causes(full, first, second, ratio, outcome):
    verdict = hecn.diagnose(full)[0]

    def with_cause(name):
        return replace(verdict, verdict="below", causes=(replace(verdict.causes[0], kind=name), *verdict.causes[1:]))

    assert causes._outcome(with_cause(first), with_cause(second), ratio) == outcome
    assert causes._outcome(replace(with_cause(first), verdict="undetermined"), verdict, ratio) == "undetermined"
    assert causes._outcome(None, verdict, ratio) == "undetermined"


def test_the_side_whose_cause_is_known_is_told(full):
    known = hecn.diagnose(full)[0]
    unknown = replace(known, verdict="undetermined")
    link = causes._likeliest(known)
    uncertain = f"is uncertain (most likely {link})."
    assert (
        causes._says("undetermined", unknown, known, 0.5)
        == f"In B, {known.finding} ({link}); the cause in A {uncertain}"
    )
    assert (
        causes._says("undetermined", known, unknown, 0.5)
        == f"In A, {known.finding} ({link}); the cause in B {uncertain}"
    )
    assert causes._says("undetermined", unknown, unknown, 0.5).startswith("The diagnoses do not show why: ")


def test_runs_alone_are_compared_and_diagnosed(held, full):
    row = compared(hecn.read(held), hecn.read(full))
    assert row["ratio"] == pytest.approx(FULL_BPS / HELD_BPS, rel=0.01)
    assert row["outcome"] in {"removed", "undetermined"}
    assert row["cause_a"] is not None


def test_several_paths_are_one_set(held, full):
    found = [sorted(held.iterdir()), sorted(full.iterdir())]
    several, whole = compared(*found), compared(held, full)
    assert {name: several[name] for name in COLUMNS} == {name: whole[name] for name in COLUMNS}
    assert several["sentence"] == whole["sentence"]


def test_each_folder_is_read_once(held, full, monkeypatch):
    read = []
    real = causes.read_folder
    monkeypatch.setattr(causes, "read_folder", lambda path, **given: read.append(path) or real(path, **given))
    monkeypatch.setattr(causes, "read", lambda *_, **__: pytest.fail("read twice"))
    hecn.compare(held, full)
    assert read == [held, full]


def test_an_archive_is_compared_without_hosts(tmp_path, held, full, capsys):
    for place in (held, full):
        assert main(["archive", "add", str(tmp_path / f"{place.name}.archive"), str(place / "run0.txt")]) == 0
    capsys.readouterr()
    row = compared(tmp_path / "held.archive", tmp_path / "full.archive")
    assert row["median_a_bps"] == pytest.approx(HELD_BPS, rel=0.01)
    assert row["median_b_bps"] == pytest.approx(FULL_BPS, rel=0.01)
    assert row["outcome"] is not None


@pytest.mark.slow
def test_a_kind_of_one_side_has_no_outcome_and_the_shipped_transfers_have_one(capsys):
    words = ["compare", str(TRANSFERS / "before"), str(TRANSFERS / "after"), "--format", "json"]
    assert main(words) == 0
    rows = {(row["tool"], row["verdict"]): row for row in json.loads(capsys.readouterr().out)["groups"]}
    lone = rows["nuttcp", "only in B"]
    assert {name: lone[name] for name in COLUMNS} == dict.fromkeys(COLUMNS)
    for tool in ("iperf3", "nuttcp"):
        row = rows[tool, "faster"]
        before = {one.kind.tool: one for one in hecn.diagnose(TRANSFERS / "before")}[tool]
        assert row["cause_a"] == before.causes[0].kind
        assert row["outcome"] == ("removed" if row["cause_a"] != row["cause_b"] else "remains")
