"""/proc/net: dev, snmp, netstat, softnet_stat."""

from hecn_analysis.counters import read_counters


def test_dev(recorded):
    counters = read_counters(recorded / "proc" / "net-dev.txt")
    assert counters.problems.empty
    assert counters.samples.interface.tolist() == ["lo", "br0", "port1", "port2"]
    assert counters.samples.in_octets.iloc[2] > counters.samples.out_octets.iloc[3] > 2**32
    assert counters.samples.in_packets.iloc[2] > 1e6
    assert counters.samples.counter_bits.tolist() == [64] * 4


HEADING = """\
Inter-|   Receive                                                |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
"""


def test_names_run_into_numbers_and_hold_colons(counters_of):
    counters = counters_of(
        HEADING
        + "    lo:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\neth0:1: 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36\n"
    )
    assert counters.samples.interface.tolist() == ["lo", "eth0:1"]
    assert counters.samples[["in_octets", "in_errors", "in_discards", "in_multicast"]].to_numpy().tolist() == [
        [1, 3, 4, 8],
        [21, 23, 24, 28],
    ]
    assert counters.samples[["out_octets", "out_packets", "out_errors", "out_discards"]].to_numpy().tolist() == [
        [9, 10, 11, 12],
        [29, 30, 31, 32],
    ]
    assert counters.samples.counter_bits.isna().all()


def test_a_row_that_is_cut_is_left_out(counters_of, said):
    counters = counters_of(HEADING + "  lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\neth0: 1 2 3\n")
    assert counters.samples.interface.tolist() == ["lo"]
    assert said(counters) == ["4: malformed: found 3 counters of 'eth0', expected 16; left out"]


def test_protocols_are_facts_by_name(recorded):
    (source,) = read_counters(recorded / "proc" / "net-snmp.txt").sources
    assert source["format"] == "proc-net-snmp"
    assert source["tcp"]["max_conn"] == -1
    assert source["tcp"]["retrans_segs"] >= 0
    assert source["ip"]["in_receives"] > 0
    (source,) = read_counters(recorded / "proc" / "net-netstat.txt").sources
    assert source["format"] == "proc-net-netstat"
    assert source["ip_ext"]["in_octets"] > 0


def test_softnet_is_hexadecimal(counters_of):
    (source,) = counters_of("0000008e 00000012 00000001 " + "00000000 " * 7 + "00000000\n").sources
    assert source["format"] == "proc-net-softnet_stat"
    assert (source["n_cpus"], source["processed"], source["dropped"], source["time_squeeze"]) == (1, [142], [18], [1])
