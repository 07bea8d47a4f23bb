"""wget in several versions and languages."""

import pytest

from hecn_analysis.logs import read


def test_files(samples, column, problem_lines):
    reading = read(samples / "wget" / "copies.txt")
    assert column(reading, "bytes") == [30000000, 345600, 30000000, None]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 14.3 * 2**20, 13.8e6, None, None])
    assert column(reading, "duration_s") == [2.0, 0.2, None, None]
    assert column(reading, "error") == [False, False, False, True]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 12], [15, 25], [31, 31], [37, 39]]
    assert problem_lines(reading) == [
        "copies.txt:39: aborted: found 'ERROR 404: Not Found.', expected a file saved whole"
    ]


def test_another_language_and_an_interrupted_attempt(samples, column, problem_lines):
    reading = read(samples / "wget" / "other-words.txt")
    assert column(reading, "bytes") == [30000000, None]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 3.12 * 2**20, None])
    assert column(reading, "duration_s") == [9.2, None]
    assert column(reading, "error") == [False, True]
    assert problem_lines(reading) == [
        (
            "other-words.txt:11: aborted: found 'Connection closed at byte 1048576. Retrying.', "
            "expected a file saved whole"
        )
    ]


def test_a_successful_second_attempt_is_the_run(reading_of, column):
    reading = reading_of(
        "--2026-01-31 12:00:10--  http://there.example/run\n"
        "2026-01-31 12:00:12 (512 KB/s) - Connection closed at byte 1048576. Retrying.\n\n"
        "--2026-01-31 12:00:13--  (try: 2)  http://there.example/run\n"
        "2026-01-31 12:00:15 (1.0 MB/s) - ‘run’ saved [3145728/3145728]\n"
    )
    assert column(reading, "throughput_bps") == [8 * 2**20]
    assert column(reading, "error") == [False]
    assert reading.problems.empty


def test_truncated_progress(reading_of, column, problem_lines):
    reading = reading_of(
        "--2026-01-31 12:00:13--  http://there.example/run\n"
        " 12% [=====>                                ] 3,448,832    994KB/s  eta 26s\n"
    )
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        ("a.log:2: truncated: found progress and no end, expected '(… B/s) - … saved [… / …]'; run without a rate")
    ]


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        ("58.9 B/s", 8 * 58.9),
        ("58.9 KB/s", 8 * 58.9 * 1024),
        ("1.23 GB/s", 8 * 1.23 * 2**30),
        ("58.9 Kb/s", 58.9e3),
        ("1,90 Gb/s", 1.9e9),
    ],
)
def test_units(reading_of, column, rate, expected):
    reading = reading_of(f"12:00:15 ({rate}) - `run' saved [3145728]\n")
    assert column(reading, "throughput_bps") == pytest.approx([expected])
    assert column(reading, "bytes") == [3145728]


@pytest.mark.parametrize(
    ("bar", "seconds"),
    [
        ("run 100%[=====>] 231,94M  14,1MB/s    за 17s", 17),
        ("100%[=====>] 14,771,061 54.0K/s 用时 7m 16s", 436),
        ("run 100%[=====>]   1004K  1,19MB/s    en 0,8s    ", 0.8),
        ("100%[=====>] 16\u00a0664      --.-K/s   за 0,1s    ", 0.1),
    ],
)
def test_the_bar_gives_the_duration_in_any_language(reading_of, column, bar, seconds):
    reading = reading_of(
        f"--2026-01-31 12:00:10--  http://there.example/run\n{bar}\n12:00:15 (1,0 MB/s) - «run» сохранён [7]\n"
    )
    assert column(reading, "duration_s") == [seconds]


BEGUN = "--2026-01-31 12:00:00--  http://there/run.dat\n"


@pytest.mark.parametrize(
    "words",
    [
        "- ‘run.dat’ gespeichert [30000000/30000000]",
        "— ‘run.dat’ sauvegardé [30000000/30000000]",
        "-- ‘run.dat’ mentve [30000000]",
        "- 已保存 ‘run.dat’ [30000000/30000000])",
        "- stdout [30000000/30000000] içine yazıldı",
        "- a[1].dat kaydedildi [30000000/30000000]",
    ],
)
@pytest.mark.parametrize("blank", [" ", "\u00a0"])
def test_results_in_other_languages(reading_of, column, words, blank):
    reading = reading_of(f"{BEGUN}2026-01-31 12:00:00 (58,9 KB/s){blank}{words}\n")
    assert column(reading, "throughput_bps") == [58.9 * 8192]
    assert column(reading, "bytes") == [30000000]
    assert column(reading, "error") == [False]


