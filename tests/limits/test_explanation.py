"""From raw to expected rate: every kind's steps end at its figure; why a measurement may be above the limit."""

import html
import inspect
import math

import pytest

from hecn_analysis import limits
from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.causes import causes
from hecn_analysis.limits.explanation import explain
from hecn_analysis.limits.layers import LAYERS
from hecn_analysis.limits.order import ORDER
from hecn_analysis.limits.pci_express_link import packet_bps

OPTIONS = [
    ("pcie", {"gen": 2, "lanes": 16, "max_payload": 128}),
    ("pcie", {"gen": 3, "lanes": 8, "max_payload": 256, "op": "both", "transfer": 1500, "ecrc": True}),
    ("pcie", {"gen": 4, "lanes": 16, "max_payload": 256, "op": "read", "completion_boundary": 64, "slot_gen": 3}),
    ("pcie", {"gen": 5, "lanes": 16, "max_payload": 512, "op": "read", "outstanding": 32, "round_trip": 1e-6}),
    ("pcie", {"gen": 3, "lanes": 4, "max_payload": 256, "uplink_gen": 3, "uplink_lanes": 4, "devices": 3}),
    ("pcie", {"gen": 6, "lanes": 16, "max_payload": 256}),
    ("pcix", {"clock": 133.33e6, "width": 64, "burst": 512}),
    ("nic", {"gen": 3, "lanes": 8, "max_payload": 256, "frame": 64}),
    ("nic", {"gen": 2, "lanes": 8, "max_payload": 128, "op": "send", "driver": "polling", "max_read_request": 128}),
    ("ethernet", {"rate": 10e9, "mtu": 9000, "vlan": True, "ip": 6, "wan_phy": True}),
    ("ethernet", {"rate": 100e9, "mtu": 9000, "protocol": "roce"}),
    ("ethernet", {"rate": 1e9, "mtu": 1500, "protocol": "udp"}),
    ("atm", {"carrier": "oc3c"}),
    ("atm", {"carrier": "ds3", "mtu": 1500, "encapsulation": "vc", "ip": 6, "timestamps": False}),
    ("sonet", {"carrier": "oc48c", "stuffing": True}),
    ("sonet", {"carrier": "oc192c", "protocol": "udp"}),
    ("infiniband", {"generation": "hdr", "message": 65537, "global_route": True, "op": "read"}),
    ("lag", {"links": 4, "link_rate": 10e9, "flows": 3, "flow_rate": 7e9}),
    ("lag", {"links": 4, "link_rate": 10e9, "flows": 1, "placement": "turns"}),
    ("lag", {"links": 4, "link_rate": 10e9, "flows": 9, "flow_rate": 2e9, "placement": "placed"}),
    ("buffer", {"ingress": 10e9, "egress": 1e9, "buffer": 5e5, "burst": 1e6, "interval": 0.08}),
    ("buffer", {"ingress": 10e9, "egress": 1e9, "buffer": 5e5}),
    ("tcp", {"rtt": 0.08, "rate": 1e9, "window": 4e6}),
    ("tcp", {"rtt": 0.08, "loss": 1e-4}),
    ("tcp", {"rtt": 0.01, "rate": 1e9, "duration": 1}),
    ("raid", {"level": 6, "disks": 8, "disk_rate": 1e9, "op": "write", "request": 1e5, "controller_rate": 2e9}),
    ("raid", {"level": 50, "disks": 8, "disk_rate": 1e9, "op": "read"}),
    ("disk", {"outer_rate": 1e9, "inner_rate": 5e8, "streams": 2}),
    ("ssd", {"rate": 8e9, "block": 4096, "outstanding": 4, "latency": 1e-4, "iops": 2e4}),
    ("ssd", {"rate": 8e9, "cache_rate": 48e9, "cache": 4e11, "amount": 1e12}),
    ("enclosure", {"disks": 24, "disk_rate": 1.6e9, "interface": "sas-6", "slot_rate": 1e10}),
    ("pagecache", {"size": 1e10, "memory_rate": 4e10, "disk_rate": 1.6e9, "op": "read", "cached": 5e9}),
    ("cpu", {"clock": 3e9, "cycles_per_byte": 1.0, "cycles_per_packet": 4000, "unit": 1448, "interrupts": 0.1}),
    ("memory", {"channels": 3, "transfers": 1333e6}),
    ("interconnect", {"link": "qpi-6.4"}),
    ("requests", {"request": 32768, "round_trip": 0.01, "service": 1e-4, "rate": 1e9}),
]


