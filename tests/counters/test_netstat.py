"""netstat -i and -ib; ifconfig -s."""

import pytest

from hecn_analysis.counters import read_counters


@pytest.mark.parametrize("name", ["netstat-i/i.txt", "netstat-i/a.txt", "ifconfig/short.txt"])
def test_linux_counts_packets(recorded, name):
    counters = read_counters(recorded / name)
    rows = counters.samples.set_index("interface")
    assert [source["format"] for source in counters.sources] == ["netstat-i"]
    assert 0.9 < rows.out_packets["port2"] / rows.in_packets["port1"] <= 1.001  # a short queue threw some away
    assert rows.in_octets.isna().all()
    assert rows.mtu.to_dict() == {"br0": 1500, "lo": 65536, "port1": 1500, "port2": 1500}
    assert rows.up.all()


BSD = """\
Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll
em0    1500 <Link#1>      02:00:5e:00:53:01   372717     1     2  372538087   213821     3  198573339     0
em0       - 192.0.2.0/24  192.0.2.7            97396     -     -   68178099   175413     -  193957797     -
lo0*  16384 <Link#2>                              98     0     0      21024       98     0      21024     0
"""


def test_only_rows_of_the_link_count(counters_of):
    counters = counters_of(BSD)
    assert counters.sources[0]["format"] == "netstat-ib"
    names = ["interface", "index", "in_octets", "in_packets", "in_discards", "out_octets", "out_errors"]
    assert counters.samples[names].to_numpy().tolist() == [
        ["em0", 1, 372538087, 372717, 2, 198573339, 3],
        ["lo0", 2, 21024, 98, 0, 21024, 0],
    ]
    assert counters.interfaces.up.iloc[1] == False  # noqa: E712 - may be missing


def test_an_alias_of_an_interface_has_no_counters(counters_of):
    """net-tools, an address of its own on eth0; a last line without its flags, as one that was cut has."""
    counters = counters_of("""\
Kernel Interface table
Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
eth0       1500   0  3227153      1      2      0  1912040      3      4      0 BMRU
eth0:1     1500   0      - no statistics available -                            BMRU
lo        16436   0      100      0      0      0      100      0      0      0
""")
    names = ["interface", "mtu", "in_packets", "in_errors", "out_discards"]
    rows = counters.interfaces[names].astype(object).where(counters.interfaces[names].notna(), None)
    assert rows.to_numpy().tolist() == [
        ["eth0", 1500, 3227153, 1, 4],
        ["eth0:1", 1500, None, None, None],
        ["lo", 16436, 100, 0, 0],
    ]
    assert len(counters.samples) == 2
    assert counters.interfaces.up.isna().tolist() == [False, True, True]


def test_netbsd_does_not_number_its_links_and_a_row_breaks_off(counters_of):
    counters = counters_of("""\
Name  Mtu   Network       Address              Ipkts Ierrs    Opkts Oerrs Colls
wm0   1500  <Link>        02:00:5e:00:53:01   372717     1   213821     3     0
wm0   1500  192.0.2/24    192.0.2.7           372717     1   213821     3     0
wm1   1500  <Link>        02:00:5e:00:53:02   37
""")
    assert counters.samples[["interface", "in_packets", "out_packets"]].to_numpy().tolist() == [["wm0", 372717, 213821]]
    assert counters.samples["index"].isna().all()
