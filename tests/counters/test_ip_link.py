"""ip -s link: text, one line, JSON; rounded, cut and damaged."""

import pytest

from hecn_analysis.counters import read_counters


@pytest.mark.parametrize(
    "name", ["s.txt", "s-s.txt", "s-s-d.txt", "oneline.txt", "s-address.txt", "s.json", "s-s-d.json"]
)
def test_all_forms_give_the_same_interfaces(recorded, name):
    counters = read_counters(recorded / "ip-s-link" / name)
    assert counters.problems.empty
    assert counters.samples.interface.tolist() == ["lo", "br0", "port1", "port2"]
    assert counters.samples["index"].tolist() == [1, 2, 3, 4]
    assert counters.samples.in_octets.iloc[2] > counters.samples.out_octets.iloc[3] > 2**32
    assert counters.samples.counter_bits.tolist() == [64] * 4
    assert counters.samples.mtu.tolist() == [65536, 1500, 1500, 1500]
    assert counters.samples.up.all()
    assert counters.samples.time.isna().all()
    assert [source["format"] for source in counters.sources] == [
        "ip-j-s-link" if name.endswith("json") else "ip-s-link"
    ]


def test_text_and_json_were_recorded_in_this_order(recorded):
    octets = [
        read_counters(recorded / "ip-s-link" / name).samples.in_octets.iloc[2]
        for name in ("s.txt", "s-s.txt", "s.json")
    ]
    assert octets == sorted(octets)


def test_rounded_counters_are_read_and_told(recorded, said):
    counters = read_counters(recorded / "ip-s-link" / "s-h.txt")
    assert counters.samples.in_octets.iloc[2] == pytest.approx(15.3e9)
    assert said(counters) == [
        "unit: found counters that 'ip -h' has rounded, expected all of their digits; read as printed"
    ]


OLD = """\
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast qlen 1000
    link/ether 02:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped overrun mcast
    1863567224 1242160956 5       6       7       4961
    TX: bytes  packets  errors  dropped carrier collsns
    3414253990 711297408 8       9       10      11
3: eth1.5@eth1: <BROADCAST,MULTICAST> mtu 9000 qdisc noop state DOWN
    link/ether 02:00:5e:00:53:02 brd ff:ff:ff:ff:ff:ff
"""


def test_columns_are_told_by_their_headings(counters_of):
    counters = counters_of(OLD)
    row = counters.samples.iloc[0]
    assert row[["in_octets", "in_packets", "in_errors", "in_discards", "in_multicast"]].tolist() == [
        1863567224, 1242160956, 5, 6, 4961,
    ]  # fmt: skip
    assert row[["out_octets", "out_packets", "out_errors", "out_discards"]].tolist() == [3414253990, 711297408, 8, 9]
    assert row.isna()["counter_bits"]


def test_an_interface_without_counters_is_an_interface(counters_of):
    counters = counters_of(OLD)
    assert len(counters.samples) == 1
    last = counters.interfaces.iloc[1]
    assert last[["interface", "mtu", "up", "mac_address"]].tolist() == ["eth1.5", 9000, False, "02:00:5e:00:53:02"]
    assert last.isna()["in_octets"]


def test_a_line_that_is_cut_is_left_out(counters_of, said):
    counters = counters_of(OLD.replace(" 711297408 8       9       10      11", ""))
    assert counters.samples.isna().iloc[0]["out_octets"]
    assert counters.samples.in_octets.tolist() == [1863567224]
    assert said(counters) == ["6: malformed: found '3414253990', expected 6 counters; left out"]


def test_json_that_breaks_off_gives_what_is_whole(recorded, counters_of, said):
    text = (recorded / "ip-s-link" / "s-s-d.json").read_text()
    counters = counters_of(text[: text.index('"port2"')])
    assert counters.samples.interface.tolist() == ["lo", "br0", "port1"]
    assert [problem.partition(": ")[2] for problem in said(counters)] == [
        "truncated: found truncated JSON, expected its end; the complete part is read"
    ]


def test_an_interface_that_breaks_off_keeps_its_members(counters_of, said):
    text = '[{"ifname": "eth0", "flags": ["UP"], "mtu": 9000, "stats64": {"rx": {"bytes": 5}, "tx": {"byt'
    counters = counters_of(text)
    assert counters.samples[["mtu", "in_octets"]].to_numpy().tolist() == [[9000, 5]]
    assert counters.samples.out_octets.isna().all()
    assert said(counters) == ["1: truncated: found truncated JSON, expected its end; the complete part is read"]


def test_what_is_printed_as_json_and_is_not_quite_is_read(counters_of, said):
    link = '[{{"ifname": "{}", "stats64": {{"rx": {{"bytes": 5}}, "tx": {{"bytes": 6,}}}}}}]'
    counters = counters_of(f"{link.format('eth0')}\n{link.format('eth1')}\n")
    assert counters.samples.interface.tolist() == ["eth0", "eth1"]
    repaired = "malformed: found a comma before a closing bracket, expected JSON; read as far as it has a meaning"
    assert said(counters) == [f"1: {repaired}", f"2: {repaired}"]


def test_an_index_that_cannot_be_is_left_out(counters_of, said):
    text = '[{"ifindex": -1, "ifname": "eth0", "stats64": {"rx": {"bytes": 5}, "tx": {"bytes": 6}}}]'
    counters = counters_of(text)
    assert counters.samples[["interface", "in_octets"]].to_numpy().tolist() == [["eth0", 5]]
    assert counters.samples["index"].isna().all()
    assert "inconsistent: index: found -1, expected a whole number of at least 0; left out" in said(counters)


def test_outputs_one_after_another(counters_of):
    """The same command twice: each a whole document."""
    link = '[{{"ifindex": 2, "ifname": "eth0", "stats64": {{"rx": {{"bytes": {}}}, "tx": {{"bytes": 6}}}}}}]\n'
    counters = counters_of(link.format(5) + link.format(7))
    assert counters.samples.in_octets.tolist() == [5, 7]
    assert counters.problems.empty


def test_json_too_deep_to_be_anybodys(counters_of, said):
    link = '[{"ifindex": 2, "ifname": "eth0", "stats64": {"rx": {"bytes": 5}, "tx": {"bytes": 6}}}'
    counters = counters_of(f"{link}, {'[' * 100_000}")
    assert counters.samples.empty
    assert said(counters) == ["1: malformed: found JSON that cannot be read, expected a whole document; left out"]


def test_kinds_of_errors_are_facts_of_the_interface(counters_of):
    counters = counters_of(
        "6: eth9: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP qlen 1000\n"
        "    link/ether 02:00:00:00:00:09 brd ff:ff:ff:ff:ff:ff\n"
        "    RX: bytes  packets  errors  dropped overrun mcast   \n    7000000    5000 0       17     40   12 \n"
        "    RX errors: length  crc     frame   fifo    missed\n               0        3       0       0       1725\n"
        "    TX: bytes  packets  errors  dropped carrier collsns \n    900  9 0       0       0       0      \n"
        "    TX errors: aborted fifo    window  heartbeat\n               0        0       2       0      \n"
    )
    [port] = counters.sources[0]["interfaces"]
    assert (port["in_discards"], port["in_crc"], port["in_missed"], port["out_window"]) == (17, 3, 1725, 2)
    assert (port["out_octets"], len(counters.problems)) == (900, 0)
