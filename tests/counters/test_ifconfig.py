"""ifconfig of Linux in both layouts and several languages, BSD, macOS, NetBSD."""

import pytest

from hecn_analysis.counters import read_counters


@pytest.mark.parametrize("name", ["ifconfig/a.txt", "netstat-i/ie.txt"])
def test_net_tools_2(recorded, name):
    counters = read_counters(recorded / name)
    assert counters.problems.empty
    assert [source["format"] for source in counters.sources] == ["ifconfig"]
    rows = counters.samples.set_index("interface")
    assert sorted(rows.index) == ["br0", "lo", "port1", "port2"]
    assert 0.9 < rows.out_octets["port2"] / rows.in_octets["port1"] <= 1.001  # a short queue threw some away
    assert rows.up.all()
    assert rows.mtu["lo"] == 65536


OLD = {
    "English": """\
eth0      Link encap:Ethernet  HWaddr 02:00:5E:00:53:01
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
          RX packets:520759581 errors:1 dropped:2 overruns:0 frame:0
          TX packets:371725829 errors:3 dropped:4 overruns:0 carrier:0
          collisions:0 txqueuelen:1000
          RX bytes:482963442899 (449.7 GiB)  TX bytes:502934726512 (468.3 GiB)
""",
    "German": """\
eth0      Link encap:Ethernet  Hardware Adresse 02:00:5E:00:53:01
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metrik:1
          RX-Pakete:520759581 Fehler:1 Verloren:2 Überläufe:0 Fenster:0
          TX-Pakete:371725829 Fehler:3 Verloren:4 Überläufe:0 Träger:0
          Kollisionen:0 Sendewarteschlangenlänge:1000
          RX-Bytes:482963442899 (449.7 GiB)  TX-Bytes:502934726512 (468.3 GiB)
""",
    "French": """\
eth0      Link encap:Ethernet  HWaddr 02:00:5E:00:53:01
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
          Paquets reçus:520759581 erreurs:1 :2 overruns:0 frame:0
          Paquets transmis:371725829 erreurs:3 :4 overruns:0 carrier:0
          Octets reçus:482963442899 (449.7 GiB)  Octets transmis:502934726512 (468.3 GiB)
""",
}


@pytest.mark.parametrize("language", OLD)
def test_net_tools_1(counters_of, language):
    row = counters_of(OLD[language].replace(" :2", " jetés:2").replace(" :4", " jetés:4")).samples.iloc[0]
    names = [
        "in_octets",
        "in_packets",
        "in_errors",
        "in_discards",
        "out_octets",
        "out_packets",
        "out_errors",
        "out_discards",
    ]
    assert row[names].tolist() == [482963442899, 520759581, 1, 2, 502934726512, 371725829, 3, 4]
    assert row[["interface", "mtu", "up"]].tolist() == ["eth0", 1500, True]


BSD = """\
em0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
        ether 02:00:5e:00:53:01
        status: no carrier
lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> metric 0 mtu 16384
        inet 127.0.0.1 netmask 0xff000000
"""


def test_bsd_has_no_counters(counters_of):
    counters = counters_of(BSD)
    assert counters.samples.empty
    assert counters.interfaces[["interface", "mtu", "up"]].to_numpy().tolist() == [
        ["em0", 1500, False],
        ["lo0", 16384, True],
    ]
    assert counters.interfaces.in_octets.isna().all()


def test_netbsd_verbose_has_counters(counters_of):
    row = counters_of(
        "wm0: flags=0x8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500\n"
        "        input: 11 packets, 1234 bytes, 2 multicasts, 3 errors\n        output: 22 packets, 5678 bytes\n"
    ).samples.iloc[0]
    assert row[["in_packets", "in_octets", "in_errors", "out_packets", "out_octets"]].tolist() == [
        11,
        1234,
        3,
        22,
        5678,
    ]


def test_what_a_shell_prints_between(counters_of):
    counters = counters_of(
        f"{BSD}root@gw:~ # uptime\n 10:00AM  up 3 days\n\tether 02:00:5e:00:53:09\n{OLD['English']}$ "
    )
    assert counters.interfaces.interface.tolist() == ["em0", "lo0", "eth0"]
    assert counters.interfaces.set_index("interface").mac_address.isna().to_dict() == {
        "em0": False, "lo0": True, "eth0": False,
    }  # fmt: skip
    assert counters.samples.in_octets.tolist() == [482963442899]


def test_a_quoted_label_is_no_interface(counters_of):
    counters = counters_of("> Adapter:   0\n> Linked at:      port 0\n> RX speed:  6 Gb/s\n")
    assert not counters.sources
