"""The TCP segment size, which determines the framing overhead, is read if a tool prints it."""

import json

import pytest

import hecn_analysis as hecn

IPERF3 = """Connecting to host there, port 5201
      TCP MSS: 8948 (default)
[  5] local 10.0.0.1 port 5000 connected to 10.0.0.2 port 5201
Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, 10 second test, tos 0
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec                  receiver
"""
IPERF2 = """------------------------------------------------------------
Client connecting to there, TCP port 5001
TCP window size: 85.3 KByte (default)
------------------------------------------------------------
[  3] local 10.0.0.1 port 5000 connected with 10.0.0.2 port 5001{}
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec  1.10 GBytes   945 Mbits/sec
{}"""
NUTTCP = """nuttcp-t: v8.1.4: socket
nuttcp-t: buflen=65536, nstream=1, port=5101 tcp -> there
nuttcp-t: connect to 10.0.0.2 with mss=8948, RTT=0.093 ms
nuttcp-t: 1125.0000 MB in 10.00 real seconds = 115200.00 KB/sec = 943.7184 Mbps
nuttcp-r: v8.1.4: socket
nuttcp-r: 1125.0000 MB in 10.00 real seconds = 115200.00 KB/sec = 943.7184 Mbps
"""
NETPERF = """OMNI Send TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET
THROUGHPUT=943.72
THROUGHPUT_UNITS=10^6bits/s
ELAPSED_TIME=10.00
PROTOCOL=TCP
DIRECTION=Send
TRANSPORT_MSS=8948
"""


def iperf3_json(**start):
    side = {"seconds": 10.0, "bytes": 1_180_000_000, "bits_per_second": 944e6}
    test = {"protocol": start.pop("protocol", "TCP"), "num_streams": 1, "reverse": 0}
    head = {"version": "iperf 3.16", "connecting_to": {"host": "there"}, "test_start": test, **start}
    return json.dumps({"start": head, "intervals": [], "end": {"sum_sent": side, "sum_received": side, "sum": side}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (IPERF3, 8948),
        (IPERF3.replace("      TCP MSS: 8948 (default)", "Control connection MSS 1448"), 1448),
        (IPERF2.format("", "[  3] MSS size 8948 bytes (MTU 8988 bytes, unknown interface)\n"), 8948),
        (IPERF2.format(" (icwnd/mss/irtt=14/1448/57)", ""), 1448),
        (IPERF2.format("", ""), None),
        (NUTTCP, 8948),
        (NETPERF, 8948),
        (iperf3_json(tcp_mss_default=1448), 1448),
        (iperf3_json(tcp_mss=1400, tcp_mss_default=1448), 1400),
        (iperf3_json(tcp_mss_default=0), None),
        (iperf3_json(tcp_mss_default="x"), None),
        (iperf3_json(tcp_mss_default=1448, protocol="UDP"), None),
        (iperf3_json(), None),
    ],
)
def test_segment_size(tmp_path, text, expected):
    (tmp_path / "log").write_text(text, encoding="utf-8")
    (found,) = hecn.read(tmp_path / "log").runs["mss_bytes"].astype(object).where(lambda cells: cells.notna(), None)
    assert found == expected
