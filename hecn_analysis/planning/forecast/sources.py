"""Rates to forecast from: of an archive, of Parquet files with readings, or of any files with counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hecn_analysis.archive.files import report_damage, to_frame
from hecn_analysis.archive.selection import is_archive
from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.counters import read_counters
from hecn_analysis.counters.summary import given_rates, rates
from hecn_analysis.traffic.series import NEEDED, Speeds, Widths
from hecn_analysis.traffic.speeds import speeds_of


def rates_of(
    source: Path | str | Sequence[Path | str],
    *,
    zone: str = "UTC",
    host: str | None = None,
    widths: Widths = None,
    speeds: Speeds = None,
    progress: bool = False,
) -> tuple[pd.DataFrame, Mapping[Any, float]]:
    """Read rates, and the speeds that the sources state. [bit/s]."""
    paths = [source] if isinstance(source, str | Path) else list(source)
    folders = [Path(path) for path in paths]
    why = "hecn counters says why"
    if len(paths) == 1 and is_archive(folders[0]):
        archive = Archive(folders[0])
        samples, given = archive.table("samples"), archive.table("rates")
    elif all(path.suffix == ".parquet" for path in folders):
        samples, given = _parquets(folders), tables.make("rates", [])
    else:
        counters = read_counters(paths, time_zone=zone, host=host, progress=progress)
        if len(counters.problems):
            first = counters.problems.iloc[0]
            why = f"{first['source_file']}: {first['message']}"
        samples, given = counters.samples, given_rates(counters.samples, counters.rates)
    if host is not None:
        samples, given = (table.assign(host=table["host"].fillna(host)) for table in (samples, given))
    rated = rates(samples, given, widths=widths, speeds=speeds)
    if rated.empty:
        named = ", ".join(map(str, paths))
        raise InputError(f"no rates in {named}", "an archive or files with counters", advice=why)
    return rated, speeds_of(samples)


def _parquets(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the readings of files; report those that cannot be read."""
    read: list[pd.DataFrame] = []
    bad: list[InputError] = []
    for path in paths:
        try:
            read.append(_parquet(path))
        except InputError as error:
            bad.append(error)
    if not read:
        raise bad[0]
    report_damage(bad, None)
    return pd.concat(read, ignore_index=True)


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = to_frame(pq.read_table(path))
    except FileNotFoundError:
        raise InputError("no file", "a Parquet file", source=path) from None
    except (OSError, ValueError, pa.ArrowException):
        raise InputError("no Parquet file", "one with the table samples", source=path) from None
    absent = [name for name in NEEDED if name not in table.columns]
    if absent:
        raise InputError(
            "no column " + " and no column ".join(absent), f"samples with {', '.join(NEEDED)}", source=path
        )
    named = table if "source_file" in table.columns else table.assign(source_file=str(path))
    return named.reindex(columns=list(tables.COLUMNS["samples"]))
