"""nfsstat and lnetctl: counters of file services over the network."""

from hecn_analysis.counters import read_counters


def test_tables_of_nfsstat(samples):
    [source] = read_counters(samples / "nfsstat" / "both.txt").sources
    assert source["format"] == "nfsstat"
    assert source["server"] == {"rpc": {"calls": 48211, "badcalls": 3, "badfmt": 2, "badauth": 1, "badclnt": 0}}
    assert source["client"] == {
        "rpc": {"calls": 910223, "retrans": 1207, "authrefrsh": 910311},
        "nfs_v4": {
            "null": 2, "read": 501223, "write": 210987, "commit": 1200, "open": 8411, "open_conf": 0, "close": 8405,
            "getattr": 88120,
        },
    }  # fmt: skip


def test_damaged_figures_of_nfsstat_are_told_and_words_below_are_not(counters_of, samples, said):
    text = (samples / "nfsstat" / "both.txt").read_text().replace("1207 ", "12O7 ") + "\nall of it\nis well\n"
    counters = counters_of(text)
    assert said(counters) == [
        "7: malformed: found '910223     12O7       910311', expected figures of calls, retrans, authrefrsh; left out"
    ]
    assert counters.sources[0]["client"]["rpc"] == {}


def test_statistics_of_lnet(samples, counters_of):
    counters = read_counters(samples / "lnet" / "stats.txt")
    [sample] = counters.samples.to_dict("records")
    assert (sample["interface"], sample["in_octets"], sample["out_octets"]) == ("lnet", 92233720111, 310287654321)
    assert (counters.sources[0]["errors"], counters.sources[0]["drop_count"]) == (4, 17)
    other = counters_of("statistics:\n    send_count: 7\n    recv_count: 8\n")
    assert list(other.problems.kind) == ["unrecognised"]
