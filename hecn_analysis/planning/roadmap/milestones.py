"""Roadmaps: what was planned and what was measured, with the model's view of both and of what each next step needs.

A roadmap is a YAML file in ``models/roadmaps``. A *mark* is a case of ``data/series`` with its hosts, its place in a
document, its prediction and, if the document gives one, its measurement. An *event* is a dated step without a
throughput, such as a plan or a new link. A *goal* is a target throughput; it names the mark that reached it. Its needs
follow from closed forms (`needs`) and, on request, from the cheapest purchase of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, Final, Literal

import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import HecnError, InputError, unknown_name
from hecn_analysis.base.progress import track
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import Scenario, load_scenario, yaml_file
from hecn_analysis.planning.purchase.cheapest import TOOLS, purchase
from hecn_analysis.planning.purchase.result import Purchase
from hecn_analysis.planning.roadmap.needs import NEEDS, needs
from hecn_analysis.prediction.compare import Series, compare, load_series

COLUMNS: Final = (
    "milestone",
    "title",
    "kind",
    "begin",
    "date",
    "accomplishment",
    "between",
    "both_ways",
    "rtt_s",
    "target_bps",
    "measured_bps",
    "measured_low_bound",
    "reached_fraction",
    "reached_by",
    "reached_date",
    "predicted_bps",
    "low_bps",
    "high_bps",
    "bottleneck",
    "bottleneck_class",
    "price_usd",
    "price_assumed_usd",
    "price_remark",
    "source_file",
    "line_first",
    "line_last",
    "document",
    "place",
)

_PREDICTED: Final = ("predicted_bps", "low_bps", "high_bps", "bottleneck", "bottleneck_class")

#: What a mark measured and predicts; a goal has that of the mark that reached it.
_SEEN: Final = ("measured_bps", "measured_low_bound", *_PREDICTED, "source_file", "line_first", "line_last")

#: Keys that a kind of milestone does not have.
_FOREIGN: Final[Mapping[str, frozenset[str]]] = {
    "goal": frozenset(),
    "mark": frozenset({"begin", "both_ways", "path", "reached", "set", "target"}),
    "event": frozenset({"begin", "between", "both_ways", "case", "path", "reached", "set", "target"}),
}

_DATE: Final = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


def _date(raw: object) -> object:
    if _DATE.fullmatch(str(raw)):
        return str(raw)
    raise ValueError(f"found {str(raw)!r}, expected a date such as 2010, 2010-11 or 2010-11-18")


def _rate(raw: object) -> float:
    try:
        value = units.parse(raw, "rate")
    except HecnError as error:
        raise ValueError(str(error)) from None
    if not 0 < value < float("inf"):
        raise ValueError(f"found {raw!r}, expected more than 0 bit/s")
    return value


Date = Annotated[str, BeforeValidator(_date)]


class Milestone(BaseModel):
    """A goal, a mark that was reached, or an event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["goal", "mark", "event"]
    title: str
    date: Date | None = Field(None, description="date of a mark or event; for a goal, the date when it is due, if any")
    begin: Date | None = Field(None, description="goal: when planning and acquisition begin")
    accomplishment: int | None = Field(None, ge=1, description="number in the document's list of accomplishments")
    between: Literal["memory", "disk", "forwarding"] = Field(
        default="disk", description="forwarding: through a host that passes packets on, which the model does not have"
    )
    both_ways: bool = Field(default=False, description="goal: the target is the sum of both directions at once")
    target: Annotated[float, BeforeValidator(_rate)] | None = Field(None, description="goal: payload [bit/s]")
    path: dict[str, Any] = Field(default={}, description="goal: keys of the path")
    set: dict[str, Any] = Field(default={}, description="goal: further keys of the scenario, such as tool.io")
    reached: str = Field(default="", description="goal: the mark that reached it, or came nearest")
    case: str = Field(default="", description="series/case of data/series; goal: predicted where no mark reached it")
    document: str = Field(default="", description="place in the document; default: the roadmap's")
    place: str = ""

    @property
    def payload_bps(self) -> float:
        """Target of a goal [bit/s]."""
        assert self.target is not None  # noqa: S101 - checked below
        return self.target

    @model_validator(mode="after")
    def _whole(self) -> Milestone:
        if self.kind == "goal" and (self.target is None or "rtt" not in self.path or (self.case and self.reached)):
            raise ValueError("found a goal, expected a target and a path with its rtt, and not both case and reached")
        foreign = ", ".join(sorted(self.model_fields_set & _FOREIGN[self.kind]))
        if foreign:
            raise ValueError(f"found {foreign} with kind: {self.kind}, expected no such keys there")
        if self.kind == "mark" and (not self.case or self.between == "forwarding"):
            raise ValueError("found a mark, expected case: SERIES/CASE, between memory or disk")
        if self.case and not re.fullmatch(r"[^/]+/[^/]+", self.case):
            raise ValueError(f"found case: {self.case}, expected case: SERIES/CASE")
        if self.kind == "event" and self.date is None:
            raise ValueError("found an event, expected a date")
        return self


