"""Lines that name a cause by themselves, such as "Detected Tx Unit Hang"; ``models/cues.yaml`` lists them.

Files without the words that an entry needs are skipped first, which takes 10 ms per megabyte.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hecn_analysis.base import places
from hecn_analysis.files.documents import Document
from hecn_analysis.hardware import yaml_file
from hecn_analysis.statements import contrasts, sentences
from hecn_analysis.statements.speeds import RATE, Speed, speeds, unit_of
from hecn_analysis.statements.statement import Statement, end_of

#: Lines that one entry quotes, lines with its words that it tries, and characters of a line of a tool and of prose.
_MOST_MATCHES: Final = 3
_MOST_TRIED: Final = 400
_LONGEST: Final = 600
_LONGEST_STATED: Final = 4000
_QUOTED: Final = 200

#: Longest file that may be what somebody wrote. [B]
_LONGEST_PROSE: Final = 1 << 16

#: How much faster another rate must be, so that a window may be what holds the first back. [1]
_FASTER: Final = 3.0

#: Words for a fast line, with or without a number.
_GIGABIT: Final = re.compile(
    r"(?<![\w.,])(?:(\d{1,3}(?:\.\d)?)[ -]?g(?:(?:bit|igabit|bps|be|ige|ig|b/s|bit/s|gps|ps)s?)?|gigabit"
    r"|gbe|gige)(?![\w/])",
    re.IGNORECASE,
)

#: Outcomes of a comparison whose sides are alike by nature.
_OUTCOMES: Final = {"differs": (contrasts.SLOWER, contrasts.FASTER)}

#: A unit of small letters, which people write for bits and for bytes.
_SLOPPY: Final = re.compile(r"[km]b(?: ?/ ?s|ps)")

_CHUNK: Final = 1 << 16
_LONGEST_WORD: Final = 40
_SHORTEST_WORD: Final = 2

#: Bytes of a text as its words: letters in lower case, all else as space.
_AS_WORDS: Final = bytes(ord(chr(byte).lower()) if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
_MARKS: Final = (">", "|")
_QUOTE_MARKS: Final = re.compile(r"(?:[>|][ \t]?){1,6}")

Class = Literal[
    "window-tool",
    "window-host",
    "loss",
    "link",
    "shaper",
    "buffer-small",
    "start-up",
    "paced",
    "shared",
    "cpu-sender",
    "cpu-receiver",
    "disk-read",
    "disk-write",
    "receiver-app",
    "slot",
    "nic",
    "mtu",
    "duplex",
    "latency-protocol",
    "tool",
    "offload",
    "wifi",
    "udp",
    "other",
]


_Text = Annotated[str, Field(min_length=1)]
_Odds = Annotated[float, Field(gt=0, le=1000)]


class Cue(BaseModel):
    """An entry of ``models/cues.yaml``; the keys are described there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: _Text
    any: list[_Text] = []
    pattern: str = ""
    lines: int = Field(default=1, ge=1, le=40)
    where: str = ""
    unless: str = ""
    prose: bool = False
    compares: str = ""
    outcome: Literal["slower", "faster", "differs", "same"] = "slower"
    window: tuple[float, float] | tuple[float, float, float] | None = None
    units: float | None = None
    near: int = Field(default=40, ge=0, le=200)
    times: int = Field(default=1, ge=1, le=100)
    least: Mapping[str, float] = {}
    most: Mapping[str, float] = {}
    share: tuple[str, str, float] | tuple[str, str, float, float] | None = None
    not_of: list[_Text] = []
    odds: dict[Class, _Odds] = Field(min_length=1)
    says: _Text
    do: str = ""
    check: str = ""
    settings: Mapping[str, str | float | bool] = {}
    source: _Text
    example: list[_Text] = Field(min_length=1)
    counterexample: list[_Text] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Cue:
        if bool(self.any and self.pattern) == bool(self.compares):
            raise ValueError("found neither or both of any with pattern and compares, expected one of them")
        return self

    @cached_property
    def words(self) -> tuple[frozenset[bytes], ...]:
        """For each text of `any`, its words: a file without them has no such line."""
        return tuple(
            frozenset(word for word in text.encode().translate(_AS_WORDS).split() if len(word) >= _SHORTEST_WORD)
            for text in self.any
        )

    def holds(self, match: re.Match[str]) -> bool:
        """Whether the numbers of a line satisfy the entry."""
        groups = match.groupdict()
        values = {name: float(text.replace(",", "")) for name, text in groups.items() if text is not None}
        if any(values.get(name, 0) < bound for name, bound in self.least.items()):
            return False
        if any(values.get(name, 0) > bound for name, bound in self.most.items()):
            return False
        if self.share is None:
            return True
        part, whole, *bounds = self.share
        share = values.get(part, 0) / max(values.get(whole, 0), 1)
        return bounds[0] <= share <= (bounds[1] if len(bounds) > 1 else math.inf)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of an entry, as it is looked for."""
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


@cache
def entries() -> dict[str, Cue]:
    """Return the entries of ``models/cues.yaml`` by their names.

    Returns
    -------
    dict of str to Cue
        In the order of the file.

    Examples
    --------
    >>> entries()["tx-hang"].odds
    {'nic': 80.0, 'offload': 40.0}
    """
    return yaml_file.entries(Cue, places.models_dir() / "cues.yaml")


def _words(text: str) -> set[bytes]:
    """All words of a text, in lower case."""
    content = text.encode("utf-8", "replace").translate(_AS_WORDS)
    words: set[bytes] = set()
    for start in range(0, len(content), _CHUNK):
        words.update(content[start : start + _CHUNK + _LONGEST_WORD].split())
    return words


class _Lines:
    """The lines of a file, without quote marks of mail and cut to the length that counts."""

    def __init__(self, document: Document) -> None:
        self._lines: Sequence[str] = document.lines
        self._lowered = document.text.lower()
        self._compared: dict[str, Sequence[tuple[str, int, str]]] = {}

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self._lowered))]

    def with_any(self, texts: list[str]) -> list[int]:
        """Indices of the first lines that contain any of several texts."""
        indexes: set[int] = set()
        for text in texts:
            at, wanted = -1, text.lower()
            for _ in range(_MOST_TRIED):
                at = self._lowered.find(wanted, at + 1)
                if at < 0:
                    break
                index = bisect_right(self._starts, at) - 1
                indexes.add(index)
                at = self._starts[index + 1] - 1 if index + 1 < len(self._starts) else len(self._lowered)
        return sorted(indexes)[:_MOST_TRIED]

    @cached_property
    def _unquoted(self) -> Sequence[str]:
        return [_QUOTE_MARKS.sub("", line, count=1) if line[:1] in _MARKS else line for line in self._lines]

    @cached_property
    def _paragraphs(self) -> Sequence[sentences.Paragraph]:
        """The lines in which somebody states something, without what sentences ask, guess, or quote."""
        written = sentences.paragraphs(self._unquoted)
        return [paragraph._replace(text=sentences.stated(paragraph.text)) for paragraph in written]

    @cached_property
    def _paragraph_of(self) -> Sequence[int]:
        """For each line, the place of its paragraph."""
        return [place for place, paragraph in enumerate(self._paragraphs) for _ in paragraph.starts]

    def stated(self, index: int, lines: int) -> tuple[str, int, int]:
        """Some paragraphs from that of a line on, and where that line begins and ends in them."""
        first = self._paragraph_of[index]
        last = self._paragraph_of[min(index + lines, len(self._paragraph_of)) - 1]
        paragraph = self._paragraphs[first]
        start = paragraph.starts[index - paragraph.first]
        end = start + len(self._unquoted[index])
        return (
            "\n".join(paragraph.text[:_LONGEST_STATED] for paragraph in self._paragraphs[first : last + 1]),
            start,
            end,
        )

    @cached_property
    def speeds(self) -> Sequence[Speed]:
        """Speeds that sentences state."""
        return list(islice(speeds(self._unquoted), _MOST_TRIED))

    @cached_property
    def _in_vain(self) -> Sequence[tuple[int, str]]:
        """Sentences that tell of a change without an effect."""
        return list(contrasts.in_vain(self._unquoted))

    def compared(self, name: str) -> Sequence[tuple[str, int, str]]:
        """What the text compares of an entry of ``models/comparisons.yaml``: outcome, index and words of each line."""
        if name not in self._compared:
            self._compared[name] = list(self._comparisons(contrasts.compared()[name]))
        return self._compared[name]

    def _comparisons(self, entry: contrasts.Compared) -> Iterator[tuple[str, int, str]]:
        if not any(piece in self._lowered for piece in entry.pieces):
            return
        for outcome, speed in contrasts.outcomes(entry, self.speeds):
            yield outcome, speed.line, speed.text
        if entry.part:
            yield from ((contrasts.SLOWER, *told) for told in contrasts.culprits(self._unquoted, entry))
        for index, text in self._in_vain:
            if entry.speaks_of(text):
                yield contrasts.SAME, index, text

    @cached_property
    def all_stated(self) -> str:
        """All lines, without what sentences ask, guess, or quote."""
        return "\n".join(paragraph.text for paragraph in self._paragraphs)

    def text(self, first: int, end: int) -> str:
        """Some of the lines, as one text."""
        return "\n".join(
            _QUOTE_MARKS.sub("", line[:_LONGEST], count=1) if line[:1] in _MARKS else line[:_LONGEST]
            for line in self._lines[max(first, 0) : end]
        )


def find(document: Document) -> Iterator[Statement]:
    """Find lines that match the entries of ``models/cues.yaml``, at most three of each entry."""
    possible = _possible(_words(document.text))
    is_prose = len(document.text) <= _LONGEST_PROSE
    candidates = [
        (name, cue)
        for name, cue in entries().items()
        if (is_prose if cue.compares else (is_prose or not cue.prose) and name in possible)
    ]
    if not candidates:
        return
    lines, end = _Lines(document), end_of(document.source_file)
    for name, cue in candidates:
        matches = list(islice(_matches(cue, lines), max(_MOST_MATCHES, cue.times)))
        if len(matches) >= cue.times:
            for index, quoted in matches[:_MOST_MATCHES]:
                yield Statement("cue", name, document.source_file, index + 1, quoted, end)


def _possible(words: set[bytes]) -> set[str]:
    """Entries for one of whose texts a file has all words."""
    forms = _by_word()
    return {name for word in (*forms.keys() & words, b"") for needed, name in forms.get(word, ()) if needed <= words}


@cache
def _by_word() -> Mapping[bytes, Sequence[tuple[frozenset[bytes], str]]]:
    """Words of each text of each entry with its name, by the longest of them; empty for a text without words."""
    forms: dict[bytes, list[tuple[frozenset[bytes], str]]] = {}
    for name, cue in entries().items():
        for needed in cue.words:
            forms.setdefault(max(needed, key=len, default=b""), []).append((needed, name))
    return forms


def _matches(cue: Cue, lines: _Lines) -> Iterator[tuple[int, str]]:
    """Lines that match an entry: their indices and the words to quote."""
    if cue.window is not None:
        yield from _products(cue, lines, *cue.window)
        return
    if cue.units is not None:
        yield from _equals(lines, cue.units)
        return
    if cue.compares:
        yield from _told(cue, lines)
        return
    for index in lines.with_any(cue.any):
        if (quoted := _quoted(cue, lines, index)) is not None:
            yield index, quoted


def _told(cue: Cue, lines: _Lines) -> Iterator[tuple[int, str]]:
    """Lines that compare what an entry names, each once."""
    told = [row for row in lines.compared(cue.compares) if row[0] in _OUTCOMES.get(cue.outcome, (cue.outcome,))]
    if not told or (cue.where and compiled(cue.where).search(lines.all_stated) is None):
        return
    if cue.unless and compiled(cue.unless).search(lines.all_stated) is not None:
        return
    seen = set()
    for _, index, text in told:
        if (quote := " ".join(text.split())[:_QUOTED]) not in seen:
            seen.add(quote)
            yield index, quote


def _products(cue: Cue, lines: _Lines, least: float, most: float, faster: float = _FASTER) -> Iterator[tuple[int, str]]:
    """Where a stated rate times a stated round-trip time is a window of the size that the entry names."""
    times = [float(match["ms"].replace(",", ".")) / 1e3 for match in compiled(cue.pattern).finditer(lines.all_stated)]
    rates = [speed for speed in lines.speeds if speed.bps]
    fastest = max([_line_bps(lines.all_stated), *(speed.bps for speed in rates)])
    for speed in rates:
        product = speed.bps * max(times, default=0.0) / 8
        if least <= product <= most and fastest >= faster * speed.bps:
            yield speed.line, " ".join(speed.text.split())[:_QUOTED]


def _equals(lines: _Lines, most: float) -> Iterator[tuple[int, str]]:
    """Where a rate in bytes is the fastest rate that is stated in bits, but for a share."""
    rates = [(rate, _bps(rate), speed) for speed in lines.speeds for rate in RATE.finditer(speed.text)]
    fastest = max((bps for _, bps, _ in rates), default=0.0)
    line = max((bps for rate, bps, _ in rates if not _in_bytes(unit_of(rate))), default=0.0)
    for rate, bps, speed in rates:
        is_line = line and fastest <= (1 + most) * line
        # "mb/s" may be either: then one of them is 8 times the other
        may_be_bytes = _SLOPPY.search(rate[0]) is not None and not _in_bytes(unit_of(rate))
        taken = bps if _in_bytes(unit_of(rate)) else 8 * bps if may_be_bytes else 0.0
        if is_line and abs(taken / line - 1) <= most:
            yield speed.line, " ".join(speed.text.split())[:_QUOTED]


def _in_bytes(unit: float) -> bool:
    return math.log10(unit / 8).is_integer()


def _bps(rate: re.Match[str]) -> float:
    return float(rate["number"].replace(",", ".")) * unit_of(rate)


def _line_bps(text: str) -> float:
    """Rate of the line that words name: "gigabit NICs", "a 10G path". [bit/s]."""
    return max((float(match[1] or 1) * 1e9 for match in _GIGABIT.finditer(text)), default=0.0)


def _quoted(cue: Cue, lines: _Lines, index: int) -> str | None:
    """Words of a line that match an entry, or None."""
    if cue.prose:
        text, start, end = lines.stated(index, cue.lines)
    else:
        text = lines.text(index, index + cue.lines)
        start, end = 0, len(text.partition("\n")[0])
    hits = compiled(cue.pattern).finditer(text, start)
    match = next((hit for hit in hits if not (cue.prose and sentences.is_denied(text, hit))), None)
    if match is None or match.start() > end or not cue.holds(match):
        return None
    if cue.where or cue.unless:
        around = lines.text(index - cue.near, index + cue.near + 1)
        if cue.where and compiled(cue.where).search(around) is None:
            return None
        if cue.unless and compiled(cue.unless).search(around) is not None:
            return None
    if cue.prose:
        return sentences.around(text, *match.span())[:_QUOTED]
    last = text.find("\n", match.end())
    quoted = text[: last if last >= 0 else len(text)]
    whole = " ".join(quoted.split())
    if len(whole) > _QUOTED:  # then the first line and the last
        whole = " ".join([*quoted.partition("\n")[0].split(), "…", *quoted.rpartition("\n")[2].split()])
    return whole[:_QUOTED]
