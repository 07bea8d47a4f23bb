"""Fixtures: the sample logs, and readings of texts."""

import sys
from pathlib import Path

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read
from tests.samples import parametrized

HERE = Path(__file__).parent / "samples"


def _samples():
    """Return the samples of the tests and of the documents, and one recorded sample of each session."""
    written = [*HERE.glob("*/*.txt"), *data_dir().glob("logs/*.txt")]
    recorded = {
        (path.parent, path.name.rpartition("-")[0]): path for path in sorted(data_dir().glob("samples/*/*.txt"))
    }
    return sorted(written) + sorted(recorded.values())


SAMPLES = _samples()


def pytest_generate_tests(metafunc):
    if "sample" in metafunc.fixturenames:
        metafunc.parametrize("sample", parametrized(SAMPLES))


@pytest.fixture
def reading_of(tmp_path):
    """Return a function that reads a file with the given text or bytes."""

    def reading(content, name="a.log"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path)

    return reading


@pytest.fixture
def work():
    """Return a function that counts the calls of a job: unlike its time, they do not depend on the machine's load."""

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
def problem_lines():
    """Return a function that formats the problems of a reading as the command prints them, without the folder."""

    def lines(reading):
        return [
            f"{Path(row.source_file).name}:{row.line}: {row.kind}: {row.message}"
            for row in reading.problems.itertuples()
        ]

    return lines


@pytest.fixture(scope="session")
def samples():
    """Return the folder of the samples."""
    return HERE


@pytest.fixture
def column():
    """Return a function that lists a column of the runs, with None for missing values."""

    def values(reading, name):
        cells = reading.runs[name]
        return cells.astype(object).where(cells.notna(), None).tolist()

    return values
