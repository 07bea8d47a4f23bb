"""Roadmaps: what the documents planned and reached, what a goal needs, and what is said of a wrong file."""

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.path import Path
from hecn_analysis.limits.tcp_loss import cubic_loss
from hecn_analysis.planning.roadmap import milestones as planned
from hecn_analysis.planning.roadmap.needs import cores_needed, needs, slot_bps, tmt_bps

FAR = Path(rtt="62 ms", mtu=9000)

OWN = """\
title: Ours
document: a plan
milestones:
  soon: {kind: goal, title: Soon, date: "2027", target: 90 Gb/s, between: memory, path: {rtt: 40 ms, mtu: 9000}}
"""


@pytest.fixture(scope="module")
def shipped():
    """The shipped roadmaps by name."""
    return {name: planned.roadmap(name) for name in planned.names()}


def test_marks_of_the_documents_stand_with_their_goals():
    found = planned.roadmap("hecn", only=["phase-0-lan", "phase-1-lan", "b-lan", "hotlava"]).milestones
    table = found.set_index("milestone")
    assert table.target_bps["phase-1-lan"] == 20e9
    assert table.measured_bps["phase-1-lan"] == pytest.approx(17.8248581e9)  # "90% of maximum 19.8 Gbps"
    assert table.reached_fraction["phase-1-lan"] == pytest.approx(0.891, abs=1e-3)
    assert table.reached_date["phase-0-lan"] == table.date["b-lan"] == "2009-11-02"
    assert table.measured_bps["b-lan"] == table.measured_bps["phase-0-lan"]
    assert table.bottleneck_class["hotlava"] == "slot"
    assert table.source_file["b-lan"] == "logs/b-systems-nuttscp.txt"
    assert table.line_first["b-lan"] > 0
    assert list(found.date) == sorted(found.date)


@pytest.mark.slow  # every roadmap
def test_every_milestone_of_the_shipped_roadmaps_is_read(shipped):
    for found in shipped.values():
        known = found._content.milestones.items()
        # hosts that forward (WAN emulator and firewall, page 53) are targets, and nothing that the model has
        goals = {key for key, one in known if one.kind == "goal" and one.between != "forwarding"}
        assert set(found.needs.milestone) == goals
        assert set(found.milestones.milestone) == {key for key, _ in known}
        assert set(found.needs.groupby("milestone").resource.first()) == {"link"}
        assert found.needs.need.notna().all()


def test_goals_of_the_documents_came_in_time_for_the_parts_that_reached_them():
    """What is known by 2012 is what the X100SSD server of 2012 was built of."""
    found = needs(100e9, Path(rtt="87 ms", mtu=9000), "disk", 2012).set_index("resource")
    assert found.known.dropna().all()
    assert found.part["board"] == parts("boards")["supermicro-x9dr3-f"].title
    assert found.part["drives"] == parts("disks")["ocz-vertex3-120"].title
    assert found.amount["drives"] == 28  # 3.6 Gb/s each; the server had 32 and reached 115 Gb/s
    assert found.amount["window"] == pytest.approx(100e9 * 0.087 / 8)
    assert found.amount["loss"] == pytest.approx(cubic_loss(100e9 * 0.087 / 8 / 8960, 0.087))


@pytest.mark.slow  # every roadmap
def test_all_accomplishments_of_the_documents_are_milestones(shipped):
    table = shipped["hecn"].milestones
    assert set(table.accomplishment.dropna()) == set(range(1, 18))
    events = table[table.kind == "event"].set_index("milestone")
    assert events[["target_bps", "measured_bps", "predicted_bps"]].isna().all(axis=None)
    # not measured at all, and two conferences of their own
    assert {"testbed-plans", "testbed-presentation", "security-gateway", "sc11", "sc12-testbed"} == set(events.index)
    assert events.date["sc11"] < events.date["sc12-testbed"]
    assert events.place["security-gateway"] == "Significant >10G Accomplishments 12"


