"""What transfers ask of cores: packets, calls, threads, neighbours, quotas, and two processes of one machine."""

import pytest

from hecn_analysis.prediction import predict

MACHINE = {"sender": "virtual-2-cores", "receiver": "virtual-2-cores", "tool": "nuttcp", "path": "virtual-ethernet"}
#: A host whose costs are round numbers: 1 GHz, so that a cycle is a nanosecond.
PLAIN = {
    "tool": "iperf3",
    "path.rate": "1 Tb/s",
    "path.mtu": 9000,
    **{f"{end}.cpu.{key}": value for end in ("sender", "receiver") for key, value in {
        "clock": "1 GHz", "cores": 4, "send_cost": 1, "receive_cost": 2, "measured_payload": "inf",
    }.items()},
}  # fmt: skip


def bound(keys, **settings):
    """Throughput in Gb/s and bottleneck."""
    result = predict({**keys, **{key.replace("__", "."): value for key, value in settings.items()}})
    return round(result.throughput_bps / 1e9, 3), result.bottleneck


def apart(**settings):
    return bound({**MACHINE, "sender.app_cores": "[0]", "receiver.app_cores": "[1]"}, **settings)


def test_a_packet_costs_the_interrupt_core_and_the_process():
    assert bound(PLAIN) == (4.0, "receiver.cpu.core1")  # 2 cycles a byte at 1 GHz are 0.5 GB/s
    keys = {**PLAIN, "receiver.cpu.receive_packet_cost": 8948, "receiver.cpu.interrupt_packet_cost": 5 * 8948}
    assert bound(keys) == (round(8 / (2 + 1 / 7), 3), "receiver.cpu.core1")  # seven frames are merged to 64 KiB
    alone = {**keys, "receiver.gro": False}
    assert bound(alone) == (1.6, "receiver.cpu.queues")  # 2 + 1 cycles a byte; 5 on the core of the queue
    assert bound(alone, receiver__nic_cores="[0]") == (1.6, "receiver.cpu.core0")
    assert bound(alone, receiver__arfs=True) == (1.0, "receiver.cpu.core1")


def test_smaller_packets_cost_more_only_where_nothing_merges_them():
    keys = {**PLAIN, "receiver.cpu.receive_packet_cost": 2000, "receiver.cpu.measured_payload": 8948}
    assert bound(keys)[0] == 4.0  # the costs were measured with such packets, merged
    assert bound(keys, path__mtu=1500)[0] == pytest.approx(4.0, rel=1e-3)
    large, small = (bound(keys, path__mtu=mtu, receiver__gro=False)[0] for mtu in (9000, 1500))
    assert large == round(8 / (2 + 2000 * (1 / 8948 - 1 / (7 * 8948))), 3)
    assert small == round(8 / (2 + 2000 * (1 / 1448 - 1 / (7 * 8948))), 3)
    merged = bound(keys, path__mtu=1500, receiver__gro=False, receiver__lro=True)[0]
    assert small < merged < 4.0


def test_segmentation_offload_spares_the_sender():
    keys = {**PLAIN, "sender.cpu.send_packet_cost": 14_480, "sender.cpu.linear_cost": 0.5, "receiver": "ideal"}
    keys = {key: value for key, value in keys.items() if not key.startswith("receiver.")}
    assert bound(keys, path__mtu=1500)[0] == round(8 / (1 + 14_480 / (45 * 1448)), 3)  # 45 segments are 64 KiB
    assert bound(keys, path__mtu=1500, sender__offload=False)[0] == round(8 / (1 + 0.5 + 10), 3)


def test_small_messages_cost_calls():
    keys = {**PLAIN, "receiver.cpu.receive_call_cost": 1000, "receiver.cpu.measured_message": "inf"}
    assert bound(keys, tool__message="1000 B", tool__receive_calls=2)[0] == 2.0  # 2 + 2 * 1 cycles a byte
    assert bound(keys, tool__message="1000 B", tool__receive_calls=1)[0] == round(8 / 3, 3)


