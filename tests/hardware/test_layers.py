"""Layers of a scenario: what is set later wins, also over the file's own ``set``; what is replaced is reported."""

import json
import textwrap

import pytest

from hecn_analysis.cli import main
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.change.whatif import whatif
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.sweep import sweep

FILE = """
    sender: ideal
    receiver: ideal
    path: lan-10ge
    tool: nuttcp
    set:
      path.rtt: 80 ms
      path.rate: 1 Gb/s
      tool.window: 4 MiB
      tool.streams: 2
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "test.yaml"
    path.write_text(textwrap.dedent(FILE), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("path.rtt", "1 ms", 1e-3),
        ("path.rate", "2 Gb/s", 2e9),
        ("tool.window", "1 MiB", 2.0**20),
        ("path.loss", "1e-4", 1e-4),
    ],
)
def test_a_setting_wins_over_the_set_of_the_file(file, key, value, found):
    role, _, field = key.partition(".")
    assert getattr(getattr(load_scenario(file, {key: value}), role), field).value == found
    assert getattr(getattr(load_scenario(file).with_({key: value}), role), field).value == found


def test_a_setting_wins_over_the_set_of_a_mapping():
    keys = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "set": {"path.rtt": "80 ms"}}
    assert load_scenario(keys, {"path.rtt": "1 ms"}).path.rtt.value == 1e-3
    assert load_scenario({**keys, "path": {"rtt": "2 ms"}}).path.rtt.value == 0.08


def test_a_setting_wins_over_nested_keys():
    keys = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path": {"name": "lan-10ge", "rtt": "80 ms"}}
    assert load_scenario(keys, {"path.rtt": "1 ms"}).path.rtt.value == 1e-3
    assert load_scenario(keys, {"path": {"rtt": "2 ms"}}).path.rtt.value == 2e-3
    assert load_scenario(keys, {"path": "lan-1ge"}).path == load_scenario({**keys, "path": "lan-1ge"}).path


def test_another_path_replaces_what_was_set_for_the_first_and_says_so(file):
    scenario = load_scenario(file, {"path": "lan-1ge"})
    assert scenario.path == load_scenario({**scenario.keys, "path": "lan-1ge"}).path
    assert scenario.path.rtt.value < 1e-3
    assert scenario.warnings == ("path=lan-1ge replaces the earlier path and drops path.rtt=80 ms, path.rate=1 Gb/s",)
    assert scenario.tool.streams == 2


def test_settings_of_the_same_layer_go_with_the_name(file):
    scenario = load_scenario(file, {"path.rtt": "3 ms", "path": "lan-1ge"})
    assert (scenario.path.rtt.value, scenario.path.rate.value) == (3e-3, 1e9)
    assert scenario.warnings == ("path=lan-1ge replaces the earlier path and drops path.rate=1 Gb/s",)


def test_a_setting_of_a_later_layer_stays_with_the_next_name(file):
    scenario = load_scenario(file, {"path.loss": "1e-4"}).with_({"path": "lan-1ge"})
    assert scenario.path.loss.value == 1e-4
    assert scenario.path.rtt.value < 1e-3


def test_an_empty_setting_takes_a_key_of_the_file_away(file):
    assert load_scenario(file, {"path.rtt": "", "tool.window": None}).path.rtt.value < 1e-3


def test_varied_keys_win_over_the_set_of_the_file(file):
    found = whatif(file, vary={"path.rtt": "1ms,80ms"})
    alone = [predict(load_scenario(file, {"path.rtt": rtt})).throughput_bps for rtt in ("1ms", "80ms")]
    assert found["throughput_bps"].tolist() == pytest.approx(alone)
    small, large = sweep(file, {"tool.window": ["256 KiB", "4 MiB"]})["throughput_bps"].tolist()
    assert small < large / 4


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("path.rtt", "80", "80.0 s"),
        ("path.rate", "10", "10.0 b/s"),
        ("path.rate", "1e6", "1.00 Mb/s"),
        ("tool.duration", "60", "60.0 s"),
    ],
)
def test_a_number_without_a_unit_is_read_in_si_with_a_warning(file, key, value, text):
    expected = (f"{key}={value} is read as {text}: write the unit if you mean another",)
    assert load_scenario(file, {key: value}).warnings == expected


@pytest.mark.parametrize(
    "settings",
    [{"path.rtt": "80 ms"}, {"path.rtt": 80}, {"path.loss": "1e-4"}, {"path.mtu": "9000"}, {"tool.window": "65536"}],
)
def test_units_numbers_of_programs_and_pure_numbers_have_no_warning(file, settings):
    assert load_scenario(file, settings).warnings == ()


def test_the_warning_of_a_setting_goes_with_the_setting(file):
    assert load_scenario(file, {"path.rtt": "80"}).with_({"path.rtt": "80 ms"}).warnings == ()


@pytest.fixture
def predicted(capsys):
    def call(*arguments):
        assert main(["predict", *arguments, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return call


def test_the_command_line_wins(file, predicted):
    ends = ("--sender", "ideal", "--receiver", "ideal", "--tool", "nuttcp")
    alone = predicted(*ends, "--path", "lan-1ge")
    both = predicted(str(file), "--path", "lan-1ge", "--set", "tool.window=", "tool.streams=")
    assert both["throughput_bps"] == alone["throughput_bps"]
    assert "path.rtt=80 ms" in both["warnings"][0]
    near, far = (predicted(str(file), "--set", f"path.rtt={rtt}")["throughput_bps"] for rtt in ("80ms", "300ms"))
    assert near > 2 * far


def test_columns_are_settings_of_what_the_command_line_names(tmp_path, predicted):
    cases = tmp_path / "cases.csv"
    cases.write_text("path.rate,path\n1Gb/s,\n1Gb/s,lan-10ge\n", encoding="utf-8")
    ends = ("--sender", "ideal", "--receiver", "ideal", "--tool", "nuttcp", "--path", "lan-4x10ge")
    without_name, with_name = predicted("--cases", str(cases), *ends)
    assert without_name["throughput_bps"] < 5e9
    assert with_name["throughput_bps"] > 9e9
    assert with_name["warnings"] == ["path=lan-4x10ge replaces the earlier path and drops path.rate=1Gb/s"]


def test_other_hosts_drop_the_title_that_described_the_earlier_ones():
    assert load_scenario("hotlava-transmit").title == "HotLava 6x10GE, transmit"
    assert load_scenario("hotlava-transmit", {"sender": "i7-hotlava"}).title == "HotLava 6x10GE, transmit"
    assert load_scenario("hotlava-transmit", {"sender": "b"}).title == ""
    assert load_scenario("hotlava-transmit", {"sender": "b", "title": "mine"}).title == "mine"


def test_a_host_taken_away_drops_the_settings_that_were_made_for_it():
    first = load_scenario({"sender": "b", "receiver": "b", "sender.kernel": "5.15", "tool": "nuttcp"})
    other = first.with_({"sender": "", "sender.cpu_share": 0.5})
    assert (other.keys.get("sender"), other.keys.get("sender.kernel"), other.keys["sender.cpu_share"]) == (
        None,
        None,
        0.5,
    )
    assert other.warnings == ("a new sender replaces the earlier sender and drops sender.kernel=5.15",)
