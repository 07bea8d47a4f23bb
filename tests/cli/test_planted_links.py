"""No command writes through a link that somebody left under the name of its output."""

import os
import socket
from importlib import import_module
from pathlib import Path

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import build_parser, main
from hecn_analysis.cli.parser import OutputFile, OutputFolder
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


# before the work -----------------------------------------------------------------------------------------------------

#: What names an output; capture, measure, brief and report look at theirs before they begin.
OUTPUTS = {"output", "figure", "rates"}
LOOK_THEMSELVES = {"capture", "measure", "brief", "report"}


def every_parser(parser):
    yield parser
    for below in parser.subcommands.values():
        yield from every_parser(below)


def test_every_output_is_checked_before_the_work():
    for parser in every_parser(build_parser()):
        if parser.prog.split()[-1] in LOOK_THEMSELVES:
            continue
        for action in parser.arguments:
            if action.dest in OUTPUTS:
                assert issubclass(action.type, OutputFile | OutputFolder), (parser.prog, action.dest)


def of_another_user(place):
    place.write_text("theirs")
    os.chown(place, 12345, 12345)


def bind(place):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(place))


REFUSED = {
    "found a symbolic link, expected a regular file or nothing": lambda place: place.symlink_to("mine"),
    "found a file that belongs to another user (number 12345)": of_another_user,
    "Is a directory": Path.mkdir,
    "found a socket, expected a regular file or nothing": bind,
}


@pytest.mark.parametrize("message", REFUSED)
@pytest.mark.parametrize("command", FILES)
def test_a_refused_file_is_refused_before_the_work(mine, command, message, capsys, monkeypatch):
    if "another user" in message and os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    REFUSED[message](Path("refused"))
    before = sorted(Path().iterdir())
    module = import_module(f"hecn_analysis.cli.{FILES[command][0]}")
    monkeypatch.setattr(module, "run", lambda _: pytest.fail("the work was done"))
    assert main([*FILES[command], "refused"]) == 1
    assert f"hecn: refused: {message}" in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before
    assert mine.read_text() == "precious"


@pytest.mark.parametrize(
    "words",
    [["snmp", "poll", "127.0.0.1:9", "--archive"], ["archive", "add"], ["traffic", COUNTERS, "--rates"]],
    ids=" ".join,
)
def test_a_folder_behind_a_link_of_another_user_is_refused_before_the_work(mine, words, capsys):
    if os.geteuid() != 0:
        pytest.skip("only root can give a link to another user")
    Path("elsewhere").mkdir()
    Path("theirs").symlink_to("elsewhere")
    os.lchown("theirs", 12345, 12345)
    assert main([*words, "theirs/below", *([LOGS] if words[0] == "archive" else [])]) == 1
    said = capsys.readouterr().err
    assert said.startswith("hecn: theirs/below: found a symbolic link on the way that belongs to another user")
    assert said.count("\n") == 1
    assert not list(Path("elsewhere").iterdir())
    assert mine.read_text() == "precious"


def test_a_capture_looks_at_its_target_first(mine, capsys, monkeypatch):
    Path("planted.tar.gz").symlink_to("nowhere")
    monkeypatch.setattr(capture, "tasks", lambda *_, **__: pytest.fail("the work was done"))
    assert main(["capture", "-o", "planted.tar.gz"]) == 1
    assert "hecn: planted.tar.gz: found a symbolic link, expected a regular file" in capsys.readouterr().err
    assert mine.read_text() == "precious"


@pytest.mark.parametrize("words", [["capture"], ["measure", "--tool", "nuttcp"]], ids=" ".join)
def test_a_folder_of_another_user_is_refused_before_the_work(words, tmp_path, capsys, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    (tmp_path / "shared" / "theirs").mkdir(parents=True)
    (tmp_path / "shared").chmod(0o1777)
    os.chown(tmp_path / "shared" / "theirs", 12345, 12345)
    monkeypatch.setattr(capture, "tasks", lambda *_, **__: pytest.fail("the work was done"))
    monkeypatch.setattr("hecn_analysis.live.measure.draft_of", lambda *_: pytest.fail("the work was done"))
    assert main([*words, "-o", str(tmp_path / "shared" / "theirs" / "new")]) == 1
    assert "found a folder on the way that belongs to another user" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".html", ".ipynb"])
def test_a_brief_is_refused_before_its_notebook_runs(mine, ending, capsys, monkeypatch):
    Path("briefs").mkdir()
    Path(f"briefs/hotlava_tmt{ending}").symlink_to("../mine")
    monkeypatch.setattr("hecn_analysis.briefs._run.execute", lambda *_, **__: pytest.fail("the notebook ran"))
    assert main(["brief", "hotlava_tmt", "--no-pdf"]) == 1
    assert f"briefs/hotlava_tmt{ending}: found a symbolic link" in capsys.readouterr().err
    assert mine.read_text() == "precious"
