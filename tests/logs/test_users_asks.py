"""What users of kindred tools ran into, a small input for each need; docs/experience.md says what is done and why.

The docstring of a test names the public issues where the need was met.
"""

import json

import pytest

from hecn_analysis.base import tables
from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read, registry

TCP = {
    "start": {
        "version": "iperf 3.1.2",
        "test_start": {"protocol": "TCP", "num_streams": 1, "duration": 10, "reverse": 0},
    },
    "intervals": [],
    "end": {
        "sum_sent": {
            "start": 0,
            "end": 10,
            "seconds": 10,
            "bytes": 1250000000,
            "bits_per_second": 1e9,
            "retransmits": 3,
        },
        "sum_received": {"start": 0, "end": 10, "seconds": 10, "bytes": 1240000000, "bits_per_second": 9.92e8},
    },
}
DOCUMENT = json.dumps(TCP, indent=1) + "\n"
OVERFLOW = "warning: JSON data length overflow - 8193 bytes JSON size is not allowed\n"
TABLE = "[ ID] Interval           Transfer     Bitrate         Retr\n"
SENDER = "[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec    7             sender\n"
RECEIVER = "[  5]   0.00-10.04  sec  1.09 GBytes   935 Mbits/sec                  receiver\n"


def fio(version="fio-3.30", **write):
    figures = {"io_bytes": 1048576, "bw": 1024, "runtime": 1000, "total_ios": 10} | write
    none = {"io_bytes": 0, "bw": 0, "runtime": 0, "total_ios": 0}
    return json.dumps({"fio version": version, "jobs": [{"jobname": "a", "error": 0, "read": none, "write": figures}]})


# --- JSON that is not JSON


@pytest.mark.parametrize("word", ["nan", "-nan", "inf"])
def test_no_number_in_json_is_a_missing_value_and_told(reading_of, column, said, word):
    """esnet/iperf#613, esnet/iperf#826"""
    reading = reading_of(DOCUMENT.replace("1000000000.0", word))
    assert column(reading, "sender_throughput_bps") == [None]
    assert column(reading, "throughput_bps") == [9.92e8]
    assert said(reading) == [f"a.log:1: malformed: found {word!r}, expected JSON; read as far as it has a meaning"]


@pytest.mark.parametrize("number", ["1e9", "1e+09", "1.e9", "+1.0e9"])
def test_exponents_of_any_form_are_read(reading_of, column, number):
    """esnet/iperf#520"""
    reading = reading_of(DOCUMENT.replace("1000000000.0", number))
    assert column(reading, "sender_throughput_bps") == [1e9]
    assert set(reading.problems.kind) <= {"malformed"}


def test_text_below_a_document_belongs_to_its_run(reading_of, column, said):
    """esnet/iperf#1143"""
    reading = reading_of(DOCUMENT + "iperf3: error - control socket has closed unexpectedly\n")
    assert column(reading, "throughput_bps") == [9.92e8]
    below = "found 'error - control socket has closed unexpectedly' below a result; the result is kept"
    assert said(reading) == [f"a.log:{DOCUMENT.count(chr(10)) + 1}: inconsistent: {below}"]


def test_a_document_printed_twice_is_one_run(reading_of, said):
    """esnet/iperf#1716"""
    reading = reading_of(DOCUMENT + DOCUMENT)
    assert len(reading.runs) == 1
    assert [line.partition(", expected")[0] for line in said(reading)] == [
        f"a.log:{DOCUMENT.count(chr(10)) + 1}: ambiguous: found the same JSON document twice in a row"
    ]


def test_keys_that_stand_twice_are_told_once(reading_of, said):
    """esnet/iperf#856"""
    doubled = DOCUMENT.replace('"version"', '"sock_bufsize": 0, "sock_bufsize": 0, "version"')
    reading = reading_of(doubled + doubled.replace("1240000000", "1240000001"))
    assert len(reading.runs) == 2
    [line] = said(reading)
    assert line.startswith("a.log:1: malformed: found keys that stand twice ('sock_bufsize'), expected JSON")


def test_a_run_that_failed_is_a_row_with_its_reason(reading_of, column, said):
    """esnet/iperf#545"""
    failed = {"start": {"connected": [], "version": "iperf 3.0.11"}, "intervals": [], "end": {}}
    reading = reading_of(json.dumps(failed | {"error": "error - unable to connect to server: No route to host"}))
    assert column(reading, "error") == [True]
    assert column(reading, "throughput_bps") == [None]
    assert said(reading) == [
        "a.log:1: aborted: found 'error - unable to connect to server: No route to host', expected a result"
    ]


