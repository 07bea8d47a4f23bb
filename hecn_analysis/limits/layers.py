"""How many bytes each layer of a link or bus takes: from the raw rate of a kind of limit to its figure, in steps.

The steps repeat what the formulas of the kind do, one layer after another; the last one is the formula's own figure.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from hecn_analysis.limits import (
    framing,
    infiniband_link,
    network_card,
    optical_carrier,
    pci_express,
    pci_express_link,
    pci_x,
    tcp_figures,
)

Options = Mapping[str, Any]
Figures = Mapping[str, Any]
Value = tuple[str, float, str]  # what is taken or what stands at the start, what is left [bit/s], source

_PREAMBLE_AND_GAP, _ETHERNET = 20.0, 18.0  # [B]
_PCIE: Final = "PCIe Base Specification 5.0"


def _packets(gen: int, lanes: int, max_payload: float) -> Iterator[Value]:
    """Return the steps of a PCI Express link from its raw rate to what is left for packets."""
    raw = _number(pci_express_link.raw_bps(gen, lanes))
    coding = "8b/10b" if gen <= 2 else "128b/130b" if gen <= 5 else "FLIT: 20 of 256 bytes"
    yield f"line coding {coding}", raw, "PCIe Base Specification, chapter 4"
    if gen <= 5:
        yield "clock compensation (SKP), 4 of 1538 symbols", raw - raw * 4 / 1538, f"{_PCIE}, 4.2.7"
        packets = _number(pci_express_link.packet_bps(gen, lanes, max_payload))
        yield "acknowledgements and flow control (DLLPs)", packets, "Neugebauer et al., SIGCOMM 2018"


def _pcie(options: Options, figures: Figures) -> Iterator[Value]:
    device, lanes = int(options["gen"]), int(options["lanes"])
    gen = min(device, int(options["slot_gen"] or device))
    width = min(lanes, int(options["slot_lanes"] or lanes))
    words = f"signalling of the device, generation {device} x{lanes}"
    yield words, _transfers(device) * lanes, "PCIe Base Specification, chapter 4"
    yield f"the slot: generation {gen} x{width}", _transfers(gen) * width, "as given"
    payload = options["max_payload"]
    yield from _packets(gen, width, payload)
    settings = {"max_read_request": options["max_read_request"], "address_bits": options["address_bits"]}

    def rate(op: Any = options["op"], **more: Any) -> float:  # noqa: ANN401 any option
        return _number(pci_express.throughput_bps(gen, width, payload, op=op, **settings, **more))

    one_way = rate() if options["op"] != "both" else min(rate("write"), rate("read"))
    yield f"headers and framing of packets of {payload:.0f} bytes", one_way, f"{_PCIE}, 2.2"
    yield "requests of the reads between the writes", rate(), f"{_PCIE}, 2.2"
    more: dict[str, Any] = {}
    for name, words in (
        ("completion_boundary", "read completions cut at {:.0f} bytes"),
        ("ecrc", "end-to-end checksum, 4 bytes a packet"),
        ("transfer", "transfers of {:.0f} bytes do not fill their packets"),
    ):
        if options[name]:
            more[name] = options[name]
            yield words.format(options[name]), rate(**more), f"{_PCIE}, 2.2"
    left = rate(**more)
    if options["outstanding"] is not None and options["op"] != "write":
        requests = (options["outstanding"], options["round_trip"], options["max_read_request"], options["transfer"])
        left = min(left, _number(pci_express.tag_limit_bps(*requests)))
        yield f"{options['outstanding']:.0f} reads open for a round trip", left, "Little's law"
    if options["uplink_gen"] is not None:
        words = f"uplink, generation {options['uplink_gen']:.0f} x{options['uplink_lanes']:.0f}"
        yield f"{words} for {options['devices']:.0f} devices", figures["throughput_bps"], f"{_PCIE}, 6.3"


def _nic(options: Options, figures: Figures) -> Iterator[Value]:
    gen, lanes, payload = int(options["gen"]), int(options["lanes"]), options["max_payload"]
    words = f"signalling of the card, generation {gen} x{lanes}"
    yield words, _transfers(gen) * lanes, "PCIe Base Specification, chapter 4"
    yield from _packets(gen, lanes, payload)
    to_memory: pci_express.Op = "read" if options["op"] == "send" else "write" if options["op"] == "receive" else "both"
    data = options["frame"] - network_card.CHECK
    request = options["max_read_request"]
    frames = pci_express.throughput_bps(gen, lanes, payload, op=to_memory, transfer=data, max_read_request=request)
    yield f"headers and framing of {data:.0f} bytes of each frame, requests", _number(frames), f"{_PCIE}, 2.2"
    words = f"descriptors, pointers, interrupts of a {options['driver']} driver"
    yield words, figures["throughput_bps"], "Neugebauer et al., SIGCOMM 2018"


def _number(value: Any) -> float:  # noqa: ANN401 a number that may come as an array of one
    return float(np.asarray(value))


def _transfers(gen: int) -> float:
    return float(pci_express_link.TRANSFERS_PER_LANE[gen])


def _pcix(options: Options, figures: Figures) -> Iterator[Value]:
    raw = _number(pci_x.raw_bps(options["clock"], options["width"]))
    yield "clock times width, both directions together", raw, "PCI-X Addendum 2.0"
    clocks = f"{options['overhead_clocks']:.0f} clocks for each burst of {options['burst']:.0f} bytes"
    yield f"address, turnaround and waiting: {clocks}", figures["throughput_bps"], "PCI-X Addendum 2.0; HECN 2004"


def _transport(options: Options, data: float) -> list[tuple[str, float, str]]:
    """Return the headers of a full packet, the data in which is `data` bytes: name, bytes and source."""
    ip, protocol = options["ip"], options.get("protocol", "tcp")
    source = "RFC 791" if ip == 4 else "RFC 8200"
    headers = [(f"IPv{ip} header, {framing.IP_HEADER[ip]:.0f} bytes", framing.IP_HEADER[ip], source)]
    if protocol == "tcp":
        headers.append(("TCP header, 20 bytes", 20.0, "RFC 9293"))
        if options["timestamps"]:
            headers.append(("timestamps, 12 bytes", 12.0, "RFC 7323"))
    else:
        headers.append(("UDP header, 8 bytes", 8.0, "RFC 768"))
        if protocol == "roce":
            headers.append((f"RoCE header and check, 16 bytes, for {data:.0f}", 16.0, "InfiniBand specification, A17"))
    return headers


def _ethernet(options: Options, figures: Figures) -> Iterator[Value]:
    del figures  # the layers give the same, which the tests see to
    rate, protocol, ip = options["rate"], options["protocol"], options["ip"]
    yield "line rate", rate, "IEEE 802.3"
    if options["wan_phy"]:
        rate = framing.WAN_PHY
        yield "WAN PHY: payload of an OC-192c, 64b/66b", rate, "IEEE 802.3, clause 50"
    mtu = options["mtu"]
    wire = _number(framing.wire_bytes(mtu, ip=ip, vlan=options["vlan"], protocol=protocol))
    data = _number(framing.payload_bytes(mtu, ip=ip, timestamps=options["timestamps"], protocol=protocol))
    layers = [
        (f"preamble and gap, 20 of {wire:.0f} bytes", _PREAMBLE_AND_GAP, "IEEE 802.3, clauses 3 and 4"),
        ("Ethernet header and check, 18 bytes", _ETHERNET, "IEEE 802.3, clause 3"),
        *([("VLAN tag, 4 bytes", framing.VLAN_TAG, "IEEE 802.1Q")] if options["vlan"] else []),
        *_transport(options, data),
    ]
    left = wire
    for name, taken, source in layers:
        left -= taken
        yield name, rate * left / wire, source


def _atm(options: Options, figures: Figures) -> Iterator[Value]:
    carrier, mtu = options["carrier"], options["mtu"]
    payload = optical_carrier.payload_bps(carrier)
    yield f"line rate of {carrier}", optical_carrier.line_bps(carrier), "ANSI T1.105, ITU-T G.707"
    yield "section, line and path overhead", payload, "ANSI T1.105, ITU-T G.707"
    cells = payload * 48 / 53
    yield "cell headers, 5 of 53 bytes", cells, "ITU-T I.361"
    count = _number(optical_carrier.cells(mtu, options["encapsulation"]))
    room = 48 * count
    snap = 8.0 if options["encapsulation"] == "llc" else 0.0
    yield (
        f"padding of {count:.0f} cells, {room - mtu - snap - 8:.0f} bytes",
        cells * (mtu + snap + 8) / room,
        "ITU-T I.363.5",
    )
    yield "AAL5 trailer, 8 bytes", cells * (mtu + snap) / room, "ITU-T I.363.5"
    yield "LLC/SNAP, 8 bytes", figures["ip_bps"], "RFC 2684"
    yield from _above_ip(options, figures)


def _sonet(options: Options, figures: Figures) -> Iterator[Value]:
    carrier, mtu = options["carrier"], options["mtu"]
    payload = optical_carrier.payload_bps(carrier)
    yield f"line rate of {carrier}", optical_carrier.line_bps(carrier), "ANSI T1.105, ITU-T G.707"
    yield "section, line and path overhead", payload, "ANSI T1.105, ITU-T G.707"
    yield "byte stuffing of random data, 1 in 128", figures["ip_bps"] * (mtu + 9) / mtu, "RFC 1662"
    yield "PPP: flag, address, control, protocol, check, 9 bytes", figures["ip_bps"], "RFC 1662, RFC 2615"
    yield from _above_ip(options, figures)


def _above_ip(options: Options, figures: Figures) -> Iterator[Value]:
    left = mtu = options["mtu"]
    for name, taken, source in _transport(options, mtu):
        left -= taken
        yield name, figures["ip_bps"] * left / mtu, source


def _infiniband(options: Options, figures: Figures) -> Iterator[Value]:
    source = "InfiniBand Architecture Specification"
    words = f"signalling, {options['generation'].upper()} x{options['lanes']:.0f}"
    yield words, figures["raw_bps"], f"{source}, volume 2"
    yield "line coding and error correction", figures["data_bps"], f"{source}, volume 2"
    settings = {"lanes": options["lanes"], "mtu": options["mtu"]}
    plain = infiniband_link.goodput_bps(options["generation"], **settings)
    yield f"headers and checks of packets of {options['mtu']:.0f} bytes, 26 bytes", _number(plain), source
    routed = infiniband_link.goodput_bps(options["generation"], **settings, global_route=options["global_route"])
    yield "global route header, 40 bytes", _number(routed), source
    yield "extended headers, packets not filled by the message", figures["goodput_bps"], source


def _lag(options: Options, figures: Figures) -> Iterator[Value]:
    links, flows, rate = options["links"], options["flows"], options["link_rate"]
    left = links * rate
    hashing = "IEEE 802.1AX, RFC 2992"
    yield f"{links:.0f} links together", left, "as given"
    if options["placement"] != "turns":
        left = min(links, flows) * rate
        yield f"{flows:.0f} flows, each on one link", left, hashing
    if options["flow_rate"] is not None:
        left = min(left, flows * options["flow_rate"])
        yield "what the flows move alone", left, "as given"
    if options["placement"] == "turns":
        yield "packets out of order", figures["throughput_bps"], "measured by the HECN team, SC10"
    else:
        yield "flows that share a link, on average", figures["throughput_bps"], hashing


def _buffer(options: Options, figures: Figures) -> Iterator[Value]:
    offered = options["ingress"]
    yield "fast link", offered, "as given"
    if options["interval"] is not None:
        offered = 8 * options["burst"] / options["interval"]
        yield f"bursts of {options['burst']:.0f} bytes only", offered, "as given"
    yield "slow link", min(offered, options["egress"]), "as given"
    yield "tail of a burst that does not fit the buffer", figures["throughput_bps"], "Cruz, IEEE Trans. IT 37(1), 1991"


def _tcp(options: Options, figures: Figures) -> Iterator[Value]:
    left, mtu = math.inf, options["mtu"]
    if options["rate"] is not None:
        yield "line rate", options["rate"], "as given"
        left = options["rate"] * (mtu - tcp_figures.HEADERS) / (mtu + framing.FRAME_OVERHEAD)
        yield "Ethernet, IP and TCP headers with timestamps", left, "IEEE 802.3, RFC 791, RFC 9293, RFC 7323"
    left = min(left, figures["window_limit_bps"])
    yield "window: one of it each round trip", left, "RFC 6349"
    left = min(left, figures["loss_limit_bps"])
    words = f"random loss, {options['congestion_control']} in the long run"
    yield words, left, "RFC 5166, RFC 9438; see hecn_analysis.limits.tcp_loss"
    words = "start-up, queue and recovery, round by round" if options["rate"] is not None else "no limit"
    yield words, figures["throughput_bps"], "hecn_analysis.limits.tcp_rounds"


def _enclosure(options: Options, figures: Figures) -> Iterator[Value]:
    yield f"{options['disks']:.0f} disks together", options["disks"] * options["disk_rate"], "as given"
    left = figures["disks_bps"]
    yield "each disk's own link", left, "SAS-3, SATA 3"
    left = min(left, figures["uplink_bps"])
    yield f"{options['lanes']:.0f} lanes of {options['interface']}", left, "SAS-3, SATA 3"
    for name, words in (("slot_rate", "slot of the controller"), ("controller_rate", "controller")):
        if options[name] is not None:
            left = min(left, options[name])
            yield words, left, "as given"


def _pagecache(options: Options, figures: Figures) -> Iterator[Value]:
    yield "copy between page cache and program", options["memory_rate"], "as given"
    words = "flushed to the disk" if options["op"] == "write" else "read from the disk"
    yield f"what must be {words}", figures["throughput_bps"], "see hecn_analysis.limits.storage.page_cache"


def _interconnect(options: Options, figures: Figures) -> Iterator[Value]:
    raw = figures.get("raw_bps", figures["throughput_bps"])
    yield f"{options['links']:.0f} links of {options['link']}", raw, "see hecn_analysis.limits.socket_links"
    yield "headers and checks", figures["throughput_bps"], "see hecn_analysis.limits.socket_links"


LAYERS: Final[dict[str, Callable[[Options, Figures], Iterator[Value]]]] = {
    "pcie": _pcie,
    "pcix": _pcix,
    "nic": _nic,
    "ethernet": _ethernet,
    "atm": _atm,
    "sonet": _sonet,
    "infiniband": _infiniband,
    "lag": _lag,
    "buffer": _buffer,
    "tcp": _tcp,
    "enclosure": _enclosure,
    "pagecache": _pagecache,
    "interconnect": _interconnect,
}
"""Kind -> its steps, from its options and figures."""
