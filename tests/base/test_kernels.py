"""Transport to a kernel: sockets in a folder if their names fit there, else TCP."""

import os
from pathlib import Path

import pytest

from hecn_analysis.base.kernels import transport


@pytest.mark.skipif(os.name != "posix", reason="kernels use sockets in a folder only there")
@pytest.mark.parametrize(("folder", "expected"), [("/k", "ipc"), ("/" + "x" * 120, "tcp")])
def test_names_of_sockets_must_fit(folder, expected):
    assert transport(Path(folder), "kernel-ipc-5") == expected