@pytest.mark.parametrize(("ip", "source"), [(4, "RFC 791"), (6, "RFC 8200")])
def test_the_header_of_a_packet_names_the_standard_of_its_version(ip, source):
    steps = explain("ethernet", rate=10e9, mtu=1500, ip=ip).steps
    assert [step.source for step in steps if step.name.startswith(f"IPv{ip} header")] == [source]


def test_every_kind_is_explained():
    assert {kind for kind, _ in OPTIONS} == set(limits.KINDS) == LAYERS.keys() | ORDER.keys()


def test_options_start_from_their_defaults_or_from_what_costs_nothing():
    held = {
        (kind, name): ideal
        for kind, (_, steps) in ORDER.items()
        for step in steps
        for name, ideal in step.ideal.items()
    }
    default = {(kind, name): inspect.signature(getattr(limits, kind)).parameters[name].default for kind, name in held}
    differ = {key: ideal for key, ideal in held.items() if ideal is not default[key] and ideal != default[key]}
    assert differ == {("raid", "level"): 0, ("memory", "usable"): 1.0, ("memory", "passes"): 1}


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_the_steps_add_up_from_the_raw_rate_to_the_figure(kind, options):
    explanation = explain(kind, **options)
    figures = limits.KINDS[kind](**options)
    goal = figures.get("goodput_bps", figures.get("throughput_bps"))
    assert explanation.figures == pytest.approx(figures, rel=0, abs=0, nan_ok=True)
    assert explanation.limit_bps == pytest.approx(goal, rel=1e-12)
    first, *others = explanation.steps
    assert first.takes_bps is None
    taken = sum(step.takes_bps for step in others)
    assert first.value_bps - taken == pytest.approx(goal)
    assert all(step.name and step.source for step in explanation.steps)
    assert len({step.name for step in explanation.steps}) == len(explanation.steps)


@pytest.mark.parametrize(("kind", "options"), [case for case in OPTIONS if case[0] in LAYERS])
def test_the_layers_themselves_arrive_at_the_figure(kind, options):
    """Not only because the last step is set to it."""
    signature = inspect.signature(limits.KINDS[kind]).bind(**options)
    signature.apply_defaults()
    figures = limits.KINDS[kind](**options)
    *_, (_, value, _) = LAYERS[kind](signature.arguments, figures)
    assert value == pytest.approx(figures.get("goodput_bps", figures.get("throughput_bps")), rel=1e-12)


def test_the_documents_slot_step_by_step():
    steps = {step.name: step.value_bps / 1e9 for step in explain("pcie", gen=2, lanes=16, max_payload=128).steps}
    assert steps == pytest.approx(
        {
            "signalling of the device, generation 2 x16": 80.0,
            "line coding 8b/10b": 64.0,
            "clock compensation (SKP), 4 of 1538 symbols": 64 * (1 - 4 / 1538),
            "acknowledgements and flow control (DLLPs)": 64 * (1 - 4 / 1538 - 16 / 156),
            "headers and framing of packets of 128 bytes": 64 * (1 - 4 / 1538 - 16 / 156) * 128 / 152,
        }
    )


@pytest.mark.parametrize(
    ("gen", "coding"),
    [(1, "8b/10b"), (2, "8b/10b"), (3, "128b/130b"), (5, "128b/130b"), (6, "FLIT: 20 of 256 bytes")],
)
def test_each_generation_has_its_own_line_coding_and_packets_outside_of_flits(gen, coding):
    names = [step.name for step in explain("pcie", gen=gen, lanes=8, max_payload=256).steps]
    assert [name for name in names if name.startswith("line coding")] == [f"line coding {coding}"]
    assert any("SKP" in name for name in names) == any("DLLP" in name for name in names) == (gen < 6)


def test_the_largest_takers_of_an_oc3c():
    takes = {step.name: step.takes_bps for step in explain("atm", carrier="oc3c").steps[1:]}
    assert takes["cell headers, 5 of 53 bytes"] == pytest.approx(149.76e6 * 5 / 53)
    assert takes["section, line and path overhead"] == pytest.approx(5.76e6)


