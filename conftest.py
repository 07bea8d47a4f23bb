"""Names that the examples in docstrings use without setting them up: `folder` and `matrix`."""

from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem

MATRIX = """
title: copies
scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s}
grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}
"""


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give examples `folder`, an empty folder, and those of test matrices `matrix`, one of two cells."""
    if not isinstance(request.node, DoctestItem):
        return
    folder: Path = request.getfixturevalue("tmp_path")
    doctest_namespace["folder"] = folder
    if ".matrix." in request.node.name:
        from hecn_analysis.planning.matrix.cells import load_matrix  # noqa: PLC0415 - only these examples need it

        (folder / "far.yaml").write_text(MATRIX)
        doctest_namespace["matrix"] = load_matrix(folder / "far.yaml")
