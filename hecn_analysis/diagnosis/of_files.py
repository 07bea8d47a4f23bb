"""The signs of copies of many files: how many, how large, and how many are on their way."""

from __future__ import annotations

from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _many_files(facts: Facts) -> Fact | None:
    return None if facts.has_rates else facts.files


@_sign
def _file_mean(facts: Facts) -> Fact | None:
    files = facts.files
    if files is None or not facts.copied_bytes > 0:
        return None
    return Fact(facts.copied_bytes / files.value / 1e3, files.evidence)


@_sign
def _files_in_flight(facts: Facts) -> Fact | None:
    files, rtt = facts.files, facts.rtt_idle
    if files is None or rtt is None or not facts.copied_bytes > 0 or facts.kind.is_local:
        return None
    duration = 8 * facts.copied_bytes / facts.measured
    return Fact(files.value / duration * rtt.value, (*rtt.evidence, *files.evidence))
