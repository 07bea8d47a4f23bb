"""The second reading of a file: without what mails, pages and notes add to the output of programs.

A file whose plain reading leaves something open is read again without each layer of `hecn_analysis.parsing.cleaning`
that changes a relevant line. The reading of a cleaner text replaces that of the plain one, stretch by stretch, if the
plain text yields nothing, or fewer or other figures with as many problems. The readers of logs, of counters and of
captured outputs share the rules; each defines the parts of its reading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain, compress, islice
from typing import Any, Final, Generic, NamedTuple, TypeVar

from hecn_analysis.parsing import prefixes
from hecn_analysis.parsing.cleaning import CERTAIN, JOINING, Text, cleaned
from hecn_analysis.parsing.cleaning.marks import front

T = TypeVar("T")
Problem = dict[str, Any]
#: Marks inside lines that may cost a figure without any problem: literally, and by what they contain in lower case.
_MARKS: Final = ("**", "`", "~~~", "=3d")
_MARKS_BY_SIGN: Final = {
    sign: re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for sign, pattern in {
        "&": r"&#?\w{2,8};",
        "<": r"</?[A-Za-z][\w-]{0,12}[ >/]",
        "[": r"\[/?(?:code|quote|pre|b)\]",
        "{": r"\{(?:code|noformat|quote|panel)\b",
        "=": r"=(?:20)?$",
        "\\": r"\\$",
        "content-transfer-encoding:": r"^Content-Transfer-Encoding:",
    }.items()
}
_OPEN_QUOTE: Final = re.compile(r'[^"]*"(?:[^"]|"")*')
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TYPOGRAPHIC: Final = re.compile(r"[\u00a0\u2000-\u206f\u2212\u3000\uff01-\uff5e]")
_HEAD: Final = 16  # lines by which a file is recognised
_PARAGRAPH: Final = 24  # lines of a paragraph that are looked at
_BLANKS: Final = (" ", "\t")
_AROUND: Final = 3  # lines of a note around an indented output
_LISTS: Final = (Mapping, list, tuple, range)
#: Layers of marks that outputs contain, too: removing one counts only if every line of the output has it.
_INNER: Final = frozenset({"margins", "margins of paragraphs", "list marks"})
_ACTIVE: Final = re.compile(r"<(?:script|img|svg|iframe|object)\b", re.IGNORECASE)  # in names, not around outputs
_COUNTED: Final = frozenset({"malformed", "truncated", "inconsistent"})


@dataclass(frozen=True)
class Part(Generic[T]):
    """One reader's result for some lines.

    ``what`` is the result itself: a run, the counters of one format, an output. ``is_only``: a reading has one of its
    ``kind`` at most, wherever its lines are. ``kind`` is the tool or the format,
    ``lines`` are numbers of lines in the file. ``figures`` are its values by name: a mapping or a list counts its
    items, a range its length. ``problems`` are rows of the table of problems. ``is_failure``: a tool reports its
    failure.
    """

    what: T
    kind: str
    lines: AbstractSet[int]
    figures: Mapping[str, object]
    problems: Sequence[Problem] = ()
    is_failure: bool = False
    is_only: bool = False


@dataclass
class Reading(Generic[T]):
    """The result of one reading of a file: its parts, and all problems, including those of the parts."""

    parts: list[Part[T]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether nothing was read, or a part could not be."""
        return not self.parts or any(problem["kind"] in _COUNTED for problem in self.problems)


class Change(NamedTuple):
    """Lines that differ from those of the plain text.

    ``layers`` are names of the removed layers, ``text`` is the text without them. ``numbers`` are those of the changed
    lines; if the last layer joins lines, only of those that it changed. ``marked`` are the lines from which the last
    layer removed more than a margin, and all blank lines; ``fresh`` are those that the last layer changed; ``blank``
    are the blank ones. ``layer`` is the last layer; ``is_whole``: it changed every line that is not blank.
    """

    layers: tuple[str, ...]
    text: Text
    numbers: AbstractSet[int]
    marked: AbstractSet[int]
    fresh: AbstractSet[int]
    blank: AbstractSet[int]
    layer: str
    is_whole: bool

    @property
    def around(self) -> Text:
        """The beginning of the text, and the paragraphs in which the last layer changed a line."""
        lines, numbers = self.text
        wanted = [place < _HEAD for place in range(len(lines))]
        for order in (range(len(lines)), reversed(range(len(lines)))):
            left = 0
            for place in order:
                left = _PARAGRAPH if numbers[place] in self.fresh else left - 1 if lines[place].strip() else 0
                wanted[place] = wanted[place] or left > 0
        return Text(list(compress(lines, wanted)), list(compress(numbers, wanted)))


