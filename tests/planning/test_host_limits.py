"""What each part of a host allows: the part that binds, ways to lay out files, and what the documents measured."""

import math

import pytest

from hecn_analysis import predict
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.studies import host_limits as planned
from tests.prediction.steady import steady

DISKS, MEMORY = planned.KINDS


@pytest.fixture(scope="module")
def limits():
    return planned.host_limits(["b", "a+"])


def test_bottleneck_allows_what_is_predicted_and_the_others_no_less(limits):
    for _, parts in limits.groupby(["host", "kind"]):
        (binds,) = parts[parts["binds"]].to_dict("records")
        central, _ = steady(planned.fastest(binds["host"], binds["kind"]).scenario.keys)
        assert binds["throughput_bps"] == pytest.approx(central * 1e9, rel=1e-3)  # predicted: the median
        assert (parts["throughput_bps"] >= binds["predicted_bps"] * 0.999).all()
        assert parts["resource_class"].is_unique


def test_host_without_disks_is_shown_from_memory_to_memory_only(limits):
    assert list(limits.drop_duplicates(["kind", "host"])[["kind", "host"]].itertuples(index=False, name=None)) == [
        (DISKS, "b"),
        (MEMORY, "b"),
        (MEMORY, "a+"),
    ]


def test_raid_binds_two_copies_of_a_b_system_and_its_ports_bind_its_memory(limits):
    binds = limits[limits["binds"]].set_index(["host", "kind"])["resource_class"]
    assert binds.to_dict() == {("b", DISKS): "raid", ("b", MEMORY): "link", ("a+", MEMORY): "cpu"}


def test_part_that_is_half_busy_allows_twice_the_rate():
    prediction = predict({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"})
    allowed = planned.limits_of(prediction).set_index("resource")["throughput_bps"]
    slot = prediction.utilisation["receiver.slot.nic1"]
    assert allowed["receiver.slot.nic1"] == pytest.approx(prediction.throughput_bps / slot)


def test_window_is_a_limit_too():
    far = {"sender": "b", "receiver": "b", "path": "netem-80ms-10ge", "tool": "nuttcp", "tool.duration": "30 s"}
    found = planned.limits_of(predict(far))
    assert found.loc[found["binds"], "resource_class"].tolist() == ["window"]


def test_layouts_never_share_a_controller():
    both = load_scenario({"sender": "b", "receiver": "x100ssd", "path": "lan-10ge", "tool": "nuttscp"})
    assert planned.layouts(both.sender) == [["raid50"], ["raid5-1", "raid5-2"]]
    server = both.receiver
    assert planned.layouts(server) == [server.files_on]


def test_each_layout_is_tried_with_one_and_two_copies_an_array():
    found = [(one.sender.files_on, one.tool.processes) for one in planned.transfers("b", DISKS)]
    assert found == [(["raid50"], 1), (["raid50"], 2), (["raid5-1", "raid5-2"], 2), (["raid5-1", "raid5-2"], 4)]


def test_given_path_is_taken_and_its_links_are_filled():
    (one,) = planned.transfers("a+", MEMORY, path="lan-4x10ge")
    assert (one.path.name, one.path.links, one.tool.processes) == ("lan-4x10ge", 4, 4)


def test_host_without_a_card_needs_a_path():
    with pytest.raises(InputError, match="found host 'ideal' without a network card, expected one with a card"):
        list(planned.transfers("ideal", MEMORY))


def test_networked_hosts_are_those_with_cards_oldest_first():
    names = planned.networked_hosts()
    assert names[0] == "thunderhead"
    assert names[-1] == "x100ssd"
    assert "ideal" not in names


def test_most_measured_of_a_host_is_the_documents_highest_rate_with_its_place():
    found = planned.most_measured(["c", "a++", "b"]).set_index(["host", "kind", "role"])
    copies = found.loc["c", DISKS, "both"]
    assert copies["measured_bps"] == pytest.approx(17824.8581e6)
    assert (copies["source_file"], copies["place"]) == ("logs/c-systems-nuttscp.txt", "page 70, C-Systems (6-of-7)")
    assert found.loc["a++", MEMORY, "receiver"]["measured_bps"] == pytest.approx(56.4703e9)


def test_binding_names_the_next_part_and_the_lower_measured_role(limits):
    reported = planned.most_measured(["b", "a+"])
    rows = planned.binding(limits, reported).set_index(["host", "kind"])
    assert rows.loc[("b", MEMORY), "next"] == "receiver.slot.nic1"
    assert rows.loc[("b", DISKS), "most_measured_bps"] == pytest.approx(10137.9028e6)
    nothing = planned.binding(limits, reported.iloc[:0]).set_index(["host", "kind"])
    assert math.isnan(float(nothing.loc[("b", DISKS), "most_measured_bps"] or math.nan))