@pytest.mark.parametrize(
    ("kind", "options", "layers", "line_bytes", "rate"),
    [
        # 9180 + 8 + 8 bytes are 192 cells of 48, 20 of them padding; a cell takes 53
        (
            "atm",
            {"carrier": "oc3c"},
            {"padding of 192 cells": 20, "AAL5 trailer": 8, "LLC/SNAP": 8}
            | {"IPv4 header": 20, "TCP header": 20, "timestamps": 12},
            192 * 53,
            149.76e6,
        ),
        # without LLC/SNAP, 1500 + 8 of 32 cells
        (
            "atm",
            {"carrier": "ds3", "mtu": 1500, "encapsulation": "vc", "ip": 6, "protocol": "udp"},
            {"padding of 32 cells": 28, "AAL5 trailer": 8, "IPv6 header": 40, "UDP header": 8},
            32 * 53,
            40.704e6,
        ),
        (
            "sonet",
            {"carrier": "oc48c", "mtu": 4470, "timestamps": False},
            {"PPP: flag, address, control, protocol, check": 9, "IPv4 header": 20, "TCP header": 20},
            4479,
            2396.16e6,
        ),
        (
            "ethernet",
            {"rate": 1e9, "mtu": 1500, "vlan": True},
            {"preamble and gap": 20, "Ethernet header and check": 18, "VLAN tag": 4}
            | {"IPv4 header": 20, "TCP header": 20, "timestamps": 12},
            1542,
            1e9,
        ),
        (
            "ethernet",
            {"rate": 100e9, "mtu": 9000, "protocol": "roce", "ip": 6, "timestamps": False},
            {"preamble and gap": 20, "Ethernet header and check": 18}
            | {"IPv6 header": 40, "UDP header": 8, "RoCE header and check": 16},
            4096 + 102,
            100e9,
        ),
    ],
)
def test_a_layer_takes_the_bytes_that_it_names(kind, options, layers, line_bytes, rate):
    """In the order of the packet, from the wire in: so many bytes of those that a packet takes of the line."""
    steps = [
        step for step in explain(kind, **options).steps[1:] if "bytes" in step.name and "cell headers" not in step.name
    ]
    assert [step.name.rpartition(", for")[0] or step.name for step in steps] == [
        f"{name}, {taken} of {line_bytes} bytes" if name == "preamble and gap" else f"{name}, {taken} bytes"
        for name, taken in layers.items()
    ]
    assert [step.takes_bps for step in steps] == pytest.approx([rate * n / line_bytes for n in layers.values()])


def test_stuffing_takes_a_byte_of_128_of_all_but_the_flag():
    plain, stuffed = (explain("sonet", carrier="oc48c", stuffing=stuffing).steps for stuffing in (False, True))
    (more,) = [step for step in stuffed if step.name not in {other.name for other in plain}]
    assert more.name == "byte stuffing of random data, 1 in 128"
    assert more.takes_bps / 2396.16e6 == pytest.approx(1 - 4479 / (1 + 4478 * 129 / 128))


