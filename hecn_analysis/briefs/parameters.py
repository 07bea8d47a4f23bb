"""Parameters of a notebook: its declaration, and the check of given values before any kernel starts.

``10_x.ipynb`` is declared in ``declarations/10_x.yaml``::

    brief: x                    # name for `hecn brief`; without one, the notebook is for Jupyter only
    title: Disk to disk over 10 Gigabit Ethernet
    question: How fast do two hosts copy a file, and what holds them back?
    parameters:
      rtt: {type: time, unit: s, default: 80 ms, range: [0 s, 2 s], help: round-trip time of the path}

Types: ``text``, ``integer``, ``number``, ``flag``, ``files`` (existing files, folders or archives, comma-separated),
and the quantities of `hecn_analysis.base.units` (``rate``, ``bytes``, ``time``, …), which take a bare SI number or one
with its unit and reach the notebook in SI.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict

from hecn_analysis.archive.selection import archive_of
from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError, unknown_name
from hecn_analysis.files.names import as_stored
from hecn_analysis.hardware import yaml_file

Value = str | int | float | bool
SI_UNITS = {
    "rate": "bit/s",
    "bytes": "bytes",
    "time": "s",
    "fraction": "fraction",
    "frequency": "Hz",
    "transfers": "T/s",
}
DECLARATIONS: Final = "declarations"  # folder of the declarations, beside the notebooks
TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Parameter(BaseModel):
    """One declared parameter of a notebook."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal[
        "text", "files", "integer", "number", "flag", "rate", "bytes", "time", "fraction", "frequency", "transfers"
    ]
    default: Value
    help: str
    unit: str | None = None
    range: tuple[Value, Value] | None = None
    choices: tuple[Value, ...] | None = None
    holds: Literal["logs", "counters"] | None = None  # of files: their kind, if restricted


