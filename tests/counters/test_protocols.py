"""Counters of the host's protocols: nstat and netstat -s."""

from hecn_analysis.counters import read_counters


def test_nstat_counts_by_protocol(samples):
    [source] = read_counters(samples / "nstat" / "table.txt").sources
    assert source["format"] == "nstat"
    assert source["tcp"] == {"in_segs": 71234567, "out_segs": 91234567, "retrans_segs": 12345}
    assert source["udp"] == {"in_errors": 678, "rcvbuf_errors": 678}
    assert source["tcp_ext"] == {"listen_overflows": 9, "tcp_lost_retransmit": 45, "tcp_timeouts": 321}
    assert (source["ip_ext"], source["ip6"]) == ({"in_octets": 123456789012}, {"in_receives": 17})


def test_json_of_nstat(samples):
    [source] = read_counters(samples / "nstat" / "document.json").sources
    assert source["tcp"] == {"out_segs": 987, "retrans_segs": 65}
    assert source["tcp_ext"] == {"tcp_loss_probes": 4}


def test_sentences_of_netstat_have_the_names_of_the_kernel(samples):
    [source] = read_counters(samples / "netstat-s" / "statistics.txt").sources
    assert source["format"] == "netstat-s"
    assert source["tcp"] == {"in_segs": 71234567, "out_segs": 91234567, "retrans_segs": 12345, "in_errs": 3}
    assert source["udp"] == {
        "in_datagrams": 5678, "in_errors": 678, "out_datagrams": 4567, "rcvbuf_errors": 678, "sndbuf_errors": 2,
    }  # fmt: skip
    assert source["tcp_ext"] == {
        "listen_overflows": 9, "listen_drops": 9, "prune_called": 7, "tcp_lost_retransmit": 45, "tcp_timeouts": 321,
    }  # fmt: skip
    assert (source["ip"], source["ip_ext"]) == ({"forwarding": 1}, {"in_octets": 123456789012})


def test_old_spelling_and_notes_around(tmp_path):
    (tmp_path / "a.txt").write_text(
        "$ netstat -s\nTcp:\n    10 segments send out\n    3 segments retransmited\n\nSee 5 packets sent above.\n"
        "    4 packets sent\n"
    )
    [source] = read_counters(tmp_path / "a.txt").sources
    assert source["tcp"] == {"out_segs": 10, "retrans_segs": 3}
    assert "udp" not in source
