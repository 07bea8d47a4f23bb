"""Names of runs in legends, and the choice of runs where a figure cannot show all."""

from __future__ import annotations

from pathlib import PurePath

import pandas as pd

from hecn_analysis.base.natural import natural


def run_names(runs: pd.DataFrame) -> list[str]:
    """File and first line of each run; the file with its folder if the runs come from several folders."""
    places = [PurePath(name) for name in runs["source_file"]]
    shown = 2 if len({place.parent for place in places}) > 1 else 1
    return [f"{'/'.join(place.parts[-shown:])}:{line}" for place, line in zip(places, first_lines(runs), strict=True)]


def first_lines(runs: pd.DataFrame) -> list[int]:
    """First line of each run, or its number if that is not known."""
    return [int(run if pd.isna(line) else line) for run, line in zip(runs["run"], runs["line_first"], strict=True)]


def spread(runs: pd.DataFrame, most: int) -> pd.DataFrame:
    """All runs, or `most` of them: the first of each folder in turn, files in their natural order."""
    if len(runs) <= most:
        return runs
    names = runs["source_file"].to_dict()
    ordered = runs.loc[sorted(names, key=lambda at: natural(names[at]))]
    folders = ordered["source_file"].map(lambda name: str(PurePath(name).parent))
    in_turn = ordered.groupby(folders).cumcount().sort_values(kind="stable")
    kept = set(in_turn.index[:most])
    return ordered[ordered.index.isin(kept)]
