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
  array: {{level: {level}, disks: 8, disk: {disk}, doubling_loss: 0, ceiling: inf}}
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


def test_a_disk_is_solid_state_that_has_a_link_or_a_high_rate_and_nothing_that_turns():
    rotating, solid_state = (parts("disks")[name] for name in (ROTATING, SOLID_STATE))
    assert (rotating.solid_state, solid_state.solid_state) == (False, True)
    assert solid_state.model_copy(update={"link": None}).solid_state  # no disk that turns reads 560 MB/s
    slow = solid_state.read_rate.model_copy(update={"value": 2e9})
    assert not solid_state.model_copy(update={"link": None, "read_rate": slow}).solid_state
    assert not solid_state.model_copy(update={"revolution": rotating.revolution}).solid_state
    assert not solid_state.model_copy(update={"seek": rotating.seek}).solid_state


def rate(disks, op, **keys):
    role = "sender" if op == "read" else "receiver"
    array = {f"{role}.arrays.a.{key}": value for key, value in {"level": 0, "disks": disks, **keys}.items()}
    return hecn.predict({"tool": f"dd-{op}", **array}).throughput_bps / 8e6


HDD = {"disk.read_rate": "200 MB/s", "disk.write_rate": "200 MB/s"}
FLASH = {"disk.read_rate": "500 MB/s", "disk.write_rate": "400 MB/s", "disk.link": "sata-6"}


def test_many_disks_are_less_than_so_many_times_one_and_have_a_ceiling():
    pair, array, shelf = (rate(disks, "read", **HDD) for disks in (2, 8, 24))
    assert 0.9 * 400 < pair < 400
    assert 0.8 * 1600 < array < 1600
    assert shelf < 0.75 * 4800
    assert rate(24, "read", ceiling="1 GB/s", **HDD) == pytest.approx(1000)
    expander = {**FLASH, "expander_lanes": 4, "doubling_loss": 0}
    assert rate(24, "read", **expander) == pytest.approx(4 * 600, rel=0.2)


def test_disks_on_pci_express_have_no_controller_in_common():
    nvme = {"disk.read_rate": "6.8 GB/s", "disk.write_rate": "5 GB/s"}
    assert rate(4, "read", **nvme) > 0.85 * 4 * 6800


def test_levels_of_zfs_are_understood_and_lose_more():
    zfs = rate(12, "read", **{**HDD, "level": "raidz2"})
    assert 0.4 * 2000 < zfs < 0.85 * rate(12, "read", **{**HDD, "level": 6})
    assert rate(2, "read", **{**HDD, "level": 1, "software": "zfs"}) > 1.5 * rate(2, "read", **{**HDD, "level": 1})


def test_a_far_mirror_of_two_disks_reads_both():
    assert rate(2, "read", **{**HDD, "level": 10, "doubling_loss": 0}) == pytest.approx(200)
    assert rate(2, "read", **{**HDD, "level": 10, "doubling_loss": 0, "layout": "far"}) == pytest.approx(400)


def test_parity_of_solid_state_disks_costs_reads_nothing_whether_or_not_a_link_is_stated():
    for link in ({"disk.link": "sata-6"}, {}):
        keys = {"disk.read_rate": "500 MB/s", "disk.write_rate": "450 MB/s", "doubling_loss": 0, **link}
        assert rate(4, "read", **{**keys, "level": 6}) == pytest.approx(2000)


def test_a_fast_cache_holds_for_as_long_as_it_is_not_full():
    drive = {"disk.write_rate": "4 GB/s", "disk.read_rate": "5 GB/s", "disk.sustained_write_rate": "1 GB/s"}
    keys = {f"receiver.arrays.a.{key}": value for key, value in {**drive, "disk.cache": "100 GB"}.items()}

    def written(size):
        return hecn.predict({"tool": "dd-write", "tool.bytes": size, **keys}).throughput_bps / 8e9

    assert [written(size) for size in ("50 GB", "300 GB")] == pytest.approx([4.0, 300 / (25 + 200)])
    assert written("100 TB") == pytest.approx(1.0, rel=0.01)


def test_a_consumers_drive_of_unknown_sustained_rate_does_not_write_at_its_burst_for_ever():
    drive = {"disk.write_rate": "5 GB/s", "disk.read_rate": "5 GB/s", "disk.form": "M.2"}
    keys = {f"receiver.arrays.a.{key}": value for key, value in drive.items()}
    found = hecn.predict({"tool": "dd-write", **keys})
    assert 1e9 < found.throughput_bps / 8 < 3e9
    assert found.high_bps > 2 * found.low_bps


def test_one_request_at_a_time_does_not_scale_with_disks():
    nvme = {"disk.read_rate": "6.8 GB/s", "disk.write_rate": "5 GB/s", "disk.link": "pcie", "disk.gen": 4}
    array = {f"sender.arrays.a.{key}": value for key, value in {**nvme, "disk.lanes": 4, "level": 0}.items()}
    base = {"tool": "fio-read", "tool.request": "128 KiB", **array}
    one, four = (
        hecn.predict({**base, "sender.arrays.a.disks": disks, "tool.outstanding": 1}).throughput_bps for disks in (2, 4)
    )
    many = {"tool.outstanding": 64, "tool.processes": 4}  # one core starts some 80,000 of these requests a second
    deep = hecn.predict({**base, **many, "sender.arrays.a.disks": 4}).throughput_bps
    assert four < 1.3 * one
    assert deep > 8 * four