def test_chatter_in_front_of_json_is_passed_over(reading_of, column):
    """esnet/iperf#1782, esnet/iperf#1776"""
    reading = reading_of(OVERFLOW + DOCUMENT)
    assert column(reading, "throughput_bps") == [9.92e8]
    assert column(reading, "line_first") == [2]


def test_a_side_that_is_not_there_is_missing_and_not_zero(reading_of, column):
    """esnet/iperf#1782, openthread/openthread#10519"""
    sent_only = TCP | {"end": {"sum_sent": TCP["end"]["sum_sent"]}}
    reading = reading_of(OVERFLOW + json.dumps(sent_only))
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "bytes") == [None]
    assert column(reading, "sender_throughput_bps") == [1e9]


# --- wording


def test_every_reader_says_which_versions_it_knows():
    """perfsonar/pscheduler#306"""
    assert [reader.__name__ for reader in registry.READERS if not reader.VERSIONS.strip()] == []


def test_a_changed_word_is_told_and_never_a_wrong_number(reading_of, column, said):
    """perfsonar/pscheduler#301, perfsonar/pscheduler#306"""
    line = "  100.0000 MB /   1.00 sec =  838.8608 Mbps 10 %TX 20 %RX 3 resends 0.10 msRTT\n"
    reading = reading_of("$ nuttcp -T1 there\n" + line)
    assert column(reading, "throughput_bps") == [838860800.0]
    assert column(reading, "retransmits") == [None]
    [told] = said(reading)
    assert told.startswith("a.log:2: unrecognised: found '3 resends', expected fields such as '9 %TX'")


def test_more_lost_than_sent_is_told(reading_of, column):
    """perfsonar/pscheduler#301"""
    line = "    0.0049 MB /   0.00 sec =    0.0000 Mbps 0 %TX 0 %RX 88 / 5 drop/pkt 1760.00 %loss\n"
    reading = reading_of("$ nuttcp -u -T1 there\n" + line)
    assert column(reading, "loss_fraction") == [None]
    assert "found 88 packets lost of 5 sent, expected no more lost than sent; loss_fraction left out" in set(
        reading.problems.message
    )


def test_a_rate_that_bytes_and_seconds_deny_is_told(reading_of):
    """perfsonar/pscheduler#301"""
    reading = reading_of("$ nuttcp there\n  100.0000 MB /   1.00 sec =  938.8608 Mbps 10 %TX 20 %RX 0 retrans\n")
    assert reading.problems.kind.tolist() == ["inconsistent"]


# --- which end says what


def test_the_rate_is_the_receivers_and_the_senders_stands_beside_it(reading_of, column):
    """esnet/iperf#480, openthread/openthread#10519"""
    reading = reading_of(TABLE + SENDER + RECEIVER)
    assert column(reading, "throughput_bps") == [935e6]
    assert column(reading, "sender_throughput_bps") == [944e6]


# --- 1000 or 1024


@pytest.mark.parametrize(
    ("row", "bits_per_s", "amount"),
    [
        ("112 KBytes  91.7 Kbits/sec", 91.7e3, 112 << 10),
        ("1120 MBytes   940 Mbits/sec", 940e6, 1120 << 20),
        ("1120 MBytes  112 MBytes/sec", 112 * 8 * 2**20, 1120 << 20),
    ],
)
def test_bits_are_decimal_and_bytes_are_binary_in_iperf(reading_of, column, row, bits_per_s, amount):
    """
    esnet/iperf#173, nokia/moler#209, thiezn/iperf3-python#19, thiezn/iperf3-python#34,
    GoogleCloudPlatform/PerfKitBenchmarker#103, home-assistant/core#39831, cloudius-systems/osv-apps#50
    """
    reading = reading_of(f"[  3]  0.0-10.0 sec   {row}\n")
    assert column(reading, "throughput_bps") == [bits_per_s]
    assert column(reading, "bytes") == [amount]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("text", "bits_per_s"),
    [
        ("write: IOPS=10, BW=1024KiB/s (1049kB/s)(1024KiB/1000msec)", 8192 * 1024),
        ("write: IOPS=10, BW=1024kB/s (1000KiB/s)(1024kB/1000msec)", 8192e3),
        ("write: io=1024.0KB, bw=1024.0KB/s, iops=10, runt=  1000msec", 8192 * 1024),
    ],
)
def test_the_words_and_the_version_decide_what_fio_means_by_k(reading_of, column, text, bits_per_s):
    """axboe/fio#430"""
    reading = reading_of(f"a: (groupid=0, jobs=1): err= 0: pid=1\n  {text}\n")
    assert column(reading, "throughput_bps") == [pytest.approx(bits_per_s, rel=1e-3)]


