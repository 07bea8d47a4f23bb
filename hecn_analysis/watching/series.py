"""Series of results: of one pair of hosts, tool, protocol, direction and number of streams, in the order of time.

The data go from the source to the destination, whichever end wrote the log. Logs that name no hosts are told apart
by their folder. Results without a time cannot be placed, and those without a figure are counted as failed if they
failed. Results that have no rate, as of ping and owping, make a series of delays, one of losses, and one of routes.

A port is a series of hourly means for each direction, from its host to the port: of a source over HTTP as it gives
them, of counters in files and of SNMP polls in the archive from their readings of the last `_DAYS_OF_PORTS` days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.of_runs import BACK, by_file, said_of_runs
from hecn_analysis.runs.rates import DISK_TOOLS, PATH_TOOLS, run_rates
from hecn_analysis.statements import Statement
from hecn_analysis.traffic.rates import rates as rates_of
from hecn_analysis.traffic.utilisation import slot_table
from hecn_analysis.watching.measures import DELAY, LOSS, MEASURES, RATE, ROUTE, UTILISATION, Measure

_ENDS: Final = ("asked.local", "asked.remote")

#: What else is read of the lines of a log: route, the time of a trace, and the hop from which on packets are lost.
_ROUTE, _TRACED, _LOSS_FROM = "path.route", "path.traced_s", "path.loss_from_hop"
_HOP: Final = re.compile(r"(hop \d{1,3}, \S{1,255}), and lasts")
#: Tool of the series of ports, and the least of their rates, which also stands for no traffic at all. [bit/s]
TRAFFIC: Final = "traffic"
_LEAST_BPS: Final = 1e3

#: Length of the means of a port, and how far back its readings are judged: four quiet weeks, and as much after them.
_HOUR_S: Final = 3600.0
_DAYS_OF_PORTS: Final = 62

_KEYS: Final = ("source", "destination", "tool", "protocol", "direction", "streams")

#: Columns with the figures of results, but of ports.
_FIGURES: Final = tuple(measure.column for measure in MEASURES.values() if measure is not UTILISATION)

#: Columns of the results of a series.
_COLUMNS: Final = (
    *tables.COLUMNS["runs"],
    "rate_bps",
    "path_rtt_s",
    "retransmits_per_gb",
    "route",
    "loss_from",
    "port_speed_bps",
    "utilisation",
)


@dataclass(frozen=True)
class Series:
    """Results of one kind.

    ``runs`` are those with the figure of ``measure`` and a time, oldest first: the columns of the table of runs,
    ``rate_bps`` [bit/s], ``path_rtt_s``, the least round-trip time of the log, of owping the least delay one way [s],
    and ``retransmits_per_gb`` [1/GB]. ``failed`` are the times of the results that were aborted.
    """

    source: str
    destination: str
    tool: str
    protocol: str
    direction: str
    streams: int
    runs: pd.DataFrame
    failed: tuple[pd.Timestamp, ...]
    measure: Measure = RATE

    @property
    def key(self) -> tuple[str, ...]:
        """What tells the series from others."""
        words = (self.source, self.destination, self.tool, self.protocol, self.direction, str(self.streams))
        return words if self.measure.name == RATE.name else (*words, self.measure.name)

    @property
    def name(self) -> str:
        """The test in words, such as "iperf3 tcp send, 4 streams"."""
        streams = f", {self.streams} streams" if self.streams > 1 else ""
        measure = "" if self.measure.name == RATE.name else f", {self.measure.name}"
        return " ".join(word for word in (self.tool, self.protocol, self.direction) if word) + streams + measure


def series_of(archive: Archive, *, damaged: list[InputError] | None = None) -> tuple[list[Series], int]:
    """Return the series of an archive, ordered by their names, and the number of results without a time."""
    runs = archive.table("runs", damaged=damaged)
    runs = runs[~runs["tool"].isin(DISK_TOOLS)]
    runs = runs.assign(rate_bps=run_rates(runs), path_rtt_s=_least_delays(runs))
    runs = _with_statements(runs, archive.table("statements", damaged=damaged))
    has_figure = runs[list(_FIGURES)].notna().any(axis=1)
    untimed = int((runs["start_time"].isna() & has_figure).sum())
    runs = runs[runs["start_time"].notna()]
    # of a file that grew, the archive may hold a run twice: cut short, without a rate, and whole
    runs = runs.iloc[np.argsort(runs["rate_bps"].notna().to_numpy(), kind="stable")]
    runs = runs.drop_duplicates(["source_file", "run", "start_time", "tool"], keep="last")
    return [*_grouped(_once(runs)), *_of_ports(_hourly(archive, damaged))], untimed


def _once(runs: pd.DataFrame) -> pd.DataFrame:
    """Leave out what a second source over HTTP has again, such as OpenSearch behind an archive of esmond."""
    seconds = runs["start_time"].dt.floor("s")
    names = ("source", "destination", "tool", "streams", *_FIGURES, "error")
    same = [runs[name] for name in names]
    is_again = pd.concat([seconds, *same], axis=1).duplicated() & _is_of_http(runs["source_file"])
    once: pd.DataFrame = runs[~is_again]
    return once


def _is_of_http(files: pd.Series) -> pd.Series:
    is_address: pd.Series = files.str.match("https?://").fillna(value=False).astype(bool)
    return is_address


def _with_statements(runs: pd.DataFrame, stated: pd.DataFrame) -> pd.DataFrame:
    """Add what the lines of the logs say: source and destination of the data, route, where loss begins."""
    lines = stated[stated["name"].isin((*_ENDS, "asked.command", _ROUTE, _TRACED, _LOSS_FROM))].drop_duplicates()
    statements = [
        Statement(str(row["name"]), str(row["value"]), str(row["source_file"]), int(row["line"]), str(row["says"]))
        for row in lines.to_dict("records")
    ]
    is_of_path = runs["tool"].isin(PATH_TOOLS)
    own = by_file(statements)
    traces, others = _with_routes(runs[is_of_path], own), runs[~is_of_path].assign(route=None, loss_from=None)
    return _with_ends(pd.concat([frame for frame in (others, traces) if len(frame)] or [others]).sort_index(), own)


def _with_routes(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]]) -> pd.DataFrame:
    """Add route and time of traces; those of esmond share a file without lines, and their time identifies them."""
    by_time = {
        (line.source_file, line.says): line.value for lines in own.values() for line in lines if line.name == _ROUTE
    }
    said = said_of_runs(runs, own, _ROUTE)
    routes: list[Any] = [
        by_time.get((str(file), "" if pd.isna(time) else time.isoformat())) if pd.isna(line) else route
        for file, time, line, route in zip(
            runs["source_file"], runs["start_time"], runs["line_first"], said, strict=True
        )
    ]
    traced = pd.to_datetime(pd.Series(said_of_runs(runs, own, _TRACED), runs.index, dtype=float), unit="s", utc=True)
    return runs.assign(
        route=routes,
        loss_from=_loss_from(runs, own),
        start_time=runs["start_time"].fillna(traced.astype(runs["start_time"].dtype)),
    )


def _loss_from(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]]) -> list[Any]:
    """The hop from which on packets are lost, of each run."""
    quoted = {
        file: [replace(line, value=match[1]) for line in lines if (match := _HOP.search(line.says))]
        for file, lines in own.items()
    }
    return said_of_runs(runs, quoted, _LOSS_FROM)


def _with_ends(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]]) -> pd.DataFrame:
    """Add source and destination of the data."""
    local, remote = (_ends(runs, own, name) for name in _ENDS)
    is_back = runs["direction"].isin(BACK)
    folders = [PurePath(str(name)).parent.as_posix() for name in runs["source_file"]]
    named = [
        _ends_of_label(label if not pd.isna(label) else _last_hop(route)) if tool in PATH_TOOLS else ("", "")
        for tool, label, route in zip(runs["tool"], runs["label"], runs["route"], strict=True)
    ]
    ends = [
        ((there or folder, here or folder) if back else (here or source or folder, there or target or folder))
        for here, there, back, folder, (source, target) in zip(local, remote, is_back, folders, named, strict=True)
    ]
    return runs.assign(source=[source for source, _ in ends], destination=[destination for _, destination in ends])


def _ends(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]], name: str) -> list[str | None]:
    """One end of each run, by its own lines, else by those of its file if they name one host only."""
    hosts = {file: {str(line.value) for line in lines if line.name == name} for file, lines in own.items()}
    only = {file: next(iter(names)) for file, names in hosts.items() if len(names) == 1}
    said = said_of_runs(runs, own, name)
    return [host or only.get(str(file)) for host, file in zip(said, runs["source_file"], strict=True)]


def _ends_of_label(label: str | None) -> tuple[str, str]:
    """The hosts that tools for paths name: the target, or both ends."""
    words = [] if label is None or pd.isna(label) else label.split()
    return (words[0], words[1]) if len(words) == len(_ENDS) else ("", words[0] if len(words) == 1 else "")


def _last_hop(route: str | None) -> str | None:
    """The host that a report of mtr ends at, which names its target nowhere else; None if it does not answer."""
    last = "*" if route is None or pd.isna(route) else route.split()[-1]
    return None if last == "*" else last.partition(",")[0].partition("(")[0]


def _least_delays(runs: pd.DataFrame) -> pd.Series:
    least: pd.Series = runs[["rtt_min_s", "rtt_s", "rtt_avg_s"]].astype(float).bfill(axis=1)["rtt_min_s"]
    return least


def _grouped(runs: pd.DataFrame) -> Iterator[Series]:
    amount = runs["bytes"].astype(float).fillna(runs["rate_bps"] * runs["duration_s"].astype(float) / 8)
    per_gb = runs["retransmits"].astype(float) / (amount / 1e9).where(amount > 0)
    runs = runs.assign(streams=runs["streams"].fillna(0).astype(int), retransmits_per_gb=per_gb)
    runs = runs.assign(port_speed_bps=np.nan, utilisation=np.nan)
    groups: Any = runs.groupby(list(_KEYS), dropna=False, sort=True)
    for key, part in groups:
        words = ["" if pd.isna(word) else word for word in key]
        source, destination, tool, protocol, direction = map(str, words[:5])
        ordered = part.sort_values("start_time", kind="stable")
        has_failed = ordered["error"].fillna(value=False).astype(bool)
        measures = (DELAY, LOSS, ROUTE) if tool in PATH_TOOLS else (RATE,)
        for measure in measures:
            known = ordered[ordered[measure.column].notna()].reset_index(drop=True)
            failed = tuple(ordered.loc[has_failed, "start_time"]) if measure is measures[0] else ()
            if len(known) or failed:
                yield Series(source, destination, tool, protocol, direction, int(words[5]), known, failed, measure)


def _hourly(archive: Archive, damaged: list[InputError] | None) -> pd.DataFrame:
    """Hourly rates of ports: those of sources over HTTP, and means of what files and polls say."""
    given = archive.table("rates", damaged=damaged)
    is_of_http = _is_of_http(given["source_file"])
    asked: pd.DataFrame = given[is_of_http]
    own = given[~is_of_http]
    samples = _samples(archive, damaged)
    known = [frame for frame in (own, rates_of(samples) if len(samples) else own[:0]) if len(frame)]
    short = [frame[frame["interval_s"] <= _HOUR_S] for frame in known]
    if not any(len(frame) for frame in short):
        return asked
    hours = slot_table(pd.concat(short), slot_s=_HOUR_S)
    is_last = ~hours.duplicated(["host", "interface"], keep="last")
    means = _with_speeds(hours[~is_last | (hours["covered_s"] > _HOUR_S - 1)], samples)  # the last hour may not be over
    together: pd.DataFrame = pd.concat([asked, means.assign(interval_s=_HOUR_S, source_file=means["host"])])
    return together


def _with_speeds(hours: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Add the speed of each port at the end of each hour, as its readings have it."""
    keys = ["host", "interface"]
    known = samples.loc[samples["speed_bps"].notna() & samples["time"].notna(), [*keys, "time", "speed_bps"]]
    known = known[known["speed_bps"] > 0].rename(columns={"speed_bps": "port_speed_bps"}).sort_values("time")
    if known.empty:
        return hours.assign(port_speed_bps=np.nan)
    typed = hours.astype({name: known[name].dtype for name in [*keys, "time"]}).sort_values("time", kind="stable")
    together: pd.DataFrame = pd.merge_asof(typed, known, on="time", by=keys).sort_values([*keys, "time"])
    return together


