"""Folders that results come into: each result counts once, and each series has a state, a page and metrics."""

import json
import os

import pandas as pd
import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.watching.incoming import Incoming
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.watch import judge, write
from tests.watching.results import result, write_hourly


@pytest.fixture
def results(tmp_path):
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def rates(archive):
    return [one.runs["rate_bps"].tolist() for one in series_of(archive)[0]]


def test_new_files_are_added_once(results, archive):
    (results / "a.json").write_text(result(0, 9e9))
    incoming = Incoming([str(results)], archive)
    assert incoming.take(settled=True).added == 1
    assert incoming.take(settled=True).added == 0
    (results / "b.json").write_text(result(1, 8e9))
    assert incoming.take(settled=True).added == 1
    assert rates(archive) == [[9e9, 8e9]]


def test_after_a_restart_and_under_another_name_a_file_is_known(results, archive):
    (results / "a.json").write_text(result(0, 9e9))
    Incoming([str(results)], archive).take(settled=True)
    (results / "copy.json").write_bytes((results / "a.json").read_bytes())
    assert Incoming([str(results)], archive).take(settled=True).added == 0
    assert rates(archive) == [[9e9]]


def test_a_file_that_grew_adds_its_new_results_only(results, archive):
    log = results / "all.json"
    log.write_text(result(0, 9e9) + "\n")
    incoming = Incoming([str(results)], archive)
    incoming.take(settled=True)
    log.write_text(log.read_text() + result(1, 8e9) + "\n")
    assert incoming.take(settled=True).added == 1
    assert rates(archive) == [[9e9, 8e9]]
    assert len(archive.table("runs")) == 2


def test_a_result_that_was_cut_short_counts_once_whole(archive):
    whole = {"source_file": "a.log", "run": 0, "tool": "iperf3", "start_time": pd.Timestamp("2023-11-14T22:00Z")}
    archive.add("late", {"runs": tables.make("runs", [{**whole, "throughput_bps": 9e9}])})
    archive.add("early", {"runs": tables.make("runs", [whole])})
    assert rates(archive) == [[9e9]]


def test_a_file_that_is_being_written_waits(results, archive):
    incoming = Incoming([str(results)], archive)
    (results / "a.json").write_text(result(0, 9e9)[:300])
    first = incoming.take(settled=False)
    (results / "a.json").write_text(result(0, 9e9))
    second, third = (incoming.take(settled=False) for _ in range(2))
    assert [(batch.added, batch.waiting) for batch in (first, second, third)] == [(0, 1), (0, 1), (1, 0)]
    assert (first.remarks, second.remarks) == ([], [])


def test_garbage_is_named_once_and_tried_again_when_it_changes(results, archive):
    log = results / "a.json"
    log.write_text("nothing that a reader knows\n")
    incoming = Incoming([str(results)], archive)
    (remark,) = incoming.take(settled=True).remarks
    assert remark.startswith(f"{log}: unrecognised: ")
    assert incoming.take(settled=True).remarks == []
    log.write_text(result(0, 9e9))
    assert incoming.take(settled=True).added == 1


def test_a_folder_that_is_away_is_named_once_and_waited_for(tmp_path, archive):
    folder = tmp_path / "later"
    incoming = Incoming([str(folder)], archive)
    expected = f"{folder}: found nothing there, expected a folder of results; waiting for it"
    assert incoming.take(settled=True).remarks == [expected]
    assert incoming.take(settled=True).remarks == []
    folder.mkdir()
    (folder / "a.json").write_text(result(0, 9e9))
    assert incoming.take(settled=True).added == 1


def test_each_pair_and_direction_is_a_series(results, archive):
    (results / "a.json").write_text(result(0, 9e9))
    (results / "b.json").write_text(result(0, 8e9, source="192.0.2.2", destination="192.0.2.1"))
    Incoming([str(results)], archive).take(settled=True)
    ends = [(one.source, one.destination, one.name) for one in series_of(archive)[0]]
    assert ends == [("192.0.2.1", "192.0.2.2", "iperf3 tcp send"), ("192.0.2.2", "192.0.2.1", "iperf3 tcp send")]


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    """A watch of a series with a drop of 40 % in its last five results, and one that is too short."""
    place = tmp_path_factory.mktemp("watch")
    folders = [place / name for name in ("long", "short")]
    for folder in folders:
        folder.mkdir()
    write_hourly(folders[0], 215, drop_at=210)
    write_hourly(folders[1], 211, destination="192.0.2.9")
    for old in sorted(folders[1].glob("*.json"))[:185]:
        old.unlink()
    archive = Archive(place / "archive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)  # 2,000 times; tests/faults has what is on the disk after a kill
        Incoming([str(folder) for folder in folders], archive).take(settled=True)
    judged, remarks = judge(archive)
    write(place / "out", judged, remarks)
    return place, judged


def test_a_drop_has_time_size_and_what_changed_with_it(dropped):
    place, judged = dropped
    slower, learning = judged
    (change,) = slower.changes
    assert (slower.state, change["time"], change["results_until_seen"]) == ("worse", "2023-11-23T16:13:20+00:00", 3)
    assert change["ratio_low"] < 0.6 < change["ratio_high"]
    evidence = f"({place}/long/0209.json:1; {place}/long/0210.json:1)"
    assert change["reasons"] == [
        f"the round-trip time rose from 40.0 ms to 60.0 ms {evidence}",
        f"the number of retransmits rose from 0.255 per GB to 71.4 per GB {evidence}",
    ]
    assert slower.says.startswith("slower by 40 % (39 % to 41 %) since ")
    assert " since 2023-11-23 16:13 UTC; the round-trip time rose from 40.0 ms to 60.0 ms " in slower.says
    assert (learning.state, learning.says) == ("learning", "26 results over 25.0 h: 24 results over 8 days are needed")


def test_status_and_metrics_hold_the_same(dropped):
    place, judged = dropped
    series = json.loads((place / "out" / "status.json").read_text())["series"]
    assert [one["state"] for one in series] == ["worse", "learning"]
    assert series[0]["expected_low_bps"] < 9.4e9 < series[0]["expected_high_bps"]
    lines = (place / "out" / "metrics.prom").read_text().splitlines()
    labels = 'source="192.0.2.1",destination="192.0.2.2",tool="iperf3",protocol="tcp",direction="send",streams="1"'
    labels += ',measure="rate"'
    moment = pd.Timestamp("2023-11-23T16:13:20Z").timestamp()
    assert f"hecn_throughput_bps{{{labels}}} {judged[0].last:.10g}" in lines
    assert f"hecn_change_timestamp_seconds{{{labels}}} {moment:.10g}" in lines
    assert 'hecn_series{state="worse"} 1' in lines
    assert sum(line.startswith("hecn_change_timestamp_seconds{") for line in lines) == 1


def test_the_grid_links_each_series(dropped):
    place, _ = dropped
    grid = (place / "out" / "index.html").read_text()
    assert '<td class="worse"><a href="series-' in grid
    assert "<small>slower</small>" in grid
    for one in json.loads((place / "out" / "status.json").read_text())["series"]:
        text = (place / "out" / one["page"]).read_text()
        assert f"192.0.2.1 to {one['destination']}" in text


def test_names_of_logs_are_escaped(results, archive, tmp_path):
    (results / "a.json").write_text(result(0, 9e9, destination='"><script>x</script>'))
    Incoming([str(results)], archive).take(settled=True)
    write(tmp_path / "out", *judge(archive))
    for path in (tmp_path / "out").glob("*.html"):
        assert "<script" not in path.read_text()
