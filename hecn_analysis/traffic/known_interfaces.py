"""Speeds and counter widths of interfaces, as stated by the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.hardware import yaml_file


def known_interfaces(path: str | None) -> tuple[dict[Any, int], dict[Any, float]]:
    """Read a YAML file of interfaces whose speed or counter width the readings misstate.

    Parameters
    ----------
    path
        The file; None for no file.

    Returns
    -------
    tuple of dict
        Widths of counters [bit] and speeds [bit/s] by interface, or by (host, interface).

    Raises
    ------
    InputError
        The file has other keys, or a speed or a width is not a number.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> widths, speeds = known_interfaces(str(data_dir() / "traffic" / "ports.yaml"))
    >>> widths, sorted(set(speeds.values()))
    ({}, [10000000000.0, 100000000000.0])
    """
    if path is None:
        return {}, {}
    document = yaml_file.load(Path(path))
    entries = document.values.get("interfaces")
    if set(document.values) != {"interfaces"} or not isinstance(entries, list):
        raise InputError(
            "keys " + ", ".join(map(str, document.values)), "one key: interfaces, with a list", source=path, line=1
        )
    widths: dict[Any, int] = {}
    speeds: dict[Any, float] = {}
    for number, entry in enumerate(entries):
        line = document.line(("interfaces", str(number)))
        known = {"host", "interface", "speed", "counter_bits"}
        if not isinstance(entry, dict) or "interface" not in entry or not set(entry) <= known:
            raise InputError(
                f"{entry!r}", "a mapping with interface, and host, speed, counter_bits", source=path, line=line
            )
        key = (entry["host"], entry["interface"]) if "host" in entry else entry["interface"]
        try:
            if "speed" in entry:
                speeds[key] = units.parse(entry["speed"], "rate")
            if "counter_bits" in entry:
                widths[key] = int(units.parse(entry["counter_bits"], "count"))
        except HecnError as error:
            raise InputError(str(error), "a speed or a width", source=path, line=line) from None
    return widths, speeds
