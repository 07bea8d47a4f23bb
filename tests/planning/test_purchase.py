"""Purchases: the cheapest of all by exhaustive enumeration, within limits and budget, and the documents' own lists."""

import itertools

import numpy as np
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.hardware import Parameter
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.planning.purchase.builds import Cards, Platform, Processors, Storage, host_keys, placed
from hecn_analysis.planning.purchase.cheapest import as_listed, purchase, purchase_front
from hecn_analysis.planning.purchase.offers import Offers, ddr_of, offered, offered_by
from hecn_analysis.planning.purchase.options import fits_cage
from hecn_analysis.planning.purchase.result import front_frame
from tests.prediction.steady import central_bps

LAN = {"rate": "25 Gb/s", "links": 4, "rtt": "0.1 ms", "mtu": 9000}
FEW = {"tool.processes": 4}


def priced(kind, names, generator, **fields):
    """Parts of the catalogue at prices by chance, and with some fields of our own."""
    known = parts(kind)
    prices = {name: Parameter(value=float(generator.integers(50, 2000)), source="drawn, 2026") for name in names}
    return {name: known[name].model_copy(update={"price": prices[name], **fields}) for name in names}


def small(seed, *, disks):
    """Offers of a few parts at prices by chance: a board of two or three slots, and what fits it."""
    generator = np.random.default_rng(seed)
    board = parts("boards")["supermicro-h12ssl-i"]
    slots = {name: board.slots[name] for name in ("pcie1", "pcie6", "pcie7")[: 3 if disks else 2]}
    cpus = ["amd-epyc-7402p", "amd-epyc-7742", "amd-epyc-74f3"]
    nics = ["intel-xxv710-da2", "mellanox-mcx4111a-acat", "intel-e810-cqda1"]
    found = {
        "boards": priced("boards", ["supermicro-h12ssl-i"], generator, slots=slots),
        "cpus": priced("cpus", cpus[:1] if disks else cpus, generator),
        "nics": priced("nics", nics[:1] if disks else nics, generator),
    }
    if disks:
        found["controllers"] = priced("controllers", ["broadcom-9300-8i", "m2-adapter-x16"], generator)
        found["disks"] = priced("disks", ["samsung-870-evo-1tb", "crucial-mx500-1tb", "samsung-990-pro-2tb"], generator)
    return Offers(found)


def hosts_of(offers, role, links):
    """Every host of those offers, by nested loops: price and keys."""
    for board, cpu in itertools.product(offers.boards.values(), offers.cpus.values()):
        platform = Platform(board, 1)
        slots = platform.slots()
        for nic, count in itertools.product(offers.nics.values(), (1, 2, 3)):
            for ports in range(1, nic.ports + 1):
                if count * ports != links or nic.port_rate.value < 25e9:
                    continue
                cards = Cards(nic, count, ports)
                fits_nic = frozenset(slot for slot in slots.values() if slot[2] >= nic.lanes)
                cost = board.price.value + cpu.price.value + count * nic.price.value
                chosen = {"platform": platform, "processors": Processors(cpu, 1), "cards": cards}
                if not offers.disks:
                    yield from keyed(role, chosen, {"cards": fits_nic}, cost)
                for disk, controller in itertools.product(offers.disks.values(), offers.controllers.values()):
                    if (controller.drives == "pcie") != (disk.link == "pcie"):
                        continue
                    fits = frozenset(slot for slot in slots.values() if slot[2] >= controller.lanes)
                    for arrays, each in itertools.product((1, 2), range(1, controller.disk_ports + 1)):
                        storage = Storage(disk, controller, arrays, each, 64e9 if disk.link == "pcie" else np.inf)
                        more = arrays * (controller.price.value + each * disk.price.value)
                        both = {**chosen, "storage": storage}
                        yield from keyed(role, both, {"cards": fits_nic, "storage": fits}, cost + more)


def keyed(role, chosen, fitting, cost):
    try:
        yield cost, host_keys(role, chosen, fitting, raid=0, base={})
    except LookupError:
        return


def no_dearer_than(found, offers, base, target):
    """Prices of purchases that cost no more and reach the target: that of the purchase alone, where it is cheapest."""
    for links in range(1, 5):
        both = [list(hosts_of(offers, role, links)) for role in ("sender", "receiver")]
        alone = []
        for hosts in both:  # a host that falls short with a partner without limits falls short with any
            cheap = [one for one in hosts if one[0] + min(other[0] for other in hosts) < found.usd + 0.01]
            alone.append([one for one in cheap if reaches({**base, **one[1], "path.links": links}, target)])
        for (one, sender), (other, receiver) in itertools.product(*alone):
            if one + other < found.usd + 0.01 and reaches({**base, **sender, **receiver, "path.links": links}, target):
                yield one + other


