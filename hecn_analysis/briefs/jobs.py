"""Which briefs to make with which parameters: one per name, or one per value of a parameter or archive column.

``each`` makes a batch of one brief. ``rtt=10ms,80ms`` makes one for each value of a parameter. A column of the tables
in an archive (``host``, ``interface``, ``day``, ``tool``, ``source_file``, …) makes one for each of its values: the
brief's parameters of type ``files`` then name that part of the archive.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hecn_analysis.archive import selection
from hecn_analysis.base.errors import InputError, did_you_mean, unknown_name
from hecn_analysis.briefs.parameters import Brief, Value, check

LONGEST_NAME = 80
TABLES = {"logs": ("runs",), "counters": ("samples", "rates"), None: selection.PARTED}  # by what files hold


class Job(NamedTuple):
    """A brief to make: the name of its files, the brief, its checked parameters, and the values that it is for."""

    name: str
    brief: Brief
    parameters: Mapping[str, Value]
    each: Mapping[str, str]


def jobs_of(
    chosen: Mapping[str, Brief],
    given: Mapping[str, Value],
    each: Sequence[str] = (),
    archive: Path | None = None,
) -> list[Job]:
    """The briefs to make, with all parameters checked."""
    several = len(chosen) > 1
    if several and (each or archive is not None):
        raise InputError(f"{len(chosen)} briefs", "one, to make it for each of several values or of an archive")
    declared = {name for brief in chosen.values() for name in brief.declaration.parameters}
    unknown = [name for name in given if name not in declared]
    if several and unknown:
        raise unknown_name("parameter", unknown[0], sorted(declared), where="hecn brief --list")
    return [
        Job(_name(name, words), brief, check(brief.declaration, {**given, **values}, ignore_unknown=several), words)
        for name, brief in chosen.items()
        for words, values in _variants(name, brief, given, each, archive)
    ]


def _variants(
    name: str, brief: Brief, given: Mapping[str, Value], each: Sequence[str], archive: Path | None
) -> Iterable[tuple[dict[str, str], dict[str, Value]]]:
    """For each brief of a batch, the values that it is for, as text, and its parameters."""
    columns = [word for word in each if "=" not in word]
    lists = [_listed(brief, word) for word in each if "=" in word]
    if columns and archive is None:
        known = brief.declaration.parameters
        advice = did_you_mean(columns[0], known)
        raise InputError(
            f"{columns[0]!r} to make briefs for, without an archive",
            "PARAMETER=VALUE,…, or a column and an archive",
            advice=advice and f"{advice}, with its values",
        )
    readers = {
        key: parameter.holds for key, parameter in brief.declaration.parameters.items() if parameter.type == "files"
    }
    selections: list[selection.Selection | None] = [None]
    if archive is not None:
        if not readers:
            raise InputError(f"brief {name!r} for an archive", "one that reads files")
        if conflicting := sorted({*readers} & {*given, *(key for key, _ in lists)}):
            raise InputError(f"parameter {conflicting[0]!r} and an archive", "only one of the two")
        unrestricted = selection.Selection(archive)
        tables = dict.fromkeys(table for kind in readers.values() for table in TABLES[kind])
        selections = [*selection.parts(archive, columns, tuple(tables))] if columns else [unrestricted]
    for combination in itertools.product(*([(key, value) for value in values] for key, values in lists)):
        settings = dict(combination)
        for part in selections:
            words, values = dict(settings), dict[str, Value](settings)
            if part is not None:
                words |= dict(part.conditions)
                values |= dict.fromkeys(readers, str(part))
            yield words, values


def _listed(brief: Brief, word: str) -> tuple[str, list[str]]:
    key, _, values = word.partition("=")
    known = brief.declaration.parameters
    if key not in known:
        raise unknown_name("parameter", key, known)
    listed = list(dict.fromkeys(value.strip() for value in values.split(",") if value.strip()))
    if not listed:
        raise InputError(f"no values of {key}", f"{key}=VALUE,VALUE,…")
    return key, listed


def _name(name: str, words: Mapping[str, str]) -> str:
    """Name of the files: the brief and the values that it is for, within the limits of file names."""
    if not words:
        return name
    wanted = ".".join([name, *(f"{key}={value}" for key, value in words.items())])
    possible = re.sub(r"[^\w.=+-]+", "-", wanted)[:LONGEST_NAME].rstrip(".")
    if possible == wanted:
        return wanted
    return f"{possible}.{hashlib.sha256(wanted.encode()).hexdigest()[:6]}"  # tells equal replacements apart
