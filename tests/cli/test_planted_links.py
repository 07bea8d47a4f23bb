"""No command writes through a link that somebody left under the name of its output."""

from pathlib import Path

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.cli.report import BRIEF
from hecn_analysis.live import capture

LOGS = str(data_dir() / "logs")
COUNTERS = str(data_dir() / "counters")
SCENARIO = ["--sender", "ideal", "--receiver", "ideal", "--tool", "nuttcp", "--set", "path.rate=1Gb/s", "path.rtt=1ms"]

#: A command with an output, without the name of that output.
FILES = {
    "parse": ["parse", LOGS, "--processes", "1", "-o"],
    "parse as CSV": ["parse", LOGS, "--processes", "1", "--format", "csv", "-o"],
    "counters": ["counters", COUNTERS, "-o"],
    "inventory": ["inventory", str(data_dir() / "inventory"), "-o"],
    "limits": ["limits", "tcp", "--rtt", "80ms", "-o"],
    "predict": ["predict", *SCENARIO, "-o"],
    "compare": ["compare", LOGS, LOGS, "-o"],
    "compare figure": ["compare", LOGS, LOGS, "--figure"],
    "whatif figure": ["whatif", *SCENARIO, "--vary", "path.rtt=1ms..2ms/2", "--figure"],
}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A file of the user's, in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("precious")
    return Path("mine")


@pytest.mark.parametrize("command", FILES)
def test_a_file_of_o_is_not_written_through_a_link(mine, command, capsys):
    Path("planted").symlink_to(mine)
    assert main([*FILES[command], "planted"]) == 1
    assert "hecn: planted: found a symbolic link, expected a regular file or nothing" in capsys.readouterr().err
    assert mine.read_text() == "precious"
    assert sorted(path.name for path in Path().iterdir()) == ["mine", "planted"]


@pytest.mark.parametrize("ending", [".html", ".ipynb"])
def test_a_report_is_not_written_through_a_link(mine, ending, capsys):
    Path("sent").mkdir()
    Path("sent/a.log").write_bytes(Path(LOGS, "c-systems-dd.txt").read_bytes())
    Path("report-sent").mkdir()
    Path(f"report-sent/{BRIEF}{ending}").symlink_to("../mine")
    assert main(["report", "sent", "--no-pdf"]) == 1
    assert f"report-sent/{BRIEF}{ending}: found a symbolic link" in capsys.readouterr().err
    assert mine.read_text() == "precious"


@pytest.mark.parametrize(
    "words", [["report", LOGS, "--no-pdf"], ["brief", "hotlava_tmt", "--no-pdf"]], ids=["report", "brief"]
)
def test_a_default_folder_is_no_link(mine, words, capsys):
    name = {"report": "report-logs", "brief": "briefs"}[words[0]]
    Path("elsewhere").mkdir()
    Path(name).symlink_to("elsewhere")
    assert main(words) == 1
    assert capsys.readouterr().err == (
        f"hecn: {name}: found a symbolic link, expected a folder or nothing; name a folder with -o\n"
    )
    assert not list(Path("elsewhere").iterdir())
    assert mine.read_text() == "precious"


def test_an_index_of_briefs_is_not_written_through_a_link(mine, capsys):
    Path("briefs").mkdir()
    Path("briefs/index.html").symlink_to("../mine")
    assert main(["brief", "hotlava_tmt", "--no-pdf"]) == 1
    assert "hecn: briefs/index.html: found a symbolic link" in capsys.readouterr().err
    assert mine.read_text() == "precious"


def test_a_capture_is_not_packed_through_a_link(mine, monkeypatch, capsys):
    monkeypatch.setitem(capture.capture.__kwdefaults__, "commands", ())
    Path("host.tar.gz").symlink_to("not-there-yet")
    assert main(["capture", "-o", "host.tar.gz"]) == 1
    assert "hecn: host.tar.gz: found a symbolic link" in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["host.tar.gz", "mine"]
    assert mine.read_text() == "precious"
