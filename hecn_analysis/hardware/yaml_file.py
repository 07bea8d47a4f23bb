"""YAML with line numbers, and pydantic's findings turned into errors that name file, line and nearest key."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from hecn_analysis.errors import InputError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str, int | None]


class Document:
    """A YAML mapping as plain Python values, with the line on which each key stands.

    Attributes
    ----------
    source
        The file, or a few words saying where the mapping came from.
    values
        Nested dicts, lists and scalars.
    """

    def __init__(self, source: str, values: dict[str, Any], lines: dict[tuple[str, ...], int]) -> None:
        self.source = source
        self.values = values
        self._lines = lines

    def line(self, path: tuple[str, ...]) -> int | None:
        """Line of the key at `path`, or of its nearest parent that stands in the file."""
        for length in range(len(path), -1, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None


def load(path: Path) -> Document:
    """Read a YAML file whose top level is a mapping.

    Raises
    ------
    InputError
        The file cannot be read, is not YAML (with the line), holds a key twice or is not a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(error.strerror or "an unreadable file", "a readable YAML file", source=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} that is not UTF-8", "UTF-8 text", source=path) from None
    return parse(text, str(path))


def parse(text: str, source: str) -> Document:
    """Read YAML text whose top level is a mapping; see `load`."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            found = "an empty document" if node is None else f"a {node.id}"
            raise InputError(found, "a mapping of keys to values", source=source, line=1)
        lines: dict[tuple[str, ...], int] = {(): 1}
        _index(node, (), lines, source)
        values = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise InputError(error.problem or "text that is not YAML", "valid YAML", source=source, line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(str(error).splitlines()[0], "valid YAML", source=source) from None
    finally:
        loader.dispose()
    return Document(source, values, lines)


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


def validate(model: type[Model], values: Mapping[str, Any], place: typing.Callable[[tuple[str, ...]], Place]) -> Model:
    """Make `model` of `values`; `place` says where a key at a path was written (source, line).

    Raises
    ------
    InputError
        The first thing that pydantic finds wrong, in people's words.
    """
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        error = invalid.errors(include_url=False)[0]
    path = tuple(str(part) for part in error["loc"])
    source, line = place(path)
    key = ".".join(path)
    if error["type"] == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        advice = did_you_mean(path[-1], known)
        raise InputError(f"unknown key {key!r}", f"one of {', '.join(known)}", source=source, line=line, advice=advice)
    if error["type"] == "missing":
        raise InputError(f"no key {key!r}", "it to be there", source=source, line=line)
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "literal_error":
        found, expected = repr(error["input"]), error["ctx"]["expected"]
        raise InputError(
            f"{key}: {found}",
            expected,
            source=source,
            line=line,
            advice=did_you_mean(str(error["input"]), expected.replace("'", "").replace(" or ", ", ").split(", ")),
        )
    if message.startswith("found ") or ": found " in message:
        found, _, expected = message.partition(", expected ")
        found = found.rpartition("found ")[2]
        raise InputError(f"{key}: {found}", expected, source=source, line=line)
    raise InputError(f"{key}: {error['input']!r}", message[0].lower() + message[1:], source=source, line=line)


def _known_keys(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Names of the fields of the model at `path` below `model`."""
    current: Any = model
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            if part not in current.model_fields:
                return []
            current = _inner_model(current.model_fields[part].annotation)
    return list(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else []


def _inner_model(annotation: Any) -> Any:  # noqa: ANN401 - a type annotation
    """Return the pydantic model inside ``Model``, ``Model | None``, ``dict[str, Model]`` or ``list[Model]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_inner_model(argument) for argument in typing.get_args(annotation))
    return next((model for model in found if model is not None), None)
