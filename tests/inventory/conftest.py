"""Samples of captured outputs, and what is made of them."""

from pathlib import Path

import pytest

from hecn_analysis.files.documents import Document, documents
from hecn_analysis.inventory import read_inventory, registry

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="session")
def samples():
    """Folder of the samples."""
    return SAMPLES


@pytest.fixture(scope="session")
def inventory_corpus(corpus):
    """Folder of other people's captures with their manifest."""
    folder = corpus / "inventory" if (corpus / "inventory").is_dir() else corpus
    if not (folder / "manifest.csv").is_file():
        pytest.skip("HECN_CORPUS holds no captures of hosts")
    return folder


@pytest.fixture
def captured(tmp_path):
    """Inventory of a folder with these texts as its files: ``captured(lscpu="CPU(s): 4 …")``."""

    def read(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.txt").write_text(text)
        return read_inventory(tmp_path)

    return read


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
