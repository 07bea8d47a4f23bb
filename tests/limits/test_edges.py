"""Where ranges end: the last value that is allowed gives a figure without a word, the next one is refused or told."""

import dataclasses
import importlib
import inspect
import math
import pkgutil
import warnings

import numpy as np
import pytest

from hecn_analysis import limits
from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits import (
    bundle,
    infiniband_link,
    memory_bus,
    pci_express,
    pci_x,
    processor,
    request_response,
    satellite,
    switch_buffer,
    tcp_loss,
    tcp_proxy,
    tcp_rounds,
    tcp_window,
)
from hecn_analysis.limits.storage import array_layout, partial_stripe, rotating_disk, solid_state

TINY, HUGE = 1e-9, 1e30
MODULES = [one.name for one in pkgutil.walk_packages(limits.__path__, "hecn_analysis.limits.")]

# What a call needs, and of one option the last allowed values and the next ones that are not.
RANGES = {
    "ethernet": (
        {"rate": 1e9, "mtu": 1500},
        {"rate": ([TINY, HUGE], [0, -TINY]), "mtu": ([68, 65_535], [67.9, 65_535.1])},
    ),
    "ethernet, IPv6": ({"rate": 1e9, "mtu": 1500, "ip": 6}, {"mtu": ([1280, 65_535], [1279.9, 65_535.1])}),
    "ethernet, RoCE": ({"rate": 1e9, "mtu": 1500, "protocol": "roce"}, {"mtu": ([256, 300], [255, 257, 299])}),
    "ethernet, WAN": ({"rate": 10e9, "mtu": 1500, "wan_phy": True}, {"rate": ([10e9], [10e9 + 1, 10e9 - 1])}),
    "pcix": (
        {"clock": 133.33e6, "width": 64, "burst": 512},
        {
            "clock": ([25e6, 533.4e6], [24.9e6, 533.5e6]),
            "burst": ([1, 4096], [0.9, 4096.1]),
            "overhead_clocks": ([0], [-TINY]),
        },
    ),
    "nic": ({"gen": 3, "lanes": 8, "max_payload": 256}, {"frame": ([64, 16_384], [63.9, 16_384.1])}),
    "pcie": (
        {"gen": 3, "lanes": 8, "max_payload": 256, "op": "read"},
        {"devices": ([1], [0, 1.5]), "completion_boundary": ([64, 128, 4096], [32, 8192])},
    ),
    "pcie, tags": (
        {"gen": 3, "lanes": 8, "max_payload": 256, "op": "read", "outstanding": 16, "round_trip": 1e-6},
        {"outstanding": ([1, 256], [0, 1.5]), "round_trip": ([1e-12, 1e-3], [0])},
    ),
    "infiniband": (
        {"generation": "edr"},
        {"message": ([1, 2**31], [0, 2**31 + 1]), "lanes": ([1, 2, 4, 8, 12], [0, 3, 16])},
    ),
    "lag": (
        {"links": 2, "link_rate": 1e9, "flows": 2},
        {"links": ([1, 256], [0, 257]), "flows": ([1, 1024], [0, 1025]), "flow_rate": ([TINY, HUGE], [0])},
    ),
    "buffer": (
        {"ingress": 10e9, "egress": 1e9, "buffer": 5e5, "burst": 1e6},
        {"buffer": ([0], [-TINY]), "burst": ([TINY], [0]), "interval": ([8e-4], [7.99e-4]), "egress": ([TINY], [0])},
    ),
    "raid": (
        {"level": 5, "disks": 8, "disk_rate": 1e9, "op": "write", "request": 4096},
        {
            "disks": ([3], [2]),
            "disk_rate": ([TINY], [0]),
            "lost": ([0, 1], [-1, 2]),
            "rebuild": ([0, 0.999], [-TINY, 1]),
            "request": ([TINY], [0]),
            "chunk": ([TINY], [0]),
            "offset": ([0], [-1]),
            "access": ([0], [-TINY]),
            "controller_rate": ([TINY], [0]),
        },
    ),
    "raid, read": (
        {"level": 1, "disks": 2, "disk_rate": 1e9, "op": "read", "request": 4096, "access": 0.01},
        {"disks": ([2], [1]), "lost": ([1], [2]), "access": ([TINY], [-TINY]), "request": ([TINY], [0])},
    ),
    "raid, mirrors": (
        {"level": 10, "disks": 8, "disk_rate": 1e9, "op": "read"},
        {"disks": ([2, 4], [1, 3, 5]), "lost": ([4], [5]), "streams": ([1], [0, 1.5]), "request": ([TINY], [0])},
    ),
    "raid, two parities": (
        {"level": 6, "disks": 8, "disk_rate": 1e9, "op": "read"},
        {"disks": ([4], [3]), "lost": ([2], [3])},
    ),
    "raid, stripes": (
        {"level": 0, "disks": 2, "disk_rate": 1e9, "op": "read"},
        {"disks": ([2], [1]), "lost": ([0], [1])},
    ),
    "raid, nested": (
        {"level": 50, "disks": 12, "disk_rate": 1e9, "op": "read", "groups": 2},
        {"groups": ([2, 3, 4], [1, 2.5]), "disks": ([6], [4, 7])},
    ),
    "raid, nested twice": (
        {"level": 60, "disks": 12, "disk_rate": 1e9, "op": "read"},
        {"disks": ([8], [6]), "lost": ([2], [3])},
    ),
    "disk": (
        {"outer_rate": 1e9, "inner_rate": 5e8},
        {
            "inner_rate": ([1e9 / 3 + 1, 1e9], [1e9 + 1]),
            "position": ([0, 1], [-TINY, 1.001]),
            "streams": ([1], [0]),
            "chunk": ([TINY], [0]),
            "seek": ([0, 0.1], [-TINY]),
            "revolution": ([0, 0.1], [-TINY]),
            "request": ([TINY], [0]),
        },
    ),
    "ssd": (
        {"rate": 8e9, "block": 4096, "cache_rate": 9e9, "amount": 1e9},
        {
            "rate": ([TINY], [0]),
            "outstanding": ([TINY], [0]),
            "latency": ([0], [-TINY]),
            "iops": ([TINY], [0]),
            "spare": ([0.02], [0]),
            "amount": ([TINY], [0]),
            "cache": ([0], [-TINY]),
        },
    ),
    "enclosure": (
        {"disks": 8, "disk_rate": 1e9, "interface": "sas-6"},
        {
            "disks": ([1], [0, 1.5]),
            "disk_rate": ([TINY], [0]),
            "usable": ([TINY, 1], [0, 1.001]),
            "slot_rate": ([TINY], [0]),
        },
    ),
    "pagecache": (
        {"size": 1e9, "memory_rate": 4e10, "disk_rate": 3e9, "op": "write", "available": 6e10},
        {
            "background_ratio": ([0, 0.2], [-TINY, 1.001]),
            "dirty_ratio": ([0.1, 1], [0.099, 1.001]),
            "disk_rate": ([TINY, 4e10], [0]),
            "available": ([TINY], [0]),
        },
    ),
    "pagecache, read": (
        {"size": 1e9, "memory_rate": 4e10, "disk_rate": 3e9, "op": "read"},
        {"cached": ([0], [-TINY]), "size": ([TINY], [0]), "memory_rate": ([TINY], [0])},
    ),
    "cpu": (
        {"clock": 3e9, "cycles_per_byte": 1},
        {
            "clock": ([TINY], [0]),
            "cycles_per_byte": ([TINY], [0]),
            "cycles_per_packet": ([0], [-TINY]),
            "cycles_per_call": ([0], [-TINY]),
            "unit": ([TINY], [0]),
            "message": ([TINY], [0]),
            "cores": ([1], [0]),
            "neighbours": ([0], [-1, 0.5]),
            "neighbour_use": ([0, 1], [-TINY, 1.001]),
            "interrupts": ([0, 1], [-TINY, 1.001]),
            "quota": ([TINY], [0]),
        },
    ),
    "memory": (
        {"channels": 3, "transfers": 1e9, "link_rate": 1e10},
        {
            "channels": ([1], [0]),
            "transfers": ([TINY], [0]),
            "usable": ([TINY, 0.95, 1], [0, 1.001]),
            "passes": ([TINY], [0]),
            "link_passes": ([0], [-TINY]),
        },
    ),
    "interconnect": ({"link": "qpi-6.4"}, {"links": ([1], [0, 1.5, -0.5, math.inf])}),
    "requests": (
        {"request": 1e6, "round_trip": 0.08},
        {
            "round_trip": ([0, 10], [-TINY]),
            "service": ([0, 10], [-TINY]),
            "outstanding": ([1], [0, 1.5]),
            "round_trips": ([0], [-TINY]),
            "store_rate": ([TINY], [0]),
            "request": ([TINY], [0]),
        },
    ),
    "tcp": (
        {"rtt": 0.1, "window": 1e6},
        {
            "rtt": ([TINY], [0]),
            "window": ([TINY], [0]),
            "loss": ([0, 0.01], [-TINY, 1.001]),
            "mtu": ([53, 65_535], [52.9, 65_535.1]),
            "streams": ([1], [0, 1.5]),
            "rate": ([], [0]),
            "duration": ([], [0]),
            "bytes": ([], [0]),
            "queue": ([0], [-TINY]),
        },
    ),
}
#: Figures of tcp that are NaN without an option.
NEEDS = {"bdp_bytes": "rate", "tolerable_loss": "rate", "time_s": "bytes"}
CASES = [
    (kind.partition(",")[0], usual, {option: value}, allowed)
    for kind, (usual, options) in RANGES.items()
    for option, values in options.items()
    for allowed, edge in zip((True, False), values, strict=True)
    for value in edge
]


