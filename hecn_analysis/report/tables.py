"""Tables of the verdicts of a folder: verdicts, causes with their evidence, changes, next tests, measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.diagnosis import result
from hecn_analysis.diagnosis.facts import Fact, Facts
from hecn_analysis.diagnosis.missing import Question
from hecn_analysis.diagnosis.result import UNDETERMINED, Cause, Diagnosis
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.runs import alike

#: Smallest probability of a listed cause: of the first kind of run; of other kinds, or without evidence. [1]
_LEAST: Final = 0.05
_LEAST_OF_OTHERS: Final = 0.15

#: Number of lines for each cause except the likeliest.
_LINES: Final = 2

#: Number of changes for each kind of run.
_CHANGES: Final = 3

#: At a shorter RTT, any buffer is a large enough window. [s]
_FAR_S: Final = 0.001

VERDICT: Final = (
    *("condition", "runs", "measured_bps", "measured_low_bps", "measured_high_bps"),
    *("expected_bps", "expected_low_bps", "expected_high_bps", "verdict", "finding", "class", "probability"),
    *("measured_words", "expected_words"),
)
CAUSES: Final = ("condition", "class", "resource", "probability", "limit_bps", "place", "says")
CHANGES: Final = (
    *("condition", "what", "command", "check", "throughput_bps", "low_bps", "high_bps", "then", "probability"),
    "source",
)
QUESTIONS: Final = ("what", "command", "separates", "bits")
MEASURED: Final = (
    *("condition", "failed", "rtt_s", "loaded_rtt_s", "in_flight_bytes", "bdp_bytes", "resent_fraction"),
    *("cpu_sender_fraction", "cpu_receiver_fraction", "tool_version"),
)
FACTS: Final = ("name", "value", "place", "says")


def judged(verdicts: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Verdicts that rest on a rate, or on lines that support one cause."""
    return [verdict for verdict in verdicts if verdict.measured_bps is not None or verdict.verdict != UNDETERMINED]


