"""Descriptions before validation: nested values with the place of each key, in layers that override each other."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.hardware import yaml_file

#: Parts that complete a processor of which only clock or cores are known: since 2007, and before.
GENERIC_CPU: Final = "generic-server-cpu"
OLD_CPU: Final = "intel-xeon-2.4-2003"
_LATER: Final = 2007

#: Keys of one product: a part that is `like` another does not inherit them.
PRODUCT = ("title", "source", "date", "year", "price", "power")

KeyPath = tuple[str, ...]
Place = tuple[str | None, int | None]


class Places(NamedTuple):
    """Place of a value and of the values inside it; a value without a place has that of its parent."""

    here: Place | None = None
    below: Mapping[str, Places] = {}

    def put(self, path: KeyPath, places: Places | None) -> Places:
        """Return a copy with `places` at `path`, or with nothing there."""
        key, rest = path[0], path[1:]
        below = dict(self.below)
        if rest:
            below[key] = below.get(key, NOWHERE).put(rest, places)
        elif places is None:
            below.pop(key, None)
        else:
            below[key] = places
        return Places(self.here, below)


NOWHERE: Final = Places()


class Description:
    """Nested values, and the source and line of each key; a key without one has its nearest parent's.

    Mappings are never changed in place: setting a key copies the mappings that lead to it. All others are shared.
    """

    def __init__(self, values: dict[str, Any], places: Places = NOWHERE) -> None:
        self.values = values
        self.places = places

    @classmethod
    def of_document(cls, document: yaml_file.Document, *entry: str) -> Description:
        """Whole content of a YAML file, or its part at `entry`."""
        return cls(_at(document.values, entry), _places(document, entry))

    def place(self, path: KeyPath) -> Place:
        """Place of the key at `path`, or of its nearest parent."""
        places, place = self.places, self.places.here
        for key in path:
            places = places.below.get(key, NOWHERE)
            place = places.here or place
        return place or (None, None)

    def at(self, path: KeyPath) -> Any:  # noqa: ANN401 - any value of a YAML file
        """Value at `path`, or None."""
        current: Any = self.values
        for key in path:
            if not isinstance(current, dict) or key not in current:
                return None
            current = current[key]
        return current

    def put(self, path: KeyPath, value: Any, place: Place) -> None:  # noqa: ANN401
        """Set the value at `path`; None removes the key."""
        self.values = _with(self.values, path, value)
        self.places = self.places.put(path, None if value is None else Places(place))

    def below(self, path: KeyPath) -> Description:
        """Part at `path`, as a description of its own."""
        places = self.places
        for key in path:
            places = places.below.get(key, NOWHERE)
        return Description(self.at(path), places)

    def graft(self, path: KeyPath, part: Description) -> None:
        """Replace the value at `path` by `part`."""
        self.values = _with(self.values, path, part.values)
        self.places = self.places.put(path, Places(part.place(()), part.places.below))

    def overlay(self, upper: Description) -> Description:
        """Merge an `upper` description that overrides this one: mappings are merged, other values replaced."""
        return Description(*_overlaid(self.values, self.places, upper.values, upper.places, upper.place(())))


def _at(values: Any, path: KeyPath) -> Any:  # noqa: ANN401 - any value of a YAML file
    for key in path:
        values = values[key]
    return values


def _with(values: dict[str, Any], path: KeyPath, value: Any) -> dict[str, Any]:  # noqa: ANN401 - what a YAML file holds
    """Copy of `values` with another value at `path`; None removes the key."""
    key, rest = path[0], path[1:]
    copy = dict(values)
    if rest:
        below = copy.get(key, {})
        if not isinstance(below, dict):
            below = {"part": below} if isinstance(below, str) else {}
        copy[key] = _with(below, rest, value)
    elif value is None:
        copy.pop(key, None)
    else:
        copy[key] = value
    return copy


def _overlaid(
    lower: dict[str, Any], lower_places: Places, upper: dict[str, Any], upper_places: Places, above: Place
) -> tuple[dict[str, Any], Places]:
    """Values of `lower` overridden by those of `upper`; `above` is the place of those without one."""
    values, below = dict(lower), dict(lower_places.below)
    for written, value in upper.items():
        key = str(written)
        places = upper_places.below.get(key, NOWHERE)
        here = places.here or above
        if value is None:
            values.pop(key, None)
            below.pop(key, None)
        elif isinstance(value, dict) and isinstance(values.get(key), dict):
            values[key], below[key] = _overlaid(values[key], below.get(key, NOWHERE), value, places, here)
        else:
            values[key], below[key] = value, Places(here, places.below)
    return values, Places(upper_places.here or lower_places.here, below)


@lru_cache(maxsize=1024)
def _places(document: yaml_file.Document, entry: KeyPath) -> Places:
    """Places of all values of a file at `entry`."""
    return _collected(document, _at(document.values, entry), entry)


def _collected(document: yaml_file.Document, value: Any, path: KeyPath) -> Places:  # noqa: ANN401 - see `_at`
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = {str(key): _collected(document, item, (*path, str(key))) for key, item in items}
    return Places((document.source, document.line(path)), below)


def _part_fields(host: Description) -> list[tuple[KeyPath, str]]:
    """Keys of a host that name parts, each with its file of ``parts``."""
    fields: list[tuple[KeyPath, str]] = [(("cpu",), "cpus"), (("board",), "boards")]
    fields += [(("slots", slot, card), f"{card}s") for slot in _keys(host, "slots") for card in ("nic", "controller")]
    fields += [(("arrays", array, "disk"), "disks") for array in _keys(host, "arrays")]
    return fields


def _keys(host: Description, field: str) -> list[str]:
    below = host.at((field,))
    return list(below) if isinstance(below, dict) else []


def _fill_in_board_slots(host: Description) -> None:
    """Complete each slot from the board's slot that it is ``at``."""
    known = host.at(("board", "slots"))
    for name in _keys(host, "slots"):
        at = host.at(("slots", name, "at"))
        if not isinstance(at, str) or not isinstance(known, dict):
            continue
        if at not in known:
            source, line = host.place(("slots", name, "at"))
            raise unknown_name(f"slot {name!r} at the board's slot", at, known, source=source, line=line)
        if not isinstance(known[at], dict):
            continue  # validation reports the fault
        path = ("slots", name)
        host.graft(path, host.below(("board", "slots", at)).overlay(host.below(path)))


