"""Pitfalls that users of similar tools reported, each with a small input; docs/experience.md explains the treatment.

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
def test_a_json_value_that_is_not_a_number_is_missing_with_a_problem(reading_of, column, problem_lines, word):
    """esnet/iperf#613, esnet/iperf#826"""
    reading = reading_of(DOCUMENT.replace("1000000000.0", word))
    assert column(reading, "sender_throughput_bps") == [None]
    assert column(reading, "throughput_bps") == [9.92e8]
    assert problem_lines(reading) == [
        f"a.log:1: malformed: found {word!r}, expected JSON; read as far as it has a meaning"
    ]


@pytest.mark.parametrize("number", ["1e9", "1e+09", "1.e9", "+1.0e9"])
def test_every_form_of_exponent_is_read(reading_of, column, number):
    """esnet/iperf#520"""
    reading = reading_of(DOCUMENT.replace("1000000000.0", number))
    assert column(reading, "sender_throughput_bps") == [1e9]
    assert set(reading.problems.kind) <= {"malformed"}


def test_text_below_a_document_belongs_to_its_run(reading_of, column, problem_lines):
    """esnet/iperf#1143"""
    reading = reading_of(DOCUMENT + "iperf3: error - control socket has closed unexpectedly\n")
    assert column(reading, "throughput_bps") == [9.92e8]
    below = "found 'error - control socket has closed unexpectedly' below a result; the result is kept"
    assert problem_lines(reading) == [f"a.log:{DOCUMENT.count(chr(10)) + 1}: inconsistent: {below}"]


def test_a_document_printed_twice_is_one_run(reading_of, problem_lines):
    """esnet/iperf#1716"""
    reading = reading_of(DOCUMENT + DOCUMENT)
    assert len(reading.runs) == 1
    assert [line.partition(", expected")[0] for line in problem_lines(reading)] == [
        f"a.log:{DOCUMENT.count(chr(10)) + 1}: ambiguous: found the same JSON document twice in a row"
    ]


def test_duplicate_keys_are_reported_once(reading_of, problem_lines):
    """esnet/iperf#856"""
    doubled = DOCUMENT.replace('"version"', '"sock_bufsize": 0, "sock_bufsize": 0, "version"')
    reading = reading_of(doubled + doubled.replace("1240000000", "1240000001"))
    assert len(reading.runs) == 2
    [line] = problem_lines(reading)
    assert line.startswith("a.log:1: malformed: found repeated keys ('sock_bufsize'), expected JSON")


def test_a_run_that_failed_is_a_row_with_its_reason(reading_of, column, problem_lines):
    """esnet/iperf#545"""
    failed = {"start": {"connected": [], "version": "iperf 3.0.11"}, "intervals": [], "end": {}}
    reading = reading_of(json.dumps(failed | {"error": "error - unable to connect to server: No route to host"}))
    assert column(reading, "error") == [True]
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        "a.log:1: aborted: found 'error - unable to connect to server: No route to host', expected a result"
    ]


def test_messages_before_json_are_skipped(reading_of, column):
    """esnet/iperf#1782, esnet/iperf#1776"""
    reading = reading_of(OVERFLOW + DOCUMENT)
    assert column(reading, "throughput_bps") == [9.92e8]
    assert column(reading, "line_first") == [2]


def test_an_absent_side_is_missing_not_zero(reading_of, column):
    """esnet/iperf#1782, openthread/openthread#10519"""
    sent_only = TCP | {"end": {"sum_sent": TCP["end"]["sum_sent"]}}
    reading = reading_of(OVERFLOW + json.dumps(sent_only))
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "bytes") == [None]
    assert column(reading, "sender_throughput_bps") == [1e9]


# --- wording


def test_every_reader_names_its_versions():
    """perfsonar/pscheduler#306"""
    assert [reader.__name__ for reader in registry.READERS if not reader.VERSIONS.strip()] == []


def test_a_changed_word_is_a_problem_and_not_a_wrong_number(reading_of, column, problem_lines):
    """perfsonar/pscheduler#301, perfsonar/pscheduler#306"""
    line = "  100.0000 MB /   1.00 sec =  838.8608 Mbps 10 %TX 20 %RX 3 resends 0.10 msRTT\n"
    reading = reading_of("$ nuttcp -T1 there\n" + line)
    assert column(reading, "throughput_bps") == [838860800.0]
    assert column(reading, "retransmits") == [None]
    [told] = problem_lines(reading)
    assert told.startswith("a.log:2: unrecognised: found '3 resends', expected fields such as '9 %TX'")


