"""From the raw rate to the expected one, step by step, each with its source; and why a measurement may be above it.

:func:`explain` takes the options of a kind of :data:`hecn_analysis.limits.KINDS` and gives an `Explanation`. Three ways
lead to its steps:

- links and buses say how many bytes each layer takes (:data:`hecn_analysis.limits.layers.LAYERS`);
- other kinds are computed repeatedly, first without any effect, then with one more of the real options each time
  (:data:`hecn_analysis.limits.order.ORDER`);
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

from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError, ValidityWarning, did_you_mean
from hecn_analysis.base.units import format_rate
from hecn_analysis.limits._checks import require_positive
from hecn_analysis.limits.causes import Cause, causes
from hecn_analysis.limits.layers import LAYERS, Options, Value
from hecn_analysis.limits.order import in_order

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING: Final = 1e-9  # changes below this part of a value are no step


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


@dataclass(frozen=True)
class Explanation:
    """The steps from a raw rate to a limit.

    ``steps`` begin with the raw rate and end at ``figure``, ``goodput_bps`` or ``throughput_bps``; ``figures`` are all
    figures of the kind. ``causes`` tell why the measurement, ``measured_bps`` [bit/s], may be above the limit, the
    likeliest first.
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
        """Give a row for each step, and one for the measurement: ``step``, ``takes_bps``, ``value_bps``, ``source``.

        Returns
        -------
        list of dict
            Rates in bit/s.

        Examples
        --------
        >>> explain("ethernet", rate=1e9, mtu=1500).rows()[1]["takes_bps"] / 1e6
        13.004

        """
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
        """Return the rows as a DataFrame.

        Returns
        -------
        DataFrame
            The columns of `rows`. [bit/s]

        Examples
        --------
        >>> len(explain("ethernet", rate=1e9, mtu=1500).to_frame())
        6
        """
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
        sentences = [self.verdict() or "", *(cause.words for cause in self.causes)]
        return f"{_table(table)}<p>{'<br>'.join(html.escape(words) for words in sentences if words)}</p>"

    def to_dict(self) -> dict[str, Any]:
        """Give everything in plain values, as ``hecn limits --explain --format json`` does.

        Returns
        -------
        dict
            Numbers in SI, texts and lists.

        Examples
        --------
        >>> explain("ethernet", rate=1e9, mtu=1500).to_dict()["limit_bps"] / 1e6
        941.482
        """
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
        """Give `to_dict` as JSON.

        Returns
        -------
        str
            One line.

        Examples
        --------
        >>> explain("ethernet", rate=1e9, mtu=1500).to_json()[:20]
        '{"kind": "ethernet",'
        """
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def verdict(self) -> str | None:
        """Return one sentence that compares the measurement with the limit; None without a measurement.

        Returns
        -------
        str or None
            The sentence, without its full stop.

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
            return f"{measured} is {units.format_percent(part, places=1)} of the limit of {limit}"
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
    """Explain a limit: what each layer takes from the raw rate, and how a measurement compares.

    Parameters
    ----------
    kind
        A kind of `hecn_analysis.limits.KINDS`.
    measured
        A measurement to compare. [bit/s]
    **options
        Options of the kind, one number each.

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

    values = list(LAYERS[kind](everything, figures)) if kind in LAYERS else list(in_order(kind, run, everything))
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
