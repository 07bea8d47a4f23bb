"""Files that cannot be read, or that no reader recognises."""

import os

import pytest

from hecn_analysis.logs import read

SUMMARY = " 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"


def test_an_unreadable_entry_is_a_problem_and_the_rest_is_read(tmp_path, problem_lines):
    (tmp_path / "good.log").write_text(SUMMARY)
    (tmp_path / "self.log").symlink_to("self.log")
    (tmp_path / "gone.log").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to(tmp_path)
    reading = read([tmp_path, tmp_path / "none.log", "/dev/null", "a\0b"])
    assert reading.runs.source_file.tolist() == [str(tmp_path / "good.log")]
    assert problem_lines(reading) == [
        "gone.log:<NA>: unreadable: found no such file or directory, expected a file that can be read",
        "loop:<NA>: unreadable: found a folder that contains itself through a link, expected a file that can be read",
        "self.log:<NA>: unreadable: found too many levels of symbolic links, expected a file that can be read",
        "none.log:<NA>: unreadable: found no such file or directory, expected a file that can be read",
        "null:<NA>: unreadable: found a device, expected a file that can be read",
        "a\0b:<NA>: unreadable: found a null byte in the name, expected a file that can be read",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_problem(tmp_path, problem_lines):
    (tmp_path / "a.log").write_text(SUMMARY)
    (tmp_path / "a.log").chmod(0)
    assert problem_lines(read(tmp_path / "a.log")) == [
        "a.log:<NA>: unreadable: found permission denied, expected a file that can be read"
    ]


def test_an_unknown_file_is_one_problem(reading_of, problem_lines):
    assert problem_lines(reading_of(b"\x7fELF\x00\x01\x02" * 100)) == [
        (
            "a.log:<NA>: unrecognised: found no output of a tool that a reader knows, expected a log as nuttcp, "
            "iperf3, fio, rsync, ping or one of some forty other tools print it"
        )
    ]


def test_an_empty_folder_gives_empty_tables(tmp_path):
    reading = read(tmp_path)
    assert reading.runs.empty
    assert reading.problems.empty
    assert str(reading) == "0 runs, 0 intervals, 0 problems"
