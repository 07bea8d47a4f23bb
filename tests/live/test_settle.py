"""``hecn measure --settle``: what a diagnosis asks for is run where that can be done, kept, and judged."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import hecn_analysis as hecn
from hecn_analysis.cli import main
from hecn_analysis.diagnosis import settle
from hecn_analysis.diagnosis.questions import entries
from hecn_analysis.diagnosis.settle import Where
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.live.places import Place
from tests.diagnosis import everyday as e
from tests.live.conftest import words_of_processes

# 335 Mb/s is half of a buffer of 4 MiB each 50 ms: 2 MiB * 8 / 50 ms
RATE = 335e6
SYSCTL = "net.ipv4.tcp_rmem = 4096 131072 4194304\nnet.ipv4.tcp_wmem = 4096 16384 4194304\n"
KEYS = "net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.core.rmem_max net.core.wmem_max"


def runs(place, local="10.20.0.11", remote="10.30.0.12"):
    """Write a folder of runs at a flat 335 Mb/s that says nothing of the hosts."""
    place.mkdir()
    for number in range(3):
        rates = [0.7 * RATE] + [RATE * (1 + 0.001 * number)] * 29
        text = e.iperf3(rates, command=f"iperf3 -c {remote} -t 30", local=local, remote=remote)
        (place / f"run{number}.txt").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def folder(tmp_path):
    return runs(tmp_path / "runs")


@pytest.fixture
def hosts(stand_in, monkeypatch, tmp_path):
    """Programs of both ends, as far as their output is short to say; there are no others."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("hecn_analysis.live.programs.FOLDERS", ())
    pings = e.ping("10.30.0.12", 0.05)
    stand_in("cat", 'exec /bin/cat "$@"')
    stand_in("sysctl", f"printf '{SYSCTL}'")
    stand_in("ping", f"/bin/cat <<'E'\n{pings}\nE")
    stand_in("ip", """echo '[{"dev": "eth7"}]'""")
    stand_in("ethtool", "echo Operation not permitted >&2; exit 1")


@pytest.mark.usefixtures("hosts")
def test_what_is_open_is_run_kept_and_judged(folder, tmp_path, capsys):
    words = ["measure", "--settle", str(folder), "--address", "10.30.0.12", "-o", str(tmp_path / "new")]
    assert main([*words, "--format", "json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["before"] == hecn.diagnose(folder)[0].to_dict()
    assert found["after"]["causes"][0]["class"] == "window-host"
    before = {one["class"]: one["probability"] for one in found["before"]["causes"]}
    assert found["after"]["causes"][0]["probability"] > before["window-host"] + 0.2
    ran = {row["file"]: row for row in found["ran"] if row["file"]}
    assert ran["sysctl-sender.txt"]["status"] == "ok"
    kept = (tmp_path / "new/sysctl-sender.txt").read_text(encoding="utf-8")
    assert kept == f"$ {ran['sysctl-sender.txt']['command']}\n{SYSCTL}"
    assert "hecn: runs sysctl net.ipv4.tcp_rmem" in told.err
    assert {*ran, "index.csv"} == {path.name for path in (tmp_path / "new").iterdir()}
    by_hand = {one["command"]: one["why"] for one in found["by_hand"]}
    assert by_hand[
        "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.core.rmem_max net.core.wmem_max on the receiver"
    ] == ("the receiver is not named: --to PLACE")
    assert any("found no tc" in why for why in by_hand.values())
    assert by_hand["ethtool eth7"] == "status 1: Operation not permitted"


@pytest.mark.usefixtures("hosts")
def test_text_says_both_verdicts_and_what_is_left(folder, tmp_path, capsys):
    words = ["measure", "--settle", str(folder), "--address", "10.30.0.12", "-o", str(tmp_path / "new")]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("before  ")
    assert lines[1].startswith("after   a buffer limit of the kernel holds it back (window-host, ")
    assert lines[-1].startswith(f"The outputs are in {tmp_path / 'new'}; ")


@pytest.mark.usefixtures("hosts")
def test_outputs_within_the_folder_count_once(folder):
    found = settle.settle(folder, folder / "new", Where(Place(), address="10.30.0.12"), lambda _: None)
    assert found.after.to_dict() == hecn.diagnose(folder)[0].to_dict()


def test_no_word_of_the_folder_is_run(folder, tmp_path, stand_in):
    """The folder names a host as an option and a command; neither gets into a command line."""
    (folder / "evil.txt").write_text(e.iperf3([RATE] * 9, command="iperf3 -c -oProxyCommand=x", remote="$(touch x)"))
    stand_in("ping", f'echo "$@" > {tmp_path}/given')
    found = settle.plan(settle.diagnosed(folder), Where(Place(), load=True))
    words = {word for task in found.tasks for word in task.argv}
    known = {word for entry in entries().values() for step in entry.run for word in step.argv}
    assert words <= known
    assert "{destination}" not in words
    assert not (tmp_path / "given").exists()


def test_all_commands_only_read():
    """Every program is one that was looked at for this; no word changes a setting."""
    steps = [step for entry in entries().values() for step in entry.run]
    assert {step.argv[0] for step in steps} == {
        *("ethtool", "ss", "ping", "sysctl", "mpstat", "top", "iostat", "tc", "sar"),
    }
    changing = {"set", "add", "del", "replace", "change", "-w", "-p", "-s=", "-K", "-G", "-A", "-f", "--kill"}
    assert not changing & {word for step in steps for word in step.argv[1:]}
    assert not any("=" in word for step in steps for word in step.argv)
    files = [step.file for entry in entries().values() for step in entry.run if not entry.load]
    assert len(files) == len(set(files))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "tool.streams=4"], "hecn: found --set with --settle, expected the folder alone"),
        (["far.yaml"], "hecn: found scenario 'far.yaml' with --settle, expected the folder alone"),
        (["--to", "there"], "hecn: found place 'there', expected local, netns:NAME, ssh:HOST or"),
        (["--address=-x"], "hecn: found address '-x', expected an address or a name"),
        (["-o", "no/where"], "hecn: no/where: found no directory 'no', expected"),
        (["--from", "netns:no-such-namespace"], "hecn: found netns:no-such-namespace: "),
    ],
)
def test_wrong_usage_is_said_in_a_line(folder, capsys, words, message):
    assert main(["measure", *words, "--settle", str(folder)]) == 1
    assert message in capsys.readouterr().err


