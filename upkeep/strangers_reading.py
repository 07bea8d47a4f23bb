"""Keys and values of a configuration, however their source spells them, and those that no rule reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

#: Units of rates at the end of a key, where the case of the b counts.
_RATE_UNIT: Final = re.compile(r"_?([kKMGTmgt]i?)([bB])(?:it|yte)?s?(?:ps|_?/?(?:per_)?s(?:ec)?)$")

#: Other units at the end of a key.
_UNIT: Final = re.compile(r"_(ms|us|s|sec|seconds|km|mhz|ghz|pct|percent|b|bytes|[kmgt]i?b)$")

_BITS: Final = re.compile(r"(?<=\d| )([kKMGT])(?:[Bb]its?(?:/s(?:ec)?|ps| per second)|bps)\b")

_NUMBER: Final = re.compile(
    r"^[~≈<>=\s]{0,3}(?:about |ca\.? )?(\d{1,12}(?:\.\d{1,9})?(?:e-?\d{1,2})?) ?([\w/%]{0,8})$", re.IGNORECASE
)


def spelled(key: str, synonyms: Mapping[str, str]) -> str:
    """Key in the spelling of the rules: ``RTT (ms)``, ``rttMs`` and ``round-trip-ms`` are ``rtt_ms``.

    Examples
    --------
    >>> synonyms = {"round_trip": "rtt", "bandwidth": "link"}
    >>> [spelled(key, synonyms) for key in ("RTT (ms)", "round-trip-ms", "bandwidth_Gb_s")]
    ['rtt_ms', 'rtt_ms', 'link_gbps']
    >>> spelled("disk_MB/s", {}), spelled("disk_Mb/s", {})
    ('disk_MBps', 'disk_mbps')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", key.strip())
    text = re.sub(r"[\s()\[\]-]{1,9}", "_", text).strip("_")
    if (rate := _RATE_UNIT.search(text)) is not None:
        head, unit = text[: rate.start()].lower(), f"{rate[1].lower()}bps"
        if rate[2] == "B" and rate[0].strip("_") != rate[0].strip("_").upper():
            unit = f"{rate[1].upper()}Bps"
    else:
        text = re.sub(r"[^a-z0-9_]", "_", text.lower())
        found = _UNIT.search(text)
        head, unit = (text[: found.start()], found[1]) if found else (text, "")
    head = synonyms.get(head, head)
    return f"{head}_{unit}" if unit else head


def in_units(value: Any) -> Any:  # noqa: ANN401 - what a table holds
    """Text with rates as the rules have them: ``940 Mbit/s``, ``940 Mbps`` and ``940 Mbits/sec`` are ``940 Mb/s``."""
    return _BITS.sub(r"\1b/s", value) if isinstance(value, str) else value


def respelled(config: Mapping[str, Any], known: Mapping[str, str], synonyms: Mapping[str, str]) -> dict[str, Any]:
    """Configuration with the keys that the rules know, by their spelling; others are left as they are."""
    found = {key: in_units(value) for key, value in config.items()}
    for key, value in list(found.items()):
        to = known.get(spelled(key, synonyms))
        if key not in known.values() and to is not None:
            found.setdefault(to, value)
    return found


def number(raw: Any, unit: str = "") -> float | None:  # noqa: ANN401 - what a table holds
    """Number of a value: as it is, or as text with nothing but the unit of its key behind it."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return raw
    found = _NUMBER.match(str(raw).replace(",", ""))
    if found is None:
        return None
    same = re.sub(r"[^a-z%]", "", found[2].lower()) in {"", re.sub(r"[^a-z%]", "", unit.lower())}
    return float(found[1]) if same else None


def unread(
    config: Mapping[str, Any], known: Mapping[str, str], ignored: Collection[str], synonyms: Mapping[str, str]
) -> list[str]:
    """Keys that no rule reads, as their source spells them."""
    return [
        key
        for key in config
        if not {key, spelled(key, synonyms)} & {*known, *known.values()} and not {key, spelled(key, {})} & {*ignored}
    ]
