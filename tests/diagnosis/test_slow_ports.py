"""A port of 1 Gb/s that came up at 100 Mb/s is the cause in any vendor's words, unless the runs are faster."""

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

CISCO = """\
sw1#show interfaces Gi1/0/12
GigabitEthernet1/0/12 is up, line protocol is up (connected)
  Hardware is Gigabit Ethernet, address is 0012.7f57.120c (bia 0012.7f57.120c)
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
     reliability 255/255, txload 200/255, rxload 3/255
  Full-duplex, 100Mb/s, media type is 10/100/1000BaseTX
  5 minute output rate 78000000 bits/sec, 6600 packets/sec
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
"""
JUNOS = """\
user@ex1> show interfaces ge-0/0/5
Physical interface: ge-0/0/5, Enabled, Physical link is Up
  Interface index: 653, SNMP ifIndex: 515
  Link-level type: Ethernet, MTU: 1514, LAN-PHY mode, Speed: 100mbps, BPDU Error: None, Loopback: Disabled
  Input rate     : 912 bps (1 pps)
  Output rate    : 92110400 bps (7800 pps)
"""
WINDOWS = """\
Name                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed
----                      --------------------                    ------- ------       ----------             ---------
Ethernet                  Intel(R) Ethernet Connection (17) I219-LM    12 Up           A4-BB-6D-11-22-33       100 Mbps
"""
MIKROTIK = """\
[admin@rb] > /interface ethernet monitor ether2 once
                      name: ether2
                      rate: 100Mbps
               full-duplex: yes
               advertising: 10M-half,10M-full,100M-half,100M-full,1000M-half,1000M-full
"""
FREEBSD = """\
em0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
\tether 00:25:90:11:22:33
\tmedia: Ethernet autoselect (100baseTX <full-duplex>)
\tstatus: active
"""
ARISTA = """\
Port       Name      Status       Vlan     Duplex Speed  Type         Flags Encapsulation
Et1        srv1      connected    10       full   1G     1000BASE-T
Et2        srv2      connected    10       a-full a-100M 10/100/1000
"""


def _causes(folder, port, rate):
    (folder / "iperf3.txt").write_text(e.iperf3([rate] * 10, [150e3] * 10, command="iperf3 -c 10.1.2.9 -t 10"))
    (folder / "port.txt").write_text(port)
    return diagnose(folder)[0].causes


@pytest.mark.parametrize("port", [CISCO, JUNOS, WINDOWS, MIKROTIK, FREEBSD, ARISTA, e.ethtool(100, supported=1000)])
def test_a_gigabit_port_at_100_mbit_is_the_cause(tmp_path, port):
    first = _causes(tmp_path, port, 94.1e6)[0]
    assert first.kind == "duplex"
    assert first.probability > 0.8
    assert any(one.source_file.endswith("port.txt") and "100" in one.says for one in first.evidence)


def test_a_port_that_can_do_no_more_is_a_full_line(tmp_path):
    assert _causes(tmp_path, e.ethtool(100), 94.1e6)[0].kind == "link"


def test_runs_above_100_mbit_did_not_pass_that_port(tmp_path):
    causes = _causes(tmp_path, ARISTA, 310e6)
    assert next(one for one in causes if one.kind == "duplex").probability < 0.1


def test_of_several_ports_without_traffic_none_is_that_of_the_runs(tmp_path):
    (tmp_path / "iperf3.txt").write_text(e.iperf3([94.1e6] * 10, [150e3] * 10))
    (tmp_path / "port.txt").write_text(ARISTA)
    assert diagnose(tmp_path)[0].kind.say("port.speed_bps") == []
