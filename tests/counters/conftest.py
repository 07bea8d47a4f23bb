"""The recordings of data/counters, and what is read of a text."""

from pathlib import Path

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.counters import read_counters
from tests.samples import parametrized

HERE = Path(__file__).parent / "samples"
SAMPLES = sorted(path for path in (*HERE.glob("*/*"), *data_dir().glob("counters/samples/**/*")) if path.is_file())


def pytest_generate_tests(metafunc):
    """Every sample, ours and the recorded ones, for tests that ask for one."""
    if "sample" in metafunc.fixturenames:
        metafunc.parametrize("sample", parametrized(SAMPLES))


@pytest.fixture(scope="session")
def samples():
    """Folder of the samples of these tests."""
    return HERE


@pytest.fixture(scope="session")
def recorded():
    """Folder of what other programs print of a switch, in a checkout only."""
    return data_dir() / "counters" / "samples"


@pytest.fixture
def counters_of(tmp_path):
    """What is read of a file with the given text or bytes."""

    def counters(content, name="a.txt", **options):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_counters(path, **options)

    return counters


@pytest.fixture
def said():
    """Problems as lines: "line: kind: message"; no line where it is the whole file's."""

    def lines(counters):
        return [
            f"{row.line}: {row.kind}: {row.message}" if row.line is not None else f"{row.kind}: {row.message}"
            for row in counters.problems.astype(object).where(counters.problems.notna(), None).itertuples()
        ]

    return lines
