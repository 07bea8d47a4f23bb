"""Changes that follow from a verdict: for each class of cause the change, its check, and its gain.

The advice is data: ``models/remedies.yaml``. A gain counts from the measured rate, given that the change addresses the
cause; the probability is stated beside it. The remedy of the likeliest cause comes first, then those of other likely
classes, then alternatives, each part by probability times the logarithm of the gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.diagnosis.known import IN_TEXTS, OF_RATES, Known, is_positive, quantities
from hecn_analysis.diagnosis.outcomes import After, outcome
from hecn_analysis.hardware import yaml_file

Value: TypeAlias = float | int | bool | str

HEALTHY: Final = frozenset({"link", "paced"})
"""Classes of a run that is as expected."""
LIKELY: Final = 0.15
"""A class above this probability has its remedy before the alternatives for other classes."""
_UNLIKELY: Final = 0.05
_TO_MEND: Final = 0.4
"""Runs that are likeliest healthy get changes only where the other classes together reach this probability."""
_MOST: Final = 6
_NO_GAIN: Final = 1.02
_JUMBO: Final = 9000
"""MTU of jumbo frames. [bytes]"""
_BUFFERED: Final = frozenset({"rsync", "scp", "hpn-scp", "sftp", "timed-copy", "curl", "wget"})
"""Tools without an option for direct I/O."""
_AS_SLOW: Final = 1.25
"""A disk that by itself moves less than this factor of the measured rate is its limit."""
_LEAST_GAIN: Final = math.log(1.2)  # what helps without more throughput, such as an end of losses, counts as that

_Text = Annotated[str, Field(min_length=1)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Remedy(BaseModel):
    """A change of ``models/remedies.yaml``; its texts and settings have names of quantities in braces."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: _Text
    settings: dict[str, bool | int | float | str]
    command: _Text
    commands: dict[str, _Text] = {}
    check: _Text
    source: _Text
    after: After
    works: Annotated[float, Field(gt=0, le=1)] = 1.0
    gain: _Positive | None = None
    spread: _Positive | None = None