def _spell_out_parts(host: Description) -> None:
    """Turn ``cpu: name`` into ``cpu: {part: name}``, so that a layer above can change single fields of it."""
    for path, _ in _part_fields(host):
        if isinstance(host.at(path), str):
            host.put(path, {"part": host.at(path)}, host.place(path))


class Library:
    """Descriptions in a folder like ``models/``: a file per host, path and tool, and a file per kind of part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self, kind: str) -> list[str]:
        """Names of all descriptions of a kind (hosts, paths, tools, scenarios), sorted."""
        folder = self.folder / kind
        files = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - three times as fast as iterdir
        return sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml"))

    def entry(self, kind: str, name: str, *, asked_by: Place | None = None, above: tuple[str, ...] = ()) -> Description:
        """Return the description of that name, completed from the entry it is `like`; an error suggests the nearest."""
        if name.endswith((".yaml", ".yml")):
            path = Path(name)
        else:
            path = self.folder / kind / f"{name}.yaml"
            known = self.names(kind)
            if name not in known:
                source, line = asked_by or (None, None)
                raise unknown_name(
                    kind.removesuffix("s"), name, known, where=f"models/{kind}", source=source, line=line
                )
        description = Description.of_document(yaml_file.load(path))
        if kind == "hosts":
            _spell_out_parts(description)
        like, written = description.at(("like",)), description.place(("like",))
        description.put(("like",), None, written)
        if like is None:
            return description
        chain = (*above, name)
        if like in chain:
            raise InputError(
                f"{like!r} whose 'like' leads back to itself",
                "a chain of 'like' that ends",
                source=path,
                line=written[1],
            )
        return self.entry(kind, str(like), asked_by=written, above=chain).overlay(description)

    def part(self, kind: str, name: str, place: Place, *, above: tuple[str, ...] = ()) -> Description:
        """Return the description of a part, completed from the part it is `like`; `above` are those like it."""
        document = self._part_file(kind)
        known = document.values
        if name not in known:
            where = f"models/parts/{kind}.yaml"
            raise unknown_name("part", name, known, where=where, source=place[0], line=place[1])
        entry = Description.of_document(document, name)
        like, written = entry.at(("like",)), entry.place(("like",))
        if isinstance(entry.values, dict):
            entry.put(("like",), None, written)
        if like is None:
            return entry
        if like == name or like in above:
            source, line = written
            raise InputError(
                f"{like!r} whose 'like' leads back to itself", "a chain of 'like' that ends", source=source, line=line
            )
        base = self.part(kind, str(like), written, above=(*above, name))
        for field in PRODUCT:
            base.put((field,), None, (None, None))
        return base.overlay(entry)

    def part_names(self, kind: str) -> list[str]:
        """Names of all parts of a kind (cpus, nics, …), in the order of their file."""
        return list(self._part_file(kind).values)

    def _part_file(self, kind: str) -> yaml_file.Document:
        return yaml_file.load(self.folder / "parts" / f"{kind}.yaml")

    def _unmeasured(self, host: Description) -> str | None:
        """Part that stands for a processor of which a description gives neither a part nor costs."""
        named, year = host.at(("cpu",)), host.at(("year",))
        if not isinstance(named, dict) or "send_cost" in named or "receive_cost" in named:
            return None
        name = OLD_CPU if isinstance(year, int) and year < _LATER else GENERIC_CPU
        return name if name in self.part_names("cpus") else None

    def with_parts(self, host: Description) -> Description:
        """Fill in the parts that a host names.

        A slot that is ``at`` a slot of the board has the board slot's generation, lanes and node. A processor with
        neither part nor costs, only a clock or cores, is completed from the part of processors of its time.
        """
        _spell_out_parts(host)
        for path, kind in _part_fields(host):
            named = host.at(path)
            name = named.get("part") if isinstance(named, dict) else None
            stands_in = self._unmeasured(host) if kind == "cpus" and name is None else None
            name = name or stands_in
            if not isinstance(name, str):
                continue
            part = self.part(kind, name, host.place(path))
            if stands_in and "cores" in named:
                part.values.pop("cores_per_socket", None)  # the host's own number counts
            part.put(("part",), name, host.place(path))
            host.graft(path, part if list(named) == ["part"] else part.overlay(host.below(path)))
        _fill_in_board_slots(host)
        return host
