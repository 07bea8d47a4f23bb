"""What tc says of queues."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.queues import find


def said(text, name="tc-sender.txt"):
    return {one.name: (one.value, one.line) for one in find(Document(name, text.encode()))}


def test_a_queue_that_drops():
    text = """\
qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc mq 0: dev eth0 root
 Sent 900 bytes 9 pkt (dropped 7, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc fq_codel 0: dev eth0 parent :1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb
 Sent 900 bytes 9 pkt (dropped 7, overlimits 0 requeues 0)
 backlog 12Kb 8p requeues 0
  maxpacket 0 drop_overlimit 0 new_flow_count 0 ecn_mark 0
"""
    assert said(text) == {
        "queue.kind": ("fq_codel", 7),
        "queue.dropped": (7, 8),
        "queue.backlog_bytes": (12 * 1024, 9),
    }


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("qdisc tbf 8009: root refcnt 2 rate 80Mbit burst 32Kb lat 21.7ms\n", 80e6),
        ("qdisc tbf 1: dev eth0 root rate 12500Kbps burst 5Kb\n", 100e6),
        ("qdisc netem 1: root refcnt 2 limit 1000 delay 40.0ms rate 1Gbit\n", 1e9),
        ("qdisc cake 8001: root refcnt 2 bandwidth 95Mbit diffserv3 triple-isolate rtt 100ms\n", 95e6),
        ("qdisc cake 8001: root refcnt 2 bandwidth unlimited diffserv3 rtt 100ms\n", None),
        ("qdisc fq 8001: root refcnt 2 limit 10000p maxrate 500Mbit low_rate_threshold 550Kbit\n", 500e6),
        ("qdisc fq 8001: root refcnt 2 limit 10000p low_rate_threshold 550Kbit\n", None),
        (" police 0x1 rate 100Mbit burst 100Kb mtu 2Kb action drop overhead 0b\n", 100e6),
        ("\taction order 1:  police 0x1 rate 50Mbit burst 1Mb mtu 2Kb action drop\n", 50e6),
        ("# tc qdisc add dev eth0 root tbf rate 100mbit burst 32kbit latency 400ms\n", 100e6),
        ("class hfsc 1:1 parent 1: leaf 10: sc m1 0bit d 0us m2 10Mbit ul m1 0bit d 0us m2 20Mbit\n", 20e6),
        ("qdisc pfifo_fast 0: root refcnt 2 bands 3 priomap 1 2 2 2\n", None),
    ],
)
def test_what_a_queue_holds_to(text, bps):
    assert said(text).get("queue.rate_bps", (None,))[0] == bps


def test_the_narrowest_class_with_the_traffic():
    text = """\
class htb 1:1 root rate 1Gbit ceil 1Gbit burst 1375b cburst 1375b
 Sent 901000 bytes 705 pkt (dropped 0, overlimits 0 requeues 0)
class htb 1:10 parent 1:1 prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b
 Sent 900000 bytes 700 pkt (dropped 30, overlimits 600 requeues 0)
 rate 95752Kbit 7906pps backlog 0b 12p requeues 0
"""
    assert said(text)["queue.rate_bps"] == (200e6, 3)
    assert said(text)["queue.dropped"] == (30, 4)


@pytest.mark.parametrize("text", ["", "qdisc \n", "the police said rate\n", "class htb\n Sent x\n"])
def test_fragments_say_nothing(text):
    assert said(text) == {}


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("          cir 50000000 bps, bc 1562500 bytes", 50e6),
        ("    police cir 50 mbps bc 200 ms conform-action transmit", 50e6),
        ("     police 8000000 1500 exceed-action drop", 8e6),
        ("     shape average 100m", 1e8),
        ("        if-exceeding bandwidth-limit 50m;", 50e6),
        ("     police cir percent 20", None),
    ],
)
def test_policies_of_routers(line, rate):
    assert said(f"policy-map OUT\n{line}\n") == ({} if rate is None else {"queue.rate_bps": (rate, 2)})