def test_load_without_a_folder_is_refused(capsys):
    assert main(["measure", "--load"]) == 1
    assert "found --load without --settle" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "tool"),
    [
        ({"ping.txt": e.ping("10.30.0.12", 0.05, 100, lost=10)}, "iperf3"),
        ({"ethtool.txt": e.ethtool(10000), "sysctl.txt": e.sysctl(6291456, 4194304)}, "iperf3"),
        ({"nuttcp.txt": "$ nuttcp -T10 dtn7\nnuttcp-t: v8.2.2: Error: connect: Connection refused\n"}, "nuttcp"),
    ],
)
def test_folder_without_a_rate_is_settled_by_a_plain_test(tmp_path, files, tool):
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    verdict = settle.diagnosed(tmp_path)
    where = Where(Place(), Place.parse("ssh:me@dtn7"), load=True)
    found = settle.plan(verdict, where, look=False)
    assert found.transfer is not None
    assert found.transfer.line.startswith(f"{tool} ")
    assert "dtn7" in found.transfer.line
    assert any(line.startswith("ethtool") or "sysctl" in line for line in found.lines)
    assert settle.plan(verdict, Where(Place()), look=False).transfer is None


def test_tests_of_disks_are_left_to_people(tmp_path):
    (tmp_path / "read.txt").write_text(e.dd("/data/t", "/dev/null", 8 << 30, 140e6, "iflag=direct"), encoding="utf-8")
    where = Where(Place(), Place.parse("ssh:me@dtn7"), load=True)
    found = settle.plan(settle.diagnosed(tmp_path), where, look=False)
    assert found.transfer is None
    assert any("iostat" in one.command for one in found.by_hand)


def test_no_folder_is_told(tmp_path, capsys):
    assert main(["measure", "--settle", str(tmp_path / "absent")]) == 1
    assert "absent: No such file or directory" in capsys.readouterr().err


def test_nothing_to_run_makes_no_folder(folder, tmp_path, capsys):
    words = ["measure", "--settle", str(folder), "--from", "local", "-o", str(tmp_path / "new"), "--format", "json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hecn_analysis.live.programs.which", lambda name: name if name == "cat" else None)
        assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ran"] == []
    assert found["after"] == found["before"]
    assert len(found["by_hand"]) > 3
    assert not (tmp_path / "new").exists()


