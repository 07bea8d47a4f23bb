"""YAML with line numbers, and pydantic's errors turned into messages with file, line and nearest key."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from hecn_analysis.base.errors import InputError, did_you_mean

#: Expected values in our words, by the type of pydantic's error.
_EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a mapping of keys to values",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "a mapping of keys to values",
    "string_type": "text",
}

#: Deeper nesting would exhaust the stack; more values come only from aliases that repeat each other.
_DEEPEST: Final = 50
_MOST_NODES: Final = 1_000_000

#: Longer numbers are not quantities: some cannot be printed or converted to float, some take minutes to parse.
_LONGEST_NUMBER: Final = 100
_NUMBERS: Final = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}

#: libyaml's parser, ten times faster, if PyYAML was built with it.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str | None, int | None]


class Document:
    """A YAML mapping as plain Python values, with the line of each key; `source` is the file or the origin in words."""

    def __init__(self, source: str, values: dict[str, Any], lines: dict[tuple[str, ...], int]) -> None:
        self.source = source
        self.values = values
        self._lines = lines

    def with_values(self, values: Mapping[str, Any]) -> Document:
        """The same document with some keys of its top level replaced.

        Parameters
        ----------
        values
            The new values by key.

        Returns
        -------
        Document
            A new document.

        Examples
        --------
        >>> parse("sender: here", "a.yaml").with_values({"sender": "there"}).values
        {'sender': 'there'}
        """
        return Document(self.source, {**self.values, **values}, self._lines)

    def line(self, path: tuple[str, ...]) -> int | None:
        """Line of the key at `path`, or of its nearest parent in the file.

        Parameters
        ----------
        path
            The keys that lead to it.

        Returns
        -------
        int or None
            The line, from 1; None if the file has none of them.

        Examples
        --------
        >>> parse("cpu: {cores: 4}", "host.yaml").line(("cpu", "cores", "first"))
        1
        """
        for length in range(len(path), -1, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None


def load(path: Path) -> Document:
    """Read a YAML file whose top level is a mapping.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Document
        Its values, each with its line.

    Raises
    ------
    InputError
        The file cannot be read, is not YAML (with the line), repeats a key or is not a mapping.

    Examples
    --------
    >>> from hecn_analysis.base.places import models_dir
    >>> load(models_dir() / "scenarios" / "c-two-copies.yaml").values["sender"]
    'c'
    """
    try:
        changed = path.stat().st_mtime_ns
        return _load(path, changed)
    except OSError as error:
        raise InputError(error.strerror or "an unreadable file", "a readable YAML file", source=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} that is not UTF-8", "UTF-8 text", source=path) from None


@lru_cache(maxsize=256)
def _load(path: Path, changed: int) -> Document:  # noqa: ARG001 - a changed file is not taken from the cache
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, source: str) -> Document:
    """Read YAML text whose top level is a mapping; see `load`.

    Parameters
    ----------
    text, source
        The text, and its name in errors.

    Returns
    -------
    Document
        Its values, each with its line.

    Examples
    --------
    >>> parse("{title: a host, cpu: {cores: 4}}", "host.yaml").line(("cpu", "cores"))
    1
    """
    loader = _Loader(text)
    try:
        node = _node(loader, text, source)
        if not isinstance(node, yaml.MappingNode):
            found = "an empty document" if node is None else f"a {type(node).__name__.removesuffix('Node').lower()}"
            raise InputError(found, "a mapping of keys to values", source=source, line=1)
        lines: dict[tuple[str, ...], int] = {(): 1}
        _index(node, (), lines, source)
        values = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        found = (error.problem or "text that is not YAML").removeprefix("found ")
        raise InputError(found, "valid YAML", source=source, line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(str(error).splitlines()[0], "valid YAML", source=source) from None
    finally:
        loader.dispose()
    return Document(source, values, lines)


def value(text: str) -> Any:  # noqa: ANN401 - any value of YAML
    """Value of a piece of YAML such as ``8``, ``true`` or ``[1, 3]``."""
    loader = _Loader(text)
    try:
        node = _node(loader, text, None)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _node(loader: Any, text: str, source: str | None) -> yaml.Node | None:  # noqa: ANN401 - one of two classes
    """Root node of a document, None if it is empty; too deep or too large documents are refused before building."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                line = None if event.start_mark is None else event.start_mark.line + 1
                raise InputError(f"more than {_DEEPEST} levels", "a description", source=source, line=line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    node: yaml.Node | None = loader.get_single_node()
    if _size(node, {}, source) > _MOST_NODES:
        raise InputError("aliases that repeat each other", f"at most {_MOST_NODES} values", source=source)
    return node


def _size(node: yaml.Node | None, known: dict[int, int], source: str | None) -> int:
    """Number of values of a node, aliases expanded; a node that contains itself counts as too many."""
    if not isinstance(node, yaml.CollectionNode):
        if node is not None and node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
            line = None if node.start_mark is None else node.start_mark.line + 1
            found, expected = f"a number of {len(node.value)} characters", f"one of at most {_LONGEST_NUMBER}"
            raise InputError(found, expected, source=source, line=line)
        return 1
    if id(node) not in known:
        known[id(node)] = _MOST_NODES + 1
        pairs = isinstance(node, yaml.MappingNode)
        known[id(node)] = 1 + sum(
            _size(part, known, source) for item in node.value for part in (item if pairs else (item,))
        )
    return known[id(node)]


def _index(node: yaml.Node, path: tuple[str, ...], lines: dict[tuple[str, ...], int], source: str) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            line = key.start_mark.line + 1
            if here in lines:
                raise InputError(
                    f"key {key.value!r} twice", f"it once (first on line {lines[here]})", source=source, line=line
                )
            lines[here] = line
            _index(value, here, lines, source)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            lines[*path, str(number)] = value.start_mark.line + 1
            _index(value, (*path, str(number)), lines, source)


def validate(
    model: type[Model],
    values: Mapping[str, Any],
    place: typing.Callable[[tuple[str, ...]], Place],
    *,
    prefix: tuple[str, ...] = (),
) -> Model:
    """Validate `values` as a `model`.

    Parameters
    ----------
    model, values
        The model, and values by key.
    place, prefix
        Function that returns source and line of the key at a path, and keys above `values` in the file, for errors.

    Returns
    -------
    model
        The validated object.

    Raises
    ------
    InputError
        The first error of pydantic, in our words.

    Examples
    --------
    >>> class Link(BaseModel):
    ...     lanes: int
    >>> validate(Link, {"lanes": "x"}, lambda path: ("link.yaml", 3))
    Traceback (most recent call last):
        ...
    hecn_analysis.base.errors.InputError: link.yaml:3: found lanes: 'x', expected a whole number
    """
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
    # A misspelt key causes two errors, unknown and missing: report the unknown one.
    error = next((item for item in errors if item["type"] == "extra_forbidden"), errors[0])
    path = tuple(str(part) for part in error["loc"])
    source, line = place(path)
    key = ".".join((*prefix, *path))
    if error["type"] == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        advice = did_you_mean(path[-1], known)
        raise InputError(f"unknown key {key!r}", f"one of {', '.join(known)}", source=source, line=line, advice=advice)
    if error["type"] == "missing":
        raise InputError(f"no key {key!r}", "a value for it", source=source, line=line)
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] in _EXPECTED:
        expected = _EXPECTED[error["type"]].format(**error.get("ctx", {}))
        near = (
            did_you_mean(error["input"], re.findall(r"'([^']*)'", expected))
            if isinstance(error["input"], str)
            else None
        )
        if error["type"] == "dict_type" and isinstance(error["input"], list):
            near = f"give each entry a name: {key}: {{NAME: …}}"
        raise InputError(f"{key}: {error['input']!r}", expected, source=source, line=line, advice=near)
    if message.startswith("found ") or ": found " in message:
        found, _, expected = message.partition(", expected ")
        found = found.rpartition("found ")[2]
        raise InputError(f"{key}: {found}" if key else found, expected, source=source, line=line)
    raise InputError(f"{key}: {error['input']!r}", message[0].lower() + message[1:], source=source, line=line)


