"""The verdict on a folder: for each kind of run its limit, the probability of that, and what to do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.diagnosis import stated
from hecn_analysis.diagnosis.advice import DAMAGE, entries_of
from hecn_analysis.diagnosis.contradictions import contradictions, refuted
from hecn_analysis.diagnosis.facts import Fact, Facts
from hecn_analysis.diagnosis.kinds import FASTER, Kind, kinds, without_runs
from hecn_analysis.diagnosis.known import Known
from hecn_analysis.diagnosis.likelihood import Posterior, evidence, likelihoods, posterior, weights
from hecn_analysis.diagnosis.missing import Question, missing
from hecn_analysis.diagnosis.outcomes import FREE_CORE_BPS
from hecn_analysis.diagnosis.remedies import changes
from hecn_analysis.diagnosis.result import (
    ABOVE,
    AS_EXPECTED,
    BELOW,
    FINE,
    UNDETERMINED,
    Cause,
    Diagnoses,
    Diagnosis,
    is_of_memory,
)
from hecn_analysis.diagnosis.signs import FIRST_WINDOW, Sign, signs
from hecn_analysis.diagnosis.spoken import with_own_words
from hecn_analysis.diagnosis.strangers import strangers, without
from hecn_analysis.ingest.folder import Folder, read_folder
from hecn_analysis.statements import Statement

#: A likeliest cause that is less likely than this is no verdict. [1]
_TOLD: Final = 0.3

#: Evidence of a cause that is quoted: lines, and the least that they add to the logarithm of its odds.
_QUOTED: Final = 4
_TELLS: Final = 0.25

#: Least share of a stated line that a run without any fault reaches; of a port's, whose circuit nobody states. [1]
_REACHED: Final = 0.9
_CIRCUIT: Final = 0.02


#: Share of a buffer that holds data under way; the rest is for headers, and for what is not read or not sent. [1]
_WINDOW_SHARES: Final = MappingProxyType({"receiver": 0.5, "sender": 0.7})

#: Share of empty intervals from which on a rate says nothing of what the path carries. [1]
_SILENT: Final = 0.5

#: Share of a core below which a sender that moves what only a free core can is not its limit. [1]
_IDLE_CORE: Final = 0.8

#: Rate for each of which a window is stated where no line is known. [bit/s]
_EACH: Final = 1e9

#: Causes that a faster copy between the same ends clears.
_DISKS: Final = ("disk-read", "disk-write")


def diagnose(path: str | os.PathLike[str], *, progress: bool = False) -> Diagnoses:
    """Find what limits the transfers of a folder, and what to change.

    Parameters
    ----------
    path, progress
        A folder, a file or an archive (logs of tools, outputs of commands of both hosts, notes); whether to show a
        progress bar.

    Returns
    -------
    Diagnoses
        One `Diagnosis` for each kind of run, the kind with most runs first; a notebook shows it as a table.

    Raises
    ------
    InputError
        There is nothing at that place, or an empty folder.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> first = diagnose(data_dir() / "transfers" / "before")[0]
    >>> sorted(cause.kind for cause in first.causes[:2]), first.changes[0].settings["path.rate"] > first.measured_bps
    (['duplex', 'link'], True)
    """
    return of_folder(read_folder(path, progress=progress))


def of_folder(folder: Folder) -> Diagnoses:
    """Return the verdicts on a folder that was read.

    Parameters
    ----------
    folder
        What was read.

    Returns
    -------
    Diagnoses
        One verdict for each kind of run; without runs, a single verdict.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> print(of_folder(read_folder(data_dir() / "logs" / "b-systems-netem.txt"))[0].kind.condition)
    nuttcp tcp, 30 s, RTT 80 ms, emulated path, B-systems
    """
    used = {statement.source_file for statement in folder.statements}
    unused = [str(row["file"]) for row in folder.refused.to_dict("records") if row["source_file"] not in used]
    in_folder = with_own_words(kinds(folder))
    others = strangers(folder, in_folder)
    verdicts = [of_kind(without(kind, others)) for kind in in_folder or [without_runs(folder)]]
    return Diagnoses(verdicts, unused, [*contradictions(folder.statements), *refuted(in_folder), *map(str, others)])


def of_kind(kind: Kind) -> Diagnosis:
    """Return the verdict on a kind of run.

    Parameters
    ----------
    kind
        The runs, with what their folder holds about them.

    Returns
    -------
    Diagnosis
        Causes, changes and questions.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> of_kind(kinds(read_folder(data_dir() / "logs" / "b-systems-netem.txt"))[0]).kind.protocol
    'tcp'
    """
    facts = Facts(kind)
    seen = tuple(signs(facts))
    # without a rate, a tool that failed or the words of a person report a fault; pings or settings alone do not
    is_described = any(kind.say("topic"))
    is_fault = any(kind.say("report")) or (not facts.has_rates and (bool(kind.tool) or is_described))
    weighed = posterior(seen, extra=stated.odds_of(kind), measured=not is_fault, reported=is_described)
    causes = tuple(_causes(facts, weighed, seen, tuple(stated.lines_of(kind))))
    measured = facts.measured if facts.has_rates else None
    expected, low, high = _expected(facts)
    cleared = _cleared(kind, seen)
    likely = {cause.kind: cause.probability for cause in causes if cause.kind not in cleared or cause is causes[0]}
    known = _known(facts, causes)
    of_memory, is_tiny = any(map(is_of_memory, seen)), any(sign.name == "tiny" for sign in seen)
    if of_memory or is_tiny:  # then no rate of a disk or path was measured
        known = replace(known, measured_bps=None, measured_low_bps=None, measured_high_bps=None)
    if any(sign.name == "silent" and float(sign.value) >= _SILENT for sign in seen):
        known = replace(known, is_stalled=True)
    verdict = _verdict(causes[0], measured, high, least=_TOLD * (1 - weighed.unshown))
    is_known = measured is not None or verdict != UNDETERMINED
    entries = entries_of(kind, seen, of_memory=of_memory, is_tiny=is_tiny)
    own = {name for name, entry in entries.items() if entry != DAMAGE}
    told = stated.advice_of(kind, {*own, *(["mtu"] if known.needed_mtu is not None else [])})
    return Diagnosis(
        kind=kind,
        measured_bps=measured,
        measured_low_bps=float(kind.runs["rate_bps"].min()) if measured else None,
        measured_high_bps=float(kind.runs["rate_bps"].max()) if measured else None,
        expected_bps=expected,
        expected_low_bps=low,
        expected_high_bps=high,
        verdict=verdict,
        causes=causes,
        changes=changes(likely, known, entries=entries, told=told) if is_known else (),
        questions=_questions(likely, seen, known, kind),
        signs=seen,
        path="" if facts.has_rates else _path(facts),
    )


def _cleared(kind: Kind, seen: Iterable[Sign]) -> set[str]:
    """Causes without a change: disks beside a faster copy, and a core of the sender that is partly idle."""
    is_copied = kind.copied is not None and kind.copied.rate_bps > FASTER * kind.median_bps
    shares = [float(sign.value) for sign in seen if sign.name in ("sender_core", "sender_busiest")]
    is_idle = bool(shares) and max(shares) < _IDLE_CORE and kind.median_bps > FREE_CORE_BPS
    return {*(_DISKS if is_copied else ()), *(["cpu-sender"] if is_idle else [])}


def _path(facts: Facts) -> str:
    """Describe the window that the RTT requires, and the effect of the loss."""
    rtt = facts.rtt_idle
    if rtt is None:
        return ""
    line = facts.line or facts.port or facts.said("told.rate_bps")
    window = units.format_bytes((_EACH if line is None else line.value) * rtt.value / 8)
    takes = "each Gb/s" if line is None else units.format_rate(line.value)
    said = f"RTT {units.format_time(rtt.value)}: {takes} takes a window of {window}"
    told = (facts.said(name, choose=max) for name in ("path.loss_from_hop", "path.ping_loss_idle"))
    lost = max((loss.value for loss in told if loss is not None), default=0.0)
    left = facts.tcp_at(lost)
    leaves = f"a loss of {units.format_percent(lost, places=1)} leaves a stream"
    return said if left is None else f"{said}; {leaves} {units.format_rate(left)}"


def _questions(likely: Mapping[str, float], seen: Iterable[Sign], known: Known, kind: Kind) -> tuple[Question, ...]:
    """All questions that separate the causes."""
    present = {sign.name for sign in seen} | (set() if kind.copies_files else {"path_carries"})
    return missing(likely, present, _rows(), known=known, temper=weights().temper, most=None, is_local=kind.is_local)


@cache
def _rows() -> Mapping[str, Mapping[str, Sequence[float]]]:
    """For each sign and class, the probability of each bin."""
    names = evidence().names
    return {sign: dict(zip(names, rows.tolist(), strict=True)) for sign, rows in likelihoods().items()}


def _verdict(likeliest: Cause, measured: float | None, high: float | None, *, least: float) -> str:
    if likeliest.probability < least:
        return UNDETERMINED
    if likeliest.kind in FINE:
        return AS_EXPECTED
    return ABOVE if measured and high and measured > 1.05 * high else BELOW


# --- causes -----------------------------------------------------------------------------------------------------------


def _causes(
    facts: Facts, weighed: Posterior, seen: Sequence[Sign], lines: Sequence[tuple[stated.Odds, Statement]]
) -> Iterator[Cause]:
    """All causes with the lines in favour, the likeliest first."""
    by_name = {sign.name: sign for sign in seen}
    for place in np.argsort(-weighed.probabilities, kind="stable"):
        name = weighed.causes[int(place)]
        quotes: list[tuple[bool, float, Statement, str]] = []
        first_of_all = evidence().causes[name].quotes
        others = np.delete(weighed.before, place)
        for sign_name, weight in weighed.weights.items():
            if sign_name not in by_name or others.sum() <= 0:
                continue
            adds = float(weight[place] - np.log(np.average(np.exp(np.delete(weight, place)), weights=others)))
            is_first = sign_name in first_of_all and adds > 0
            if is_first or adds > _TELLS:
                quotes.extend((is_first, adds, *quote) for quote in _quotes(by_name[sign_name]))
        quotes.extend((False, math.log(odds[name]), line, line.says) for odds, line in lines if odds.get(name, 1.0) > 1)
        first: dict[tuple[str, int, str], Statement] = {}
        for _, _, statement, told in sorted(quotes, key=lambda quote: (not quote[0], -quote[1])):
            first.setdefault((statement.source_file, statement.line, told), statement)
        yield Cause(
            kind=name,
            resource=evidence().causes[name].resource,
            probability=float(weighed.probabilities[place]),
            limit_bps=_limit(name, facts),
            evidence=tuple(first.values())[:_QUOTED],
        )


def _quotes(sign: Sign) -> Iterator[tuple[Statement, str]]:
    """The first line of a sign, or words for a number from a table; and what is quoted only once of a line."""
    words = evidence().signs[sign.name].says(sign.value)
    for statement in sign.evidence[:1]:
        is_of_table = statement.name == "run"
        quoted = words if is_of_table else f"{statement.says} ({words})"
        told = words if is_of_table else statement.says
        yield Statement(sign.name, "", statement.source_file, statement.line, quoted), told


def _limit(name: str, facts: Facts) -> float | None:
    """Limit that a cause sets [bit/s]."""
    if not facts.has_rates:
        return None
    line = facts.line or facts.port
    told: Fact | None = None
    if name == "link" and line is not None:
        told = Fact(facts.goodput(line.value), ())
    elif name == "paced":
        told = facts.asked_rate
    elif name == "shaper":
        told = facts.said("queue.rate_bps", choose=min)
    elif name in ("disk-read", "disk-write"):
        told = facts.said(f"disk.{name.removeprefix('disk-')}_bps", "sender" if name == "disk-read" else "receiver")
    elif name in ("cpu-sender", "cpu-receiver"):
        end = name.removeprefix("cpu-")
        share = facts.of_runs(f"cpu_{end}_fraction", "")
        told = None if share is None or not share.value > 0 else Fact(facts.measured / min(share.value, 1.0), ())
    elif name == "loss":
        return facts.loss_limit_bps
    elif name == "window-host":
        told = _buffer_limit(facts)
    return None if told is None or not math.isfinite(told.value) else told.value


def _buffer_limit(facts: Facts) -> Fact | None:
    """Limit of the smaller kernel buffer, at least the measured rate [bit/s]."""
    rtt = facts.rtt_idle
    windows = [size.value * share for end, share in _WINDOW_SHARES.items() if (size := facts.buffer(end)) is not None]
    if rtt is None or not windows:
        return None
    return Fact(max(min(windows) * 8 / rtt.value * facts.streams, facts.measured), ())


# --- what it should be ------------------------------------------------------------------------------------------------


def _expected(facts: Facts) -> tuple[float | None, float | None, float | None]:
    """Median and interval of the rate that the runs should reach, or None without a bound [bit/s]."""
    if not facts.has_rates or facts.kind.is_local or facts.bytes < FIRST_WINDOW:
        return None, None, None
    asked = facts.asked_rate
    line = facts.line or facts.port
    if line is None:
        return (None, None, None) if asked is None else (asked.value, 0.98 * asked.value, 1.02 * asked.value)
    most = facts.goodput(line.value)
    least = (_REACHED if facts.line is not None else _CIRCUIT) * most
    middle = 0.97 * most if facts.line is not None else math.sqrt(least * most)
    if asked is not None and asked.value < most:
        return asked.value, min(least, 0.98 * asked.value), asked.value
    return middle, least, most


def _known(facts: Facts, causes: Sequence[Cause]) -> Known:
    """Facts for the computation of changes."""
    kind, line = facts.kind, facts.line or facts.port
    rtt = facts.rtt_idle
    buffers = {end: facts.buffer(end) for end in ("sender", "receiver")}
    quotas = {end: facts.said("cpu.quota", end, choose=min) for end in ("sender", "receiver")}
    limits = {cause.kind: cause.limit_bps for cause in causes if cause.limit_bps is not None}
    if kind.through is not None:
        limits["path"] = kind.through.rate_bps  # what the path carried between memories
    return Known(
        measured_bps=_or_none(facts.measured),
        measured_low_bps=_or_none(float(kind.runs["rate_bps"].min())),
        measured_high_bps=_or_none(float(kind.runs["rate_bps"].max())),
        offered_bps=_offered(facts),
        line_bps=None if line is None else line.value,
        line_basis="stated" if facts.line is not None else "none" if line is None else "port",
        supported_bps=_value(facts.said("port.supported_bps", choose=min)),
        rtt_s=None if rtt is None else rtt.value,
        mtu=facts.mtu,
        streams=facts.streams,
        tool=kind.tool,
        protocol=kind.protocol,
        duration_s=_or_none(facts.duration_s),
        transfer_bytes=_or_none(facts.bytes),
        tcp_rmem_max=_value(buffers["receiver"]),
        tcp_wmem_max=_value(buffers["sender"]),
        sender_cpu_share=_value(quotas["sender"]),
        receiver_cpu_share=_value(quotas["receiver"]),
        needed_mtu=_value(facts.said("path.mtu_bytes", choose=min)),
        limits=MappingProxyType(limits),
        systems={end: system for end in buffers if (system := _system(kind, end)) is not None},
        sender=kind.source_host or None,
        receiver=kind.destination_host or None,
    )


def _offered(facts: Facts) -> float | None:
    """What a test with UDP sends, by what arrives and what is lost [bit/s]."""
    lost = facts.of_runs("loss_fraction", "") if facts.kind.protocol == "udp" and facts.has_rates else None
    return None if lost is None or not 0 <= lost.value < 1 else facts.measured / (1 - lost.value)


def _system(kind: Kind, end: str) -> str | None:
    """The operating system of an end, if its files agree; the log of the runs is of the end that wrote it."""
    writer = "receiver" if kind.is_back else "sender"
    told = (
        (statement.end or (writer if statement.source_file in kind.files else ""), str(statement.value))
        for statement in kind.say("host.system")
    )
    own = {system for of, system in told if of == end}
    return own.pop() if len(own) == 1 else None


def _value(fact: Fact | None) -> float | None:
    return None if fact is None else fact.value


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
