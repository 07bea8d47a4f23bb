"""The figures after a rate of nuttcp and the words before it, as columns of the tables.

`nuttcp` describes the tool, its units and its traps; `nuttscp` reads the same figures in reports without bytes and
seconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import RunFindings

NUMBER: Final = r"(?<![\d.])\d{1,15}(?:\.\d{1,9})?"
Texts = dict[str, str]
"""Texts of a result's figures by name: mib, seconds, mbps, tx, rx, retransmits, each, rtt_ms …"""

MIB: Final = 2**20

# --- the fields after a rate, in any order
PARTS: Final = r"\d{1,12}(?:\+\d{1,12}){1,512}"
_USUAL_FIELDS: Final = (
    rf"(?P<tx>{NUMBER})\s?%\s?TX\b",
    rf"(?P<rx>{NUMBER})\s?%\s?RX\b",
    rf"(?P<retransmits>\d{{1,12}}|O)\s*(?:=\s*(?P<each>{PARTS})\s*)?(?P<host>host-)?retrans\b",
    rf"(?P<cwnd_kib>\d{{1,12}})\s*(?:=\s*{PARTS})?\s?KB-cwnd\b",
    rf"(?P<rtt_ms>{NUMBER})\s*(?P<noise>T?)ms\s*-?RTT\b",
)
_RARE_FIELDS: Final = (
    r"(?P<lost>\d{1,15})\s*/\s*(?P<sent>\d{1,15})\s*~?drop/pkt\b",
    rf"(?P<loss_percent>{NUMBER})\s*~?%\s?loss\b",
    rf"(?P<jitter_ms>-?{NUMBER})\s?msAvgJitter\b",
    rf"-?{NUMBER}\s?ms(?:(?:Min|Max)Jitter|(?:Min|Avg|Max)OWD)\b",
    rf"Trans:\s+{NUMBER}\sMB\b",
    "(?P<running>Tot:.*)",
)
_FIELD: Final = re.compile(rf"\s*(?:{'|'.join(_USUAL_FIELDS + _RARE_FIELDS)})[\])]?")
_USUAL: Final = re.compile("".join(rf"(?:\s*{field}[\])]?)?" for field in _USUAL_FIELDS))
_WORD: Final = re.compile(r"\s*\S*")
_PAIRS: Final[Mapping[str, tuple[str, re.Pattern[str]]]] = {
    key: (name, re.compile(pattern))
    for key, name, pattern in (
        ("tx_cpu", "tx", NUMBER),
        ("rx_cpu", "rx", NUMBER),
        ("retrans", "retransmits", r"\d{1,12}"),
        ("host-retrans", "retransmits", r"\d{1,12}"),
        ("retrans_by_stream", "each", PARTS),
        ("cwnd", "cwnd_kib", r"\d{1,12}"),
        ("rtt_ms", "rtt_ms", NUMBER),
        ("drop", "lost", r"\d{1,15}"),
        ("pkt", "sent", r"\d{1,15}"),
        ("data_loss", "loss_percent", NUMBER),
        ("msavgjitter", "jitter_ms", rf"-?{NUMBER}"),
    )
}
_OTHER_PAIRS: Final = re.compile(
    r"(?:cwnd_by_stream|tx_megabytes|tx_total_megabytes|total_\w+|ms(?:min|max)jitter|ms(?:min|avg|max)OWD)="
)

# --- the words in front of a result
_BULLETS: Final = " \t-–—*•·«»>[]("
_WAY: Final = re.compile(r"(?:^|[^A-Za-z])(?P<way>tx|rx)\b|^(?P<verb>put|get)\b", re.IGNORECASE)


def fields(rest: str) -> tuple[Texts, str]:
    """Read the fields after a rate."""
    left: list[str] = []
    usual = _USUAL.match(rest)  # most lines, in the order in which nuttcp prints them
    texts = _texts(usual) if usual else {}
    position = usual.end() if usual else 0
    while position < len(rest):
        matched = _FIELD.match(rest, position)
        if matched is None:
            word = _WORD.match(rest, position)
            end = word.end() if word else len(rest)
            left.append(rest[position:end].strip())
            position = end
        elif matched["running"]:
            break
        else:
            texts |= _texts(matched)
            position = matched.end()
    return texts, " ".join(filter(None, left))


def _texts(match: re.Match[str]) -> Texts:
    """Return the texts of the groups that matched."""
    return {name: value for name, value in match.groupdict().items() if value is not None}


