"""A scenario: sender, receiver, path and tool from the library, with changes to their fields.

The keys ``sender``, ``receiver``, ``path``, ``tool`` name entries of ``models/`` or files of the user. Dotted keys such
as ``path.rtt`` or ``sender.cpu.clock`` set single fields.

Keys come in layers: a file with its ``set``, then settings such as those of a command line. The later layer overrides
the earlier one. A layer that names another host or path also drops the fields set for the earlier one. Settings of the
tool (streams, window, duration) describe the test and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple

import yaml
from pydantic import BaseModel

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import InputError, did_you_mean, one_of, unknown_name
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.bounds import bounded, exceeded_ports
from hecn_analysis.hardware.description import Description, Library, Place, Places
from hecn_analysis.hardware.host import Host
from hecn_analysis.hardware.idle_keys import idle
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import DIMENSION_OF, unit_of
from hecn_analysis.hardware.tool import Tool
from hecn_analysis.hardware.transfer import Transfer

ROLES = {"sender": "hosts", "receiver": "hosts", "path": "paths", "tool": "tools"}
_MODELS: Final[Mapping[str, type[BaseModel]]] = {"sender": Host, "receiver": Host, "path": Path, "tool": Tool}
_ABOUT = ("name", "title", "source", "set")
#: Roles whose new name drops the fields set for the earlier one.
_REPLACED = ("sender", "receiver", "path")
#: Keys of a site, which `load_site` reads.
SITE_KEYS: Final = frozenset({"transfers", "hosts", "switches", "links", "storage"})
_OF_A_FOLDER: Final = "of a folder of logs, hecn diagnose finds the limit, and hecn app opens the scenario"


@dataclass(frozen=True)
class Scenario(Transfer):
    """One transfer, or several at once, ready to be predicted.

    `warnings` are settings that may not have the intended effect: a number without a unit, keys dropped with a replaced
    host or path, a value above the bound of a part.
    """

    name: str
    title: str
    keys: Mapping[str, Any] = field(repr=False)
    source: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    _layers: _Layers | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        ends = " to ".join(host.label for host in (self.sender, self.receiver) if host is not None)
        path = f" over {self.path.name}" if self.path.name else ""
        return f"Scenario {self.name or 'without a name'}: {self.tool.name or 'a transfer'}, {ends}{path}"

    def with_(self, settings: Mapping[str, Any]) -> Scenario:
        """The same scenario with some keys changed.

        Parameters
        ----------
        settings
            Keys to values, e.g. ``{"path.rtt": "80 ms"}``.

        Returns
        -------
        Scenario
            A new scenario.

        Examples
        --------
        >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"}
        >>> load_scenario(base).with_({"path.rtt": "80 ms"}).path.rtt.value
        0.08
        """
        layers = self._layers or _Layers(dict(self.keys), frozenset(), {})
        return _make(layers, settings, about={}, source=self.source)


def load_scenario(
    scenario: str | FilePath | Mapping[str, Any] | Scenario, settings: Mapping[str, Any] | None = None
) -> Scenario:
    """Scenario from a YAML file, a name in ``models/scenarios``, or a mapping of keys.

    Parameters
    ----------
    scenario, settings
        File, name or mapping, and keys that override it.

    Returns
    -------
    Scenario
        The validated hosts, path and tool. Numbers are in SI: bit/s, bytes, seconds, fractions.

    Raises
    ------
    InputError
        Unknown key or name (the message suggests the nearest), or impossible value; with file and line if known.

    Examples
    --------
    >>> load_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rtt": "80ms"}).path.rtt.value
    0.08
    """
    if isinstance(scenario, Scenario):
        return scenario.with_(settings) if settings else scenario
    if isinstance(scenario, Mapping):
        return make_scenario(scenario, settings)
    return of_document(document_of(scenario), settings, name=FilePath(scenario).stem)


def document_of(scenario: str | FilePath, kind: str = "scenarios") -> yaml_file.Document:
    """YAML document from a file, or from a name in ``models/scenarios``.

    Parameters
    ----------
    scenario
        File or name.
    kind
        Folder of ``models`` for names.

    Returns
    -------
    Document
        The document.

    Raises
    ------
    InputError
        The file cannot be read, or the name is unknown (the message suggests the nearest).

    Examples
    --------
    >>> document_of("c-two-copies").values["sender"]
    'c'
    """
    named = FilePath(scenario)
    if named.suffix in {".yaml", ".yml"} or named.is_file():
        return yaml_file.load(named)
    library = Library(places.models_dir())
    if str(scenario) not in library.names(kind):
        raise unknown_scenario(scenario, (kind,))
    return yaml_file.load(library.folder / kind / f"{scenario}.yaml")


def unknown_scenario(scenario: str | FilePath, kinds: Collection[str]) -> InputError:
    """Error that a name is in none of these folders of ``models``; if it is that of a site, it says so."""
    name = str(scenario)
    library = Library(places.models_dir())
    if "sites" not in kinds and name in library.names("sites"):
        advice = "hecn predict and hecn purchase --site take a site"
        return InputError(f"{name!r}, a site", "a scenario of one transfer", advice=advice)
    known = [known for kind in kinds for known in library.names(kind)]
    where = " and ".join(f"models/{kind}" for kind in kinds)
    what = " or ".join(kind.removesuffix("s") for kind in kinds)
    error = unknown_name(what, name, known, also="a YAML file or ", where=where)
    return InputError(error.found, error.expected, advice=_OF_A_FOLDER) if FilePath(scenario).is_dir() else error


def of_document(document: yaml_file.Document, settings: Mapping[str, Any] | None = None, *, name: str = "") -> Scenario:
    """Scenario from a YAML document; see `load_scenario`.

    Parameters
    ----------
    document, settings, name
        The document, keys that override it, and its name if the document does not give one.

    Returns
    -------
    Scenario
        The validated scenario.

    Examples
    --------
    >>> keys = "{sender: ideal, receiver: ideal, tool: iperf3, path.rate: 10 Gb/s, name: a line}"
    >>> of_document(yaml_file.parse(keys, "line.yaml")).name
    'a line'
    """

    def line(key: str) -> int | None:
        """Line of a key in the file (dotted, under ``set`` or nested); None for a key from `settings`."""
        if key in (settings or {}):
            return None
        if key in document.values:
            return document.line((key,))
        if key in (document.values.get("set") or {}):
            return document.line(("set", key))
        return document.line(tuple(key.split(".")))

    scenario = make_scenario({"name": name, **document.values}, settings, source=document.source, line=line)
    numbers = {key: str(value) for key, value in scenario.keys.items() if type(value) in {int, float}}
    doubtful = bare_numbers({key: value for key, value in numbers.items() if key not in (settings or {})})
    return replace(scenario, warnings=(*scenario.warnings, *doubtful.values())) if doubtful else scenario


def make_scenario(
    keys: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    *,
    source: str = "",
    line: Callable[[str], int | None] | None = None,
) -> Scenario:
    """Scenario from a mapping of keys; see `load_scenario`.

    Parameters
    ----------
    keys, settings
        Keys, dotted or nested, and their values; keys that override them.
    source, line
        File of `keys`, for errors, and a function that returns the line of a key in that file, or None.

    Returns
    -------
    Scenario
        The validated scenario.

    Examples
    --------
    >>> scenario = make_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"})
    >>> scenario.path.rate.value
    10000000000.0
    """
    place = _placed(source, line)
    flat = _flat(keys, place)
    bound = frozenset(key for key in flat if key.partition(".")[0] in _REPLACED and "." in key)
    about = {name: str(keys.get(name) or "") for name in ("name", "title")}
    return _make(_Layers(flat, bound, {}), settings or {}, about=about, source=source, line=line)


class _Layers(NamedTuple):
    """Flat keys of all layers, the keys bound to the name of their role, and warnings by key."""

    keys: Mapping[str, Any]
    bound: frozenset[str]
    warnings: Mapping[str, str]

    def over(self, upper: Mapping[str, Any], removed: Collection[str]) -> _Layers:
        """These layers with another one that overrides them."""
        keys, warnings = dict(self.keys), {key: text for key, text in self.warnings.items() if key not in upper}
        roles = [role for role in _REPLACED if role in upper or role in removed]
        dropped = [key for key in keys if key in self.bound - upper.keys() and key.partition(".")[0] in roles]
        for role in roles:
            if texts := [f"{key}={keys[key]}" for key in dropped if key.startswith(f"{role}.")]:
                new = f"{role}={upper[role]}" if role in upper else f"a new {role}"
                warnings[role] = f"{new} replaces the earlier {role} and drops {', '.join(texts)}"
        for key in upper:
            if below := [lower for lower in keys if key not in roles and lower.startswith(f"{key}.")]:
                texts = [f"{lower}={keys[lower]}" for lower in below if lower not in upper]
                dropped += [lower for lower in below if lower not in upper]
                if texts and keys.get(key) != upper[key]:
                    warnings[key] = f"{key}={upper[key]} replaces the earlier {key} and drops {', '.join(texts)}"
        for key in (*dropped, *removed, *upper):  # a key that is given again comes last, after what contains it
            keys.pop(key, None)
        bound = {key for key in upper if "." in key and key.partition(".")[0] in roles}
        return _Layers({**keys, **upper}, self.bound - {*dropped, *removed, *upper} | bound, warnings)


def _placed(source: str, line: Callable[[str], int | None] | None) -> Callable[[str], Place]:
    return lambda key: (source or None, None if line is None else line(key))


def _make(
    layers: _Layers,
    settings: Mapping[str, Any],
    *,
    about: Mapping[str, str],
    source: str,
    line: Callable[[str], int | None] | None = None,
) -> Scenario:
    """Scenario from layers of keys and the settings that override them."""
    place = _placed(source, line)
    if settings:
        upper = _flat(settings, place)
        if any(role in settings and settings[role] != layers.keys.get(role) for role in ("sender", "receiver")):
            about = {**about, "title": ""}  # it described other hosts
        about = {**about, **{name: str(text) for name in ("name", "title") if (text := settings.get(name))}}
        layers = layers.over(upper, [key for key, value in settings.items() if value is None or value == ""])
    flat = layers.keys
    library = Library(places.models_dir())
    base = _descriptions(library, flat, place)
    for role in ("tool", "path"):
        _name(base[role], FilePath(str(flat.get(role, ""))).stem)
    tool, path = _described(Tool, "tool", base["tool"]), _described(Path, "path", base["path"])
    networked = tool.protocol != "file"
    sender = _host(library, "sender", flat, base, needed=tool.source_end != "none", networked=networked, place=place)
    receiver = _host(library, "receiver", flat, base, needed=tool.sink_end != "none", networked=networked, place=place)
    exceeded: list[str] = []
    ends: dict[str, Host | None] = {"sender": sender, "receiver": receiver}
    for role, host in ends.items():
        if host is not None:
            ends[role], warnings = bounded(host, role)
            exceeded += [*warnings, *exceeded_ports(host, role, path)]
    scenario = Scenario(
        name=about.get("name", ""),
        title=about.get("title", ""),
        sender=ends["sender"],
        receiver=ends["receiver"],
        path=path,
        tool=tool,
        keys=dict(flat),
        source=source,
    )
    layers = layers._replace(warnings={**layers.warnings, **bare_numbers(settings)})
    # keys of a host that is described with its title say what it has, and are not meant for this transfer; settings are
    whole = {role for role in ("sender", "receiver") if f"{role}.title" in flat}
    stated = [key for key in flat if "." in key and (key in settings or key.partition(".")[0] not in whole)]
    return replace(scenario, warnings=(*layers.warnings.values(), *exceeded, *idle(scenario, stated)), _layers=layers)


def _descriptions(library: Library, flat: Mapping[str, Any], place: Callable[[str], Place]) -> dict[str, Description]:
    """Description of each role: that of its name, with the keys of the scenario."""
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
            names = rest.split(".")
            base[role].put(tuple(names), _value_of(role, names, value), place(key))
    if "tool.duration" in flat and "tool.bytes" not in flat:  # the duration replaces the amount of the tool's file
        base["tool"].put(("bytes",), None, place("tool.duration"))
    return base


def dimension_of_key(key: str) -> units.Dimension | None:
    """What a key measures; None if it is no quantity.

    Parameters
    ----------
    key
        Key of a scenario: ``path.rtt``.

    Returns
    -------
    str or None
        A dimension that `hecn_analysis.base.units.parse` knows.

    Examples
    --------
    >>> dimension_of_key("path.rtt"), dimension_of_key("tool.name")
    ('time', None)
    """
    role, *names = key.split(".")
    field = yaml_file.field_at(_MODELS[role], names) if role in _MODELS else None
    unit = None if field is None else unit_of(field)
    return None if unit is None else DIMENSION_OF[unit]


def bare_numbers(settings: Mapping[str, Any]) -> dict[str, str]:
    """Warn of numbers without a unit, or with the short one of tools: ``10G`` is decimal for rates, binary for bytes.

    Parameters
    ----------
    settings
        Keys of a scenario to values.

    Returns
    -------
    dict
        The warnings by key.

    Examples
    --------
    >>> bare_numbers({"path.rtt": "80", "path.rate": "10 Gb/s"})
    {'path.rtt': 'path.rtt=80 is read as 80.0 s: write the unit if you mean another'}
    """
    warnings = {}
    for key, written in settings.items():
        dimension = dimension_of_key(key)
        if dimension is not None and (doubt := units.doubt(written, dimension, name=key)) is not None:
            warnings[key] = doubt
    return warnings


def _value_of(role: str, names: list[str], value: Any) -> Any:  # noqa: ANN401 - any value of YAML
    """Value of a key; of a field that holds a text, such as the kernel 6.10, a number as it is written."""
    parsed = scalar(value)
    if isinstance(value, str) and isinstance(parsed, int | float) and not isinstance(parsed, bool):
        field = yaml_file.field_at(_MODELS[role], names)
        if field is not None and field.annotation in {str, str | None}:
            return value
    return parsed


def value_at(scenario: Scenario, name: str) -> Any:  # noqa: ANN401 - any value of a description
    """Value of a description at a dotted name, or None.

    Parameters
    ----------
    scenario, name
        Hosts, path and tool; the name: ``path.rtt``.

    Returns
    -------
    object
        Often a `Parameter`, whose value is in SI.

    Examples
    --------
    >>> scenario = load_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rtt": "80 ms"})
    >>> value_at(scenario, "path.rtt").value
    0.08
    """
    value: Any = scenario
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
    return value


def _host(
    library: Library,
    role: str,
    flat: Mapping[str, Any],
    base: Mapping[str, Description],
    *,
    needed: bool,
    networked: bool,
    place: Any,  # noqa: ANN401
) -> Host | None:
    if not needed:
        return None
    if not networked and role not in flat and not any(key.startswith(f"{role}.") for key in flat):
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
    """The description of a part of a scenario; two with the same text are equal."""

    text: str
    description: Description = field(compare=False)
    role: str = field(compare=False)


@lru_cache(maxsize=256)
def _checked(model: type[BaseModel], written: _Written) -> Any:  # noqa: ANN401 - one of the model
    description = written.description
    return yaml_file.validate(model, description.values, description.place, prefix=(written.role,))


def _described(model: type[yaml_file.Model], role: str, description: Description) -> yaml_file.Model:
    """Validated model of a description; cached, as validation takes most of the time."""
    validated: yaml_file.Model = _checked(model, _Written(repr(description.values), description, role))
    return validated


def _name(description: Description, name: str) -> None:
    """Default name of a description: the name of its file."""
    if "name" not in description.values:
        description.put(("name",), name, description.place(()))


def _flat(keys: Mapping[str, Any], place: Any) -> dict[str, Any]:  # noqa: ANN401
    """Keys of a scenario as dotted keys; an empty value removes its key."""
    flat: dict[str, Any] = {}
    changes = keys.get("set") or {}
    if not isinstance(changes, Mapping):
        source, line = place("set")
        expected = "dotted keys and values, such as 'path.rtt: 80 ms'"
        raise InputError(f"set: {changes!r}", expected, source=source, line=line)
    for key, value in [*keys.items(), *changes.items()]:
        role = str(key).partition(".")[0]
        if key in _ABOUT:
            continue
        if value is None or value == "":
            flat.pop(str(key), None)
            continue
        if role not in ROLES:
            known = [*ROLES, *_ABOUT]
            source, line = place(key)
            if role in SITE_KEYS:
                expected = "the keys of one transfer: hecn predict and hecn.predict take a site"
                raise InputError(f"{key!r}, a key of a site", expected, source=source, line=line)
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


def scalar(value: Any) -> Any:  # noqa: ANN401 - any value of YAML
    """Value of a text such as ``8``, ``true`` or ``[1, 3]``, parsed as YAML; other objects unchanged.

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
        parsed = yaml_file.value(value)
    except (yaml.YAMLError, InputError):
        return value
    return value if isinstance(parsed, dict) and not value.lstrip().startswith("{") else parsed  # "see: page 3"
