"""Everything under models/ loads, and no number stands there without saying where it comes from."""

import pytest
from pydantic import BaseModel

from hecn_analysis.base import places
from hecn_analysis.hardware import Library, Parameter, load_scenario
from hecn_analysis.hardware.parts import KINDS

LIBRARY = Library(places.models_dir())
HOSTS = LIBRARY.names("hosts")
PATHS = LIBRARY.names("paths")
TOOLS = LIBRARY.names("tools")


def scenario(**keys):
    return load_scenario({"sender": "ideal", "receiver": "ideal", "path": "lan-10ge", "tool": "nuttcp", **keys})


def parameters(model, name="", source=""):
    """Every number with provenance below a model, and the source of the entry that it stands in."""
    source = getattr(model, "source", "") or source
    for field in type(model).model_fields:
        value = getattr(model, field)
        items = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else [(field, value)]
        )
        for key, below in items:
            if isinstance(below, Parameter):
                yield f"{name}.{field}", below, source
            elif isinstance(below, BaseModel):
                yield from parameters(below, f"{name}.{key}", source)


def without_source(model, name):
    """Numbers that say nowhere where they come from; those not from a data sheet or document must say it themselves."""
    own = {"calibrated", "assumed"}
    return [
        key
        for key, value, source in parameters(model, name)
        if not (value.source or (source and value.basis not in own))
    ]


@pytest.mark.parametrize("name", HOSTS)
def test_host_loads_as_sender_and_receiver(name):
    both = scenario(sender=name, receiver=name)
    assert both.sender == both.receiver
    assert both.sender.name == name


@pytest.mark.parametrize("name", PATHS)
def test_path_loads_with_a_rate_and_a_round_trip_or_lies_within_one_machine(name):
    path = scenario(path=name).path
    assert path.same_host or path.rate.value > 0
    assert path.same_host or path.rtt.value > 0


@pytest.mark.parametrize("name", TOOLS)
def test_tool_loads(name):
    assert scenario(tool=name).tool.name == name


@pytest.mark.parametrize("name", LIBRARY.names("scenarios"))
def test_scenario_loads(name):
    assert load_scenario(name).name == name


@pytest.mark.parametrize("name", HOSTS)
def test_every_number_of_a_host_has_a_source(name):
    host = scenario(sender=name).sender
    assert host.source
    assert without_source(host, name) == []


@pytest.mark.parametrize("name", PATHS)
def test_every_number_of_a_path_has_a_source(name):
    assert without_source(scenario(path=name).path, name) == []


@pytest.mark.parametrize("name", TOOLS)
def test_every_number_of_a_tool_has_a_source(name):
    assert without_source(scenario(tool=name).tool, name) == []


def test_bossnet_is_a_part_of_the_way_to_haystack():
    """V.C: about 650 km are the end-to-end path from GGAO to Haystack."""
    part, whole = (scenario(path=name).path.rtt.value for name in ("bossnet-oc48", "evlbi-ggao-haystack"))
    assert part < whole
    assert whole > 2 * 650e3 / 2e8


def test_calibrated_numbers_have_a_spread():
    for name in HOSTS:
        for key, value, _ in parameters(scenario(sender=name).sender, name):
            assert value.basis != "calibrated" or value.spread > 0, key


def test_c_is_b_with_twice_the_disks_and_one_network_card():
    b, c = scenario(sender="b").sender, scenario(sender="c").sender
    assert c.arrays["raid50"].disks == 2 * b.arrays["raid50"].disks == 32
    assert "nic2" in b.slots
    assert "nic2" not in c.slots
    assert c.cpu == b.cpu


# --- bills of materials


def bill(name):
    return scenario(sender=name).sender.bill


