"""NTttcp of Windows and Linux: text, XML and JSON."""

import pytest

from hecn_analysis.logs import read


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_every_form(samples):
    reading = read([samples / "ntttcp" / f"{name}.txt" for name in ("linux", "windows", "receiver-xml", "sender-json")])
    assert values(reading, "tool_version", "direction", "protocol", "streams", "retransmits") == [
        ["1.4.0", "send", "tcp", 8, 17],
        ["5.39", None, "tcp", 2, 123],
        ["5.33-linux", "receive", "tcp", 2, 4],
        ["5.33-linux", "send", "udp", None, 0],
    ]
    assert values(reading, "duration_s", "bytes", "throughput_bps") == [
        [10.36, 12194406400, pytest.approx(9.42e9)],
        [60.01, round(67098.875 * 2**20), pytest.approx(1118.128 * 8 * 2**20)],
        [60.003, round(67085.75412 * 2**20), pytest.approx(9378.791e6)],
        [60.003, round(67085.75412 * 2**20), pytest.approx(9378.791e6)],
    ]
    assert reading.runs.rtt_s[0] == 184e-6
    assert reading.problems.empty


def test_the_command_gives_the_direction(samples, reading_of):
    text = (samples / "ntttcp" / "windows.txt").read_text()
    reading = reading_of("C:\\> ntttcp -r -m 2,*,192.0.2.7\n$ ntttcp -r -m 2,*,192.0.2.7\n" + text)
    assert reading.runs.direction.tolist() == ["receive"]


@pytest.mark.parametrize("name", ["linux", "windows", "receiver-xml"])
def test_without_totals_there_is_no_run(samples, reading_of, problem_lines, name):
    lines = (samples / "ntttcp" / f"{name}.txt").read_text().splitlines(keepends=True)[:8]
    reading = reading_of("".join(lines))
    assert reading.runs.empty
    last = {"linux": 8, "windows": 8, "receiver-xml": 8}[name]
    assert problem_lines(reading) == [
        f"a.log:{last}: truncated: found the beginning of a run of NTttcp and no totals; no run made"
    ]


def test_an_error(reading_of, problem_lines):
    reading = reading_of(
        "NTTTCP for Linux 1.4.0\n10:36:30 ERR : sender: failed to create sync socket\n10:36:30 ERR : another\n"
    )
    assert values(reading, "error", "throughput_bps") == [[True, None]]
    assert problem_lines(reading) == [
        "a.log:2: aborted: found 'sender: failed to create sync socket', expected a result"
    ]


def test_a_windows_command_gives_the_direction(samples, reading_of):
    text = (samples / "ntttcp" / "windows.txt").read_text()
    assert reading_of("C:\\tools>ntttcp.exe -s -m 2,*,192.0.2.7 -t 60\n" + text).runs.direction.tolist() == ["send"]


def test_the_threads_of_a_receiver_are_not_streams(reading_of):
    text = "$ ntttcp -r -m 16\nNTTTCP for Linux 1.4.0\n08:05:20 INFO: 17 threads created\n"
    text += "08:06:28 INFO: #####  Totals:  #####\n08:06:28 INFO: test duration    :60.00 seconds\n"
    text += "08:06:28 INFO: total bytes      :75000000000\n08:06:28 INFO:   throughput     :10.00Gbps\n"
    assert values(reading_of(text), "direction", "streams", "throughput_bps") == [["receive", None, 1e10]]


def test_the_xml_of_linux_since_2021_uses_powers_of_1000(reading_of):
    text = '<ntttcpr computername="there" version="5.33-linux">\n<total_bytes metric="MB">3572.783109</total_bytes>\n'
    text += '<realtime metric="s">2.000914</realtime>\n<throughput metric="mbps">14284.605</throughput>\n</ntttcpr>\n'
    reading = reading_of(text)
    assert values(reading, "bytes", "throughput_bps") == [[3572783109, pytest.approx(14284.605e6)]]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("between", "direction", "protocol", "streams"),
    [
        (
            "05:00:00 INFO: 4 connections created in 6284 microseconds\n05:00:02 INFO: 4 connections tested\n",
            "send",
            "tcp",
            4,
        ),
        ("", "receive", "tcp", None),
        ("protocol:\t\t\t UDP\n", "receive", "udp", None),
    ],
)
def test_linux_output_identifies_the_end(reading_of, between, direction, protocol, streams):
    text = "NTTTCP for Linux 1.4.3\n-----\n05:00:00 INFO: 4 threads created\n" + between
    text += "05:00:02 INFO: #####  Totals:  #####\n05:00:02 INFO: test duration\t:2.00 seconds\n"
    text += "05:00:02 INFO: total bytes\t:500000000\n05:00:02 INFO: \t throughput\t:2.00Gbps\n"
    reading = reading_of(text)
    assert values(reading, "direction", "protocol", "streams", "throughput_bps") == [
        [direction, protocol, streams, 2e9]
    ]
