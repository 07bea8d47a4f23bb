"""fio: text of both kinds, JSON, terse lines, contradictions."""

import subprocess

import pytest

from hecn_analysis.logs import read

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
HEAD = "job: (groupid=0, jobs=1): err= 0: pid=4711: Sun Nov 22 00:00:00 2026\n"
OLD = "   READ: io={}, aggrb={}, minb=1KB/s, maxb=1KB/s, mint={}msec, maxt={}msec\n"


def shown(reading, *columns):
    frame = reading.runs[list(columns)]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_text_before_2_17_counts_by_1024(samples):
    reading = read(samples / "fio" / "text-2.txt")
    columns = ("direction", "bytes", "duration_s", "throughput_bps", "streams", "label", "tool_version")
    assert shown(reading, *columns) == [
        ["read", 2 * GIB, 10.0, 209715 * 8192, 4, "write-4k", "2.2.10"],
        ["write", GIB, 10.0, 104857 * 8192, 4, "write-4k", "2.2.10"],
    ]
    assert reading.problems.empty


def test_text_since_2_17_names_its_units(samples):
    reading = read(samples / "fio" / "text-3.txt")
    assert shown(
        reading, "direction", "bytes", "duration_s", "throughput_bps", "streams", "line_first", "line_last"
    ) == [
        ["read", round(62.3 * MIB), 0.281, 222 * 8 * MIB, 2, 7, 37],
        ["write", round(65.7 * MIB), 0.281, 234 * 8 * MIB, 2, 7, 38],
    ]
    assert reading.problems.empty


def test_decimal_units_first(samples):
    reading = read(samples / "fio" / "text-3-decimal.txt")
    assert shown(reading, "bytes", "throughput_bps") == [[16_000_000, 1333 * 8e6]]


def test_rates_in_bits_and_the_sum_of_both_directions_left_out(samples):
    reading = read(samples / "fio" / "text-3-bits.txt")
    assert shown(reading, "direction", "throughput_bps", "bytes") == [
        ["read", 7250 * MIB, 1856 * KIB],
        ["write", 8750 * MIB, 2240 * KIB],
    ]


def test_a_run_per_group_and_direction(samples):
    reading = read(samples / "fio" / "text-3-groups.txt")
    assert shown(reading, "label", "direction", "throughput_bps") == [
        ["first", "write", 376 * 8 * MIB],
        ["second", "read", 2667 * 8 * MIB],
        ["third", "read", 558 * 8 * MIB],
        ["third", "write", 673 * 8 * MIB],
    ]


def test_the_first_versions_have_no_unit_and_a_mixed_run_stands_alone(reading_of):
    reading = reading_of(
        HEAD + "Run status group 0 (all jobs):\n   READ: io=64MiB, aggrb=6553, minb=6553, maxb=6553, mint=10000msec, "
        "maxt=10000msec\nRun status group 1 (all jobs):\n"
        + OLD.format("512 B", "51B/s", 10000, 10000).replace(" READ", "MIXED")
    )
    assert shown(reading, "direction", "bytes", "throughput_bps", "label") == [
        ["read", 64 * MIB, 6553 * 8192, "job"],
        ["mixed", 512, 51 * 8, None],
    ]
    assert reading.problems.empty


def test_json_of_a_run_and_direction_that_moved_data(samples):
    reading = read(samples / "fio" / "json-3.txt")
    columns = ("label", "direction", "bytes", "duration_s", "throughput_bps", "tool_version", "line_first", "line_last")
    assert shown(reading, *columns) == [
        ["first", "write", 32 * MIB, 0.014, 8 * 2396745142, "3.33", 1, 254],
        ["second", "read", 32 * MIB, 0.009, 8 * 3728270222, "3.33", 255, 497],
        ["third", "read", 15204352, 0.028, 8 * 543012571, "3.33", 498, 759],
        ["third", "write", 18350080, 0.028, 8 * 655360000, "3.33", 498, 759],
    ]
    assert reading.problems.empty


def test_json_plus_and_jobs_reported_together(samples):
    reading = read(samples / "fio" / "json-plus.txt")
    assert shown(reading, "direction", "bytes", "throughput_bps", "streams") == [
        ["read", 983040, 8 * 983040000, 2],
        ["write", 1114112, 8 * 1114112000, 2],
    ]


