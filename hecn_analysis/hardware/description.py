"""Descriptions before validation: nested values that remember in which file and line each key was written.

A description is put together from layers (a host that is `like` another, the parts it names, the settings of a
scenario); each later layer wins, a ``null`` takes a key away.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from hecn_analysis.errors import InputError, did_you_mean
from hecn_analysis.hardware import yaml_file

#: How many names an error lists before it keeps to the nearest.
ALL_NAMED = 12

#: What a part says of itself alone: one that is `like` it does not take these over.
PRODUCT = ("title", "source", "date", "year", "price", "power")

KeyPath = tuple[str, ...]
Place = tuple[str | None, int | None]


class Description:
    """Nested values and the place of each key.

    Parameters
    ----------
    values
        Nested dicts, lists and scalars.
    places
        Source and line of the keys that have one; a key without takes its nearest parent's.
    """

    def __init__(self, values: dict[str, Any], places: dict[KeyPath, Place]) -> None:
        self.values = values
        self.places = places

    @classmethod
    def of_document(cls, document: yaml_file.Document, *entry: str) -> Description:
        """All of a YAML file, or what stands in it at `entry`."""
        if entry not in document.places:
            places: dict[KeyPath, Place] = {}
            _collect(document, _at(document.values, entry), entry, places, len(entry))
            document.places[entry] = places
        return cls(_copied(_at(document.values, entry)), dict(document.places[entry]))

    def copy(self) -> Description:
        """Return a copy that can be changed alone."""
        return Description(_copied(self.values), dict(self.places))

    def place(self, path: KeyPath) -> Place:
        """Where the key at `path`, or its nearest parent, was written."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return (None, None)

    def at(self, path: KeyPath) -> Any:  # noqa: ANN401 - whatever a YAML file holds
        """Value at `path`, or None."""
        current: Any = self.values
        for key in path:
            if not isinstance(current, dict) or key not in current:
                return None
            current = current[key]
        return current

    def put(self, path: KeyPath, value: Any, place: Place) -> None:  # noqa: ANN401
        """Set the value at `path`; None takes the key away."""
        current = self.values
        for key in path[:-1]:
            below = current.setdefault(key, {})
            if not isinstance(below, dict):
                below = current[key] = {"part": below} if isinstance(below, str) else {}
            current = below
        if isinstance(current.get(path[-1]), dict | list):
            size = len(path)
            self.places = {
                known: where
                for known, where in self.places.items()
                if len(known) < size or known[size - 1] != path[-1] or known[:size] != path
            }
        else:
            self.places.pop(path, None)
        if value is None:
            current.pop(path[-1], None)
        else:
            current[path[-1]] = _copied(value)
            self.places[path] = place

    def below(self, path: KeyPath) -> Description:
        """Return what stands at `path`, as a description of its own."""
        size = len(path)
        places = {
            known[size:]: where
            for known, where in self.places.items()
            if len(known) >= size and known[size - 1] == path[-1] and known[:size] == path
        }
        return Description(_copied(self.at(path)), places)

    def graft(self, path: KeyPath, part: Description) -> None:
        """Put `part` at `path` in place of what is there."""
        self.put(path, part.values, part.place(()))
        self.places.update({(*path, *known): where for known, where in part.places.items()})

    def overlay(self, upper: Description) -> Description:
        """Return this description with `upper` laid over it: mappings are merged, all else is replaced."""
        result = self.copy()
        result.lay(upper, upper.values, ())
        result.places.update(
            {path: place for path, place in upper.places.items() if path == () or result.at(path) is not None}
        )
        return result

    def lay(self, upper: Description, values: Mapping[str, Any], path: KeyPath) -> None:
        """Lay the part `values` of `upper`, which stands at `path`, over this description."""
        for key, value in values.items():
            here = (*path, str(key))
            if isinstance(value, dict) and isinstance(self.at(here), dict):
                self.lay(upper, value, here)
            else:
                self.put(here, value, upper.place(here))


def _at(values: Any, path: KeyPath) -> Any:  # noqa: ANN401 - whatever a YAML file holds
    for key in path:
        values = values[key]
    return values


def _copied(value: Any) -> Any:  # noqa: ANN401 - whatever a YAML file holds
    """Copy of nested dicts and lists; what they hold cannot change."""
    if isinstance(value, dict):
        return {key: _copied(below) for key, below in value.items()}
    return [_copied(below) for below in value] if isinstance(value, list) else value


def _collect(
    document: yaml_file.Document,
    value: Any,  # noqa: ANN401
    path: KeyPath,
    places: dict[KeyPath, Place],
    above: int,
) -> None:
    places[path[above:]] = (document.source, document.line(path))
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        _collect(document, below, (*path, str(key)), places, above)


def _part_fields(host: Description) -> list[tuple[KeyPath, str]]:
    """Where a host names parts, and in which file of ``parts`` they are."""
    fields: list[tuple[KeyPath, str]] = [(("cpu",), "cpus"), (("board",), "boards")]
    fields += [(("slots", slot, card), f"{card}s") for slot in _keys(host, "slots") for card in ("nic", "controller")]
    fields += [(("arrays", array, "disk"), "disks") for array in _keys(host, "arrays")]
    return fields


def _keys(host: Description, field: str) -> list[str]:
    below = host.at((field,))
    return list(below) if isinstance(below, dict) else []


