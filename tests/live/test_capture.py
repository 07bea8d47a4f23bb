"""A capture: what ran and how it ended is said, nothing is changed on the host, and the script does the same."""

import csv
import errno
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.live import capture, probes, runs, script
from hecn_analysis.live.inventory_commands import COMMANDS, Command

SOME = (
    Command("uname.txt", ("uname", "-a")),
    Command("one.json", ("printf", '{"serial": "ZA1B2C3D"}')),
    Command("none.txt", ("true",)),
    Command("fails.txt", ("sh", "-c", "echo half; echo 'no: such $(thing)' >&2; exit 3")),
    Command("slow.txt", ("sh", "-c", "echo begun; sleep 60"), limit_s=0.5),
    Command("absent.txt", ("no-such-program", "-x"), root="more"),
    Command("other.txt", ("no-such-program", "other"), programs=("echo",)),
    Command("key.txt", ("printf", "vm.a = 1\nnet.ipv4.tcp_fastopen_key = 5\n"), without="fastopen_key"),
    Command("raw.txt", ("echo", "raw"), private=True),
)


@pytest.fixture
def tree(tmp_path):
    """A /sys with two interfaces that are devices, one that is not, and one with the name of an option."""
    for name in ("eth0", "bond0", "veth1", "-i"):
        (tmp_path / "sys/class/net" / name).mkdir(parents=True)
    for name in ("eth0", "-i"):
        (tmp_path / "sys/class/net" / name / "device").mkdir()
    (tmp_path / "sys/class/net/bond0/bonding").mkdir()
    for name in ("sda/device", "sr0/device", "loop0", "md0/md"):
        (tmp_path / "sys/block" / name).mkdir(parents=True)
    return tmp_path / "sys"


def index(folder):
    with (folder / "index.csv").open(encoding="utf-8") as stream:
        return {row["command"]: row for row in csv.DictReader(stream)}


def test_index_says_how_each_command_ended(tmp_path):
    found = capture.capture(tmp_path / "c", commands=SOME)
    by_file = {row.command: row for row in found.rows}
    assert [row.ended for row in found.rows] == [
        *("ok", "ok", "nothing printed", "status 3", "time limit of 0.5 s", "not here", "ok", "ok", "ok"),
    ]
    assert by_file["sh -c 'echo begun; sleep 60'"].duration_s < 5
    assert by_file["no-such-program -x"].file == ""
    assert found.rows[3].note == "no: such $(thing)"
    written = index(tmp_path / "c")
    assert written["uname -a"]["file"] == "uname.txt"
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == sorted(
        ["index.csv", *(row.file for row in found.rows if row.file)]
    )


def test_no_cell_of_an_index_is_a_formula(tmp_path):
    command = Command("f.txt", ("sh", "-c", "echo '=1+1\"x' >&2; echo out; exit 3"))
    found = capture.capture(tmp_path / "c", commands=[command])
    assert found.rows[0].note == '=1+1"x'
    (tmp_path / "s.sh").write_text(script.script([command]))
    subprocess.run(["sh", tmp_path / "s.sh", tmp_path / "s"], check=True, capture_output=True)
    notes = [row["note"] for folder in ("c", "s") for row in index(tmp_path / folder).values()]
    assert notes == ["'=1+1\"x"] * 2


@pytest.mark.parametrize("name", ["c", "c.tar.gz"])
def test_a_full_disk_leaves_no_part_of_a_capture(tmp_path, monkeypatch, name):
    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    original = capture.whole.write
    monkeypatch.setattr(
        capture.whole, "write", lambda place, content: (full if place.name == "slow.txt" else original)(place, content)
    )
    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(OSError, match="No space left"):
        capture.capture(tmp_path / name, commands=SOME)
    assert list(tmp_path.iterdir()) == []


def test_files_hold_what_was_printed_text_with_its_command_line(tmp_path):
    capture.capture(tmp_path / "c", commands=SOME)
    assert json.loads((tmp_path / "c/one.json").read_text()) == {"serial": "ZA1B2C3D"}
    assert (tmp_path / "c/uname.txt").read_text().startswith("$ uname -a\nLinux ")
    assert (tmp_path / "c/slow.txt").read_text().endswith("\nbegun\n")
    assert (tmp_path / "c/other.txt").read_text() == "$ echo other\nother\n"
    assert (tmp_path / "c/key.txt").read_text().endswith("\nvm.a = 1\n")