@pytest.mark.parametrize(
    ("name", "iops"),
    [
        (
            "text-3.41.txt",
            [242 / 0.004, (128 + 270) / 0.023],
        ),  # the requests that the jobs issued, over the longest job
        ("json-3.41.txt", [128 / 0.024]),
    ],
)
def test_requests_per_second(root, name, iops):
    assert read(root / "data" / "samples" / "fio" / name).runs["iops"].tolist() == pytest.approx(iops, rel=1e-3)


def test_requests_per_second_of_terse_lines(root):
    runs = read(root / "data" / "samples" / "fio" / "terse-3.41.txt").runs
    assert list(zip(runs["direction"], runs["iops"], strict=True))[:2] == [("write", 5120), ("read", 80666)]


def test_json_of_mixed_directions(samples):
    reading = read(samples / "fio" / "json-mixed.txt")
    assert shown(reading, "direction", "bytes", "throughput_bps") == [["mixed", 4 * MIB, 8 * 699050666]]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ('"io_bytes": 361984, "bw": 68118, "runtime": 5314', [361984 * KIB, 68118 * 8192.0, 5.314]),
        ('"io_bytes": 370671616, "bw": 68118, "runtime": 5314', [370671616, 68118 * 8192.0, 5.314]),
        ('"io_bytes": 4096, "io_kbytes": 4, "bw": 4, "runtime": 1000', [4096, 4 * 8192.0, 1.0]),
        ('"io_kbytes": 4, "bw_bytes": 4100, "bw": 4, "runtime": 999', [4096, 8 * 4100.0, 0.999]),
        ('"io_bytes": 4096, "io_kbytes": 4', [4096, None, None]),
        ('"bw": 1024', [None, 8 * MIB, None]),
    ],
)
def test_json_amounts_are_kib_in_some_versions_and_bytes_in_others(reading_of, figures, expected):
    reading = reading_of(f'{{"fio version": "fio-2", "jobs": [{{"jobname": "a", "read": {{{figures}}}}}]}}\n')
    assert shown(reading, "bytes", "throughput_bps", "duration_s") == [expected]


def test_json_of_a_client_with_several_servers(reading_of):
    job = (
        '{{"jobname": "{}", "hostname": "{}", "job_start": 1741879865455, '
        '"read": {{"io_bytes": 4096, "io_kbytes": 4}}}}'
    )
    jobs = ", ".join([job.format("a", "one"), job.format("a", "two"), job.format("All clients", "")])
    reading = reading_of(f'<one> Starting 1 process\n{{"fio version": "fio-3.7", "client_stats": [{jobs}]}}\n')
    assert shown(reading, "label") == [["a on one"], ["a on two"]]
    assert str(reading.runs.start_time[0]) == "2025-03-13 15:31:05.455000+00:00"


@pytest.mark.parametrize("version", [3, 4, 5])
def test_terse(samples, version):
    reading = read(samples / "fio" / f"terse-{version}.txt")
    rates = {
        3: [2730666, 3640888, 593920, 716800],
        4: [1638400, 2048000, 618666, 746666],
        5: [2184533, 2730666, 449939, 543030],
    }
    assert shown(reading, "label", "direction", "bytes", "throughput_bps") == [
        [label, direction, amount, rate * 8192]
        for (label, direction, amount), rate in zip(
            [
                ("first", "write", 32 * MIB),
                ("second", "read", 32 * MIB),
                ("third", "read", 15204352),
                ("third", "write", 18350080),
            ],
            rates[version],
            strict=True,
        )
    ]
    assert reading.problems.empty


def test_terse_of_one_mixed_direction_and_a_rate_in_thousands(reading_of):
    block = ";".join(["0"] * 37)
    reading = reading_of(
        f"3;fio-3.33;a;0;0;2048;1024;1;2000;{block};1.0%;2.0%;0\n"
        f"3;fio-2.0.5;a;0;0;10240;1048;1;10000;{block};0;0;0;0;{block};1.0%;2.0%;0\n"
    )
    assert shown(reading, "direction", "bytes", "throughput_bps", "duration_s") == [
        ["mixed", 2 * MIB, 8 * MIB, 2.0],
        ["read", 10 * MIB, 1048 * 8000, 10.0],
    ]
    assert reading.problems.empty


