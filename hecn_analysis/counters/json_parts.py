"""JSON of programs that were stopped while they wrote it, and several documents one after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.counters.contract import Findings
from hecn_analysis.files.documents import Document

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]')
_DEEPEST: Final = 500


def objects(value: object) -> list[dict[str, Any]]:
    """Objects of a list of JSON; none of what is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def hosts_of(value: object) -> list[dict[str, Any]]:
    """Hosts of a document of sysstat's JSON; none of any other."""
    sysstat = value.get("sysstat") if isinstance(value, dict) else None
    return objects(sysstat.get("hosts") if isinstance(sysstat, dict) else None)


def values_of(document: Document, findings: Findings) -> Iterator[Any]:
    """Values of a text that is JSON: usually one. Of a text that breaks off, what is whole of its last value."""
    if document.json is not None:
        yield document.json
        return
    text, at, decoder = document.text, 0, json.JSONDecoder()
    while at < len(text):
        if text[at] not in "{[":
            at = min((found for found in (text.find("{", at), text.find("[", at)) if found >= 0), default=len(text))
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            line = text.count("\n", 0, at) + 1
            value = _mended(text[at:])
            if value is None:
                findings.problem(
                    line, "malformed", "found JSON that cannot be read, expected a whole document; left out"
                )
                return
            findings.facts["truncated"] = True
            findings.problem(
                document.text.count("\n") + 1,
                "truncated",
                "found JSON that breaks off, expected its end; what is whole is read",
            )
            yield value
            return
        yield value


def _mended(text: str) -> Any | None:  # noqa: ANN401 - whatever JSON holds
    """Value of a text without what follows its last whole object or list; None where there is none."""
    opened: list[str] = []
    end, closing = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            opened.append("}" if mark == "{" else "]")
            if len(opened) > _DEEPEST:
                return None
        elif mark in "}]":
            if not opened or opened.pop() != mark:
                break
            end, closing = token.end(), "".join(reversed(opened))
            if not opened:
                break
    if not end:
        return None
    try:
        return json.loads(text[:end] + closing)
    except (ValueError, RecursionError):
        return None