def test_redacted_capture_keeps_no_name_and_nothing_raw(tmp_path):
    host = os.uname().nodename
    found = capture.capture(tmp_path / "c", commands=SOME, redact=True)
    assert "ZA1B2C3D" not in (tmp_path / "c/one.json").read_text()
    assert "raw.txt" not in [row.file for row in found.rows]
    assert f" {host} " not in (tmp_path / "c/uname.txt").read_text()


def test_archive_holds_the_folder(tmp_path):
    capture.capture(tmp_path / "host.tar.gz", commands=SOME[:2])
    with tarfile.open(tmp_path / "host.tar.gz") as archive:
        assert archive.getnames() == ["host/index.csv", "host/uname.txt", "host/one.json"]


@pytest.mark.parametrize("name", ["full", "file.txt", "there.tar.gz", "no/where"])
def test_nothing_that_is_there_is_written_over(tmp_path, name):
    (tmp_path / "full").mkdir()
    for path in ("full/a", "file.txt", "there.tar.gz"):
        (tmp_path / path).write_text("mine")
    with pytest.raises(InputError, match="expected"):
        capture.capture(tmp_path / name, commands=SOME)
    assert (tmp_path / "full/a").read_text() == "mine"
    assert (tmp_path / "there.tar.gz").read_text() == "mine"


def test_devices_are_those_with_hardware_behind_them(tree):
    assert capture.interfaces(tree) == ["-i", "bond0", "eth0"]
    assert capture.disks(tree) == ["sda"]
    assert capture.arrays(tree) == ["md0"]
    files = [task.file for task in capture.tasks(sys=tree)]
    assert "ethtool-i-eth0.txt" in files
    assert "mdadm-md0.txt" in files
    assert not any("-i" in task.argv[1:] and task.argv[-1] == "-i" for task in capture.tasks(sys=tree))


def test_all_commands_only_read():
    """Words that change something do not occur; every program is one that was looked at for this."""
    programs = {name for command in COMMANDS for name in (command.argv[0], *command.programs)}
    readers = {
        *("cat", "find", "uname", "lscpu", "numactl", "lstopo-no-graphics", "lstopo", "hwloc-ls", "lshw", "dmidecode"),
        *("lspci", "lsblk", "lsscsi", "nvme", "mdadm", "smartctl", "storcli64", "storcli", "perccli64", "perccli"),
        *("MegaCli64", "MegaCli", "megacli", "ssacli", "hpssacli", "hpacucli", "arcconf", "tw_cli", "cli64", "cli32"),
        *("sas2ircu", "sas3ircu", "ip", "ethtool", "ibstat", "tc", "sysctl"),
    }
    assert programs <= readers
    words = {word for command in COMMANDS for word in command.argv[1:]}
    assert not words & {"set", "add", "del", "-w", "-p", "-G", "-K", "-s=", "--set", "format", "-delete", "-X", "-t"}
    assert len({command.file for command in COMMANDS}) == len(COMMANDS)


def test_script_is_sh_and_names_every_command():
    text = script.script()
    for shell in ("sh", "dash", "bash"):
        if shutil.which(shell):
            subprocess.run([shell, "-n"], input=text, text=True, check=True)
    assert all(command.argv[0] in text for command in COMMANDS)


@pytest.mark.parametrize("shell", ["sh", "busybox"])
def test_script_makes_the_folder_that_the_command_makes(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    commands = [command for command in SOME if command.file != "slow.txt"]
    (tmp_path / "capture.sh").write_text(script.script(commands))
    line = [shell, *(["sh"] if shell == "busybox" else []), tmp_path / "capture.sh", tmp_path / "c"]
    subprocess.run(line, check=True, capture_output=True)
    ours = capture.capture(tmp_path / "ours", commands=commands)
    with (tmp_path / "c/index.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["file"], row["ended"], row["note"]) for row in rows] == [
        (row.file, row.ended, row.note) for row in ours.rows
    ]
    for name in ("uname.txt", "one.json", "key.txt", "other.txt"):
        theirs, mine = ((tmp_path / folder / name).read_text().splitlines()[-1] for folder in ("c", "ours"))
        assert theirs == mine, name


def test_script_packs_onto_stdout_and_leaves_nothing_behind(tmp_path):
    text = script.script(SOME[:2])
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-s", "--", "-"], input=text.encode(), capture_output=True, check=True, env=environment
    )
    (tmp_path / "x.tar").write_bytes(done.stdout)
    with tarfile.open(tmp_path / "x.tar") as archive:
        assert sorted(archive.getnames()) == ["capture", "capture/index.csv", "capture/one.json", "capture/uname.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar"]


