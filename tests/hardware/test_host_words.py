"""A host in a few words."""

import pytest

from hecn_analysis import predict
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.host_words import host_words


def test_words_become_keys_of_a_host():
    host = host_words("nic=mcx623106an slot=gen3x8 disks=8x990pro raid=5 cpu=2x9374f kernel=6.8")
    assert host.keys == {
        "slots.nic.nic": "nvidia-mcx623106an-cdat",
        "slots.nic.gen": 3,
        "slots.nic.lanes": 8,
        "arrays.data.disk": "samsung-990-pro-2tb",
        "arrays.data.disks": 8,
        "arrays.data.level": "5",
        "cpu.part": "amd-epyc-9374f",
        "cpu.sockets": 2,
        "kernel": "6.8",
    }
    assert host.port_bps == 200e9


def test_slot_is_that_of_the_card_unless_given():
    keys = host_words("nic=mcx623106an").keys
    assert (keys["slots.nic.gen"], keys["slots.nic.lanes"]) == (4, 16)


def test_card_known_by_its_rate():
    host = host_words("nic=2x25G slot=3.0x8")
    assert host.port_bps == 50e9
    assert (host.keys["slots.nic.nic.ports"], host.keys["slots.nic.nic.port_rate"]) == (2, 25e9)
    assert (host.keys["slots.nic.gen"], host.keys["slots.nic.lanes"]) == (3, 8)


@pytest.mark.slow
def test_every_part_is_found_by_its_name():
    for kind, word in (("nics", "nic"), ("disks", "disks"), ("cpus", "cpu")):
        for name in parts(kind):
            assert name in host_words(f"{word}={name}").keys.values()


def test_a_family_of_cards_is_that_with_the_fastest_port():
    host = host_words("nic=connectx-6")
    assert host.keys["slots.nic.nic"] == "nvidia-mcx623105an-vdat"
    assert host.port_bps == 200e9
    assert host.remarks[0].startswith(
        "nic=connectx-6: NVIDIA ConnectX-6 Dx MCX623105AN-VDAT (nvidia-mcx623105an-vdat), "
        "the fastest port of 5 that fit; others: nvidia-mcx653105a-hdat (1 x 200 Gb/s), "
    )


def test_slot_bounds_what_the_card_carries():
    hosts = host_words("nic=mcx623106an slot=gen3x8").keys
    keys = {f"{role}.{key}": value for role in ("sender", "receiver") for key, value in hosts.items()}
    found = predict({**keys, "path.rate": "200 Gb/s", "tool": "iperf3"})
    rungs = {rung.resource: rung.throughput_bps for rung in found.ladder}
    assert 45e9 < rungs["receiver.slot.nic"] < 55e9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nic", "found 'nic' in --host, expected words such as "),
        ("nic=", "found 'nic=' in --host"),
        ("nic=100g nic=25g", "found nic twice in --host"),
        ("nic=warp-drive", "found nic=warp-drive in --host, expected a part that `hecn parts nics` lists"),
        ("disks=exos", "found disks=exos in --host, which fits "),
        ("nic=-", "found nic=- in --host"),
        ("nic=100g slot=wide", "found slot=wide in --host, expected generation and lanes, such as gen3x8"),
        ("disks=0x990pro", "found disks=0x990pro in --host, expected a number and a model"),
        ("slot=gen3x8", "found slot in --host without the part that it belongs to"),
        ("nic=100g raid=5", "found raid in --host without the part that it belongs to"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(InputError) as error:
        host_words(text)
    assert message in str(error.value)
