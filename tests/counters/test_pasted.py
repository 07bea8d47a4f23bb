"""Counters as people hand them on: quoted in mail, indented on a page."""

import pytest

from hecn_analysis.counters import read_counters

LINK = """2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 00:11:22:33:44:55 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
      40000000   30000      1       2       0       3
    TX:  bytes packets errors dropped carrier collsns
      70000000   50000      0       0       0       0
"""


@pytest.mark.parametrize(
    "mark", ["", "> ", "> >> ", "    ", "\t"], ids=["plain", "quoted", "thrice", "indented", "tab"]
)
def test_what_mail_and_pages_put_in_changes_nothing(tmp_path, mark):
    file = tmp_path / "mail.txt"
    file.write_text("He said:\n\n" + "".join(f"{mark}{line}\n" for line in LINK.splitlines()) + "\nIndeed.\n")
    found = read_counters(file)
    [row] = found.samples.to_dict("records")
    assert (row["interface"], row["in_octets"], row["out_octets"], row["in_discards"]) == (
        "eth0",
        40000000,
        70000000,
        2,
    )
    assert len(found.problems) == 0


def test_prose_is_no_counter(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text("He said:\n\n    eth0 was down\n\n> and\n> up\n")
    found = read_counters(file)
    assert found.sources == []
    assert list(found.problems["kind"]) == ["unrecognised"]


DISKS = """Device            r/s     w/s     rkB/s     wkB/s  r_await  %util
sda              4.00    2.00    100.00     50.00     1.00   9.00
sdb              8.00    6.00    300.00     70.00     2.00  11.00
"""
BROKEN = """Device            r/s     w/s     rkB/s     wkB/s
r_await  %util
sda              4.00    2.00    100.00     50.00
1.00   9.00
sdb              8.00    6.00    300.00     70.00
2.00  11.00
"""
TIMED = """         Device            r/s     w/s     rkB/s     wkB/s  r_await  %util
08:30:00 sda              4.00    2.00    100.00     50.00     1.00   9.00
08:30:00 sdb              8.00    6.00    300.00     70.00     2.00  11.00
"""


@pytest.mark.parametrize("text", [DISKS, BROKEN, TIMED], ids=["plain", "broken", "timed"])
def test_disks_whose_lines_a_mail_has_broken(tmp_path, text):
    file = tmp_path / "mail.txt"
    file.write_text(text)
    [source] = read_counters(file).sources
    assert source["format"] == "iostat-x"
    assert [(one["name"], one["writes_per_s"], one["r_await_s"]) for one in source["devices"]] == [
        ("sda", 2.0, 0.001),
        ("sdb", 6.0, 0.002),
    ]
    assert [round(one["util_fraction"], 6) for one in source["devices"]] == [0.09, 0.11]


def test_what_stands_between_disks_is_told(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text(DISKS + "and so on for all of them\n")
    found = read_counters(file)
    assert [one["name"] for one in found.sources[0]["devices"]] == ["sda", "sdb"]
    assert [(row.line, row.kind) for row in found.problems.itertuples()] == [(4, "malformed")]


HEADS = "IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s"


@pytest.mark.parametrize(
    "text",
    [
        f"01:15:25 PM     {HEADS}\n01:15:27 PM       em1   100.00    200.00   1000.00   2000.00   0.00   0.00   1.00\n",
        f"Average:        {HEADS}\nAverage:          em1   100.00    200.00   1000.00   2000.00   0.00   0.00   1.00\n",
    ],
    ids=["clock", "average"],
)
def test_a_part_of_a_report_without_its_date(tmp_path, text):
    file = tmp_path / "part.txt"
    file.write_text(text)
    found = read_counters(file)
    assert found.sources[0]["format"] == "sar-text"
    [rate] = found.rates.to_dict("records")
    assert (rate["interface"], rate["in_bps"], rate["out_bps"]) == ("em1", 1000 * 8192.0, 2000 * 8192.0)
    assert found.rates["time"].isna().all()
    assert list(found.problems["kind"]) == ["truncated"]


def test_statistics_of_several_commands_on_one_line(tmp_path):
    block = "NIC statistics:\n     rx_bytes: {}\n     tx_bytes: 5\n"
    file = tmp_path / "series.txt"
    file.write_text("# ethtool -S eth2; sleep 9; ethtool -S eth3\n" + block.format(10) + block.format(20))
    found = read_counters(file)
    assert list(zip(found.samples["interface"], found.samples["in_octets"], strict=True)) == [
        ("eth2", 10),
        ("eth3", 20),
    ]


def test_days_of_sar_one_after_another_keep_their_dates(tmp_path):
    day = "Linux 5.4.0 (h) \t{} \t_x86_64_\t(4 CPU)\n\n10:00:00        {}\n"
    row = "10:{}:00         eth0   1.00   2.00   {}   5.00   0.00   0.00   0.00\n"
    file = tmp_path / "days.txt"
    file.write_text(
        day.format("2024-01-01", HEADS) + row.format(10, "1.00") + row.format(20, "2.00") + "\n"
        + day.format("2024-01-03", HEADS) + row.format(10, "3.00") + row.format(20, "4.00")
    )  # fmt: skip
    rates = read_counters(file).rates
    assert [str(time)[:16] for time in rates["time"]] == [
        "2024-01-01 10:10",
        "2024-01-01 10:20",
        "2024-01-03 10:10",
        "2024-01-03 10:20",
    ]
    assert list(rates["in_bps"]) == [8192.0, 2 * 8192.0, 3 * 8192.0, 4 * 8192.0]
    assert list(rates["interval_s"]) == [600, 600, 600, 600]


def test_days_of_mpstat_one_after_another_keep_their_dates(tmp_path):
    day = "Linux 5.4.0 (h) \t{} \t_x86_64_\t(4 CPU)\n\n23:00:00     CPU    %usr    %sys   %idle\n"
    file = tmp_path / "days.txt"
    row = "23:00:10     all    1.00    2.00   97.00\n"
    file.write_text(day.format("2024-01-01") + row + "\n" + day.format("2024-01-05") + row)
    [source] = read_counters(file).sources
    assert (source["first_time"], source["last_time"]) == ("2024-01-01T23:00:10Z", "2024-01-05T23:00:10Z")


def test_queues_that_are_named_before_their_counters(tmp_path):
    file = tmp_path / "be.txt"
    queues = ("rxq0: rx_bytes: 10", "rxq0: rx_pkts: 2", "rxq1: rx_bytes: 7", "rxq1: rx_pkts: 1")
    file.write_text("NIC statistics:\n" + "".join(f"     {line}\n" for line in queues))
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["in_octets"], row["in_packets"]) == (17, 3)


def test_averages_without_figures_are_no_rates(counters_of):
    found = counters_of(f"12:00:01        {HEADS}\nAverage: \nAverage:        {HEADS}\nAverage: \n")
    assert found.rates.empty


def test_counters_of_a_driver_without_their_indentation_end_at_the_first_other_line(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(
        "$ ethtool -S eth0\nNIC statistics:\nrx_packets: 90\ntx_packets: 14\nrx_bytes: 4000\n\nrx_errors: 7\n"
    )
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["interface"], row["in_octets"], row["out_packets"]) == ("eth0", 4000, 14)
    assert row["in_errors"] != 7


def test_rows_of_other_tables_are_no_rows_of_proc_net_dev(tmp_path):
    columns = (
        "bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed"
    )
    head = f"Inter-|   Receive         |  Transmit\n face |{columns}\n"
    row = "  eth0: 100 2 0 0 0 0 0 0 300 4 0 0 0 0 0 0\n"
    file = tmp_path / "page.md"
    file.write_text(
        f"{head}{row}```\nand the rings\nRX:\t\t4096\n    0:      0     1     2     3     4     5     6     7\n"
    )
    found = read_counters(file)
    assert (len(found.samples), len(found.problems)) == (1, 0)
    file.write_text(f"{head}{row}  eth1: 100 2 0 0 0 0 0 0 300\n")
    assert list(read_counters(file).problems["kind"]) == ["malformed"]


def test_a_walk_of_sap_is_read(tmp_path):
    file = tmp_path / "host.sapwalk"
    rows = ("1.5.0 , OctetString , box", "1.3.0 , TimeTicks , 200", "2.2.1.2.7 , OctetString , eth0, left",
            "2.2.1.10.7 , Counter , 4600", "2.2.1.16.7 , Counter , 230", "2.2.1.5.7 , Gauge , 54000000")  # fmt: skip
    file.write_text("".join(f"1.3.6.1.2.1.{row}\n" for row in rows))
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["host"], row["interface"], row["index"], row["in_octets"], row["out_octets"], row["speed_bps"]) == (
        "box", "eth0, left", 7, 4600, 230, 54e6)  # fmt: skip


