"""Configuration of MRTG (``mrtg.cfg``): which interface a target is, its speed, and whether it counts octets at all.

Versions: MRTG 2.x. Written from its manual (mrtg-reference) and cfgmaker's output.

Units and traps
---------------
- MaxBytes is octets per second even where the option "bits" is set: the speed is 8 times that, unless the target is a
  gauge or a program, which count something else.
- Keywords are known in any case; a line that begins with a blank continues the one before; "[_]" sets what targets have
  that say nothing, "[^]" and "[$]" what stands before and after all that they say. An empty value ends such a default.
- A target is a port of a host, "port:community@host:::::version", a sum of several, two variables of a host with "&"
  between them, which may be octets or not, or a program in backticks.
  Communities are passwords: they are not handed on.
- Interval is in minutes, or minutes:seconds. Without one, MRTG means 5 minutes; here it is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document

FORMATS: Final = ("mrtg-cfg",)
VERSIONS: Final = "MRTG 2.x"
WHOLE: Final = True

_KEY: Final = re.compile(
    r"(?P<key>[A-Za-z][A-Za-z0-9*]{1,40})\[(?P<target>[^\]\s]{1,200})\]\s{0,40}:\s{0,40}(?P<value>.*)$"
)
_GLOBAL: Final = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9]{1,40})\s{0,40}:\s{0,40}(?P<value>.*)$")
_MARKS: Final = frozenset({"maxbytes", "maxbytes1", "options", "pagetop", "title"})
_MOSTLY: Final = 3
_SNMP: Final = re.compile(
    r"(?<![^\s+*()`])(?P<port>-?(?:\\.|[^\s:@+*()`\\]){0,200}+):"
    r"(?P<community>(?:\\.|[^\s@`\\]){0,200}+)@(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[\w.-]{1,255})"
    r"(?P<more>(?::[^\s:+*/()]{0,20}){0,6})"
)
_OCTETS: Final = re.compile(r"(?:ifHC|if)(?:In|Out)Octets|2\.2\.1\.1[06]\.|31\.1\.1\.1\.(?:6|10)\.", re.IGNORECASE)
_VERSION_FIELD: Final = 5
_DEFAULT_VERSION: Final = 1
_SCRIPT: Final = "`"
_BITS: Final = 8


def recognises(document: Document) -> bool:
    """Whether there is a target with another keyword, in a file that begins with a keyword and has little else."""
    seen: set[str] = set()
    known = others = 0
    for line in document.start.split("\n"):
        if not line.strip() or line.startswith(("#", " ", "\t")):
            continue
        match = _KEY.match(line) or _GLOBAL.match(line)
        if match is None:
            others += 1
            if not known:
                return False
        else:
            known += 1
            seen.add(match["key"].lower() if "target" in match.groupdict() else "")
    return "target" in seen and bool(seen & _MARKS) and known >= _MOSTLY * others


def read(document: Document, findings: CounterFindings) -> None:
    """Read the keywords, and make targets of them."""
    findings.format = "mrtg-cfg"
    lines: dict[str, int] = {}
    given: dict[str, dict[str, str]] = {}
    general: dict[str, dict[str, str]] = {"_": {}, "^": {}, "$": {}}
    everywhere: dict[str, str] = {}
    for number, line in _joined(document.lines):
        if match := _KEY.match(line):
            key, target, value = match["key"].lower(), match["target"], match["value"].strip()
            if target in general:
                general[target][key] = value
                continue
            known = given.setdefault(target.lower(), {"name": target})
            lines.setdefault(target.lower(), number)
            for word, text in general["_"].items():
                known.setdefault(word, text)
            if key == "target":
                known["name"] = target
            known[key] = " ".join(filter(None, (general["^"].get(key), value, general["$"].get(key))))
        elif match := _GLOBAL.match(line):
            everywhere[match["key"].lower()] = match["value"].strip()
        else:
            findings.problem(
                number, "malformed", f"found {line.strip()[:80]!r}, expected 'Keyword[target]: value'; left out"
            )
    targets = []
    for name, words in given.items():
        if "target" in words:
            targets.append(_target(words))
            facts = targets[-1]
            findings.interface(
                host=facts["host"], interface=words["name"], description=facts["title"], speed_bps=facts["speed_bps"]
            )
        else:
            findings.problem(
                lines[name],
                "inconsistent",
                f"found keywords of {words['name']!r}, expected its Target[{words['name']}] too",
            )
    findings.facts.update(
        n_targets=len(targets),
        interval_s=_interval(everywhere.get("interval")),
        work_dir=everywhere.get("workdir"),
        targets=targets,
    )


def join(parts: Sequence[CounterFindings]) -> None:
    """Add titles and speeds from configurations to the logs and pages of their targets."""
    known: dict[str, list[tuple[PurePath, dict[str, Any]]]] = {}
    for part in parts:
        if part.format in FORMATS:
            targets: Any = part.facts["targets"]
            for target in targets:
                known.setdefault(target["name"].lower(), []).append((PurePath(part.source_file).parent, target))
    for part in parts:
        if part.format not in {"mrtg-log", "mrtg-page"}:
            continue
        for (_, name, _), facts in part.interfaces.items():
            named = known.get(str(name).lower(), [])
            near = [target for folder, target in named if folder == PurePath(part.source_file).parent]
            own = (near or [target for _, target in named])[:1] if len(named) == 1 or near else []
            for target in own:
                if target["gauge"] or target["script"]:
                    part.rates.clear()
                    part.samples.clear()
                    part.problem(
                        None,
                        "unit",
                        "found the log of a target that counts no octets (a gauge or a program), expected that of a "
                        "port; its rates are left out",
                    )
                    continue
                facts["description"] = target["title"] or name
                if target["speed_bps"] is not None:
                    facts["speed_bps"] = target["speed_bps"]


def _joined(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    """Lines with their continuations, without comments."""
    start, text = 0, ""
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        if line.startswith((" ", "\t")) and text:
            text = f"{text} {line.strip()}"
            continue
        if text.strip():
            yield start, text
        start, text = number, line.lstrip("\ufeff")
    if text.strip():
        yield start, text


def _target(words: dict[str, str]) -> dict[str, object]:
    text = words["target"]
    options = {word.strip().lower() for word in re.split(r"[,\s]", words.get("options", "")) if word}
    script = _SCRIPT in text
    ports = [] if script else list(_SNMP.finditer(text))
    gauge = "gauge" in options
    most = _number(words.get("maxbytes") or words.get("maxbytes1"))
    fields = ports[0]["more"].split(":") if ports else []
    version = fields[_VERSION_FIELD] if len(fields) > _VERSION_FIELD else ""
    octets = not gauge and not script and most is not None and ("&" not in text or _OCTETS.search(text) is not None)
    return {
        "name": words["name"],
        "title": words.get("title"),
        "host": ports[0]["host"].strip("[]") if ports else None,
        "port": ports[0]["port"].replace("\\", "").lstrip("-#!/\\%") if ports else None,
        "ports": len(ports),
        "max_bytes": most,
        "abs_max": _number(words.get("absmax")),
        "speed_bps": _BITS * most if octets and most is not None else None,
        "bits": "bits" in options,
        "gauge": gauge,
        "script": script,
        "snmp_version": (int(version[0]) if version[:1] in {"1", "2", "3"} else _DEFAULT_VERSION) if ports else None,
    }


def _number(text: str | None) -> int | None:
    match = re.match(r"\d{1,18}", text or "")
    return int(match[0]) if match else None


def _interval(text: str | None) -> int | None:
    match = re.fullmatch(r"(?P<minutes>\d{1,6})(?::(?P<seconds>\d{1,2}))?", text or "")
    return 60 * int(match["minutes"]) + int(match["seconds"] or 0) if match else None