@pytest.mark.parametrize(("kind", "usual", "option", "allowed"), CASES)
def test_figures_end_where_their_range_ends(kind, usual, option, allowed):
    with warnings.catch_warnings():
        warnings.simplefilter("error" if allowed else "ignore", ValidityWarning)
        if allowed:
            stated = usual | option
            figures = limits.KINDS[kind](**stated)
            assert not any(math.isnan(v) for name, v in figures.items() if NEEDS.get(name, name) in {name, *stated})
        else:
            (name,) = option
            with pytest.raises(RangeError, match=rf"^{name}: found "):
                limits.KINDS[kind](**usual | option)


PATH = {"rate_bps": 1e9, "rtt_s": 0.1, "duration_s": 1}
FUNCTIONS = [
    (pci_x.burst_overhead_clocks, (133e6, 64, 512), "measured", [133e6 * 64, 1], [133e6 * 64 + 1, 0]),
    (bundle.round_robin_bps, (4, 1e9), "usable", [0, 1], [-TINY, 1.001]),
    (rotating_disk.interleaved_bps, (1e9, 1e6, 0.01), "revolution", [0], [-TINY]),
    (limits.storage.rebuild_s, (1e12, 1e9), "share", [TINY, 1], [0, 1.001]),
    (limits.storage.journal_bps, (1e9,), "access", [0, 2.499], [-TINY, 2.5]),
    (limits.storage.journal_bps, (1e9,), "commit", [TINY], [0]),
    (partial_stripe.partial_write_s, (8, 1, 65_536, 1e9), "lost", [0, 1], [-1, 2]),
    (partial_stripe.partial_write_s, (8,), "parity", [1, 2], [0, 1.5, 3]),
    (partial_stripe.partial_write_s, (8, 1, 65_536, 1e9), "offset", [0, 6 * 65_536], [-1]),
    (partial_stripe.partial_write_s, (8, 1, 65_536, 1e9), "access", [0], [-TINY]),
    (solid_state.filled_bps, (1e9, 2e9, 1e8, 1e9), "direct", [0], [-TINY]),
    (memory_bus.numa_bps, (1e10, 2, 1e10, 1), "both_ways", [0, 1], [-TINY, 1.001]),
    (processor.core_share, (1,), "weight", [TINY], [0]),
    (processor.core_share, (1,), "neighbour_use", [0, 1], [-TINY, 1.001]),
    (processor.scaled_bps, (1e9, 3e9, 3e9), "memory_part", [0, 1], [-TINY, 1.001]),
    (processor.scaled_bps, (1e9, 3e9, 3e9), "architecture", [1 / 3, 3], [0]),
    (processor.offload_unit_bytes, (1448,), "most", [TINY, 524_288], [0]),
    (request_response.iscsi_write_round_trips, (1e6,), "first_burst", [0], [-1]),
    (request_response.iscsi_write_round_trips, (1e6,), "max_burst", [1], [0]),
    (satellite.slant_range_m, (1e6,), "elevation_deg", [0, 90], [-TINY, 90.001]),
    (satellite.round_trip_s, (1e6,), "hops", [1], [0, 1.5]),
    (switch_buffer.full_rate_buffer_bytes, (1e9, 0.1), "flows", [1, 100], [0, 1.5]),
    (tcp_loss.mathis_bps, (1448, 0.1), "loss", [0, 0.01], [-TINY, 1.001]),
    (tcp_loss.pftk_bps, (1448, 0.1), "loss", [0, 0.3], [-TINY, 1.001]),
    (tcp_loss.pftk_bps, (1448, 0.1, 0.01), "ack_every", [TINY], [0]),
    (tcp_loss.reno_window, (), "loss", [0, 0.01], [-TINY, 1.001]),
    (tcp_loss.cubic_window, (1e-3, 0.1), "beta", [0, 0.999], [-TINY, 1.001]),
    (tcp_loss.cubic_window, (1e-3, 0.1), "c", [TINY], [0]),
    (tcp_loss.reno_loss, (), "window", [TINY], [0]),
    (tcp_loss.packet_loss, (1e-9,), "frame_bytes", [1], [0]),
    (tcp_proxy.split_transfer_s, ([1e6], [1e9]), "rtt_s", [[TINY]], [[0]]),
    (tcp_window.window_from_space, (), "space_bytes", [0], [-1]),
    (tcp_window.truesize_bytes, (), "mss_bytes", [1], [0]),
    (tcp_rounds.simulate, (), "loss", [0, 0.05], [-TINY, 1]),
    (tcp_rounds.simulate, (), "streams", [1], [0, 1.5, -0.5, math.inf]),
    (tcp_rounds.simulate, (), "rtt_s", [0.01], [0, math.inf, -math.inf]),
    (tcp_rounds.simulate, (), "rate_bps", [1e6], [0, math.inf, -math.inf]),
    (tcp_rounds.simulate, (), "duration_s", [0.1], [0, math.inf, -math.inf]),
    (tcp_rounds.simulate, (), "queue_bytes", [0, math.inf], [-1]),
    (tcp_rounds.simulate, (), "window_bytes", [1, math.inf], [0]),
    (tcp_rounds.simulate, (), "warm_up_s", [0, 0.999], [-TINY, 1]),
    (tcp_rounds.simulate, (), "initial_window", [1], [0.999]),
    (tcp_rounds.simulate, (), "ack_every", [1], [0.999]),
    (tcp_rounds.simulate, (), "bunching", [0], [-TINY]),
    (tcp_rounds.simulate, (), "grain", [0], [-TINY]),
    (tcp_rounds.simulate, (), "packet_overhead_bytes", [0], [-1]),
]