@pytest.mark.parametrize(("version", "amount"), [("fio-2.2.8", 1024), ("fio-3.30", 1 << 20)])
def test_the_amount_in_fios_json_is_taken_by_what_agrees_with_its_rate(reading_of, column, version, amount):
    """axboe/fio#430"""
    reading = reading_of(fio(version, io_bytes=amount))
    assert column(reading, "bytes") == [1 << 20]
    assert column(reading, "throughput_bps") == [1024 * 8192]


def test_units_of_every_column_are_those_of_the_documentation():
    """axboe/fio#430, tohojo/flent#62"""
    for name, ending, unit in (("throughput_bps", "_bps", "bit/s"), ("duration_s", "_s", "s"), ("bytes", "bytes", "B")):
        columns = [c for table in ("runs", "streams", "intervals") for c in tables.COLUMNS[table].values()]
        assert name in {column.name for column in columns}
        assert {column.unit for column in columns if column.name.endswith(ending)} == {unit}


# --- garbled units


@pytest.mark.parametrize("garbled", ["944 Mbits/s\udcb7c", "94\x00\x01 Mb##s/sec", "944 its/sec", "944 Mbis/s"])
def test_a_garbled_rate_is_computed_from_bytes_and_seconds_and_told(reading_of, column, garbled):
    """esnet/iperf#492, esnet/iperf#142"""
    row = f"[  5]   0.00-10.04  sec  1.09 GBytes   {garbled}                  receiver\n"
    reading = reading_of((TABLE + SENDER + row).encode(errors="surrogateescape"))
    assert column(reading, "throughput_bps") == [pytest.approx(8 * 1.09 * 2**30 / 10.04, rel=1e-6)]
    assert reading.problems.kind.tolist() == ["unit"]
    assert reading.problems.message[0].endswith("expected '… bits/sec'; computed from bytes and seconds")


# --- figures beside the rate


def test_retransmits_rtt_window_and_cpu_are_columns(reading_of, column):
    """
    perfsonar/project#447, esnet/iperf#30, esnet/iperf#59, esnet/iperf#569, esnet/iperf#1207, esnet/iperf#525,
    perfsonar/pscheduler#1239, perfsonar/pscheduler#394
    """
    interval = {"start": 0, "end": 1, "seconds": 1, "bytes": 125000000, "bits_per_second": 1e9, "retransmits": 3}
    sender = {"start": 0, "end": 1, "seconds": 1, "bytes": 125000000, "bits_per_second": 1e9, "mean_rtt": 250}
    full = TCP | {
        "intervals": [{"streams": [interval | {"socket": 5, "snd_cwnd": 1448, "rtt": 250}], "sum": interval}],
        "end": TCP["end"]
        | {
            "streams": [{"sender": sender | {"socket": 5}, "receiver": sender | {"socket": 5}}],
            "cpu_utilization_percent": {"host_total": 12.5, "remote_total": 25.0},
        },
    }
    reading = reading_of(json.dumps(full))
    assert column(reading, "retransmits") == [3]
    assert column(reading, "rtt_s") == [250e-6]
    assert column(reading, "cpu_sender_fraction") == [0.125]
    assert column(reading, "cpu_receiver_fraction") == [0.25]
    assert reading.intervals.cwnd_bytes.dropna().tolist() == [1448]


def test_streams_are_added_where_a_sum_has_a_meaning(reading_of, column):
    """microsoft/lisa#925"""
    second = SENDER.replace("[  5]", "[  7]").replace("    7  ", "    5  ")
    total = (
        SENDER.replace("[  5]", "[SUM]").replace("1.10", "2.20").replace(" 944 ", "1888 ").replace("    7  ", "   12  ")
    )
    received = RECEIVER.replace("[  5]", "[  7]") + RECEIVER.replace("[  5]", "[SUM]").replace(" 935 ", "1870 ")
    reading = reading_of(TABLE + SENDER + RECEIVER + second + received.replace("1.09", "2.18") + total)
    assert column(reading, "retransmits") == [12]
    assert column(reading, "streams") == [2]
    assert column(reading, "rtt_s") == [None]
    assert reading.streams.retransmits.tolist() == [7, 5]