def reaches(keys, target):
    return hecn.predict(keys).throughput_bps >= target


def base_keys(tool):
    keys = {f"path.{key}": value for key, value in LAN.items()}
    roles = {key: value for role in ("sender", "receiver") for key, value in ((role, "ideal"), (f"{role}.lro", True))}
    return {"tool": tool, **FEW, **keys, **roles}


@pytest.mark.parametrize(("seed", "target"), [(1, 20e9), (2, 40e9), (3, 60e9), (4, 45e9)])
def test_no_cheaper_purchase_between_memories_reaches_the_target(seed, target):
    offers = small(seed, disks=False)
    found = purchase(target, path=LAN, between="memory", offers=offers, settings=FEW)
    assert found.prediction.throughput_bps >= target
    assert set(map(round, no_dearer_than(found, offers, base_keys("nuttcp"), target))) == {round(found.usd)}


@pytest.mark.parametrize(("seed", "target"), [(5, 8e9), (6, 16e9), (7, 20e9)])
def test_no_cheaper_purchase_between_disks_reaches_the_target(seed, target):
    offers = small(seed, disks=True)
    found = purchase(target, path=LAN, between="disk", offers=offers, settings=FEW)
    assert found.prediction.throughput_bps >= target
    assert set(map(round, no_dearer_than(found, offers, base_keys("nuttscp"), target))) == {round(found.usd)}


def test_what_is_bought_is_what_is_predicted():
    found = purchase("40 Gb/s", path=LAN, between="memory", offers=small(2, disks=False), settings=FEW)
    again = hecn.predict(found.prediction.scenario.keys)
    assert again.throughput_bps == pytest.approx(found.prediction.throughput_bps)
    assert found.usd == pytest.approx(found.to_frame().total_usd.sum())


def test_a_budget_is_kept_or_named():
    offers = small(2, disks=False)
    free = purchase("40 Gb/s", path=LAN, between="memory", offers=offers, settings=FEW)
    kept = purchase("40 Gb/s", path=LAN, between="memory", offers=offers, settings=FEW, budget=free.usd)
    assert kept.usd == free.usd
    with pytest.raises(InputError, match=r"for [\d,]+ USD, expected more of any of these: budget"):
        purchase("40 Gb/s", path=LAN, between="memory", offers=offers, settings=FEW, budget=free.usd - 1)


@pytest.mark.slow
def test_slots_lanes_bays_power_and_memory_are_enough_for_what_is_bought():
    found = purchase("80 Gb/s", path="sc11-100ge", assume_prices=True)
    for host in found.hosts.values():
        board, cpu = host.platform.board, host.processors
        assert board.socket == cpu.cpu.socket
        assert host.platform.sockets == cpu.count <= cpu.cpu.scales_to
        assert host.modules.channels <= cpu.count * min(cpu.cpu.memory_channels, board.memory_channels)
        assert host.modules.module.ddr == ddr_of(cpu.cpu.memory_transfers.value)
        lanes = host.cards.count * host.cards.nic.lanes + host.storage.arrays * host.storage.controller.lanes
        assert lanes <= cpu.count * cpu.cpu.lanes
        assert host.cards.count + host.storage.arrays <= len(board.slots)
        assert host.storage.bays <= sum(box.bays * number for box, number in host.enclosures)
        assert sum(box.supply.value * number for box, number in host.enclosures) > cpu.count * cpu.cpu.power.value
        assert fits_cage(found.line.optic.cage, host.cards.nic.cage)
    assert found.prediction.throughput_bps >= 80e9


@pytest.mark.slow
def test_bays_and_power_are_bought_with_the_drives():
    """Eight drives take eight bays: the smallest enclosure is not enough where there are more."""
    known = offered(assume_prices=True)
    only = {**known.parts, "disks": {name: known.disks[name] for name in ("samsung-870-evo-1tb",)}}
    found = purchase("50 Gb/s", path="sc11-100ge", offers=Offers(only))
    for host in found.hosts.values():
        assert host.storage.bays >= 12
        assert sum(box.bays * number for box, number in host.enclosures) >= host.storage.bays


@pytest.mark.parametrize(
    ("target", "settings", "message"),
    [
        ("300 Gb/s", {}, "a path faster than 100 Gb/s, the rate of its links together"),
        ("95 Gb/s", {"tool.pace": "10 Gb/s", "tool.processes": 1}, "hosts without limits reach no more"),
        ("90 Gb/s", {"sender.read_rate": "1 Gb/s"}, "hosts without limits reach no more"),
    ],
)
def test_it_says_why_nothing_reaches_the_target(target, settings, message):
    with pytest.raises(InputError, match=message):
        purchase(target, path="sc11-100ge", assume_prices=True, settings=settings)


