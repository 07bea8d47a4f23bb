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


def test_one_stream_beside_several_that_are_no_faster(tmp_path):
    several = IPERF3.format(version="3.12", share=98.7)
    lines = several.splitlines(keepends=True)
    single = "".join(line for line in lines if "[  7]" not in line and "[SUM]" not in line).replace("11.", "22.")
    verdicts = diagnose(folder(tmp_path, {"p1.txt": single.replace("13.6", "26.4"), "p2.txt": several}))
    assert [verdict.kind.streams for verdict in verdicts] == [1, 2]
    assert all(verdict.changes[0].what.startswith("iperf3 3.16 or newer") for verdict in verdicts)


UDP = """\
Connecting to host 10.9.0.2, port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  4.66 GBytes  4.00 Gbits/sec  0.000 ms  0/558660 (0%)  sender
[  5]   0.00-10.00  sec  4.19 GBytes  3.60 Gbits/sec  0.003 ms  55866/558660 (10%)  receiver
"""
NETSTAT = (
    "Udp:\n    {received} packets received\n    {dropped} packet receive errors\n    {dropped} receive buffer errors\n"
)
SNMP = "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\nUdp: 502801 0 {dropped} 11 {dropped}\n"
NSTAT = "#kernel\nUdpInErrors         {dropped}       0.0\nUdpRcvbufErrors     {dropped}       0.0\n"


@pytest.mark.parametrize(
    "files",
    [
        {
            "netstat-1.txt": NETSTAT.format(received=900, dropped=1200),
            "netstat-2.txt": NETSTAT.format(received=503_694, dropped=57_050),
        },
        {"snmp.txt": SNMP.format(dropped=40) + SNMP.format(dropped=55_906)},
        {"nstat.txt": NSTAT.format(dropped=55_866)},
        {"netstat-s.txt": "udp:\n    55866 dropped due to full socket buffers\n"},
    ],
)
def test_datagrams_that_sockets_dropped_passed_the_path(tmp_path, files):
    (verdict,) = diagnose(folder(tmp_path, {"run.txt": UDP, **files}))
    told = {cause.kind: cause.probability for cause in verdict.causes}
    assert told["cpu-receiver"] + told["window-host"] + told["receiver-app"] > 0.8
    assert "socket buffer, or its processor" in verdict.finding
    assert 3.6e9 <= verdict.changes[0].throughput_bps <= verdict.changes[0].high_bps <= 4.01e9


@pytest.mark.parametrize("dropped", [0, 900, 3_000_000])
def test_other_counts_leave_it_with_the_rate_that_is_sent(tmp_path, dropped):
    netstat = NETSTAT.format(received=503_694, dropped=dropped)
    (verdict,) = diagnose(folder(tmp_path, {"run.txt": UDP, "netstat.txt": netstat}))
    assert verdict.causes[0].kind == "udp"


SS = (
    "ESTAB 0      2091008      192.0.2.5:40124      198.51.100.7:8443\n"
    "\t cubic wscale:8,9 rto:264 rtt:63.1/0.3 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:2210 "
    "bytes_sent:7811820011 bytes_acked:7809730001 data_segs_out:5394903 send 405712836bps lastsnd:1 "
    "delivery_rate 264884000bps busy:240210ms rwnd_limited:218830ms(91.1%) unacked:1444 minrtt:62.9 snd_wnd:2091008\n"
)


def test_a_window_of_a_program_that_nobody_names_is_the_kernels_or_its_own(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, {"ss.txt": SS}))
    told = {cause.kind: cause.probability for cause in verdict.causes}
    assert verdict.causes[0].kind == "window-host"
    assert told["window-host"] + told["disk-write"] + told["receiver-app"] > 0.7
    assert "tcp_rmem" in verdict.changes[0].command


def test_a_window_that_the_command_asks_for_may_be_the_limit(tmp_path):
    command = "$ iperf3 -c 198.51.100.7 -w 1M -t 240\n"
    (verdict,) = diagnose(folder(tmp_path, {"ss.txt": SS, "run.txt": command}))
    told = {cause.kind: cause.probability for cause in verdict.causes}
    assert not any(sign.name == "unasked" for sign in verdict.signs)
    assert told["window-tool"] > 0.25


SAR = """\
Linux 6.1.0-18-amd64 (store3) \t04/21/2025 \t_x86_64_\t(8 CPU)

09:10:01        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
09:20:01           lo      4.00      4.00      0.40      0.40      0.00      0.00      0.00      0.00
09:20:01       enp3s0  {packets}  30110.00  {kilobytes}   2010.00      0.00      0.00      0.00     {load}
09:30:01           lo      4.00      4.00      0.40      0.40      0.00      0.00      0.00      0.00
09:30:01       enp3s0  {packets}  30110.00  {kilobytes}   2010.00      0.00      0.00      0.00     {load}
"""


@pytest.mark.parametrize(("load", "is_full"), [(95.2, True), (38.0, False)])
def test_a_port_that_carries_all_it_can_is_full(tmp_path, load, is_full):
    carried = load / 100 * 1e9 / 8
    sar = SAR.format(packets=round(carried / 1460), kilobytes=round(carried / 1024), load=load)
    (verdict,) = diagnose(folder(tmp_path, {"sar.txt": sar}))
    assert (verdict.causes[0].kind == "link" and verdict.verdict == "as_expected") == is_full
    if is_full:
        assert "enp3s0" in verdict.causes[0].evidence[0].says
        assert verdict.changes == ()


@pytest.mark.parametrize(
    ("note", "fit"),
    [
        ("From Oslo to Madrid we see only 640 Mbit/s, the RTT is 50 ms, and the TCP buffer is 4 MB.", 1.0),
        ("A 16 MB window at both ends, RTT 80 ms, and it reached 800 Mb/s on a 10 Gb/s line.", 0.5),
        ("It reached 640 Mbit/s with one stream and 900 Mbit/s with two, RTT 50 ms, socket buffers of 4 MB.", None),
        ("We want 640 Mbit/s over 50 ms RTT, and the socket buffer is 4 MB.", None),
    ],
)
def test_a_rate_that_fills_the_stated_buffer(tmp_path, note, fit):
    (verdict,) = diagnose(folder(tmp_path, {"note.txt": note + "\n"}))
    found = {sign.name: sign.value for sign in verdict.signs}
    assert found.get("told_window") == (None if fit is None else pytest.approx(fit, rel=0.01))
    if fit is not None:
        told = {cause.kind: cause.probability for cause in verdict.causes}
        assert told["window-host"] + told["window-tool"] > 0.5
        assert "somebody states" in str(verdict)