def test_two_members_are_the_fewest_of_a_stripe():
    assert partial_stripe.partial_write_s(2, 1, 65_536, 1e9) > 0
    for members in (1, 2.5):
        with pytest.raises(RangeError, match="members"):
            partial_stripe.partial_write_s(members, 1, 65_536, 1e9)


@pytest.mark.parametrize(("function", "usual", "option", "allowed", "refused"), FUNCTIONS)
def test_formulas_end_where_their_range_ends(function, usual, option, allowed, refused):
    more = dict(PATH) if function is tcp_rounds.simulate else {}
    more |= {"size": 65_536, "disk_rate": 1e9} if option == "parity" else {}
    for value in allowed:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ValidityWarning)
            function(*usual, **more | {option: value})
    for value in refused:
        with warnings.catch_warnings(action="ignore"), pytest.raises(RangeError, match=rf"^{option}: found "):
            function(*usual, **more | {option: value})


@pytest.mark.parametrize(
    ("function", "usual", "option", "outside"),
    [
        (pci_express.pcie, (3, 8, 256), "transfer", 127),
        (pci_express.tag_limit_bps, (8,), "round_trip", 1.001e-3),
        (memory_bus.bandwidth_bps, (3, 1e9), "usable", 0.951),
        (memory_bus.bandwidth_bps, (3, 1e9), "usable", 0.999),
        (processor.offload_unit_bytes, (1448,), "most", 524_289),
        (processor.scaled_bps, (1e9, 1e9), "new_clock", 3.001e9),
        (processor.scaled_bps, (1e9, 1e9), "new_clock", 0.333e9),
        (request_response.request_s, (1e6,), "round_trip", 10.01),
        (request_response.request_s, (1e6, 0.1), "service", 10.01),
        (rotating_disk.access_s, (0.01,), "revolution", 0.101),
        (rotating_disk.access_s, (), "seek", 0.101),
        (rotating_disk.whole_disk_bps, (100,), "inner_rate", 33.3),
        (solid_state.write_amplification, (), "spare", 0.0199),
        (switch_buffer.full_rate_buffer_bytes, (1e9, 0.1), "flows", 2),
        (switch_buffer.full_rate_buffer_bytes, (1e9, 0.1), "flows", 99),
        (tcp_loss.reno_window, (), "loss", 0.0101),
        (tcp_loss.pftk_bps, (1448, 0.1), "loss", 0.301),
        (tcp_rounds.simulate, (), "loss", 0.0501),
    ],
)
def test_beyond_what_a_formula_was_made_for_it_says_so(function, usual, option, outside):
    more = {"max_read_request": 512} if function is pci_express.tag_limit_bps else {}
    more |= {"revolution": 0.01} if option == "seek" else {}
    more |= PATH if function is tcp_rounds.simulate else {}
    with pytest.warns(ValidityWarning, match=rf"^{option}: found .*, the formula holds for "):
        function(*usual, **more | {option: outside})


