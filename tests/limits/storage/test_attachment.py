"""Cables and enclosures against the printed rates of their standards."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.storage import attachment_bps, enclosure, link_bps
from hecn_analysis.limits.storage.attachment import coded_bps

GB = 8e9  # [bit]


@pytest.mark.parametrize(
    ("interface", "printed"),
    sorted(
        {
            "sata-1.5": 150,
            "sata-3": 300,
            "sata-6": 600,
            "sas-3": 300,
            "sas-6": 600,
            "sas-12": 1200,
            "sas-24": 2400,
        }.items()
        | {"fc-1": 106.25, "fc-2": 212.5, "fc-4": 425, "fc-8": 850, "fc-16": 1700, "fc-32": 3400}.items()
    ),
)
def test_coded_rates_are_the_printed_ones(interface, printed):
    assert coded_bps(interface) / 8e6 == pytest.approx(printed)
    assert 0.94 * printed < link_bps(interface) / 8e6 < printed


@pytest.mark.parametrize(
    ("kind", "speeds", "data", "around"),
    [
        ("sata", ("1.5", "3", "6"), 8192, 4 * 4),  # start, header, check and end of a data frame
        ("sas", ("3", "6", "12", "24"), 1024, 24 + 3 * 4),
        ("fc", ("1", "2", "4", "8", "16", "32"), 2112, 24 + 3 * 4 + 6 * 4),  # six words between frames
    ],
)
def test_full_frames_by_hand(kind, speeds, data, around):
    for speed in speeds:
        interface = f"{kind}-{speed}"
        assert link_bps(interface) / coded_bps(interface) == pytest.approx(data / (data + around))


def test_a_lane_waits_for_a_slower_disk_unless_the_expander_buffers():
    slow = {"disks": 48, "disk_rate": 0.5 * GB, "interface": "sas-12", "disk_interface": "sata-6"}
    assert enclosure(**slow)["throughput_bps"] == pytest.approx(4 * link_bps("sata-6"))
    assert enclosure(**slow, buffered=True)["throughput_bps"] == pytest.approx(4 * link_bps("sas-12"))


def test_the_lowest_of_disks_lanes_slot_and_controller():
    few = enclosure(np.array([1, 8, 100]), 0.1 * GB, interface="sas-6")
    assert few["throughput_bps"] == pytest.approx([0.1 * GB, 0.8 * GB, 4 * link_bps("sas-6")])
    disk_link = enclosure(1, GB, interface="sata-3", lanes=1)
    assert disk_link["throughput_bps"] == disk_link["disks_bps"] == link_bps("sata-3")
    caps = enclosure(100, GB, interface="sas-12", lanes=8, slot_rate=50e9, controller_rate=np.array([60e9, 40e9]))
    assert caps["throughput_bps"].tolist() == [50e9, 40e9]
    assert enclosure(100, GB, interface="sas-12", usable=0.5)["uplink_bps"] == attachment_bps("sas-12", 2)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"interface": "sas-9"}, "interface: found 'sas-9', expected one of 'sata-1.5', "),
        ({"lanes": 0}, "lanes: found 0, expected a whole number >= 1"),
        ({"usable": 1.1}, "usable: found 1.1, expected a fraction above 0, at most 1"),
        ({"slot_rate": -1}, "slot_rate: found -1, expected a number > 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        enclosure(**{"disks": 8, "disk_rate": 1e9, "interface": "sas-6"} | option)
    assert str(caught.value).startswith(message)