def pairs(rest: str) -> tuple[Texts, str]:
    """Read the key=value fields of ``-fparse`` as `fields` reads the others."""
    texts: Texts = {}
    left: list[str] = []
    for word in rest.split():
        key, _, value = word.partition("=")
        name, pattern = _PAIRS.get(key, ("", None))
        if pattern is not None and pattern.fullmatch(value):
            texts[name] = value
            if key == "host-retrans":
                texts["host"] = "host-"
        elif not _OTHER_PAIRS.match(word):
            left.append(word)
    if ("lost" in texts) != ("sent" in texts):
        texts = {name: value for name, value in texts.items() if name not in {"lost", "sent"}}
    return texts, " ".join(left)


def unread(
    findings: RunFindings,
    line: Line,
    left: str,
    expected: str = "fields such as '9 %TX', '0 retrans' or '0.18 msRTT'",
    kind: str = "unrecognised",
) -> None:
    """Report the unread part of a line, as truncated where the file ends inside the line."""
    if left and line.complete:
        findings.problem(line.number, kind, f"found {left[:200]!r}, expected {expected}; left out")
    elif left:
        findings.problem(
            line.number, "truncated", f"found {left[:200]!r} at the end of the file, expected {expected}; left out"
        )


def label(findings: RunFindings, line: Line, before: str) -> str | None:
    """Return the words before a result, on its line or alone on the line above."""
    own = before.strip(_BULLETS).rstrip(" \t:;")
    if any(character.isalpha() for character in own):
        return own[-120:]
    if findings.recent:
        above = findings.recent[-1]
        text = above.text.strip()
        if above.number > findings.claimed and line.number - above.number <= 2 and text.endswith((":", ";")):
            return text.strip(_BULLETS).rstrip(" \t:;")[:120] or None
    return None


def way(words: str | None) -> str | None:
    """Return the direction that a label names: ``n2tx`` and ``Put`` send, ``RX`` and ``Get`` receive."""
    match = _WAY.search(words or "")
    if match is None:
        return None
    return "send" if (match["way"] or match["verb"]).lower() in {"tx", "put"} else "receive"


def figures(findings: RunFindings, line: Line, texts: Mapping[str, str]) -> dict[str, object]:
    """Return the columns of a run from the texts of its figures."""
    columns: dict[str, object] = {
        column: round(float(texts[name]) * factor, 12)
        for name, column, factor in (
            ("seconds", "duration_s", 1),
            ("tx", "cpu_sender_fraction", 0.01),
            ("rx", "cpu_receiver_fraction", 0.01),
            ("rtt_ms", "rtt_s", 1e-3),
            ("jitter_ms", "jitter_s", 1e-3),
            ("loss_percent", "loss_fraction", 0.01),
        )
        if name in texts
    }
    if "mib" in texts:
        columns["bytes"] = round(float(texts["mib"]) * MIB)
    if "mib" in texts or "mbps" in texts:
        columns["throughput_bps"] = throughput(texts)
    if "sent" in texts:
        lost, sent = int(texts["lost"]), int(texts["sent"])
        columns |= {"lost_packets": lost, "sent_packets": sent, "loss_fraction": lost / sent if sent else None}
    if texts.get("noise"):
        findings.problem(
            line.number,
            "ambiguous",
            f"found '{texts['rtt_ms']}{texts['noise']}ms RTT', expected '… ms RTT'; read as {texts['rtt_ms']} ms",
        )
    return columns | _retransmits(findings, line, texts)


def throughput(texts: Mapping[str, str]) -> float | None:
    """Return the rate as printed, or computed where an old -v report prints kB/s only."""
    if "mbps" in texts:
        return round(float(texts["mbps"]) * 1e6, 3)
    seconds = float(texts["seconds"])
    return 8 * MIB * float(texts["mib"]) / seconds if seconds > 0 else None


def _retransmits(findings: RunFindings, line: Line, texts: Mapping[str, str]) -> dict[str, object]:
    if "retransmits" not in texts:
        return {}
    if texts.get("host"):
        findings.problem(
            line.number,
            "ambiguous",
            f"found '{texts['retransmits']} host-retrans', expected the connection's own retransmissions; left out",
        )
        return {}
    if texts["retransmits"] == "O":
        findings.problem(line.number, "ambiguous", "found the letter O in 'O retrans', expected a number; read as 0")
        return {"retransmits": 0}
    total, each = int(texts["retransmits"]), texts.get("each")
    if each is not None and sum(map(int, each.split("+"))) != total:
        findings.problem(
            line.number,
            "inconsistent",
            f"found {total} = {each} retrans, expected the sum of the streams; kept as printed",
        )
    return {"retransmits": total}


def streams(texts: Mapping[str, str]) -> Sequence[Mapping[str, object]]:
    """Return rows of the table of streams if the summary has the retransmits of each stream."""
    each = texts.get("each")
    return (
        [{"stream": number, "retransmits": int(count)} for number, count in enumerate(each.split("+"))] if each else []
    )
