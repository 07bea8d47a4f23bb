"""The app without its page: states, controls, what is saved and read, what a page is told."""

import json
import re

import pytest
import yaml

from hecn_analysis.app import model
from hecn_analysis.app.controls import choices, controls_of
from hecn_analysis.base import places
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.prediction import predict

B = {"sender": "b", "receiver": "b", "path": "netem-80ms-10ge", "tool": "nuttscp"}
HOTLAVA = {
    "sender": "i7-hotlava",
    "receiver": "i7-myricom",
    "path": "back-to-back-6x10ge",
    "tool": "nuttcp",
    "tool.processes": 6,
    "tool.duration": 60.0,
}
RATES = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "iperf3",
    "path.rate": 1e11,
    "path.rtt": 0.045,
    "path.mtu": 9000,
}
STATES = [
    B,
    HOTLAVA,
    RATES,
    {**B, "path.rtt": 0.123, "path.loss": 2e-6, "sender.congestion_control": "reno", "tool.bytes": 1e9},
    {**B, "sender.cards": 3, "path.links": 3, "receiver.arrays.raid50.disks": 24, "receiver.lro": True},
    {**B, "tool": "dd-read"},
]


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_what_is_saved_predicts_what_is_shown_and_is_read_back(state, tmp_path):
    saved = tmp_path / "scenario.yaml"
    text = model.to_yaml(state)
    saved.write_text(text)
    shown = model.in_full(model.glance(state)).prediction
    again = predict(load_scenario(saved))
    assert again.bottleneck == shown.bottleneck
    assert [again.throughput_bps, again.low_bps] == pytest.approx([shown.throughput_bps, shown.low_bps])
    assert model.to_yaml(model.read(text, "scenario.yaml")) == text


@pytest.mark.parametrize("name", [name for name, _ in choices("scenarios")])
def test_every_shipped_scenario_opens_and_every_control_is_at_one_of_its_steps(name):
    state = model.opened(name)
    look = model.glance(state)
    assert look.prediction.bottleneck == predict(name).bottleneck
    page = model.page(look)
    json.dumps(page)
    for control in page["controls"]:
        assert len(control["steps"]) == len(control["texts"]) > 1
        assert 0 <= control["at"] < len(control["steps"])


def test_numbers_are_written_with_units_that_say_the_same_number():
    document = yaml.safe_load(model.to_yaml({**B, "path.rtt": 0.0789, "path.rate": 25e9, "tool.bytes": 5e12}))
    assert document["set"] == {"path.rtt": "78.9 ms", "path.rate": "25 Gb/s", "tool.bytes": "5 TB"}


def test_who_takes_another_path_takes_it_as_it_is():
    before = {**B, "path.rtt": 0.3, "tool.streams": 4}
    assert model.settled(before, {**before, "path": "lan-10ge"}) == {**B, "path": "lan-10ge", "tool.streams": 4}
    assert model.settled(before, {**before, "path.rtt": 0.5}) == {**before, "path.rtt": 0.5}


def test_more_network_cards_go_into_slots_of_the_board_and_onto_the_bill():
    look = model.glance({**B, "sender.cards": 3})
    slots = look.scenario.sender.slots
    assert slots["added1"].at == "pcie6"
    assert slots["added1"].nic.part == slots["nic1"].nic.part
    assert look.cost["sender"].usd - look.cost["receiver"].usd == 950


def test_what_cannot_be_is_a_sentence():
    with pytest.raises(
        InputError, match=r"found 9 network cards in the sender, expected 3 at most: its Asus .* has 1 slot"
    ):
        model.glance({**B, "sender.cards": 9})
    with pytest.raises(HecnError, match=r"RAID 50 of 17 disks"):
        model.glance({**B, "sender.arrays.raid50.disks": 17})
    assert model.refused(InputError("a", "b")) == {"error": "found a, expected b"}
    assert "defect" in model.refused(KeyError("x"))["error"]


