"""What logs show beside the rate tells a full line, a window and losses apart, and says nothing where they do not."""

import math

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir
from hecn_analysis.report import causes, expected
from hecn_analysis.report.signs import CHANCES, Signs, signs_of
from hecn_analysis.runs.alike import with_conditions

MBPS = 1e6

LINE = Signs(scatter=0.04, idle_rtt_s=0.02, loaded_rtt_s=0.045, resent=1e-3, flight_bytes=2e6, cwnd_bytes=2e6)
WINDOW = Signs(scatter=0.015, idle_rtt_s=0.02, loaded_rtt_s=0.0202, resent=0.0, flight_bytes=5e5, cwnd_bytes=2e6)
LOSSES = Signs(scatter=0.3, idle_rtt_s=0.02, loaded_rtt_s=0.0202, resent=1e-3, flight_bytes=2e5, cwnd_bytes=2e5)


@pytest.mark.parametrize(("signs", "kind"), [(LINE, "link"), (WINDOW, "window"), (LOSSES, "loss")])
def test_each_class_fits_its_own_signs_best(signs, kind):
    assert max(CHANCES, key=signs.chance) == kind


def test_without_signs_no_class_is_likelier_than_another():
    assert {Signs().chance(kind) for kind in CHANCES} == {1.0}
    assert not Signs().tells


def folder_of(tmp_path, *, rate_mbps, rtts_ms, cwnd, retransmits, ping_ms):
    """Log of an iperf3 test of ten intervals, as the tool prints it, and a ping."""
    intervals = []
    for second, (rate, rtt) in enumerate(zip(rate_mbps, rtts_ms, strict=True)):
        row = (
            f'{{"socket": 5, "start": {second}, "end": {second + 1}, "seconds": 1, "bytes": {int(rate * MBPS / 8)}, '
            f'"bits_per_second": {rate * MBPS}, "retransmits": {retransmits // 10}, "snd_cwnd": {cwnd}, '
            f'"rtt": {int(rtt * 1000)}, "omitted": false, "sender": true}}'
        )
        intervals.append(f'{{"streams": [{row}], "sum": {row.replace(chr(34) + "socket" + chr(34) + ": 5, ", "")}}}')
    mean, total = sum(rate_mbps) / len(rate_mbps) * MBPS, int(sum(rate_mbps) * MBPS / 8)
    end = f'"start": 0, "end": 10, "seconds": 10, "bytes": {total}, "bits_per_second": {mean}'
    mean_rtt = int(sum(rtts_ms) / len(rtts_ms) * 1000)
    sender = f'{{"socket": 5, {end}, "retransmits": {retransmits}, "mean_rtt": {mean_rtt}, "sender": true}}'
    text = f"""{{"start": {{"connected": [{{"socket": 5}}], "version": "iperf 3.12", "test_start": {{"protocol": "TCP",
"num_streams": 1, "duration": 10, "reverse": 0}}}}, "intervals": [{", ".join(intervals)}],
"end": {{"streams": [{{"sender": {sender}, "receiver": {{{end}}}}}],
"sum_sent": {{{end}, "retransmits": {retransmits}}}, "sum_received": {{{end}}}}}}}"""
    (tmp_path / "one.json").write_text(text)
    (tmp_path / "ping.txt").write_text(
        "PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n\n--- 192.0.2.2 ping statistics ---\n"
        "8 packets transmitted, 8 received, 0% packet loss, time 704ms\n"
        f"rtt min/avg/max/mdev = {ping_ms:.3f}/{ping_ms:.3f}/{ping_ms + 0.1:.3f}/0.079 ms\n"
    )
    return hecn.read_folder(tmp_path)


STEADY = [300, 290, 301, 299, 300, 302, 298, 300, 301, 299]


def test_a_queue_in_front_of_a_line_that_no_file_names_is_seen(tmp_path):
    folder = folder_of(
        tmp_path, rate_mbps=STEADY, rtts_ms=[30, 38, 42, 44, 45, 45, 44, 45, 45, 45], cwnd=1_700_000,
        retransmits=200, ping_ms=20.0,
    )  # fmt: skip
    (one,) = expected.expectations(folder)
    assert one.signs.found() == {"queue": True, "resent": True, "roomy": False}
    best = causes.candidates(one)[0]
    assert (best.name, best.kind) == (causes.NARROW, "link")
    assert "the round-trip time grows from 20.0 ms to 45.0 ms under load" in best.evidence


def test_a_window_is_seen_and_how_large_it_is(tmp_path):
    folder = folder_of(tmp_path, rate_mbps=STEADY, rtts_ms=[20.2] * 10, cwnd=2_500_000, retransmits=0, ping_ms=20.0)
    (one,) = expected.expectations(folder)
    assert one.signs.found() == {"queue": False, "resent": False, "roomy": True}
    best = causes.candidates(one)[0]
    assert (best.name, best.kind) == ("a TCP window or socket buffer of about 750 kB", "window")


def test_rates_that_go_up_and_down_and_what_was_sent_again_speak_for_losses(tmp_path):
    rates = [9, 4, 6, 11, 5, 8, 3, 7, 10, 5]
    folder = folder_of(tmp_path, rate_mbps=rates, rtts_ms=[20.1] * 10, cwnd=17_000, retransmits=80, ping_ms=20.0)
    (one,) = expected.expectations(folder)
    assert causes.candidates(one)[0].kind == "loss"


def test_no_queue_is_not_claimed_without_a_ping(tmp_path):
    folder = folder_of(tmp_path, rate_mbps=STEADY, rtts_ms=[45.0] * 10, cwnd=1_700_000, retransmits=200, ping_ms=20.0)
    runs = folder.runs[folder.runs["tool"] == "iperf3"]
    signs = signs_of(runs, folder.reading.intervals, folder.reading.streams, math.nan, 1500)
    assert "queue" not in signs.found()


def test_a_version_that_prints_no_retransmits_as_none_says_nothing():
    reading = hecn.read(data_dir() / "samples" / "nuttcp" / "summary-6.1.2.txt")
    runs = with_conditions(reading.runs)
    signs = signs_of(runs[runs["rate_bps"].notna()], reading.intervals, reading.streams, math.nan, 1500)
    assert (runs["retransmits"].dropna() == 0).all()
    assert math.isnan(signs.resent)
