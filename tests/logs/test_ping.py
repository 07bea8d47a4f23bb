"""ping of every kind of system, complete and truncated."""

import pytest

from hecn_analysis.logs import read

TIMES = ["rtt_min_s", "rtt_avg_s", "rtt_max_s"]


def test_linux_counts_losses_and_not_duplicates_or_errors(samples):
    reading = read(samples / "ping" / "linux.txt")
    runs = reading.runs
    assert runs.protocol.tolist() == ["icmp"] * 3
    assert runs.label.tolist() == ["receiver", "192.0.2.9", "2001:db8::7"]
    assert runs.sent_packets.tolist() == [3, 2, 2]
    assert runs.lost_packets.tolist() == [1, 2, 0]
    assert runs.loss_fraction.tolist() == [1 / 3, 1.0, 0.0]
    assert runs.duration_s.tolist() == [2.003, 1.031, 0.202]
    assert runs.loc[0, TIMES].astype(float).round(9).tolist() == [0.080037, 0.080345, 0.0809]
    assert runs.loc[1, TIMES].isna().all()
    assert runs.loc[2, TIMES].astype(float).round(9).tolist() == [27e-6, 33e-6, 40e-6]
    assert runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 9], [10, 15], [17, 23]]
    assert reading.problems.empty


def test_other_systems(samples):
    reading = read(samples / "ping" / "others.txt")
    assert reading.runs[TIMES].round(9).fillna(-1).to_numpy().tolist() == [
        [54e-6, 155e-6, 257e-6],
        [35e-6, 59e-6, 83e-6],
        [-1, -1, -1],
        [401e-6, 457e-6, 512e-6],
    ]
    assert reading.runs.lost_packets.tolist() == [1, 0, 2, 0]
    assert reading.problems.empty


def test_windows_prints_maximum_before_average(samples):
    reading = read(samples / "ping" / "windows.txt")
    assert reading.runs[TIMES].round(9).fillna(-1).to_numpy().tolist() == [[0.0, 0.002, 0.004], [0.0, 0.006, 0.012]]
    assert reading.runs.sent_packets.tolist() == [3, 2]
    assert reading.runs.lost_packets.tolist() == [1, 0]
    assert reading.runs.label.tolist() == ["receiver", "2001:db8::7"]
    assert reading.problems.empty


def test_windows_in_other_languages(samples):
    reading = read(samples / "ping" / "windows-languages.txt")
    assert reading.runs.sent_packets.tolist() == [2] * 5
    assert reading.runs.lost_packets.tolist() == [1, 0, 0, 0, 2]
    assert reading.runs.loc[:3, TIMES].to_numpy().tolist() == [
        [0.012, 0.012, 0.012],
        [0.028, 0.029, 0.03],
        [0.02, 0.021, 0.022],
        [0.001, 0.002, 0.003],
    ]
    assert reading.runs.line_first.tolist() == [1, 11, 23, 32, 41]
    assert reading.problems.empty


def test_windows_in_the_code_page_of_a_terminal(reading_of):
    text = "数据包: 已发送 = 4，已接收 = 3，丢失 = 1 (25% 丢失)，"
    reading = reading_of(
        "正在 Ping 192.0.2.7 具有 32 字节的数据:\r\n来自 192.0.2.7 的回复: 字节=32 时间=1ms TTL=64\r\n\r\n"
        f"192.0.2.7 的 Ping 统计信息:\r\n    {text}\r\n".encode("gbk")
    )
    assert reading.runs[["sent_packets", "lost_packets"]].to_numpy().tolist() == [[4, 1]]


def test_windows_without_hop_limits(samples):
    reading = read(samples / "ping" / "windows-v6.txt")
    assert reading.runs[["sent_packets", "lost_packets"]].to_numpy().tolist() == [[3, 1], [2, 2], [2, 0]]
    assert reading.runs[TIMES].fillna(-1).to_numpy().tolist() == [
        [0.011, 0.012, 0.014],
        [-1, -1, -1],
        [0.0, 0.0, 0.001],
    ]
    assert reading.runs.label.tolist() == ["receiver.example", "2001:db8::7", "fe80::7"]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 10], [12, 18], [20, 27]]
    assert reading.problems.empty


