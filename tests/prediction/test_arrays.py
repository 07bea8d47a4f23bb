"""A predicted array has the rate that `hecn limits raid` gives for its disks, rotating and solid-state."""

import pytest

import hecn_analysis as hecn
from hecn_analysis import limits
from hecn_analysis.hardware.catalogue import parts

ROTATING, SOLID_STATE = "wd5001aals", "intel-s4510-960"
HOST = """\
title: one array
source: a test
arrays:
  array: {{level: {level}, disks: 8, disk: {disk}}}
files_on: [array]
"""


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("level", [0, 5, 6, 10])
@pytest.mark.parametrize("disk", [ROTATING, SOLID_STATE])
def test_a_predicted_array_has_the_rate_of_the_limit(tmp_path, disk, level, op):
    host = tmp_path / "host.yaml"
    host.write_text(HOST.format(level=level, disk=disk))
    role = "sender" if op == "read" else "receiver"
    prediction = hecn.predict({role: str(host), "tool": f"dd-{op}"})
    part = parts("disks")[disk]
    rate = part.read_rate.value if op == "read" else part.lasting_write_rate.value
    figures = limits.raid(level=level, disks=8, disk_rate=rate, op=op, solid_state=disk == SOLID_STATE)
    assert prediction.bottleneck == f"{role}.raid.array"
    assert prediction.throughput_bps == pytest.approx(figures["throughput_bps"], rel=1e-12)


def test_a_disk_is_solid_state_that_has_a_link_and_nothing_that_turns():
    rotating, solid_state = (parts("disks")[name] for name in (ROTATING, SOLID_STATE))
    assert (rotating.solid_state, solid_state.solid_state) == (False, True)
    assert not solid_state.model_copy(update={"link": None}).solid_state
    assert not solid_state.model_copy(update={"revolution": rotating.revolution}).solid_state
    assert not solid_state.model_copy(update={"seek": rotating.seek}).solid_state
