"""JSON Schemas for editors: in step with the models, and every shipped file passes its own."""

import json
import re

import pydantic
import pytest
import yaml
from jsonschema import Draft202012Validator

from hecn_analysis.base import places
from hecn_analysis.hardware.schema import schemas

MODELS = places.models_dir()
SCHEMAS = schemas()
ROOT = MODELS.parent
FILES = sorted(
    path
    for kind in ("hosts", "parts", "paths", "scenarios", "sites", "tools")
    for path in (MODELS / kind).glob("*.yaml")
)


def plain(value):
    """What an editor sees: dates as the text that stands in the file."""
    return json.loads(json.dumps(value, default=str))


def faults(schema, text):
    return [error.message for error in Draft202012Validator(SCHEMAS[schema]).iter_errors(plain(yaml.safe_load(text)))]


@pytest.mark.skipif(
    f"\npydantic=={pydantic.VERSION} " not in (ROOT / "requirements.lock").read_text(encoding="utf-8"),
    reason="the wording of a schema is that of the locked pydantic",
)
@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_shipped_schema_is_what_the_models_say(name):
    """After a change of a model: python -m hecn_analysis.hardware.schema."""
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert json.loads((MODELS / name).read_text(encoding="utf-8")) == plain(SCHEMAS[name])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_file_names_its_schema_and_passes_it(path):
    text = path.read_text(encoding="utf-8")
    named = re.match(r"# yaml-language-server: \$schema=\.\./(\S+)\n", text)
    assert named, "first line names the schema"
    assert faults(named[1], text) == []


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("host.schema.json", "slotz: {}"),
        ("host.schema.json", "slots: {a: {gen: 2, lanes: 3}}"),
        ("host.schema.json", "cpu: {clokc: 3 GHz}"),
        ("host.schema.json", "arrays: {a: {level: 7, disks: 3}}"),
        ("host.schema.json", "read_rate: {value: 1 GB/s, basis: guessed}"),
        ("path.schema.json", "mtu: 100000"),
        ("tool.schema.json", "protocol: tpc"),
        ("parts.nics.schema.json", "x: {ports: 0}"),
        ("scenario.schema.json", "sendr: b"),
        ("scenario.schema.json", "sendr.cpu.clock: 3 GHz"),
    ],
)
def test_an_editor_marks_what_is_wrong(schema, text):
    assert faults(schema, text)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("host.schema.json", "like: b\narrays: null\ncpu: intel-i7-965"),
        ("host.schema.json", "slots: {a: {gen: 4, lanes: 16, nic: {part: mine, ports: 2}}}"),
        ("path.schema.json", "rate: 10 Gb/s\nrtt: {value: 80 ms, spread: 5 %, basis: assumed, source: here}"),
        ("scenario.schema.json", "sender: b\nreceiver: {like: c}\npath.rtt: 1 ms\nset: {tool.streams: 4}"),
    ],
)
def test_an_editor_lets_pass_what_loads(schema, text):
    assert faults(schema, text) == []
