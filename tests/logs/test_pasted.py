"""Outputs of tools as people hand them on: shortened, retyped, quoted in a list of known faults."""

import json

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


def test_one_row_below_the_heading_of_a_result_is_the_result(tmp_path):
    head = "[ ID] Interval           Transfer     Bitrate         Retr"
    row = "[  5]   0.00-{}.00  sec  31.9 GBytes  27.4 Gbits/sec    0"
    [run], problems = runs(tmp_path, f"{head}\n{row.format(10)}\n")
    assert (run["throughput_bps"], run["duration_s"], run["retransmits"]) == (27.4e9, 10.0, 0)
    assert problems == ["ambiguous"]
    [run], problems = runs(tmp_path, f"{head}  Cwnd\n{row.format(10)}   3.00 MBytes\n")
    assert (run["duration_s"] > 0, problems) == (False, ["truncated"])


def test_a_peak_shows_that_perftest_was_the_client(tmp_path):
    head = "                    RDMA_Write BW Test\n Number of qps   : 1          Transport type : IB\n ...\n"
    columns = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    for peak, direction in (("47.22", "send"), ("0.00", "receive")):
        [run], _ = runs(
            tmp_path, f"{head}{columns} 65536      5000             {peak}              18.58             0.035434\n"
        )
        assert run["direction"] == direction


def test_a_remote_error_alone_says_no_more_of_a_run_of_netperf(tmp_path):
    [run], _ = runs(
        tmp_path, "The client reports\n```\nResource temporarily unavailable\nnetperf: remote error 11\n```\n"
    )
    assert (run["tool"], run["error"], run["protocol"], run["streams"]) == ("netperf", True, None, None)
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


def test_the_broken_end_of_an_interim_result_is_no_result(tmp_path):
    text = """MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.220.0.5 () port 0 AF_INET : demo
Interim result: 31669.02 10^6bits/s over 1.021 seconds ending at 1559151575.906
Interim result: 33209.38 10^6bits/s over 0.403 seconds ending at
1559151576.309
Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    10^6bits/sec

131072  16384  16384    1.42     32000.00
"""
    [run], problems = runs(tmp_path, text)
    assert (run["throughput_bps"], run["duration_s"], problems) == (32e9, 1.42, [])


def test_a_line_of_a_fio_job_without_its_head_is_not_counted_beside_its_group(tmp_path):
    own = "  write: IOPS=39.1k, BW=153MiB/s (160MB/s)(5120MiB/33479msec)\n"
    group = """
Run status group 0 (all jobs):
  WRITE: bw=153MiB/s (160MB/s), 153MiB/s-153MiB/s (160MB/s-160MB/s), io=5120MiB (5369MB), run=33479-33479msec
"""
    found, problems = runs(tmp_path, own + group)
    assert ([run["bytes"] for run in found], problems) == ([5120 << 20], [])
    found, problems = runs(tmp_path, own.replace("write", "read") + group)
    assert ([run["direction"] for run in found], problems) == (["read", "write"], ["truncated"])


def test_a_line_of_tc_that_mail_has_broken_keeps_its_counts(tmp_path):
    text = (
        "qdisc htb 1: dev eth2 root refcnt 2 r2q 10\n Sent 32491 bytes 931 pkt (dropped 7, overlimits\n36 requeues 0)"
    )
    [run], problems = runs(tmp_path, f"{text}\n")
    assert (run["bytes"], run["sent_packets"], run["lost_packets"], problems) == (32491, 931, 7, [])


def test_a_table_of_bonnie_that_mail_has_broken(tmp_path):
    text = """Version  1.03       ------Sequential Output------ --Sequential Input-
--Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block--
--Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP
/sec %CP
store.there.c    1G  2717  99 10837  30  4912  10  2747  95 17228  14
114.5   1
"""
    found, problems = runs(tmp_path, text)
    assert ([run["throughput_bps"] for run in found], problems) == ([8192 * rate for rate in (10837, 4912, 17228)], [])


def test_a_head_of_perftest_that_lost_its_message_rate(tmp_path):
    head = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]\n"
    [run], problems = runs(
        tmp_path, f"{head} 1048576    5000             92.62              92.62              0.011041\n"
    )
    assert (run["throughput_bps"], problems) == (92.62e9, [])
    found, problems = runs(tmp_path, f"{head} 1048576    5000             92.62              92.62              0.9\n")
    assert (found, problems) == ([], ["malformed"])


def test_texts_of_a_list_in_json_may_hold_several_lines(tmp_path):
    """Ansible's ``results``: each text has line feeds of its own, which once ended the whole reading in an error."""
    texts = [
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.5 s, 195 MB/s",
        "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n",
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.0 s, 1.1 GB/s",
    ]
    file = tmp_path / "play.json"
    file.write_text('{"stdout_lines": [\n' + ",\n".join(f"    {json.dumps(text)}" for text in texts) + "\n]}\n")
    found = read(file)
    assert found.runs[["line_first", "duration_s"]].to_numpy().tolist() == [[2, 5.5], [3, 2.0], [4, 1.0]]


