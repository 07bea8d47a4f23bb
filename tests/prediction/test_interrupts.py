"""Network interrupts: receive queues, the cores that serve them, and the way from there to the process."""

import numpy as np
import pytest

from hecn_analysis.prediction import predict
from tests.prediction.steady import rate, steady

CORES = 32
#: Two hosts of 32 cores; a cycle is a nanosecond.
WIDE = {
    "tool": "iperf3",
    "path.rate": "100 Tb/s",
    "path.mtu": 9000,
    **{f"{end}.cpu.{key}": value for end in ("sender", "receiver") for key, value in {
        "clock": "1 GHz", "cores": CORES, "send_cost": 0.5, "receive_cost": 1, "receive_interrupt_cost": 1,
    }.items()},
}  # fmt: skip


def test_one_connection_has_one_core_for_its_interrupts():
    assert rate(WIDE, receiver__cpu__receive_interrupt_cost=4) == pytest.approx(2.0)
    assert rate(WIDE, receiver__cpu__receive_interrupt_cost=4, tool__streams=32) == pytest.approx(8.0)


def test_more_processes_never_get_less():
    got = [rate(WIDE, tool__processes=number) for number in range(1, CORES + 9)]
    assert (np.diff(got) > -1e-9).all()
    assert got[15] == pytest.approx(16 * 8, rel=0.3)  # some queues serve two connections
    assert got[-1] == pytest.approx(CORES * 4)  # all cores do both kinds of work


def test_more_queues_never_get_less():
    got = [rate(WIDE, tool__processes=8, receiver__receive_queues=number) for number in range(1, CORES + 1)]
    assert (np.diff(got) > -1e-9).all()
    assert got[0] == pytest.approx(8.0)  # one core serves all
    assert got[-1] > 6 * got[0]


def test_a_single_queue_is_named():
    assert steady(WIDE, tool__processes=8, receiver__receive_queues=1)[1] == "receiver.cpu.queues"


def test_connections_that_share_a_queue_widen_the_interval():
    several = predict({**WIDE, "tool.processes": 4, "receiver.cpu.receive_interrupt_cost": 4})
    assert several.low_bps < 0.85 * several.throughput_bps


def test_interrupts_on_the_core_of_the_process_cost_it_their_time_and_no_handover():
    costs = {"receiver.cpu.handover_packet_cost": 62_636, "receiver.cpu.measured_payload": "inf"}
    keys = {**WIDE, **costs}
    assert rate(keys) == pytest.approx(4.0)  # 1 + 1 cycles a byte on each of two cores
    assert rate(keys, receiver__arfs=True) == pytest.approx(4.0)  # 1 + 1 on one core
    assert rate({**keys, "receiver.cpu.receive_interrupt_cost": 0.2}, receiver__arfs=True) > 4.0
    assert rate(keys, receiver__app_cores="[3]", receiver__nic_cores="[3]") == rate(keys, receiver__arfs=True)


def test_interrupts_on_another_socket_cost_more():
    keys = {**WIDE, "receiver.cpu.sockets": 2, "receiver.cpu.remote_cost": 1, "receiver.app_cores": "[0]"}
    near, far = rate(keys, receiver__nic_cores="[1]"), rate(keys, receiver__nic_cores="[31]")
    both = rate(keys, receiver__nic_cores="[1, 31]")
    assert (near, far, both) == (pytest.approx(8.0), pytest.approx(4.0), pytest.approx(8 / 1.5))


def test_a_placement_that_nothing_binds_is_a_mixture():
    result = predict({**WIDE, "receiver.cpu.sockets": 2, "receiver.cpu.remote_cost": 1, "path.rate": "1 Tb/s"})
    assert result.low_bps < 4.2e9
    assert result.high_bps > 7.8e9


def test_a_card_costs_each_frame_and_merging_spares_the_rest():
    costs = {"receiver.cpu.frame_cost": 1448, "receiver.cpu.interrupt_packet_cost": 1448}
    keys = {**WIDE, **costs, "receiver.cpu.measured_payload": "inf", "path.mtu": 1500}
    merged, single = rate(keys), rate(keys, receiver__gro=False)
    assert merged == pytest.approx(8 / (2 + 1 / 45))  # 45 frames are 64 KiB
    assert single == pytest.approx(8 / 3)
    assert rate(keys, receiver__kernel="2.6.18") == single  # which does not merge
    near = {"sender": "virtual-2-cores", "receiver": "virtual-2-cores", "tool": "iperf3", "path": "virtual-ethernet"}
    dear = {**near, "sender.cpu.frame_cost": 1e6, "receiver.cpu.frame_cost": 1e6}
    assert rate(dear) == rate(near)  # no card within a machine