def test_a_file_that_is_no_scenario_names_its_line():
    with pytest.raises(InputError, match=r"mine\.yaml:2: found unknown key 'pathh'"):
        model.read("sender: b\npathh: lan-10ge\n", "mine.yaml")
    with pytest.raises(InputError, match=r"mine\.yaml:3: .*'abc'"):
        model.read("sender: b\nset:\n  path.rtt: abc\nreceiver: b\npath: lan-10ge\ntool: nuttcp\n", "mine.yaml")


def test_costs_are_those_of_the_documents_and_assumed_prices_are_marked():
    cost = model.glance({**HOTLAVA, "sender": "a++", "receiver": "a++"}).cost["sender"]
    assert cost.usd == cost.stated_usd == 11080
    assert cost.assumed_usd == 0
    bill = model.page(model.glance(B))["costs"][0]
    assert any(line["sum"].endswith("*") for line in bill["lines"])
    assert "at assumed prices" in bill["remark"]


def test_a_host_without_a_bill_is_priced_by_its_parts_and_says_what_is_not_known():
    state = {**HOTLAVA, "sender": "xeon-pcix"}
    cost = model.glance(state).cost["sender"]
    assert cost.year is None
    assert {line.part for line in cost.lines} >= {"intel-pro-10gbe-lr"}
    assert cost.unknown
    page = model.page(model.glance(state))
    assert "no known price for" in page["costs"][0]["remark"]


def test_a_first_look_tells_the_same_bottleneck_and_is_near():
    for state in (B, HOTLAVA, RATES):
        first = model.glance(state)
        full = model.in_full(first)
        assert (first.exact, full.exact) == (False, True)
        assert first.prediction.bottleneck == full.prediction.bottleneck
        assert first.prediction.throughput_bps == pytest.approx(full.prediction.throughput_bps, rel=0.02)


def test_nothing_that_limits_is_said():
    state = {"sender": "ideal", "tool": "dd-read"}
    page = model.page(model.glance(state))
    assert page["headline"]["value"] == "no limit"
    assert page["sentence"] == "Nothing in this description sets a limit."


def test_keys_of_controls_are_those_that_the_state_calls_controlled():
    keys = {control.key for state in STATES for control, _ in controls_of(model.glance(state).scenario)}
    assert len(keys) >= 20
    assert [key for key in keys if not model.CONTROLLED.fullmatch(key)] == []


def test_page_names_every_model_and_the_template_asks_no_other_host():
    assert [len(names) for names in model.models().values()] == [
        len(list((places.models_dir() / kind).glob("*.yaml"))) for kind in ("hosts", "hosts", "paths", "tools")
    ]
    folder = places.models_dir().parent / "hecn_analysis" / "app"
    for name in ("view.js", "view.css", "page/voila/templates/hecn/index.html.j2"):
        assert not re.search(r"https?:|//cdn|@import", (folder / name).read_text())


def test_a_first_look_over_losses_gives_one_digit_and_says_that_it_is_rough():
    state = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp", "path.rtt": 0.08, "path.loss": 1e-4}
    look = model.glance(state)
    rough = model.page(look)["headline"]
    assert rough["value"].startswith("about ")
    assert len(rough["value"].removeprefix("about ").strip("0")) == 1
    assert rough["interval"].startswith("computing losses")
    full = model.page(model.in_full(look))["headline"]
    assert not full["value"].startswith("about")
    assert " to " in full["interval"]


# a host of one's own, and the formula of what binds


