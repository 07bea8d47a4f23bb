"""Calibration: known parameters are recovered from runs, and what runs cannot tell is said."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hecn_analysis import calibrate, load_scenario, predict
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.places import data_dir, models_dir
from hecn_analysis.cli import main
from hecn_analysis.hardware.description import Library
from hecn_analysis.prediction.calibration import calibrated
from hecn_analysis.prediction.held_out import recalibrated
from hecn_analysis.prediction.measurements import Measurement
from hecn_analysis.prediction.priors import _priors, before_calibration

CLOCK = 3e9
TRUE = {"send": 0.7, "receive": 0.9, "read": 0.5, "write": 2.0}  # cycles/B
HOST = """\
title: a host
source: tests
year: 2020
cpu:
  clock: 3 GHz
  cores: 4
  send_cost: {value: 0.4, spread: 90 %, basis: assumed}
  receive_cost: {value: 0.6, spread: 90 %, basis: assumed}
  read_cost: {value: 0.6, spread: 90 %, basis: assumed}
  write_cost: {value: 1.5, spread: 90 %, basis: assumed}
app_cores: [1]
nic_cores: [0]
write_rate: {value: 8 Gb/s, spread: 50 %, basis: assumed}
"""


@pytest.fixture
def host(tmp_path):
    path = tmp_path / "box.yaml"
    path.write_text(HOST)
    return str(path)


def busy(bps, *costs):
    """Share of a core at this rate."""
    return bps / 8 * sum(TRUE[name] for name in costs) / CLOCK


def run(host, bps, *, to_disk=False, line=1, **changes):
    keys = {"sender": host, "receiver": host, "path.rate": "100 Gb/s", "path.mtu": 9000, "tool": "nuttcp"}
    keys |= {"tool.source_end": "disk", "tool.sink_end": "disk"} if to_disk else {"receiver.write_rate": "1 Tb/s"}
    figures = {
        "cpu_sender_fraction": busy(bps, "send", *(["read"] if to_disk else [])),
        "cpu_receiver_fraction": busy(bps, "receive", *(["write"] if to_disk else [])),
    }
    return Measurement(
        f"run {line}", "lab", f"run {line}", keys, bps, source=f"lab.txt:{line}-{line}", **figures | changes
    )


def memory(host, line=1, **changes):
    return run(host, 8 * CLOCK / TRUE["receive"], line=line, **changes)  # the receiving core is full


def copy(host, line=2, **changes):
    return run(host, 6e9, to_disk=True, line=line, **changes)


def of(found, name):
    return found.parameters.set_index("parameter").loc[name]


def test_known_costs_are_recovered_with_what_is_left_open_of_them(host):
    runs = [memory(host, 1), memory(host, 2), copy(host, 3), copy(host, 4)]
    found = calibrated(runs)
    for name, cost in TRUE.items():
        row = of(found, f"cpu.{name}_cost")
        assert row["value"] == pytest.approx(cost, rel=0.08), name  # the priors still pull a little
        assert row["determined"] == "yes"
        assert row["spread_fraction"] < row["prior_spread_fraction"] / 2
    assert of(found, "cpu.receive_cost")["source"] == "lab.txt:1, 2"
    assert of(found, "cpu.receive_cost")["spread_fraction"] < 0.05  # by its rate too
    assert found.remarks == ()
    assert not found.runs["contradicts"].any()


def test_a_fresh_host_starts_from_what_its_description_says(host):
    assert of(calibrated([memory(host)]), "cpu.receive_cost")[["prior_value", "prior_spread_fraction"]].tolist() == [
        0.6,
        0.9,
    ]


def test_what_is_only_known_in_sum_is_said_to_be(host):
    found = calibrated([copy(host, 1), copy(host, 2)])
    read = of(found, "cpu.read_cost")
    assert read["together_with"] == "cpu.send_cost"
    assert of(found, "cpu.send_cost")["value"] + read["value"] == pytest.approx(TRUE["send"] + TRUE["read"], rel=0.05)
    assert read["spread_fraction"] > 0.3
    assert {"cpu.send_cost", "cpu.read_cost"} in [set(weights) for weights in found.unknown]
    assert "cpu.read_cost of box is known only together with cpu.send_cost" in found.remarks


def test_a_disk_is_known_by_the_runs_that_it_holds_back(host):
    silent = {"cpu_sender_fraction": None, "cpu_receiver_fraction": None}
    found = calibrated([copy(host, 1, **silent), copy(host, 2, **silent)])
    disk = of(found, "write_rate")
    assert (disk["value"], disk["determined"]) == (pytest.approx(6e9, rel=0.02), "yes")
    assert of(found, "cpu.send_cost")["determined"] == "no"
    assert "no run has CPU columns" in found.remarks[0]


def test_a_rate_that_no_core_held_back_says_nothing_of_costs_above_it(host):
    """A process that waits was not limited by its core: something outside the description was slow."""
    slow = run(host, 3e9, line=1)
    found = calibrated([slow, memory(host, 2), memory(host, 3)])
    assert of(found, "cpu.receive_cost")["value"] == pytest.approx(TRUE["receive"], rel=0.03)


def test_one_run_is_told_to_be_one(host):
    assert calibrated([memory(host)]).remarks[0] == "only one run: no other run confirms it"


def test_a_run_that_contradicts_the_others_counts_less_and_is_named(host):
    runs = [memory(host, line) for line in range(1, 6)]
    odd = memory(host, 6, cpu_sender_fraction=3 * busy(8 * CLOCK / TRUE["receive"], "send"))
    found = calibrated([*runs, odd])
    assert of(found, "cpu.send_cost")["value"] == pytest.approx(TRUE["send"], rel=0.15)
    assert found.runs["contradicts"].tolist() == [False] * 5 + [True]
    assert found.remarks[0].startswith("lab.txt:6-6: contradicts the other runs, so it has less weight (throughput +")


def test_runs_that_say_nothing_are_an_error(host):
    wire = {"sender": host, "receiver": host, "path.rate": "1 Gb/s", "tool": "nuttcp", "receiver.write_rate": "1 Tb/s"}
    runs = [Measurement("a", None, "a", wire, 941e6, source="lab.txt:1-1")]
    said = r"lab.txt:1-1: found runs without new information about the hosts: no CPU columns, .*, expected"
    with pytest.raises(InputError, match=said):
        calibrated(runs)


def test_runs_that_cannot_be_of_these_hosts_are_an_error(host):
    wire = {"sender": host, "receiver": host, "path.rate": "1 Gb/s", "tool": "nuttcp", "receiver.write_rate": "1 Tb/s"}
    runs = [
        Measurement(str(line), None, str(line), wire, 9e9, cpu_receiver_fraction=0.5, source=f"lab.txt:{line}")
        for line in range(3)
    ]
    with pytest.raises(InputError, match="found 3 of 3 runs that contradict the others or the description"):
        calibrated(runs)


def test_the_lines_make_a_host_that_predicts_what_was_measured(host, tmp_path):
    runs = [memory(host, 1), memory(host, 2), copy(host, 3)]
    lines = calibrated(runs).yaml("box")
    assert yaml.safe_load(lines)["cpu"]["write_cost"]["basis"] == "calibrated"
    (tmp_path / "after.yaml").write_text(f"like: {host}\n{lines}")
    scenario = load_scenario(
        {**runs[0].keys, "sender": str(tmp_path / "after.yaml"), "receiver": str(tmp_path / "after.yaml")}
    )
    assert scenario.receiver.cpu.receive_cost.source == "lab.txt:1, 2"
    assert predict(scenario).throughput_bps == pytest.approx(runs[0].measured_bps, rel=0.01)


def test_calibrated_values_are_forgotten_unless_the_runs_are_new(tmp_path):
    known = tmp_path / "known.yaml"
    known.write_text(
        HOST.replace(
            "receive_cost: {value: 0.6, spread: 90 %, basis: assumed}",
            "receive_cost: {value: 3, spread: 5 %, basis: calibrated, source: x}",
        )
    )
    runs = [memory(str(known), 1), memory(str(known), 2)]
    assert of(calibrated(runs), "cpu.receive_cost")["prior_value"] == 0.6
    assert of(calibrated(runs, update=True), "cpu.receive_cost")["prior_value"] == 3


def test_what_is_left_out_has_no_say(host):
    """The prediction of a run is the same whatever it measured."""

    def left_out(measured_bps):
        Path(host).write_text(HOST.replace("assumed", "calibrated"))
        own = run(host, measured_bps, line=4)
        own = replace(own, keys={**own.keys, "path.rate": "90 Gb/s"})  # runs of its set-up are left out with it
        runs = [memory(host, 1), memory(host, 2), copy(host, 3), own]
        return recalibrated(runs, ["leave-one-out"])["leave-one-out"][3]

    one, other = left_out(20e9), left_out(5e9)
    assert one.receiver.cpu.receive_cost.value == pytest.approx(other.receiver.cpu.receive_cost.value, rel=1e-3)
    assert one.receiver.cpu.receive_cost.value == pytest.approx(TRUE["receive"], rel=0.05)


def test_without_any_run_of_its_host_a_parameter_has_its_prior(host):
    Path(host).write_text(HOST.replace("assumed", "calibrated"))
    scenario = recalibrated([memory(host, 1), memory(host, 2)], ["leave-one-host-out"])["leave-one-host-out"][0]
    cost = scenario.receiver.cpu.receive_cost
    assert (cost.value, cost.spread) == (pytest.approx(0.6), pytest.approx(0.9))


def test_every_calibrated_parameter_of_the_library_has_a_prior():
    library = Library(models_dir())
    found = set()
    for kind in ("hosts", "paths", "tools"):
        for name in library.names(kind):
            entry = library.entry(kind, name)
            found |= set(_calibrated((library.with_parts(entry) if kind == "hosts" else entry).values))
    assert found >= {"write_cost", "run_bytes", "overhead_clocks"}
    assert sorted(found - set(_priors())) == []


def _calibrated(values):
    for key, below in values.items():
        if isinstance(below, dict):
            if below.get("basis") == "calibrated":
                yield key
            yield from _calibrated(below)


def test_priors_depend_on_the_year():
    cost = load_scenario({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"}).sender.cpu.send_cost
    assert before_calibration("send_cost", cost, 2004).value > 5 * before_calibration("send_cost", cost, 2010).value


# the command ---------------------------------------------------------------------------------------------------------

LOG = """\
 10240.0000 MB /  10.00 sec = 8590.0000 Mbps 30 %TX 60 %RX 0 retrans 0.10 msRTT
 10240.0000 MB /  10.00 sec = 8590.0000 Mbps 31 %TX 59 %RX 0 retrans 0.10 msRTT
