"""Samples of captured outputs, and what readers make of them."""

from pathlib import Path

import pytest

from hecn_analysis.files.documents import Document, documents
from hecn_analysis.inventory import read_inventory, registry

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def facts():
    """Facts of the only output of a sample: ``facts("mdstat/none.txt")``; of a text with ``text=True``."""

    def read(sample, *, text=False, problems=None):
        document = Document("sample", sample.encode()) if text else next(documents(SAMPLES / sample))
        found = registry.read(document)
        said = [f"{row['line']}: {row['kind']}: {row['message']}" for row in found.problems]
        assert said == (problems or [])
        [one] = found.captured
        return {"format": one.facts.format, **one.facts.values}

    return read


@pytest.fixture(scope="session")
def samples():
    """The folder of samples."""
    return SAMPLES


@pytest.fixture(scope="session")
def inventory_corpus(corpus):
    """Recorded outputs of other people's hosts."""
    return corpus / "inventory"


@pytest.fixture
def captured(tmp_path):
    """Read texts as the files of a folder: name to text."""

    def read(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.txt").write_text(text)
        return read_inventory(tmp_path)

    return read