@pytest.mark.parametrize("forms", ["terse,normal", "json,normal", "terse,json", "terse,json,normal"])
def test_a_result_in_several_forms_is_one_run(reading_of, forms):
    rest = ";".join(["0"] * 37)
    way = '{"io_bytes": 4194304, "bw_bytes": 2097152, "bw": 2048, "iops": 512.0, "runtime": %d}'
    job = '{"jobname": "%s", "groupid": %d, "error": 0, "%s": %s}'
    jobs = [job % ("a", 0, "read", way % 2000), *[job % ("b", 1, "write", way % 2001)] * 2]
    parts = {
        "terse": f"3;fio-3.33;a;0;0;4096;2048;512;2000;{rest};0;0;0;0;{rest};1.0%;2.0%;0\n"
        + 2 * f"3;fio-3.33;b;1;0;0;0;0;0;{rest};4096;2048;512;2001;{rest};1.0%;2.0%;0\n",
        "json": f'{{"fio version": "fio-3.33", "jobs": [{", ".join(jobs)}]}}\n',
        "normal": "".join(
            f"{name}: (groupid={group}, jobs=1): err= 0: pid=4711: Sun Nov 22 00:00:00 2026\n"
            for name, group in (("a", 0), ("b", 1), ("b", 1))
        )
        + "Run status group 0 (all jobs):\n"
        "   READ: bw=2048KiB/s (2097kB/s), 2048KiB/s-2048KiB/s (2097kB/s-2097kB/s), "
        "io=4096KiB (4194kB), run=2000-2000msec\n"
        "Run status group 1 (all jobs):\n"
        "  WRITE: bw=4094KiB/s (4192kB/s), 2047KiB/s-2047KiB/s (2096kB/s-2096kB/s), "
        "io=8192KiB (8389kB), run=2001-2001msec\n",
    }
    call = "fio-3.33\nStarting 3 processes\n" + "".join(parts[form] for form in forms.split(","))
    runs = reading_of(call).runs
    assert runs["label"].tolist() == ["a", "b", "b"]
    assert runs["bytes"].tolist() == [4 * MIB] * 3
    again = reading_of(call + call.replace("2000", "2017").replace("2001", "2018")).runs
    assert len(again) == 2 * len(runs)  # another call of the same jobs


def test_errors(samples, problem_lines):
    reading = read(samples / "fio" / "error.txt")
    assert shown(reading, "error", "throughput_bps", "line_first", "line_last") == [
        [True, None, 7, 15],
        [True, None, 20, 20],
    ]
    assert problem_lines(reading) == [
        (
            "error.txt:5: aborted: found 'pid=3586, err=28/file:io_u.c:1876, func=io_u error, "
            "error=No space left on device', expected results"
        ),
        (
            "error.txt:20: aborted: found 'pid=0, err=20/file:filesetup.c:455, func=fstat, error=Not a directory', "
            "expected results"
        ),
    ]


def test_an_error_in_json_and_terse(samples, reading_of, problem_lines):
    reading = read(samples / "fio" / "json-error.txt")
    assert shown(reading, "error", "label", "throughput_bps", "line_first") == [[True, "full", None, 3]]
    assert problem_lines(reading) == [
        (
            "json-error.txt:2: aborted: found 'pid=3597, err=28/file:io_u.c:1876, func=io_u error, "
            "error=No space left on device', expected results"
        )
    ]
    block = ";".join(["0"] * 37)
    reading = reading_of(f"3;fio-3.33;a;0;5;1024;1024;1;1000;{block};0;0;0;0;{block};1.0%;2.0%;0\n")
    assert shown(reading, "error", "bytes") == [[True, MIB]]
    assert problem_lines(reading) == ["a.log:1: aborted: found error 5, expected 0"]


def test_an_interrupted_job_keeps_its_figures(reading_of, problem_lines):
    reading = reading_of(
        HEAD.replace("err= 0", "err= 5 (file:io_u.c:1, func=io_u error, error=Input/output error)")
        + "Run status group 0 (all jobs):\n"
        + OLD.format("1024KB", "1024KB/s", 1000, 1000)
    )
    assert shown(reading, "error", "throughput_bps") == [[True, 8 * MIB]]
    assert problem_lines(reading) == [
        ("a.log:1: aborted: found err=5 (file:io_u.c:1, func=io_u error, error=Input/output error), expected err= 0")
    ]