def test_script_does_not_write_over_a_folder(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c/a").write_text("mine")
    done = subprocess.run(
        ["sh", "-s", tmp_path / "c"], input=script.script(SOME[:1]), text=True, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.endswith("found an existing file or folder, expected a new or an empty folder\n")


def test_command_captures_this_host_and_what_was_captured_is_redacted_later(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["capture", "-o", "mine", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = json.loads(out)
    assert {row["file"] for row in rows} - {None} == {path.name for path in Path("mine").iterdir()} - {"index.csv"}
    assert {"cpuinfo.txt", "meminfo.txt", "uname.txt"} <= {row["file"] for row in rows}
    assert main(["capture", "--from", "mine", "-o", "theirs", "--redact"]) == 0
    assert "files in theirs; its index.csv lists how each command ended\n" in capsys.readouterr().out
    assert not (tmp_path / "theirs/lspci-xxxx.txt").exists()
    assert (tmp_path / "theirs/cpuinfo.txt").read_bytes() == (tmp_path / "mine/cpuinfo.txt").read_bytes()
    assert main(["capture", "--from", "nowhere", "-o", "x"]) == 1
    assert capsys.readouterr().err.endswith("hecn: nowhere: found no such folder, expected the folder of a capture\n")


@pytest.mark.parametrize("redact", [False, True])
def test_probes_are_part_of_the_capture_and_leave_nothing(request, tmp_path, monkeypatch, redact):
    request.getfixturevalue("nuttcp")
    monkeypatch.setattr(capture, "PROBED", ("nuttcp",))
    monkeypatch.setattr(probes, "REPEATS", 1)
    monkeypatch.setattr(probes, "DISK_REPEATS", {"direct": 1, "buffered": 1})
    monkeypatch.setattr(probes, "AMOUNT", 4 << 20)
    commands = [command for command in COMMANDS if command.file in {"cpuinfo.txt", "meminfo.txt"}]
    found = capture.capture(tmp_path / "c", probe=True, redact=redact, commands=commands)
    assert [row.ended for row in found.rows] == ["ok"] * 7
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    [host] = hecn.read_inventory(tmp_path / "c").hosts
    assert {facts["kind"] for facts in host.machine.probes} == {
        "loopback",
        *(f"{how}-{way}" for how in ("disk", "buffered") for way in ("write", "read")),
    }
    assert host.host.cpu.receive_cost.source == "1 short run of nuttcp over the loopback interface"
    assert host.host.file_arrays == ["probed"]


def test_probe_that_does_not_start_is_said_and_the_capture_is_whole(request, tmp_path, monkeypatch):
    request.getfixturevalue("nuttcp")
    monkeypatch.setattr(capture, "PROBED", ("nuttcp",))
    monkeypatch.setattr(probes, "REPEATS", 1)
    monkeypatch.setattr(probes, "DISK_REPEATS", {"direct": 1, "buffered": 1})
    monkeypatch.setattr(probes, "AMOUNT", 4 << 20)
    monkeypatch.setattr(runs, "_ready", lambda *_: False)
    found = capture.capture(tmp_path / "c", probe=True, commands=())
    assert [(row.ended, bool(row.file)) for row in found.rows] == [("failed", False), *[("ok", True)] * 4]
    assert "did not start" in found.rows[0].note


def test_command_says_what_root_would_add(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    commands = (Command("a.txt", ("echo", "a"), root="optics"), Command("b.txt", ("no-such-program",), root="arrays"))
    monkeypatch.setattr(capture.capture, "__kwdefaults__", {**capture.capture.__kwdefaults__, "commands": commands})
    assert main(["capture", "-o", str(tmp_path / "c")]) == 0
    out = capsys.readouterr().out
    assert out.endswith("programs not installed: no-such-program\nroot would add: optics\n")


def test_command_prints_the_script(capsys):
    assert main(["capture", "--script"]) == 0
    assert capsys.readouterr().out == script.script()


@pytest.mark.parametrize(
    "text", ["file,command\na,b\n", "file,command,ended,duration_s,note\na,b,ok,soon,\n", "a\n\n,,"]
)
def test_index_of_somebody_else_that_breaks_off_is_said(tmp_path, text):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/index.csv").write_text(text)
    with pytest.raises(InputError, match=r"index\.csv:\d+: found a truncated index, expected a row of file, command"):
        capture.redact_folder(tmp_path / "theirs", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_links_in_somebody_elses_capture_are_not_followed(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "theirs/uname.txt").symlink_to(tmp_path / "secret")
    capture.redact_folder(tmp_path / "theirs", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["index.csv"]
