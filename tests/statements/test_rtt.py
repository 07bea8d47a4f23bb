"""What pings say, without a transfer and during one."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.rtt import find


def said(text, name="ping.txt"):
    return [(one.name, pytest.approx(one.value), one.line) for one in find(Document(name, text.encode()))]


TIMES = (99.0, 40.3, 40.5, 40.1, 40.2)
LINUX = (
    "PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n"
    + "".join(f"64 bytes from 192.0.2.2: icmp_seq={i} ttl=64 time={t} ms\n" for i, t in enumerate(TIMES, 1))
    + "\n--- 192.0.2.2 ping statistics ---\n10 packets transmitted, 5 received, 50% packet loss, time 4507ms\n"
    + "rtt min/avg/max/mdev = 40.100/52.020/99.000/23.491 ms\n"
)


@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("ping-before.txt", "idle"),
        ("ping-during.txt", "loaded"),
        ("ping_under_load.log", "loaded"),
        ("ping-unloaded.txt", "idle"),
        ("ping.txt", "idle"),
    ],
)
def test_the_median_counts_without_a_transfer_and_the_mean_during_one(name, when):
    found = said(LINUX, name)
    assert (("path.rtt_idle_s", 0.0403, 3) if when == "idle" else ("path.rtt_loaded_s", 0.05202, 6)) in found
    assert (f"path.ping_loss_{when}", 0.5, 9) in found
    scatter = 1.4826 * 0.0002  # deviations from 40.3 ms: 58.7, 0, 0.2, 0.2, 0.1
    assert (("path.rtt_scatter_s", pytest.approx(scatter), 6) in found) == (when == "idle")


def test_several_pings_in_a_file():
    found = said(f"# idle\n{LINUX}# while iperf3 runs\n{LINUX.replace('=40.', '=90.')}")
    assert [one[0] for one in found if one[0].startswith("path.rtt_") and "scatter" not in one[0]] == [
        "path.rtt_idle_s",
        "path.rtt_loaded_s",
    ]


BSD = """\
PING a (192.0.2.2): 56 data bytes
--- a ping statistics ---
20 packets transmitted, 19 packets received, 5.0% packet loss
round-trip min/avg/max/stddev = 1.100/2.200/3.300/0.4 ms
"""


@pytest.mark.parametrize(
    ("text", "rtt_s", "loss"),
    [
        (BSD, 0.0022, 0.05),
        (
            "20 packets transmitted, 20 packets received, 0% packet loss\nround-trip min/avg/max = 0.1/0.2/0.3 ms\n",
            0.0002,
            0,
        ),
        (
            "Pinging 192.0.2.2 with 32 bytes of data:\n"
            + 8 * "Reply from 192.0.2.2: bytes=32 time=12ms TTL=53\n"
            + "    Packets: Sent = 8, Received = 8, Lost = 0 (0% loss),\n"
            + "    Minimum = 12ms, Maximum = 12ms, Average = 12ms\n",
            0.012,
            0,
        ),
        (
            8 * "Antwort von 192.0.2.2: Bytes=32 Zeit<1ms TTL=64\n"
            + "    Pakete: Gesendet = 10, Empfangen = 8, Verloren = 2\n    (20% Verlust),\n",
            0.0005,
            0,
        ),
        (
            "".join(f"64 bytes from 192.0.2.2: icmp_seq={i} ttl=64 time=2.0 ms\n" for i in (1, 2, 3, 5, 6, 7, 8, 10)),
            0.002,
            0.2,
        ),
        (8 * "Reply from 192.0.2.2: bytes=32 time=5ms TTL=64\n" + 2 * "Request timed out.\n", 0.005, 0.2),
    ],
)
def test_versions(text, rtt_s, loss):
    found = {name: value for name, value, _ in said(text)}
    assert (found["path.rtt_idle_s"], found["path.ping_loss_idle"]) == (rtt_s, loss)


@pytest.mark.parametrize(
    ("text", "rtt_s"),
    [
        ("64 bytes from a: icmp_seq=1 ttl=50 time=80.1 ms\n", 0.0801),
        ("64 bytes from a: icmp_seq=1 ttl=50 time=95 ms\n64 bytes from a: icmp_seq=2 ttl=50 time=80 ms\n", 0.08),
        ("PING a 56 data bytes\nround-trip min/avg/max = 80.0/81.0/82.0 ms\n", 0.081),
        ("PING a 56 data bytes\nround-trip min/avg/max = 1.0/2.0/3.0 ms\n", None),
    ],
)
def test_few_replies_state_the_time_of_a_far_path_alone(text, rtt_s):
    assert {name: value for name, value, _ in said(text)}.get("path.rtt_idle_s") == rtt_s
    assert said("while the copy was running:\n" + text) == []


@pytest.mark.parametrize(
    "text", ["", "time=3 ms\n", "64 bytes from a: icmp_seq=1 ttl=64 time=2.0 ms\n", "min/avg/max = /\n", "TTL=\n"]
)
def test_too_little_says_nothing(text):
    assert said(text) == []


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("[  1] local 192.0.2.1 port 5 connected with 192.0.2.2 port 5001 (icwnd/mss/irtt=14/1448/90455)", [0.090455]),
        ("[  3] local 192.0.2.1 port 5 connected with 192.0.2.2 port 5001 (sock=3) (icwnd/mss/irtt=1/2/0)", []),
        ("[  3] local 192.0.2.1 port 5 connected with 192.0.2.2 port 5001", []),
    ],
)
def test_the_handshake_of_iperf_2_is_an_rtt(line, times):
    assert [value for name, value, _ in said(line) if name == "path.rtt_idle_s"] == [pytest.approx(t) for t in times]


def test_the_table_of_a_transfer_above_does_not_place_a_ping_during_it():
    table = "[ ID] Interval       Transfer     Bandwidth\n[  3]  0.0-10.0 sec  62.5 MBytes  52.4 Mbits/sec\n"
    pings = 3 * "64 bytes from a: icmp_seq=1 ttl=60 time=20.0 ms\n"
    assert {name for name, *_ in said(table + pings)} == {"path.rtt_idle_s"}