@pytest.mark.parametrize(("gen", "tags"), [(1, 256), (2, 256), (3, 256), (4, 768), (5, 768), (6, 15_360)])
def test_each_generation_has_its_tags(gen, tags):
    """8 bits, from 4.0 on 10 of which a quarter is kept, from 6.0 on 14 of which the 1024 smallest are."""
    reads = {"gen": gen, "lanes": 16, "max_payload": 256, "op": "read", "round_trip": 1e-6}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ValidityWarning)
        pci_express.pcie(**reads, outstanding=tags)
    with pytest.warns(ValidityWarning, match=rf"^outstanding: found {tags + 1}, "):
        pci_express.pcie(**reads, outstanding=tags + 1)


def test_a_stripe_ends_at_its_last_byte():
    """Six chunks before, one to write: that is the last of seven."""
    with pytest.raises(RangeError, match=r"^size: found 65536, expected the rest of a stripe or less$"):
        partial_stripe.partial_write_s(8, 1, 65_536, 1e9, offset=6 * 65_536 + 1)


def test_nothing_to_wait_for_and_no_line_to_fill_is_never_filled():
    figures = limits.requests(1e6, round_trip=0)
    assert figures["throughput_bps"] == figures["outstanding_to_fill"] == math.inf
    filled = request_response.outstanding_to_fill(1e6, np.array([0, 0, 0.1]), rate=np.array([1e9, np.inf, np.inf]))
    assert filled.tolist() == [1, math.inf, math.inf]


