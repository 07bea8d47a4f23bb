"""JSON Schemas of the descriptions, for editors that check and complete YAML.

``python -m hecn_analysis.hardware.schema`` writes ``models/*.schema.json`` from the models; a test keeps them in step.
A YAML file names its schema in its first line: ``# yaml-language-server: $schema=../host.schema.json``.

A schema is laxer than loading: a file may be `like` another one and omit its keys, and remove a key with ``null``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path as FilePath
from typing import Any

from hecn_analysis.base import places
from hecn_analysis.files import whole
from hecn_analysis.hardware.host import Host
from hecn_analysis.hardware.parts import KINDS
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.scenario import ROLES
from hecn_analysis.hardware.site import SiteFile
from hecn_analysis.hardware.tool import Tool

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PARTS = frozenset(model.__name__ for model in KINDS.values())
_LIKE = {"type": "string", "description": "entry that supplies all keys that this one omits"}
_NAME = {"type": "string", "description": "name of a part in models/parts"}


def schemas() -> dict[str, dict[str, Any]]:
    """Schema of each kind of file, by file name."""
    by_file = {f"{model.__name__.lower()}.schema.json": _described(model) for model in (Host, Path, Tool)}
    for kind, part in KINDS.items():
        schema = _described(part)
        definitions = schema.pop("$defs", {})
        definitions[part.__name__] = {key: value for key, value in schema.items() if key != "$schema"}
        by_file[f"parts.{kind}.schema.json"] = {
            "$schema": _DIALECT,
            "type": "object",
            "additionalProperties": {"$ref": f"#/$defs/{part.__name__}"},
            "$defs": definitions,
        }
    by_file["scenario.schema.json"] = _scenario()
    by_file["site.schema.json"] = _site()
    return by_file


def _described(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a pydantic model
    schema = {"$schema": _DIALECT, **model.model_json_schema()}
    for definition in (schema, *schema.get("$defs", {}).values()):
        if "properties" in definition:
            _loosen(definition)
    schema["properties"]["like"] = _LIKE
    return schema


def _loosen(definition: dict[str, Any]) -> None:
    """Allow omitted and removed keys, and names of parts."""
    definition.pop("required", None)
    definition.pop("title", None)
    for name, field in definition["properties"].items():
        kept = {key: field.pop(key) for key in ("description", "default") if key in field}
        field.pop("title", None)
        options = field["anyOf"] if set(field) == {"anyOf"} else [dict(field)]
        for option in options:
            if isinstance(option.get("additionalProperties"), dict):
                option["additionalProperties"] = {"anyOf": [option["additionalProperties"], {"type": "null"}]}
        if any(option.get("$ref", "").rpartition("/")[2] in _PARTS for option in options):
            options = [_NAME, *options]
        if {"type": "null"} not in options:
            options = [*options, {"type": "null"}]
        if name == "date":
            options = [{"type": ["string", "integer"]}]
        definition["properties"][name] = {**kept, "anyOf": options}


def _scenario() -> dict[str, Any]:
    words = {name: {"type": "string"} for name in ("name", "title", "source")}
    ends = {
        role: {"type": ["string", "object"], "description": f"entry of models/{folder}, a YAML file, or keys of one"}
        for role, folder in ROLES.items()
    }
    dotted = {f"^({'|'.join(ROLES)})\\.": {"description": "sets one key of that end"}}
    settings = {"type": "object", "patternProperties": dotted, "additionalProperties": False}
    return {
        "$schema": _DIALECT,
        "type": "object",
        "properties": {**words, **ends, "set": {**settings, "properties": ends}},
        "patternProperties": dotted,
        "additionalProperties": False,
    }


def _site() -> dict[str, Any]:
    """Schema of a site: that of its models, with the short forms that loading spells out."""
    schema = _described(SiteFile)
    del schema["properties"]["like"]
    dotted = {f"^({'|'.join(ROLES)})\\.": {"description": "sets one key of that end for all transfers"}}
    for definition in (schema, schema["$defs"]["Transfer"]):
        definition["patternProperties"] = dotted
    schema["properties"] |= {
        role: {"type": ["string", "object"], "description": f"{role} of the transfers that name none"} for role in ROLES
    }
    hosts = schema["properties"]["hosts"]["anyOf"][0]
    hosts["additionalProperties"]["anyOf"].insert(0, {"type": "string", "description": "entry of models/hosts"})
    return schema


def write(folder: FilePath) -> None:
    """Write all schemas into `folder`."""
    for name, schema in schemas().items():
        whole.write(folder / name, json.dumps(schema, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write(FilePath(sys.argv[1]) if len(sys.argv) > 1 else places.models_dir())
