"""Small folders in which one piece of evidence decides: the cause, and what is advised and what is not."""

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis.observed import folder

PORT = """\
Settings for ens3:
\tSpeed: 10000Mb/s
\tDuplex: Full
NIC statistics:
     rx_packets: {packets}
     tx_packets: 31190222
     rx_bytes: 118230019211
     rx_errors: {damaged}
     rx_crc_errors: {damaged}
"""


def test_damaged_frames_are_a_loss_that_repair_ends(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, {"ethtool.txt": PORT.format(packets=79_312_044, damaged=31_207)}))
    assert verdict.causes[0].kind == "loss"
    assert verdict.causes[0].probability > 0.6
    assert "rx_crc_errors: 31207" in verdict.causes[0].evidence[0].says
    assert "cable" in verdict.changes[0].command
    assert not any("bbr" in change.command or "streams" in change.what for change in verdict.changes)


@pytest.mark.parametrize("damaged", [0, 300])
def test_few_damaged_frames_decide_nothing(tmp_path, damaged):
    (verdict,) = diagnose(folder(tmp_path, {"ethtool.txt": PORT.format(packets=79_312_044, damaged=damaged)}))
    assert max(cause.probability for cause in verdict.causes) < 0.5


IPERF3 = """\
iperf {version}
Connecting to host 10.9.0.2, port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  13.6 GBytes  11.70 Gbits/sec    0             sender
[  5]   0.00-10.04  sec  13.6 GBytes  11.65 Gbits/sec                  receiver
[  7]   0.00-10.00  sec  13.6 GBytes  11.70 Gbits/sec    0             sender
[  7]   0.00-10.04  sec  13.6 GBytes  11.65 Gbits/sec                  receiver
[SUM]   0.00-10.00  sec  27.2 GBytes  23.40 Gbits/sec    0             sender
[SUM]   0.00-10.04  sec  27.2 GBytes  23.30 Gbits/sec                  receiver
CPU Utilization: local/sender 64.2% (1.0%u/63.2%s), remote/receiver {share}% (3.0%u/{share}%s)
"""


@pytest.mark.parametrize(
    ("version", "share", "is_one_thread"),
    [("3.12", 98.7, True), ("3.16", 98.7, False), ("", 98.7, True), ("3.19", 168.2, False), ("3.12", 71.0, False)],
)
def test_the_thread_of_an_old_iperf3_comes_before_jumbo_frames(tmp_path, version, share, is_one_thread):
    text = IPERF3.format(version=version, share=share).removeprefix("iperf \n")
    (verdict,) = diagnose(folder(tmp_path, {"run.txt": text}))
    assert verdict.changes[0].what.startswith("iperf3 3.16 or newer") == is_one_thread
    if is_one_thread:
        assert verdict.causes[0].kind == "cpu-receiver"
        assert verdict.changes[0].throughput_bps > verdict.measured_bps
