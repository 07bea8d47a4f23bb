"""From the raw rate to the expected one, step by step, each with its source; and why a measurement may be above it.

:func:`explain` takes the options of a kind of :data:`hecn_analysis.limits.KINDS` and gives an `Explanation`. Three ways
lead to its steps:

- links and buses say how many bytes each layer takes (:data:`LAYERS`);
- other kinds are computed again and again, at first as if nothing held back, then with one more of the real options
  each time (:data:`ORDER`);
- a kind without an entry there starts with its required options, and its others follow in the order of its signature.

The last value is always the figure of the kind itself.
"""

import html
import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from hecn_analysis.errors import RangeError, ValidityWarning, did_you_mean
from hecn_analysis.limits import (
    framing,
    infiniband_link,
    network_card,
    optical_carrier,
    pci_express,
    pci_x,
    tcp_figures,
)
from hecn_analysis.limits._checks import require_positive
from hecn_analysis.units import format_rate

if TYPE_CHECKING:
    import pandas as pd

Options = Mapping[str, Any]
Figures = Mapping[str, Any]
Value = tuple[str, float, str]  # what is taken or what stands at the start, what is left [bit/s], source

_ROUNDING: Final = 1e-9  # changes below this part of a value are no step
_CLOCK_TOLERANCE: Final = 2e-4  # both ends' oscillators 100 ppm off, IEEE 802.3
_PREAMBLE_AND_GAP, _ETHERNET = 20.0, 18.0  # [B]


class Step(NamedTuple):
    """One line of the subtraction.

    Parameters
    ----------
    name
        What stands at the start, or what is taken away.
    takes_bps
        What it takes; negative for a gain, None at the start. [bit/s]
    value_bps
        What is left. [bit/s]
    source
        Where the number comes from.
    """

    name: str
    takes_bps: float | None
    value_bps: float
    source: str


class Cause(NamedTuple):
    """A possible reason for a measurement above the limit.

    Parameters
    ----------
    words
        The reason, and how to find out.
    corrected_bps
        What was really moved if that is it; None where it cannot be told. [bit/s]
    """

    words: str
    corrected_bps: float | None