def is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines of a file have marks inside, nearly all a margin, or the first and the last a mark or prefix."""
    if any(map(_ACTIVE.search, lines)):
        return False
    ends = [next(filter(str.strip, each), "") for each in (lines, reversed(lines))]
    is_prefixed = all(prefixes.bare(line) != line for line in ends)
    written = [line for line in lines if line.strip()]
    outside = sum(line[0] not in _BLANKS for line in written)
    return is_prefixed or has_marks(lines) or are_marked(ends) or 0 < outside <= min(_AROUND, len(written) // 2)


def has_marks(lines: Sequence[str]) -> bool:
    """Whether lines have marks inside that may cost a figure without any problem."""
    text = "\n".join(lines)
    lower = text.lower()
    return (
        any(mark in lower for mark in _MARKS)
        or any(sign in lower and pattern.search(text) is not None for sign, pattern in _MARKS_BY_SIGN.items())
        or ('"' in text and any(map(_has_open_quote, lines)))
        or _CONTROLS.search(text) is not None
        or (not text.isascii() and _TYPOGRAPHIC.search(text) is not None)
    )


def _has_open_quote(line: str) -> bool:
    return line.count('"') % 2 == 1 and _OPEN_QUOTE.fullmatch(line) is not None


def are_marked(lines: Sequence[str]) -> bool:
    """Whether the first and the last line of a block begin with the same possible mark, or both with a margin."""
    written = (line for line in lines if line.strip()), (line for line in reversed(lines) if line.strip())
    ends = [next(each, "") for each in written]
    first, last = map(front, ends)
    return bool(first) and (first == last or all(line[:1] in _BLANKS for line in ends))


def changes(text: Text, left_on: AbstractSet[str] = frozenset()) -> Iterator[Change]:
    """Remove the layers of a text, one after another."""
    step, numbers = text, set[int]()
    blank = {number for line, number in zip(*text, strict=True) if not line.strip()}
    for cleaned_text in cleaned(text, left_on=left_on):
        fresh, marked = _differ(step, cleaned_text.text)
        numbers = numbers | fresh
        changed = fresh if cleaned_text.layer in JOINING else numbers
        is_whole = cleaned_text.layer not in JOINING and len(fresh) > 1 and fresh | blank >= set(step.numbers)
        yield Change(
            cleaned_text.layers, cleaned_text.text, changed, marked | blank, fresh, blank, cleaned_text.layer, is_whole
        )
        step = cleaned_text.text


def read_again(
    plain: Reading[T],
    text: Text,
    read: Callable[[Change], Reading[T]],
    *,
    matters: Callable[[Change], bool],
    passed_over: AbstractSet[str] = frozenset(),
) -> Reading[T]:
    """Read a text again without each relevant layer, and keep the better reading of each stretch.

    `matters` decides, before the text of a change is read, whether it may yield anything new. `passed_over` are layers
    that the readers skip by themselves: they stay once there is something to read below them.
    """
    best = plain
    left_on = passed_over if plain.parts else frozenset()
    steps, done = changes(text, left_on), 0
    while (step := next(steps, None)) is not None:
        done += 1
        if matters(step):
            best = better(best, read(step), step)
        if best.parts and left_on != passed_over:
            left_on = passed_over
            steps = islice(changes(text, left_on - set(step.layers)), done, None)
    return best


def better(before: Reading[T], after: Reading[T], change: Change) -> Reading[T]:
    """Return the better of two readings for each stretch of a file."""
    if _is_truer(before, after, change):
        return after
    parts: list[Part[T]] = []
    taken: list[Part[T]] = []
    gone: list[Part[T]] = []
    for old, new in _stretches(before.parts, after.parts):
        if _is_better(old, new, change):
            taken += new
            gone += old
            parts += new
        else:
            parts += old
    if not taken:
        return before
    lines = frozenset[int]().union(*(part.lines for part in taken))
    dropped = {id(problem) for part in gone for problem in part.problems}
    problems = [each for each in before.problems if id(each) not in dropped and each["line"] not in lines]
    added = {id(each): each for part in taken for each in part.problems}
    return Reading(parts, [*problems, *added.values()])


def _known(value: object, *, texts: bool = True) -> int:
    """Number of values in a value: itself, the items of a list or mapping, or the length of a range."""
    if isinstance(value, Mapping):
        return sum(_known(each, texts=texts) for each in value.values())
    if isinstance(value, range):
        return len(value)
    if isinstance(value, (list, tuple)):
        return sum(_known(each, texts=texts) for each in value)
    return int(value is not None and value is not False and (texts or not isinstance(value, str)))


def _is_truer(before: Reading[Any], after: Reading[Any], change: Change) -> bool:
    """Whether the reading without a layer that no program prints, or that every line has, replaces the other."""
    if not after.parts or not (change.is_whole or change.layer in CERTAIN):
        return False
    now, worse = _count(after.problems), _count(before.problems)
    is_same = [part.figures for part in after.parts] == [part.figures for part in before.parts]
    if change.is_whole and len(after.parts) > len(before.parts) and _numbers(after) >= _numbers(before):
        return True  # what is left of an output behind marks may end without a problem, and lack its beginning
    if now > worse or (now == worse and is_same):
        return False
    if change.is_whole and CERTAIN.issuperset(change.layers):
        return True
    return _numbers(after) >= _numbers(before)


def _numbers(reading: Reading[Any]) -> int:
    """Number of values other than texts in a reading."""
    return sum(_known(value, texts=False) for part in reading.parts for value in part.figures.values())


def _is_better(before: Sequence[Part[Any]], after: Sequence[Part[Any]], change: Change) -> bool:
    """Whether the reading of a cleaner text replaces a stretch."""
    is_certain = CERTAIN.issuperset(change.layers)
    lines = frozenset[int]().union(*(part.lines for part in (*before, *after)))
    is_changed = not change.numbers.isdisjoint(lines)
    if not before:
        return is_changed or JOINING.isdisjoint(change.layers)
    worse, now = _count(_problems(before)), _count(_problems(after))
    is_other = [part.figures for part in before] != [part.figures for part in after]
    if not after or not (is_certain or is_changed) or not (is_other or now < worse):
        return False
    had, has = (sum(_known(part.figures) for part in parts) for parts in (before, after))
    is_free = is_certain or (JOINING.isdisjoint(change.layers) and change.marked >= lines)
    if is_free and now <= worse and is_other and _rows(before) <= _rows(after) and _names(before) <= _names(after):
        return True
    is_inside = change.layer in _INNER and not worse and not _is_around(change.fresh, lines - change.blank)
    if is_inside or {part.kind for part in before} - {part.kind for part in after} or len(before) > len(after):
        return False
    if any(part.is_failure for part in before) > any(part.is_failure for part in after):
        return False
    # Lines that were joined by their width may have one value more by chance, or be one part more.
    is_named = _names(before) < _names(after) and len(before) == len(after)
    is_more = has > had and (change.layer != "filled lines" or now < worse or is_named)
    is_more = is_more or (has == had and is_named and JOINING.isdisjoint(change.layers))  # one that is "off"
    return now <= worse and (is_more or (now < worse and has == had and JOINING.isdisjoint(change.layers)))


def _is_around(fresh: AbstractSet[int], lines: AbstractSet[int]) -> bool:
    """Whether a layer changed all lines, but for a few of a note before and after them."""
    left = lines - fresh
    first, last = min(fresh & lines, default=0), max(fresh & lines, default=0)
    return not left or (len(left) <= _AROUND and not any(first < line < last for line in left))


def _problems(parts: Iterable[Part[Any]]) -> Iterator[Problem]:
    """The problems of parts."""
    return (problem for part in parts for problem in part.problems)


def _count(problems: Iterable[Problem]) -> int:
    """Number of problems with what was read."""
    return len({id(problem) for problem in problems if problem["kind"] in _COUNTED})


def _rows(parts: Iterable[Part[Any]]) -> int:
    """Number of values in the lists among the figures of parts."""
    return sum(_known(value) for part in parts for value in part.figures.values() if isinstance(value, _LISTS))


def _names(parts: Iterable[Part[Any]]) -> set[str]:
    """Names of the figures of parts."""
    return {name for part in parts for name, value in part.figures.items() if value is not None}


def _stretches(before: Sequence[Part[T]], after: Sequence[Part[T]]) -> Iterator[tuple[list[Part[T]], list[Part[T]]]]:
    """Parts of two readings that share lines or are the same one, by the first line; a part alone is a stretch too."""
    everyone = [(part, 0) for part in before] + [(part, 1) for part in after]
    group = list(range(len(everyone)))

    def root(member: int) -> int:
        while group[member] != member:
            group[member] = group[group[member]]
            member = group[member]
        return member

    owner: dict[int, int] = {}
    only: dict[str, int] = {}
    for place, (part, _) in enumerate(everyone):
        if part.is_only:
            group[root(place)] = root(only.setdefault(part.kind, place))
        for line in part.lines:
            group[root(place)] = root(owner.setdefault(line, place))
    sides_of: defaultdict[int, tuple[list[Part[T]], list[Part[T]]]] = defaultdict(lambda: ([], []))
    for place, (part, side) in enumerate(everyone):
        sides_of[root(place)][side].append(part)
    yield from sorted(sides_of.values(), key=lambda sides: min(min(each.lines, default=0) for each in chain(*sides)))


def _differ(before: Text, after: Text) -> tuple[set[int], set[int]]:
    """Numbers of the lines that two texts do not share, and of those that differ by more than a margin."""
    if before.numbers is after.numbers:
        pairs = zip(before.lines, after.lines, before.numbers, strict=True)
        changed = [(old, new, number) for old, new, number in pairs if old is not new and old != new]
        numbers = {number for *_, number in changed}
        return numbers, {number for old, new, number in changed if old.strip() != new.strip()}
    texts = _by_number(before), _by_number(after)
    numbers = {number for number, parts in texts[0].items() if texts[1].get(number) != parts}
    bare = {number for number in numbers if _bare(texts[0][number]) != _bare(texts[1].get(number, []))}
    return numbers, bare


def _by_number(text: Text) -> dict[int, list[str]]:
    """The lines of a text by their number in the file."""
    by_number: dict[int, list[str]] = {}
    for line, number in zip(text.lines, text.numbers, strict=True):
        by_number.setdefault(number, []).append(line)
    return by_number


def _bare(parts: Sequence[str]) -> list[str]:
    """Lines without their margins."""
    return [part.strip() for part in parts]