def test_an_interface_of_ifconfig_goes_on_behind_a_broken_line(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text("""eth2      Link encap:Ethernet  HWaddr fc:ec:da:d1:1b:a1
          inet addr:172.88.0.1  Bcast:255.255.255.255
Mask:255.255.240.0
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
          RX packets:60912335 errors:0 dropped:0 overruns:0 frame:0
          TX packets:10546508 errors:0 dropped:0 overruns:0 carrier:0
          RX bytes:26087920038 (24.2 GiB)  TX bytes:1892854725 (1.7 GiB)

That is it.
          RX packets:1 errors:0 dropped:0 overruns:0 frame:0
""")
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["interface"], row["in_packets"], row["in_octets"], row["mtu"]) == ("eth2", 60912335, 26087920038, 1500)


def test_counters_of_virtual_functions_are_not_those_of_the_port(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text(f"""{LINK}    vf 0     link/ether 4a:b7:3d:37:f7:56 brd ff:ff:ff:ff:ff:ff, trust off
    RX: bytes  packets  mcast   bcast   dropped
             5        5       5       5        5
    TX: bytes  packets   dropped
             6        6        6
""")
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["in_octets"], row["out_octets"], row["out_discards"]) == (40000000, 70000000, 0)


def test_words_below_a_table_of_iostat_end_it(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text(f"{DISKS}blktrace shows this\n  8,0    0   486445    11.357392936   843  G   R 14071424 + 12\n")
    found = read_counters(file)
    assert list(found.problems["line"]) == [4]
    assert [disk["name"] for disk in found.sources[0]["devices"]] == ["sda", "sdb"]


def test_reports_that_a_mail_quotes_count_beside_one_that_it_does_not(tmp_path):
    file = tmp_path / "mail.txt"
    quoted = "".join(f"> {line}\n".replace("  ", " \u00a0") for line in DISKS.splitlines())
    file.write_text(f"Before:\n{quoted}\nAfter:\n\n{DISKS}")
    [source] = read_counters(file).sources
    assert source["n_samples"] == 2


def test_ifconfig_without_its_flags_and_stmmac_are_read(tmp_path):
    (tmp_path / "a.txt").write_text(
        "We see this:\n\neth0      Link encap:Ethernet  HWaddr 02:00:00:00:00:01\n"
        "          RX packets:20 errors:0 dropped:4 overruns:0 frame:3\n"
        "          RX bytes:3000 (2.9 KiB)  TX bytes:1000 (1000.0 B)\n\nWhat is frame?\n"
    )
    (tmp_path / "b.txt").write_text(
        "$ ethtool -S end0\nNIC statistics:\n     mmc_tx_octetcount_gb: 340\n     mmc_rx_octetcount_gb: 130\n"
        "     mmc_rx_framecount_gb: 2\n     mmc_rx_octetcount_g: 129\n"
    )
    samples = read_counters(tmp_path).samples.set_index("interface")
    assert samples.loc["eth0", ["in_octets", "out_octets", "in_discards"]].tolist() == [3000, 1000, 4]
    assert samples.loc["end0", ["in_octets", "out_octets", "in_packets"]].tolist() == [130, 340, 2]


def test_octets_under_unknown_names_are_a_problem(tmp_path):
    (tmp_path / "a.txt").write_text("NIC statistics:\n     fancy_bytes_of_rx: 340\n")
    [problem] = read_counters(tmp_path / "a.txt").problems.to_dict("records")
    assert (problem["line"], problem["kind"]) == (1, "unrecognised")
    assert problem["message"].startswith("found 'fancy_bytes_of_rx', expected a total of the interface")


def test_averages_below_a_clock_count_where_their_interface_has_no_row(tmp_path):
    head = "{}  IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil\n"
    row = "{}  {}  1.00  2.00  100.00  200.00  0.00  0.00  0.00  1.00\n"
    (tmp_path / "a.txt").write_text(
        head.format("09:47:36 AM") + row.format("Average:", "eth1") + "\n" + head.format("15:54:04")
        + row.format("15:54:05", "eth2") + row.format("Average:", "eth2")
    )  # fmt: skip
    rates = read_counters(tmp_path / "a.txt").rates
    assert rates.interface.tolist() == ["eth1", "eth2"] or rates.interface.tolist() == ["eth2", "eth1"]
    assert set(rates.in_bps) == {100.0 * 1024 * 8}


def test_declarations_of_metrics_may_have_lost_their_mark(tmp_path):
    (tmp_path / "a.md").write_text(
        '```\n# HELP ifHCOutOctets octets\n# TYPE ifHCOutOctets counter\nifHCOutOctets{ifName="eth0"} 3.1e+11\n'
        'ifHCOutOctets{ifName="eth1"} 746\n```\n'
    )
    samples = read_counters(tmp_path / "a.md").samples
    assert samples[["interface", "out_octets"]].to_numpy().tolist() == [["eth0", 310_000_000_000], ["eth1", 746]]


def test_code_over_several_lines(tmp_path):
    (tmp_path / "a.md").write_text(
        "**here**\n`bond1: flags=5187<UP,RUNNING>  mtu 9000\n        RX packets 80  bytes 770 (770.0 B)\n"
        "        TX packets 14  bytes 355 (355.0 B)`\n\n**and**\n`" + LINK.rstrip() + " `\n"
    )
    samples = read_counters(tmp_path / "a.md").samples.set_index("interface")
    assert samples[["in_octets", "out_octets"]].to_numpy().tolist() == [[770, 355], [40_000_000, 70_000_000]]
    assert samples.index.tolist() == ["bond1", "eth0"]


def test_an_interface_of_ifconfig_goes_on_behind_several_broken_lines(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text("""tun7: flags=4305<UP,POINTOPOINT,RUNNING,NOARP,MULTICAST>  mtu 1420
        inet6 fe80::1bbf:2def:b134:3eef  prefixlen 64  scopeid
0x20<link>
        inet6 fd00::7c4  prefixlen 64
scopeid 0x0<global>
        RX packets 812  bytes 128096 (125.0 KiB)
        TX packets 790  bytes 125142 (122.2 KiB)

It works now.
        RX packets 1  bytes 2 (2.0 B)
""")
    [row] = read_counters(file).samples.to_dict("records")
    assert (row["interface"], row["in_packets"], row["in_octets"], row["out_octets"]) == ("tun7", 812, 128096, 125142)


def test_a_note_behind_the_counters_of_ip_is_left_out(tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text("""2: br7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP
    RX: bytes  packets  errors  dropped missed  mcast
    856553 11249 0       0       0       1249  <- grows
    TX: bytes  packets  errors  dropped carrier collsns   | fast
    102783 1195 0       0       0       0
""")
    reading = read_counters(file)
    [row] = reading.samples.to_dict("records")
    assert (row["in_octets"], row["out_octets"], len(reading.problems)) == (856553, 102783, 0)


def test_a_format_that_nobody_read_is_named(counters_of, said):
    table = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r b swpd\n"
    message = (
        "found 'procs -----------memory---------- ---swap-- -----io---- -sys', expected counters of vmstat around it"
    )
    assert said(counters_of(LINK + "\n" + table + table)) == [f"8: unrecognised: {message}; not read"]


def test_comments_without_a_blank(counters_of):
    port = (
        "FastEthernet0/5 is up, line protocol is up (connected)\nMTU 1500 bytes, BW 100000 Kbit, DLY 100 usec,\n"
        "5 minute input rate 11000 bits/sec, 11 packets/sec\n5 minute output rate 507000 bits/sec, 35 packets/sec\n"
        "200918041 packets input, 2697219914 bytes, 0 no buffer\n"
        "344878752 packets output, 2547993942 bytes, 7 underruns\n"
    )
    found = counters_of("\treturn;\n" + "".join(f"//{line} \n" for line in port.splitlines()) + "\t}\n")
    assert (found.samples.in_octets.tolist(), found.rates.out_bps.tolist()) == ([2697219914], [507000.0])