def test_values_are_refused_one_by_one_in_an_array():
    with pytest.raises(RangeError, match=r"^lost: found 2 at \[2\], expected 1 or fewer: RAID 5 survives no more$"):
        limits.raid(5, 8, 1e9, op="read", lost=np.array([0, 1, 2]))
    with pytest.raises(RangeError, match=r"^inner_rate: found 101 at \[1\] and 1 more, expected "):
        rotating_disk.zone_bps(100, np.array([100, 101, 102]), 0.5)


@pytest.mark.parametrize("module", MODULES)
def test_what_is_found_is_not_changed_afterwards(module):
    for name, found in vars(importlib.import_module(module)).items():
        if inspect.isclass(found) and dataclasses.is_dataclass(found) and found.__module__ == module:
            assert found.__dataclass_params__.frozen, name


def test_an_array_of_disks_is_not_changed_afterwards():
    array = array_layout.checked(5, 8, 1e9, None, 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        array.level = 6


# Numbers that hold where nothing is said, and where they come from.
DEFAULTS = {
    "pcie": {
        "max_payload": 256,
        "max_read_request": 512,
        "address_bits": 64,
        "op": "write",
        "devices": 1,
    },  # 512: reset value of the register
    "pcix": {"overhead_clocks": 100},
    "nic": {"frame": 1518, "op": "both", "driver": "kernel", "max_read_request": 512},  # the longest untagged frame
    "ethernet": {"ip": 4, "protocol": "tcp"},
    "atm": {"mtu": 9180, "ip": 4, "protocol": "tcp", "encapsulation": "llc"},  # RFC 2225
    "sonet": {"mtu": 4470, "ip": 4, "protocol": "tcp"},  # of FDDI, as routers have it
    "infiniband": {"lanes": 4, "mtu": 4096, "op": "write"},
    "lag": {"placement": "hash"},
    "buffer": {"burst": 65_536},  # of TSO
    "tcp": {"loss": 0, "loss_burst": 1, "mtu": 1500, "congestion_control": "cubic", "streams": 1},
    "raid": {"chunk": 65_536, "offset": 0, "access": 0, "streams": 1, "lost": 0, "rebuild": 0},
    "disk": {"streams": 1, "chunk": 2**20, "seek": 8.5e-3, "revolution": 60 / 7200},
    "ssd": {"cache": 0, "outstanding": 1, "latency": 0},
    "enclosure": {"lanes": 4, "disk_interface": "same", "usable": 1},
    "pagecache": {
        "cached": 0,
        "background_ratio": 0.1,
        "dirty_ratio": 0.2,
    },  # Linux, vm.dirty_background_ratio, dirty_ratio
    "cpu": {"cycles_per_packet": 0, "unit": 65_536, "cycles_per_call": 0, "message": 131_072, "cores": 1}
    | {"neighbours": 0, "neighbour_use": 1, "interrupts": 0},  # 64 KiB of offloads; iperf3's 128 KiB
    "memory": {"passes": 3, "usable": 0.8, "link_passes": 1},  # RFC 4297
    "interconnect": {"links": 1},
    "requests": {"service": 0, "outstanding": 1, "round_trips": 1},
}


@pytest.mark.parametrize("kind", limits.KINDS)
def test_what_holds_where_nothing_is_said(kind):
    given = {name: option.default for name, option in inspect.signature(limits.KINDS[kind]).parameters.items()}
    said = {name: value for name, value in given.items() if value is not inspect.Parameter.empty and value is not None}
    assert {name: value for name, value in said.items() if not isinstance(value, bool)} == DEFAULTS[kind]
    assert {name for name, value in said.items() if value is True} == ({"timestamps"} & set(said))


@pytest.mark.parametrize(
    ("function", "defaults"),
    [
        (request_response.ssh_bps, {"window": 2**21}),  # OpenSSH: 64 packets of 32 KiB
        (request_response.iscsi_write_round_trips, {"first_burst": 65_536, "max_burst": 262_144}),  # RFC 7143, 13
        (bundle.shared_bps, {"draws": 20_000, "seed": 0}),
        (bundle.round_robin_bps, {"usable": 0.8}),
        (limits.storage.journal_bps, {"access": 0, "commit": 5, "data": False}),  # ext4: commit=5
        (processor.offload_unit_bytes, {"most": 65_536}),
        (satellite.round_trip_s, {"elevation_deg": 90, "hops": 1, "ground": 0}),
        (tcp_loss.cubic_window, {"c": 0.4, "beta": 0.7}),  # RFC 9438
        (tcp_loss.mathis_bps, {"constant": math.sqrt(3 / 2)}),
        (tcp_window.usable_window, {"kernel": "6.18", "mss_bytes": 9000 - 52, "rmem_max": np.inf, "wmem_max": np.inf}),
        (infiniband_link.goodput_bps, {"lanes": 4, "mtu": 4096, "op": "write", "global_route": False}),
        (
            tcp_rounds.simulate,
            {
                "mss_bytes": 9000 - 52,
                "packet_overhead_bytes": 52 + 38,
                "loss": 0,
                "loss_burst": 1,
                "window_bytes": np.inf,
            }
            | {"congestion_control": "cubic", "streams": 1, "warm_up_s": 0, "initial_window": 10}  # RFC 6928
            | {"ack_every": 2, "byte_counting": True, "hystart": True, "lockstep": False, "bunching": 1, "grain": 0}
            | {"seed": 0}
            | {"most_rounds": 6000},
        ),
    ],
)
def test_what_formulas_assume_where_nothing_is_said(function, defaults):
    parameters = inspect.signature(function).parameters
    said = {name: option.default for name, option in parameters.items() if option.default not in (option.empty, None)}
    assert said == defaults
