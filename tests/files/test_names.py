"""Names of files that somebody chose: bytes that are no text, what a terminal obeys, and folders without end."""

import json
import os
import subprocess

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.files.names import as_stored, readable
from hecn_analysis.files.source import find

LOG = (data_dir() / "logs/c-systems-dd.txt").read_bytes()
NAMES = (b"\xff.log", b"two\nlines.log", b"tab\t.log", b"\x1b]0;own\x07.log", "\u202egnp.log".encode())
NAMES += (b"a!b.log", b"-o.log", b"x" * 251 + b".log", b"<img src=x>.log", rb"\xe9.log")


def fill(folder, names=NAMES):
    os.mkdir(folder)  # noqa: PTH102 - bytes
    for name in names:
        with open(os.path.join(folder, name), "wb") as stream:  # noqa: PTH118, PTH123 - bytes
            stream.write(LOG)


def test_a_shown_name_finds_its_file_and_that_name_itself_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(b"f\xfe", [b"caf\xe9.log"])
    shown = readable(os.fsdecode(b"f\xfe/caf\xe9.log"))
    assert shown == r"f\xfe/caf\xe9.log"
    assert os.fsencode(as_stored(shown)) == b"f\xfe/caf\xe9.log"
    assert [name for name, _ in find(r"f\xfe")] == [shown]
    fill(rb"f\xfe", [b"b.log"])
    assert [name for name, _ in find(r"f\xfe")] == [r"f\xfe/b.log"]


@pytest.mark.slow
def test_a_report_is_made_of_files_and_of_a_folder_with_any_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    fill(b"f\xfe")
    assert main(["report", os.fsdecode(b"f\xfe"), "--no-pdf"]) == 0
    assert capsys.readouterr().out == "report-f/your_own_data.html\n"
    page = (tmp_path / "report-f/your_own_data.html").read_text()
    assert r"\xff.log" in page
    assert "<img src=x>" not in page
    assert "\x1b]0;own" not in page
    assert "\u202egnp" not in page
    result = json.loads((tmp_path / "report-f/your_own_data.json").read_text())
    assert result["error"] is None
    verdicts = hecn.diagnose(os.fsdecode(b"f\xfe")).to_list()
    assert [one["condition"] for one in result["numbers"]["verdicts"]] == [one["condition"] for one in verdicts]
    assert result["numbers"]["verdicts"][0].keys() == verdicts[0].keys()
    assert result["parameters"]["folder"].endswith(r"/f\xfe")
    assert json.loads((tmp_path / "report-f/your_own_data.ipynb").read_text())["cells"]
    assert main(["parse", r"f\xfe", "-o", "again.json"]) == 0
    assert len(json.loads((tmp_path / "again.json").read_text())) == 2 * len(NAMES)


@pytest.mark.parametrize("form", ["json", "csv", "text"])
def test_any_name_is_written_into_a_file(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(b"n")
    assert main(["parse", "n", "--format", form, "-o", "out"]) == 0
    assert r"\xff.log" in (tmp_path / "out").read_text().replace(r"\\xff", r"\xff")
    assert main(["parse", "n", "--format", form, "-o", os.fsdecode(b"\xfe.out")]) == 0
    assert os.path.exists(b"\xfe.out")  # noqa: PTH110 - bytes


@pytest.fixture
def deep(tmp_path, monkeypatch):
    """A folder with 1,500 more below each other, which is deeper than a path may be long."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/top.log").write_bytes(LOG)
    (tmp_path / "deep/z.log").write_bytes(LOG)
    here = os.open("deep", os.O_RDONLY)
    for level in range(1500):
        os.mkdir("ddd", dir_fd=here)
        inner = os.open("ddd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        if level == 900:
            with open(os.open("a.log", os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as stream:  # noqa: PTH123
                stream.write(LOG)
    os.close(here)
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)  # pytest would remove it by a recursion


@pytest.mark.usefixtures("deep")
def test_folders_in_folders_are_read_as_deep_as_a_path_can_be():
    *rest, last = found = [name for name, path in find("deep") if not isinstance(path, OSError)]
    assert [name.rpartition("/")[2] for name in found] == ["a.log", "top.log", "z.log"]
    assert rest[0].count("/ddd") == 901
    assert last == "deep/z.log"
    [(name, error)] = [one for one in find("deep") if isinstance(one[1], OSError)]
    assert "name too long" in str(error)
    assert len(name) > 4000


@pytest.mark.slow
def test_a_report_of_folders_in_folders_is_made(deep, capsys):
    assert main(["report", "deep", "--no-pdf"]) == 1  # for the folders that no path reaches
    out, err = capsys.readouterr()
    assert out == "report-deep/your_own_data.html\n"
    assert "unreadable: found file name too long" in err
    assert json.loads((deep.parent / "report-deep/your_own_data.json").read_text())["error"] is None