#: Pages 53 to 55: one way and, twice what each way is to carry, both ways [Gb/s].
TARGETS = {
    "b-memory": 40,
    "b-memory-both": 80,
    "b-copies": 10,
    "c-copies": 20,
    "a-emulator": 40,
    "a-emulator-both": 80,
    "a-firewall": 20,
    "a-firewall-both": 40,
    "a+-memory": 70,
    "a+-memory-both": 80,
    "a--memory": 20,
    "a--memory-both": 40,
    "a++-memory": 100,
    "a++-memory-both": 100,
}


def test_functional_targets_of_the_workstations_are_goals():
    table = planned.roadmap("hecn", only=TARGETS).milestones.set_index("milestone")
    assert (table.target_bps / 1e9).to_dict() == TARGETS
    assert table.both_ways.to_dict() == {name: name.endswith("-both") for name in TARGETS}
    assert table.reached_fraction["a+-memory-both"] == pytest.approx(77.2797 / 80)
    # without a measurement: the configuration is predicted, and nothing is said to have been reached
    assert table.loc["a++-memory-both", ["measured_bps", "reached_fraction", "reached_by"]].isna().all()
    assert table.predicted_bps["a--memory"] == pytest.approx(19.8e9, rel=0.01)
    assert table.loc["a-emulator", ["measured_bps", "predicted_bps"]].isna().all()


def test_both_ways_need_half_the_links_and_all_of_the_cores_and_memory():
    both = needs(80e9, FAR, "memory", None, both_ways=True).set_index("resource").amount
    half, whole = (needs(rate, FAR, "memory", None).set_index("resource").amount for rate in (40e9, 80e9))
    links = ["link", "network card", "slot", "board", "window", "loss"]
    assert both[links].tolist() == half[links].tolist()
    assert both[["cores", "memory"]].tolist() == whole[["cores", "memory"]].tolist()


@pytest.mark.parametrize(
    ("name", "remark"),
    [("a-firewall", "a goal of a host that forwards"), ("b-memory-both", "a goal of both directions")],
)
def test_goals_that_are_not_bought_say_so(name, remark):
    row = planned.roadmap("hecn", only=[name], buy="assumed").milestones.iloc[0]
    assert row.price_remark.startswith(remark)


def test_a_goal_before_its_parts_says_since_when_they_are_there():
    found = needs(380e9, FAR, "memory", 2012).set_index("resource")
    assert not found.known["slot"]
    assert found.since["slot"] == 2020  # two slots of PCIe 4.0 x16
    assert found.need["slot"].startswith("2 x PCIe 4.0 x16")
    assert found.need["slot"].endswith("4 x 3.0, 2 x 4.0, 1 x 5.0")
    assert slot_bps(4, 16) < 380e9 < slot_bps(5, 16) < tmt_bps(5, 16)


def test_what_nothing_carries_is_said():
    found = needs(50e12, FAR, "disk", None).set_index("resource")
    assert not found.known[["link", "slot", "drives", "board", "cores", "memory"]].any()
    assert found.need["cores"] == "no processor on offer has enough cores"
    assert found.since.isna().all()


def test_between_memories_no_drives_and_near_no_window_are_needed():
    near = set(needs(50e9, Path(rtt="0.1 ms", mtu=9000), "memory", None).resource)
    assert near == {"link", "network card", "slot", "board", "cores", "memory"}
    assert set(needs(50e9, FAR, "disk", None).resource) == near | {"drives", "window", "loss"}


@pytest.mark.parametrize("name", ["intel-xeon-e5-2687w", "amd-epyc-9175f"])
def test_a_faster_goal_never_needs_fewer_cores(name):
    cpu = parts("cpus")[name]
    found = [cores_needed(cpu, rate, disk=True, window_bytes=1e9) for rate in (1e9, 10e9, 40e9, 80e9)]
    totals = [sum(each) for each in found]
    assert totals == sorted(totals)
    assert sum(cores_needed(cpu, 80e9, disk=False, window_bytes=0)) < totals[-1]
    assert cores_needed(cpu, 1e15, disk=True, window_bytes=0) is None