def test_translations_of_iputils(samples):
    reading = read(samples / "ping" / "translations.txt")
    assert reading.runs.label.tolist() == ["cs", "fi", "fr", "ja", "ka", "ko", "tr", "uk", "zh"]
    assert reading.runs.sent_packets.tolist() == [40] * 9
    assert reading.runs.lost_packets.tolist() == [10] * 9
    assert reading.runs.duration_s.tolist() == [1.234] * 9
    assert reading.runs[TIMES].drop_duplicates().to_numpy().tolist() == [[0.00025, 0.006325, 0.0124]]
    assert reading.problems.empty


def test_counts_after_a_time_in_another_language(reading_of):
    reading = reading_of(
        "Nov 21 23:56:25 host ping[123]: PING b (192.0.2.7) 56(84) bytes de dados.\n"
        "Nov 21 23:56:27 host ping[123]: --- estatísticas de ping para b ---\n"
        "Nov 21 23:56:27 host ping[123]: 4 pacotes transmitidos, 3 recebidos, 25% perda de pacotes, tempo 3002ms\n"
    )
    assert reading.runs[["sent_packets", "lost_packets", "duration_s"]].to_numpy().tolist() == [[4, 1, 3.002]]


def test_json_of_iputils(samples):
    reading = read(samples / "ping" / "json.txt")
    assert reading.runs[["sent_packets", "lost_packets"]].to_numpy().tolist() == [[4, 1]]
    assert reading.runs[[*TIMES, "duration_s"]].round(9).to_numpy().tolist() == [[35e-6, 45e-6, 55e-6, 3.01]]
    assert reading.problems.empty


def test_routers(samples):
    reading = read(samples / "ping" / "routers.txt")
    assert reading.runs.label.tolist() == ["192.0.2.7", "2001:db8::9", "192.0.2.1", "192.0.2.2", "192.0.2.3"]
    assert reading.runs.sent_packets.tolist() == [5, 5, 3, 2, 2]
    assert reading.runs.lost_packets.fillna(-1).tolist() == [1, 5, 1, 2, -1]
    assert reading.runs[TIMES].fillna(-1).to_numpy().tolist() == [
        [0.032, 0.05, 0.064],
        [-1, -1, -1],
        [0.007, 0.018, 0.03],
        [-1, -1, -1],
        [0.0004, 0.0005, 0.0007],
    ]
    assert reading.problems.kind.tolist() == ["inconsistent"]


def test_simultaneous_pings(samples, problem_lines):
    reading = read(samples / "ping" / "parallel.txt")
    assert reading.runs.label.tolist() == ["a", "b", "c", "d"]
    assert reading.runs.sent_packets.fillna(-1).tolist() == [2, 3, -1, 1]
    assert reading.runs.rtt_avg_s.tolist() == [0.00125, 0.00225, 0.003, 0.004]
    assert problem_lines(reading) == [
        (
            "parallel.txt:16: truncated: found 1 replies and no statistics, "
            "expected '… packets transmitted, … received'; times are those of the replies"
        )
    ]


def test_all_on_one_line(reading_of):
    reading = reading_of(
        "--- a ping statistics --- 4 packets transmitted, 3 received, 25% packet loss, time 3003ms "
        "rtt min/avg/max/mdev = 1.000/1.250/1.500/0.250 ms\n"
    )
    assert reading.runs[["lost_packets", *TIMES]].to_numpy().tolist() == [[1, 0.001, 0.00125, 0.0015]]
    assert reading.problems.empty


def test_routeros(reading_of):
    reading = reading_of(
        "[admin@gw] > ping 192.0.2.7 count=3\n  SEQ HOST                                     SIZE TTL TIME  STATUS\n"
        "    0 192.0.2.7                                  56  57 9ms350us\n"
        "    sent=1 received=1 packet-loss=0% min-rtt=9ms350us avg-rtt=9ms350us max-rtt=9ms350us\n"
        "  SEQ HOST                                     SIZE TTL TIME  STATUS\n"
        "    sent=3 received=2 packet-loss=33% min-rtt=9ms350us avg-rtt=9ms500us max-rtt=10ms\n"
        "    sent=2 received=0 packet-loss=100%\n"
    )
    assert reading.runs[["sent_packets", "lost_packets"]].to_numpy().tolist() == [[3, 1], [2, 2]]
    assert reading.runs[TIMES].round(9).fillna(-1).to_numpy().tolist() == [[0.00935, 0.0095, 0.01], [-1, -1, -1]]
    assert reading.problems.empty


