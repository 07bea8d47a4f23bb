"""The signs that people state: how a rate changes with distance, number of streams, and size of requests."""

from __future__ import annotations

from typing import Final

from hecn_analysis.diagnosis.facts import Reads

SIGNS: Final[dict[str, Reads]] = {}


def _said(name: str) -> Reads:
    return lambda facts: facts.said(name)


for _what in ("rtt", "streams", "request"):
    SIGNS[f"over_{_what}"] = _said(f"path.rate_over_{_what}")
