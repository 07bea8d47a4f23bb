"""Known facts about the runs that a change should speed up, and the numbers in the texts of changes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeGuard

from hecn_analysis.base.units import format_bytes, format_rate, format_time
from hecn_analysis.diagnosis import systems
from hecn_analysis.limits.framing import IPVersion, goodput_bps, header_bytes

LineBasis = Literal["stated", "port", "none"]
"""Where the line rate is from: `stated` for the circuit, the speed of a host's `port`, or `none`."""

_SMALLEST_WINDOW: Final = 4 * 2**20
"""Least buffer that is worth setting: about what Linux tunes up to by itself. [bytes]"""
_LARGEST_WINDOW: Final = 2**30
"""The largest power of two that the kernel's settings hold. [bytes]"""
_WINDOW_WITHOUT_RTT: Final = 64 * 2**20
"""Buffers that ESnet's fasterdata advises for hosts of 10 Gb/s up to 100 ms. [bytes]"""
_UNKNOWN_LINE: Final = 10.0
"""How far above the measured rate a window must reach where no line is known."""
_DURATION_S: Final = 10.0
"""Length of a test where none is known: the default of iperf3 and nuttcp. [s]"""
_BELOW: Final = 0.94
"""Part of the receiver's rate of overloaded UDP that arrives without loss."""
_OF_LINE: Final = 0.9
"""Part of a line that is asked for where all of it must arrive."""
_MTU: Final = 1500.0
_TUNNEL_MTU: Final = 1400.0  # what is left of 1500 bytes in most tunnels
_BELOW_SHAPER: Final = 0.98
_ASSUMED_OF_LINE: Final = 0.3
_ASSUMED_BPS: Final = 1e8
_STREAMS: Final = (8, 16)
_NAME: Final = re.compile(r"[\w.:-]{1,80}")

#: Copy tools with one connection, and no option for its window.
_ONE_CONNECTION: Final = ("curl", "ftp", "rsync", "scp", "hpn-scp", "sftp", "smbclient", "wget")

WITHOUT_WINDOW: Final = frozenset({*_ONE_CONNECTION, "aws", "azcopy", "gcloud", "gsutil", "mc", "rclone", "robocopy"})
"""Tools that ask for no window."""

OF_RATES: Final = frozenset({"line", "needed", "pace", "just_below", "ten_bytes", "bdp"})
"""Quantities that mean nothing where no rate is known."""
IN_TEXTS: Final = frozenset(
    {
        *OF_RATES,
        *(
            "just_below_mbit",
            "pace_mbit",
            "queue_packets",
            "ten_bytes_text",
            "bytes_text",
            "bytes_option",
            "udp_option",
        ),
    }
)
"""Those, and numbers of texts that follow from them."""


@dataclass(frozen=True)
class Known:
    """Known facts about one kind of run; None if unknown. Rates are in bit/s, times in seconds, sizes in bytes.

    ``measured_…`` are the median and range of runs with a rate, ``offered_bps`` what UDP sends. ``line_bps`` is the
    rate of the line (a packet costs its IP length + 38 bytes), ``line_basis`` its origin, ``supported_bps`` the
    highest speed of the port, ``rtt_s`` the round-trip time without queueing, ``ip`` the version. ``tcp_rmem_max``
    and ``tcp_wmem_max`` are the largest tuned buffers of receiver and sender, ``…_cpu_share`` the parts of a core
    that the process gets, ``needed_mtu`` the MTU of the narrowest hop. ``is_stalled``: almost nothing was carried,
    so that gains do not count from the measured rate. ``limits`` are known limits of resources by their class of
    cause, ``systems`` the operating systems of the ends; ``sender``, ``receiver`` and ``interface`` are names for
    commands.
    """

    measured_bps: float | None = None
    measured_low_bps: float | None = None
    measured_high_bps: float | None = None
    offered_bps: float | None = None
    line_bps: float | None = None
    line_basis: LineBasis = "none"
    supported_bps: float | None = None
    rtt_s: float | None = None
    mtu: float = 1500.0
    ip: IPVersion = 4
    streams: int | None = None
    tool: str | None = None
    protocol: str = "tcp"
    duration_s: float | None = None
    transfer_bytes: float | None = None
    tcp_rmem_max: float | None = None
    tcp_wmem_max: float | None = None
    sender_cpu_share: float | None = None
    receiver_cpu_share: float | None = None
    needed_mtu: float | None = None
    is_stalled: bool = False
    limits: Mapping[str, float] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    sender: str | None = None
    receiver: str | None = None
    interface: str | None = None

    @property
    def base_bps(self) -> float:
        """Base of gains: the measured rate, or an assumed one if no run has a rate [bit/s]."""
        if is_positive(self.measured_bps) and not self.is_stalled:
            return self.measured_bps
        return _ASSUMED_OF_LINE * self.line_bps if is_positive(self.line_bps) else _ASSUMED_BPS

    @property
    def goodput_bps(self) -> float | None:
        """Goodput of the line, None if it is unknown or below the measured rate [bit/s]."""
        if not is_positive(self.line_bps) or self.line_basis == "none":
            return None
        least = header_bytes(ip=self.ip) + 1200
        mtu = min(max(self.mtu if math.isfinite(self.mtu) else 1500.0, least), 65535.0)
        protocol: Literal["tcp", "udp"] = "udp" if self.protocol == "udp" else "tcp"
        goodput = float(goodput_bps(self.line_bps, mtu, ip=self.ip, protocol=protocol))
        return goodput if goodput * 1.02 >= self.base_bps else None

    @property
    def run_bytes(self) -> float:
        """Data of a run, by its rate and duration if not stated [bytes]."""
        if is_positive(self.transfer_bytes):
            return float(self.transfer_bytes)
        return max(self.base_bps * self.run_s / 8, 1.0)

    @property
    def run_s(self) -> float:
        """Duration of a run, by its data if not stated [s]."""
        if is_positive(self.duration_s):
            return float(self.duration_s)
        if is_positive(self.transfer_bytes):
            return float(self.transfer_bytes) * 8 / self.base_bps
        return _DURATION_S