def test_times_without_counts(reading_of, problem_lines):
    reading = reading_of(
        "a: rtt min/avg/max/mdev = 1.000/1.250/1.500/0.250 ms\nif 'rtt min/avg/max/mdev = ' in line:\n"
    )
    assert reading.runs[TIMES].to_numpy().tolist() == [[0.001, 0.00125, 0.0015]]
    assert reading.runs.sent_packets.isna().all()
    assert problem_lines(reading) == [
        "a.log:1: truncated: found times alone, expected '… packets transmitted, … received' above them"
    ]


def test_a_failure_below_the_heading_is_an_aborted_run(reading_of, problem_lines):
    reading = reading_of(
        "PING 192.0.2.7 (192.0.2.7): 56 data bytes\nping: permission denied (are you root?)\n"
        "PING 192.0.2.8 (192.0.2.8): 56 data bytes\n64 bytes from 192.0.2.8: seq=0 ttl=64 time=0.5 ms\n"
        "ping: sendto: Network is unreachable\n"
        "--- 192.0.2.8 ping statistics ---\n2 packets transmitted, 1 packets received, 50% packet loss\n"
    )
    assert reading.runs.error.tolist() == [True, False]
    assert reading.runs.label.tolist() == ["192.0.2.7", "192.0.2.8"]
    assert problem_lines(reading) == [
        "a.log:2: aborted: found 'permission denied (are you root?)', expected replies and statistics"
    ]


def test_contradictions_and_truncated_output(samples, problem_lines):
    reading = read(samples / "ping" / "unusual.txt")
    assert problem_lines(reading) == [
        "unusual.txt:1: aborted: found 'receiver: Name or service not known', expected replies and statistics",
        (
            "unusual.txt:9: inconsistent: found 3 packets received of 2 sent, expected no more received than sent; "
            "no loss given"
        ),
        "unusual.txt:12: inconsistent: found a loss of 5 %, expected 10 % from the counts; the latter is kept",
        (
            "unusual.txt:13: inconsistent: found times of 0.0005, 0.0004 and 0.0006 s, "
            "expected smallest, mean, largest; left out"
        ),
        (
            "unusual.txt:16: truncated: found 2 replies and no statistics, "
            "expected '… packets transmitted, … received'; times are those of the replies"
        ),
    ]
    assert reading.runs.error.tolist() == [True, False, False, False, False]
    assert reading.runs.lost_packets.fillna(-1).tolist() == [-1, 0, -1, 1, -1]
    assert reading.runs.loc[4, TIMES].tolist() == [0.00025, 0.0005, 0.00075]


def test_a_heading_without_rows_is_a_problem(reading_of, problem_lines):
    reading = reading_of("PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found no replies and no statistics, "
            "expected '… packets transmitted, … received'; no run made"
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "--- http://receiver/ ping statistics ---\n5 connects, 5 ok, 0.00% failed, time 5000ms\n"
            "round-trip min/avg/max = 20.8/21.0/21.1 ms\n"
        ),
        "--- 192.0.2.7 statistics ---\n3 packets transmitted, 3 packets received, 0% unanswered (0 extra)\n",
        "What we did about ping:\n  x = 1, y = 2\n",
        "How to ping 192.0.2.7:\n  -- see the ping manual --\n  sent = 4, received = 3, lost = 2 (50%)\n",
        'printf("PING %s (%s): %d data bytes\\n");\nprintf("%d packets transmitted, %d received");\n',
        "bash: ping: command not found\n",
        'expect(text).toContain("3 packets transmitted, 3 received, 0% packet loss");\n',
        "'64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=0.5 ms',\n'PING 192.0.2.7 (192.0.2.7) 56(84) bytes',\n",
    ],
)
def test_other_tools_and_prose_are_not_read(reading_of, text):
    reading = reading_of(text)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