def field_at(model: type[BaseModel], path: Sequence[str]) -> FieldInfo | None:
    """Field of a model, or of a model below it, at a path of keys; None if no key names one."""
    current: Any = model
    field: FieldInfo | None = None
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            if part not in current.model_fields:
                continue  # a key of a dict, or the number of an item
            field = current.model_fields[part]
            current = _inner_model(field.annotation)
    return field


def _known_keys(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Names of the fields of the model at `path` below `model`."""
    field = field_at(model, path)
    current = model if field is None else _inner_model(field.annotation)
    return [] if current is None else list(current.model_fields)


def _inner_model(annotation: Any) -> Any:  # noqa: ANN401 - a type annotation
    """Pydantic model inside ``Model``, ``Model | None``, ``dict[str, Model]`` or ``list[Model]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    models = (_inner_model(argument) for argument in typing.get_args(annotation))
    return next((model for model in models if model is not None), None)


def entries(model: type[Model], path: Path) -> dict[str, Model]:
    """Validate each entry of a file as a `model`.

    Parameters
    ----------
    model, path
        The model of the entries, and the file, a mapping of names to entries.

    Returns
    -------
    dict
        The entries by name, in the order of the file.

    Raises
    ------
    InputError
        The first fault, with file and line.

    Examples
    --------
    >>> from hecn_analysis.base.places import models_dir
    >>> from hecn_analysis.statements.cues import Cue
    >>> entries(Cue, models_dir() / "cues.yaml")["tx-hang"].odds
    {'nic': 80.0, 'offload': 40.0}
    """
    document = load(path)

    def entry(name: str) -> Model:
        def place(keys: tuple[str, ...]) -> Place:
            return document.source, document.line((name, *keys))

        return validate(model, document.values[name], place, prefix=(name,))

    return {name: entry(name) for name in document.values}