@pytest.mark.parametrize("name", ["x++", "a++", "x100ssd", "xssd1++"])
def test_a_bill_that_a_document_prints_adds_up_to_its_total(name):
    """To the dollar, once what the file explains is taken into account; no price of it is assumed."""
    found = bill(name)
    assert found.sum_usd + found.off_usd == found.total.value
    assert bool(found.off_usd) == bool(found.difference)
    assert {item.price.basis for item in found.items} == {"documented"}


@pytest.mark.parametrize("name", ["a", "a-", "a+", "b", "c"])
def test_a_bill_of_assumed_prices_agrees_with_the_rounded_total(name):
    found = bill(name)
    doubt = sum(item.quantity * item.price.value * item.price.spread for item in found.items if item.price)
    assert abs(found.total.value - found.sum_usd) <= doubt + found.rounded_to.value / 2
    assert found.difference


def test_a_bill_of_which_the_document_gives_an_upper_bound_stays_below_it():
    found = bill("i7-hotlava")
    assert found.at_most
    assert found.total.value == 6800  # "costs less than $ 6,800 with the NIC"
    assert found.sum_usd < found.total.value
    assert found.difference
    assert bill("i7-myricom") is None  # two other hosts


def test_documents_totals():
    totals = {name: bill(name).total.value for name in ("a", "a-", "a+", "a++", "b", "c", "x++", "xssd1++", "x100ssd")}
    assert totals == {
        "a": 4600,
        "a-": 3600,
        "a+": 6500,
        "a++": 11_080,
        "b": 6800,
        "c": 9000,
        "x++": 11_080,
        "xssd1++": 38_456,
        "x100ssd": 19_549,
    }


@pytest.mark.parametrize("name", HOSTS)
def test_parts_of_a_bill_are_in_the_library(name):
    known = {part for kind in KINDS for part in LIBRARY.part_names(kind)}
    if bill(name) is not None:
        assert {item.part for item in bill(name).items if item.part} <= known


# --- topology


@pytest.mark.parametrize("name", HOSTS)
def test_what_the_bill_lists_is_in_the_host(name):
    host = scenario(sender=name).sender
    if host.bill is None:
        return
    listed = {item.part: item.quantity for item in host.bill.items if item.part}
    cards = [card.part for slot in host.slots.values() for card in (slot.nic, slot.controller) if card is not None]
    assert host.board.part in listed
    assert listed[host.cpu.part] == host.cpu.sockets
    for part in set(cards):
        assert cards.count(part) == listed[part], part
    # arrays may describe the same disks twice, as one array and as several
    assert all(array.disks <= listed[array.disk.part] for array in host.arrays.values())


@pytest.mark.parametrize("name", HOSTS)
def test_cards_of_a_host_find_lanes_and_a_node(name):
    host = scenario(sender=name).sender
    nodes = 1 if host.board is None else host.board.sockets
    for slot in host.slots.values():
        assert slot.node < nodes
        if slot.bus == "pcie":
            assert slot.gen is not None
            assert slot.lanes is not None
    for array in host.arrays.values():
        assert all(host.slots[slot].controller is not None for slot in array.slots)


def test_documents_topologies():
    """Ports, drives and sockets that the documents name."""

    def ports(name):
        return sum(slot.nic.ports for slot in scenario(sender=name).sender.slots.values() if slot.nic)

    assert {name: ports(name) for name in ("a-", "a", "a+", "a++", "x", "x++", "b", "b+", "c", "xssd1++")} == {
        "a-": 2, "a": 4, "a+": 8, "a++": 12, "x": 4, "x++": 12, "b": 4, "b+": 6, "c": 2, "xssd1++": 12,
    }  # fmt: skip
    x100 = scenario(sender="x100ssd").sender
    assert [array.disks for array in x100.arrays.values()] == [4] * 8
    # each processor has one network card and two RAID controllers
    for node in (0, 1):
        cards = [slot for slot in x100.slots.values() if slot.node == node]
        assert [sum(s.nic is not None for s in cards), sum(s.controller is not None for s in cards)] == [1, 2]