@pytest.mark.parametrize(
    ("kind", "options", "steps"),
    [
        (
            "infiniband",
            {"generation": "hdr", "message": 65_537, "global_route": True, "op": "read"},
            {
                "signalling, HDR x4": 212.5e9,
                "line coding and error correction": 200e9,
                "headers and checks of packets of 4096 bytes, 26 bytes": 200e9 * 4096 / 4122,
                "global route header, 40 bytes": 200e9 * 4096 / 4162,
                # 17 packets, the last with one byte; the first and the last of an answer carry 4 more
                "extended headers, packets not filled by the message": 200e9 * 65_537 / (65_537 + 17 * 66 + 8),
            },
        ),
        (
            "lag",
            {"links": 4, "link_rate": 10e9, "flows": 3, "flow_rate": 7e9},
            {
                "4 links together": 40e9,
                "3 flows, each on one link": 30e9,
                "what the flows move alone": 21e9,
                # 24 of 64 ways apart, 4 all on one link, 36 two of three
                "flows that share a link, on average": (24 * 21e9 + 36 * 17e9 + 4 * 10e9) / 64,
            },
        ),
        (
            "lag",
            {"links": 4, "link_rate": 10e9, "flows": 9, "flow_rate": 4e9, "placement": "turns"},
            {"4 links together": 40e9, "what the flows move alone": 36e9, "packets out of order": 32e9},
        ),
        (
            "buffer",
            {"ingress": 10e9, "egress": 1e9, "buffer": 5e5, "burst": 1e6, "interval": 0.01},
            {
                "fast link": 10e9,
                "bursts of 1000000 bytes only": 0.8e9,
                # 0.9 MB wait at the end of a burst, 0.4 MB too much
                "tail of a burst that does not fit the buffer": 0.48e9,
            },
        ),
        (
            "buffer",
            {"ingress": 10e9, "egress": 1e9, "buffer": 5e5, "burst": 1e6, "interval": 0.0008},
            {"fast link": 10e9, "slow link": 1e9},
        ),
        (
            "enclosure",
            {"disks": 24, "disk_rate": 3.2e9, "interface": "sas-12", "disk_interface": "sata-3", "lanes": 8}
            | {"buffered": True, "slot_rate": 50e9, "controller_rate": 9e9},
            {
                "24 disks together": 76.8e9,
                "each disk's own link": 24 * 2.4e9 * 8192 / 8208,
                "slot of the controller": 50e9,
                "controller": 9e9,
            },
        ),
        (
            "enclosure",
            {"disks": 24, "disk_rate": 3.2e9, "interface": "sas-6"},
            {"24 disks together": 76.8e9, "4 lanes of sas-6": 4 * 4.8e9 * 1024 / 1060},
        ),
        (
            "interconnect",
            {"link": "qpi-6.4", "links": 2},
            {"2 links of qpi-6.4": 204.8e9, "headers and checks": 204.8e9 * 8 / 9},
        ),
        (
            "nic",
            {"gen": 2, "lanes": 8, "max_payload": 128, "op": "receive", "driver": "simple", "frame": 1518},
            {
                "signalling of the card, generation 2 x8": 40e9,
                "line coding 8b/10b": 32e9,
                "clock compensation (SKP), 4 of 1538 symbols": 32e9 * 1534 / 1538,
                "acknowledgements and flow control (DLLPs)": 32e9 * (1534 / 1538 - 16 / 156),
                # 12 writes of 24 bytes beside their data
                "headers and framing of 1514 bytes of each frame, requests": 32e9
                * (1534 / 1538 - 16 / 156)
                * 1514
                / (1514 + 12 * 24),
                # and a descriptor, an interrupt, and a pointer that is read
                "descriptors, pointers, interrupts of a simple driver": 32e9
                * (1534 / 1538 - 16 / 156)
                * 1514
                / (1514 + 12 * 24 + 40 + 28 + 24),
            },
        ),
        (
            "pcix",
            {"clock": 100e6, "width": 64, "burst": 1024, "overhead_clocks": 64},
            {
                "clock times width, both directions together": 6.4e9,
                "address, turnaround and waiting: 64 clocks for each burst of 1024 bytes": 6.4e9 * 128 / 192,
            },
        ),
        (
            "tcp",
            {"rtt": 0.08, "rate": 1e9, "window": 4e6, "mtu": 9000},
            {
                "line rate": 1e9,
                "Ethernet, IP and TCP headers with timestamps": 1e9 * 8948 / 9038,
                "window: one of it each round trip": 0.4e9,
            },
        ),
        (
            "tcp",
            {"rtt": 0.1, "loss": 1e-4, "window": 1e9, "congestion_control": "reno"},
            {
                "window: one of it each round trip": 80e9,
                "random loss, reno in the long run": 120 * 1448 * 8 / 0.1 * (1 - 1e-4),
            },
        ),
        (
            "pagecache",
            {"size": 1e10, "memory_rate": 4e10, "disk_rate": 1.6e9, "op": "read", "cached": 5e9},
            {
                "copy between page cache and program": 40e9,
                "what must be read from the disk": 80e9 / (1 + 25),
            },
        ),
        (
            "pagecache",
            {"size": 1e10, "memory_rate": 4e10, "disk_rate": 2e9, "op": "write", "available": 1e9, "sync": True}
            | {"background_ratio": 0.0},
            {"copy between page cache and program": 40e9, "what must be flushed to the disk": 2e9},
        ),
    ],
)
def test_steps_by_hand(kind, options, steps):
    """Their words, their order and what each leaves, in bit/s."""
    found = explain(kind, **options).steps
    assert [step.name for step in found] == list(steps)
    assert [step.value_bps for step in found] == pytest.approx(list(steps.values()))