NVME = {"disk.read_rate": "6.8 GB/s", "disk.write_rate": "5 GB/s"}


def of_file(op, array=None, **tool):
    role = "sender" if op == "read" else "receiver"
    keys = {f"{role}.arrays.a.{key}": value for key, value in {**NVME, **(array or {})}.items()}
    prediction = hecn.predict({"tool": f"dd-{op}", **keys, **{f"tool.{key}": value for key, value in tool.items()}})
    return prediction.throughput_bps / 8e9, prediction.bottleneck_class


def test_one_core_copies_what_a_buffered_process_reads_and_writes():
    for op, least, most in (("read", 1.5, 3.5), ("write", 1.5, 3.0)):
        rate, limit = of_file(op, io="buffered")
        assert least < rate < most
        assert limit == "cpu"
        assert of_file(op, io="buffered", processes=4)[0] > 1.8 * rate
        assert of_file(op)[0] == pytest.approx(6.8 if op == "read" else 5)  # nothing is copied
    rotating = {"disk.read_rate": "200 MB/s", "disk.write_rate": "200 MB/s", "disk.revolution": "8 ms"}
    assert of_file("read", rotating, io="buffered") == (pytest.approx(0.2), "disk")


def test_a_write_that_waits_for_stable_storage_is_slower_and_knows_no_depth():
    buffered, _ = of_file("write", io="buffered", request="16 KiB")
    waiting, limit = of_file("write", io="buffered", request="16 KiB", sync=True)
    assert waiting < 0.2 * buffered
    assert limit == "disk"
    assert of_file("write", request="16 KiB", sync=True, outstanding=32)[0] == pytest.approx(waiting, rel=0.3)
    assert of_file("write", request="256 KiB", sync=True)[0] > 5 * waiting
    assert of_file("read", request="16 KiB", sync=True) == of_file("read", request="16 KiB")


def test_linux_md_cuts_requests_at_chunks_which_costs_the_core():
    striped = {"level": 0, "disks": 4, "software": "md"}
    large, _ = of_file("read", {**striped, "chunk": "64 KiB"}, request="1 MiB", outstanding=8)
    small, limit = of_file("read", {**striped, "chunk": "4 KiB"}, request="1 MiB", outstanding=8)
    assert small < 0.5 * large
    assert limit == "cpu"


def test_direct_writes_that_do_not_fill_their_stripes_wait_for_old_data():
    def written(software, level, disks):
        keys = {"level": level, "software": software, "ceiling": "inf", "doubling_loss": 0, **HDD}
        array = {f"receiver.arrays.a.{key}": value for key, value in {**keys, "disks": disks}.items()}
        tool = {"tool": "dd-write", "tool.io": "direct", "tool.request": "1 MiB"}
        return hecn.predict({**tool, **array}).throughput_bps / 8e6

    # chunks of 64 KiB: 1 MiB fills stripes of two data disks, and leaves a third of one of three
    assert written("btrfs", 5, 3) == pytest.approx(400)
    assert written("btrfs", 6, 4) == pytest.approx(400)
    assert 1.048576 / 0.0125 * 0.7 < written("btrfs", 5, 4) < 1.048576 / 0.0125
    assert written("md", 5, 4) < 1.048576 / 0.0125
    assert written("controller", 5, 4) == pytest.approx(600)  # its write-back cache joins requests


def test_synchronous_writes_wait_for_stable_storage_wherever_it_is():
    def written(tool, **keys):
        scenario = {"tool": tool, "receiver.write_rate": "1 GB/s", **keys}
        return hecn.predict(scenario).throughput_bps / 8e6

    # 4 KiB wait for a flush each; 1 MiB hardly
    assert written("dd-write", **{"tool.sync": True, "tool.request": "4 KiB"}) < 40
    assert 400 < written("dd-write", **{"tool.sync": True, "tool.request": "1 MiB"}) < 0.95 * written("dd-write")
    served = {"path.rate": "100 Gb/s", "tool.source_end": "memory", "tool.request": "64 KiB"}
    assert written("nfs4", **served, **{"tool.sync": True}) < 0.95 * written("nfs4", **served)
    disk = {"receiver.arrays.a.disk.read_rate": "3 GB/s", "receiver.arrays.a.disk.write_rate": "3 GB/s"}
    whole, flushed = (hecn.predict({"tool": "dd-write", "tool.sync": sync, **disk}) for sync in (False, True))
    assert flushed.throughput_bps < 0.9 * whole.throughput_bps  # of a size that nobody states
    assert "tool.request" in {assumption.name for assumption in flushed.assumptions}
    unused = hecn.predict({"tool": "iperf3", "path.rate": "10 Gb/s", "tool.sync": True}).warnings
    assert any("tool.sync" in warning and "writes no file" in warning for warning in unused)


def test_a_cluster_has_a_daemon_before_each_disk():
    fast, slow = {"disk.read_rate": "7 GB/s", "disk.write_rate": "4 GB/s"}, HDD
    assert rate(40, "read", software="cluster", **fast) < 40 * 2000
    assert rate(40, "read", software="cluster", **fast) < 0.5 * rate(40, "read", software="md", **fast)
    assert rate(8, "read", software="cluster", **slow) == pytest.approx(rate(8, "read", software="md", **slow), rel=0.1)
    assert rate(8, "write", software="cluster", copies=3, **slow) < 0.4 * rate(8, "write", software="cluster", **slow)