def test_threads_of_a_process_run_on_cores_of_their_own():
    assert bound(PLAIN, tool__threads="per-stream", tool__streams=2)[0] == 8.0
    assert bound(PLAIN, tool__threads="one", tool__streams=2)[0] == 4.0
    copy = {**PLAIN, "tool.source_end": "disk", "tool.sink_end": "disk", "receiver.cpu.write_cost": 1.5}
    copy |= {"sender.read_rate": "100 GB/s", "receiver.write_rate": "100 GB/s"}
    assert bound(copy) == (round(8 / 3.5, 3), "receiver.cpu.core1")
    assert bound(copy, tool__threads="reader-writer") == (4.0, "receiver.cpu.core1")


def test_neighbours_take_an_equal_share_of_a_core():
    alone, bottleneck = apart()
    assert bottleneck == "sender.cpu.core0"
    shared = apart(sender__busy_cores="[0]", receiver__busy_cores="[0]")
    assert shared == (pytest.approx(alone / 2, abs=1e-3), "sender.cpu.core0")
    assert apart(sender__busy_cores="[0, 0]", receiver__busy_cores="[0, 0]")[0] == pytest.approx(alone / 3, abs=1e-3)


def test_a_quota_counts_for_the_process_that_has_it():
    alone, _ = apart()
    assert apart(sender__cpu_quota=0.25) == (pytest.approx(alone / 4, abs=1e-3), "sender.cpu.quota")
    # what is received in the sender's context is not charged to the receiver
    receiver, bottleneck = apart(receiver__cpu_quota=0.25)
    assert bottleneck == "receiver.cpu.quota"
    assert alone / 4 < receiver < alone


def test_one_core_for_both_ends_is_slower_than_two_and_less_than_the_sum_of_them_suggests():
    two, _ = apart(path__mtu=1500, sender__offload=False, receiver__offload=False)
    keys = {**MACHINE, "sender.app_cores": "[0]", "receiver.app_cores": "[0]", "path.mtu": 1500}
    one, bottleneck = bound(keys, sender__offload=False, receiver__offload=False)
    assert bottleneck == "sender.cpu.core0"
    assert one > two  # small packets: handing them to another core costs more than that core spares
    near = bound(keys, path="loopback", path__mtu=65536)[0]
    assert near < apart(path="loopback", path__mtu=65536)[0] < 2 * near  # 64 KiB at a time: two cores are faster


def test_pairs_on_cores_of_their_own_add_up():
    keys = {**MACHINE, "sender.app_cores": "[0, 1]", "receiver.app_cores": "[0, 1]", "tool.processes": 2}
    pair = bound({**MACHINE, "sender.app_cores": "[0]", "receiver.app_cores": "[0]"})[0]
    assert bound(keys)[0] == pytest.approx(2 * pair, rel=1e-3)


def test_requests_under_way_at_once_hide_the_latency_of_a_disk():
    disk = "sender.arrays.data.disk"
    keys = {"tool": "dd-read", f"{disk}.read_rate": "2 GB/s", f"{disk}.write_rate": "2 GB/s"}
    keys = {**keys, f"{disk}.read_latency": "80 us", "tool.request": "64 kB"}
    assert bound(keys) == (round(64e3 * 8 / (80e-6 + 32e-6) / 1e9, 3), "sender.disk.data")
    assert bound(keys, tool__outstanding=2)[0] == round(2 * 64e3 * 8 / (80e-6 + 32e-6) / 1e9, 3)
    assert bound(keys, tool__outstanding=64)[0] == 16.0
    assert bound(keys, tool__outstanding=64, sender__arrays__data__disk__read_iops=10_000)[0] == 5.12
    ahead = {"tool__io": "buffered", "sender__arrays__data__read_ahead": "256 KiB"}
    assert bound(keys, tool__io="buffered")[0] == round(8 * 2**17 / 80e-6 / 1e9, 3)  # the page cache reads ahead
    assert bound(keys, **ahead)[0] == 16.0
