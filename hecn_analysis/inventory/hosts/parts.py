"""Parts of a host with their facts: fields of known types, so that a misspelt fact is an error of the type checker.

Outputs are merged by name first (`machine`); `Part.of` then makes a part of the merged facts. What only JSON shows has
no field and stays in `Part.facts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, get_args, get_origin

#: No number of a host is larger; JSON may hold any.
_LARGEST: Final = 1e30


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a host; a field is None where no output gives it.

    Parameters
    ----------
    facts
        All that the outputs say of it, by name and in their order: what JSON shows.

    Examples
    --------
    >>> port = Interface.of({"speed_bps": 10**10, "duplex": 1, "rx_usecs": 3})
    >>> port.speed_bps, port.duplex, port.facts["rx_usecs"]
    (10000000000, None, 3)
    """

    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """Make the part of merged facts; a value of another type than its field's is None."""
        given = ((one.name, facts.get(one.name), get_args(one.type)) for one in fields(cls) if one.name != "facts")
        return cls(facts=facts, **{name: value for name, value, types in given if _is(value, types)})


def _is(value: object, types: tuple[Any, ...]) -> bool:
    """Whether a value is of one of the types; a bool is no number, an int also a float."""
    kinds = [get_origin(one) or one for one in types]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value) in kinds
    return (type(value) in kinds or float in kinds) and abs(value) < _LARGEST


@dataclass(frozen=True, kw_only=True)
class Interface(Part):
    """A network interface, by ethtool, lshw and sysfs.

    Parameters
    ----------
    bus_info
        PCI address of its card as it says itself.
    address
        The same where a PCI device has it.
    port
        Kind of its connector.
    link_detected
        Whether there is a signal.
    duplex
        ``full`` or ``half``.
    speed_bps, supported_max_bps, advertised_max_bps
        What runs, and the fastest link mode that it can do and that it offers. [bit/s]
    rx, tx, rx_max, tx_max
        Packets of its rings, as set and at most.
    features, fixed
        Whether each offload is on, by its long name, and those that cannot be changed.
    """

    bus_info: str | None = None
    address: str | None = None
    port: str | None = None
    link_detected: bool | None = None
    duplex: str | None = None
    speed_bps: float | None = None
    supported_max_bps: float | None = None
    advertised_max_bps: float | None = None
    rx: int | None = None
    tx: int | None = None
    rx_max: int | None = None
    tx_max: int | None = None
    features: dict[str, bool] | None = None
    fixed: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Part):
    """What ip link and sysfs say of an interface.

    Parameters
    ----------
    mtu
        Largest packet of IP. [B]
    up
        Whether somebody switched it on.
    loopback
        Whether it leads back to the host.
    kind
        What it is made of software: ``bond``, ``bridge``, ``vlan`` …; None for a card's port.
    """

    mtu: int | None = None
    up: bool | None = None
    loopback: bool | None = None
    kind: str | None = None