def test_it_names_the_slots_where_there_are_too_few():
    offers = small(5, disks=True)
    board = offers.boards["supermicro-h12ssl-i"]
    one = board.model_copy(update={"slots": {"pcie1": board.slots["pcie1"]}})
    offers = Offers({**offers.parts, "boards": {board.part: one}})
    with pytest.raises(InputError, match=r"expected more of any of these: slots \(wide enough slots"):
        purchase("8 Gb/s", path=LAN, offers=offers, settings=FEW)


def test_parts_whose_price_is_assumed_are_bought_only_when_asked():
    with pytest.raises(InputError, match="--assume-prices"):
        purchase("90 Gb/s", path="sc11-100ge", between="memory")
    found = purchase("90 Gb/s", path="sc11-100ge", between="memory", assume_prices=True)
    assert found.doubt_usd > 0
    assert all(price is not None for price in found.to_frame().price_usd)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "path", "between", "each"),
    [
        ("a++", "back-to-back-12x10ge", "memory", 11_080),
        ("xssd1++", "sc10-nlr-8x10ge", "disk", 38_456),
        ("x100ssd", "back-to-back-4x40ge", "disk", 19_549),
    ],
)
def test_the_documents_lists_are_feasible_and_bought_for_no_more(name, path, between, each):
    usd, prediction = as_listed(name, path=path, between=between)
    assert usd == 2 * each
    found = purchase(prediction.throughput_bps * 0.99, path=path, between=between, like=name)
    assert found.usd <= usd + 10  # the list of XSSD1++ is 4 dollars off
    assert central_bps(found.prediction.scenario) >= prediction.throughput_bps * 0.99
    bought = {entry.part for entry in found.entries if entry.part}
    assert bought <= {part for kind in offered_by(name)[0].parts.values() for part in kind}


def test_a_host_without_a_list_names_those_with_one():
    with pytest.raises(InputError, match=r"host 'ideal' without a bill of materials, expected one of a, a\+"):
        purchase("1 Gb/s", path="lan-10ge", like="ideal")


def test_more_money_buys_more():
    found = purchase_front("20 Gb/s", path=LAN, between="memory", offers=small(2, disks=False), settings=FEW)
    table = front_frame(found)
    assert len(table) > 1
    assert table.price_usd.is_monotonic_increasing
    assert table.throughput_bps.is_monotonic_increasing
    assert (table.bps_per_dollar.dropna() > 0).all()


@pytest.mark.parametrize("target", [0, -1, float("nan")])
def test_a_target_is_a_rate(target):
    with pytest.raises((InputError, RangeError)):
        purchase(target, path="sc11-100ge", between="memory", assume_prices=True)


def test_cards_take_the_slots_that_nothing_else_can_use():
    platform = Platform(parts("boards")["supermicro-h12ssl-i"], 1)
    wide, narrow = (4, 16, 16), (4, 8, 8)
    at = placed(platform, {"nic": (2, {wide, narrow}), "drives": (5, {wide})})
    assert {platform.slots()[slot] for name, slot in at.items() if name.startswith("nic")} == {narrow}
    assert len(set(at.values())) == 7


@pytest.mark.slow
def test_five_hundred_parts_are_searched():
    generator = np.random.default_rng(8)
    known = offered(assume_prices=True)
    found = {kind: dict(known.parts[kind]) for kind in known.parts}
    while sum(map(len, found.values())) < 500:
        for kind, members in found.items():
            name, part = list(known.parts[kind].items())[generator.integers(len(known.parts[kind]))]
            cost = part.price.model_copy(update={"value": part.price.value * generator.uniform(0.7, 1.5)})
            members[f"{name}-{len(members)}"] = part.model_copy(update={"price": cost})
    bought = purchase("80 Gb/s", path="sc11-100ge", offers=Offers(found))
    assert bought.prediction.throughput_bps >= 80e9
    assert bought.rounds <= 30  # each a program solved and a candidate predicted


def test_drives_hold_the_capacity_without_their_parity_in_bays_of_their_size():
    wanted = {"path": "lan-10ge", "raid": 6, "assume_prices": True}
    bought = purchase("2 Gb/s", capacity="60 TB", **wanted)
    assert min(bought.capacity_bytes.values()) >= 60e12
    for host in bought.hosts.values():
        assert host.storage.disk.capacity.value * (host.storage.disks - 2) * host.storage.arrays >= 60e12
        large = host.storage.disk.form == "3.5 inch"
        bays = sum(number * box.bays for box, number in host.enclosures if not large or box.bay_form == "3.5 inch")
        assert bays >= host.storage.bays
    assert bought.usd > purchase("2 Gb/s", **wanted).usd


def test_a_capacity_is_asked_of_disks():
    with pytest.raises(InputError, match="found a capacity between memories, expected a transfer between disks"):
        purchase("2 Gb/s", path="lan-10ge", between="memory", capacity="1 TB")
