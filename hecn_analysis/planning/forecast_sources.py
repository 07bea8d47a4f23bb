"""Rates to forecast from: of an archive, of Parquet files with readings, or of any files with counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from hecn_analysis.archive import Archive
from hecn_analysis.archive_files import tell
from hecn_analysis.counters import read_counters
from hecn_analysis.errors import InputError
from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.series import Speeds, Widths
from hecn_analysis.traffic.speeds import speeds_of

_OF_AN_ARCHIVE: Final = {"commits", "generations"}


def rates_of(
    source: Path | str | Sequence[Path | str],
    *,
    zone: str = "UTC",
    widths: Widths = None,
    speeds: Speeds = None,
    progress: bool = False,
) -> tuple[pd.DataFrame, Mapping[Any, float]]:
    """Read rates, and the speeds that the sources state. [bit/s].

    Parameters
    ----------
    source
        The folder of an archive, or files and folders with counters, or ``*.parquet`` with readings.
    zone
        Time zone of local times.
    widths, speeds
        What is known better, as in `hecn_analysis.traffic.rates.rates`.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Raises
    ------
    InputError
        Where there are no rates.
    """
    paths = [source] if isinstance(source, str | Path) else list(source)
    folders = [Path(path) for path in paths]
    if len(paths) == 1 and folders[0].is_dir() and _OF_AN_ARCHIVE & {one.name for one in folders[0].iterdir()}:
        archive = Archive(folders[0])
        samples, given = archive.table("samples"), archive.table("rates")
    elif all(path.suffix == ".parquet" for path in folders):
        samples, given = _parquets(folders), pd.DataFrame()
    else:
        counters = read_counters(paths, time_zone=zone, progress=progress)
        samples, given = counters.samples, counters.rates
        if not widths and not speeds:
            samples = samples.iloc[:0]  # the rates follow from them already
        else:
            given = given[given["flag"] == "given"]
        stated = speeds_of(counters.samples)
        return _joined(samples, given, widths, speeds, paths), stated
    stated = speeds_of(samples) if "speed_bps" in samples else {}
    return _joined(samples, given, widths, speeds, paths), stated


def _joined(
    samples: pd.DataFrame, given: pd.DataFrame, widths: Widths, speeds: Speeds, paths: Sequence[Path | str]
) -> pd.DataFrame:
    own = rates(samples, widths=widths, speeds=speeds) if len(samples) else pd.DataFrame()
    parts = [part for part in (own, given) if len(part)]
    if not parts:
        named = ", ".join(map(str, paths))
        raise InputError(f"no rates in {named}", "an archive or files with counters", advice="hecn counters says why")
    return pd.concat(parts, ignore_index=True)


def _parquets(paths: Sequence[Path]) -> pd.DataFrame:
    """Readings of files; those that cannot be read are told, the others count."""
    read: list[pd.DataFrame] = []
    bad: list[InputError] = []
    for path in paths:
        try:
            read.append(_parquet(path))
        except InputError as error:
            bad.append(error)
    if not read:
        raise bad[0]
    tell(bad, None)
    return pd.concat(read, ignore_index=True)


def _parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError("no file", "a Parquet file", source=path) from None
    except (OSError, ValueError, pa.ArrowException):
        raise InputError("no Parquet file", "one with the table samples", source=path) from None
