"""gpfsperf: results of several releases, and which Kbyte they mean."""

from hecn_analysis.logs import read

COLUMNS = ["label", "direction", "bytes", "duration_s", "throughput_bps", "streams"]


def shown(reading):
    frame = reading.runs[COLUMNS]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_a_release_with_k_of_1000(samples):
    reading = read(samples / "gpfsperf" / "scale-5.txt")
    assert shown(reading) == [["create seq", "write", 100 << 30, 25.6, 4194304 * 8000, 16]]
    assert (reading.runs.line_first[0], reading.runs.line_last[0]) == (1, 10)
    assert reading.problems.empty


def test_a_release_with_k_of_1024_and_an_ambiguous_one(samples, problem_lines):
    reading = read(samples / "gpfsperf" / "gpfs-3.txt")
    assert shown(reading) == [
        ["read rand", "random_read", None, None, 2048000 * 8192, 8],
        ["write strided", "stride_write", None, None, 100000 * 8192, 5],
    ]
    assert problem_lines(reading) == [
        ("gpfs-3.txt:17: ambiguous: found a rate in Kbytes/sec and nothing that tells 1000 from 1024 bytes; 1024 taken")
    ]


def test_bytes_identify_the_release_without_its_heading(reading_of, problem_lines):
    reading = reading_of(
        "    Data rate was 4194304.00 Kbytes/sec, Op Rate was 500.00 Ops/sec, Avg Latency was 32.000 milliseconds, "
        "thread utilization 0.978, bytesTransferred 107374182400\n"
    )
    assert reading.runs.throughput_bps.tolist() == [4194304 * 8000]
    assert problem_lines(reading) == [
        "a.log:1: ambiguous: found a rate in Kbytes/sec and nothing that tells 1000 from 1024 bytes; 1000 taken"
    ]


def test_a_test_without_result(reading_of, problem_lines):
    head = "gpfsperf write seq /gpfs/file\n  recSize 1M nBytes 1G fileSize 1G\n  nProcesses 1 nThreadsPerProcess 1\n"
    assert problem_lines(reading_of(head + head)) == [
        "a.log:1: truncated: found the sizes of a test and no result, expected 'Data rate was … Kbytes/sec'",
        "a.log:4: truncated: found the sizes of a test and no result, expected 'Data rate was … Kbytes/sec'",
    ]