def test_a_slot_step_by_step():
    """A device of generation 4 x16 in a slot of generation 3 x8, in the words and bytes of each layer."""
    options = {"gen": 4, "lanes": 16, "max_payload": 256, "op": "read", "slot_gen": 3, "slot_lanes": 8}
    options |= {"ecrc": True, "transfer": 1500, "completion_boundary": 64, "max_read_request": 512}
    options |= {"outstanding": 8, "round_trip": 1e-6, "uplink_gen": 3, "uplink_lanes": 8, "devices": 3}
    packets = packet_bps(3, 8, 256)
    # completions of 256, then 64 bytes with 20 beside, then 24; 1500 bytes are 24 of 64 and three requests
    checked = packets * 1500 / (1500 + 24 * 24)
    steps = explain("pcie", **options).steps
    assert {step.name: step.value_bps for step in steps} == pytest.approx(
        {
            "signalling of the device, generation 4 x16": 256e9,
            "the slot: generation 3 x8": 64e9,
            "line coding 128b/130b": 64e9 * 128 / 130,
            "clock compensation (SKP), 4 of 1538 symbols": 64e9 * 128 / 130 * 1534 / 1538,
            "acknowledgements and flow control (DLLPs)": packets,
            "headers and framing of packets of 256 bytes": packets * 256 / 276,
            "read completions cut at 64 bytes": packets * 64 / 84,
            "end-to-end checksum, 4 bytes a packet": packets * 64 / 88,
            "transfers of 1500 bytes do not fill their packets": checked,
            "8 reads open for a round trip": 8 * 500 * 8 / 1e-6,
            "uplink, generation 3 x8 for 3 devices": checked / 3,
        }
    )
    assert [step.name for step in steps][-2:] == [
        "8 reads open for a round trip",
        "uplink, generation 3 x8 for 3 devices",
    ]
    both = [step.name for step in explain("pcie", gen=3, lanes=8, max_payload=256, op="both").steps]
    assert both[-1] == "requests of the reads between the writes"


def test_what_holds_back_in_turn_is_named_in_its_order():
    """Each with the value that is left when it and all before it hold back."""
    options = {"clock": 3e9, "cycles_per_byte": 1.0, "cycles_per_packet": 65_536, "cycles_per_call": 131_072}
    steps = explain("cpu", **options, cores=2, neighbours=1, interrupts=0.1, quota=0.4).steps
    assert {step.name: step.value_bps / 8e9 for step in steps} == pytest.approx(
        {
            "cores that only copy": 6,
            "cost of each packet": 3,
            "cost of each system call": 2,
            "other threads on the cores": 1,
            "interrupts": 0.9,
            "quota": 0.8,
        }
    )
    disk = explain(
        "disk", outer_rate=800e6, inner_rate=400e6, position=0.5, request=750_000, seek=6e-3, revolution=8e-3
    )
    assert {step.name: step.value_bps / 1e6 for step in disk.steps} == pytest.approx(
        {"outermost zone": 800, "slower zones": 600, "seeks between requests": 300}
    )
    raid = explain("raid", level=5, disks=8, disk_rate=1e9, op="read", lost=1, rebuild=0.5, controller_rate=3e9)
    assert {step.name: step.value_bps / 1e9 for step in raid.steps} == pytest.approx(
        {"all disks at once": 8, "parity or mirrors of the level": 7, "lost disks and rebuild": 3.5, "controller": 3}
    )
    asked = explain("requests", request=1e6, round_trip=0.1, service=0.1, round_trips=2, rate=80e6, store_rate=40e6)
    assert {step.name: step.value_bps / 1e6 for step in asked.steps} == pytest.approx(
        {
            "requests in flight, one round trip each": 80,
            "time of a request at the other end": 40,
            "further round trips of each": 8 / 0.3,
            "line": 8 / 0.4,
            "store, in turn with the line": 8 / 0.6,
        }
    )


