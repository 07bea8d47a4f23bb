"""How long the package and the command take to start, as whole processes, against importing pandas."""

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.harness import HECN, PYTHON, Pair, program


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark."""
    pandas = program(PYTHON, "-c", "import pandas")
    yield [
        Pair(
            "import hecn_analysis", "import pandas", program(PYTHON, "-c", "import hecn_analysis"), pandas, target=1.0
        ),
        Pair("hecn --help", "import pandas", program(HECN, "--help"), pandas, target=0.5),
    ]