@dataclass(frozen=True)
class Explanation:
    """The steps from a raw rate to a limit.

    Parameters
    ----------
    kind
        Kind of limit.
    figure
        Name of the figure that the steps end at, ``goodput_bps`` or ``throughput_bps``.
    steps
        The steps, the raw rate first.
    figures
        All figures of the kind.
    measured_bps
        What was measured, as given. [bit/s]
    causes
        Why the measurement may be above the limit, the likeliest first; none where it is not.
    """

    kind: str
    figure: str
    steps: tuple[Step, ...]
    figures: dict[str, float]
    measured_bps: float | None = None
    causes: tuple[Cause, ...] = ()

    @property
    def limit_bps(self) -> float:
        """Value of the last step, in bit/s."""
        return self.steps[-1].value_bps

    def rows(self) -> list[dict[str, Any]]:
        """Give a row for each step, and one for the measurement: ``step``, ``takes_bps``, ``value_bps``, ``source``."""
        rows = [
            {"step": step.name, "takes_bps": step.takes_bps, "value_bps": step.value_bps, "source": step.source}
            for step in self.steps
        ]
        if self.measured_bps is not None:
            gap = self.limit_bps - self.measured_bps
            words = "measured: above the limit" if gap < 0 else "measured: not explained by the limit"
            rows.append({"step": words, "takes_bps": gap, "value_bps": self.measured_bps, "source": "as given"})
        return rows

    def to_frame(self) -> "pd.DataFrame":
        """Give the rows as a DataFrame."""
        import pandas as pd  # noqa: PLC0415 limits are used without pandas

        return pd.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        """Give the rows and the verdict for notebooks."""
        table = [
            {
                "step": row["step"],
                "takes": "" if row["takes_bps"] is None else _signed(-row["takes_bps"]),
                "leaves": _rate(row["value_bps"]),
                "source": row["source"],
            }
            for row in self.rows()
        ]
        said = [self.verdict() or "", *(cause.words for cause in self.causes)]
        return f"{_table(table)}<p>{'<br>'.join(html.escape(words) for words in said if words)}</p>"

    def to_dict(self) -> dict[str, Any]:
        """Give everything in plain values, as ``hecn limits --explain --format json`` does."""
        return {
            "kind": self.kind,
            "figure": self.figure,
            "limit_bps": self.limit_bps,
            "steps": [step._asdict() for step in self.steps],
            "figures": self.figures,
            "measured_bps": self.measured_bps,
            "causes": [cause._asdict() for cause in self.causes],
        }

    def to_json(self) -> str:
        """Give `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def verdict(self) -> str | None:
        """Say in one sentence how the measurement compares; None without one.

        Examples
        --------
        >>> print(explain("ethernet", rate=1e9, mtu=1500, measured=0.9e9).verdict())
        900.0 Mb/s is 95.6 % of the limit of 941.5 Mb/s
        """
        if self.measured_bps is None:
            return None
        measured, limit = (_rate(rate) for rate in (self.measured_bps, self.limit_bps))
        part = self.measured_bps / self.limit_bps
        if part <= 1:
            return f"{measured} is {part:.1%} of the limit of {limit}".replace("%", " %")
        if part >= 2:
            return f"{measured} is {part:.3g} times the limit of {limit}"
        return f"{measured} is {100 * (part - 1):.3g} % above the limit of {limit}"

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(row["step"]) for row in rows)
        lines = [
            f"{row['step']:<{width}}  {'' if row['takes_bps'] is None else _signed(-row['takes_bps']):>13}"
            f"  {_rate(row['value_bps']):>11}  {row['source']}"
            for row in rows
        ]
        if (verdict := self.verdict()) is not None:
            lines += ["", verdict, *(f"- {cause.words}" for cause in self.causes)]
        return "\n".join(lines)


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
    lines = ("".join(f"<td>{html.escape(value)}</td>" for value in row.values()) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _rate(rate: float) -> str:
    return "no limit" if math.isinf(rate) else format_rate(rate, digits=4)


def _signed(rate: float) -> str:
    return ("-" if rate < 0 else "+") + _rate(abs(rate))


def explain(kind: str, *, measured: float | None = None, **options: Any) -> Explanation:  # noqa: ANN401 any kind's options
    """Explain a limit: what each layer takes from the raw rate, and what a measurement says beside it.

    Parameters
    ----------
    kind
        A kind of `hecn_analysis.limits.KINDS`.
    measured
        What was measured, to be compared. [bit/s]
    **options
        Those of the kind, one number each.

    Returns
    -------
    Explanation
        Its steps end at the kind's goodput, or throughput where it has no goodput.

    Raises
    ------
    RangeError
        An unknown kind or option, a missing one, an array in place of a number, or an impossible value.

    Examples
    --------
    >>> for step in explain("ethernet", rate=1e9, mtu=1500).steps:
    ...     print(f"{step.value_bps / 1e6:8.3f}  {step.name}")
    1000.000  line rate
     986.996  preamble and gap, 20 of 1538 bytes
     975.293  Ethernet header and check, 18 bytes
     962.289  IPv4 header, 20 bytes
     949.285  TCP header, 20 bytes
     941.482  timestamps, 12 bytes
    """
    from hecn_analysis.limits import KINDS  # noqa: PLC0415 that module has this one's function among its names

    if kind not in KINDS:
        advice = did_you_mean(kind, KINDS)
        raise RangeError(
            f"kind: found {kind!r}, expected one of {', '.join(KINDS)}" + (f"; {advice}" if advice else "")
        )
    function = KINDS[kind]
    everything = _bound(kind, function, options)
    figures = {name: float(value) for name, value in function(**everything).items()}
    name = "goodput_bps" if "goodput_bps" in figures else "throughput_bps"

    def run(changes: Options) -> float:
        with warnings.catch_warnings():  # those of the real options have been told
            warnings.simplefilter("ignore", ValidityWarning)
            return float(function(**everything | dict(changes))[name])

    values = list(LAYERS[kind](everything, figures)) if kind in LAYERS else list(_in_order(kind, run, everything))
    steps = tuple(_steps(values, figures[name]))
    if measured is None:
        return Explanation(kind, name, steps, figures)
    require_positive(measured=measured)
    return Explanation(kind, name, steps, figures, float(measured), causes(kind, float(measured), figures[name]))


def _bound(kind: str, function: Callable[..., Any], options: Options) -> dict[str, Any]:
    """Return the options with the defaults of those not given."""
    for name, value in options.items():
        if np.ndim(value):
            raise RangeError(f"{name}: found an array, expected one number to explain")
    try:
        bound = inspect.signature(function).bind(**options)
    except TypeError as error:
        raise RangeError(f"{kind}: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def _steps(values: Sequence[Value], limit: float) -> Iterator[Step]:
    """Return the values as steps, without those that change nothing; the last is the limit itself."""
    last: float | None = None
    for number, (name, value, source) in enumerate(values):
        final = number == len(values) - 1
        left = limit if final else value
        if last is not None and math.isclose(left, last, rel_tol=_ROUNDING):
            continue
        if math.isinf(left) and not final:  # nothing limits yet
            continue
        yield Step(name, None if last is None else last - left, left, source)
        last = left


# Layers ---------------------------------------------------------------------------------------------------------------


_PCIE: Final = "PCIe Base Specification 5.0"


def _packets(gen: int, lanes: int, max_payload: float) -> Iterator[Value]:
    """Return the steps of a PCI Express link from its raw rate to what is left for packets."""
    raw = _number(pci_express.raw_bps(gen, lanes))
    coding = "8b/10b" if gen <= 2 else "128b/130b" if gen <= 5 else "FLIT: 20 of 256 bytes"
    yield f"line coding {coding}", raw, "PCIe Base Specification, chapter 4"
    if gen <= 5:
        yield "clock compensation (SKP), 4 of 1538 symbols", raw - raw * 4 / 1538, f"{_PCIE}, 4.2.7"
        packets = _number(pci_express.packet_bps(gen, lanes, max_payload))
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
    return float(pci_express._TRANSFERS_PER_LANE[gen])  # noqa: SLF001 the table belongs to both


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
        yield "flows that meet on a link, in the mean", figures["throughput_bps"], hashing


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
        left = options["rate"] * (mtu - tcp_figures.HEADERS) / (mtu + tcp_figures.FRAMING)
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


# One more option each time --------------------------------------------------------------------------------------------


class Held(NamedTuple):
    """Options that hold back together, what they are where nothing does, and the words for them."""

    ideal: dict[str, Any]
    words: str
    source: str


_CHEN: Final = "Chen et al., ACM Computing Surveys 26(2), 1994"
ORDER: Final[dict[str, tuple[str, list[Held]]]] = {
    "raid": (
        "all disks at once",
        [
            Held(
                {"level": 0, "groups": None, "far": False, "solid_state": False},
                "parity or mirrors of the level",
                _CHEN,
            ),
            Held({"lost": 0, "rebuild": 0}, "lost disks and rebuild", _CHEN),
            Held({"request": None, "offset": 0, "access": 0}, "pieces of requests, partial stripes", _CHEN),
            Held({"controller_rate": None}, "controller", "as given"),
        ],
    ),
    "disk": (
        "outermost zone",
        [
            Held({"inner_rate": None, "position": None}, "slower zones", "Van Meter, USENIX 1997"),
            Held({"streams": 1}, "seeks between streams", "seek and half a revolution each"),
            Held({"request": None}, "seeks between requests", "seek and half a revolution each"),
        ],
    ),
    "ssd": (
        "sequential rate",
        [
            Held({"cache_rate": None, "cache": 0, "amount": None}, "what the fast part takes", "phases of the disk"),
            Held({"spare": None}, "write amplification", "Desnoyers, SYSTOR 2012"),
            Held({"block": None, "outstanding": 1, "latency": 0}, "waiting for each request", "Little's law"),
            Held({"iops": None}, "requests a second", "as given"),
        ],
    ),
    "cpu": (
        "cores that only copy",
        [
            Held({"cycles_per_packet": 0}, "cost of each packet", "RFC 4297"),
            Held({"cycles_per_call": 0}, "cost of each system call", "as given"),
            Held({"neighbours": 0}, "other threads on the cores", "as given"),
            Held({"interrupts": 0.0}, "interrupts", "as given"),
            Held({"quota": None}, "quota", "as given"),
        ],
    ),
    "memory": (
        "channels times transfers times 8 bytes",
        [
            Held({"usable": 1.0}, "part that mixed reads and writes reach", "memory benchmarks such as STREAM"),
            Held({"passes": 1}, "passes of each byte", "RFC 4297"),
            Held({"link_rate": None, "link_passes": 1}, "links to the other socket", "as given"),
        ],
    ),
    "requests": (
        "requests under way, one round trip each",
        [
            Held({"service": 0}, "time of a request at the other end", "Little's law"),
            Held({"round_trips": 1}, "further round trips of each", "Little's law"),
            Held({"rate": None}, "line", "as given"),
            Held({"store_rate": None}, "store, in turn with the line", "as given"),
        ],
    ),
}
"""Kind -> the words for its start, and what holds it back, in this order."""


def _in_order(kind: str, run: Callable[[Options], float], options: Options) -> Iterator[Value]:
    start, known = ORDER.get(kind, ("what the required options give", []))
    held = [
        Held({name: ideal for name, ideal in one.ideal.items() if name in options}, one.words, one.source)
        for one in known
    ]
    if kind not in ORDER:
        held = list(_others(kind, options))
    changes = {name: ideal for one in held for name, ideal in one.ideal.items()}
    words: list[str] = []
    first = True
    for one in [Held({}, start, "as given"), *held]:
        for name in one.ideal:
            changes.pop(name, None)
        words.append(one.words)
        try:
            value = run(changes)
        except RangeError:  # this one makes sense only together with the next
            continue
        yield (" and ".join(words) if not first else start), value, one.source
        first, words = False, []


def _others(kind: str, options: Options) -> Iterator[Held]:
    """Return the given options that have a default, in the order of the signature."""
    from hecn_analysis.limits import KINDS  # noqa: PLC0415 see explain

    for name, parameter in inspect.signature(KINDS[kind]).parameters.items():
        if parameter.default is not parameter.empty and options[name] != parameter.default:
            yield Held({name: parameter.default}, f"--{name.replace('_', '-')} as given", f"hecn limits {kind} --help")


# Above the limit ------------------------------------------------------------------------------------------------------

_FROM_CACHE: Final = ("raid", "disk", "ssd", "enclosure", "pagecache")
_SUMMED_WAYS: Final = ("pcie", "nic", "ethernet", "infiniband", "atm", "sonet", "tcp")


def causes(kind: str, measured_bps: float, limit_bps: float) -> tuple[Cause, ...]:
    """Return why a measurement may be above a limit; nothing where it is not.

    Parameters
    ----------
    kind
        Kind of limit.
    measured_bps
        What was measured. [bit/s]
    limit_bps
        The limit. [bit/s]

    Returns
    -------
    tuple of Cause
        Those that a number speaks for come first, the one that brings it nearest to the limit at the top. The
        measurement itself is never changed.

    Examples
    --------
    A gigabyte of 2**30 bytes taken for one of 10**9 makes 7 % too much of a rate that a tool gave in 10**9:

    >>> causes("pcie", 53.0e9 * 1.0737, 53.2e9)[0].words
    'unit: counted as if its GB were 2**30 bytes (GiB), 7.4 % too much'
    """
    ratio = measured_bps / limit_bps
    if not ratio > 1:
        return ()
    # Reason, how many times too much it makes, and how near the limit the rest must then come at least.
    numbers = [
        ("unit: bits taken for bytes (Gb/s for GB/s), 8 times too much", 8.0, 0.5),
        ("unit: counted as if its GB were 2**30 bytes (GiB), 7.4 % too much", 2**30 / 1e9, 0.9),
        ("unit: counted as if its MB were 2**20 bytes (MiB), 4.9 % too much", 2**20 / 1e6, 0.9),
        ("unit: counted as if its kB were 2**10 bytes (KiB), 2.4 % too much", 2**10 / 1e3, 0.9),
    ]
    if kind in _SUMMED_WAYS:
        numbers.append(("directions: both added up, and the limit is that of one", 2.0, 0.75))
    found = [Cause(words, measured_bps / factor) for words, factor, least in numbers if least < ratio / factor <= 1]
    found.sort(key=lambda cause: -(cause.corrected_bps or 0))
    if ratio <= 1 + _CLOCK_TOLERANCE:
        found.insert(0, Cause("clock: both ends' oscillators may be 100 ppm off (IEEE 802.3)", limit_bps))
    elif ratio < 1.1:
        found.append(Cause("clock: a coarse or stepped timer; repeat it with a longer test", None))
    if kind in _FROM_CACHE:
        found.append(
            Cause("cache: data in the page cache or the controller's; more than fits there, or direct I/O", None)
        )
    else:
        words = (
            "burst: shorter than the buffers on the way, which end the sender's time; longer, or the receiver's rate"
        )
        found.append(Cause(words, None))
    words = "settings: something faster was measured than is described (link, MTU, MaxPayload, parts, compression)"
    found.append(Cause(words, None))
    return tuple(found)
