"""What people write about: words of a subject, each of them weak evidence; ``models/topics.yaml`` lists them.

Somebody who describes a slow transfer names what the fault shows itself by: "chunk size", "dBm", "window scaling".
Only sentences count, and of them only what they state (`sentences.stated`): a question, a guess, advice, something that
was ruled out or tried in vain, or a word that is denied ("the CPU is idle", "no packet loss") tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.files.documents import Document
from hecn_analysis.hardware import yaml_file
from hecn_analysis.statements import sentences, vocabulary
from hecn_analysis.statements.cues import Class
from hecn_analysis.statements.statement import Statement, end_of

#: Largest file that is taken for what somebody wrote. [B]
_LARGEST: Final = 1 << 16
_QUOTED: Final = 200

#: What stands between a word and what denies it, as in "the CPU usage is very low".
_FINE_AFTER: Final = re.compile(
    r"(?: \w{1,14})??(?: (?:usage|load|utili[sz]ation|use|time|speed|is|are|was|were|stays?|at|also|all|quite|very"
    r"|pretty|always|mostly|completely|almost|seems?|looks?|remains?|shows?|it|about|around|the|both|on|of|sides?)){0,5}"
    r"[ :=]{1,3}(?:idle|low|fine|ok(?:ay)?|good|normal|not|isn't|aren't|wasn't|negligible|minimal|unaffected"
    r"|excluded|irrelevant|no(?:ne)?|0 ?%|[0-9] ?%|[1-3][0-9] ?%|disabled|healthy|perfect|clean)(?!\w)"
    r"|[ \w]{0,4}(?:不高|很低|正常|没有)",
    re.IGNORECASE,
)
_DENIED_BEFORE: Final = re.compile(
    r"\b(?:no|not|never|without|neither|nor|isn't|aren't|wasn't|excluding|excludes?|excluded|zero|0(?:\.0)? ?%|idle|low"
    r"|instead of|rather than|except|enough|plenty of|sufficient|ample|powerful|decent|good|excellent|strong|fast"
    r"|modern|healthy|beefy|high-end)"
    r"(?: (?:the|a|an|any|my|its|our|of|by|about|on|single|real|visible|noticeable)){0,3} $",
    re.IGNORECASE,
)
_NEAR: Final = 40

#: Words that join others into sentences, which keys of outputs ("TCP window size: 21 KByte (default)") lack.
_JOINS: Final = re.compile(
    r"\b(?:the|an?|is|are|was|were|be|been|has|have|had|to|of|on|in|at|by|for|from|with|without|over|via|through|between"
    r"|and|but|or|if|when|while|after|since|than|that|this|it|its|i|we|my|our|only|not|get|gets|got|can|does|do|all|so"
    r"|der|die|das|ist|und|mit|von|nicht|le|la|les|des|est|et|avec|el|los|en|con|por|y|sur|sehr|seit|mein\w?)\b"
    r"|[\u0400-\u04ff]{3}|[\u3040-\u9fff]",
    re.IGNORECASE,
)
_LEAST_JOINS: Final = 2
_ENDS: Final = (".", "?", "!", "。")

#: Fewest plain words of a sentence, in scripts that part words by spaces: settings and records have fewer.
_LEAST_WORDS: Final = 4
_WORD: Final = re.compile(r"(?<!\S)[\"'(]?[A-Za-z'’-]{1,40}[,.;:?!)\"']{0,3}(?!\S)")

#: What stands before a sentence of a list, a quote or a heading.
_BULLET: Final = re.compile(r"^\s{0,8}(?:[*+-] {1,3}|>{1,4} ?|\d{1,2}[.)] {1,2}|# |Subject: )(?=[\"'(\[\w])")
_HEADING: Final = re.compile(r"# |Subject: ")
#: A title: words and no output.
_TITLE: Final = re.compile(r"[^|=<>{}\t]{8,200}")

#: Words of somebody who reports a fault, beside those of a note such as "WAN circuit: 200 Mbit/s".
_REPORTS: Final = re.compile(
    r"\b(?:slow\w{0,4}|sluggish\w{0,2}|crawl\w{0,3}|only (?:get\w{0,4}|reach\w{0,2}|about|around|some|\d)|at most \d"
    r"|instead of|(?:much|far|way) (?:less|lower|worse)|expect(?:ed|ing)?|should (?:be|get|reach|have)|problems?"
    r"|issues?|trouble|poor(?:ly)?|terribl[ey]|horribl[ey]|awful\w{0,2}|stall\w{0,3}|freez\w{1,3}|hangs?|fails?"
    r"|drops? (?:to|packets|out)|unusable|unstable|lag\w{0,4}|tim(?:es|ed|ing) out|never (?:reach\w{0,2}|exceeds?)"
    r"|can(?:no|')t (?:get|reach)|all over the place|should be able to|capped at|langsam\w{0,2}|lent\w{0,5})\b"
    r"|慢|遅い|медленн",
    re.IGNORECASE,
)
#: Words for what is slow: without one of them or of a subject, a fault is of something else.
_MOVES: Final = re.compile(
    r"\b(?:(?:up|down)?loads?|(?:up|down)loading|transfers?|transferring|cop(?:y|ies|ying)|backups?|speeds?|throughput"
    r"|bandwidth|iperf\d?|speedtest)\b",
    re.IGNORECASE,
)

_Text = Annotated[str, Field(min_length=1)]


class Topic(BaseModel):
    """An entry of ``models/topics.yaml``; the keys are described there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    odds: dict[Class, Annotated[float, Field(gt=0, le=20)]] = Field(min_length=1)
    words: list[_Text] = Field(min_length=1)
    source: _Text

    @cached_property
    def pieces(self) -> frozenset[str]:
        """The longest piece of each word, in lower case: a text without any of them has none of the words."""
        return vocabulary.pieces(self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All words, which may overlap; the number of the group that matches is that of the word."""
        return re.compile(
            "(?=" + "|".join(f"({vocabulary.expression(word)})" for word in self.words) + ")", re.IGNORECASE
        )


@cache
def topics() -> Mapping[str, Topic]:
    """Return the entries of ``models/topics.yaml`` by their names.

    Returns
    -------
    dict of str to Topic
        In the order of the file.

    Examples
    --------
    >>> topics()["datagrams"].odds
    {'udp': 5.0, 'paced': 2.0, 'cpu-receiver': 1.3, 'loss': 1.3}
    """
    return yaml_file.entries(Topic, places.models_dir() / "topics.yaml")


def find(document: Document) -> Iterator[Statement]:
    """Find the words of each subject in what somebody wrote, each word once; beside them, what reports a fault."""
    if len(document.content) > _LARGEST or document.source_file.endswith((".csv", ".json", ".xml")):
        return
    source = document.source_file
    texts = [paragraph._replace(text=sentences.stated(paragraph.text)) for paragraph in _written(document.lines)]
    title = texts[0].first if len(texts) > 1 and _is_title(document.lines, texts[0].first) else -1
    lowered = "\n".join(paragraph.text for paragraph in texts).lower()
    words = 0
    for name, topic in topics().items():
        if not any(piece in lowered for piece in topic.pieces):
            continue
        told = set()
        for paragraph in texts:
            for match in topic.pattern.finditer(paragraph.text):
                group = match.lastindex or 1
                word = topic.words[group - 1]
                if word not in told and not _is_denied(paragraph.text, *match.span(group)):
                    told.add(word)
                    words += 1
                    quote = sentences.around(paragraph.text, *match.span(group))[:_QUOTED]
                    number = paragraph.line_of(match.start()) + 1
                    yield Statement("topic", f"{name}/{word}", source, number, quote, end_of(source))
                    if paragraph.first == title:
                        yield Statement("topic", f"{name}/{word} in the title", source, number, quote, end_of(source))
    if words or any(_MOVES.search(paragraph.text) is not None for paragraph in texts):
        yield from islice(_reports(texts, source), 1)


def _reports(texts: Sequence[sentences.Paragraph], source: str) -> Iterator[Statement]:
    """Sentences that report a fault."""
    for paragraph in texts:
        if (match := _REPORTS.search(paragraph.text)) is not None:
            quote = sentences.around(paragraph.text, *match.span())[:_QUOTED]
            yield Statement("report", "", source, paragraph.line_of(match.start()) + 1, quote, end_of(source))


def _written(lines: Sequence[str]) -> list[sentences.Paragraph]:
    """What somebody wrote: the title, and the paragraphs that are sentences."""
    paragraphs = list(sentences.paragraphs([_BULLET.sub(_blank, line, count=1) for line in lines]))
    written = [paragraph for paragraph in paragraphs if _is_written(paragraph.text)]
    first = next((paragraph for paragraph in paragraphs if paragraph.text.strip()), None)
    if written and first is not None and first.first < written[0].first and _is_title(lines, first.first):
        return [first, *written]
    return written


def _is_title(lines: Sequence[str], index: int) -> bool:
    """Whether a line is the title of what follows it."""
    if any(line.strip() for line in lines[:index]) or not any(line.strip() for line in lines[index + 1 :]):
        return False
    if _TITLE.fullmatch(lines[index]) is None:
        return False
    return _HEADING.match(lines[index]) is not None or not "".join(lines[index + 1 : index + 2]).strip()


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _is_written(line: str) -> bool:
    """Whether a line is a sentence that somebody wrote."""
    if line.isascii() and len(_WORD.findall(line)) < _LEAST_WORDS:
        return False
    return sentences.is_sentence(line) and (line.rstrip().endswith(_ENDS) or len(_JOINS.findall(line)) >= _LEAST_JOINS)


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words beside a word deny it."""
    before = " ".join(text[max(start - _NEAR, 0) : start].split()) + " "
    return _DENIED_BEFORE.search(before) is not None or _FINE_AFTER.match(text[end : end + _NEAR]) is not None
