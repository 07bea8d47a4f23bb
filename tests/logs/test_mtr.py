"""mtr: the figures of the last hop, in all its formats."""

from hecn_analysis.logs import read

FIGURES = ["loss_fraction", "sent_packets", "rtt_min_s", "rtt_avg_s", "rtt_max_s"]


def test_reports_with_any_columns(samples):
    reading = read(samples / "mtr" / "report.txt")
    runs = reading.runs
    assert runs.loc[:1, FIGURES].to_numpy().tolist() == [
        [0.2, 10, 0.08, 0.0803, 0.0819],
        [0.25, 8, 0.0001, 0.0002, 0.0004],
    ]
    assert runs.lost_packets.fillna(-1).tolist() == [-1, 2, -1]
    assert runs.jitter_s.fillna(-1).tolist() == [-1, 0.0001, -1]
    assert reading.problems.empty


def test_a_silent_last_hop_has_no_times(samples):
    last = read(samples / "mtr" / "report.txt").runs.loc[2]
    assert (last.loss_fraction, last.sent_packets) == (1.0, 2)
    assert last[["rtt_min_s", "rtt_avg_s", "rtt_max_s"]].isna().all()


def test_a_screen(samples):
    reading = read(samples / "mtr" / "screen.txt")
    assert reading.runs[[*FIGURES, "tool_version"]].to_numpy().tolist() == [[0.0, 7, 0.08, 0.0803, 0.0819, "0.95"]]


def test_comma_separated_values(samples):
    reading = read(samples / "mtr" / "comma-separated.txt")
    assert reading.runs[FIGURES].round(9).to_numpy().tolist() == [
        [0.25, 4, 0.08006, 0.08026, 0.08117],
        [0.0, 4, 0.08006, 0.08026, 0.08127],
    ]
    assert reading.runs.label.tolist() == ["receiver", "receiver"]


def test_json_with_and_without_quotes(samples):
    reading = read(samples / "mtr" / "json.txt")
    assert reading.runs[FIGURES].round(9).to_numpy().tolist() == [
        [0.25, 4, 0.08006, 0.08026, 0.08117],
        [0.0, 2, 0.00825, 0.0085, 0.00875],
    ]
    assert reading.problems.empty


def test_a_truncated_hop_is_not_the_last_hop(reading_of, problem_lines):
    head = (
        "HOST: sender   Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
        "  1.|-- gateway   0.0%    10    0.3   0.4   0.3   0.7   0.1\n"
    )
    reading = reading_of(head + "  2.|-- receiver   0.0%    10   80")
    assert reading.runs.rtt_avg_s.isna().tolist() == [True]
    assert problem_lines(reading) == [
        "a.log:3: truncated: found '2.|-- receiver   0.0%    10   80', expected a hop with a figure for every column"
    ]
    reading = reading_of(head.splitlines()[0] + "\n")
    assert problem_lines(reading) == ["a.log:1: truncated: found no hops, expected at least one; no figures read"]


def test_times_before_every_line(samples, reading_of):
    text = (samples / "mtr" / "report.txt").read_text()
    reading = reading_of("".join(f"2026-11-21 23:56:25 sender {line}\n" for line in text.splitlines()))
    assert reading.runs[FIGURES].fillna(-1).to_numpy().tolist() == [
        [0.2, 10, 0.08, 0.0803, 0.0819],
        [0.25, 8, 0.0001, 0.0002, 0.0004],
        [1.0, 2, -1, -1, -1],
    ]
    assert reading.problems.empty


def test_wide_comma_separated_values_repeat_hops(reading_of):
    head = "Mtr_Version,Start_Time,Status,Host,Hop,Ip,Loss%,Snt, ,Last,Avg,Best,Wrst,StDev,\n"
    row = "MTR.0.95,1700000000,OK,receiver,{},192.0.2.{},0.00,60,0,1.10,{}.20,0.90,9.00,1.00\n"
    reading = reading_of(head + "".join(row.format(*hop) for hop in [(1, 1, 2), (1, 2, 2), (2, 7, 3), (1, 1, 4)]))
    assert reading.runs.rtt_avg_s.round(9).tolist() == [0.0032, 0.0042]
    assert reading.runs.start_time.astype(str).tolist() == ["2023-11-14 22:13:20+00:00"] * 2
    assert reading.problems.empty


def test_xml(samples, problem_lines):
    reading = read(samples / "mtr" / "xml.txt")
    assert reading.runs[FIGURES].round(9).fillna(-1).to_numpy().tolist() == [
        [0.25, 4, 0.0801, 0.0803, 0.0812],
        [0.0, 2, 0.0003, 0.0004, 0.0005],
        [-1, -1, -1, -1, -1],
    ]
    assert reading.runs.label.tolist() == ["receiver", "192.0.2.7", "receiver"]
    assert reading.runs.lost_packets.fillna(-1).tolist() == [1, -1, -1]
    assert problem_lines(reading) == [
        "xml.txt:38: truncated: found no '</MTR>', expected one; the last hop is not known, no figures read"
    ]


def test_the_raw_form(samples):
    reading = read(samples / "mtr" / "raw.txt")
    assert reading.runs[["sent_packets", "lost_packets"]].fillna(-1).to_numpy().tolist() == [[3, 1], [2, 2], [-1, -1]]
    assert reading.runs[FIGURES[2:]].round(9).fillna(-1).to_numpy().tolist() == [
        [0.08, 0.081, 0.082],
        [-1, -1, -1],
        [0.0005, 0.0005, 0.0005],
    ]
    assert reading.runs.label.fillna("").tolist() == ["192.0.2.7", "", "2001:db8::7"]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 16], [17, 25], [27, 29]]
    assert reading.problems.empty


def test_letters_and_numbers_are_not_the_raw_form(reading_of):
    reading = reading_of("x 0 1\nh 0 nothing\np 1 2\n\nh 0 0\n")
    assert reading.runs.empty


def test_the_list_of_winmtr(samples):
    reading = read(samples / "mtr" / "winmtr.txt")
    assert reading.runs.tool_version.fillna("").tolist() == ["WinMTR 0.92", ""]
    assert reading.runs.lost_packets.tolist() == [10, 30]
    assert reading.runs[FIGURES].round(9).fillna(-1).to_numpy().tolist() == [
        [round(1 / 3, 9), 30, 0.08, 0.081, 0.095],
        [1.0, 30, -1, -1, -1],
    ]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[3, 9], [11, 15]]
    assert reading.problems.empty


def test_reports_without_hosts_and_without_numbers_of_hops(samples, problem_lines):
    reading = read(samples / "mtr" / "without-hosts.txt")
    assert reading.runs[FIGURES].round(9).to_numpy().tolist() == [
        [0.1, 20, 0.0198, 0.0216, 0.0302],
        [0.05, 40, 0.0398, 0.041, 0.052],
    ]
    assert problem_lines(reading) == [
        (
            "without-hosts.txt:8: ambiguous: found rows without hops, expected the hop of the target as the last one; "
            "figures of the last row kept"
        )
    ]


def test_a_report_without_its_heading(samples, reading_of):
    reading = read(samples / "mtr" / "without-heading.txt")
    assert reading.runs[FIGURES].round(9).to_numpy().tolist() == [[0.2, 10, 0.0598, 0.061, 0.0702]]
    assert reading.problems.empty
    other_columns = "  1.|-- gw.example.net   10    0.0%    0.5   0.6   0.4   1.0   0.2\n"
    assert reading_of(other_columns).runs.empty