class _Class(BaseModel):
    """A class of ``models/remedies.yaml``: its changes, or why it has no change."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nothing: _Text | None = None
    gain: _Positive = 2.0
    spread: _Positive = 0.7
    changes: list[_Remedy] = []


_UNNAMED: Final = _Remedy(what="-", settings={}, command="-", check="-", source="-", after="part")


@dataclass(frozen=True)
class Told:
    """What a line that names its cause by itself advises, in place of the remedy of the class."""

    what: str
    settings: Mapping[str, Value]
    command: str
    check: str
    source: str


@dataclass(frozen=True)
class Change:
    """A change that addresses a likely cause.

    ``settings`` are keys of a scenario with their new values in SI. ``throughput_bps`` and its 90 % interval are the
    rates after the change if the cause is the right one; None if neither a rate nor the line is known [bit/s].
    ``probability`` is that of the cause, and that the change then helps.
    """

    what: str
    settings: Mapping[str, Value]
    command: str
    check: str
    throughput_bps: float | None
    low_bps: float | None
    high_bps: float | None
    probability: float
    source: str


def changes(
    causes: Mapping[str, float],
    known: Known,
    *,
    entries: Mapping[str, str] = MappingProxyType({}),
    told: Mapping[str, Told] = MappingProxyType({}),
) -> tuple[Change, ...]:
    """Return the changes, the most useful first; `entries` replace the remedies of their classes, `told` the first."""
    causes = {name: value for name, value in causes.items() if math.isfinite(value) and value > 0}
    likeliest = max(causes, key=causes.__getitem__, default="other")
    if likeliest in HEALTHY and sum(value for name, value in causes.items() if name not in HEALTHY) < _TO_MEND:
        return ()
    ranked: list[tuple[int, float, Change]] = []
    for name, probability in causes.items():
        if probability < _UNLIKELY and name != likeliest:
            continue
        for place, change in enumerate(_of_class(name, entries.get(name, name), probability, known, told.get(name))):
            if (place or name != likeliest) and _is_idle(change, known):
                continue
            rank = 2 if place or probability <= LIKELY else int(name != likeliest)
            ranked.append((rank, -change.probability * _benefit(change, known), change))
    return tuple(_merged(change for _, _, change in sorted(ranked, key=lambda entry: entry[:2])))[:_MOST]


def nothing(cause: str) -> str | None:
    """Explain why a class of cause has no change.

    Parameters
    ----------
    cause
        The class; an unknown one counts as "other".

    Returns
    -------
    str or None
        The reason, None if the class has changes.

    Examples
    --------
    >>> nothing("link")
    'the line is full; only a faster line carries more'
    """
    return _classes().get(cause, _classes()["other"]).nothing


def _is_idle(change: Change, known: Known) -> bool:
    """Whether a change leaves the rate unchanged."""
    is_slower = "tool.pace" in change.settings  # it is to end losses
    return not is_slower and change.high_bps is not None and change.high_bps < _NO_GAIN * known.base_bps


def _of_class(name: str, entry: str, probability: float, known: Known, told: Told | None) -> Iterator[Change]:
    """The changes of an entry for a class, its remedy first."""
    described = _classes().get(entry, _classes()["other"])
    if name == "duplex" and known.line_basis == "port":  # the port's present speed is the fault
        known = replace(known, line_bps=known.supported_bps, line_basis="port" if known.supported_bps else "none")
    is_measured = is_positive(known.measured_bps)
    has_rates = is_measured or known.goodput_bps is not None
    for place, remedy in enumerate(described.changes or ([] if told is None else [_UNNAMED])):
        said = told if place == 0 else None
        if said is None and remedy.settings.get("tool.io") == "direct" and _is_direct_in_vain(name, known):
            continue
        if remedy.settings.get("path.mtu") == _JUMBO and known.mtu >= _JUMBO:
            continue
        if said is None and not has_rates and _asks_for_a_rate(remedy):
            continue
        rate = outcome(
            remedy.after,
            known,
            cause=name,
            gain=remedy.gain or described.gain,
            spread=remedy.spread or described.spread,
            windows=_windows(remedy, known),
        )
        values = quantities(known, rate.throughput_bps)
        is_counted = is_measured or (known.goodput_bps is not None and remedy.after == "line")
        change = Change(
            what=remedy.what.format(**values),
            settings=_settings(remedy, values, is_of_rates=has_rates),
            command=remedy.commands.get(known.tool or "", remedy.command).format(**values),
            check=remedy.check.format(**values),
            throughput_bps=rate.throughput_bps if is_counted else None,
            low_bps=rate.low_bps if is_counted else None,
            high_bps=rate.high_bps if is_counted else None,
            probability=min(probability * remedy.works, 1.0),
            source=remedy.source,
        )
        if said is not None:
            settings = {**change.settings, **said.settings}
            change = replace(
                change, what=said.what, settings=settings, command=said.command, check=said.check, source=said.source
            )
        yield change


def _is_direct_in_vain(name: str, known: Known) -> bool:
    """Whether direct I/O cannot help: the tool has no option for it, or the disk by itself is as slow."""
    limit = known.limits.get(name)
    return known.tool in _BUFFERED or (limit is not None and limit < _AS_SLOW * known.base_bps)


def _asks_for_a_rate(remedy: _Remedy) -> bool:
    """Whether the texts of a change contain a number that depends on a rate."""
    return any(f"{{{name}}}" in f"{remedy.what} {remedy.command} {remedy.check}" for name in IN_TEXTS)


def _windows(remedy: _Remedy, known: Known) -> float:
    """Factor of all windows together after a change."""
    if remedy.settings.keys() & {"receiver.tcp_rmem_max"} or remedy.settings.get("tool.window"):
        return math.inf
    if "tool.streams" not in remedy.settings:
        return 1.0
    values = quantities(known, known.base_bps)
    return int(values["more_streams"]) / int(values["streams"])


def _settings(remedy: _Remedy, values: Mapping[str, Value], *, is_of_rates: bool) -> Mapping[str, Value]:
    """Settings with the quantities in braces; those that depend on rates only if one is known."""
    filled = {}
    for key, value in remedy.settings.items():
        if not (isinstance(value, str) and value.startswith("{")):
            filled[key] = value
        elif is_of_rates or value[1:-1] not in OF_RATES:
            filled[key] = values[value[1:-1]]
    return MappingProxyType(filled)


def _benefit(change: Change, known: Known) -> float:
    """Logarithm of the gain, that of a doubling if unknown."""
    return (
        math.log(2)
        if change.throughput_bps is None
        else max(math.log(change.throughput_bps / known.base_bps), _LEAST_GAIN)
    )


def _merged(ordered: Iterable[Change]) -> Iterator[Change]:
    """Merge a change that addresses several causes, at its most useful place, with the sum of their probabilities."""
    alike: dict[str, Change] = {}
    for change in ordered:
        first = alike.setdefault(change.what, change)
        if first is not change:
            alike[change.what] = replace(first, probability=min(first.probability + change.probability, 1.0))
    yield from alike.values()


@cache
def _classes() -> Mapping[str, _Class]:
    """Classes of ``models/remedies.yaml`` by their names."""
    return MappingProxyType(yaml_file.entries(_Class, places.models_dir() / "remedies.yaml"))
