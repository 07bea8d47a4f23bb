"""The result of a prediction: throughput with its interval, the ladder of limits, and the assumptions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.tables import with_units
from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.unknowns import Unknown

if TYPE_CHECKING:
    from hecn_analysis.hardware import Scenario


@dataclass(frozen=True)
class Rung:
    """One step of the ladder: a resource, and the throughput that it allows once every earlier one is lifted.

    ``resource`` is such as ``receiver.cpu.core1``, ``resource_class`` ``cpu``, ``title`` in words. ``probability`` is
    the share of the draws in which it is the bottleneck. Rates are in bit/s.
    """

    resource: str
    resource_class: str
    title: str
    throughput_bps: float
    probability: float


@dataclass(frozen=True)
class Flow:
    """One process of the tool, in one direction."""

    name: str
    throughput_bps: float
    bottleneck: str


@dataclass(frozen=True)
class Assumption:
    """A parameter of the prediction, with its spread and its source."""

    name: str
    value: float
    unit: str
    spread: float
    basis: str
    source: str


#: From how many times the throughput on the next limit says nothing. [1]
_FAR: Final = 100.0


@dataclass(frozen=True)
class Prediction:
    """Throughput that a scenario should reach, and why. Rates are payload of all flows together [bit/s].

    The interval ``low_bps`` to ``high_bps`` holds a single new run with 90 % probability. ``utilisation`` is the busy
    fraction of every resource at the central throughput. ``ladder`` has the bottleneck first, then the limit once it is
    lifted, and so on. ``unknowns`` are uncertain keys, ranked by how much the interval would narrow if they were known.
    ``draws_bps`` are throughputs with parameters drawn from their spreads; predictions draw equal values for equal
    parameters, so a difference between them is one between the scenarios [bit/s].

    Examples
    --------
    >>> from hecn_analysis import predict
    >>> path = {"path.rate": "1 Gb/s", "path.rtt": 0, "path.mtu": 1500}
    >>> prediction = predict({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", **path})
    >>> prediction.to_frame()[["resource", "utilisation"]].round(2).to_dict("records")
    [{'resource': 'path.link', 'utilisation': 1.0}]
    >>> prediction.to_dict()["bottleneck"]
    'path.link'
    """

    scenario: Scenario
    throughput_bps: float
    low_bps: float
    high_bps: float
    utilisation: dict[str, float]
    ladder: tuple[Rung, ...]
    flows: tuple[Flow, ...]
    warnings: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    unknowns: tuple[Unknown, ...]
    draws_bps: FloatArray = field(repr=False, compare=False)

    @property
    def bottleneck(self) -> str | None:
        """Resource that limits the throughput; None if nothing does."""
        return self.ladder[0].resource if self.ladder else None

    @property
    def bottleneck_class(self) -> str | None:
        """Class of `bottleneck`."""
        return self.ladder[0].resource_class if self.ladder else None

    @property
    def bytes(self) -> float | None:
        """Amount of data of a transfer that is not timed [bytes]."""
        tool = self.scenario.tool
        return None if tool.bytes is None else tool.bytes.value * tool.processes * (2 if tool.bidirectional else 1)

    @property
    def near_limits(self) -> tuple[Rung, ...]:
        """The bottleneck and the next limits that are not far above the throughput."""
        return tuple(rung for rung in self.ladder if rung.throughput_bps < _FAR * self.throughput_bps)

    def __str__(self) -> str:
        """Summary in one or two sentences."""
        subject = describe(self.scenario)
        if not self.ladder:
            return f"{subject}: nothing in this description sets a limit."
        rate = units.format_rate
        interval = f"90 % of single runs between {rate(self.low_bps)} and {rate(self.high_bps)}"
        text = f"{subject}: {rate(self.throughput_bps)} ({interval}), limited by {self.ladder[0].title}."
        for following in self.near_limits[1:2]:
            text += f" Without that, {following.title} would allow {rate(following.throughput_bps)}."
        return text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Sentence and ladder for Jupyter."""
        rows = "".join(
            f"<tr><td>{html_text(rung.title)}</td><td><code>{html_text(rung.resource)}</code></td>"
            f"<td style='text-align:right'>{units.format_rate(rung.throughput_bps)}</td>"
            f"<td style='text-align:right'>{units.format_fraction(self.utilisation.get(rung.resource))}</td></tr>"
            for rung in self.near_limits
        )
        head = "<tr><th>limit</th><th>resource</th><th>allows</th><th>busy now</th></tr>"
        warnings = "".join(f"<p>⚠ {html_text(warning)}</p>" for warning in self.warnings)
        sentence = html_text(self)
        return f"<p>{sentence}</p>{warnings}<table><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, under fixed names.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "name": self.scenario.name,
            "sentence": str(self),
            "throughput_bps": self.throughput_bps,
            "low_bps": self.low_bps,
            "high_bps": self.high_bps,
            "bytes": self.bytes,
            "time_s": None if self.bytes is None else 8 * self.bytes / self.throughput_bps,
            "bottleneck": self.bottleneck,
            "bottleneck_class": self.bottleneck_class,
            "utilisation": self.utilisation,
            "ladder": [asdict(rung) for rung in self.ladder],
            "flows": [asdict(flow) for flow in self.flows],
            "warnings": list(self.warnings),
            "assumptions": [asdict(assumption) for assumption in self.assumptions],
            "unknowns": [asdict(unknown) for unknown in self.unknowns],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Like `to_dict`, as JSON text; a value that is not finite is null.

        Parameters
        ----------
        indent
            Spaces of indentation per level; None: all in one line.

        Returns
        -------
        str
            The text.
        """
        return json.dumps(_finite(self.to_dict()), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> pd.DataFrame:
        """Ladder as a table: one row a rung, with its utilisation.

        Returns
        -------
        DataFrame
            Rates in bit/s, probability and utilisation as fractions.
        """
        columns = ["resource", "resource_class", "title", "throughput_bps", "probability"]
        frame = pd.DataFrame([asdict(rung) for rung in self.ladder], columns=columns)
        return with_units(frame.assign(utilisation=frame["resource"].map(self.utilisation)))


def describe(scenario: Scenario) -> str:
    """Tool, hosts and path of a scenario in words."""
    tool = scenario.tool.name or "a transfer"
    ends = " to ".join(host.label for host in (scenario.sender, scenario.receiver) if host is not None)
    path = f" over {scenario.path.name}" if scenario.tool.protocol != "file" and scenario.path.name else ""
    many = f" ({scenario.tool.processes} processes)" if scenario.tool.processes > 1 else ""
    ways = " both ways" if scenario.tool.bidirectional else ""
    return f"{tool}{many} {'on ' if scenario.tool.protocol == 'file' else ''}{ends}{path}{ways}"


def _finite(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: _finite(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_finite(below) for below in value]
    return value
