"""Network cards through a slot, against all three cards of the open reference model, and messages by hand."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.network_card import nic, slot_bytes
from hecn_analysis.limits.pci_express import throughput_bps
from hecn_analysis.limits.pci_express_link import packet_bps

DRIVERS, OPS = ("simple", "kernel", "polling"), ("both", "send", "receive")
# Gb/s of frames without check sequence, PCIe 3.0 x8, MaxPayload 256, MaxReadRequest 512, by driver and operation.
# pcie-bench/pcie-model, nic_bw.py.
REFERENCE = {
    64: "12.58 20.67 19.73 17.63 23.23 27.16 20.65 35.30 28.01",
    256: "31.17 40.52 39.64 37.50 42.71 45.60 40.50 50.23 46.16",
    257: "31.23 40.57 39.69 37.56 42.76 45.64 40.54 50.26 46.20",
    512: "39.31 46.24 45.38 43.96 47.62 49.02 45.93 51.92 49.34",
    1024: "44.33 49.70 48.88 47.12 50.49 50.90 48.23 52.79 51.07",
    1499: "46.06 50.81 49.99 48.08 51.37 51.42 48.86 52.98 51.54",
}


@pytest.mark.parametrize("frame", REFERENCE)
def test_cards_of_the_reference_model_to_the_printed_digits(frame):
    rates = [nic(3, 8, 256, frame=frame, driver=d, op=op)["throughput_bps"] for d in DRIVERS for op in OPS]
    assert " ".join(f"{rate / 1e9:.2f}" for rate in rates) == REFERENCE[frame]


def test_a_frame_by_hand():
    """60 bytes sent by the simple card: pointer, descriptor, frame to it; requests, interrupt, pointer from it."""
    assert slot_bytes(64, 256, op="send", driver="simple") == (
        24 + 24 + 24 + 4 + 20 + 4,
        24 + 4 + 16 + 20 + 60 + 20 + 24,
    )
    up, down = slot_bytes(64, 256, op="both", driver="simple")
    assert up == 100 + (60 + 24) + (16 + 24) + (4 + 24) + (20 + 4)
    assert down == 168 + (4 + 24) + (16 + 20) + 24


def test_figures_agree():
    figures = nic(4, 16, 256, frame=1518)
    assert figures["frames_per_s"] * 1514 * 8 == pytest.approx(figures["throughput_bps"])
    assert packet_bps(4, 16, 256) * (1 - figures["slot_overhead"]) == pytest.approx(figures["throughput_bps"])


@pytest.mark.parametrize(("op", "slot"), [("send", "read"), ("receive", "write"), ("both", "both")])
def test_the_driver_costs_less_the_larger_the_frame_and_the_more_it_gathers(op, slot):
    frames = np.array([64.0, 256, 1518, 9018])
    rates = [np.asarray(nic(3, 8, 256, frame=frames, op=op, driver=driver)["throughput_bps"]) for driver in DRIVERS]
    bare = throughput_bps(3, 8, 256, op=slot, transfer=frames - 4)
    assert (rates[0] < rates[1]).all()
    assert (rates[1] < rates[2]).all()
    assert (rates[2] < bare).all()
    assert (np.diff(rates[0] / bare) > 0).all()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"frame": 63}, "frame: found 63, expected 64 to 16384"),
        ({"gen": 6}, "gen: found 6, expected 1, 2, 3, 4 or 5"),
        ({"driver": "ixgbe"}, "driver: found 'ixgbe', expected one of 'simple', 'kernel', 'polling'"),
        ({"op": "write"}, "op: found 'write', expected one of 'send', 'receive', 'both'"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        nic(**{"gen": 3, "lanes": 8, "max_payload": 256} | option)
    assert str(caught.value) == message