# --- transfers of files


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (
            "globus-url-copy",
            "Source: ftp://a/\nDest:   file:///b/\n  x\n    1048576 bytes    1.00 MB/sec avg    1.00 MB/sec inst\n",
        ),
        (
            "gridftp-server",
            (
                "DATE=20260131120001.0 HOST=h PROG=globus-gridftp-server NL.EVNT=FTP_INFO START=20260131120000.0 "
                "USER=u FILE=/x BUFFER=0 BLOCK=262144 NBYTES=1048576 VOLUME=/ STREAMS=1 STRIPES=1 DEST=[192.0.2.1] "
                "TYPE=RETR CODE=226\n"
            ),
        ),
        (
            "rsync",
            "sending incremental file list\n\nsent 1,048,576 bytes  received 0 bytes  1,048,576.00 bytes/sec\n",
        ),
        ("scp", "run.dat                                       100% 1024KB   1.0MB/s   00:01    \n"),
        ("bbcp", "1 file copied at effectively 1.0 MB/s\n"),
    ],
)
def test_file_transfers_have_the_columns_of_network_tests(reading_of, column, tool, text):
    """perfsonar/pscheduler#709"""
    reading = reading_of(text)
    assert column(reading, "tool") == [tool]
    assert column(reading, "throughput_bps") == [pytest.approx(8 * 2**20, rel=0.05)]


# --- what a file is


@pytest.mark.parametrize("name", ["renamed.txt", "wget.log", "no-extension"])
def test_a_name_says_nothing_about_a_file(reading_of, column, name):
    """louwrentius/fio-plot#64, louwrentius/fio-plot#87, louwrentius/fio-plot#100, louwrentius/fio-plot#116"""
    assert column(reading_of(fio(), name=name), "tool") == ["fio"]


def test_the_form_in_values_is_read_as_well(reading_of, column):
    """louwrentius/fio-plot#75: the line of one job; the logs of single requests (bw_log) are not read"""
    sample = min(data_dir().glob("samples/fio/terse-*.txt")).read_text()
    [line] = [line for line in sample.splitlines() if line.startswith("3;fio-") and ";first;" in line]
    reading = reading_of(line + "\n")
    assert column(reading, "tool") == ["fio"]
    assert column(reading, "bytes") == [32 << 20]


def test_what_nobody_reads_is_listed_with_the_reason(reading_of, said):
    """louwrentius/fio-plot#64"""
    [line] = said(reading_of("Dear all,\nthe transfer went well.\n"))
    assert line.startswith("a.log:<NA>: unrecognised: found no output of a tool that a reader knows")


def test_text_in_front_of_fios_json_is_passed_over(reading_of, column):
    """axboe/fio#672, kata-containers/tests#650"""
    note = "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1\n"
    reading = reading_of("fio: this platform does not support process shared mutexes\n" + note + fio())
    assert column(reading, "throughput_bps") == [8192 * 1024]


def test_counters_that_ran_over_are_left_out(reading_of, column):
    """axboe/fio#672, kata-containers/tests#650"""
    reading = reading_of(fio(bw=2**64 - 1, io_bytes=2**64 - 1))
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "bytes") == [None]
    assert reading.problems.kind.tolist() == ["inconsistent", "inconsistent"]


def test_a_job_that_moved_nothing_is_no_rate_of_zero(reading_of, said):
    """axboe/fio#672"""
    reading = reading_of(fio(bw=0, io_bytes=0, runtime=0))
    assert reading.runs.empty
    assert said(reading) == [
        "a.log:1: malformed: found no job that moved data, expected bytes read or written; no run made"
    ]


# --- layouts


def test_a_field_that_is_not_available_does_not_cost_the_line(reading_of, column):
    """prometheus/node_exporter#966, kellyjonbrazil/jc#618"""
    reading = reading_of(TABLE + SENDER + "[  5] (receiver statistics not available)\n")
    assert column(reading, "sender_throughput_bps") == [944e6]
    assert column(reading, "throughput_bps") == [None]


def test_many_files_are_one_table(tmp_path):
    """esnet/iperf#156, esnet/iperf#849, tohojo/flent#138"""
    for number in range(3):
        (tmp_path / f"{number}.log").write_text(TABLE + SENDER + RECEIVER)
    reading = read(tmp_path)
    assert reading.runs.source_file.nunique() == 3
    assert reading.runs.throughput_bps.tolist() == [935e6] * 3


# --- what is another room's


@pytest.mark.parametrize(
    "content",
    [
        b"2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n",
        b"Settings for eth0:\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n",
        b"3B:00.0 Ethernet controller: Intel Corporation Ethernet Controller X710 (rev 02)\n",
        b"md0 : active raid5 sdc1[2] sdb1[1] sda1[0]\n",
        b"\x01\x00\x00\x00PRTG\x00\x00\xff\xfe history of a sensor",
    ],
)
def test_inventories_and_counters_are_no_tool_logs(reading_of, content):
    """
    Declined here, for `hecn parse` reads what measurements print: kellyjonbrazil/jc#464, kellyjonbrazil/jc#618,
    prometheus/node_exporter#219, prometheus/node_exporter#2125, lordmilko/PrtgAPI#370
    """
    reading = reading_of(content)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
