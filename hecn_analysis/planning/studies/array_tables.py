"""Disks and arrays: the rates that measured transfers used, the cost of RAID levels and small writes, other drives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal

import pandas as pd

from hecn_analysis import limits
from hecn_analysis.base.errors import InputError, did_you_mean
from hecn_analysis.hardware import Array, Host
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import Disk
from hecn_analysis.limits.storage.array_layout import Level
from hecn_analysis.planning.studies.host_limits import limits_of
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.prediction.compare import load_series, measured
from hecn_analysis.prediction.model import Effort

Operation = Literal["read", "write"]

#: Levels that are compared, and disks in a group of those that stripe over groups: what a controller has ports for.
LEVELS: Final[tuple[Level, ...]] = (0, 5, 50, 6, 60, 10)
GROUP: Final = 8

#: Of predictions whose interval is not asked for; over a lossy path the draws make their median.
_CENTRAL: Final = Effort(draws=40, rungs=1)

USE: Final = [
    "series_title",
    "case",
    "title",
    "operation",
    "arrays",
    "disks",
    "data_disks",
    "controllers",
    "measured_bps",
    "measured_low_bound",
    "disk_measured_bps",
    "disk_bps",
    "array_bps",
    "share_fraction",
    "bottleneck_title",
    "source_file",
    "line_first",
    "line_last",
    "document",
    "place",
]


def array_use(names: Iterable[str]) -> pd.DataFrame:
    """Return the share of their arrays' rates that measured transfers used.

    Parameters
    ----------
    names
        Names of series.

    Returns
    -------
    DataFrame
        Columns `USE`: a row for each measured case and end with arrays. ``data_disks`` are those that carry data of a
        sequential stream; ``disk_measured_bps`` is the measured rate over them, ``disk_bps`` what a disk does alone;
        ``array_bps`` is what the arrays allow, with the seeks between files that share one, ``share_fraction`` the part
        of it that was measured. [bit/s]

    Examples
    --------
    >>> array_use(["c-dd"])[["operation", "disks", "share_fraction"]].round(2).to_dict("records")[0]
    {'operation': 'read', 'disks': 32, 'share_fraction': 1.0}
    """
    rows = []
    for series in map(load_series, names):
        for name, case in series.cases.items():
            measurement = measured(case, series)
            if measurement["measured_bps"] is None:
                continue
            prediction = predict(series.scenarios[name], effort=_CENTRAL)
            about = {"series_title": series.title, "case": name, "title": case.title, **measurement}
            about |= {"document": series.document, "place": case.place}
            about["bottleneck_title"] = prediction.ladder[0].title if prediction.ladder else None
            rows += [about | end for end in _ends(prediction, float(measurement["measured_bps"]))]
    return pd.DataFrame(rows).reindex(columns=USE)


def _ends(prediction: Prediction, measured_bps: float) -> list[dict[str, Any]]:
    """Rows of the ends of a transfer that have arrays in use."""
    scenario, rows = prediction.scenario, []
    ends: tuple[tuple[str, Host | None, str, Operation], ...] = (
        ("sender", scenario.sender, scenario.tool.source_end, "read"),
        ("receiver", scenario.receiver, scenario.tool.sink_end, "write"),
    )
    for role, host, end, operation in ends:
        if host is None or end != "disk" or not host.arrays:
            continue
        names = list(dict.fromkeys(host.file_arrays))
        used = [host.arrays[name] for name in names]
        data = sum(_data_disks(array, operation) for array in used)
        resources = {f"{role}.{kind}.{name}" for kind in ("raid", "disk") for name in names}
        allowed = limits_of(prediction)
        array_bps = float(allowed.loc[allowed["resource"].isin(resources), "throughput_bps"].min())
        disk = used[0].disk
        rows.append(
            {
                "operation": operation,
                "arrays": ", ".join(
                    dict.fromkeys(_words(stored.level, stored.disks, stored.groups) for stored in used)
                ),
                "disks": sum(stored.disks for stored in used),
                "data_disks": round(data),
                "controllers": len({slot for stored in used for slot in stored.slots}),
                "disk_measured_bps": measured_bps / data,
                "disk_bps": disk.read_rate.value if operation == "read" else disk.lasting_write_rate.value,
                "array_bps": array_bps,
                "share_fraction": measured_bps / array_bps,
            }
        )
    return rows


def _data_disks(array: Array, operation: Operation) -> float:
    """Disks whose rates add up in a sequential stream."""
    if array.level is None:
        return 1.0
    figures = limits.raid(
        level=array.level,
        disks=array.disks,
        groups=array.groups,
        disk_rate=1.0,
        op=operation,
        solid_state=array.disk.solid_state,
    )
    return float(figures["throughput_bps"])


def _words(level: Level | None, disks: int, groups: int) -> str:
    if level is None:
        return "one disk"
    return f"RAID {level} of {groups} × {disks // groups}" if groups > 1 else f"RAID {level} of {disks}"


def level_rates(disk: Disk, most: int, levels: Sequence[Level] = LEVELS) -> pd.DataFrame:
    """Sequential rates of arrays by level and number of disks, without a controller.

    Parameters
    ----------
    disk, most, levels
        The disk; the largest number of disks, in multiples of `GROUP`, the size of a group; RAID levels, of which those
        that stripe over groups begin with two groups.

    Returns
    -------
    DataFrame
        ``level``, ``disks``, ``read_bps``, ``write_bps``. [bit/s]

    Examples
    --------
    >>> level_rates(parts("disks")["wd5001aals"], 32, [50])["disks"].tolist()
    [16, 24, 32]
    """
    rows = []
    for level in levels:
        for disks in range(GROUP, most + 1, GROUP):
            groups = disks // GROUP if level in (50, 60) else 1
            if level in (50, 60) and groups < 2:
                continue
            array = partial(limits.raid, level=level, disks=disks, groups=groups, solid_state=disk.solid_state)
            read = array(disk_rate=disk.read_rate.value, op="read")["throughput_bps"]
            write = array(disk_rate=disk.lasting_write_rate.value, op="write")["throughput_bps"]
            rows.append({"level": level, "disks": disks, "read_bps": float(read), "write_bps": float(write)})
    return pd.DataFrame(rows, columns=["level", "disks", "read_bps", "write_bps"])


def partial_writes(
    disk: Disk, disks: int, chunk: float, requests: Iterable[float], levels: Sequence[Level]
) -> pd.DataFrame:
    """Compare the rate of writes smaller than a stripe with that of whole stripes.

    Parameters
    ----------
    disk, disks, levels
        The disk, the number of disks in the array's only group, and RAID levels of one group.
    chunk, requests
        Part of a stripe on one disk, and sizes of the writes that reach the array. [B]

    Returns
    -------
    DataFrame
        ``request`` [B] and for each level ``raid5_fraction``, the rate over that of whole stripes. [1]

    Examples
    --------
    >>> writes = partial_writes(parts("disks")["wd5001aals"], 8, 65536, [65536, 7 * 65536], [5])
    >>> writes.round(2).to_dict("list")
    {'request': [65536, 458752], 'raid5_fraction': [0.29, 1.0]}
    """
    rate = disk.lasting_write_rate.value
    rows = []
    for request in requests:
        row: dict[str, Any] = {"request": request}
        for level in levels:
            written = partial(limits.raid, level=level, disks=disks, disk_rate=rate, op="write", chunk=chunk)
            fraction = float(written(request=request)["throughput_bps"]) / float(written()["throughput_bps"])
            row[f"raid{level}_fraction"] = fraction
        rows.append(row)
    return pd.DataFrame(rows)


def drives_for(read_bps: float, write_bps: float, names: Iterable[str]) -> pd.DataFrame:
    """How many of each drive read and write as fast, striped without redundancy.

    Parameters
    ----------
    read_bps, write_bps
        Rates to reach. [bit/s]
    names
        Disks of ``models/parts``.

    Returns
    -------
    DataFrame
        ``name``, ``title``, ``year``, ``link``, ``read_bps``, ``write_bps`` of one, ``drives``, ``usd`` for all of
        them where a price is known, sorted by year.

    Raises
    ------
    InputError
        Unknown disk; the nearest is named.

    Examples
    --------
    >>> drives_for(21.2e9, 20.5e9, ["ocz-vertex3-120", "samsung-990-pro-2tb"])["drives"].tolist()
    [6, 2]
    """
    known = parts("disks")
    rows = []
    for name in names:
        if not isinstance(disk := known.get(name), Disk):
            raise InputError(f"disk {name!r}", "a disk of models/parts/disks.yaml", advice=did_you_mean(name, known))
        drives = math.ceil(max(read_bps / disk.read_rate.value, write_bps / disk.lasting_write_rate.value))
        link = f"PCIe {disk.gen}.0 x{disk.lanes}" if disk.link == "pcie" else (disk.link or "").upper()
        rows.append(
            {
                "name": name,
                "title": disk.title,
                "year": disk.year,
                "link": link,
                "read_bps": disk.read_rate.value,
                "write_bps": disk.lasting_write_rate.value,
                "drives": drives,
                "usd": None if disk.price is None else drives * disk.price.value,
            }
        )
    return pd.DataFrame(rows).sort_values("year", kind="stable", ignore_index=True)
