"""What ethtool, mii-tool, ip, ifconfig, netstat and sar say of ports."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.rates_of_ports import find


def said(text, name="a.txt"):
    return {one.name: (one.value, one.line) for one in find(Document(name, text.encode()))}


def in_use(bps, duplex):
    return {"port.speed_bps": (bps, 1), "port.duplex": (duplex, 1)}


LSHW = in_use(1e7, "full") | {"port.supported_bps": (1e9, 2)}
ETHTOOL = """\
Settings for eth0:
\tSupported link modes:   10baseT/Half 10baseT/Full
\t                        1000baseT/Full 10000baseT/Full
\tAdvertised link modes:  40000baseCR4/Full
\tSpeed: 100Mb/s
\tDuplex: Half
\tLink detected: yes
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ETHTOOL, {"port.speed_bps": (1e8, 5), "port.duplex": ("half", 6), "port.supported_bps": (1e10, 3)}),
        ("# ethtool eth0 | grep -i speed\n\tSpeed: 25000Mb/s\n", {"port.speed_bps": (25e9, 2)}),
        ("\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n", {}),
        ("eth0: negotiated 100baseTx-FD flow-control, link ok\n", in_use(1e8, "full")),
        ("eth0: 10 Mbit, half duplex, link ok\n", in_use(1e7, "half")),
        ("\tmedia: Ethernet autoselect (1000baseT <full-duplex>)\n", in_use(1e9, "full")),
        ("  configuration: duplex=full speed=10Mbit/s\n  capacity: 1Gbit/s\n", LSHW),
        ("    configuration: driver=hub slots=6 speed=480Mbit/s\n", {}),
    ],
)  # fmt: skip
def test_speed_and_duplex(text, expected):
    assert said(text) == expected


IP = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    RX:  bytes packets errors dropped  missed   mcast
       9999999   26467      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
       9999999   26467      0       0       0       0
2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
          5000      50      4      {drops}       0       0
    RX errors:  length    crc   frame    fifo overrun
                     0      4       0       0       0
    TX:  bytes packets errors dropped carrier collsns
          4000      40      0       1       0       0
"""


def test_errors_and_drops_of_the_port_that_carries_most():
    found = said(IP.format(drops=20))
    assert found == {"port.errors": (4, 10), "port.dropped": (21, 10), "port.mtu_bytes": (9000, 7)}


def test_two_outputs_in_a_file():
    found = said(IP.format(drops=20) + IP.format(drops=25))
    assert (found["port.errors"][0], found["port.dropped"][0]) == (0, 5)


@pytest.mark.parametrize(
    "text",
    [
        "eth0      Link encap:Ethernet\n          RX packets:1430 errors:12 dropped:3 overruns:0 frame:12\n",
        "eth0: flags=4163<UP>  mtu 1500\n  RX packets 5  bytes 9\n  RX errors 12  dropped 3  overruns 0  frame 12\n",
        "$ ifconfig eth0 | grep RX\nRX errors 12  dropped 3  overruns 0  frame 12\n",
        "Iface MTU RX-OK RX-ERR RX-DRP RX-OVR TX-OK TX-ERR TX-DRP TX-OVR Flg\neth0 1500 476 12 3 0 312 0 0 0 BMRU\n",
    ],
)  # fmt: skip
def test_ifconfig_and_netstat(text):
    found = said(text)
    assert (found["port.errors"][0], found["port.dropped"][0]) == (12, 3)


SAR = """\
10:00:01        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
10:00:02           lo   9000.00   9000.00  90000.00  90000.00      0.00      0.00      0.00      0.00
10:00:02         eth0      1.00      1.00      0.10      0.10      0.00      0.00      0.00      0.00
10:00:03           lo      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:00:03         eth0   1000.00   2000.00    100.00   2500.00      0.00      0.00      0.00      0.00
Average:         eth0    500.00   1000.00     50.00   1250.00      0.00      0.00      0.00      0.00
"""


def test_rates_while_the_port_works():
    assert said(SAR)["port.sent_bps"] == (2500 * 1024 * 8, 5)
    assert said(SAR)["port.received_bps"] == (100 * 1024 * 8, 5)


@pytest.mark.parametrize(
    "text", ["", "IFACE rx\n", "RX:\n", "RX: errors\n1 2\n", "link modes media: link ok\n", "RX-ERR\n1\n"]
)
def test_fragments_say_nothing(text):
    assert said(text) == {}