def test_a_measurement_below_the_limit_is_a_share_of_it():
    explanation = explain("ethernet", rate=1e9, mtu=1500, measured=0.9e9)
    assert explanation.causes == ()
    assert explanation.verdict() == "900.0 Mb/s is 95.6 % of the limit of 941.5 Mb/s"
    assert explanation.rows()[-1] == {
        "step": "measured: not explained by the limit",
        "takes_bps": pytest.approx(explanation.limit_bps - 0.9e9),
        "value_bps": 0.9e9,
        "source": "as given",
    }


@pytest.mark.parametrize(
    ("kind", "times", "first"),
    [
        ("ethernet", 1.0001, "clock: both ends' oscillators"),
        ("ethernet", 2**10 / 1e3 * 0.999, "unit: counted as if its kB were 2**10 bytes"),
        ("pcie", 2**20 / 1e6 * 0.999, "unit: counted as if its MB were 2**20 bytes"),
        ("pcie", 2**30 / 1e9 * 0.999, "unit: counted as if its GB were 2**30 bytes"),
        ("pcie", 1.95, "directions: both added up"),
        ("tcp", 7.9, "unit: bits taken for bytes"),
        ("disk", 30, "cache: data in the page cache"),
        ("raid", 1.6, "cache: data in the page cache"),
        ("ethernet", 1.3, "burst: the data fit into buffers"),
    ],
)
def test_a_measurement_above_the_limit_is_explained_and_never_clipped(kind, times, first):
    found = causes(kind, times * 10e9, 10e9)
    assert found[0].words.startswith(first)
    assert found[-1].words.startswith("settings: ")
    assert all(cause.corrected_bps is None or cause.corrected_bps <= 10e9 for cause in found)


def test_the_measurement_stays_as_it_is():
    explanation = explain("ethernet", rate=1e9, mtu=1500, measured=1.2e9)
    assert explanation.measured_bps == 1.2e9
    assert explanation.rows()[-1]["value_bps"] == 1.2e9
    assert explanation.rows()[-1]["takes_bps"] < 0
    assert "27.5 % above the limit of 941.5 Mb/s" in str(explanation)
    assert html.escape(explanation.verdict()) in explanation._repr_html_()
    assert explain("disk", outer_rate=8e8, measured=8e9).verdict() == "8.000 Gb/s is 10 times the limit of 800.0 Mb/s"


def test_forms():
    explanation = explain("atm", carrier="oc3c", measured=1e8)
    frame = explanation.to_frame()
    assert list(frame.columns) == ["step", "takes_bps", "value_bps", "source"]
    assert len(frame) == len(explanation.steps) + 1
    assert explanation.to_dict()["steps"][0]["name"] == "line rate of oc3c"
    assert '"measured_bps": 100000000.0' in explanation.to_json()
    assert explanation.figure == "goodput_bps"
    shown = explanation._repr_html_()
    assert shown.count("<tr>") == len(frame) + 1
    assert "<td>cell headers, 5 of 53 bytes</td><td>-14.13 Mb/s</td><td>135.6 Mb/s</td>" in shown


def test_what_does_not_limit_says_so():
    assert str(explain("tcp", rtt=0.1)).split("  ")[0] == "no limit"
    assert explain("tcp", rtt=0.1).limit_bps == math.inf


def test_warnings_are_those_of_the_real_options_only():
    with pytest.warns(ValidityWarning) as caught:
        explain("pcie", gen=3, lanes=8, max_payload=256, transfer=64)
    assert len({str(warning.message) for warning in caught}) == 1


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("pci-x", {}, r"^kind: found 'pci-x', expected one of pcie, .*; did you mean 'pcix'\?$"),
        ("atm", {"carrier": "oc3c", "cells": 3}, "^atm: got an unexpected keyword argument 'cells'$"),
        ("atm", {}, "^atm: missing a required argument: 'carrier'$"),
        ("atm", {"carrier": "oc3c", "mtu": [1500, 9180]}, "^mtu: found an array, expected one number to explain$"),
        ("ethernet", {"rate": 1e9, "mtu": 1500, "measured": 0}, "^measured: found 0, expected a number > 0$"),
        ("ethernet", {"rate": -1e9, "mtu": 1500}, "^rate: found -1000000000, expected a number > 0$"),
    ],
)
def test_impossible_questions(kind, options, message):
    with pytest.raises(RangeError, match=message):
        explain(kind, **options)
