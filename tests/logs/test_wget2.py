"""wget2: bars drawn by a moving cursor, words, failures."""

import pytest

from hecn_analysis.logs import read

MIB = 1 << 20


def test_bars(samples, column, problem_lines):
    reading = read(samples / "wget2" / "bars.txt")
    assert column(reading, "tool") == ["wget2"] * 4
    assert column(reading, "throughput_bps") == [205.84 * 8 * MIB, 1008 * MIB, None, None]
    assert column(reading, "bytes") == [round(28.61 * MIB), round(28.6 * MIB), round(28.6 * MIB), None]
    assert column(reading, "direction") == ["receive"] * 4
    assert problem_lines(reading) == [
        "bars.txt:17: truncated: found bars that stop before their end, expected 100 %; run without a rate"
    ]


def test_words(samples, column, problem_lines):
    reading = read(samples / "wget2" / "words.txt")
    assert column(reading, "bytes") == [round(28.61 * MIB), None, None]
    assert column(reading, "throughput_bps") == [None] * 3
    assert column(reading, "error") == [False, True, False]
    assert column(reading, "line_last") == [8, 11, 15]
    assert problem_lines(reading) == ["words.txt:11: aborted: found '404 File not found', expected a file saved whole"]


def test_a_missing_page_requisite_is_not_a_failure(reading_of, column):
    reading = reading_of(
        "[0] Downloading 'http://there/' ...\nHTTP response 200 OK [http://there/]\n"
        "[0] Downloading 'http://there/none' ...\nHTTP ERROR response 404 Not Found [http://there/none]\n"
        "Downloaded: 1 files, 1.50K bytes, 0 redirects, 1 errors\n"
    )
    assert column(reading, "error") == [False]
    assert column(reading, "bytes") == [1536]
    assert reading.problems.kind.tolist() == ["aborted"]


@pytest.mark.parametrize(
    "text",
    [
        "HTTP response 200 means that all went well\n",
        "Downloaded: 3 files, 29M in 0.1s (1.90 Gb/s)\n",
        "build   40% [====>    ] compiling\n",
        "[12] Downloading 'http://there/x'\n",
    ],
)
def test_other_lines_are_not_read(reading_of, text):
    assert reading_of(text).runs.empty
