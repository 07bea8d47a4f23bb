"""All checks of a captured host, their input, and the predicted gain of each fix on a path.

Each check states what it found, the correct state, the resulting limit, and the fix; the page on findings in the
documentation has the reasons and sources. A check without its facts names the command to capture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from hecn_analysis.base.children import private_folder
from hecn_analysis.base.errors import HecnError
from hecn_analysis.files import whole
from hecn_analysis.inventory.checks import host, network, slots, storage, windows
from hecn_analysis.inventory.checks.finding import Finding, Seen, Unchecked

if TYPE_CHECKING:
    from hecn_analysis.hardware import Path
    from hecn_analysis.inventory.hosts.machine import Machine
    from hecn_analysis.inventory.registry import Captured

__all__ = ["CHECKS", "Check", "Finding", "HostFindings", "Unchecked", "find", "predicted"]


@dataclass(frozen=True)
class Check:
    """A check: the names of its findings, its function, and its input.

    ``needs`` has groups of formats, each with the command to capture; one format of every group is required.
    """

    names: tuple[str, ...]
    run: Callable[[Seen], Iterator[Finding]]
    needs: tuple[tuple[tuple[str, ...], str], ...]


_LSPCI: Final = (("lspci-vvv", "lspci-xxx"), "lspci -vvv (as root)")
_PLACES: Final = (("lspci-vvv", "lspci-xxx", "lspci-nnmmv", "hwloc-xml", "sysfs"), "lspci -vvv")
_LINKS: Final = (("lspci-vvv", "lspci-xxx", "sysfs"), "lspci -vvv (as root)")
_PORTS: Final = (("ethtool",), "ethtool INTERFACE")
_MTU: Final = (("ip-link", "ip-link-json", "sysfs"), "ip link")
_SYSCTL: Final = (("sysctl",), "sysctl -a")
_SYSFS: Final = (("sysfs",), "hecn capture (grep . /sys/block/md*/md/stripe_cache_size)")
_ARRAYS: Final = (
    (
        *("mdstat", "mdadm-detail", "storcli-json", "storcli", "megacli", "ssacli", "hpacucli", "arcconf", "tw_cli"),
        *("sas2ircu", "areca-cli64", "zpool-status"),
    ),
    "cat /proc/mdstat, or the RAID controller's program",
)

CHECKS: Final = (
    Check(("link-width",), slots.link_width, (_LINKS,)),
    Check(("link-speed",), slots.link_speed, (_LINKS,)),
    Check(("max-payload",), slots.max_payload, (_LSPCI,)),
    Check(("read-request",), slots.read_request, (_LSPCI,)),
    Check(("shared-uplink",), slots.shared_uplink, (_LINKS, (("ethtool-i", "sysfs"), "ethtool -i INTERFACE"))),
    Check(("numa",), slots.numa_nodes, (_PLACES,)),
    Check(("pcix-burst",), slots.pcix_burst, (_LSPCI,)),
    Check(("link-down", "link-slow", "half-duplex"), network.link, (_PORTS,)),
    Check(("mtu",), network.mtu, (_PORTS, _MTU)),
    Check(("rings",), network.rings, ((("ethtool-g",), "ethtool -g INTERFACE"),)),
    Check(("offloads",), network.offloads, ((("ethtool-k",), "ethtool -k INTERFACE"),)),
    Check(("lro",), network.lro, ((("ethtool-k",), "ethtool -k INTERFACE"),)),
    Check(("interrupts",), network.interrupts, ((("proc-interrupts",), "cat /proc/interrupts"),)),
    Check(("tcp-receive-buffer", "tcp-send-buffer"), network.buffers, (_SYSCTL,)),
    Check(("tcp-options",), network.tcp_options, (_SYSCTL,)),
    Check(("bond",), network.bonds, ()),
    Check(("queue-drops",), network.drops, ((("tc-s-qdisc",), "tc -s qdisc"),)),
    Check(("degraded-array",), storage.degraded, (_ARRAYS,)),
    Check(("stripe-cache",), storage.stripe_cache, (_SYSFS,)),
    Check(("chunk",), storage.chunk, (_ARRAYS,)),
    Check(("controller-cache",), storage.controller_cache, ()),
    Check(("disk-link",), storage.disk_links, ((("smartctl", "smartctl-json", "megacli"), "smartctl -i DISK"),)),
    Check(
        ("memory-channels",),
        host.memory_channels,
        ((("dmidecode", "lshw-json"), "dmidecode (as root)"), (("lscpu", "lscpu-json", "proc-cpuinfo"), "lscpu")),
    ),
    Check(("governor", "clock-cap"), host.governor, ((("sysfs", "cpupower"), "cpupower -c all frequency-info"),)),
    Check(("autotuning",), windows.autotuning, ()),
)


@dataclass(frozen=True)
class HostFindings:
    """Results of the checks of a host: findings, the most costly first, and checks without input."""

    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    seen: Seen = field(repr=False)

    def __str__(self) -> str:
        return f"{len(self.findings)} findings, {len(self.unchecked)} checks could not be made"

    __repr__ = __str__

    def on_path(self, path: Path) -> HostFindings:
        """Check the host for transfers over a path.

        Parameters
        ----------
        path
            The path.

        Returns
        -------
        HostFindings
            Those of the same host, including buffers that are too small for the path.

        Examples
        --------
        >>> from hecn_analysis.hardware import load_scenario
        >>> from hecn_analysis.inventory.hosts.machine import Machine
        >>> from hecn_analysis.inventory.parts.computer import Kernel
        >>> path = load_scenario({"sender": "c", "receiver": "c", "tool": "iperf3", "path": "netem-80ms-10ge"}).path
        >>> host = find(Machine(kernel=Kernel(tcp_rmem=[4096, 131072, 6291456])))
        >>> [finding.check for finding in host.on_path(path).findings]
        ['tcp-receive-buffer']
        """
        return _checked(replace(self.seen, path=path))


def find(
    machine: Machine,
    captured: Sequence[Captured] = (),
    *,
    path: Path | None = None,
    slots: Mapping[str, str] | None = None,
) -> HostFindings:
    """Check a captured host."""
    return _checked(Seen(machine, captured, path, slots or {}))


def _checked(seen: Seen) -> HostFindings:
    """Run all checks."""
    remarks: list[Finding] = []
    unchecked: list[Unchecked] = []
    for check in CHECKS:
        remarks.extend(check.run(seen))
        unchecked.extend(_missing(check, seen))
    ranked = sorted(remarks, key=_share)
    told = {finding.check for finding in remarks}  # from less than the whole output
    return HostFindings(tuple(ranked), tuple(each for each in unchecked if each.check not in told), seen)


def _share(finding: Finding) -> float:
    """Remaining share of the part's rate, as the sort key of findings; risks for the data come first."""
    if finding.check == "degraded-array":
        return -1.0
    if finding.limit_bps is None or not finding.fixed_bps:
        return math.inf
    if finding.needs_bps is not None and finding.limit_bps >= finding.needs_bps:
        return 1.0  # as it is, it does not limit
    return finding.limit_bps / min(finding.fixed_bps, finding.needs_bps or math.inf)