def verdict_table(verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """One row per kind of run: measured rate, expected rate, and the likeliest cause."""
    rows = [
        {
            **{name: getattr(verdict, name) for name in VERDICT if hasattr(verdict, name)},
            "condition": verdict.kind.condition,
            "runs": len(verdict.kind.runs),
            **dict(zip(("measured_words", "expected_words"), rates(verdict), strict=True)),
            "verdict": verdict.verdict.replace("_", " "),
            "class": verdict.causes[0].kind,
            "probability": verdict.causes[0].probability,
        }
        for verdict in judged(verdicts)
    ]
    return pd.DataFrame(rows, columns=list(VERDICT))


def rates(verdict: Diagnosis) -> tuple[str, str]:
    """Measured and expected rate as text; the expected one is empty if nothing bounds it."""
    measured, _, expected = result.rates(verdict).partition("; ")
    return measured, expected.removeprefix("expected ")


def causes_table(folder: Folder, verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """One row per line that supports a cause; only its first row has the cause and its probability."""
    rows = [
        {"condition": verdict.kind.condition, **row}
        for number, verdict in enumerate(verdicts)
        for cause in _likely(verdict, _LEAST_OF_OTHERS if number else _LEAST)
        for row in _lines(folder, cause, None if cause is verdict.causes[0] else _LINES)
    ]
    return pd.DataFrame(rows, columns=list(CAUSES))


def _likely(verdict: Diagnosis, least: float) -> Iterator[Cause]:
    for cause in verdict.causes:
        if cause.probability >= (least if cause.evidence else _LEAST_OF_OTHERS):
            yield cause


def _lines(folder: Folder, cause: Cause, most: int | None) -> Iterator[dict[str, Any]]:
    first = {
        "class": cause.kind,
        "resource": cause.resource,
        "probability": cause.probability,
        "limit_bps": cause.limit_bps,
    }
    if not cause.evidence:
        yield {**first, "place": "", "says": "no line supports it in particular"}
    for number, line in enumerate(cause.evidence[:most]):
        place = f"{folder.short(line.source_file)}:{line.line}"
        yield {**(first if not number else {}), "place": place, "says": line.says}


def changes_table(verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """One row per change, the most useful ones of each kind of run."""
    rows = [
        {
            "condition": verdict.kind.condition,
            **vars(change),
            "then": result.gain(change, verdict).removeprefix("then "),
        }
        for verdict in judged(verdicts)
        for change in verdict.changes[:_CHANGES]
    ]
    return pd.DataFrame(rows, columns=list(CHANGES))


def questions_table(verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """One row per missing fact that would tell causes apart, for the kind of run that it tells most about."""
    best: dict[str, Question] = {}
    for verdict in verdicts:
        for question in verdict.missing:
            present = best.get(question.what)
            if present is None or question.bits > present.bits:
                best[question.what] = question
    ordered = sorted(best.values(), key=lambda question: -question.bits)
    rows = [{**vars(verdict), "separates": ", ".join(verdict.separates)} for verdict in ordered]
    return pd.DataFrame(rows, columns=list(QUESTIONS))


def measured_table(verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """One row per kind of run: what its logs show besides the rate."""
    rows = [_measured(verdict) for verdict in verdicts if verdict.measured_bps is not None or verdict.kind.failed]
    return pd.DataFrame(rows, columns=list(MEASURED))


def _measured(verdict: Diagnosis) -> dict[str, Any]:
    kind, facts = verdict.kind, Facts(verdict.kind)
    beside = alike.beside(kind.runs, ("cpu_sender_fraction", "cpu_receiver_fraction"))
    row = {"condition": kind.condition, "failed": kind.failed, **{name: beside[name] for name in MEASURED[7:]}}
    if not facts.has_rates or kind.protocol != "tcp":
        return row
    idle, line = _value(facts.rtt_idle), facts.line or facts.port
    far = idle >= _FAR_S
    return {
        **row,
        "rtt_s": idle,
        "loaded_rtt_s": np.nan if facts.is_one_rtt else _value(facts.rtt_loaded),
        "in_flight_bytes": facts.flight_bytes if far else np.nan,
        "bdp_bytes": facts.goodput(line.value) * idle / 8 if far and line is not None else np.nan,
        "resent_fraction": _value(facts.resent),
    }


def _value(fact: Fact | None) -> float:
    return np.nan if fact is None else fact.value


def facts_table(folder: Folder, verdicts: Sequence[Diagnosis]) -> pd.DataFrame:
    """Return the statements of the files about path and hosts, each once, with its line."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for verdict in verdicts:
        for name, value, fact in _stated(Facts(verdict.kind)):
            line = fact.evidence[0]
            place = f"{folder.short(line.source_file)}:{line.line}"
            rows.setdefault((name, value), {"name": name, "value": value, "place": place, "says": line.says})
    return pd.DataFrame(list(rows.values()), columns=list(FACTS))


def _stated(facts: Facts) -> Iterator[tuple[str, str, Fact]]:
    for name, fact, form in (
        ("Circuit", facts.line, units.format_rate),
        ("Slowest port", facts.port, units.format_rate),
        ("MTU", facts.said("port.mtu_bytes", choose=min), units.format_bytes),
        ("Receive buffer, largest", facts.buffer("receiver"), units.format_bytes),
        ("Send buffer, largest", facts.buffer("sender"), units.format_bytes),
    ):
        if fact is not None and fact.evidence:
            yield name, form(fact.value), fact


def probes_table(folder: Folder) -> pd.DataFrame:
    """One row per kind of path probe, such as ping: ``condition``, ``path_rtt_s``, ``loss_fraction``."""
    runs = folder.runs[folder.runs["rate_bps"].isna() & ~folder.runs["error"].astype(bool)]
    rows = alike.groups(runs) if len(runs) else pd.DataFrame(columns=["condition", "path_rtt_s", "loss_fraction"])
    return rows[rows["path_rtt_s"].notna() | (rows["loss_fraction"] > 0)]
