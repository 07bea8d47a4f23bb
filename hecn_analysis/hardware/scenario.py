"""A scenario: who sends to whom, over which path, with which tool, and what is set differently from the library.

Keys: ``sender``, ``receiver``, ``path``, ``tool`` name entries of ``models/`` (or files of one's own),
dotted keys such as ``path.rtt`` or ``sender.cpu.clock`` set single fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

import yaml
from pydantic import BaseModel

from hecn_analysis import places
from hecn_analysis.errors import InputError, did_you_mean
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.description import Description, Library, Place, Places, one_of
from hecn_analysis.hardware.host import Host
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.tool import Tool

ROLES = {"sender": "hosts", "receiver": "hosts", "path": "paths", "tool": "tools"}
_ABOUT = ("name", "title", "source", "set")


@dataclass(frozen=True)
class Scenario:
    """One transfer, or several at once, ready to be predicted.

    Attributes
    ----------
    name, title
        What to call it.
    sender, receiver
        The hosts; None where the tool has no such end (dd has one of the two).
    path, tool
        What lies between them and what moves the data.
    keys
        The keys it was made of, for `with_` and for the record.
    """

    name: str
    title: str
    sender: Host | None
    receiver: Host | None
    path: Path
    tool: Tool
    keys: Mapping[str, Any] = field(repr=False)
    source: str = ""

    def with_(self, settings: Mapping[str, Any]) -> Scenario:
        """Return the same scenario with some keys set differently.

        Parameters
        ----------
        settings
            Keys to values, e.g. ``{"path.rtt": "80 ms"}``.

        Returns
        -------
        Scenario
            A new one.

        Examples
        --------
        >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"}
        >>> load_scenario(base).with_({"path.rtt": "80 ms"}).path.rtt.value
        0.08
        """
        return make_scenario({**self.keys, **settings}, source=self.source)


def load_scenario(
    scenario: str | FilePath | Mapping[str, Any] | Scenario, settings: Mapping[str, Any] | None = None
) -> Scenario:
    """Scenario of a YAML file, of a name in ``models/scenarios``, or of a mapping of keys.

    Parameters
    ----------
    scenario
        File, name or mapping.
    settings
        Keys set over it.

    Returns
    -------
    Scenario
        The hosts, the path and the tool, checked. Numbers are in SI: bit/s, bytes, seconds, fractions.

    Raises
    ------
    InputError
        Unknown key or name (the nearest is named), impossible value; with file and line where there is one.

    Examples
    --------
    >>> load_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rtt": "80ms"}).path.rtt.value
    0.08
    """
    if isinstance(scenario, Scenario):
        return scenario.with_(settings) if settings else scenario
    if isinstance(scenario, Mapping):
        return make_scenario({**scenario, **(settings or {})})
    library = Library(places.models_dir())
    named = FilePath(scenario)
    if named.suffix in {".yaml", ".yml"} or named.is_file():
        document = yaml_file.load(named)
    else:
        known = library.names("scenarios")
        if str(scenario) not in known:
            raise InputError(
                f"scenario {str(scenario)!r}",
                f"a YAML file or {one_of(known, str(scenario), where='models/scenarios')}",
                advice=did_you_mean(str(scenario), known),
            )
        document = yaml_file.load(library.folder / "scenarios" / f"{scenario}.yaml")

    return of_document(document, settings, name=named.stem)


def of_document(document: yaml_file.Document, settings: Mapping[str, Any] | None = None, *, name: str = "") -> Scenario:
    """Scenario of a YAML document; see `load_scenario`.

    Parameters
    ----------
    document
        What the file holds.
    settings
        Keys set over it.
    name
        What to call it where it does not say so itself.

    Returns
    -------
    Scenario
        The scenario, checked.

    Examples
    --------
    >>> keys = "{sender: ideal, receiver: ideal, tool: iperf3, path.rate: 10 Gb/s, name: a line}"
    >>> of_document(yaml_file.parse(keys, "line.yaml")).name
    'a line'
    """

    def line(key: str) -> int | None:
        """Line of a key in the file, where it stands dotted, under ``set`` or nested; None for one set from outside."""
        if key in (settings or {}):
            return None
        if key in document.values:
            return document.line((key,))
        if key in (document.values.get("set") or {}):
            return document.line(("set", key))
        return document.line(tuple(key.split(".")))

    return make_scenario({"name": name, **document.values, **(settings or {})}, source=document.source, line=line)


def make_scenario(keys: Mapping[str, Any], *, source: str = "", line: Any = None) -> Scenario:  # noqa: ANN401 - a function or None
    """Scenario of a flat mapping of keys; see `load_scenario`.

    Parameters
    ----------
    keys
        Keys with dots, and their values.
    source
        File that they are of, for errors.
    line
        Gives the line of a key in that file, or None.

    Returns
    -------
    Scenario
        The scenario, checked.

    Examples
    --------
    >>> made = make_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"})
    >>> made.path.rate.value
    10000000000.0
    """

    def place(key: str) -> Place:
        return (source or None, None if line is None else line(key))

    flat = _flat(keys, place)
    library = Library(places.models_dir())
    base: dict[str, Description] = {}
    for role, kind in ROLES.items():
        name = flat.get(role)
        if name is None:
            base[role] = Description({}, Places(place(role)))
        else:
            base[role] = library.entry(kind, str(name), asked_by=place(role))
    for key, value in flat.items():
        role, _, rest = key.partition(".")
        if rest:
            base[role].put(tuple(rest.split(".")), scalar(value), place(key))
    for role in ("tool", "path"):
        _name(base[role], FilePath(str(flat.get(role, ""))).stem)
    tool, path = _described(Tool, "tool", base["tool"]), _described(Path, "path", base["path"])
    sender = _host(library, "sender", flat, base, needed=tool.source_end != "none", place=place)
    receiver = _host(library, "receiver", flat, base, needed=tool.sink_end != "none", place=place)
    if tool.protocol != "file" and "path" not in flat and not any(key.startswith("path.") for key in flat):
        raise InputError(
            "no path",
            f"the key 'path' ({one_of(library.names('paths'), where='models/paths')}) or keys such as 'path.rate'",
            source=source or None,
        )
    return Scenario(
        name=str(keys.get("name") or ""),
        title=str(keys.get("title") or ""),
        sender=sender,
        receiver=receiver,
        path=path,
        tool=tool,
        keys=dict(flat),
        source=source,
    )


def _host(
    library: Library,
    role: str,
    flat: Mapping[str, Any],
    base: Mapping[str, Description],
    *,
    needed: bool,
    place: Any,  # noqa: ANN401
) -> Host | None:
    if not needed:
        return None
    if role not in flat and not any(key.startswith(f"{role}.") for key in flat):
        raise InputError(
            f"no {role}",
            f"the key {role!r}: {one_of(library.names('hosts'), where='models/hosts')}",
            source=place(role)[0],
            line=place(role)[1],
        )
    description = library.with_parts(base[role])
    _name(description, FilePath(str(flat.get(role) or role)).stem)
    return _described(Host, role, description)


@dataclass(frozen=True)
class _Written:
    """The description of a part of a scenario; two are equal where the same is written."""

    text: str
    description: Description = field(compare=False)
    role: str = field(compare=False)


@lru_cache(maxsize=256)
def _checked(model: type[BaseModel], written: _Written) -> Any:  # noqa: ANN401 - one of the model
    description = written.description
    return yaml_file.validate(model, description.values, description.place, prefix=(written.role,))


def _described(model: type[yaml_file.Model], role: str, description: Description) -> yaml_file.Model:
    """What a description describes; what was checked before is not checked again, which takes most of the time."""
    found: yaml_file.Model = _checked(model, _Written(repr(description.values), description, role))
    return found


def _name(description: Description, name: str) -> None:
    """Call something by the name of its file, where it does not say what it is called."""
    if "name" not in description.values:
        description.put(("name",), name, description.place(()))


def _flat(keys: Mapping[str, Any], place: Any) -> dict[str, Any]:  # noqa: ANN401
    """Keys of a scenario as dotted keys; an empty value is an absent key."""
    flat: dict[str, Any] = {}
    changes = keys.get("set") or {}
    if not isinstance(changes, Mapping):
        source, line = place("set")
        found = f"set: {changes!r}"
        raise InputError(found, "dotted keys and values, such as 'path.rtt: 80 ms'", source=source, line=line)
    for key, value in [*keys.items(), *changes.items()]:
        role = str(key).partition(".")[0]
        if key in _ABOUT or value is None or value == "":
            continue
        if role not in ROLES:
            known = [*ROLES, *_ABOUT]
            source, line = place(key)
            raise InputError(
                f"unknown key {key!r}",
                f"{', '.join(known)} or a dotted key such as 'path.rtt'",
                source=source,
                line=line,
                advice=did_you_mean(role, known),
            )
        if isinstance(value, Mapping):
            flat.update({f"{key}.{below}" if below != "name" else str(key): deeper for below, deeper in value.items()})
        else:
            flat[str(key)] = value
    return flat


def scalar(value: Any) -> Any:  # noqa: ANN401 - text of a command line as YAML would read it
    """Text such as ``8``, ``true`` or ``[1, 3]`` as a value; anything else as it is.

    Parameters
    ----------
    value
        The text, or anything else.

    Returns
    -------
    object
        The value.

    Examples
    --------
    >>> scalar("8"), scalar("[1, 3]"), scalar("80 ms"), scalar(8)
    (8, [1, 3], '80 ms', 8)
    """
    if not isinstance(value, str):
        return value
    try:
        found = yaml_file.value(value)
    except (yaml.YAMLError, InputError):
        return value
    return value if isinstance(found, dict) and not value.lstrip().startswith("{") else found  # "see: page 3"
