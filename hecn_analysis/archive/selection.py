"""An archive, or a part of it, in place of files: ``ARCHIVE`` or ``ARCHIVE?host=sw1&day=2013-11-18``.

Conditions apply to text columns and to ``day``; a table without the column is not restricted. Streams and intervals go
with their runs, problems and statements with their files. A rate needs two readings of the same day: the interval
around midnight has none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlencode

from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.files.source import listed

if TYPE_CHECKING:
    import pandas as pd

DAY = "day"
PARTED = ("runs", "samples", "rates")  # by columns of text
OF_RUNS = ("streams", "intervals")  # tables whose rows belong to a run
KEY = ["source_file", "run"]


class Selection(NamedTuple):
    """A part of an archive: its folder, and conditions as pairs of column and value."""

    folder: Path
    conditions: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.folder}?{urlencode(self.conditions)}" if self.conditions else str(self.folder)


def archive_of(given: str | os.PathLike[str]) -> Selection | None:
    """Return the archive, or part of one, that a path names, or None; InputError for an unknown column."""
    text = os.fspath(given)
    folder, _, query = (text, "", "") if Path(text).exists() else text.partition("?")
    if not is_archive(Path(folder)):
        return None
    conditions = tuple(parse_qsl(query, keep_blank_values=True))
    check_columns([name for name, _ in conditions])
    return Selection(Path(folder), conditions)


def split_archives(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> tuple[list[Selection], list[str | os.PathLike[str]]]:
    """Return the archives, or the parts of some, that paths name, and the other paths; a single one must exist."""
    archived: list[Selection] = []
    others: list[str | os.PathLike[str]] = []
    if isinstance(paths, str | os.PathLike) and archive_of(paths) is None:
        return [], listed(paths)
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        selection = archive_of(path)
        if selection is None:
            others.append(path)
        else:
            archived.append(selection)
    return archived, others


def is_archive(folder: Path) -> bool:
    """Return whether a folder is an archive, even if one of its folders is lost."""
    kept = sum((folder / name).is_dir() for name in ("commits", "generations", "incoming"))
    return kept >= 2 or (kept == 1 and any(folder.glob("*/day=*")))


def check_columns(names: Sequence[str]) -> None:
    """Raise InputError for a column that cannot select parts of an archive."""
    from hecn_analysis.base.columns import TEXT  # noqa: PLC0415 (heavy: most paths do not name an archive)
    from hecn_analysis.base.tables import COLUMNS  # noqa: PLC0415

    known = {DAY, *(name for table in PARTED for name, column in COLUMNS[table].items() if column.kind == TEXT)}
    for name in names:
        if name not in known:
            raise unknown_name("archive column", name, sorted(known))


def tables_of(selection: Selection, names: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return tables of a part of an archive; unreadable files are among its problems."""
    import pandas as pd  # noqa: PLC0415 (heavy)

    from hecn_analysis.archive.files import problems_of  # noqa: PLC0415 (heavy)
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (heavy)

    archive = Archive(selection.folder)
    damaged: list[InputError] = []
    day = dict(selection.conditions).get(DAY)

    def chosen(name: str) -> pd.DataFrame:
        frame = archive.table(name, first_day=day, last_day=day, damaged=damaged)
        for column, value in selection.conditions:
            if column in frame.columns:
                frame = frame[frame[column].astype("string").eq(value).fillna(value=False)]
        return frame.reset_index(drop=True)

    tables = {name: chosen(name) for name in names if name != "problems"}
    if "runs" in tables:
        runs = tables["runs"][KEY].drop_duplicates()
        tables |= {name: tables[name].merge(runs, on=KEY) for name in OF_RUNS if name in tables}
        if "statements" in tables:
            stated = tables["statements"]
            tables["statements"] = stated[stated["source_file"].isin(runs["source_file"])].reset_index(drop=True)
    if "problems" in names:
        files = {file for frame in tables.values() for file in frame["source_file"]}
        problems = archive.table("problems", damaged=damaged)
        own = problems[problems["source_file"].isin(files)]
        once = {str(error): error for error in damaged}  # the log concerns all tables
        tables["problems"] = pd.concat([own, problems_of(once.values())], ignore_index=True)
    return tables


def require_archive(folder: str | os.PathLike[str]) -> None:
    """Raise InputError for a folder that is no archive: an unknown name is not an empty one."""
    if archive_of(folder) is None:
        raise InputError(
            f"no archive {os.fspath(folder)!r}",
            "a folder created by 'hecn archive add'",
            advice="create one with that command",
        )


def parts(folder: str | os.PathLike[str], columns: Sequence[str], tables: Sequence[str] = PARTED) -> list[Selection]:
    """Return a part of an archive for each value of a column, or each combination of values of several.

    Columns are those of `tables`, or ``day``. InputError if the folder is no archive, or no table has all columns.
    """
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (heavy)
    from hecn_analysis.base.tables import COLUMNS  # noqa: PLC0415

    require_archive(folder)
    check_columns(columns)
    archive = Archive(folder)
    combinations: set[tuple[str, ...]] = set()
    for table in tables:
        if {*columns} <= {DAY, *COLUMNS[table]}:
            known = " and ".join(f'"{name}" is not null' for name in columns)
            listed = ", ".join(f'cast("{name}" as varchar)' for name in columns)  # a day may be a date
            select = f"select distinct {listed} from {table} where {known}"  # noqa: S608 (known names)
            rows = archive.query(select, damaged=[])  # reading the parts reports the damage
            combinations.update(tuple(map(str, row)) for row in rows.itertuples(index=False))
    if not combinations:
        raise InputError(
            f"no row in {os.fspath(folder)!r} with a known {' and '.join(columns)}", "an archive with such rows"
        )
    return [Selection(Path(folder), tuple(zip(columns, values, strict=True))) for values in sorted(combinations)]
