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