def test_each_result_that_iperf3_announces_is_a_run(tmp_path):
    title = "Test Complete. Summary Results:\n"
    head = "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
    row = "[  4]   0.00-10.00  sec  {}.0 MBytes  {} Mbits/sec  0.001 ms  {}/1000 (80&#37;)\n"
    tests = [
        f"a test:\n\n{title}{head}{row.format(megabytes, rate, lost)}[  4] Sent 1000 datagrams\n\n"
        for megabytes, rate, lost in ((10, "8.39", 801), (20, "16.8", 802))
    ]
    found, problems = runs(tmp_path, "".join(tests))
    assert [(run["throughput_bps"], run["lost_packets"]) for run in found] == [(8.39e6, 801), (16.8e6, 802)]
    assert problems == ["ambiguous", "ambiguous"]


def test_statistics_of_ping_alone_in_two_languages(tmp_path):
    text = "…\n--- 2001:db8::1 ping-Statistik ---\n5 Pakete übertragen, 4 empfangen, 20% packet loss, time 4006ms\n"
    [run], problems = runs(tmp_path, f"{text}rtt min/avg/max/mdev = 6.343/6.645/7.373/0.374 ms\n")
    assert (run["sent_packets"], run["lost_packets"], run["rtt_avg_s"], problems) == (5, 1, 0.006645, [])


def test_times_of_mtr_that_fill_their_column(tmp_path):
    head = "HOST: here           Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
    [run], problems = runs(tmp_path, f"{head}  1.|-- 192.0.2.1     10.0%    60  120.6 148.4   2.2 1105. 232.5\n")
    assert (run["rtt_max_s"], run["rtt_avg_s"], problems) == (1.105, 0.1484, [])


def test_the_first_words_of_a_line_behind_a_date_are_no_sender(tmp_path):
    text = "==== SUMMARY ====\nUplink capacity: 42.3 Mbps\nDownlink capacity: 51.2 Mbps\n"
    found, problems = runs(tmp_path, "".join(f"Nov 27 10:00:00 {line}\n" for line in text.splitlines()))
    assert [run["throughput_bps"] for run in found] == [42.3e6, 51.2e6]
    assert problems == []


def test_statistics_of_rclone_with_less_time_are_another_copy(tmp_path):
    block = "INFO  :\nTransferred:  46.000 GiB / 46.000 GiB, 100%, 740.711 MiB/s, ETA 0s\nElapsed time:  {}\n"
    text = f"{block.format('30.0s')}{block.format('1m5.0s')}\nRun 2 showed this:\n{block.format('58.8s')}"
    found, problems = runs(tmp_path, text)
    assert [(run["duration_s"], run["line_first"], run["line_last"]) for run in found] == [(65.0, 2, 6), (58.8, 10, 11)]
    assert problems == []


def test_progress_of_dd_below_its_command_is_no_run(tmp_path):
    [run], problems = runs(
        tmp_path,
        "```\n$ dd if=B5A4-271B/test.bin of=/dev/zero status=progress\n"
        "133677568 bytes (134 MB, 127 MiB) copied, 129 s, 1.0 MB/s\n262144+0 records in\n262144+0 records out\n"
        "134217728 bytes (134 MB, 128 MiB) copied, 129.408 s, 1.0 MB/s\n```\n",
    )
    assert (run["bytes"], run["duration_s"], problems) == (134217728, 129.408, [])


def test_iperf_in_small_letters(reading_of):
    rows = [
        "[  3]  0.0-10.0 sec   563 MBytes   472 Mbits/sec",
        "[  4]  0.0-10.0 sec  1.10 GBytes   945 Mbits/sec",
        "[SUM]  0.0-10.0 sec  1.65 GBytes  1.42 Gbits/sec",
    ]
    text = "Client connecting to 192.0.2.8, TCP port 5001\n[ ID] Interval       Transfer     Bandwidth\n" + "\n".join(
        rows
    )
    plain, small = reading_of(f"{text}\n"), reading_of(f"{text.lower()}\n")
    columns = ["tool", "protocol", "bytes", "duration_s", "throughput_bps", "streams"]
    assert plain.runs[columns].to_dict("records") == small.runs[columns].to_dict("records")
    assert small.runs.throughput_bps.tolist() == [1.42e9]
    assert small.runs.cleaned.tolist() == ["small letters"]
    assert small.problems.empty


def test_a_report_of_mtr_that_somebody_cut_has_no_last_hop(tmp_path):
    head = "HOST: probe            Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
    hops = "  1.|-- 10.0.0.1        0.0%    10    0.3   0.3   0.2   0.4   0.1\n"
    hops += "  2.|-- 10.0.9.1        0.0%    10    8.3   8.4   8.2   8.9   0.1\n"
    [run], problems = runs(tmp_path, f"{head}{hops}[...]\n")
    assert (run["rtt_avg_s"] > 0, problems) == (False, ["truncated"])
    last = hops.splitlines()[1].replace("2.|", "7.|")
    [run], problems = runs(tmp_path, f"{head}{hops}  ...\n{last}\n")
    assert (round(run["rtt_avg_s"], 6), problems) == (0.0084, [])


