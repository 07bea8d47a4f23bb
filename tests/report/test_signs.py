"""What logs show beside the rate tells a full line, a window and losses apart, and the report quotes it."""

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.report import tables
from hecn_analysis.runs.alike import with_conditions

MBPS = 1e6


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


def judged(folder):
    verdicts = of_folder(folder)
    [one] = verdicts
    signs = {sign.name: sign.value for sign in one.signs}
    return {cause.kind: cause.probability for cause in one.causes}, signs, tables.causes_table(folder, verdicts)


def test_a_queue_in_front_of_a_line_that_no_file_names_is_seen(tmp_path):
    folder = folder_of(
        tmp_path, rate_mbps=STEADY, rtts_ms=[30, 38, 42, 44, 45, 45, 44, 45, 45, 45], cwnd=1_700_000,
        retransmits=200, ping_ms=20.0,
    )  # fmt: skip
    likely, signs, rows = judged(folder)
    assert signs["queue"] == pytest.approx(45 / 20 - 1, rel=0.15)
    assert likely["link"] + likely["shaper"] > 0.8
    assert rows["says"].str.contains("retransmits").any()


def test_a_window_is_seen(tmp_path):
    folder = folder_of(tmp_path, rate_mbps=STEADY, rtts_ms=[20.2] * 10, cwnd=2_500_000, retransmits=0, ping_ms=20.0)
    likely, signs, _ = judged(folder)
    assert signs["queue"] < 0.05
    assert signs["resent"] == 0
    assert signs["cwnd_room"] > 2
    assert likely["window-host"] + likely["window-tool"] > 0.8


def test_rates_that_go_up_and_down_and_what_was_sent_again_speak_for_losses(tmp_path):
    rates = [9, 4, 6, 11, 5, 8, 3, 7, 10, 5]
    folder = folder_of(tmp_path, rate_mbps=rates, rtts_ms=[20.1] * 10, cwnd=17_000, retransmits=50, ping_ms=20.0)
    likely, _, rows = judged(folder)
    assert max(likely, key=likely.get) == "loss"
    assert rows.iloc[0]["place"].startswith("one.json:")
    assert rows["says"].str.contains("retransmits").any()


def test_no_queue_is_claimed_without_a_ping(tmp_path):
    folder = folder_of(tmp_path, rate_mbps=STEADY, rtts_ms=[45.0] * 10, cwnd=1_700_000, retransmits=200, ping_ms=20.0)
    (tmp_path / "ping.txt").unlink()
    _, signs, rows = judged(hecn.read_folder(folder.path))
    assert signs.get("queue", 0) < 0.05
    assert not rows["says"].str.contains("under load").any()


def test_a_version_that_prints_no_retransmits_as_none_says_nothing():
    folder = hecn.read_folder(data_dir() / "samples" / "nuttcp" / "summary-6.1.2.txt")
    runs = with_conditions(folder.reading.runs)
    assert (runs["retransmits"].dropna() == 0).all()
    verdicts = of_folder(folder)
    assert tables.measured_table(verdicts)["resent_fraction"].isna().all()
    assert all("resent" not in {sign.name for sign in one.signs} for one in verdicts)
