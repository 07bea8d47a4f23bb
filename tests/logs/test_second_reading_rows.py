"""Values of rows count in the comparison of two readings, not the columns that a tool has none for."""

from hecn_analysis import read


def test_a_total_with_entities_is_no_interval(tmp_path):
    path = tmp_path / "page.txt"
    path.write_text(
        "As an example:\n\n 1187.5000 MB /  10.02 sec =  994.1507 Mbps 7 &#37;TX 21 &#37;RX 0 retrans 0.31 msRTT\n"
    )
    reading = read(path)
    [run] = reading.runs.itertuples()
    assert (run.throughput_bps, run.cpu_receiver_fraction, run.rtt_s) == (994.1507e6, 0.21, 0.00031)
    assert reading.problems.empty
