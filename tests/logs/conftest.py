"""The sample logs, and a reading of a text."""

import sys
from pathlib import Path

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read

HERE = Path(__file__).parent / "samples"


def _samples():
    """Those of the tests, the documents', and of those recorded one for each session, whatever the version."""
    written = [*HERE.glob("*/*.txt"), *data_dir().glob("logs/*.txt")]
    recorded = {
        (path.parent, path.name.rpartition("-")[0]): path for path in sorted(data_dir().glob("samples/*/*.txt"))
    }
    return sorted(written) + sorted(recorded.values())


SAMPLES = _samples()


def pytest_generate_tests(metafunc):
    if "sample" in metafunc.fixturenames:
        metafunc.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")


@pytest.fixture
def reading_of(tmp_path):
    """A reading of a file with the given text or bytes."""

    def reading(content, name="a.log"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path)

    return reading


@pytest.fixture
def work():
    """How much a job does: the functions that it enters, a number that the load of the machine does not change."""

    def entered(job):
        count = 0

        def see(_frame, event, _argument):
            nonlocal count
            count += event in {"call", "c_call"}

        sys.setprofile(see)
        try:
            job()
        finally:
            sys.setprofile(None)
        return count

    return entered


@pytest.fixture
def said():
    """What the problems of a reading say, as the command prints them, without the folder."""

    def lines(reading):
        return [
            f"{Path(row.source_file).name}:{row.line}: {row.kind}: {row.message}"
            for row in reading.problems.itertuples()
        ]

    return lines


@pytest.fixture(scope="session")
def samples():
    """Folder of the samples of one kind."""
    return HERE


@pytest.fixture
def column():
    """A column of the runs of a reading as a list, None where a value is missing."""

    def values(reading, name):
        found = reading.runs[name]
        return found.astype(object).where(found.notna(), None).tolist()

    return values
