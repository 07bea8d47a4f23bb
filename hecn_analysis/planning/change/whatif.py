"""What if: a scenario over values of its keys, and the sensitivity to its numbers."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError, RangeError, unknown_name
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.sweep import sweep

#: Points of a range that gives no number of points.
POINTS: Final = 25

#: A range whose ends differ by more than this factor is divided by equal ratios.
_WIDE: Final = 20

_RANGE: Final = re.compile(r"^(?P<low>.+?)\.\.(?P<high>.+?)(?:/(?P<points>\d+))?$")
_DIMENSIONS: Final = tuple(name for name in get_args(units.Dimension) if name != "count")


def values_of(key: str, text: str) -> list[Any]:
    """Read the values of a key: a list with commas, ``LOW..HIGH`` or ``LOW..HIGH/POINTS``."""
    match = _RANGE.match(text.strip())
    if match is None:
        values = [part.strip() for part in text.split(",") if part.strip()]
        if not values or ".." in text:
            raise InputError(f"{key}={text}", "values such as '1,2,4' or a range such as '1ms..200ms'")
        return values
    low, high = _ends(key, match["low"], match["high"])
    if not low < high:
        raise InputError(f"the range {text!r} of {key}", "the smaller end first")
    integers = all(re.fullmatch(r"\s*\d+\s*", match[end]) for end in ("low", "high"))
    points = int(match["points"] or (min(POINTS, int(high - low) + 1) if integers else POINTS))
    if points < 2:
        raise InputError(f"{points} points for {key}", "2 or more")
    wide = low > 0 and high / low > _WIDE
    numbers = np.geomspace(low, high, points) if wide else np.linspace(low, high, points)
    if integers:
        return sorted({round(float(number)) for number in numbers})
    return [float(f"{number:.12g}") for number in numbers]


def keys_of(text: str) -> dict[str, str]:
    """Read keys of a scenario from one text, as in a shell: quotes keep blanks together.

    Parameters
    ----------
    text
        The text; it may be empty.

    Returns
    -------
    dict
        Text of the value by key.

    Raises
    ------
    InputError
        A word without an equals sign.

    Examples
    --------
    >>> keys_of("tool.streams=4 'tool.window=64 MiB'")
    {'tool.streams': '4', 'tool.window': '64 MiB'}
    """
    settings = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if not equals:
            raise InputError(f"{word!r}", "keys with values, such as tool.streams=4 path.rtt=80ms")
        settings[key] = value
    return settings


def points_of(key: str, text: str) -> pd.DataFrame:
    """Read measured points for the figure of a varied key.

    Parameters
    ----------
    key, text
        The key, and value and rate of each point: ``80ms=7.03Gb/s, 80ms=9.44Gb/s``.

    Returns
    -------
    DataFrame
        ``x`` [SI], ``measured_bps`` [bit/s], ``title``.

    Raises
    ------
    InputError
        A point that is not a value and a rate.

    Examples
    --------
    >>> points_of("path.rtt", "80ms=7.03Gb/s").to_dict("records")
    [{'x': 0.08, 'measured_bps': 7030000000.0, 'title': 'path.rtt 80ms'}]
    """
    rows = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        value, _, rate = (word.strip() for word in part.partition("="))
        try:
            x = float(value) if value.replace(".", "", 1).isdigit() else _ends(key, value, value)[0]
            rows.append({"x": x, "measured_bps": units.parse(rate, "rate"), "title": f"{key} {value}"})
        except HecnError:
            raise InputError(f"point {part!r} of {key}", "a value and a rate, such as 80ms=7.03Gb/s") from None
    return pd.DataFrame(rows, columns=["x", "measured_bps", "title"])


def _ends(key: str, low: str, high: str) -> tuple[float, float]:
    """Both ends of a range, as quantities of the first dimension that fits both."""
    for dimension in _DIMENSIONS:
        try:
            return units.parse(low, dimension), units.parse(high, dimension)
        except RangeError:
            continue
    raise InputError(
        f"the range {low}..{high} of {key}", "two quantities of one kind, such as '1ms..200ms' or '1Gb/s..100Gb/s'"
    )


def whatif(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    settings: Mapping[str, Any] | None = None,
    *,
    vary: Mapping[str, str | Sequence[Any]] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Predict a scenario as it is, with other settings, and over values of keys.

    Parameters
    ----------
    scenario
        File, name, mapping of keys, or loaded scenario.
    settings
        Keys that override it: together they are the change to assess.
    vary
        Values of keys, in all combinations: each a sequence, or a text for `values_of`.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    DataFrame
        Without `vary`: rows ``as it is`` and ``with the settings``. With `vary`: one row per combination, one column
        per key. Then ``throughput_bps``, ``low_bps``, ``high_bps`` [bit/s], ``bottleneck``, ``bottleneck_class``, and
        ``gain``, the ratio to the scenario as it is, less 1.

    Raises
    ------
    InputError
        Unknown key or impossible value; the message names the key.

    Examples
    --------
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"}
    >>> rows = whatif(base, vary={"path.mtu": [1500, 9000]})
    >>> [(row["path.mtu"], round(row.throughput_bps / 1e9, 2)) for _, row in rows.iterrows()]
    [(1500, 9.41), (9000, 9.9)]
    """
    base = load_scenario(scenario)
    now = predict(base)
    changed = base.with_(settings) if settings else base
    if vary:
        chosen = {
            key: values_of(key, values) if isinstance(values, str) else list(values) for key, values in vary.items()
        }
        rows = sweep(changed, chosen, progress=progress)
    else:
        cases = {"as it is": now} | ({"with the settings": predict(changed)} if settings else {})
        rows = pd.DataFrame(
            [
                {
                    "case": name,
                    "throughput_bps": case.throughput_bps,
                    "low_bps": case.low_bps,
                    "high_bps": case.high_bps,
                    "bottleneck": case.bottleneck,
                    "bottleneck_class": case.bottleneck_class,
                }
                for name, case in cases.items()
            ]
        )
    return with_units(rows.assign(gain=rows["throughput_bps"] / now.throughput_bps - 1))


