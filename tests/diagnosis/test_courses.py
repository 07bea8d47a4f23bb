"""The courses of a folder come from its logs, its samples of ss and its captures, each with its name."""

import math

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.diagnosis.courses import HELD, courses, features_table
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.ingest.folder import read_folder
from tests.captures.conversation import Conversation, pcap


def table(path):
    folder = read_folder(path)
    return features_table(courses(folder, of_folder(folder)))


def test_the_shipped_sample_shows_a_sawtooth_in_logs_and_ss():
    rows = table(data_dir() / "transfers" / "over_time")
    assert rows["source"].tolist() == ["log", "log", "log", "ss"]
    assert rows["run"].tolist() == ["iperf3-1.json:1", "iperf3-2.json:1", "iperf3-3.json:1", "ss-sender.txt:19"]
    assert rows["teeth"].tolist() == [12, 10, 11, 4]
    assert rows["shape"].str.contains("sawtooth").all()
    assert rows[["rwnd_limited", "sndbuf_limited"]].to_numpy().tolist()[3] == [0.0, 0.0]
    assert rows.loc[0, list(HELD)].isna().all()


def test_a_capture_has_a_course_with_the_time_that_each_limit_held(tmp_path):
    conversation = Conversation()
    conversation.window_limited(100)
    (tmp_path / "a.pcap").write_bytes(pcap(conversation.in_order()))
    folder = read_folder(tmp_path)
    (one,) = courses(folder, of_folder(folder))
    assert (one.run, one.source) == ("a.pcap:1", "packets")
    assert one.course["rate_bps"].median() == pytest.approx(65536 * 8 / 0.05, rel=0.05)
    assert one.course["rtt_s"].median() == pytest.approx(0.05, rel=0.02)
    assert one.course["window_bytes"].unique().tolist() == [65536.0]
    assert one.course["cwnd_bytes"].isna().all()
    assert one.held["rwnd_limited"] > 0.95
    assert [one.held[name] for name in HELD[1:]] == [0, 0, 0]


def test_a_folder_without_intervals_has_no_course(tmp_path):
    (tmp_path / "a.txt").write_text("   11.0000 MB /  10.00 sec =    9.2000 Mbps 5 %TX 9 %RX 0 retrans 80.10 msRTT\n")
    assert table(tmp_path).empty


def test_what_a_source_does_not_say_is_missing(tmp_path):
    lines = [f"   1.1000 MB /   1.00 sec =    {rate}.0000 Mbps     0 retrans" for rate in (8, 9, 9, 9, 9)]
    end = "   5.5000 MB /   5.00 sec =    9.0000 Mbps 5 %TX 9 %RX 0 retrans 80.10 msRTT"
    (tmp_path / "a.txt").write_text("\n".join([*lines, end, ""]))
    (row,) = table(tmp_path).to_dict("records")
    assert (row["intervals"], row["plateau_bps"], row["shape"]) == (5, 9e6, "steady")
    assert all(math.isnan(row[name]) for name in HELD)