def test_a_goal_is_bought_and_its_assumed_prices_are_told():
    found = planned.roadmap("400g", only=["200g-memory-near"], buy="assumed")
    row = found.milestones.iloc[0]
    bought = found.purchases["200g-memory-near"]
    assert row.predicted_bps >= 190e9
    assert row.price_usd == pytest.approx(found.bills.total_usd.sum()) == pytest.approx(bought.usd)
    assumed = found.bills[found.bills.basis == "assumed"].total_usd.sum()
    assert row.price_assumed_usd == pytest.approx(assumed)
    assert 0 < assumed < row.price_usd


def test_a_goal_that_cannot_be_bought_says_why():
    row = planned.roadmap("400g", only=["200g-memory-near"], buy="sourced").milestones.iloc[0]
    assert row.price_remark.startswith("nothing to buy that reaches 190 Gb/s: expected ")
    assert row[["price_usd", "predicted_bps"]].isna().all()


def test_a_roadmap_of_ones_own(tmp_path):
    file = tmp_path / "ours.yaml"
    file.write_text(OWN)
    found = hecn.roadmap(file)
    assert (found.name, found.title, list(found.milestones.milestone)) == ("ours", "Ours", ["soon"])
    assert found.needs.amount[found.needs.resource == "window"].item() == pytest.approx(90e9 * 0.04 / 8)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("target: 90 Gb/s, ", "", r"ours.yaml:4: .*a goal, expected a target"),
        ("90 Gb/s", "90 Gbit", r"ours.yaml:4: .*90 Gbit"),
        ('"2027"', '"next"', r"ours.yaml:4: .*'next', expected a date"),
        ("path: {rtt: 40 ms,", "path: {rtt: 40 furlongs,", r"ours.yaml:4: .*furlongs"),
        ("title: Soon", "title: Soon, reached: now", r"ours.yaml:4: .*a mark: there is none"),
        ("title: Soon", "title: Soon, colour: red", r"ours.yaml:4: .*unknown key"),
        ("title: Soon", "title: Soon, case: x", r"ours.yaml:4: .*case: x, expected case: SERIES/CASE"),
        ("kind: goal", "kind: event", r"ours.yaml:4: .*between, path, target with kind: event, expected no such"),
        ("kind: goal", "kind: mark, both_ways: true", r"ours.yaml:4: .*both_ways, path, target with kind: mark"),
    ],
)
def test_what_is_wrong_in_a_roadmap_is_said_with_its_line(tmp_path, before, after, message):
    file = tmp_path / "ours.yaml"
    assert before in OWN
    file.write_text(OWN.replace(before, after))
    with pytest.raises(InputError, match=message):
        hecn.roadmap(file)


def test_an_event_without_a_date_is_said(tmp_path):
    file = tmp_path / "ours.yaml"
    file.write_text(OWN + "  seen: {kind: event, title: Seen}\n")
    with pytest.raises(InputError, match=r"ours.yaml:5: .*an event, expected a date"):
        hecn.roadmap(file)


def test_a_mark_that_is_not_there_is_said(tmp_path):
    file = tmp_path / "ours.yaml"
    file.write_text(OWN + "  mark: {kind: mark, title: Mark, date: 2026, case: ssd/sc21}\n")
    with pytest.raises(InputError, match=r"ours.yaml:5: .*case 'ssd/sc21', expected one of ssd/sc13-udp, "):
        _ = hecn.roadmap(file).milestones


@pytest.mark.parametrize(("name", "only", "nearest"), [("hecm", [], "hecn"), ("hecn", ["phase-3-wam"], "phase-3-wan")])
def test_an_unknown_name_gets_the_nearest(name, only, nearest):
    with pytest.raises(InputError, match=rf"did you mean '{nearest}'"):
        hecn.roadmap(name, only=only)