@pytest.mark.parametrize("word", ["in", "kului", "ds", "időt", "時間", "/", "in einem"])
def test_durations_in_other_languages(reading_of, column, word):
    bar = f"run.dat             100%[===================>]  28,61M   176MB/s    {word} 0,2s    \n\n"
    reading = reading_of(f"{BEGUN}{bar}2026-01-31 12:00:00 (176 MB/s) - ‘run.dat’ x [30000000/30000000]\n")
    assert column(reading, "duration_s") == [0.2]


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-31 12:00:00 FEHLER 404: Not Found.",
        "2026-01-31 12:00:00 erreur\u00a0404\u00a0: Not Found.",
        "2026-01-31 12:00:00 ERROR: 404 Not Found.",
        "EROARE 2026-01-31 12:00:00 404: Not Found.",
        "2026-01-31 12:00:00 (176 MB/s) - Verbindung bei Byte 15000000 geschlossen. Aufgegeben.",
        "2026-01-31 12:00:00 (176 MB/s) — Fermeture de la connexion à l’octet 15000000. Abandon.",
        "2026-01-31 12:00:00 (176 MB/s) - 在 15000000 字节处连接关闭。放弃操作。",
    ],
)
def test_failures_in_other_languages(reading_of, column, line):
    reading = reading_of(f"{BEGUN}{line}\n")
    assert column(reading, "error") == [True]
    assert column(reading, "throughput_bps") == [None]


def test_an_interrupted_and_a_successful_attempt_are_one_run(reading_of, column):
    reading = reading_of(
        f"{BEGUN}2026-01-31 12:00:00 (1,76 MB/s) - Verbindung bei Byte 15000000 geschlossen. Erneuter Versuch.\n"
        "--2026-01-31 12:00:01--  (Versuch: 2)  http://there/run.dat\n"
        "2026-01-31 12:00:09 (1,9 MB/s) - »run.dat« gespeichert [30000000/30000000]\n"
    )
    assert column(reading, "error") == [False]
    assert column(reading, "bytes") == [30000000]


@pytest.mark.parametrize(
    "text",
    [
        '    "RESULT": ["2012-10-02 11:28:38 (58.9 KB/s) - run.dat"],\n',
        "'2018-09-14 13:06:20 (210 MB/s) - run.dat saved [3648/3648]'\n",
        "2026-01-31 12:00:00 FEHLER 404: Not Found.\n",
    ],
)
def test_lines_in_source_code_and_other_logs_are_not_read(reading_of, text):
    assert reading_of(text).runs.empty


def test_bars_without_words(reading_of, column):
    reading = reading_of(
        "$ wget -q --show-progress http://there/a.iso\n\n"
        "a.iso                 0%[                    ]       0  --.-KB/s               \r"
        "a.iso                45%[========>           ] 471.86M  50.2MB/s    eta 11s    \r"
        "a.iso               100%[===================>]   1.00G  50.1MB/s    in 20s     \n"
        "b.txt               100%[===================>]   1.21K  --.-KB/s    in 0s      \n"
        "c                       [ <=>                ]  20.00M  9.99MB/s    in 0.2s    \n"
        "100%[=====================================================>] 30,000,000  1.43M/s   in 20s    \n"
    )
    assert column(reading, "bytes") == [2**30, 1239, 20 * 2**20, 30000000]
    assert column(reading, "duration_s") == [20.0, None, 0.2, 20.0]
    assert column(reading, "throughput_bps") == [8 * 2**30 / 20, None, None, 12e6]
    assert reading.problems.empty


@pytest.mark.parametrize(
    "text",
    [
        "build 100%[=====>] 12 tests/s in 3s\n",
        "a.iso                45%[========>           ] 471.86M  50.2MB/s    eta 11s    \n",
        "[ OK ] 20M 9.99MB/s in 2s\n",
    ],
)
def test_other_bars_are_not_read(reading_of, text):
    assert reading_of(text).runs.empty


def test_an_excerpt_that_begins_with_the_bar_is_one_run(reading_of, column):
    reading = reading_of(
        "run.dat             100%[===================>]  28.61M   176MB/s    in 0.2s    \n\n"
        "2026-01-31 12:00:00 (176 MB/s) - ‘run.dat’ saved [30000000/30000000]\n"
    )
    assert column(reading, "throughput_bps") == [176 * 8 * 2**20]
    assert column(reading, "bytes") == [30000000]
    assert column(reading, "duration_s") == [0.2]


def test_a_bar_that_mail_has_broken_belongs_to_the_saved_file(reading_of, column):
    reading = reading_of(
        "--2019-07-01 15:54:52-- http://there.example/mbox/\nSaving to: ‘1.patch’\n\n1.patch \n100%[======>] \n"
        "4.94K  --.-KB/s    in 0.001s\n\n2019-07-01 15:54:53 (4.31 MB/s) - ‘1.patch’ saved [5055/5055]\n"
    )
    assert (column(reading, "bytes"), column(reading, "duration_s")) == ([5055], [0.001])
