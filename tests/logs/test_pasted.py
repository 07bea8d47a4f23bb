"""Outputs of tools as people hand them on: shortened, retyped, quoted in a list of known faults."""

from hecn_analysis.logs import read


def runs(tmp_path, text):
    file = tmp_path / "page.md"
    file.write_text(text)
    found = read(file)
    return found.runs.to_dict("records"), list(found.problems["kind"])


def test_a_retyped_rule_of_iperf3_leads_to_the_result(tmp_path):
    head, row = (
        "[ ID] Interval           Transfer     Bitrate         Retr",
        "[  5]   {}.00-{}.00   sec  1.16 GBytes  10.0 Gbits/sec    0",
    )
    first = f"{head}  Cwnd\n{row.format(0, 1)}   3.00 MBytes\n\n---\n\n{row.format(1, 2)}   3.00 MBytes\n\n---\n\n"
    total = row.format(0, 2).replace("1.16", "2.33")
    last = f"{head}\n{total}             sender\n{total}                  receiver\n"
    [run], problems = runs(tmp_path, first + last)
    assert (run["duration_s"], run["throughput_bps"], problems) == (2.0, 10e9, [])


def test_a_peak_shows_that_perftest_was_the_client(tmp_path):
    head = "                    RDMA_Write BW Test\n Number of qps   : 1          Transport type : IB\n ...\n"
    columns = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    for peak, direction in (("47.22", "send"), ("0.00", "receive")):
        [run], _ = runs(
            tmp_path, f"{head}{columns} 65536      5000             {peak}              18.58             0.035434\n"
        )
        assert run["direction"] == direction


def test_a_remote_error_alone_is_no_run_of_netperf(tmp_path):
    found, _ = runs(
        tmp_path, "The client reports\n```\nResource temporarily unavailable\nnetperf: remote error 11\n```\n"
    )
    assert found == []
    title = "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo\n"
    [run], _ = runs(tmp_path, f"{title}netperf: remote error 11\n")
    assert run["error"]


def test_bonnie_without_its_version(tmp_path):
    text = """Version  @version@      ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
one           2500M  5479  74  8122   5  4886   4  5690  73 10713   4  22.0   0
two           2500M  5812  71 10437   7  4402   5  7165  92 10763   6  88.3   0
"""
    found, _ = runs(tmp_path, text)
    assert [run["throughput_bps"] for run in found] == [8192 * rate for rate in (8122, 4886, 10713, 10437, 4402, 10763)]


def test_rows_of_iozone_that_people_named(tmp_path):
    head = "              KB  reclen   write rewrite    read    reread\n"
    found, problems = runs(tmp_path, f"{head}r0       5242880       4  904018  880332  2736581  2669745\n")
    assert [(run["label"], run["direction"], run["throughput_bps"]) for run in found] == [
        ("r0, reclen 4", "write", 8192 * 904018),
        ("r0, reclen 4", "rewrite", 8192 * 880332),
        ("r0, reclen 4", "read", 8192 * 2736581),
        ("r0, reclen 4", "reread", 8192 * 2669745),
    ]
    assert problems == []