def test_jobs_without_the_status_of_their_group(reading_of, problem_lines):
    reading = reading_of(
        HEAD + "  read: IOPS=2117, BW=28.1MiB/s (29.5MB/s)(2463MiB/87485msec)\n"
        "    clat (usec): min=179, max=54615, avg=1426.11, stdev=3989.56\n"
        "  write: IOPS=68.4k, BW=908MiB/s (952MB/s)(77.6GiB/87485msec); 0 zone resets\n"
    )
    assert shown(reading, "direction", "throughput_bps", "bytes", "label", "iops") == [
        ["read", 28.1 * 8 * MIB, 2463 * MIB, "job", 2117],
        ["write", 908 * 8 * MIB, round(77.6 * GIB), "job", 68_400],
    ]
    assert problem_lines(reading) == [
        "a.log:4: truncated: found no 'Run status group' after the jobs, expected one; 2 lines of jobs taken"
    ]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            "Run status group 0 (all jobs):\n" + OLD.format("1024MB", "1024KB/s", 1000, 1000),
            [
                (
                    "a.log:2: inconsistent: found a rate of 8.38861e+06 bit/s, expected 8.58993e+09 bit/s from "
                    "1073741824 bytes in 1 s; left out"
                )
            ],
        ),
        (
            "Run status group 0 (all jobs):\n   READ: bw=12.3Mi",
            [
                (
                    "a.log:2: truncated: found 'READ: bw=12.3Mi', expected rate, amount and time of a group; "
                    "no run made of it"
                )
            ],
        ),
        (
            "Run status group 0 (all jobs):\n   READ: bw=?\n",
            ["a.log:2: malformed: found 'READ: bw=?', expected rate, amount and time of a group; no run made of it"],
        ),
        (
            "3;fio-3.33;a;0;0;1;2;3\n",
            ["a.log:1: malformed: found 8 values, expected blocks of 41 after the fifth; no run made of them"],
        ),
        (
            "3;fio-3.33;a;0;0;1;2;3;4;" + ";".join(["0"] * 37) + ";1.0%;0",
            ["a.log:1: truncated: found 48 values, expected blocks of 41 after the fifth; no run made of them"],
        ),
        (
            "3;fio-3.33;a;0;0;x;2;3;4;" + ";".join(["0"] * 37) + ";1.0%;2.0%;0\n",
            ["a.log:1: malformed: found ['x', '2', '3', '4'], expected four whole numbers; left out"],
        ),
    ],
)
def test_contradictions_and_truncated_text(reading_of, problem_lines, text, problems):
    assert problem_lines(reading_of(text)) == problems


def test_the_status_of_a_group_shown_for_several_calls(reading_of):
    status = "Run status group 0 (all jobs):\n" + OLD.format("1024KB", "1024KB/s", 1000, 1000)
    reading = reading_of(HEAD + status + "With another kernel:\n" + status)
    assert shown(reading, "label", "line_first", "line_last") == [["job", 1, 3], [None, 5, 6]]


def test_json_with_wrong_types_has_no_runs(reading_of):
    reading = reading_of('{"fio version": 3, "jobs": []}\n{"fio version": "fio-3", "jobs": 5}\n')
    assert reading.runs.empty


BROKEN = (
    "Run status group 0 (all jobs):\n"
    "{mark}   READ: bw=12.0MiB/s (12.6MB/s), 12.0MiB/s-12.0MiB/s\n"
    "{mark}(12.6MB/s-12.6MB/s), io=120MiB (126MB), run=10000-10000msec\n"
    "{mark}  WRITE: bw=24.0MiB/s (25.2MB/s), 24.0MiB/s-24.0MiB/s (25.2MB/s-\n"
    "{mark}25.2MB/s), io=240\n"
    "{mark}MiB (252MB), run=10000-10000msec\n"
)


@pytest.mark.parametrize("mark", ["", "> ", ">> "])
def test_wrapped_lines_of_a_group_are_joined(reading_of, mark):
    reading = reading_of(BROKEN.format(mark=mark))
    assert shown(reading, "direction", "throughput_bps", "bytes", "line_last") == [
        ["read", 12 * 8 * MIB, 120 * MIB, 3],
        ["write", 24 * 8 * MIB, 240 * MIB, 6],
    ]
    assert reading.problems.empty


