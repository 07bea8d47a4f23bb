"""Which change gains most: every possible one is predicted, alone and with others, and ranked; what is free first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis import units
from hecn_analysis.errors import HecnError
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.planning.changes import Change, possible
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.progress import track

#: A change that gains less is not worth the words.
WORTH: Final = 0.005

#: Changes of a combination, and the single ones and pairs that larger combinations are made from.
LARGEST: Final = 3
_KEPT: Final = 6


@dataclass(frozen=True)
class Advice:
    """One or several changes together, and what they would gain.

    Attributes
    ----------
    changes
        What is changed.
    prediction
        The transfer with them.
    gain, gain_low, gain_high
        Throughput with them over that without, less 1: the central value, and the range of 90 % of the draws that both
        predictions share.
    """

    changes: tuple[Change, ...]
    prediction: Prediction
    gain: float
    gain_low: float
    gain_high: float

    @property
    def name(self) -> str:
        """Names of the changes, joined by plus signs."""
        return " + ".join(change.name for change in self.changes)

    @property
    def title(self) -> str:
        """Words for all changes."""
        return "; ".join(change.title for change in self.changes)

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of the scenario with the values that they take."""
        return {key: value for change in self.changes for key, value in change.settings.items()}

    @property
    def is_free(self) -> bool:
        """Whether nothing has to be bought."""
        return all(change.is_free for change in self.changes)

    @property
    def price_usd(self) -> float | None:
        """Price of what has to be bought, None where one is not known [USD]."""
        prices = [change.price_usd for change in self.changes]
        return None if None in prices else float(sum(price for price in prices if price is not None))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects."""
        return {
            "name": self.name,
            "title": self.title,
            "gain": self.gain,
            "gain_low": self.gain_low,
            "gain_high": self.gain_high,
            "throughput_bps": self.prediction.throughput_bps,
            "low_bps": self.prediction.low_bps,
            "high_bps": self.prediction.high_bps,
            "bottleneck": self.prediction.bottleneck,
            "free": self.is_free,
            "price_usd": self.price_usd,
            "settings": {key: value if isinstance(value, (str, int, float, bool, list)) else None
                         for key, value in self.settings.items()},
            "changes": [
                {name: getattr(change, name) for name in ("name", "title", "kind", "how", "check", "risk", "source")}
                for change in self.changes
            ],
        }  # fmt: skip


@dataclass(frozen=True)
class Advices:
    """A transfer as it is, and what could be done about it, the best first.

    Attributes
    ----------
    now
        The transfer as it is.
    single
        Changes that gain something alone: what is free first, then what has to be bought; by gain.
    together
        Combinations that gain more than each of their parts and than what is left when one is left out.
    without_gain
        Names of the changes that gain nothing alone.
    """

    now: Prediction
    single: tuple[Advice, ...]
    together: tuple[Advice, ...]
    without_gain: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects."""
        return {
            "now": self.now.to_dict(),
            "single": [advice.to_dict() for advice in self.single],
            "together": [advice.to_dict() for advice in self.together],
            "without_gain": list(self.without_gain),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row an advice, singles first: name, title, gains, rates, bottleneck, price."""
        columns = [
            *("name", "title", "gain", "gain_low", "gain_high", "throughput_bps", "bottleneck", "free", "price_usd"),
        ]
        rows = [advice.to_dict() for advice in (*self.single, *self.together)]
        return pd.DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        """Say what to do first."""
        best = next(iter((*self.single, *self.together)), None)
        if best is None:
            return f"{self.now}\nNo single change that is known here would gain anything."
        gained = units.format_rate(best.prediction.throughput_bps)
        return f"{self.now}\nFirst: {best.title}, for {gained} ({best.gain:+.0%})."


def advise(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    purchases: bool = True,
    also: Sequence[Change] = (),
    progress: bool = False,
) -> Advices:
    """Rank what could be changed about a transfer by what it would gain.

    Parameters
    ----------
    scenario
        File, name, mapping of keys, or loaded scenario.
    purchases
        Whether to look at what has to be bought, too.
    also
        Further changes to look at, such as those that mend what was found wrong with a host.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Raises
    ------
    InputError
        The scenario cannot be.

    Examples
    --------
    >>> found = advise("hotlava-transmit", purchases=False)
    >>> found.now.bottleneck, found.single[0].name, round(found.single[0].gain, 2)
    ('sender.slot.x16', 'sender-max-payload', 0.13)
    """
    base = load_scenario(scenario)
    now = predict(base)
    changes = [change for change in (*also, *possible(base)) if purchases or change.is_free]
    asked = track(changes, "advising") if progress else changes
    tried = [advice for change in asked if (advice := _tried(base, now, (change,))) is not None]
    single = [advice for advice in tried if advice.gain > WORTH]
    together = list(_combined(base, now, tried, progress=progress))
    return Advices(
        now,
        tuple(sorted(single, key=_order)),
        tuple(sorted(together, key=_order)),
        tuple(advice.name for advice in tried if advice.gain <= WORTH),
    )


def _order(advice: Advice) -> tuple[bool, float, float]:
    """Free ones first, then by gain, then by price."""
    price = advice.price_usd
    return not advice.is_free, -round(advice.gain, 3), np.inf if price is None else price


def _tried(base: Scenario, now: Prediction, changes: tuple[Change, ...]) -> Advice | None:
    """Predict with changes; None where the scenario cannot have them (a card that the slot does not take)."""
    settings = {key: value for change in changes for key, value in change.settings.items()}
    try:
        then = predict(base, settings)
    except HecnError:
        return None
    if not np.isfinite(then.throughput_bps) or not now.throughput_bps > 0:
        return None
    # both predictions draw a shared parameter alike: the ratio of draws is what the change does, not what is not known
    low, high = np.quantile(then.draws_bps / now.draws_bps, [0.05, 0.95]) - 1
    gain = then.throughput_bps / now.throughput_bps - 1
    return Advice(changes, then, gain, min(float(low), gain), max(float(high), gain))


def _combined(base: Scenario, now: Prediction, tried: Sequence[Advice], *, progress: bool) -> Iterator[Advice]:
    """Combinations whose parts all count: without any of them, less is gained.

    A second limit hides what lifting it would gain until the first one is lifted. So a combination begins with a change
    that gains something alone, and goes on with those that bear on what binds then.
    """
    best = {frozenset([advice.name]): advice for advice in tried}
    front = sorted((advice for advice in tried if advice.gain > WORTH), key=lambda advice: -advice.gain)[:_KEPT]
    for _ in range(LARGEST - 1):
        larger = {
            frozenset(change.name for change in (*start.changes, *other.changes)): (*start.changes, *other.changes)
            for start in front
            for other in tried
            if _fit(start.changes, other.changes) and bears_on(other.changes[0], start.prediction)
        }
        asked: Iterable[frozenset[str]] = track(list(larger), "combining") if progress else larger
        found = []
        for names in asked:
            advice = _tried(base, now, larger[names])
            if advice is None:
                continue
            best[names] = advice
            parts = [best.get(frozenset(part)) for part in combinations(names, len(names) - 1)]
            if all(part is None or advice.gain > part.gain + WORTH for part in parts):
                found.append(advice)
        yield from found
        front = sorted(found, key=lambda advice: -advice.gain)[: _KEPT // 2]


#: Keys that bear on a class of limits, without the role in front of them.
_BEARING: Final = {
    "cpu": ("cpu", "app_cores", "nic_cores", "busy_cores", "lro", "offload", "io", "processes", "threads", "mtu"),
    "memory": ("memory", "io"),
    "interconnect": ("slots", "app_cores", "board"),
    "slot": ("slots", "max_payload", "mtu", "bonding"),
    "nic": ("slots", "mtu", "rate"),
    "disk": ("arrays", "read_rate", "write_rate", "outstanding"),
    "raid": ("arrays", "slots", "processes", "outstanding"),
    "tool": ("outstanding", "request", "pace", "overlap", "processes", "streams"),
    "window": ("window", "tcp_rmem_max", "tcp_wmem_max", "rmem_max", "wmem_max", "streams", "pep"),
    "loss": ("congestion_control", "streams", "mtu", "pep", "queue"),
    "start-up": ("congestion_control", "streams", "mtu", "pep", "lro", "window"),
    "link": ("rate", "mtu", "spread", "bonding"),
    "pep": ("pep_rate",),
}


def bears_on(change: Change, prediction: Prediction) -> bool:
    """Whether a change can matter for what holds a transfer back."""
    owner = str(prediction.bottleneck).partition(".")[0]
    wanted = _BEARING.get(str(prediction.bottleneck_class), ())
    return any(
        any(part in wanted for part in key.split(".")[1:]) and key.split(".")[0] in {owner, "path", "tool"}
        for key in change.settings
    ) or (
        prediction.bottleneck_class in {"window", "loss", "start-up"}
        and any(key.split(".")[1] in wanted for key in change.settings)
    )


def _fit(first: Sequence[Change], second: Sequence[Change]) -> bool:
    """Whether changes can be made together: none sets what another one sets otherwise."""
    settings = {key: value for change in first for key, value in change.settings.items()}
    names = {change.name for change in first}
    return all(
        change.name not in names and all(settings.get(key, value) == value for key, value in change.settings.items())
        for change in second
    )