def _missing(check: Check, seen: Seen) -> Iterator[Unchecked]:
    """List the outputs that a check needs and the capture lacks."""
    lacking = [command for formats, command in check.needs if not any(name in seen.formats for name in formats)]
    if not lacking and any(needed is _LINKS or needed is _LSPCI for needed in check.needs):
        denied = any(facts.get("access_denied") for facts in seen.facts("lspci-vvv"))
        readable = any(
            device.lnksta_width is not None or device.pcix_rbc is not None for device in seen.machine.devices.values()
        )
        if denied and not readable:
            lacking = ["lspci -vvv as root"]
    if not lacking and check.names == ("max-payload",):
        cards = [card for functions in seen.cards.values() for card in functions[:1] if card.max_payload]
        if cards and not any(seen.machine.above(card.address) for card in cards):
            lacking = ["lspci -vvv of the bridges too"]
    if not lacking and check.run is network.buffers and seen.path is None:
        lacking = ["a path (--path)"]
    for name in check.names if lacking else ():
        yield Unchecked(name, " and ".join(lacking))


def predicted(
    findings: Iterable[Finding],
    description: Mapping[str, Any],
    path: str,
    *,
    role: Literal["sender", "receiver"] = "receiver",
    tool: str = "iperf3",
) -> tuple[Finding, ...]:
    """Predict the gain of fixing each finding: the host as it is, and with the finding's settings.

    The other end sets no limit. A finding without settings, such as a cable, gets the rate as it is only.

    Parameters
    ----------
    findings, description
        The findings, and the host as it is, as the keys of a file in ``models/hosts``.
    path, role, tool
        Name of a path in ``models/paths``, or a file; end of the transfer; tool that moves the data.

    Returns
    -------
    tuple of Finding
        The findings with ``predicted_bps`` and, if they have settings, ``predicted_fixed_bps``. [bit/s]

    Raises
    ------
    InputError
        The path or the tool is unknown, or the description is not one of a host.

    Examples
    --------
    >>> settings = {"host.tcp_rmem_max": 256 << 20}
    >>> small = Finding("tcp-receive-buffer", "tcp_rmem", "6 MiB", "256 MiB", scenario_settings=settings)
    >>> host = {"title": "a host", "source": "an example", "tcp_rmem_max": 6 << 20}
    >>> [gain] = predicted([small], host, "netem-80ms-10ge")
    >>> gain.predicted_fixed_bps > 5 * gain.predicted_bps
    True
    """
    import yaml  # noqa: PLC0415 - dear, and wanted with a path only

    from hecn_analysis.hardware import load_scenario  # noqa: PLC0415
    from hecn_analysis.prediction import predict  # noqa: PLC0415

    other = "sender" if role == "receiver" else "receiver"
    with private_folder("inventory") as folder:
        file = folder / "captured.yaml"
        whole.write(file, yaml.safe_dump(dict(description), sort_keys=False))
        base: dict[str, Any] = {role: str(file), other: "ideal", "path": path, "tool": tool}
        now = predict(load_scenario(base)).throughput_bps
        done = []
        for finding in findings:
            fixed = None
            settings = {key.replace("host.", f"{role}.", 1): value for key, value in finding.scenario_settings.items()}
            if settings:
                try:
                    fixed = predict(load_scenario(base, settings)).throughput_bps
                except HecnError:  # what was captured does not hold the part that the settings change
                    fixed = None
            done.append(replace(finding, predicted_bps=now, predicted_fixed_bps=fixed))
    return tuple(done)
