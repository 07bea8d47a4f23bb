"""Speeds in what people write: a rate, a time or a word for each part of a sentence, with its condition.

"Without encryption 325 MB/s, with encryption 112 MB/s", "the client took 40 min, scp 9 minutes": two such parts compare
the same transfer under two conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hecn_analysis.statements import sentences

NUMBER: Final = r"\d{1,6}(?:[.,]\d{1,3})?"
RATE: Final = re.compile(
    rf"(?<![\w./:,-])(?:(?P<low>{NUMBER}) ?(?:-|–|to|or|and) ?)?(?P<number>{NUMBER})\+? ?"
    r"(?:(?P<prefix>[kKmMgG])i?(?P<of>[bB])(?:it|yte)?s?(?: ?/ ?s(?:ec(?:ond)?)?| per s(?:ec(?:ond)?)?|ps)"
    r"|(?P<bits>[kKMG])b(?:it)?(?:E|ps)?|(?P<word>[kKmMgG])(?:bits?|egabit|ilobit|igabit)s?(?: ?/ ?s\w{0,5})?)(?![\w/])"
)
#: A line of a list that gives a rate for a condition: "- Wi-Fi: 30 Mbit/s", "with VPN -> ~20 Mbps down".
_LABELLED: Final = re.compile(
    r"\s{0,12}(?:[-*+•·–>] ?|\d{1,2}[.)] )?(?P<label>[^\W\d](?:[^:=|<>\[\].;]|\.(?=\w)){1,70}?) ?"
    r"(?::|-{0,2}>|→|\s(?:[-–]|={1,2}>?)\s) ?(?P<rate>(?:[^:=|\[\].;]|\.(?=\d)|[.;]\s{0,3}$){1,60})"
)
#: A label of a setting or counter, as tools print them: one word, or words joined by hyphens and underscores.
_OF_SETTING: Final = re.compile(
    r"\s*(?:(?:link )?speed|bit ?rate|rate|bandwidth|bw|[a-zA-Z0-9.-]*_[\w.-]*|rx|tx|max|min|avg|total)\s*",
    re.IGNORECASE,
)
#: A command whose result the next line states: "scp big.iso nas:", then "gives only 15 MB/s".
_COMMAND: Final = re.compile(
    r"\s{0,8}(?:[$#>`] ?){0,2}(?:sudo )?(?:scp|sftp|rsync|wget|curl|iperf3?|netperf|nuttcp|dd|cp|nc|ncat|netcat|socat"
    r"|smbclient|robocopy|rclone|aws|gsutil|azcopy|fio|bbcp|globus-url-copy) [^.]{0,200}(?:\.[^\s.][^.]{0,100}){0,9}"
)
_RESULT: Final = re.compile(
    r"\W{0,4}(?:(?:this|it|that|which|result\w{0,1}|and)\W{1,3})?(?:achiev\w{1,3}|gives?|gets?|got|runs? at|yields?"
    r"|reach\w{0,3}|results? in|shows?|reports?|transfers at|speed|rate|(?:about|only|around|~) ?\d|\d)",
    re.IGNORECASE,
)
_LESS: Final = re.compile(
    rf"\b(?:reduced|down|drops?|falls?|slows?(?: down)?) to (?:{NUMBER} ?(?:-|or|to) ?)?({NUMBER})"
    rf"|\b(?:(?:only|just|nur|solo|barely)(?: (?:does|gets|reaches|about|around|at))?|the (?:other|new one|second)"
    rf"|one at|à|a)"
    rf" ({NUMBER})(?=[^\w]*$)"
)
_TIME: Final = re.compile(
    rf"(?:\b(?:took|takes?|taking|in|within|after|for|ran for|needs?|needed|lasts?|only|just) "
    rf"|^\W{{0,3}}(?:(?:and|but|then|to) )?)(?:literally |about |over |only |around |~ ?)?({NUMBER}) ?"
    r"(s|sec\w{0,4}|min\w{0,4}|h|hours?|days?)\b"
    rf"|(?<!every )(?<!each )(?<!first )(?<!last )(?<!another )(?<![\w.,-])({NUMBER}) "
    r"(sec\w{0,4}|minutes?|hours?)\W{0,3}$",
    re.IGNORECASE,
)
_SLOW: Final = re.compile(
    r"\b(?:slow(?:er|ly|s)?|crawl\w{0,3}|terrible|horrible|poor|bad|awful|abysmal\w{0,2}|sluggish|unusable|stalls?"
    r"|stalled"
    r"|hangs?|hung|freez\w{1,3}|times? out|timeouts?|fails?|lost|low|affected|stuck|suffers?|drops?|dropped"
    r"|limited (?:to|at)"
    r"|top(?:s|ped)? out|plateaus?|barely|never (?:gets?|goes|reach\w{0,2}) (?:above|over|past)"
    r"|(?:does|do) not (?:exceed|get above|go above)|nothing gets through|takes? (?:hours|ages|forever|days|all night)"
    r"|(?:a|one) (?:tenth|quarter|fraction)|langsam\w{0,2}|hängt|kriecht|lente?s?|lenteur|bloque|plafonne|lent[oa]s?"
    r"|se cuelga|stutters?|breaks?|broke|suffer\w{0,3}|unbearabl[ey]|painful\w{0,2}|miserabl[ey]|dog slow"
    r"|snail\S{0,2}|dies|died"
    r"|(?:all night|forever|ages|for (?:minutes|hours))|never exceeds?|manages only|only manages|to hell|struggl\w{1,3}"
    r"|worse|problems? (?:only )?(?:occurs?|appears?|happens?|shows))\b|慢|遅|很卡|只有|медленн|тормоз",
    re.IGNORECASE,
)
_FAST: Final = re.compile(
    r"\b(?:fine|fast(?:er)?|full(?: line)?(?: speed| rate)?|normal(?:ly)?|ok(?:ay)?|good|great|as expected|line rate"
    r"|wire ?speed|saturat\w{1,3}|no (?:such )?(?:problems?|issues?)|without problems?|quick(?:ly)?|excellent"
    r"|perfect(?:ly)?|(?<!as )well|works?|filled|fills?|scales?|(?:do|does)(?: not|n't) have the (?:problem|issue)"
    r"|(?<!\[)fix(?:ed|es)"
    r"|solv(?:ed|es)|resolv(?:ed|es)|cur(?:ed|es)|gone|disappear(?:s|ed)|vanish(?:es|ed)|(?:goes|went|go) away"
    r"|brings? (?:the speed |it )?back|doubl(?:es|ed)|schnell\w{0,2}|voller|ohne probleme|behoben|gelöst|füllen"
    r"|rapides?|vite|tout va bien|ça marche|résolu|r[áa]pid[oa]s?|va bien|van bien|funciona\w{0,1}"
    r"|fonctionne\w{0,2}|(?:se )?solucion\w{1,3}"
    r"|bien|(?:doubl|tripl|quadrupl)(?:ed|es|ing)|instant(?:ly)?|flies|fly|whole (?:pipe|line|bandwidth)|max(?:es)? out"
    r"|wire rate|gigabit speed|never (?:came|comes) back|made (?:all )?the difference|\d{1,3} ?(?:x"
    r"|times) (?:the speed|faster)"
    r"|everything worked|worked|much better|way better|flawless(?:ly)?|healthy|snappy|happily)\b"
    r"|很快|较快|正常|满速|跑满|恢复|解决|速い|быстр|нормальн",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:not|never|n't|isn't|no longer|hardly|too|nicht|pas"
    r"|no)(?: \w{1,10})? {0,2}$|(?:不|没有?|无法)(?:能|是|太|够)?$",
    re.IGNORECASE,
)
#: A rate before and after: "from 94 to 940 Mb/s", "940 Mb/s instead of 94".
_FROM_TO: Final = re.compile(
    rf"\b(?:from|von|de) (?:about |around |~ ?)?({NUMBER}) ?([kKmMgG]?)\S{{0,8}} ?(?:\w{{2,4}} )?(?:to|auf|à|a) "
    rf"(?:about |around |only |~ ?)?({NUMBER}) ?([kKmMgG])(?:i?[bB]|bits?)",
    re.IGNORECASE,
)
_INSTEAD: Final = re.compile(
    rf"({NUMBER}) ?([kKmMgG]?)\S{{0,8}} (?:instead of|statt|rather than|au lieu de|en vez de) (?:about |only |nur )?"
    rf"({NUMBER})(?: ?([kKmMgG])(?:i?[bB]|bits?))?",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"[,;:](?=\s|$)|[，、；：]|\s(?=\()|(?<=\))\s|\b(?:but|yet|while|whereas"
    r"|although|though|however|and|against|versus|vs"
    r"|instead of|compared (?:to|with)|as soon as|aber|während|sonst|mais|pero|otherwise)\b|\bthan\b"
    r"|但是?|而(?!且)|不过",
    re.IGNORECASE,
)
_THAT_IS: Final = re.compile(
    r"\W{0,3}(?:(?:which|that|this) (?:is|are|means|makes|gives|comes to)|that.s|i\.?e\.?|or|so|meaning|=)\b",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"\W{0,3}(?:and |but |then )?(?:when|if|with|without|in|on|over|via|using|from|to|after|once|by|through|as|for"
    r"|between|behind|inside|where|whereas|while|mit|ohne|per|über|im|auf|bei|sans|avec|vers|con|sin|por|hacia)\b",
    re.IGNORECASE,
)
#: A time before and after: "1 minute instead of 20".
_TIME_INSTEAD: Final = re.compile(
    rf"({NUMBER}) ?(s|sec\w{{0,4}}|min\w{{0,4}}|h|hours?|days?) (?:instead of|statt|au lieu de|en vez de) "
    rf"({NUMBER})(?: ?(s|sec\w{{0,4}}|min\w{{0,4}}|h|hours?|days?)\b)?",
    re.IGNORECASE,
)
_CHANGES: Final = (_FROM_TO, _INSTEAD, _TIME_INSTEAD)
_SCALES: Final = {"k": 1e3, "m": 1e6, "g": 1e9}
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Speed(NamedTuple):
    """A part of a sentence that gives a speed as a rate, as a duration, or in words.

    ``line`` is the index of its line; ``bps`` [bit/s] and ``seconds`` [s] are 0 if absent, ``is_fast`` is None;
    ``sentence`` counts the sentences of the file.
    """

    line: int
    text: str
    bps: float
    seconds: float
    is_fast: bool | None
    sentence: int = 0

    def is_beside(self, other: Speed) -> bool:
        """Whether another is of the same sentence or of the next to it."""
        return self is not other and abs(self.sentence - other.sentence) <= 1

    def is_near(self, other: Speed) -> bool:
        """Whether another is at most a few sentences away."""
        return abs(self.sentence - other.sentence) <= _NEAR

    def is_below(self, other: Speed) -> bool:
        """Whether this is clearly slower than another."""
        if self.bps and other.bps:
            return self.bps < other.bps / _CLEARLY
        if self.seconds and other.seconds:
            return self.seconds > other.seconds * _CLEARLY
        slow, fast = self.is_fast, other.is_fast
        return (slow is False and (fast is True or bool(other.bps))) or (
            fast is True and bool(self.bps) and slow is not True
        )


_LONGEST_LABELLED: Final = 140
#: From which ratio on one rate is clearly below another.
_CLEARLY: Final = 1.5
#: How far apart two speeds of one comparison are. [sentences]
_NEAR: Final = 3


def speeds(lines: Sequence[str]) -> Iterator[Speed]:
    """Yield the speeds in the sentences of some lines, each with its condition."""
    unit, number = 0.0, 0
    listed, command = -1, ""
    for paragraph in sentences.paragraphs(lines):
        text = paragraph.text
        if (labelled := _labelled(paragraph.first, text)) is not None:
            number += 0 if listed == paragraph.first else 1
            listed = paragraph.first + 1
            yield labelled._replace(sentence=number)
        elif command and len(text) <= _LONGEST_LABELLED and RATE.search(text) and _RESULT.match(text):
            number += 1
            for speed in _speeds(paragraph.first, text, unit):
                yield speed._replace(text=f"{command}: {speed.text}", sentence=number)
        elif sentences.is_sentence(text):
            for start, sentence in sentences.split(sentences.stated(text)):
                rate = next(iter(RATE.finditer(sentence)), None)
                unit = unit if rate is None else unit_of(rate)
                begins = start + len(sentence) - len(sentence.lstrip())
                number += 1
                for speed in _speeds(paragraph.line_of(begins), sentence, unit):
                    yield speed._replace(sentence=number)
        if text.strip():
            command = text.strip(" $#>`") if _COMMAND.fullmatch(text) is not None else ""


def _labelled(index: int, line: str) -> Speed | None:
    """The rate of a line of a list, whose label is its condition."""
    match = _LABELLED.fullmatch(line) if len(line) <= _LONGEST_LABELLED else None
    if match is None or _OF_SETTING.fullmatch(match["label"]) is not None:
        return None
    if match["label"].count("(") > match["label"].count(")"):  # "the network is fine (iperf: 940 Mb/s)"
        return None
    if sum(1 for _ in RATE.finditer(match["rate"])) != 1 or line.rstrip().endswith("?"):
        return None
    return Speed(index, line.strip(), *_speed(match["rate"], 0.0))


def _speeds(index: int, sentence: str, unit: float) -> Iterator[Speed]:
    """Yield the speeds of a sentence, each with the clauses without a speed around it."""
    whole = [match.span() for pattern in _CHANGES for match in pattern.finditer(sentence)]
    inner = (match.start() for match in _CUT.finditer(sentence))
    cuts = [0, *(cut for cut in inner if not any(start < cut < end for start, end in whole)), len(sentence)]
    clauses = [sentence[start:end] for start, end in pairwise(cuts) if sentence[start:end].strip()]
    stated = [_speed(clause, unit) for clause in clauses]
    for place in range(1, len(stated)):  # "20 times slower than X" says that X is fast
        _, _, before = stated[place - 1]
        if stated[place] == (0.0, 0.0, None) and clauses[place].lower().startswith("than") and before is not None:
            stated[place] = (0.0, 0.0, not before)
        last, bps = stated[place - 1], stated[place][0]
        if last[1] and bps and _THAT_IS.match(clauses[place]):  # "takes 2 seconds, which is 8 Mbit/s"
            stated[place - 1], stated[place] = (bps, 0.0, last[2]), (0.0, 0.0, None)
    places = [place for place, row in enumerate(stated) if row != (0.0, 0.0, None)]
    parts = {place: [place] for place in places}
    for place, clause in enumerate(clauses):
        if place in parts or not places:
            continue
        later = [each for each in places if each > place]
        earlier = [each for each in places if each < place]
        if later and (not earlier or _LEADS.match(clause)):
            parts[later[0]].append(place)
        else:
            parts[earlier[-1]].append(place)
    for place in places:
        text = "".join(clauses[part] for part in sorted(parts[place]))
        yield Speed(index, text.strip(" ,;:"), *stated[place])


def unit_of(rate: re.Match[str]) -> float:
    """What one unit of a rate is. [bit/s]."""
    scale = _SCALES[(rate["prefix"] or rate["bits"] or rate["word"]).lower()]
    return scale * (8.0 if rate["of"] == "B" else 1.0)


def _seconds(time: re.Match[str]) -> float:
    """A time that something took. [s]."""
    return float((time[1] or time[3]).replace(",", ".")) * _SECONDS[(time[2] or time[4])[0].lower()]


def _change(clause: str) -> bool | None:
    """Whether a rate rose clearly, or a time fell; None if a clause does not give both, or they are alike."""
    if (match := _FROM_TO.search(clause)) is not None:
        before, after = _number(match[1], match[2] or match[4]), _number(match[3], match[4])
    elif (match := _TIME_INSTEAD.search(clause)) is not None:
        before = float(match[1].replace(",", ".")) * _SECONDS[match[2][0].lower()]
        after = float(match[3].replace(",", ".")) * _SECONDS[(match[4] or match[2])[0].lower()]
    elif (match := _INSTEAD.search(clause)) is not None and (match[2] or match[4]):
        after, before = _number(match[1], match[2] or match[4]), _number(match[3], match[4] or match[2])
    else:
        return None
    return None if max(before, after) < _CLEARLY * min(before, after) else after > before


def _number(number: str, prefix: str) -> float:
    return float(number.replace(",", ".")) * _SCALES[prefix.lower()]


def _speed(clause: str, unit: float) -> tuple[float, float, bool | None]:
    """The rate, the time and the word of a clause; a rate without its unit has that of the one before."""
    rate, time, less = RATE.search(clause), _TIME.search(clause), _LESS.search(clause)
    bps = 0.0 if rate is None else float(rate["number"].replace(",", ".")) * unit_of(rate)
    if less is not None and rate is None:
        bps = float((less[1] or less[2]).replace(",", ".")) * unit
    seconds = 0.0 if time is None or rate is not None else _seconds(time)
    words: list[tuple[int, bool]] = []
    for pattern, says in ((_SLOW, False), (_FAST, True)):
        for match in pattern.finditer(clause):
            denied = _NOT.search(clause[max(match.start() - 24, 0) : match.start()]) is not None
            is_too = denied and re.search(r"\btoo\b", clause[max(match.start() - 24, 0) : match.start()]) is not None
            words.append((match.start(), says if not denied or is_too else not says))
    is_fast = None if not words else words[-1][1]
    if (rises := _change(clause)) is not None:
        return (0.0 if seconds else bps), 0.0, rises
    return bps, seconds, is_fast
