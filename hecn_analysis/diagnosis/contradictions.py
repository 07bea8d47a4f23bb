"""Lines of a folder that contradict each other: two speeds of a port, two rates of a circuit, two limits of an end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import Kind
from hecn_analysis.statements import Statement

#: What has one value: its words, its unit, and which of several values counts.
_SINGLE: Final[Mapping[str, tuple[str, Callable[[float], str], str]]] = MappingProxyType(
    {
        "port.speed_bps": ("speeds", units.format_rate, "the slowest that the runs can have passed"),
        "path.rate_bps": ("rates of the circuit", units.format_rate, "the least"),
        "kernel.receive_buffer_bytes": ("largest receive buffers (tcp_rmem)", units.format_bytes, "the least"),
        "kernel.send_buffer_bytes": ("largest send buffers (tcp_wmem)", units.format_bytes, "the least"),
    }
)

#: Clocks of two hosts differ by less where both are set. [s]
_SAME_CLOCK_S: Final = 5.0


def contradictions(statements: Iterable[Statement]) -> Iterator[str]:
    """Name what several lines state differently, and the value that counts; hosts that nothing names may be two."""
    statements = list(statements)
    yield from _clocks(statement for statement in statements if statement.name == "run.began_s")
    stated: dict[tuple[str, str, str], dict[float, Statement]] = {}
    for statement in statements:
        is_of_one = statement.device or statement.end or statement.name == "path.rate_bps"
        if statement.name in _SINGLE and is_of_one and isinstance(statement.value, int | float):
            stated.setdefault((statement.name, statement.end, statement.device), {}).setdefault(
                float(statement.value), statement
            )
    for (name, end, device), values in stated.items():
        if len(values) > 1:
            words, written, counts = _SINGLE[name]
            of = (f" of {device}" if device else "") + (f" at the {end}" if end else "")
            places = ", ".join(f"{written(value)} ({_place(line)})" for value, line in values.items())
            yield f"different {words}{of}: {places}; {counts} counts"


def refuted(kinds: Iterable[Kind]) -> Iterator[str]:
    """Name the rates of circuits that runs exceed."""
    told: dict[Statement, float] = {}
    for kind in kinds:
        for statement in Facts(kind).refuted:
            told[statement] = max(kind.median_bps, told.get(statement, 0.0))
    for statement, measured in told.items():
        circuit, runs = units.format_rate(float(statement.value)), units.format_rate(measured)
        yield f"a circuit of {circuit} ({_place(statement)}), and runs of {runs}: the circuit does not count for them"


def _clocks(began: Iterable[Statement]) -> Iterator[str]:
    """Name the logs of the two ends of a run whose clocks disagree."""
    by_run: dict[str, list[Statement]] = {}
    for clock in began:
        by_run.setdefault(clock.says, []).append(clock)
    for own in by_run.values():
        first, last = (choose(own, key=lambda clock: float(clock.value)) for choose in (min, max))
        apart_s = float(last.value) - float(first.value)
        if apart_s > _SAME_CLOCK_S:
            places = f"{_place(first)} and {_place(last)}"
            yield f"different clocks: {places} are one run, {units.format_time(apart_s)} apart; no times are compared"


def _place(statement: Statement) -> str:
    return f"{PurePath(statement.source_file).name}:{statement.line}"