def quantities(known: Known, after_bps: float) -> dict[str, float | str]:
    """Values for the braces of ``models/remedies.yaml``: numbers in SI and texts, if known."""
    goodput = known.goodput_bps
    is_measured = is_positive(known.measured_bps)
    line = float(known.line_bps or 0) if goodput is not None else None
    reach = line if line is not None else max(_UNKNOWN_LINE * known.base_bps, after_bps)
    bdp = reach * known.rtt_s / 8 if is_positive(known.rtt_s) else None
    window = _window(bdp, known)
    streams = max(known.streams or 1, 1)
    more = next((number for number in _STREAMS if number >= 2 * streams), 2 * streams)
    pace = pace_bps(known, after_bps)
    below = _rounded(_BELOW_SHAPER * known.base_bps)
    ten = 10 * round(known.run_bytes)
    present = known.mtu if is_positive(known.mtu) else _MTU
    mtu = known.needed_mtu if is_positive(known.needed_mtu) else _MTU if present > _MTU else _TUNNEL_MTU
    queue = round(bdp) if bdp is not None and bdp >= 1 else _WINDOW_WITHOUT_RTT // 64
    autotuned = known.tcp_rmem_max
    names = words(known)
    more_than = f"more than {_byte_rate(known.base_bps)}"
    return {
        "line": _rounded(line if line is not None else after_bps / 0.94),
        "line_text": format_rate(line) if line is not None else "the rate that was promised",
        "bdp": queue,
        "bdp_text": format_bytes(bdp) if bdp is not None else "rate times RTT",
        "for_distance": _for_distance(bdp, line, reach),
        "queue_packets": max(math.ceil(queue / present), 1),
        "window": window,
        "window_text": _binary(window),
        "autotuned": _binary(autotuned) if is_positive(autotuned) else "its own limits (tcp_rmem, tcp_wmem)",
        "streams": streams,
        "more_streams": more,
        "pace": pace,
        "pace_mbit": max(round(pace / 1e6), 1),
        "pace_text": format_rate(pace) if goodput or is_measured else "a rate",
        "just_below": below,
        "just_below_mbit": max(round(below / 1e6), 1),
        "ten_bytes": ten,
        "ten_bytes_text": format_bytes(ten),
        "bytes_text": format_bytes(known.run_bytes),
        "needed": _rounded(goodput if goodput is not None else after_bps),
        "needed_text": _byte_rate(goodput) if goodput else more_than if is_measured else "as much as the line carries",
        "measured_text": format_rate(known.base_bps) if is_measured else "its present rate",
        "measured_bytes": _byte_rate(known.base_bps) if is_measured else "its present value",
        "rtt_text": format_time(known.rtt_s) if is_positive(known.rtt_s) else "its idle value",
        "mtu": round(mtu),
        "payload": round(mtu) - 28,
        "tune_windows": systems.tuned(known.systems, names, window),
        "allow_window": systems.allowed(known.systems, names, window),
        **_options(known.tool, more, window, ten, pace),
        **names,
    }


