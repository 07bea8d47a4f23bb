"""Costs of kernels, of sending without a copy, of requests to disks, and of threads."""

import pytest

from hecn_analysis.hardware import load_scenario
from tests.prediction.steady import rate

#: A sender whose costs are round numbers: 1 GHz, so that a cycle is a nanosecond.
SENDER = {
    "tool": "iperf3",
    "receiver": "ideal",
    "path.rate": "1 Tb/s",
    "path.mtu": 9000,
    "sender.cpu.clock": "1 GHz",
    "sender.cpu.cores": 8,
    "sender.cpu.send_cost": 1,
    "sender.cpu.receive_cost": 1,
}


def test_later_kernels_cost_less_than_the_measured_one():
    kernels = ("2.6.32", "5.4", "5.15", "6.1", "6.5", "6.8", "6.18", "7.2")
    got = [rate(SENDER, sender__cpu__measured_kernel="5.15", sender__kernel=kernel) for kernel in kernels]
    assert got == sorted(got)
    assert got[0] == got[2] == pytest.approx(8.0)
    assert got[5] == got[-1] == pytest.approx(8 / 0.82)
    assert rate(SENDER, sender__cpu__measured_kernel="6.8", sender__kernel="5.15") == pytest.approx(8 * 0.82)


def test_a_kernel_that_nobody_states_changes_nothing():
    assert rate(SENDER, sender__cpu__measured_kernel="5.15") == rate(SENDER) == pytest.approx(8.0)
    assert rate(SENDER, sender__kernel="6.8") == pytest.approx(8.0)  # the costs are those of this kernel


def test_zero_copy_pays_for_large_messages_through_a_card():
    def gain(**settings):
        return rate(SENDER, tool__zero_copy=True, **settings) / rate(SENDER, **settings)

    assert 1.3 < gain(tool__message="1 MiB") < 1 / 0.6
    assert gain(tool__message="64 KiB") < gain(tool__message="1 MiB")
    assert gain(tool__message="4 kB") < 1
    assert gain(sender__offload=False) == 1  # the kernel copies
    assert gain(path__same_host=True, receiver="virtual-2-cores") == 1


def test_a_file_that_is_sent_without_a_copy_is_not_read_with_one():
    ends = {**SENDER, "tool.source_end": "disk", "sender.cpu.read_cost": 0.5, "sender.cpu.direct_cost": 0.1}
    assert rate(ends) == pytest.approx(8 / 1.5)
    without = rate(ends, tool__zero_copy=True, tool__message="1 MiB")
    assert 8 / without == pytest.approx(8 / rate(SENDER, tool__zero_copy=True, tool__message="1 MiB") + 0.1)


def test_a_direct_request_costs_the_block_layer():
    disk = {"sender.arrays.data.disk.read_rate": "20 GB/s", "sender.arrays.data.disk.write_rate": "20 GB/s"}
    keys = {"tool": "fio-read", "sender.cpu.part": "generic-server-cpu", "sender.cpu.sockets": 1, **disk}
    keys = {**keys, "tool.outstanding": 64}
    small, large = rate(keys, tool__request="4 KiB"), rate(keys, tool__request="1 MiB")
    assert small * 1e9 / 8 / 4096 == pytest.approx(250_000, rel=0.2)  # requests a second of a core
    assert large > 10 * small
    assert rate(keys, tool__request="4 KiB", tool__io="buffered") > small


def test_streams_with_a_thread_each_beside_the_disk_use_a_core_each():
    ends = {"tool.source_end": "disk", "sender.cpu.read_cost": 0.1, "tool.streams": 4}
    keys = {**SENDER, **ends}
    got = {threads: rate(keys, tool__threads=threads) for threads in ("one", "reader-writer", "streams-and-disk")}
    assert got == {
        "one": pytest.approx(8 / 1.1),
        "reader-writer": pytest.approx(8.0),
        "streams-and-disk": pytest.approx(32.0),
    }


def test_many_connections_of_one_queue_are_merged_less():
    keys = {
        "tool": "iperf3",
        "sender": "ideal",
        "path.rate": "1 Tb/s",
        "path.mtu": 1500,
        "receiver.cpu.clock": "1 GHz",
        "receiver.cpu.cores": 4,
        "receiver.cpu.send_cost": 1,
        "receiver.cpu.receive_cost": 1,
        "receiver.cpu.receive_packet_cost": 10_000,
        "receiver.cpu.measured_payload": "inf",
        "receiver.receive_queues": 1,
    }
    got = [rate(keys, tool__streams=streams) for streams in (1, 4, 16, 64, 256)]
    assert got == sorted(got, reverse=True)
    assert got[-1] == got[-2] == rate(keys, receiver__gro=False)


def test_a_kernel_is_a_text_not_a_number():
    assert load_scenario(SENDER, {"sender.kernel": "6.10"}).sender.kernel == "6.10"
    assert load_scenario(SENDER, {"sender.cpu.measured_kernel": "5.10"}).sender.cpu.measured_kernel == "5.10"
