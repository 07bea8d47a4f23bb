"""What every reader keeps to, on all samples."""

import json

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.files.documents import documents
from hecn_analysis.inventory import outputs, read_inventory, registry
from hecn_analysis.parsing.cleaning import Text

FORMATS = {name for reader in registry.READERS for name in reader.FORMATS}


@pytest.fixture(scope="module")
def folders(samples):
    return [data_dir() / "inventory", samples / "server"]


def test_formats_are_named_once():
    names = [name for reader in registry.READERS for name in reader.FORMATS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("reader", registry.READERS, ids=lambda reader: reader.__name__.rpartition(".")[2])
def test_a_reader_says_what_it_is(reader):
    assert reader.VERSIONS
    assert reader.__doc__
    assert reader.BEGINS is None or "(?P<" not in reader.BEGINS.pattern


def test_one_reader_knows_each_output(samples):
    for document in documents([data_dir() / "inventory", samples]):
        for output, _ in outputs.outputs(document.source_file, Text.of(document.lines), registry.READERS):
            knowing = [reader.__name__ for reader in registry.READERS if reader.recognises(output)]
            assert len(knowing) == 1, (document.source_file, output.first, knowing)


def test_no_reader_knows_a_log():
    known = [
        one.source_file for one in documents([data_dir() / "logs", data_dir() / "samples"]) if registry.recognises(one)
    ]
    assert [path for path in known if "/tc/" not in path] == []  # what tc counts says something of both


def test_facts_are_json(folders):
    inventory = read_inventory(folders)
    assert inventory.problems.empty, inventory.problems.to_dict("records")
    json.dumps([*inventory.sources, *(host.facts for host in inventory.hosts)], allow_nan=False)
    assert {one["format"] for one in inventory.sources} <= FORMATS