def test_an_old_line_wrapped_inside_a_word(reading_of):
    reading = reading_of(
        "Run status group 0 (all jobs):\n  WRITE: io=1024.0MB, aggrb=10240KB/s, minb=10240KB/s, maxb=102\n"
        "40KB/s, mint=102400msec, maxt=102400msec\n"
    )
    assert shown(reading, "throughput_bps", "duration_s") == [[10240 * 8192, 102.4]]


def test_a_wrapped_line_without_its_end_is_a_problem(reading_of, problem_lines):
    head = "Run status group 0 (all jobs):\n  WRITE: bw=24.0MiB/s (25.2MB/s),\n"
    told = (
        "a.log:2: malformed: found 'WRITE: bw=24.0MiB/s (25.2MB/s),', expected rate, amount and time of a group; "
        "no run made of it"
    )
    for rest in ("", "\nDisk stats (read/write):\n", "and so on\n"):
        reading = reading_of(head + rest)
        assert reading.runs.empty
        assert problem_lines(reading) == [told]


SUM = "All clients: (groupid=0, jobs=48): err= 0: pid=0: Tue Aug 18 12:45:25 2026\n"


def test_the_sum_of_all_clients_without_their_rows_is_a_run(reading_of):
    reading = reading_of(
        f"{SUM}   read: IOPS=4969, BW=621Mi (651M)(96.0GiB/158260msec)\n\n"
        f"{SUM}  write: IOPS=1999, BW=250Mi (262M)(96.0GiB/393242msec)\n"
    )
    assert shown(reading, "direction", "throughput_bps", "bytes", "streams", "line_first") == [
        ["read", 621 * 8 * MIB, 96 * GIB, None, 1],
        ["write", 250 * 8 * MIB, 96 * GIB, None, 4],
    ]


def test_the_sum_of_all_clients_is_left_out_beside_theirs(reading_of):
    total = "  WRITE: bw={0}MiB/s (1MB/s), {0}MiB/s-{0}MiB/s (1MB/s-1MB/s), io={0}0MiB (1MB), run=10000-10000msec\n"
    own = "  write: IOPS=1999, BW={0} (1MB/s)({1}0MiB/10000msec)\n"
    reading = reading_of(
        f"<h1> {HEAD}{own.format('100MiB/s', 100)}Run status group 0 (all jobs):\n{total.format(100)}"
        f"<h2> {HEAD}{own.format('50MiB/s', 50)}{SUM}{own.format('150Mi', 150)}    clat (usec): min=1\n"
        f"Run status group 0 (all jobs):\n{total.format(50)}"
    )
    assert shown(reading, "throughput_bps", "streams", "label") == [
        [100 * 8 * MIB, 1, "job"],
        [50 * 8 * MIB, 1, "job"],
    ]


def test_versions_without_a_dash(reading_of):
    old = OLD.format("1000KB", "100KB/s", 10000, 10000)
    reading = reading_of(f"fio 1.59\nStarting 1 process\n{HEAD}Run status group 0 (all jobs):\n{old}")
    assert shown(reading, "tool_version", "throughput_bps") == [["1.59", 100 * 8192]]


def test_terse_line_of_2_0_8(samples, reading_of):
    text = (samples / "fio" / "terse-3.txt").read_text().splitlines()
    line = next(row for row in text if row.startswith("3;fio-"))
    version = line.split(";")[1]
    reading = reading_of(line.replace(version, "2.0.8") + "\n")
    assert set(reading.runs.tool_version) == {"2.0.8"}


def test_a_live_run(reading_of, tmp_path):
    command = ["fio", "--name=live", "--rw=write", "--size=1m", f"--filename={tmp_path / 'file'}", "--eta=never"]
    try:
        done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    except FileNotFoundError:
        pytest.skip("fio is not installed")
    reading = reading_of(done.stdout)
    assert shown(reading, "tool", "direction", "bytes") == [["fio", "write", MIB]]


def test_a_group_without_its_heading_whose_line_a_mail_has_broken(reading_of):
    text = "  WRITE: bw=300MiB/s (315MB/s), 30.0MiB/s-40.0MiB/s\n"
    text += "  (31.5MB/s-41.9MB/s), io=3000MiB (3146MB), run=9000-10000msec\n"
    reading = reading_of(text)
    assert reading.runs[["direction", "throughput_bps", "bytes", "duration_s"]].to_numpy().tolist() == [
        ["write", 300 * 2**23, 3000 * 2**20, 10.0]
    ]
    assert reading.problems.empty
