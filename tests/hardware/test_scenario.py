"""Scenarios: keys set single fields over the library's entries, and a wrong key says what is known."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario

LAN = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"}


def fault(keys):
    with pytest.raises(InputError) as caught:
        load_scenario({**LAN, **keys})
    return str(caught.value)


def test_a_dotted_key_sets_one_field_and_leaves_the_rest():
    plain, faster = load_scenario(LAN), load_scenario({**LAN, "receiver.cpu.clock": "3.4 GHz"})
    assert faster.receiver.cpu.clock.value == 3.4e9
    assert faster.sender == plain.sender
    assert faster.receiver.cpu.write_cost == plain.receiver.cpu.write_cost


def test_what_is_set_in_one_scenario_is_not_set_in_the_next():
    before = load_scenario(LAN)
    changes = {"sender.cpu.clock": "1 GHz", "sender.cpu": "intel-xeon-w5580", "tool.streams": 3}
    for key, value in changes.items():
        assert load_scenario(LAN, {key: value}) != before, key
        assert load_scenario(LAN) == before, key


def test_a_key_set_by_hand_loses_the_spread_of_the_entry():
    clock = load_scenario({**LAN, "receiver.cpu.write_cost": 2}).receiver.cpu.write_cost
    assert (clock.value, clock.spread) == (2.0, 0.0)


def test_text_of_a_command_line_is_read_as_yaml_would():
    scenario = load_scenario(
        {**LAN, "tool.streams": "4", "path.timestamps": "false", "sender.app_cores": "[2, 3]", "path.loss": "1e-5"}
    )
    assert scenario.tool.streams == 4
    assert scenario.path.timestamps is False
    assert scenario.sender.app_cores == [2, 3]
    assert scenario.path.loss.value == 1e-5


def test_an_empty_value_is_an_absent_key():
    assert load_scenario({**LAN, "path.rtt": "", "tool.window": None}).path == load_scenario(LAN).path


def test_a_path_needs_no_name_where_keys_describe_it():
    scenario = load_scenario(
        {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "400Mb/s", "path.rtt": "45ms"}
    )
    assert scenario.path.rate.value == 400e6


def test_nested_keys_are_dotted_keys():
    nested = load_scenario(
        {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path": {"rate": 1e9, "mtu": 9000}}
    )
    dotted = load_scenario(
        {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": 1e9, "path.mtu": 9000}
    )
    assert nested.path == dotted.path


def test_settings_can_be_changed_afterwards():
    assert load_scenario(LAN).with_({"path.rtt": "90 ms"}).path.rtt.value == 0.09


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"sender": "bb"}, "found host 'bb', expected one of b, "),
        ({"tool": "nutcp"}, "found tool 'nutcp', expected one of"),
        ({"path": "lan-10g"}, "found path 'lan-10g', expected one of"),
        ({"path.rt": "1 ms"}, "found unknown key 'path.rt', expected one of name, title,"),
        ({"path.rtt": "-1 ms"}, "found path.rtt: '-1 ms', expected at least 0 s"),
        ({"path.mtu": 100_000}, "found path.mtu: 100000, expected at most 65536"),
        ({"path.loss": 1.2}, "found path.loss: 1.2, expected at least 0 and at most 1"),
        ({"sender.slots.nic1.lanes": 3}, "found sender.slots.nic1.lanes: 3, expected 1, 2, 4, 8, 12, 16 or 32"),
        ({"sendr": "b"}, "found unknown key 'sendr', expected sender, receiver, path, tool,"),
        ({"sender.app_cores": [4]}, "found sender: core 4, expected 0 to 3"),
        ({"sender.files_on": ["raid6"]}, "found sender: files on array 'raid6', expected one of raid50,"),
        ({"tool.streams": 2.5}, "found tool.streams: 2.5, expected a whole number"),
        ({"set": "tool"}, "found set: 'tool', expected dotted keys and values, such as 'path.rtt: 80 ms'"),
        (
            {"sender.arrays.raid50.level": 6, "sender.arrays.raid50.disks": 3, "sender.arrays.raid50.groups": 1},
            "found sender.arrays.raid50: RAID 6 of 3 disks, expected 4 or more for RAID 6",
        ),
        (
            {"sender.arrays.raid50.disks": 15},
            "found sender.arrays.raid50: RAID 50 of 15 disks in 2 groups, expected the same number in each group",
        ),
        (
            {"sender.slots.nic1.at": "pcie9"},
            "found slot 'nic1' at the board's slot 'pcie9', expected one of pcie1, pcie2,",
        ),
        (
            {"sender.slots.nic2.at": "pcie1"},
            "found sender: slots 'nic1' and 'nic2' both at 'pcie1' of the board, expected one",
        ),
        ({"sender.slots.nic1.behind": "plx"}, "found sender: slot 'nic1' behind 'plx', expected one of x58, nf200"),
        (
            {"sender.slots.nic1.mechanical": 4},
            "found sender.slots.nic1: 8 lanes in an x4 connector, expected at most 4",
        ),
        (
            {"sender.slots.raid1.nic": "myri-10g-pcie2-8b2-2s"},
            "found sender.slots.raid1: a network card and a controller in one slot, expected one card",
        ),
        (
            {"sender.slots.nic1.nic": "intel-pro-10gbe-lr"},
            "found sender.slots.nic1: a PCI-X card in a PCI Express slot, expected a card of its bus",
        ),
        ({"sender.board.slots.pcie1": 8}, "found sender.board.slots.pcie1: 8, expected a mapping of keys to values"),
        ({"sender.cpu.sockets": 2}, "found sender: 2 processors, expected at most 1, the sockets of the board"),
        (
            {"sender.memory.channels": 4},
            "found sender: 4 memory channels, expected at most 3, the channels of the board",
        ),
        ({"sender.cpu": "intel-i7-956"}, "found part 'intel-i7-956', expected one of intel-i7-965,"),
        ({"path.mtu": 1000, "path.ip": 6}, "found path: an MTU of 1000 B with IPv6, expected at least 1280 B"),
        (
            {"tool.streams": 1 << 12, "tool.processes": 1 << 4},
            "found tool: 16 x 4096 connections (processes, streams), expected at most 65535",
        ),
        ({"path.framing": "atm", "path.vlan": True}, "found path: a VLAN tag with framing 'atm', expected framing"),
        ({"path.rtt": "1e999"}, "found path.rtt: inf s, expected a finite time"),
        ({"path.pep_rate": "1 Gb/s"}, "found path: pep_rate on a path without proxies, expected 'pep: true'"),
    ],
)
def test_what_is_wrong_is_said(keys, message):
    assert message in fault(keys)


@pytest.mark.parametrize(
    ("keys", "nearest"),
    [
        ({"tool": "nutcp"}, "nuttcp"),
        ({"path": "lan-10g"}, "lan-10ge"),
        ({"path.rt": 1}, "rtt"),
        ({"sendr": "b"}, "sender"),
    ],
)
def test_the_nearest_word_is_named(keys, nearest):
    assert fault(keys).endswith(f"did you mean '{nearest}'?")


def test_an_end_that_is_missing_is_said():
    with pytest.raises(InputError, match=r"found no receiver, expected the key 'receiver': one of a, a\+, a\+\+, "):
        load_scenario({"tool": "dd-write"})


def test_a_network_test_needs_neither_ends_nor_path():
    scenario = load_scenario({"sender": "b", "tool": "nuttcp"})
    assert scenario.receiver.name == "receiver"
    assert scenario.receiver.cpu is None
    assert scenario.path.rate is None


def test_an_error_in_a_file_has_its_line(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("sender: b\nreceiver: b\npath: lan-10ge\ntool: nuttcp\npath.mtu: 20\n")
    with pytest.raises(InputError, match=r"s\.yaml:5: found path\.mtu: 20, expected at least 68"):
        load_scenario(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sender: b\npath:\n  rate: 10 Gb/s\n  rtt: -1 ms\nreceiver: b\ntool: nuttcp\n", 4),
        ("sender: b\nset:\n  path.rate: 10 Gb/s\n  path.rtt: -1 ms\nreceiver: b\ntool: nuttcp\n", 4),
    ],
)
def test_a_nested_key_and_one_under_set_have_their_own_line(text, line, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"s\.yaml:{line}: found path\.rtt: '-1 ms', expected at least 0 s"):
        load_scenario(path)


def test_a_key_set_from_outside_has_no_line_in_the_file(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("sender: b\nreceiver: b\npath: lan-10ge\ntool: nuttcp\npath.rtt: 1 ms\n")
    with pytest.raises(InputError, match=r"s\.yaml: found path\.rtt: '-1 ms', expected at least 0 s"):
        load_scenario(path, {"path.rtt": "-1 ms"})


def test_a_host_of_ones_own_may_be_like_one_of_the_library(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("like: b\ntitle: mine\nsource: here\ncpu: {clock: 4 GHz}\n")
    host = load_scenario({**LAN, "sender": str(path)}).sender
    assert host.name == "mine"
    assert host.cpu.clock.value == 4e9
    assert host.arrays == load_scenario(LAN).sender.arrays


def test_the_command_line_wins_over_the_files_own_set(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(
        "{sender: ideal, receiver: ideal, tool: iperf3, path.rate: 10 Gb/s, sender.cpu.clock: 2 GHz, "
        "set: {path.rtt: 80 ms, sender.cpu: amd-epyc-7742}}"
    )
    scenario = load_scenario(path, {"path.rtt": "1 ms", "sender.cpu.clock": "4 GHz"})
    assert (scenario.path.rtt.value, scenario.sender.cpu.clock.value) == (1e-3, 4e9)
    assert scenario.with_({"path.rtt": "2 ms"}).path.rtt.value == 2e-3
    other = load_scenario(path).with_({"sender.cpu.clock": "4 GHz"}).with_({"sender.cpu": "amd-epyc-7763"})
    assert other.sender.cpu.title.startswith("AMD EPYC 7763")
    assert any("replaces the earlier sender.cpu and drops sender.cpu.clock=4 GHz" in text for text in other.warnings)


def test_a_number_without_a_unit_in_a_file_is_said_and_short_units_are_those_of_tools(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text("{sender: ideal, receiver: ideal, tool: iperf3, path.rate: 10, path.rtt: 80 ms}")
    assert load_scenario(path).warnings == ("path.rate=10 is read as 10.0 b/s: write the unit if you mean another",)
    keys = {"path.rate": "10G", "tool.window": "4M", "path.mtu": "9k"}
    scenario = load_scenario(path, keys)
    assert (scenario.path.rate.value, scenario.tool.window.value, scenario.path.mtu) == (10e9, 4 * 2**20, 9000)
    assert scenario.warnings == (
        "path.rate=10G is read as 10.0 Gb/s: write the unit if you mean another",
        "tool.window=4M is read as 4194304 B: write the unit if you mean another",
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"tool": "dd-read", "receiver.kernel": "5.4"}, "receiver.kernel has no effect: this tool has no receiver"),
        ({"tool": "dd-read", "path.rtt": "1 ms"}, "path.rtt has no effect: this tool uses no network"),
        ({"tool": "perftest", "tool.window": "1 MiB"}, "tool.window has no effect: this tool does not use TCP"),
        ({"tool": "iperf3", "tool.cipher": "aes-gcm"}, "tool.cipher has no effect: tool.encryption is not set"),
        ({"tool": "iperf3", "path.spread": "round-robin"}, "path.spread has no effect: the path has a single link"),
        ({"tool": "iperf3", "path.loss": 0, "path.loss_burst": 9}, "path.loss_burst has no effect: path.loss is 0"),
        ({"tool": "iperf3", "sender.qdisc": "fq"}, "sender.qdisc has no effect: the sender's congestion control does"),
        ({"tool": "iperf3", "receiver.lro_frames": 8}, "receiver.lro_frames has no effect: receiver.lro is not set"),
        (
            {"tool": "iperf3", "tool.bytes": "1 GB", "tool.warm_up": "1 s"},
            "tool.warm_up has no effect: tool.bytes sets the amount, which counts whole",
        ),
        ({"tool": "iperf3", "sender.card_queues": 4}, "sender.card_queues has no effect: the sender's card is no"),
        (
            {"tool": "iperf3", "tool.bytes": "1 GB", "tool.duration": "9 s"},
            "tool.duration has no effect: tool.bytes sets the amount",
        ),
    ],
)
def test_a_key_without_effect_is_said(keys, expected):
    base = {"sender": "ideal", "receiver": "ideal"} | ({} if "dd" in keys["tool"] else {"path.rate": "1 Gb/s"})
    warnings = load_scenario({**base, **keys}).warnings
    assert any(text.startswith(expected) for text in warnings), warnings


def test_a_duration_replaces_the_amount_of_the_tools_file():
    base = {"sender": "ideal", "receiver": "ideal", "tool": "gridftp", "path.rate": "1 Gb/s"}
    assert load_scenario(base).tool.bytes is not None
    scenario = load_scenario(base, {"tool.duration": "20 s"})
    assert (scenario.tool.bytes, scenario.tool.duration.value) == (None, 20)
    assert scenario.warnings == ()


def test_a_pace_of_zero_is_none_and_no_other_traffic_can_be_stated():
    scenario = load_scenario({"path.rate": "10 Gb/s", "tool": "iperf3", "tool.pace": 0, "path.background": "0 Gb/s"})
    assert scenario.tool.pace is None
    assert scenario.path.background.value == 0