class _RoadmapFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    document: str
    milestones: Annotated[dict[str, Milestone], Field(min_length=1)]


class Roadmap:
    """A roadmap with the model's view of it; each table is made when it is first asked for."""

    def __init__(self, path: FilePath, only: Iterable[str], buy: Literal["", "sourced", "assumed"]) -> None:
        self._content, self._document = _read(path)
        self.name, self.title = path.stem, self._content.title
        self._buy = buy
        known = self._content.milestones
        self._chosen = list(only) or list(known)
        for key in self._chosen:
            if key not in known:
                raise unknown_name("milestone", key, known, where=f"hecn roadmap {path.stem}", source=path)
        self._goals = {key: known[key] for key in self._chosen if known[key].kind == "goal"}
        self._events = {key: known[key] for key in self._chosen if known[key].kind == "event"}
        self._scenarios = {key: _scenario(key, goal, self._document) for key, goal in self._goals.items()}

    def __repr__(self) -> str:
        return f"{self.title}: {len(self._chosen)} milestones, {len(self._goals)} of them goals"

    @cached_property
    def milestones(self) -> pd.DataFrame:
        """One row a milestone, by date: columns `COLUMNS`."""
        marks = {*self._chosen, *(goal.reached for goal in self._goals.values())} - {*self._goals, *self._events, ""}
        seen = {key: _mark(key, self._content, self._document) for key in track(sorted(marks), "predicting")}
        rows = []
        for key in self._chosen:
            if key in self._events:
                row = _said(self._events[key], self._content)
            elif key in self._goals:
                row = self._goal(key, seen)
            else:
                row = seen[key]
            bought = self._bought.get(key)
            if isinstance(bought, InputError):
                row["price_remark"] = f"{bought.found}: expected {bought.expected}"
            elif bought is not None:
                row |= _priced(bought)
            rows.append({"milestone": key, **row})
        table = pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("date", kind="stable", na_position="last")
        return with_units(table.reset_index(drop=True).convert_dtypes())

    def _goal(self, key: str, marks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Row of a goal: what is aimed at, and what reached it or is predicted to."""
        goal = self._goals[key]
        row = _said(goal, self._content)
        row |= {
            "begin": goal.begin,
            "between": goal.between,
            "both_ways": goal.both_ways,
            "rtt_s": self._scenarios[key].path.rtt.value,
            "target_bps": goal.target,
        }
        if goal.case:
            _, _, predicted = _case(key, goal.case, self._document)
            row |= {column: predicted[column] for column in _PREDICTED}
        if goal.reached:
            mark = marks[goal.reached]
            row |= {column: mark[column] for column in _SEEN}
            row |= {"reached_by": goal.reached, "reached_date": mark["date"]}
            if not pd.isna(mark["measured_bps"]):
                row["reached_fraction"] = mark["measured_bps"] / goal.payload_bps
        return row

    @cached_property
    def needs(self) -> pd.DataFrame:
        """One row per goal and resource, except goals of forwarding hosts: `needs.NEEDS` after ``milestone``."""
        rows = []
        for key, goal in track(self._goals.items(), "goals", total=len(self._goals)):
            if goal.between == "forwarding":
                continue
            year = None if goal.date is None else int(goal.date[:4])
            path = self._scenarios[key].path
            table = needs(goal.payload_bps, path, goal.between, year, both_ways=goal.both_ways)
            rows.append(table.assign(milestone=key))
        columns = ["milestone", *NEEDS]
        return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)

    @cached_property
    def _bought(self) -> dict[str, Purchase | InputError]:
        return {key: _buy(goal, self._buy) for key, goal in self._goals.items()} if self._buy else {}

    @property
    def purchases(self) -> dict[str, Purchase]:
        """Return the cheapest purchase of each goal that can be bought; empty if none was requested."""
        return {key: bought for key, bought in self._bought.items() if isinstance(bought, Purchase)}

    @property
    def bills(self) -> pd.DataFrame:
        """One row for each line of the purchases, ``milestone`` in front."""
        bills = [bought.to_frame() for bought in self.purchases.values()]
        for name, bill in zip(self.purchases, bills, strict=True):
            bill.insert(0, "milestone", name)
        return pd.concat(bills, ignore_index=True) if bills else pd.DataFrame(columns=["milestone"])


def names() -> list[str]:
    """Names of the shipped roadmaps."""
    return sorted(path.stem for path in (places.models_dir() / "roadmaps").glob("*.yaml"))


def roadmap(
    name: str | FilePath = "hecn",
    *,
    only: Iterable[str] = (),
    buy: Literal["", "sourced", "assumed"] = "",
) -> Roadmap:
    """Read a roadmap, predict its marks, and compute what its goals need.

    Parameters
    ----------
    name
        A name in ``models/roadmaps``, or a file whose name ends in ``.yaml``.
    only
        Names of milestones; default: all.
    buy
        Also find the cheapest purchase that reaches each goal, from parts whose price has a source (``sourced``), or
        also from those with an assumed price (``assumed``). Takes seconds per goal.

    Returns
    -------
    Roadmap
        Tables ``milestones`` and ``needs``, and ``purchases`` by goal. Rates are in bit/s.

    Raises
    ------
    InputError
        No roadmap has that name, or its file is faulty; the message names the line.

    Examples
    --------
    >>> roadmap("hecn", only=["phase-3-wan"]).milestones.reached_fraction.tolist()
    [0.91]
    """
    if str(name).endswith((".yaml", ".yml")):
        return Roadmap(FilePath(name), only, buy)
    if str(name) not in names():
        raise unknown_name("roadmap", str(name), names(), also="a YAML file or ", where="models/roadmaps")
    return Roadmap(places.models_dir() / "roadmaps" / f"{name}.yaml", only, buy)


def _read(path: FilePath) -> tuple[_RoadmapFile, yaml_file.Document]:
    document = yaml_file.load(path)
    content = yaml_file.validate(_RoadmapFile, document.values, lambda key: (document.source, document.line(key)))
    for key, milestone in content.milestones.items():
        reached = content.milestones.get(milestone.reached)
        if milestone.reached and (reached is None or reached.kind != "mark"):
            line = document.line(("milestones", key, "reached"))
            marks = [each for each, other in content.milestones.items() if other.kind == "mark"]
            expected = f"a mark: {', '.join(marks) or 'there is none'}"
            raise InputError(f"reached: {milestone.reached!r}", expected, source=path, line=line)
    return content, document


def _mark(key: str, content: _RoadmapFile, document: yaml_file.Document) -> dict[str, Any]:
    """Row of a mark, as measured and as predicted."""
    mark = content.milestones[key]
    series, name, row = _case(key, mark.case, document)
    scenario = series.scenarios[name]
    return {
        "title": mark.title,
        "kind": mark.kind,
        "date": mark.date,
        "accomplishment": mark.accomplishment,
        "between": mark.between,
        "both_ways": scenario.tool.bidirectional,
        "rtt_s": scenario.path.rtt.value,
        **{column: row[column] for column in _SEEN},
        "document": mark.document or series.document,
        "place": mark.place or series.cases[name].place,
    }


def _case(key: str, case: str, document: yaml_file.Document) -> tuple[Series, str, dict[Any, Any]]:
    """Series, name and row of `compare` of a milestone's case."""
    series_name, _, name = case.partition("/")
    line = document.line(("milestones", key, "case"))
    try:
        series = load_series(series_name)
    except InputError as error:
        raise InputError(error.found, error.expected, source=document.source, line=line, advice=error.advice) from None
    if name not in series.cases:
        cases = [f"{series_name}/{known}" for known in series.cases]
        where = f"data/series/{series_name}.yaml"
        raise unknown_name("case", case, cases, where=where, source=document.source, line=line)
    alone: Series = replace(series, cases={name: series.cases[name]}, scenarios={name: series.scenarios[name]})
    return series, name, compare(alone).iloc[0].to_dict()


def _scenario(key: str, goal: Milestone, document: yaml_file.Document) -> Scenario:
    """The goal's path and tool between hosts without limits."""
    keys = {f"path.{name}": value for name, value in goal.path.items()} | {"tool.bidirectional": goal.both_ways}
    tool = TOOLS["disk" if goal.between == "disk" else "memory"]
    try:
        return load_scenario({"sender": "ideal", "receiver": "ideal", "tool": tool, **keys, **goal.set})
    except InputError as error:
        line = document.line(("milestones", key))
        raise InputError(error.found, error.expected, source=document.source, line=line, advice=error.advice) from None


def _said(milestone: Milestone, content: _RoadmapFile) -> dict[str, Any]:
    """Fields of a goal or an event that the file states."""
    return {
        "title": milestone.title,
        "kind": milestone.kind,
        "date": milestone.date,
        "accomplishment": milestone.accomplishment,
        "document": milestone.document or content.document,
        "place": milestone.place,
    }


def _buy(goal: Milestone, prices: str) -> Purchase | InputError:
    """Return the cheapest purchase, or the reason for having none."""
    if goal.between == "forwarding":
        return InputError("a goal of a host that forwards", "a goal between two hosts, of memory or disk")
    if goal.both_ways:
        return InputError("a goal of both directions at once", "a goal of one direction")
    wanted: dict[str, Any] = {"path": goal.path, "between": goal.between, "settings": goal.set}
    try:
        return purchase(goal.payload_bps, **wanted, assume_prices=prices == "assumed")
    except InputError as error:
        return error


def _priced(bought: Purchase) -> dict[str, Any]:
    """Columns of a goal that can be bought; its prediction is that of what is bought."""
    reached = bought.prediction
    return {
        "price_usd": bought.usd,
        "price_assumed_usd": bought.assumed_usd,
        "price_remark": "two hosts and their cables, from the catalogue of today",
        "predicted_bps": reached.throughput_bps,
        "low_bps": reached.low_bps,
        "high_bps": reached.high_bps,
        "bottleneck": reached.bottleneck,
        "bottleneck_class": reached.bottleneck_class,
    }
