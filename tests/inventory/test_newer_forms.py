"""Forms that newer programs print: ethtool's JSON, the tables of storcli2 and perccli2."""

import json

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry


def read(text):
    found = registry.read(Document("new.txt", text.encode()))
    return [{"format": one.facts.format, **one.facts.values} for one in found.captured]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"rx-max": 4096, "tx-max": 2048, "rx": 512, "tx": 256, "tx-push": False},
            {"format": "ethtool-g", "rx": 512, "rx_max": 4096, "tx": 256, "tx_max": 2048},
        ),
        ({"rx-max": 0, "combined-max": 64, "combined": 8}, {"format": "ethtool-l", "combined": 8, "combined_max": 64}),
        (
            {"adaptive-rx": True, "adaptive-tx": False, "rx-usecs": 12, "tx-frames": 64},
            {"format": "ethtool-c", "adaptive_rx": True, "adaptive_tx": False, "rx_usecs": 12, "tx_frames": 64},
        ),
        ({"rx": True, "tx": False, "rx-usecs": 8}, {"format": "ethtool-c", "adaptive_rx": True, "adaptive_tx": False}),
        ({"autonegotiate": False, "rx": True, "tx": False}, {"format": "ethtool-a", "autoneg": False, "rx": True}),
        (
            {
                "tx-checksumming": {"active": True, "fixed": None, "requested": None},
                "large-receive-offload": {"active": False, "fixed": True, "requested": False},
                "rx-gro-hw": {"active": False, "fixed": False, "requested": True},
            },
            {
                "format": "ethtool-k",
                "features": {"tx-checksumming": True, "large-receive-offload": False, "rx-gro-hw": False},
                "fixed": ["large-receive-offload"],
                "requested": {"rx-gro-hw": True},
            },
        ),
        (
            {
                "supported-link-modes": ["25000baseCR/Full"],
                "speed": 25000,
                "duplex": "Full",
                "auto-negotiation": True,
                "port": "Direct Attach Copper",
                "link-detected": True,
            },
            {
                "format": "ethtool",
                "speed_bps": 25 * 10**9,
                "duplex": "full",
                "autoneg": True,
                "port": "Direct Attach Copper",
                "link_detected": True,
            },
        ),
        (
            {"speed": 4294967295, "duplex": "Unknown! (255)", "link-detected": "no"},
            {"format": "ethtool", "speed_bps": None, "duplex": None, "autoneg": None, "link_detected": None},
        ),
    ],
    ids=["rings", "channels", "coalescing", "older", "pause", "features", "link", "no link"],
)
def test_json_says_what_the_form_for_people_says(values, expected):
    [found] = read(f"# ethtool --json -x eth7\n{json.dumps([{'ifname': 'eth7', **values}], indent=4)}\n")
    assert found["interface"] == "eth7"
    assert {name: found[name] for name in expected} == expected


def test_json_of_other_programs_is_not_ethtools():
    assert all(
        not one["format"].startswith("ethtool")
        for one in read('[{"ifindex": 2, "ifname": "eth0", "mtu": 1500, "flags": ["UP"], "link_type": "ether"}]')
    )


def test_a_remark_behind_a_ring_is_passed_over():
    [found] = read(
        "Ring parameters for eth1:\nPre-set maximums:\nRX:\t\t4096\nCurrent hardware settings:\nRX:\t\t256  <- few\n"
    )
    assert (found["rx_max"], found["rx"]) == (4096, 256)


def test_tables_of_the_second_storcli():
    [found] = read(
        "CLI Version = 008.0004.0000.0022 Apr 28, 2023\nController = 0\nStatus = Success\n\n/c0/v3 :\n======\n\n"
        "DG/VD TYPE  State Access CurrentCache DefaultCache      Size Name\n"
        "0/3   RAID6 Optl  RW     NR,WB        NR,WT        10.50 TiB bulk\n\n"
        "EID:Slt PID State Status DG    Size Intf Med SED_Type SeSz Model        Sp LU/NS Count Alt-EID\n"
        "300:4   261 Conf  Online  0 3.5 TiB SAS  SSD -        512B MAKER FAST9  U            1 -\n"
    )
    [volume] = found["volumes"]
    assert (volume["level"], volume["cache"], volume["name"]) == ("raid6", "NR,WB", "bulk")
    assert volume["size_bytes"] == int(10.5 * 2**40)
    [drive] = found["drives"]
    assert (drive["state"], drive["media"], drive["model"]) == ("Online", "SSD", "MAKER FAST9")
    assert drive["size_bytes"] == int(3.5 * 2**40)


def test_interrupts_between_processors_whose_counts_touch_their_name():
    found = registry.read(
        Document(
            "a",
            b"           CPU0       CPU1\n 10: 3287008667 3310445093     GICv3  30 Level     arch_timer\n"
            b"IPI0:2768808080 2844211768       Rescheduling interrupts\nErr:          0\n",
        )
    )
    assert found.captured[0].facts.values["irqs"] == {
        "10": {"counts": [3287008667, 3310445093], "actions": "arch_timer"}
    }
    assert found.problems == []


def test_a_superscript_is_no_count_of_interrupts():
    text = "           CPU0       CPU1\n 10: 7 \u00b2 GICv3 30 Level  arch_timer\n 11: 5 6 GICv3 31 Level  eth0\n"
    found = registry.read(Document("a", text.encode()))
    assert found.captured[0].facts.values["irqs"] == {"11": {"counts": [5, 6], "actions": "eth0"}}
    assert [(each["line"], each["message"]) for each in found.problems] == [(2, "found 1 counts, expected 2; left out")]


def test_remarks_behind_coalescing_are_passed_over():
    [found] = read(
        "Coalesce parameters for eth1:\nAdaptive RX: on  TX: off   <- why?\nrx-usecs: 50    <- long\nrx-frames: n/a\n"
    )
    assert (found["adaptive_rx"], found["adaptive_tx"], found["rx_usecs"], found["rx_frames"]) == (
        True,
        False,
        50,
        None,
    )