def tornado(
    scenario: str | Path | Mapping[str, Any] | Scenario, *, factor: float | None = None, keys: Iterable[str] = ()
) -> pd.DataFrame:
    """Predict a scenario with each number at both ends of its 90 % interval.

    Parameters
    ----------
    scenario
        File, name, mapping of keys, or loaded scenario.
    factor
        Divide and multiply every number by this factor instead of using its own spread: this shows the effect of
        changes, not of uncertainty. More than 1.
    keys
        Names of the numbers; by default all numbers of the prediction.

    Returns
    -------
    DataFrame
        One row per number, the largest effect first: ``key``, ``value``, ``unit``, ``low_value``, ``high_value``, the
        throughputs at these, ``throughput_low_bps`` and ``throughput_high_bps`` [bit/s], ``swing_bps`` (their
        difference), ``bottleneck_low``, ``bottleneck_high``, ``basis``, ``source``.

    Raises
    ------
    InputError
        The scenario is invalid, or a number is unknown.

    Examples
    --------
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "path.rtt": "80 ms"}
    >>> table = tornado({**base, "tool.window": "64 MiB"}, factor=2, keys=["path.rtt"])
    >>> table[["key", "low_value", "high_value", "bottleneck_high"]].to_dict("records")
    [{'key': 'path.rtt', 'low_value': 0.04, 'high_value': 0.16, 'bottleneck_high': 'receiver.window.tool'}]
    """
    if factor is not None and not (math.isfinite(factor) and factor > 1):
        raise RangeError(f"factor: found {factor}, expected more than 1")
    base = load_scenario(scenario)
    now = predict(base)
    wanted = set(keys)
    known = {assumption.name: assumption for assumption in now.assumptions}
    if missing := wanted - set(known):
        raise unknown_name("key", min(missing), sorted(known), also="a number of this prediction, ")
    rows = []
    for name, assumption in known.items():
        ratio = 1 + assumption.spread if factor is None else factor
        if ratio == 1 or assumption.value == 0 or (wanted and name not in wanted):
            continue
        ends = [_at(base, name, value) for value in (assumption.value / ratio, assumption.value * ratio)]
        if None in ends:
            continue
        low, high = ends
        rows.append(
            {
                "key": name,
                "value": assumption.value,
                "unit": assumption.unit,
                "low_value": assumption.value / ratio,
                "high_value": assumption.value * ratio,
                "throughput_low_bps": low[0],
                "throughput_high_bps": high[0],
                "swing_bps": abs(high[0] - low[0]),
                "bottleneck_low": low[1],
                "bottleneck_high": high[1],
                "basis": assumption.basis,
                "source": assumption.source,
            }
        )
    columns = [
        *("key", "value", "unit", "low_value", "high_value", "throughput_low_bps", "throughput_high_bps", "swing_bps"),
        *("bottleneck_low", "bottleneck_high", "basis", "source"),
    ]
    table = with_units(pd.DataFrame(rows, columns=columns))
    return table.sort_values("swing_bps", ascending=False, kind="stable", ignore_index=True)


def _at(base: Scenario, key: str, value: float) -> Any:  # noqa: ANN401 - a pair, or None
    """Throughput and bottleneck with a number changed; None for an impossible value (a share above 1)."""
    try:
        result = predict(base, {key: value})
    except HecnError:
        return None
    return result.throughput_bps, result.bottleneck
