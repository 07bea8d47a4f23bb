"""traceroute: one run for each path, in every layout of hops."""

from hecn_analysis.logs import read


def test_hops_of_linux(samples):
    reading = read(samples / "traceroute" / "linux.txt")
    assert reading.runs.label.tolist() == ["receiver", "2001:db8::7"]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 6], [7, 8]]
    assert reading.runs.rtt_avg_s.isna().all()
    assert reading.problems.empty


def test_bsd_with_its_warning_and_windows(samples):
    reading = read(samples / "traceroute" / "bsd-and-windows.txt")
    assert reading.runs.tool.tolist() == ["traceroute"] * 2
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 4], [6, 13]]
    assert reading.problems.empty


def test_damaged_output(samples, problem_lines):
    reading = read(samples / "traceroute" / "damaged.txt")
    assert sorted(problem_lines(reading)) == [
        "damaged.txt:1: truncated: found hops without 'traceroute to …' above them; a run without figures",
        "damaged.txt:3: truncated: found no hops, expected at least one; a run without figures",
        "damaged.txt:4: aborted: found 'unknown host sender', expected hops",
    ]
    assert reading.runs.error.tolist() == [False, False, True]


def test_a_prompt_ends_a_path(reading_of):
    reading = reading_of(
        "$ traceroute -n 192.0.2.7\ntraceroute to 192.0.2.7 (192.0.2.7), 30 hops max, 60 byte packets\n"
        " 1  192.0.2.7  0.412 ms  0.371 ms  0.355 ms\n$ traceroute -n 192.0.2.8\n"
        "traceroute to 192.0.2.8 (192.0.2.8), 30 hops max, 60 byte packets\n 1  192.0.2.8  0.4 ms  0.3 ms  0.5 ms\n"
    )
    assert reading.runs.line_last.tolist() == [3, 6]


def test_hops_identify_windows_in_another_language(reading_of):
    reading = reading_of(
        "Routenverfolgung zu receiver [192.0.2.7]\nüber maximal 30 Hops:\n\n"
        "  1    <1 ms    <1 ms    <1 ms  192.0.2.1 \n"
        "  2     *        *        *     Zeitüberschreitung der Anforderung.\n"
        "  3    12 ms    11 ms    12 ms  receiver [192.0.2.7] \n\nAblaufverfolgung beendet.\n"
    )
    assert reading.runs[["tool", "line_first", "line_last"]].to_numpy().tolist() == [["traceroute", 4, 6]]
    assert reading.problems.empty


def test_routers_and_a_silent_first_hop_in_another_language(samples):
    reading = read(samples / "traceroute" / "routers.txt")
    assert reading.runs.label.fillna("").tolist() == ["192.0.2.9", "192.0.2.7", "", "receiver"]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[3, 6], [8, 10], [15, 17], [20, 22]]
    assert reading.problems.empty


def test_tracepath(samples):
    reading = read(samples / "traceroute" / "tracepath.txt")
    assert reading.runs.tool.tolist() == ["tracepath", "tracepath"]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 9], [10, 14]]
    assert reading.problems.empty


def test_an_unknown_host(reading_of):
    reading = reading_of(
        'nowhere: Name or service not known\nCannot handle "host" cmdline arg `nowhere\' on position 1 (argc 1)\n'
    )
    assert reading.runs[["tool", "error"]].to_numpy().tolist() == [["traceroute", True]]
    assert reading.problems.kind.tolist() == ["aborted"]


def test_lists_below_a_colon_are_not_read(reading_of):
    reading = reading_of("What we found:\n\n  1     *        *        *\n  1?: [LOCALHOST]\n")
    assert reading.runs.empty


def test_a_refused_socket_and_another_tool(reading_of, problem_lines):
    reading = reading_of(
        "traceroute to receiver (192.0.2.7), 30 hops max, 60 byte packets\nconnect: Network is unreachable\n"
        "$ tcptraceroute receiver\nTracing the path to receiver (192.0.2.7) on TCP port 80 (http), 30 hops max\n"
        " 1  192.0.2.1  0.5 ms  0.4 ms  0.3 ms\n 2  192.0.2.7  0.5 ms  0.4 ms  0.3 ms\n"
    )
    assert reading.runs[["tool", "label", "error"]].to_numpy().tolist() == [["traceroute", "receiver", True]]
    assert problem_lines(reading) == ["a.log:2: aborted: found 'connect: Network is unreachable', expected hops"]
