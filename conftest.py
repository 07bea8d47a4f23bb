"""Names that examples in docstrings use without setting them up: `folder`, `matrix`, `table`; no garbage search."""

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem

MATRIX = """
title: copies
scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s}
grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}
"""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the million objects that collecting makes, all of which stay, out of the search for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give examples `folder`, which is empty; those of test matrices also `matrix`, those of traffic `table`."""
    if not isinstance(request.node, DoctestItem):
        return
    folder: Path = request.getfixturevalue("tmp_path")
    doctest_namespace["folder"] = folder
    if ".matrix." in request.node.name:
        from hecn_analysis.planning.matrix.cells import load_matrix  # noqa: PLC0415 - only these examples need it

        (folder / "far.yaml").write_text(MATRIX)
        doctest_namespace["matrix"] = load_matrix(folder / "far.yaml")
    if ".traffic." in request.node.name:
        import numpy as np  # noqa: PLC0415 - only these examples need it
        import pandas as pd  # noqa: PLC0415 - the same

        when = pd.date_range("2013-11-20", periods=40, freq="300s", tz="UTC")
        rates = {"interval_s": 300.0, "in_bps": np.arange(1.0, 41.0) * 1e8, "out_bps": 1e8, "flag": "ok"}
        doctest_namespace["table"] = pd.DataFrame({"host": "switch", "interface": "eth0", "time": when, **rates})
