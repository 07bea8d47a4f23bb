"""Measurements: the prediction comes first, what binds is measured inside its interval, and nothing is left behind."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
import yaml

import hecn_analysis as hecn
from hecn_analysis.base.errors import HecnError, InputError, MissingProgramError
from hecn_analysis.cli import main
from hecn_analysis.live import finder, hosts, measure, path, probes, programs
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import MeasurementError, Request
from tests.live.conftest import words_of_processes

QUICK = {"inventory": False, "probe": False, "repeats": 2}


def measured(request, folder):
    """A measurement inside its interval, or the third that is not.

    The interval holds nine runs of ten, and fewer where other tests take the processors from a tool that is paced.
    """
    for attempt in range(3):
        found = measure.measure(request, folder / str(attempt))
        if found.verdict == "inside":
            break
    return found


# what binds is the path ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("nuttcp", "iperf3")
@pytest.mark.parametrize("tool", ["nuttcp", "iperf3"])
@pytest.mark.parametrize("rate", ["40mbit", "100mbit"])
def test_throttled_path_is_measured_inside_its_interval(tmp_path, namespaces, shape, tool, rate):
    shape("tbf", "rate", rate, "burst", "32kb", "latency", "50ms")
    keys = {"tool": tool, "tool.duration": 2}
    ends = {"sender": namespaces[0], "receiver": namespaces[1]}
    found = measured(Request(keys=keys, **ends, **{**QUICK, "repeats": 3}), tmp_path)
    assert found.prediction.bottleneck == "path.link"
    assert found.verdict == "inside"
    nominal = float(rate.removesuffix("mbit")) * 1e6
    assert 0.9 * nominal < found.throughput_bps < nominal


@pytest.mark.usefixtures("iperf3")
def test_emulated_distance_is_found_and_measured_inside_its_interval(tmp_path, namespaces, shape):
    shape("netem", "delay", "20ms", "rate", "100mbit", "limit", "2000")
    keys = {"tool": "iperf3", "tool.duration": 5, "sender.congestion_control": "cubic"}
    found = measured(Request(keys=keys, sender=namespaces[0], receiver=namespaces[1], **QUICK), tmp_path)
    assert found.prediction.scenario.path.rtt.value == pytest.approx(0.02, rel=0.05)
    assert found.verdict == "inside"


@pytest.mark.parametrize("tool", ["nuttcp", "iperf3"])
def test_paced_tool_over_loopback_is_measured_inside_its_interval(request, tmp_path, tool):
    request.getfixturevalue(tool)
    keys = {"tool": tool, "tool.duration": 2, "tool.pace": "80 Mb/s"}
    found = measured(Request(keys=keys, **QUICK), tmp_path)
    assert found.prediction.bottleneck == "sender.tool.pace"
    assert found.verdict == "inside"


@pytest.mark.usefixtures("nuttcp")
def test_a_throttle_that_nobody_told_of_is_below_the_interval(tmp_path, namespaces, shape):
    shape("tbf", "rate", "40mbit", "burst", "32kb", "latency", "50ms")
    keys = {"tool": "nuttcp", "tool.duration": 2, "path.rate": "1 Gb/s", "path.queue": "1 MB"}
    found = measure.measure(Request(keys=keys, sender=namespaces[0], receiver=namespaces[1], **QUICK), tmp_path / "m")
    assert found.verdict == "below"
    assert "below (0 of 2 runs are inside)." in str(found)


@pytest.mark.usefixtures("nuttcp")
def test_a_limit_that_is_not_there_is_above_the_interval(tmp_path):
    keys = {"tool": "nuttcp", "tool.duration": 1, "path.rate": "1 Mb/s"}
    found = measure.measure(Request(keys=keys, **QUICK), tmp_path / "m")
    assert found.verdict == "above"
    assert str(found).endswith("The predicted limit, the link, does not exist or is set too low.")


# what is found out, and kept -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("nuttcp")
def test_folder_holds_all_of_it_and_the_prediction_came_first(tmp_path):
    keys = {"tool": "nuttcp", "tool.duration": 1, "tool.pace": "50 Mb/s"}
    found = measure.measure(Request(keys=keys, probe=False, repeats=2), tmp_path / "m")
    folder = tmp_path / "m"
    assert {path.name for path in folder.iterdir()} == {
        *(
            "commands.txt",
            "comparison.json",
            "inventory-sender",
            "logs",
            "prediction.json",
            "runs.csv",
            "scenario.yaml",
        ),
    }
    assert (folder / "inventory-sender/index.csv").is_file()
    first_log = min(log.stat().st_mtime_ns for log in (folder / "logs").glob("run-*"))
    assert (folder / "prediction.json").stat().st_mtime_ns < first_log
    again = hecn.predict(folder / "scenario.yaml")
    written = json.loads((folder / "prediction.json").read_text())
    assert again.throughput_bps == pytest.approx(written["throughput_bps"])
    assert again.low_bps == pytest.approx(written["low_bps"])
    with (folder / "runs.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["measured_bps"]) for row in rows] == [run.measured_bps for run in found.runs]
    measured = hecn.read(folder / "logs").runs
    assert set(measured.loc[measured["tool"] == "nuttcp", "throughput_bps"].dropna()) >= {
        run.measured_bps for run in found.runs
    }
    assert f"-T1 -R50000 127.0.0.1   # 2 times" in (folder / "commands.txt").read_text()  # noqa: F541


@pytest.mark.usefixtures("nuttcp")
def test_what_nobody_knows_of_a_host_is_probed(tmp_path, monkeypatch):
    monkeypatch.setattr(probes, "DURATION_S", 1.0)
    keys = {"tool": "nuttcp", "tool.duration": 1}
    found = measure.measure(Request(keys=keys, inventory=False, repeats=1), tmp_path / "m")
    cpu = found.prediction.scenario.sender.cpu
    assert cpu.cores == os.cpu_count()
    assert cpu.send_cost.basis == "calibrated"
    assert cpu.send_cost.source == "4 short runs of nuttcp over the loopback interface, 1 s each"
    assert found.prediction.bottleneck == "sender.cpu.processes"
    assert cpu.send_cost.value > 0
    assert len(list((tmp_path / "m/logs").glob("probe-loopback-nuttcp-local-?.txt"))) == 4


def test_disk_is_probed_written_and_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = {"tool": "dd-write", "tool.bytes": "32 MiB"}
    monkeypatch.setattr(probes, "AMOUNT", 16 << 20)
    try:
        found = measure.measure(Request(keys=keys, inventory=False, repeats=2), tmp_path / "m")
    except MeasurementError as error:
        pytest.skip(f"direct I/O is not to be had here: {error}")
    assert found.prediction.bottleneck == "receiver.disk"
    assert all(run.measured_bps > 0 for run in found.runs)
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_file_that_is_there_is_read_and_stays_but_never_written(tmp_path):
    mine = tmp_path / "mine"
    mine.write_bytes(b"x" * (4 << 20))
    keys = {"tool": "dd-read", "tool.bytes": "4 MiB", "tool.io": "buffered", "sender.read_rate": "1 GB/s"}
    found = measure.measure(Request(keys=keys, file=str(mine), **QUICK), tmp_path / "m")
    assert found.throughput_bps > 0
    assert mine.stat().st_size == 4 << 20
    keys = {"tool": "dd-write", "tool.bytes": "4 MiB", "receiver.write_rate": "1 GB/s"}
    with pytest.raises(InputError, match="found an existing file, expected a new one"):
        measure.measure(Request(keys=keys, file=str(mine), **QUICK), tmp_path / "n")
    assert mine.read_bytes() == b"x" * (4 << 20)


def test_path_is_found_between_namespaces(namespaces, shape):
    shape("tbf", "rate", "200mbit", "burst", "32kb", "latency", "50ms")
    assert path.address_of(namespaces[1], namespaces[0]) == "10.77.0.2"
    found = path.device(namespaces[0], "10.77.0.2")
    assert (found.mtu, found.speed_bps, found.throttle.rate_bps) == (1500, None, 200e6)  # a virtual pair has no speed
    assert found.throttle.queue_bytes == pytest.approx(25e6 * 0.05 + 32 * 1024, rel=0.01)
    keys = path.keys(found, path.device_with(namespaces[1], "10.77.0.2"), 1e-3)
    assert keys["path.rate"]["value"] == pytest.approx(200e6 * 1538 / 1514)
    with pytest.raises(InputError, match=r"found no address of the receiver \(local\), expected --address"):
        path.address_of(Place(), namespaces[0])


def test_slowest_end_of_a_path_is_its_rate():
    sender = path.Device("eth0", 9000, speed_bps=100e9)
    receiver = path.Device("eth1", 1500, speed_bps=10e9)
    keys = path.keys(sender, receiver, None)
    assert keys["path.rate"] == {"value": 10e9, "basis": "documented", "source": "speed of eth1"}
    assert keys["path.mtu"] == 1500
    assert "path.rtt" not in keys


def test_settings_of_the_kernel_are_those_of_the_place():
    found = hosts.settings_of_kernel(Place())
    assert found["kernel"] == ".".join(os.uname().release.split(".")[:2])
    assert found["tcp_rmem_max"]["value"] == int(Path("/proc/sys/net/ipv4/tcp_rmem").read_text().split()[2])


# what goes wrong -----------------------------------------------------------------------------------------------------

SERVER = 'case "$*" in *-s*|*-1*) exec "$REAL" "$@";; esac'


@pytest.fixture
def real_nuttcp(monkeypatch, nuttcp):
    monkeypatch.setenv("REAL", nuttcp)


def request_for(tool, **more):
    return Request(keys={"tool": tool, "tool.duration": 1, "path.rate": "1 Gb/s"}, **{**QUICK, **more})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo garbage", "nuttcp printed no result"),
        (
            "echo 'nuttcp-t: Error: connection refused' >&2; exit 1",
            "nuttcp at local: nuttcp-t: Error: connection refused",
        ),
        ("exec sleep 71", "nuttcp at local: did not end within its time limit of 1 s"),
    ],
)
@pytest.mark.usefixtures("real_nuttcp")
def test_tool_that_fails_is_said_in_a_line_and_leaves_nothing(tmp_path, stand_in, text, message):
    stand_in("nuttcp", f"{SERVER}\n{text}")
    with pytest.raises(MeasurementError) as error:
        measure.measure(request_for("nuttcp", limit_s=1.0), tmp_path / "m")
    assert str(error.value) == f"nothing was measured: {message} (logs are in {tmp_path / 'm'})"
    left = words_of_processes(tmp_path)  # tests beside this one have servers, too; stand_in puts the folder into PATH
    assert not [line for line in left if "sleep 71" in line or "nuttcp -1 --nofork" in line]


def test_server_that_does_not_start_is_said(tmp_path, stand_in):
    stand_in("iperf3", "echo 'iperf3: error - unable to start listener: Address already in use' >&2; exit 1")
    with pytest.raises(MeasurementError, match="the server at local did not start: iperf3: error - unable to start"):
        measure.measure(request_for("iperf3"), tmp_path / "m")


def test_client_without_its_server_says_what_iperf3_says(tmp_path, monkeypatch, iperf3, stand_in):
    monkeypatch.setenv("REAL", iperf3)
    stand_in("iperf3", 'case "$*" in *-s*) exec "$REAL" "$@";; *) exec "$REAL" -c 127.0.0.1 -p 1 -J;; esac')
    with pytest.raises(MeasurementError, match="iperf3 at local: unable to connect to server"):
        measure.measure(request_for("iperf3"), tmp_path / "m")


def test_one_failed_run_does_not_stop_the_others(tmp_path, monkeypatch, nuttcp, stand_in, capsys):
    monkeypatch.setenv("REAL", nuttcp)
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    stand_in("nuttcp", f'{SERVER}\n[ -e "$MARK" ] && exec "$REAL" "$@"; : > "$MARK"; echo broken >&2; exit 1')
    words = ["measure", "--tool", "nuttcp", "--duration", "1s", "--no-inventory", "--no-probe", "--repeats", "2"]
    assert main([*words, "--set", "path.rate=1Gb/s", "-o", str(tmp_path / "m"), "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert [run["verdict"] == "failed" for run in json.loads(out)["runs"]] == [True, False]
    assert "hecn: run 1: nuttcp at local: broken\n" in err


def test_missing_program_names_its_package(tmp_path, monkeypatch):
    monkeypatch.setattr(programs.shutil, "which", lambda *_, **__: None)
    with pytest.raises(MissingProgramError, match=r"found no iperf3, expected it on the PATH .*apt install iperf3"):
        measure.measure(request_for("iperf3"), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("place", [Place("netns", "no-such-namespace"), Place("ssh", "127.0.0.1", 1)])
@pytest.mark.usefixtures("nuttcp")
def test_place_that_cannot_be_reached_is_said(tmp_path, place):
    if programs.which("ssh") is None:
        pytest.skip("ssh is not installed (Debian, Ubuntu: apt install openssh-client)")
    with pytest.raises(HecnError, match="expected a place that can run programs"):
        measure.measure(request_for("nuttcp", sender=place, receiver=place), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize("tool", ["nuttcp", "dd-write"])
def test_stopped_half_way_leaves_no_process_and_no_file(tmp_path, request, tool, number):
    if tool == "nuttcp":
        request.getfixturevalue("nuttcp")
    amount = "tool.duration=67" if tool == "nuttcp" else "tool.bytes=4TiB"
    words = ["--tool", tool, "--no-inventory", "--no-probe", "--set", amount, "path.rate=1Gb/s", "tool.io=buffered"]
    words += ["receiver.write_rate=1GB/s"] if tool == "dd-write" else []
    with subprocess.Popen(
        [sys.executable, "-m", "hecn_analysis", "measure", *words, "-o", "m"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as us:
        mark = "-T67" if tool == "nuttcp" else str(4 << 20)
        while not any(mark in line for line in words_of_processes()) and us.poll() is None:
            time.sleep(0.05)
        us.send_signal(number)
        _, err = us.communicate(timeout=300)
    assert us.returncode == 130, err
    assert err.splitlines()[-1] == (
        "hecn: stopped: servers and files of the measurement are removed; the results so far are in m"
    )
    assert not [line for line in words_of_processes() if mark in line]
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


# through ssh ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def ssh_host(tmp_path, stand_in):
    """A place behind an ssh server of our own, with keys of our own, on a port of the loopback interface."""
    real, server, keygen = (programs.which(name) for name in ("ssh", "sshd", "ssh-keygen"))
    if None in (real, server, keygen):
        pytest.skip("an ssh server is not installed (Debian, Ubuntu: apt install openssh-server)")
    for name in ("host", "user"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    port = 23_000 + os.getpid() % 1000
    (tmp_path / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {tmp_path}/host\nPidFile none\nStrictModes no\nUsePAM no\n"
        f"AuthorizedKeysFile {tmp_path}/user.pub\nPermitRootLogin yes\n"
    )
    stand_in(
        "ssh",
        f"exec {real} -F none -i {tmp_path}/user -o UserKnownHostsFile={tmp_path}/known "
        '-o StrictHostKeyChecking=no "$@"',
    )
    with programs.Program([server, "-D", "-e", "-f", str(tmp_path / "sshd_config")]) as running:
        place = Place("ssh", "127.0.0.1", port)
        until = time.monotonic() + 10
        while running.runs and time.monotonic() < until and not Place().listens(port):
            time.sleep(0.05)
        reached = place.run(["true"])
        if not reached.ok:
            pytest.skip(f"an ssh server is not to be had here: {reached.complaint} {running.printed().complaint}")
        yield place


@pytest.mark.usefixtures("nuttcp")
def test_receiver_behind_ssh_is_captured_measured_and_left_clean(tmp_path, ssh_host):
    request = Request(
        keys={"tool": "nuttcp", "tool.duration": 1, "tool.pace": "50 Mb/s"},
        receiver=ssh_host,
        address="127.0.0.1",
        port=24_321,
        repeats=2,
        probe=False,
    )
    found = measure.measure(request, tmp_path / "m")
    assert all(run.measured_bps > 0 for run in found.runs)
    assert (tmp_path / "m/inventory-receiver/index.csv").is_file()
    assert not [line for line in words_of_processes() if "-P 24321" in line]


@pytest.mark.usefixtures("nuttcp")
def test_server_behind_ssh_ends_with_the_connection(ssh_host):
    with programs.Program(ssh_host.argv(["nuttcp", "-1", "--nofork", "-P", "24322"], limit_s=60, stays=True)):
        until = time.monotonic() + 10
        while not ssh_host.listens(24_322) and time.monotonic() < until:
            time.sleep(0.05)
        assert ssh_host.listens(24_322)
    until = time.monotonic() + 10
    while any("-P 24322" in line for line in words_of_processes()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [line for line in words_of_processes() if "-P 24322" in line]


def test_program_that_is_missing_behind_ssh_is_named(ssh_host):
    with pytest.raises(MissingProgramError, match=rf"found no no-such-tool \({ssh_host}\)"):
        ssh_host.require("no-such-tool")


# the command ---------------------------------------------------------------------------------------------------------


def test_dry_run_prints_commands_and_runs_none(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["measure", "--tool", "nuttcp", "--to", "ssh:me@dtn7", "--duration", "30s", "--repeats", "5", "--dry-run"]
    assert main(words) == 0
    assert capsys.readouterr().out == (
        "ping -n -c 5 -i 0.2 -w 5 dtn7\n"
        "ssh -tt -o BatchMode=yes -o ConnectTimeout=10 -o LogLevel=ERROR -- me@dtn7 "
        "'timeout 60 nuttcp -1 --nofork -P 5000'   # 5 times\n"
        "nuttcp -P 5000 -p 5001 -T30 dtn7   # 5 times\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("nuttcp")
def test_command_prints_runs_and_verdict(capsys, tmp_path):
    words = ["measure", "--tool", "nuttcp", "--duration", "1s", "--repeats", "1", "--no-inventory", "--no-probe"]
    assert main([*words, "--set", "tool.pace=50Mb/s", "-o", str(tmp_path / "m")]) == 0
    out, err = capsys.readouterr()
    header, row, _, sentence, place = out.splitlines()
    assert header.split()[:4] == ["run", "verdict", "measured", "predicted"]
    assert row.split()[0] == "1"
    assert sentence.startswith("Measured ")
    assert ", in one run; predicted 50.0 Mb/s, between " in sentence
    assert place == f"Everything is in {tmp_path / 'm'}."
    assert err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "hecn: found no tool, expected one of nuttcp, iperf3, dd-read, dd-write, fio-read, fio-write"),
        (["--tool", "nuttcp", "--repeats", "0"], "hecn: found --repeats 0, expected at least 1"),
        (["--tool", "nuttcp", "--port", "70000"], "hecn: found --port 70000, expected 1 to 65534"),
        (["--tool", "nuttcp", "--to", "there"], "hecn: found place 'there', expected local, netns:NAME, ssh:HOST or"),
        (["--tool", "nuttcp", "--address", "x", "-o", "no/where"], "hecn: no/where: found no directory 'no', expected"),
    ],
)
def test_wrong_usage_is_said_in_a_line(capsys, words, message):
    assert main(["measure", *words]) == 1
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.usefixtures("nuttcp")
def test_scenario_file_is_measured_with_its_own_hosts(tmp_path):
    (tmp_path / "s.yaml").write_text(
        yaml.safe_dump(
            {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "1 Gb/s", "tool.pace": 5e7}
        )
    )
    request = Request(str(tmp_path / "s.yaml"), {"tool.duration": 1}, **QUICK)
    found = measured(request, tmp_path)
    assert found.prediction.scenario.sender.name == "ideal"
    assert found.verdict == "inside"


@pytest.mark.parametrize(
    ("text", "given", "this"),
    [
        ("sender: this\nreceiver: this", {}, {"sender", "receiver"}),
        ("sender: {name: this}\nreceiver: c", {}, {"sender"}),
        ("sender: b\nset: {sender: this, receiver: c}", {}, {"sender"}),
        ("receiver: c", {}, {"sender"}),
        ("sender: this\nreceiver: this", {"sender": "c"}, {"receiver"}),
        ("sender: c\nreceiver: c", {"sender": "this"}, {"sender"}),
    ],
)
def test_this_in_a_scenario_file_is_the_host_as_it_is_found(tmp_path, text, given, this):
    file = tmp_path / "s.yaml"
    file.write_text(f"{text}\ntool: nuttcp\npath.rate: 1 Gb/s\nreceiver.tcp_rmem_max: 3 MiB\n")
    draft = finder.draft_of(Request(str(file), given))
    assert draft.this == this
    assert draft.scenario.receiver.tcp_rmem_max.value == 3 * 2**20
    assert not this & draft.keys.keys()
    assert main(["measure", str(file), "--dry-run"]) == 0


def test_a_fault_in_a_scenario_file_with_this_keeps_its_line(tmp_path, capsys):
    file = tmp_path / "s.yaml"
    file.write_text("sender: this\ntool: nuttcp\npath.rtt: far\n")
    assert main(["measure", str(file), "--dry-run"]) == 1
    assert capsys.readouterr().err.startswith(f"hecn: {file}:3: found path.rtt: 'far'")


@pytest.mark.parametrize("tool", ["fio-read", "fio-write"])
def test_fio_is_measured(tmp_path, monkeypatch, tool):
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed (Debian, Ubuntu: apt install fio)")
    monkeypatch.chdir(tmp_path)
    end = "sender.read_rate" if tool == "fio-read" else "receiver.write_rate"
    keys = {"tool": tool, "tool.bytes": "16 MiB", end: "1 GB/s", "tool.io": "buffered", "tool.outstanding": 1}
    found = measure.measure(Request(keys=keys, **QUICK), tmp_path / "m")
    assert all(run.measured_bps > 0 for run in found.runs)
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_host_is_the_one_of_its_inventory_with_what_a_byte_costs_it(tmp_path, monkeypatch, stand_in):
    stand_in("iperf3", "exit 1")  # it is asked for, and not run
    costs = {"send_cost": {"value": 1, "spread": 0.2}, "receive_cost": {"value": 2, "spread": 0.2}}
    tools = {"iperf3": {**costs, "message": "128 KiB", "cores": 1.5}}
    measured = {"cpu": {"cores": 2, "clock": 2e9, **costs, "tools": tools}, "cpu_quota": 0.5}
    monkeypatch.setattr(finder.Finder, "_processor", lambda *_: measured)
    monkeypatch.setattr(measure, "_run", lambda number, *_: measure.Run(number, "inside", 3.9e9))
    keys = {"tool": "iperf3", "sender.tcp_wmem_max": "1 MB"}
    found = measure.measure(Request(keys=keys, repeats=1), tmp_path / "m")
    inventory = hecn.read_inventory(tmp_path / "m/inventory-sender").hosts[0].host
    sender = found.prediction.scenario.sender
    assert sender.cpu.title == inventory.cpu.title
    assert sender.cpu.cache == inventory.cpu.cache
    assert sender.cpu.send_cost.value == 1
    # the measured costs hold those of packets as large as they were then; smaller ones cost more
    assert (sender.cpu.measured_payload.value, sender.cpu.handover_cost.value) == (65483, 0)
    assert sender.cpu.send_packet_cost == inventory.cpu.send_packet_cost
    assert sender.cpu_quota.value == 0.5
    assert found.prediction.scenario.path.same_host
    assert found.prediction.scenario.receiver.cpu.tools["iperf3"].cores.value == 1.5
    assert sender.tcp_wmem_max.value == 1e6  # what was given goes above what was found


def test_what_was_busy_is_named_below_the_interval():
    prediction = hecn.predict({"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "1 Gb/s"})
    run = measure.Run(1, "below", 5e8, cpu_receiver_fraction=0.98, busiest_sender_fraction=0.95, retransmits=7)
    assert measure._busy(run, prediction) == (
        "a core of the sender was 95.0 % busy, the tool used 98.0 % of a core at the receiver, "
        "7 segments were retransmitted"
    )
    assert measure._busy(measure.Run(1, "below", 9.2e8), prediction) == "path.link would be 97.7 % busy"
    assert measure.verdict(prediction, None) == "failed"


def test_archive_of_another_host_cannot_write_elsewhere(tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("capture/index.csv", "../../escaped.txt", "/etc/absolute.txt"):
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"text"))
        link = tarfile.TarInfo("capture/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    (tmp_path / "in").mkdir()
    finder._unpack(packed.getvalue(), tmp_path / "in")
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["absolute.txt", "escaped.txt", "index.csv"]
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    finder._unpack(b"ssh: no archive", tmp_path / "in")
