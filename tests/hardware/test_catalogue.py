"""The catalogue of parts: every entry loads, says where its figures come from and when, and can be built."""

import re

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import KINDS, Cpu
from hecn_analysis.limits.pci_express_link import raw_bps

YEAR = r"(199|20[012])\d"


@pytest.mark.parametrize("kind", KINDS)
def test_parts_have_a_title_a_source_and_its_date_and_a_price_says_where_and_when(kind):
    found = parts(kind)
    assert found
    for name, part in found.items():
        assert part.part == name
        assert part.title, name
        assert part.source, name
        assert re.match(YEAR, part.date), name
        if part.price is not None:
            assert part.price.value > 0, name
            assert re.search(YEAR, part.price.source), name


def test_a_part_that_is_like_another_has_its_own_price_and_source():
    cpus = parts("cpus")
    assert cpus["intel-xeon-w5580"].price.value == 1669  # slide "A++ Server Approximate Costs"
    assert cpus["intel-xeon-w5580"].source != cpus["intel-i7-965"].source
    assert cpus["intel-xeon-w5580"].write_cost == cpus["intel-i7-965"].write_cost
    assert parts("controllers")["lsi-9280-8e"].rate == parts("controllers")["lsi-9261-8i"].rate


@pytest.mark.parametrize("kind", ["nics", "controllers", "disks", "cpus", "boards", "optics"])
def test_catalogue_reaches_from_the_documents_to_today(kind):
    """The youngest entries are of the last years, the oldest of the documents'."""
    years = {int(part.date[:4]) for part in parts(kind).values()}
    assert min(years) <= 2013
    assert max(years) >= 2022


def test_cards_of_every_speed_are_there():
    rates = {nic.port_rate.value / 1e9 for nic in parts("nics").values()}
    assert {1, 2.5, 10, 25, 40, 50, 100, 200, 400, 800} <= rates
    assert {disk.gen for disk in parts("disks").values() if disk.link == "pcie"} == {3, 4, 5, 6}


def test_a_card_of_the_catalogue_can_fill_one_port_through_its_own_bus():
    for name, nic in parts("nics").items():
        if nic.bus == "pcie":
            assert raw_bps(nic.gen, nic.lanes) > nic.port_rate.value, name


def test_a_described_server_is_few_lines(tmp_path):
    path = tmp_path / "server.yaml"
    path.write_text(
        "board: supermicro-h13ssl-n\ncpu: amd-epyc-9374f\nmemory: {channels: 12, transfers: 4800 MT/s}\n"
        "slots:\n  nic: {at: pcie1, nic: nvidia-mcx715105as-weat}\n"
        "arrays:\n  data: {level: 0, disks: 8, disk: kioxia-cm7-r-3840}\n"
    )
    host = load_scenario({"sender": str(path), "receiver": "ideal", "path.rate": "400 Gb/s", "tool": "iperf3"}).sender
    assert (host.cpu.cores, host.slots["nic"].gen, host.slots["nic"].lanes) == (32, 5, 16)
    assert host.cpu.clock.value == pytest.approx(4.12e9)


def test_two_sockets_are_twice_the_cores():
    def cores(**cpu):
        keys = {f"sender.cpu.{key}": value for key, value in cpu.items()}
        scenario = load_scenario(
            {"sender.cpu.part": "amd-epyc-9654", **keys, "receiver": "ideal", "path": "lan-10ge", "tool": "iperf3"}
        )
        return scenario.sender.cpu.cores

    assert cores() == 96
    assert cores(sockets=2) == 192
    assert cores(sockets=2, cores=64) == 64  # what a virtual machine was given
    with pytest.raises(InputError, match=r"found sender\.cpu: 200 cores, expected at most 192: 2 times 96"):
        cores(sockets=2, cores=200)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"link": "sata-6", "read_rate": "700 MB/s"}, "a read_rate of 5.60 Gb/s, expected at most the 4.80 Gb/s"),
        ({"link": "pcie", "gen": 3, "lanes": 4, "read_rate": "7 GB/s"}, "expected at most the 31.5 Gb/s"),
        ({"link": "pcie", "read_rate": "7 GB/s"}, "an NVMe drive without gen or lanes"),
    ],
)
def test_a_drive_is_no_faster_than_its_link(fields, message):
    keys = {f"sender.arrays.a.disk.{key}": value for key, value in {"write_rate": "100 MB/s", **fields}.items()}
    with pytest.raises(InputError, match=re.escape(message)):
        load_scenario(
            {**keys, "sender.arrays.a.level": 0, "sender.arrays.a.disks": 1, "tool": "dd-read"},
        )


def test_an_unknown_kind_names_the_nearest():
    with pytest.raises(InputError, match=r"found parts 'cpu', expected one of .*did you mean 'cpus'"):
        parts("cpu")


def test_generic_processor_is_a_prior():
    """Nothing of it is taken for a specification, and its spreads are wide."""
    generic = parts("cpus")["generic-server-cpu"]
    costs = [getattr(generic, field) for field in Cpu.model_fields if field.endswith("_cost")]
    assert {cost.basis for cost in costs} == {"assumed"}
    assert min(cost.spread for cost in costs) >= 0.3
