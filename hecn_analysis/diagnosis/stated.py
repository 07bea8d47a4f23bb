"""What lines tell of a cause without a figure of the run: those that name it by themselves, and words of a subject."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from hecn_analysis.diagnosis import subjects
from hecn_analysis.diagnosis.kinds import OVER_SSH, Kind
from hecn_analysis.diagnosis.remedies import Told
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import Cue, entries
from hecn_analysis.statements.topics import Topic, topics

#: A line with smaller odds for a class does not replace the remedy of the class. [1]
_ADVISES: Final = 5.0

#: Topics that tell no more than that disks are tested.
_OF_DISKS: Final = frozenset({"disk", "writing", "reading"})

#: Subject of the lines about ports of 100 Mb/s or less, and the rate from which on runs pass none. [bit/s]
_OF_SLOW_PORTS: Final = "speed"
_NOT_SLOW_BPS: Final = 1.05e8

#: Classes of the sender, and those of the receiver with the same cause.
_OF_ENDS: Final = MappingProxyType({"cpu-sender": "cpu-receiver", "disk-read": "disk-write"})

#: Programs of the two ends of a connection of ssh, as they end lines of top, ps and pidstat.
_CLIENT: Final = re.compile(r"[\s/](?:ssh|scp|dbclient)(?: |$)")
_SERVER: Final = re.compile(r"[\s/](?:sshd|sftp-server|dropbear)\b")

PROCESS: Final = "process"
"""Subject of the lines about a program that fills a core."""

Odds = Mapping[str, float]


def cues_of(kind: Kind) -> Iterator[tuple[Cue, Statement]]:
    """The first line of each entry that names a cause by itself; without its end if both ends have such a line."""
    lines: dict[str, Statement] = {}
    for statement in kind.say("cue"):
        name = str(statement.value)
        first = lines.setdefault(name, statement)
        if first.end != statement.end:
            lines[name] = replace(first, end="")
    is_fast = len(kind.runs) > 0 and kind.median_bps > _NOT_SLOW_BPS
    for name, statement in lines.items():
        cue = entries()[name]
        is_of_others = is_fast and cue.subject == _OF_SLOW_PORTS and cue.odds.get("duplex", 0.0) > 1
        if kind.tool not in cue.not_of and not is_of_others:
            end = "" if kind.is_local else statement.end or _end_of_ssh(kind, cue, statement)
            yield cue, replace(statement, end=end)


def _end_of_ssh(kind: Kind, cue: Cue, statement: Statement) -> str:
    """The end of a copy over ssh at which a busy program runs: the client's is called ssh, the server's sshd."""
    if kind.tool not in OVER_SSH or not kind.direction or cue.subject != PROCESS:
        return ""
    is_client, is_server = (pattern.search(statement.says) is not None for pattern in (_CLIENT, _SERVER))
    if is_client == is_server:
        return ""
    return "sender" if is_client != kind.is_back else "receiver"


def odds_of(kind: Kind) -> dict[str, Odds]:
    """Odds of all statements: the strongest cue of each subject, and the words of each topic together."""
    return {**_cue_odds(cues_of(kind)), **_topic_odds(kind)}


def lines_of(kind: Kind) -> Iterator[tuple[Odds, Statement]]:
    """The lines to quote, each with its own odds."""
    for cue, statement in cues_of(kind):
        yield _odds(cue, statement), statement
    for topic, words in _words(kind).items():
        for place, statement in enumerate(words):
            yield _raised(topics()[topic], subjects.NEXT_WORD ** (place + 1)), statement


def advice_of(kind: Kind, without: Collection[str]) -> dict[str, Told]:
    """For each class but some, the advice of the line that speaks most for it."""
    strongest: dict[str, tuple[float, Told]] = {}
    for cue, statement in cues_of(kind):
        for name, odds in _odds(cue, statement).items():
            if cue.do and odds >= _ADVISES and name not in without and odds > strongest.get(name, (0.0, None))[0]:
                place = f"{PurePath(statement.source_file).name}:{statement.line}"
                told = Told(f"fix what {place} shows: {cue.says}", cue.settings, cue.do, cue.check, cue.source)
                strongest[name] = odds, told
    return {name: told for name, (_, told) in strongest.items()}


def _cue_odds(cues: Iterable[tuple[Cue, Statement]]) -> dict[str, Odds]:
    """Odds of the lines that name a cause; of several about one subject, the strongest."""
    strongest: dict[str, Odds] = {}
    for cue, statement in cues:
        odds = _odds(cue, statement)
        if cue.subject not in strongest or _strength(odds) > _strength(strongest[cue.subject]):
            strongest[cue.subject] = odds
    return {f"cue: {subject}": odds for subject, odds in strongest.items()}


def _topic_odds(kind: Kind) -> dict[str, Odds]:
    """Odds of the words of each topic; in a report of a fault, of their lack, too."""
    told = _words(kind)
    if not told:
        return {}
    is_report = len(kind.runs) == 0 or any(kind.say("report"))
    weighed = set(subjects.odds()) - (_OF_DISKS if kind.is_local else set()) if is_report else set(told)
    return {
        f"topic: {topic}": odds[subjects.class_of(len(told.get(topic, ())))]
        for topic, odds in subjects.odds().items()
        if topic in weighed
    }


def words_of(kind: Kind) -> dict[str, int]:
    """For each topic that somebody writes about, how many of its words."""
    return {topic: len(words) for topic, words in _words(kind).items()}


def _words(kind: Kind) -> dict[str, list[Statement]]:
    """For each topic, a line for each of its words; but who tests a disk writes of disks whatever the cause is."""
    by_topic: dict[str, dict[str, Statement]] = {}
    without = _OF_DISKS if kind.is_local else frozenset()
    for statement in kind.say("topic"):
        topic, _, word = str(statement.value).partition("/")
        if topic in without:
            continue
        by_topic.setdefault(topic, {}).setdefault(word, statement)
    return {topic: list(words.values()) for topic, words in by_topic.items()}


def _odds(cue: Cue, statement: Statement) -> Odds:
    """Odds of a line; if its end is known, the class of that end has those of both ends together."""
    odds = {str(name): value for name, value in cue.odds.items()}
    for sender, receiver in _OF_ENDS.items() if statement.end else ():
        own, other = (sender, receiver) if statement.end == "sender" else (receiver, sender)
        if min(odds.get(own, 0.0), odds.get(other, 0.0)) > 1:
            odds[own] += odds.pop(other) - 1
    return odds


def _raised(topic: Topic, exponent: float) -> Odds:
    return {str(name): value**exponent for name, value in topic.odds.items()}


def _strength(odds: Odds) -> float:
    return max(abs(math.log(value)) for value in odds.values())