def _options(tool: str | None, streams: int, window: int, amount: int, pace: int) -> dict[str, str]:
    """Options of the tool, or those of iperf3 if it is unknown."""
    kib, mib = math.ceil(window / 1024), window // 2**20
    own, at_once = "without a window of its own", f"({streams} at once, each with its part of the files)"
    copies: dict[str, tuple[str, str]] = {
        "globus-url-copy": (f"-p {streams}", f"-tcp-bs {window}"),
        "bbcp": (f"-s {streams}", f"-w {kib}k"),
        "fdt": (f"-P {streams}", f"-ss {mib}M"),
        "lftp": (f"-e 'set pget:default-n {streams}'", f"-e 'set net:socket-buffer {window}'"),
        "rclone": (f"--multi-thread-streams {streams} --transfers {streams}", own),
        "xrdcp": (f"-S {streams}", own),
        "aria2c": (f"-x {streams} -s {streams}", own),
        **dict.fromkeys(_ONE_CONNECTION, (at_once, own)),
    }
    if tool in copies:
        options = (*copies[tool], "with ten times the data", "")
    elif tool == "nuttcp":
        options = f"-N{streams}", f"-w{kib}k", f"-n{math.ceil(amount / 2**20)}m", f"-u -R{max(round(pace / 1e6), 1)}m"
    elif tool == "netperf":
        options = "(so many at once)", f"-- -s {window} -S {window}", "-l 60", ""
    else:
        options = f"-P {streams}", f"-w {mib}M", f"-n {amount}", f"-u -b {pace}"
    return dict(zip(("streams_option", "window_option", "bytes_option", "udp_option"), options, strict=True))


def words(known: Known | None) -> dict[str, str]:
    """Names of the tool, the hosts and the port for commands, or general words."""
    known = known or Known()
    return {
        "tool": _word(known.tool, "the tool"),
        "sender": _word(known.sender, "the host" if known.protocol == "file" else "the sender"),
        "receiver": _word(known.receiver, "the host" if known.protocol == "file" else "the receiver"),
        "destination": _word(known.receiver, "HOST"),
        "interface": _word(known.interface, "IFACE"),
    }


def pace_bps(known: Known, after_bps: float) -> int:
    """Rate for a paced sender, a little below the line; `after_bps` replaces an unknown line [bit/s]."""
    line = known.line_bps if known.goodput_bps is not None else None
    if line is not None and known.line_basis == "stated":
        return _rounded(_OF_LINE * line)
    return _rounded(_BELOW * known.base_bps if known.protocol == "udp" else _OF_LINE * after_bps)


def is_positive(value: float | None) -> TypeGuard[float]:
    """Whether a number is known, finite and above 0."""
    return value is not None and math.isfinite(value) and value > 0


def _for_distance(bdp: float | None, line: float | None, reach: float) -> str:
    """Why a window has its size."""
    if bdp is None:
        return "since the RTT is not known"
    if line is None:
        return f"enough for {format_rate(reach)}, since the line is not known"
    return f"twice the BDP of {format_bytes(bdp)}"


def _window(bdp: float | None, known: Known) -> int:
    """Twice the BDP as a power of two, and more than the hosts have."""
    wanted = 2 * bdp if bdp is not None else float(_WINDOW_WITHOUT_RTT)
    present = [value for value in (known.tcp_rmem_max, known.tcp_wmem_max) if is_positive(value)]
    if present:
        wanted = max(wanted, min(present) + 1)
    exponent = math.ceil(math.log2(min(max(wanted, _SMALLEST_WINDOW), _LARGEST_WINDOW)))
    return 1 << exponent


def _rounded(rate: float) -> int:
    """A rate of three digits."""
    digits = 2 - math.floor(math.log10(max(rate, 1.0)))
    return max(round(round(rate, digits)), 1)


def _binary(size: float | None) -> str:
    """A size in powers of two, as in settings of kernels."""
    value, unit = float(size or 0), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.3g} {unit}"


def _byte_rate(rate: float) -> str:
    """A rate in bytes per second, as in tools for disks."""
    return f"{format_bytes(rate / 8)}/s"


def _word(name: str | None, otherwise: str) -> str:
    """A name that is safe in a command, else general words: names come from files of any origin."""
    return name if name is not None and _NAME.fullmatch(name) and not name.startswith("-") else otherwise