def test_more_lost_than_sent_is_a_problem(reading_of, column):
    """perfsonar/pscheduler#301"""
    line = "    0.0049 MB /   0.00 sec =    0.0000 Mbps 0 %TX 0 %RX 88 / 5 drop/pkt 1760.00 %loss\n"
    reading = reading_of("$ nuttcp -u -T1 there\n" + line)
    assert column(reading, "loss_fraction") == [None]
    assert "found 88 packets lost of 5 sent, expected no more lost than sent; loss_fraction left out" in set(
        reading.problems.message
    )


def test_a_rate_that_contradicts_bytes_and_seconds_is_a_problem(reading_of):
    """perfsonar/pscheduler#301"""
    reading = reading_of("$ nuttcp there\n  100.0000 MB /   1.00 sec =  938.8608 Mbps 10 %TX 20 %RX 0 retrans\n")
    assert reading.problems.kind.tolist() == ["inconsistent"]


# --- which end reports what


def test_the_receivers_rate_is_the_throughput_and_the_senders_a_column(reading_of, column):
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
def test_words_and_version_decide_the_k_of_fio(reading_of, column, text, bits_per_s):
    """axboe/fio#430"""
    reading = reading_of(f"a: (groupid=0, jobs=1): err= 0: pid=1\n  {text}\n")
    assert column(reading, "throughput_bps") == [pytest.approx(bits_per_s, rel=1e-3)]


@pytest.mark.parametrize(("version", "amount"), [("fio-2.2.8", 1024), ("fio-3.30", 1 << 20)])
def test_the_rate_decides_the_unit_of_the_amount_in_fios_json(reading_of, column, version, amount):
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
def test_a_garbled_rate_is_computed_with_a_problem(reading_of, column, garbled):
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


def test_streams_are_summed_in_additive_columns_only(reading_of, column):
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


# --- kinds of files


@pytest.mark.parametrize("name", ["renamed.txt", "wget.log", "no-extension"])
def test_the_name_of_a_file_does_not_matter(reading_of, column, name):
    """louwrentius/fio-plot#64, louwrentius/fio-plot#87, louwrentius/fio-plot#100, louwrentius/fio-plot#116"""
    assert column(reading_of(fio(), name=name), "tool") == ["fio"]


def test_terse_output_is_read(reading_of, column):
    """louwrentius/fio-plot#75: the line of one job; the logs of single requests (bw_log) are not read"""
    sample = min(data_dir().glob("samples/fio/terse-*.txt")).read_text()
    [line] = [line for line in sample.splitlines() if line.startswith("3;fio-") and ";first;" in line]
    reading = reading_of(line + "\n")
    assert column(reading, "tool") == ["fio"]
    assert column(reading, "bytes") == [32 << 20]


def test_unread_files_are_listed_with_the_reason(reading_of, problem_lines):
    """louwrentius/fio-plot#64"""
    [line] = problem_lines(reading_of("Dear all,\nthe transfer went well.\n"))
    assert line.startswith("a.log:<NA>: unrecognised: found no output of a tool that a reader knows")


def test_text_before_fios_json_is_skipped(reading_of, column):
    """axboe/fio#672, kata-containers/tests#650"""
    note = "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1\n"
    reading = reading_of("fio: this platform does not support process shared mutexes\n" + note + fio())
    assert column(reading, "throughput_bps") == [8192 * 1024]


def test_overflowed_counters_are_left_out(reading_of, column):
    """axboe/fio#672, kata-containers/tests#650"""
    reading = reading_of(fio(bw=2**64 - 1, io_bytes=2**64 - 1))
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "bytes") == [None]
    assert reading.problems.kind.tolist() == ["inconsistent", "inconsistent"]


def test_a_job_without_transfer_has_no_rate_of_zero(reading_of, problem_lines):
    """axboe/fio#672"""
    reading = reading_of(fio(bw=0, io_bytes=0, runtime=0))
    assert reading.runs.empty
    assert problem_lines(reading) == [
        "a.log:1: malformed: found no job that moved data, expected bytes read or written; no run made"
    ]


# --- layouts


def test_an_unavailable_field_does_not_lose_the_line(reading_of, column):
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


# --- not tool logs


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
def test_inventories_and_counters_are_not_tool_logs(reading_of, content):
    """
    Not read here: `hecn parse` reads the output of measurements: kellyjonbrazil/jc#464, kellyjonbrazil/jc#618,
    prometheus/node_exporter#219, prometheus/node_exporter#2125, lordmilko/PrtgAPI#370
    """
    reading = reading_of(content)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