class Declaration(BaseModel):
    """The declaration of a notebook: name as a brief, title, question, parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    question: str
    brief: str | None = None
    parameters: dict[str, Parameter] = {}


class Brief(NamedTuple):
    """A notebook and its declaration."""

    notebook: Path
    declaration: Declaration


def declaration_of(notebook: Path) -> Path:
    """Path of the declaration of a notebook."""
    return notebook.parent / DECLARATIONS / f"{notebook.stem}.yaml"


def read_declaration(path: Path) -> Declaration:
    """Read the declaration of a notebook."""
    document = yaml_file.load(path)
    declaration = yaml_file.validate(Declaration, document.values, lambda keys: (document.source, document.line(keys)))
    for name, parameter in declaration.parameters.items():
        line = document.line(("parameters", name))
        si = SI_UNITS.get(parameter.type)
        if parameter.unit != si:
            unit = f"parameters.{name}.unit: {parameter.unit!r}"
            raise InputError(
                unit, "none" if si is None else f"{si!r}, in which it reaches the notebook", source=path, line=line
            )
        try:
            _value(name, parameter, parameter.default)
        except InputError as error:
            raise InputError(
                f"default of {error.found}", error.expected, source=path, line=line, advice=error.advice
            ) from None
    return declaration


def defaults(declaration: Declaration) -> dict[str, Value]:
    """The declared defaults as passed to the notebook: quantities in SI."""
    return {name: _value(name, parameter, parameter.default) for name, parameter in declaration.parameters.items()}


def declared(declaration: Declaration) -> dict[str, dict[str, object]]:
    """The declaration of each parameter, with values as passed to the notebook: quantities in SI.

    Parameters
    ----------
    declaration
        Declaration of the notebook.

    Returns
    -------
    dict
        By name, then by key of the declaration: ``type``, ``default``, ``range``, ``choices``, ``help``, …

    Examples
    --------
    >>> rtt = Parameter(type="time", unit="s", default="80 ms", range=("0 s", "2 s"), help="round-trip time")
    >>> declaration = Declaration(title="A", question="B?", parameters={"rtt": rtt})
    >>> declared(declaration)["rtt"]["range"]
    [0.0, 2.0]
    """
    return {
        name: {
            **parameter.model_dump(),
            "default": _value(name, parameter, parameter.default),
            "range": _converted(name, parameter, parameter.range),
            "choices": _converted(name, parameter, parameter.choices),
        }
        for name, parameter in declaration.parameters.items()
    }


def _converted(name: str, parameter: Parameter, given: tuple[Value, ...] | None) -> list[Value] | None:
    return None if given is None else [_convert(name, parameter, value) for value in given]


def check(declaration: Declaration, given: Mapping[str, Value], *, ignore_unknown: bool = False) -> dict[str, Value]:
    """All parameters as passed to the notebook: given values checked and converted, defaults for the others."""
    known = declaration.parameters
    unknown = [name for name in given if name not in known]
    if unknown and not ignore_unknown:
        if not known:
            raise InputError(f"parameter {unknown[0]!r}", f"none: {declaration.title!r} takes no parameters")
        raise unknown_name("parameter", unknown[0], known)
    values = {name: _value(name, known[name], value) for name, value in given.items() if name in known}
    return {**defaults(declaration), **values}


def shown(declaration: Declaration, values: Mapping[str, Value]) -> dict[str, str]:
    """Values as text for people, quantities with their unit."""
    return {name: _shown(declaration.parameters[name], value) for name, value in values.items()}


def _shown(parameter: Parameter, value: Value) -> str:
    formats: dict[str, Callable[[float], str]] = {
        "rate": units.format_rate,
        "bytes": units.format_bytes,
        "time": units.format_time,
        "fraction": units.format_fraction,
        "frequency": lambda hertz: f"{hertz / 1e9:g} GHz",
        "transfers": lambda rate: f"{rate / 1e9:g} GT/s",
    }
    return formats[parameter.type](float(value)) if parameter.type in formats else str(value)


def _value(name: str, parameter: Parameter, given: Value) -> Value:
    """Convert and check one value."""
    value = _convert(name, parameter, given)
    if parameter.choices is not None and value not in [
        _convert(name, parameter, choice) for choice in parameter.choices
    ]:
        choices = [str(choice) for choice in parameter.choices]
        raise unknown_name(f"parameter {name}:", str(given), choices)
    if parameter.range is not None:
        low, high = (_convert(name, parameter, end) for end in parameter.range)
        if not low <= value <= high:  # type: ignore[operator]  # both were converted to the same type
            raise InputError(
                f"parameter {name}: {given!r}", f"a value from {parameter.range[0]} to {parameter.range[1]}"
            )
    return value


def _convert(name: str, parameter: Parameter, given: Value) -> Value:
    """Convert one value to the parameter's type."""
    if parameter.type == "text":
        return str(given)
    if parameter.type == "files":
        return _files(name, str(given))
    if parameter.type == "flag":
        return _flag(name, given)
    if parameter.type in SI_UNITS:
        try:
            return units.parse(given, cast("units.Dimension", parameter.type), name=name)
        except HecnError as error:
            description, _, expected = str(error).partition(", expected ")
            raise InputError(f"parameter {description.replace(': found', ':')}", expected) from None
    try:
        number = math.nan if isinstance(given, bool) else float(given)
    except ValueError:
        number = math.nan
    if parameter.type == "integer":
        if not number.is_integer():
            raise InputError(f"parameter {name}: {given!r}", "a whole number")
        return int(number)
    if math.isnan(number):
        raise InputError(f"parameter {name}: {given!r}", "a number")
    return number


def files_of(text: str) -> list[str]:
    """Paths of a parameter of type ``files``."""
    return [path.strip() for path in text.split(",") if path.strip()]


def _files(name: str, given: str) -> str:
    for path in files_of(given):
        if archive_of(path) is None and not Path(as_stored(path)).exists():
            raise InputError(f"parameter {name}: no {path!r}", "files, folders or archives, separated by commas")
    return given


def is_on(given: Value) -> bool:
    """Whether a flag is set."""
    return str(given).lower() in TRUE


def _flag(name: str, given: Value) -> bool:
    word = str(given).lower()
    if word not in TRUE + FALSE:
        raise InputError(f"parameter {name}: {given!r}", "true or false")
    return is_on(given)