def _samples(archive: Archive, damaged: list[InputError] | None) -> pd.DataFrame:
    """The readings of the last days, by the newest of them."""
    days = [file.parent.name.removeprefix("day=") for file in archive.files("samples", damaged=[])]
    newest = max((day for day in days if day != "unknown"), default=None)
    if newest is None:
        return tables.make("samples", [])
    first = (pd.Timestamp(newest) - pd.Timedelta(days=_DAYS_OF_PORTS)).date()
    return archive.table("samples", first_day=first, damaged=damaged)


def _of_ports(rates: pd.DataFrame) -> Iterator[Series]:
    """Traffic of ports in each direction, each hour once; no logarithm is taken of nothing."""
    for way in ("in", "out"):
        own = rates[rates[f"{way}_bps"].notna()].drop_duplicates(["source_file", "host", "interface", "time"])
        begins = own["time"] - pd.to_timedelta(own["interval_s"].fillna(0.0), unit="s")
        own = own.assign(start_time=begins, rate_bps=own[f"{way}_bps"].clip(lower=_LEAST_BPS), tool=TRAFFIC)
        groups: Any = own.groupby(["host", "interface"], sort=True)
        for (host, port), part in groups:
            ordered = part.sort_values("start_time", kind="stable").drop_duplicates("start_time")
            runs = ordered.reset_index(drop=True).reindex(columns=_COLUMNS)
            runs = runs.assign(utilisation=runs["rate_bps"] / runs["port_speed_bps"].astype(float))
            for measure in (RATE, UTILISATION):
                known = runs[runs[measure.column].notna()].reset_index(drop=True)
                if len(known):
                    yield Series(str(host), f"port {port}", TRAFFIC, "", way, 0, known, (), measure)
