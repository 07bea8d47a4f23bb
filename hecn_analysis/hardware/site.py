"""A site: hosts, switches, links and shared storage, and the transfers over them. Data in ``models/sites/*.yaml``.

The same keys describe a scenario of several transfers: without ``hosts``, the senders and receivers are entries of
``models/hosts``; without ``links``, each ``path`` is one that all transfers naming it share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path as FilePath
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware.clock import date_of
from hecn_analysis.hardware.description import KeyPath, Place
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Bytes, Dollars, Factor, Parameter, Rate, Time, Title

Name = Annotated[str, Field(min_length=1)]

#: Hosts of a group; more are more likely a slip than a plan.
MOST_HOSTS: Final = 100_000

#: Transfers after expansion; more are more likely a slip than a plan.
MOST_TRANSFERS: Final = 1_000_000

#: Latest start of a transfer: times to a microsecond need no later one. [s]
LATEST_S: Final = 1e9

#: Highest priority of a transfer.
HIGHEST_PRIORITY: Final = 3

_STRICT: Final = ConfigDict(frozen=True, extra="forbid")


class SiteHost(BaseModel):
    """A host of a site, or a group of equal ones: ``dtn`` with a count of 3 is dtn1, dtn2 and dtn3."""

    model_config = _STRICT

    host: str = Field(description="entry of models/hosts, or a YAML file")
    count: Annotated[int, Field(ge=1, le=MOST_HOSTS, description="equal hosts of this name")] = 1
    storage: str | None = Field(default=None, description="storage of the site that its files are on")
    set: dict[str, Any] = Field(default={}, description="keys of the host to change, such as files_on")
    cost: Dollars | None = Field(default=None, description="price of one more such host; default: none can be bought")
    offers: dict[Name, Dollars | None] = Field(
        default={},
        description="hosts to buy for the group: entries of models/hosts, and prices; null: by the bill of materials",
    )

    @property
    def is_offered(self) -> bool:
        """Whether more hosts can be bought for the group.

        Returns
        -------
        bool
            True if a price is stated.

        Examples
        --------
        >>> SiteHost(host="b").is_offered, SiteHost(host="b", cost="9000 USD").is_offered
        (False, True)
        """
        return self.cost is not None or bool(self.offers)


class Switch(BaseModel):
    """A switch or router between links."""

    model_config = _STRICT

    title: Title = ""
    rate: Rate | None = Field(default=None, description="most that it forwards, all ports together; default: no limit")


class Link(Path):
    """A link of a site: a path with two ends, and a rate of its own in each direction."""

    ends: Annotated[list[Name], Field(min_length=2, max_length=2, description="hosts, groups or switches")] | None = (
        None
    )
    path: str | None = Field(default=None, description="entry of models/paths that supplies the keys not given here")
    latency: Time | None = Field(default=None, description="time one way, instead of rtt")
    cost: Dollars | None = Field(default=None, description="price of one such link; reported beside its load")
    offers: dict[Name, Dollars] = Field(default={}, description="links to buy beside it: rates and their prices")

    @model_validator(mode="after")
    def _one_time(self) -> Self:
        if self.latency is not None and "rtt" in self.model_fields_set:
            raise ValueError("found latency and rtt, expected one of them")
        return self

    @property
    def round_trip(self) -> Parameter:
        """Round-trip time [s]."""
        if self.latency is None:
            return self.rtt
        return self.latency.model_copy(update={"value": 2 * self.latency.value})


class Storage(BaseModel):
    """A storage system that hosts share; reads and writes together use its servers and disks."""

    model_config = _STRICT

    title: Title = ""
    read_rate: Rate | None = Field(default=None, description="most that it reads; default: no limit of its own")
    write_rate: Rate | None = Field(default=None, description="most that it writes")
    servers: Annotated[int, Field(ge=1)] | None = None
    server_rate: Rate | None = Field(default=None, description="rate of one server")
    disks: Annotated[int, Field(ge=1)] | None = None
    disk_rate: Rate | None = Field(default=None, description="rate of one disk, within the system")

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        for count, rate in (("servers", "server_rate"), ("disks", "disk_rate")):
            if (getattr(self, count) is None) != (getattr(self, rate) is None):
                raise ValueError(f"found one of {count} and {rate}, expected both")
        if not self._rates("read") or not self._rates("write"):
            raise ValueError("found no rate, expected read_rate and write_rate, servers or disks")
        return self

    def ceiling(self, operation: Literal["read", "write"]) -> Parameter:
        """Rate for reads or writes: the least of what is stated, its servers, and its disks [bit/s]."""
        return min(self._rates(operation), key=lambda rate: rate.value)

    def _rates(self, operation: Literal["read", "write"]) -> list[Parameter]:
        """Rates that are known of it [bit/s]."""
        stated = self.read_rate if operation == "read" else self.write_rate
        parts = [(self.servers, self.server_rate), (self.disks, self.disk_rate)]
        together = [
            rate.model_copy(update={"value": rate.value * many})
            for many, rate in parts
            if many is not None and rate is not None
        ]
        return [*together, *([] if stated is None else [stated])]


class Transfer(BaseModel):
    """A transfer, or several alike: between groups, in copies, or repeated."""

    model_config = _STRICT

    name: str = ""
    sender: Name = Field(description="host or group of the site")
    receiver: Name = Field(description="host or group of the site")
    path: str | list[Name] | None = Field(
        default=None,
        description="links in order, or a path of models/paths that all who name it share; default: the least RTT",
    )
    tool: str | None = Field(default=None, description="entry of models/tools; default: that of the site")
    start: Time = Field(default=0, validate_default=True, description="when it starts, or with by: when it may start")
    by: Time | None = Field(default=None, description="when it has to be done: a time after 0, or a date")
    every: Time | None = Field(default=None, description="time from one start to the next, with times")
    times: Annotated[int, Field(ge=1, description="starts, with every")] = 1
    bytes: Bytes | None = Field(default=None, description="amount of each transfer")
    duration: Time | None = Field(default=None, description="duration of each transfer, instead of an amount")
    streams: Annotated[int, Field(ge=1, description="TCP connections of each transfer")] | None = None
    pace: Rate | None = Field(default=None, description="pacing rate of each stream")
    at_least: Rate | None = Field(
        default=None, description="rate of its data that schedules must leave to each such transfer while it runs"
    )
    weight: Factor = Field(default=1, validate_default=True, description="its share against others; 2: twice as much")
    priority: Annotated[
        int, Field(ge=0, le=HIGHEST_PRIORITY, description="3 goes first, 0 takes what all higher ones leave")
    ] = 0
    count: Annotated[int, Field(ge=1, description="copies at once, each a process of its own")] = 1
    mesh: bool = Field(
        default=False,
        description="every sender of a group to every receiver; false: in pairs, the smaller group in turn",
    )
    set: dict[str, Any] = Field(default={}, description="keys of the scenario of this transfer, such as tool.window")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.bytes is not None and self.duration is not None:
            raise ValueError("found bytes and duration, expected one of them")
        if not 0 < self.weight.value < math.inf:
            raise ValueError(f"found a weight of {self.weight.value:g}, expected more than 0")
        last = self.start.value + (0.0 if self.every is None else self.every.value * (self.times - 1))
        if not last <= LATEST_S:
            raise ValueError(f"found a start at {last:g} s, expected at most {LATEST_S:g} s")
        if (self.every is None) != (self.times == 1):
            raise ValueError("found one of every and times, expected both")
        if self.at_least is not None and not 0 < self.at_least.value < math.inf:
            raise ValueError(f"found at_least {self.at_least.value:g} bit/s, expected more than 0")
        if self.by is not None:
            self._has_time(self.by.value)
        return self

    def _has_time(self, by: float) -> None:
        """Refuse a deadline that says nothing about this transfer."""
        if by <= self.start.value:
            raise ValueError(f"found by {by:g} s and a start at {self.start.value:g} s, expected a later deadline")
        if not by <= LATEST_S:
            raise ValueError(f"found by {by:g} s, expected at most {LATEST_S:g} s")
        if self.duration is not None:
            raise ValueError("found by and duration, expected bytes: a duration has its end")
        if self.every is not None:
            raise ValueError("found by and every, expected one transfer for each deadline")


class SiteFile(BaseModel):
    """The keys of a site."""

    model_config = _STRICT

    name: str = ""
    title: Title = ""
    source: str = ""
    hosts: dict[str, SiteHost] = {}
    switches: dict[str, Switch] = {}
    links: dict[str, Link] = {}
    storage: dict[str, Storage] = {}
    tool: str | None = Field(default=None, description="tool of the transfers that name none")
    clock: Annotated[
        Annotated[datetime, BeforeValidator(date_of), WithJsonSchema({"type": "string"})] | None,
        Field(description="date of time 0, such as 2026-11-23 08:00; UTC without a zone"),
    ] = None
    transfers: Annotated[list[Transfer], Field(min_length=1)]
    set: dict[str, Any] = Field(default={}, description="keys of the scenario of every transfer, such as tool.window")


@dataclass(frozen=True)
class Site:
    """A site ready to be predicted.

    ``groups`` are the hosts of each name, ``hosts`` the description of each host; ``links`` has one link for each host
    of a group at its end. ``place`` returns file and line of a key.
    """

    name: str
    title: str
    groups: Mapping[str, tuple[str, ...]]
    hosts: Mapping[str, SiteHost]
    switches: Mapping[str, Switch]
    links: Mapping[str, Link]
    storage: Mapping[str, Storage]
    transfers: tuple[Transfer, ...]
    settings: Mapping[str, Any]
    clock: datetime | None
    place: Callable[[KeyPath], Place] = field(repr=False, compare=False)
    origin: tuple[str | FilePath | Mapping[str, Any], Mapping[str, Any]] = field(repr=False, compare=False)

    def expanded(self, transfer: Transfer) -> int:
        """Number of single transfers that a transfer stands for: pairs of hosts, times copies and repetitions.

        Parameters
        ----------
        transfer
            One of the site.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> from hecn_analysis.hardware import load_site
        >>> site = load_site({"path": "lan-10ge", "transfers": [{"sender": "a", "receiver": "b", "count": 8}]})
        >>> site.expanded(site.transfers[0])
        8
        """
        senders, receivers = len(self.groups[transfer.sender]), len(self.groups[transfer.receiver])
        pairs = senders * receivers if transfer.mesh else max(senders, receivers)
        return pairs * transfer.count * transfer.times

    def error(self, path: KeyPath, found: str, expected: str, *, advice: str | None = None) -> InputError:
        """Error at a key of the site.

        Parameters
        ----------
        path, found, expected, advice
            The keys that lead to it; what is there, what would be valid, and what to do.

        Returns
        -------
        InputError
            With file and line of the key, if known.

        Examples
        --------
        >>> from hecn_analysis.hardware import load_site
        >>> str(load_site("sc13-two-waves").error(("links", "north"), "no light", "some")).rpartition("/")[2]
        'sc13-two-waves.yaml:10: found no light, expected some'
        """
        source, line = self.place(path)
        return InputError(found, expected, source=source, line=line, advice=advice)
