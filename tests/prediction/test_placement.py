"""Processes of one machine: free or bound, beside other programs, with a part of a core."""

import numpy as np
import pytest

from hecn_analysis.prediction import predict
from tests.prediction.steady import rate, steady

MACHINE = {"sender": "virtual-2-cores", "receiver": "virtual-2-cores", "tool": "iperf3", "path": "virtual-ethernet"}
BOUND = {**MACHINE, "sender.app_cores": "[0]", "receiver.app_cores": "[1]"}
SINGLE = {"sender.offload": False, "receiver.offload": False}


def spinning(*cores):
    return {"sender.busy_cores": [*cores], "receiver.busy_cores": [*cores]}


def test_processes_that_nothing_binds_are_a_mixture_of_placements():
    apart = rate({**BOUND, **SINGLE})
    together = rate({**BOUND, **SINGLE, "receiver.app_cores": "[0]"})
    assert rate({**MACHINE, **SINGLE}) == pytest.approx(apart)
    assert together > 1.3 * apart  # small packets need no hand-over
    free, bound = predict({**MACHINE, **SINGLE}), predict({**BOUND, **SINGLE})
    shared = predict({**BOUND, **SINGLE, "receiver.app_cores": "[0]"})
    is_shared = np.isclose(free.draws_bps, shared.draws_bps, rtol=1e-9)
    assert (is_shared | np.isclose(free.draws_bps, bound.draws_bps, rtol=1e-9)).all()
    assert is_shared.mean() == pytest.approx(1 / 2, abs=0.1)  # of two cores
    assert free.high_bps > together * 1e9
    assert free.high_bps > bound.high_bps
    assert free.low_bps == pytest.approx(bound.low_bps, rel=0.1)


def test_free_processes_never_have_more_than_all_cores():
    assert rate({**MACHINE, "tool.processes": 8}) < 2.2 * rate({**BOUND, "receiver.app_cores": "[0]"})


def test_a_program_beside_a_thread_that_fills_its_core_takes_its_share():
    assert rate({**BOUND, **spinning(0)}) == pytest.approx(rate(BOUND) / 2)


def test_a_program_beside_a_thread_that_sleeps_costs_its_slice():
    assert predict(BOUND).utilisation["receiver.cpu.core1"] < 0.9
    beside, bottleneck = steady({**BOUND, **spinning(1)})
    assert bottleneck == "receiver.cpu.slices"
    share = rate({**BOUND, **spinning(1), "receiver.time_slice": 0})  # a share of the core, and no wait
    assert beside < 0.8 * share
    got = [rate({**BOUND, **spinning(1), "receiver.time_slice": f"{ms} ms"}) for ms in (0, 0.5, 1, 2, 4, 8)]
    assert got == sorted(got, reverse=True)
    assert got[0] == pytest.approx(share)


def test_more_programs_never_help_and_larger_buffers_never_hurt():
    got = [rate({**BOUND, **spinning(*[1] * number)}) for number in range(4)]
    assert (np.diff(got) < 0).all()
    buffers = [rate({**BOUND, **spinning(1), "sender.tcp_wmem_max": f"{size} MiB"}) for size in (1, 2, 4, 8, 16)]
    assert (np.diff(buffers) >= 0).all()


def test_a_part_of_a_core_scales_a_process_but_not_its_interrupts():
    keys = {
        "tool": "iperf3",
        "sender": "ideal",
        "path.rate": "1 Tb/s",
        "receiver.cpu.clock": "1 GHz",
        "receiver.cpu.cores": 4,
        "receiver.cpu.send_cost": 1,
        "receiver.cpu.receive_cost": 1,
        "receiver.cpu.receive_interrupt_cost": 1.5,
    }
    got = [rate(keys, receiver__cpu_share=share) for share in (1, 0.9, 0.5, 0.25)]
    assert got == [pytest.approx(8 / cost) for cost in (1.5, 1.5, 2, 4)]