def test_a_host_in_words_replaces_the_named_one_and_keeps_path_and_tool():
    state = model.with_host({**B, "path.rtt": 0.01}, ["sender"], "nic=100g slot=gen3x8 disks=8x990pro")
    assert (state["receiver"], state["path"], state["tool"], state["path.rtt"]) == ("b", B["path"], B["tool"], 0.01)
    assert "sender" not in state
    assert (state["sender.slots.nic.lanes"], state["sender.arrays.data.disks"]) == (8, 8)
    assert model.page(model.glance(state))["models"]["sender"] == ""
    memory = model.with_host(model.START, ["sender", "receiver"], "nic=100g")
    assert memory["tool"] == model.START["tool"]
    assert model.with_host(model.START, ["sender", "receiver"], "nic=100g disks=8x990pro")["tool"] == "gridftp"
    with pytest.raises(InputError, match="nothing-of-the-kind"):
        model.with_host(B, ["sender"], "nic=nothing-of-the-kind")


def test_the_parts_to_choose_from_are_named():
    parts = model.known_parts()
    assert all(parts.values())
    assert ["samsung-990-pro-2tb", "Samsung 990 PRO 2 TB"] in parts["disks"]


def test_a_captured_host_opens_at_both_ends(root):
    state = model.opened(root / "data" / "inventory" / "virtual-machine")
    assert state["path"] == model.START["path"]
    assert {key for key in state if key.startswith("sender.cpu.")} == {
        key.replace("receiver.", "sender.") for key in state if key.startswith("receiver.cpu.")
    }
    json.dumps(model.page(model.glance(state)))


def test_a_folder_of_transfers_opens_as_their_scenario_beside_the_measured_rate(root):
    state = model.opened(root / "data" / "transfers" / "over_time")
    assert state == {
        "sender": "ideal",
        "receiver": "ideal",
        "tool": "iperf3",
        "tool.duration": 30.0,
        "path.mtu": 1500.0,
        "path.rate": 4e7,
        "path.rtt": 0.04,
        "path.loss": pytest.approx(0.003784, rel=0.001),
        "path.loss_burst": 3.0,
        "measured": pytest.approx(14.0e6, rel=0.01),
    }
    page = model.page(model.glance(state))
    assert page["facts"][0] == ["Measured", "14.0 Mb/s"]
    lossless = {key: value for key, value in state.items() if not key.startswith("path.loss")}
    assert model.page(model.glance(lossless))["facts"][0] == ["Measured", "14.0 Mb/s, below the interval"]
    assert "measured 14.05 Mb/s" in json.dumps(page["figures"])
    assert "measured" not in page["yaml"]
    assert page["settings"] == [["path.loss_burst", "3"]]


IDEAL = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "iperf3",
    "path.rate": 1e10,
    "path.mtu": 9000,
    "path.loss": 0.0,
}


@pytest.mark.parametrize(
    ("state", "start", "value"),
    [
        ({**IDEAL, "path.rtt": 0.001}, "Line rate × payload / frame: 10.0 Gb/s × 8948 B / 9038 B", 9.9),
        ({**IDEAL, "path.rtt": 0.08, "tool.window": 2**24}, "Window / round-trip time: 8 × ", 2.11),
        (HOTLAVA, "Raw rate less headers: PCIe gen 2 x16, 64.0 Gb/s × 128 B / 152 B", 48.2),
        (
            {**B, "path": "lan-2x10ge", "sender": "c", "receiver": "c"},
            "8 × clock / cycles per byte: 8 × 3.2 GHz / ",
            10.3,
        ),
        ({**IDEAL, "path.rtt": 0.08, "path.loss": 1e-4}, "In the long run, cubic: packets in flight ", 0.14),
    ],
)
def test_the_formula_of_the_limit_has_its_numbers_and_their_result(state, start, value):
    look = model.in_full(model.glance(state))
    text = model.page(look)["formula"]
    assert text.startswith(start)
    shown = re.search(r" = (\d+(?:\.\d+)?) ([GM])b/s(?:;|$)", text)
    rate = float(shown[1]) * {"G": 1.0, "M": 1e-3}[shown[2]]
    assert rate == pytest.approx(value, rel=0.03)
    predicted = look.prediction.throughput_bps / 1e9
    assert ("predicted for this test" in text) == (abs(rate / predicted - 1) > 0.03)