def test_dry_run_prints_commands_and_runs_none(folder, tmp_path, capsys, stand_in):
    stand_in("sysctl", f"touch {tmp_path}/ran")
    words = ["measure", "--settle", str(folder), "--to", "ssh:me@dtn7", "--load", "--dry-run"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"sysctl {KEYS}" in lines
    ssh = "ssh -T -o BatchMode=yes -o ConnectTimeout=10 -o LogLevel=ERROR -- me@dtn7"
    assert f"{ssh} 'sysctl {KEYS}'" in lines
    assert "ss -tin dst dtn7   # meanwhile" in lines
    assert "iperf3 -c dtn7 -p 5201 -J -t 15" in lines
    assert not (tmp_path / "ran").exists()
    assert not list(tmp_path.glob("runs-settle*"))


def test_stopped_half_way_keeps_what_there_is(folder, tmp_path, stand_in):
    once = f"mkdir {tmp_path}/first 2> {tmp_path}/null && exec echo printed; exec sleep 60.{os.getpid()}"
    for name in ("sysctl", "ping", "tc", "ethtool"):  # the first prints, the second hangs
        stand_in(name, f'[ "$1" = -j ] && exec echo "[]"; {once}')
    words = ["measure", "--settle", str(folder), "--address", "127.0.0.1", "-o", "new"]
    us = subprocess.Popen(
        [sys.executable, "-m", "hecn_analysis", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 120
    while not (tmp_path / "new/index.csv").exists() and time.monotonic() < until:
        time.sleep(0.1)
    us.send_signal(signal.SIGTERM)
    _, err = us.communicate(timeout=60)
    assert us.returncode == 130, err
    assert "hecn: stopped: the outputs so far are in new" in err.splitlines()
    (kept,) = (path for path in (tmp_path / "new").iterdir() if path.name != "index.csv")
    assert kept.read_text(encoding="utf-8").endswith("\nprinted\n")
    assert not [line for line in words_of_processes() if f"sleep 60.{os.getpid()}" in line]


@pytest.mark.parametrize(("rate", "is_repeat"), [(RATE, True), (3 * RATE, False)])
def test_the_repeated_transfer_is_judged_if_it_is_as_slow(tmp_path, rate, is_repeat):
    before = settle.diagnosed(runs(tmp_path / "runs"))
    (tmp_path / "new").mkdir()
    text = e.iperf3([rate] * 15, command="iperf3 -c 10.30.0.12 -t 15", local="10.20.0.11", remote="10.30.0.12")
    (tmp_path / "new/iperf3-client.json").write_text(text, encoding="utf-8")
    repeat = settle.diagnosed(tmp_path / "new")
    assert settle._kinship(repeat, before, "new/iperf3-client.json") == (is_repeat, 0)
    assert settle._kinship(before, before, "new/iperf3-client.json") == (False, 3)


def test_runs_within_one_host_need_one_place(tmp_path):
    folder = runs(tmp_path / "runs", "127.0.0.1", "127.0.0.1")
    plan = settle.plan(settle.diagnosed(folder), Where(Place(), load=True), look=False)
    assert plan.transfer is not None
    assert plan.transfer.line.startswith("iperf3 -c 127.0.0.1 ")


@pytest.mark.usefixtures("iperf3")
def test_a_transfer_runs_with_commands_beside_it(tmp_path, namespaces, stand_in, monkeypatch):
    monkeypatch.setattr("hecn_analysis.diagnosis.settle.TRANSFER_S", 6.0)
    stand_in("ping", f"/bin/cat <<'E'\n{e.ping('10.77.0.2', 0.05)}\nE")
    for name in ("mpstat", "iostat", "sar", "top"):
        stand_in(name, "exit 3")
    where = Where(*namespaces, load=True)
    folder = runs(tmp_path / "runs", "10.77.0.1", "10.77.0.2")
    found = settle.settle(folder, tmp_path / "new", where, lambda _: None)
    ran = {row.file: row.ended for row in found.ran}
    assert ran["iperf3-client.json"] == "ok"
    assert (tmp_path / "new/ss-sender.txt").read_text(encoding="utf-8").count("$ ss -tin dst 10.77.0.2") == 3
    assert "bytes_acked" in (tmp_path / "new/ss-sender.txt").read_text(encoding="utf-8")
    signs = {sign.name for sign in found.after.signs}
    assert signs & {"receive_buffer_fit", "send_buffer_fit"}  # whichever buffer is the smaller one here
    (fast,) = (one for one in of_folder(read_folder(tmp_path / "new")) if one.kind.files)
    assert "busy" in {sign.name for sign in fast.signs}
    assert set(found.before.kind.files) <= set(found.after.kind.files)
