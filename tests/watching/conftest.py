"""What tests of the watch share: an archive, and sources that are asked again at once."""

import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching import web


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No pause between two tries."""
    monkeypatch.setattr(web, "_PAUSES", (0.0, 0.0))


@pytest.fixture
def archive(tmp_path):
    """An archive that does not exist yet."""
    return Archive(tmp_path / "archive")