def test_a_report_of_mtr_that_ends_at_another_address_says_so(tmp_path):
    text = "$ mtr -n -r {}\nHOST: probe            Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
    hop = "  1.|-- 10.0.0.1        0.0%    10    0.3   0.3   0.2   0.4   0.1\n"
    for target, expected in (("10.0.0.1", []), ("10.0.0.2", ["ambiguous"]), ("far.example.org", [])):
        [run], problems = runs(tmp_path, text.format(target) + hop)
        assert (run["rtt_avg_s"], problems) == (0.0003, expected)


def test_a_copy_of_rclone_that_goes_on_is_not_whole(tmp_path):
    text = "Transferred:   1.500 GBytes (12.000 MBytes/s)\nErrors:                 0\nTransferred:            3\n"
    text += "Elapsed time:     2m8s\n"
    [run], problems = runs(tmp_path, text)
    assert (run["error"], problems) == (False, [])
    [run], problems = runs(tmp_path, f"{text}Transferring:\n *   big.tar: 12% done. avg: 2536.8 kByte/s.\n")
    assert (run["bytes"], run["error"], problems) == (3 * 2**29, True, ["aborted"])


def test_a_page_that_wrote_an_output_as_one_line(tmp_path):
    text = "root@a:~# iperf -c b " + "-" * 60 + " Client connecting to b, TCP port 5001 TCP window size: 85.0 KByte "
    text += "(default) " + "-" * 60 + " [ 3] local 10.0.0.1 port 41000 connected with 10.0.0.2 port 5001 "
    text += "[ ID] Interval Transfer Bandwidth [ 3] 0.0-10.0 sec 1.25 GBytes 1.07 Gbits/sec\n"
    [run], problems = runs(tmp_path, f"The network:\n{text}\nAnd the disks\n")
    assert (run["tool"], round(run["throughput_bps"]), run["duration_s"], problems) == (
        "iperf2",
        1_070_000_000,
        10.0,
        [],
    )


def test_an_output_in_a_member_of_json(tmp_path):
    lines = ["--- far ping statistics ---", "9 packets transmitted, 9 received, 0% packet loss, time 8010ms"]
    lines += ["rtt min/avg/max/mdev = 1.000/2.000/3.000/0.100 ms", ""]
    [run], problems = runs(tmp_path, f'the play says\n    `"stdout": {json.dumps(chr(10).join(lines))},`\n')
    assert (run["tool"], run["rtt_avg_s"], problems) == ("ping", 0.002, [])


def test_a_counter_at_its_end_counts_nothing(tmp_path):
    head = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    row = "[  5]   0.00-10.00  sec  1.16 GBytes   1.00 Gbits/sec  0.007 ms  {}/{} (0%)  receiver\n"
    [run], problems = runs(tmp_path, head + row.format(0, 2147483647))
    assert (run["loss_fraction"] == 0, problems) == (False, ["inconsistent"])


def test_losses_of_the_intervals_contradict_a_summary_without_any(tmp_path):
    head = "[  5] local 10.0.0.2 port 5201 connected to 10.0.0.1 port 4000\n"
    head += "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    row = "[  5]   {}.00-{}.00  sec  119 MBytes   1.00 Gbits/sec  0.007 ms  {}/86000 ({}%)"
    rows = "\n".join(row.format(n, n + 1, 860, 1) for n in range(2))
    last = "[  5]   0.00-2.00  sec  238 MBytes   1.00 Gbits/sec  0.007 ms  0/172000 (0%)  receiver\n"
    [run], problems = runs(tmp_path, f"{head}{rows}\n{'- ' * 25}\n{head.splitlines()[1]}\n{last}")
    assert (run["loss_fraction"] == 0, run["throughput_bps"], problems) == (False, 1e9, ["inconsistent"])


def test_best_rates_of_ior_without_its_rows(tmp_path):
    found, problems = runs(
        tmp_path, "Max Write: 2500.00 MiB/sec (2621.44 MB/sec)\nMax Read:  1000.00 MiB/sec (1048.58 MB/sec)\n"
    )
    assert [(run["direction"], run["throughput_bps"]) for run in found] == [
        ("write", 2.0971520e10),
        ("read", 8.388608e9),
    ]
    assert problems == []


def test_a_timed_copy_behind_an_open_quote(tmp_path):
    [run], problems = runs(
        tmp_path, "`time cp -rp /a/x /b/y\n\nreal    1m40.000s\nuser    0m0.170s\nsys     0m28.208s\n"
    )
    assert (run["tool"], run["duration_s"], problems) == ("timed-copy", 100.0, [])


def test_the_total_of_an_old_gsutil(tmp_path):
    [run], problems = runs(tmp_path, "Total bytes copied=20000000, total elapsed time=40.000 secs (488.28 KBps)\n")
    assert (run["tool"], run["bytes"], run["throughput_bps"], problems) == ("gsutil", 20000000, 4e6, [])