def one_of(known: Collection[str], word: str = "", *, where: str) -> str:
    """Words for what a name may be: all that are known or, of many, those nearest to the word that was written.

    Parameters
    ----------
    known
        All that it may be.
    word
        What was written; empty where nothing was.
    where
        Where all of them stand.

    Returns
    -------
    str
        The words.

    Examples
    --------
    >>> one_of(["b", "c"], "bb", where="models/hosts")
    'one of b, c'
    >>> one_of([f"nic{number}" for number in range(100)], "nic99x", where="models/parts/nics.yaml")
    'one of nic99, nic9, nic98, nic97, nic96, nic95, nic94, nic93, … (100 in models/parts/nics.yaml)'
    """
    if len(known) <= ALL_NAMED:
        return f"one of {', '.join(known)}"
    near = difflib.get_close_matches(word, known, n=8, cutoff=0.0) if word else list(known)[:8]
    return f"one of {', '.join(near)}, … ({len(known)} in {where})"


def _fill_in_board_slots(host: Description) -> None:
    """Lay what a slot says itself over the slot of the board that it is ``at``."""
    known = host.at(("board", "slots"))
    for name in _keys(host, "slots"):
        at = host.at(("slots", name, "at"))
        if not isinstance(at, str) or not isinstance(known, dict):
            continue
        if at not in known:
            source, line = host.place(("slots", name, "at"))
            raise InputError(
                f"slot {name!r} at {at!r} of the board",
                f"one of {', '.join(known) or 'none, the board has no slots'}",
                source=source,
                line=line,
                advice=did_you_mean(at, known),
            )
        if not isinstance(known[at], dict):
            continue  # validation says what is wrong with it
        path = ("slots", name)
        host.graft(path, host.below(("board", "slots", at)).overlay(host.below(path)))


def _spell_out_parts(host: Description) -> None:
    """Turn ``cpu: name`` into ``cpu: {part: name}``, so that a layer above can change single fields of it."""
    for path, _ in _part_fields(host):
        if isinstance(host.at(path), str):
            host.put(path, {"part": host.at(path)}, host.place(path))


class Library:
    """The descriptions in a folder like ``models/``: hosts, paths and tools one a file, parts one file a kind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self, kind: str) -> list[str]:
        """Names of all descriptions of a kind (hosts, paths, tools, scenarios), sorted."""
        folder = self.folder / kind
        found = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - a third of the time of its iterdir
        return sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml"))

    def entry(self, kind: str, name: str, *, asked_by: Place | None = None, above: tuple[str, ...] = ()) -> Description:
        """Description of that name, with what it is `like` and its parts filled in later by `with_parts`.

        A name that ends in ``.yaml`` is a file of the caller's own. `above` are the entries that are like this one.

        Raises
        ------
        InputError
            There is none of that name; the nearest is named.
        """
        if name.endswith((".yaml", ".yml")):
            path = Path(name)
        else:
            path = self.folder / kind / f"{name}.yaml"
            known = self.names(kind)
            if name not in known:
                source, line = asked_by or (None, None)
                raise InputError(
                    f"{kind.removesuffix('s')} {name!r}",
                    one_of(known, name, where=f"models/{kind}"),
                    source=source,
                    line=line,
                    advice=did_you_mean(name, known),
                )
        description = Description.of_document(yaml_file.load(path))
        if kind == "hosts":
            _spell_out_parts(description)
        like = description.values.pop("like", None)
        if like is None:
            return description
        chain = (*above, name)
        if like in chain:
            line = description.place(("like",))[1]
            raise InputError(f"{like!r} that is like itself", "an end of the chain", source=path, line=line)
        base = self.entry(kind, str(like), asked_by=description.place(("like",)), above=chain)
        return base.overlay(description)

    def part(self, kind: str, name: str, place: Place, *, above: tuple[str, ...] = ()) -> Description:
        """Description of a part, with what it is `like` filled in.

        Parameters
        ----------
        kind
            File in ``parts``: boards, controllers, cpus, disks, nics, optics or switches.
        name
            Entry of that file.
        place
            Where the name was written.
        above
            Entries that are like this one.
        """
        document = self._part_file(kind)
        known = document.values
        if name not in known:
            raise InputError(
                f"part {name!r}",
                one_of(known, name, where=f"models/parts/{kind}.yaml"),
                source=place[0],
                line=place[1],
                advice=did_you_mean(name, known),
            )
        entry = Description.of_document(document, name)
        like = entry.values.pop("like", None) if isinstance(entry.values, dict) else None
        if like is None:
            return entry
        if like == name or like in above:
            source, line = entry.place(("like",))
            raise InputError(f"{like!r} that is like itself", "an end of the chain", source=source, line=line)
        base = self.part(kind, str(like), entry.place(("like",)), above=(*above, name))
        for field in PRODUCT:
            base.put((field,), None, (None, None))
        return base.overlay(entry)

    def part_names(self, kind: str) -> list[str]:
        """Names of all parts of a kind (cpus, nics, …), in the order of their file."""
        return list(self._part_file(kind).values)

    def _part_file(self, kind: str) -> yaml_file.Document:
        return yaml_file.load(self.folder / "parts" / f"{kind}.yaml")

    def with_parts(self, host: Description) -> Description:
        """Fill in the parts that a host names.

        They are ``cpu``, ``board``, ``slots.*.nic``, ``slots.*.controller`` and ``arrays.*.disk``; a slot that is
        ``at`` a slot of the board has that one's generation, lanes and place.
        """
        _spell_out_parts(host)
        for path, kind in _part_fields(host):
            named = host.at(path)
            name = named.get("part") if isinstance(named, dict) else None
            if not isinstance(name, str):
                continue
            part = self.part(kind, name, host.place(path))
            part.put(("part",), name, host.place(path))
            host.graft(path, part if list(named) == ["part"] else part.overlay(host.below(path)))
        _fill_in_board_slots(host)
        return host
