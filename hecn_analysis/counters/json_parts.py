"""JSON of programs that were stopped while writing, and several documents one after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.json_parser import repaired
from hecn_analysis.parsing.json_values import at, objects

_START: Final = re.compile(r"[{\[]")


def hosts_of(value: object) -> list[dict[str, Any]]:
    """Hosts of a document of sysstat's JSON; none of any other."""
    return objects(at(value, "sysstat", "hosts"))


def values_of(document: Document, findings: CounterFindings) -> Iterator[Any]:
    """Yield the values of a JSON text, usually one; of a truncated text, the complete part of its last value."""
    if document.json is not None:
        yield document.json
        return
    text, at, line, counted, decoder = document.text, 0, 1, 0, json.JSONDecoder()
    while (start := _START.search(text, at)) is not None:
        at = start.start()
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            line, counted = line + text.count("\n", counted, at), at
            rest = repaired(text, at, line)
            if rest is None:
                said = "found JSON that cannot be read, expected a whole document; left out"
                findings.problem(line, "malformed", said)
                return
            part, at = rest
            value = part.value
            for defect in part.defects:
                findings.problem(line, "malformed", f"found {defect}, expected JSON; read as far as it has a meaning")
            if part.truncated:
                findings.facts["truncated"] = True
                said = "found truncated JSON, expected its end; the complete part is read"
                findings.problem(text.count("\n") + 1, "truncated", said)
        yield value