"""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "lab.txt"
    path.write_text(LOG)
    return str(path)


def test_logs_are_read_with_tool_and_round_trip_time(host, log):
    found = calibrate(log, sender=host, receiver=host, settings={"path.rate": "10 Gb/s"})
    assert found.runs["run"].tolist() == [f"{log}:1-1", f"{log}:2-2"]
    assert of(found, "cpu.receive_cost")["value"] == pytest.approx(0.595 * CLOCK * 8 / 8.59e9, rel=0.05)


def test_the_command_gives_text_json_csv_and_a_host(host, log, tmp_path, capsys):
    command = ["calibrate", log, "--sender", host, "--receiver", host, "--set", "path.rate=10Gb/s"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "cpu.receive_cost" in text
    assert "# host box\ncpu:\n" in text
    assert main([*command, "--format", "json"]) == 0
    assert {"parameters", "runs", "unknown", "remarks", "yaml"} == json.loads(capsys.readouterr().out).keys()
    assert main([*command, "--format", "csv", "--show-runs"]) == 0
    assert capsys.readouterr().out.startswith("run,measured_bps,fitted_bps,error,")
    after = tmp_path / "after.yaml"
    assert main([*command, "-o", str(after)]) == 0
    assert f"like: {host}\n" in after.read_text()
    assert (
        load_scenario(
            {"sender": str(after), "receiver": "ideal", "tool": "nuttcp", "path.rate": "1 Gb/s"}
        ).sender.cpu.send_cost.basis
        == "calibrated"
    )


def test_a_table_has_cpu_columns_by_its_mapping(host, tmp_path):
    (tmp_path / "runs.csv").write_text("mbps,tx,rx\n" + "8590,30,60\n" * 2)
    (tmp_path / "mapping.yaml").write_text(
        "measured: mbps\nunit: Mb/s\ncpu_sender: tx / 100\ncpu_receiver: rx / 100\n"
        "set: {tool: nuttcp, path.rate: 10 Gb/s}\n"
    )
    found = calibrate(tmp_path / "runs.csv", sender=host, receiver=host, mapping=tmp_path / "mapping.yaml")
    assert of(found, "cpu.send_cost")["value"] == pytest.approx(0.3 * CLOCK * 8 / 8.59e9, rel=0.05)
    assert of(found, "cpu.send_cost")["source"] == f"{tmp_path / 'runs.csv'}:2, 3"


def test_an_unknown_tool_is_named_with_its_line(host, tmp_path):
    path = tmp_path / "lab.txt"
    path.write_text(LOG)
    with pytest.raises(InputError, match=r"found tool 'nutcp'.*did you mean 'nuttcp'"):
        calibrate(path, sender=host, receiver=host, settings={"tool": "nutcp", "path.rate": "10 Gb/s"})


def test_what_has_no_unit_need_not_be_whole():
    shipped = load_scenario(
        {"sender": "c", "receiver": "c", "tool": "nuttcp", "path": "lan-2x10ge"}
    ).sender.cpu.contention
    assert (shipped.basis, shipped.unit) == ("calibrated", "")
    assert before_calibration("contention", shipped, 2009).value == 0.04
    log = str(data_dir() / "logs" / "c-systems-nuttcp.txt")
    found = calibrate(log, sender="c", receiver="c", settings={"path": "lan-2x10ge"})
    assert of(found, "cpu.send_cost")["determined"] == "yes"
