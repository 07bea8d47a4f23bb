"""Try every regular expression of the package on texts made against it: ``python -m fuzz.patterns``; `make redos`.

All patterns are collected: those that modules, classes and containers in them hold, those written down inside
functions, and those of models/cues.yaml. Of each, the texts follow from what it says: what leads up to a
repetition, then what is repeated, a million characters of it, then something else; several of such one after another;
and every character that it names, alone. A pattern is tried by the methods that the package calls it by, and by
`search` where that is not known.

A pattern is at fault where its time grows faster than the text, or takes more than two seconds for a million
characters. Readers of logs see lines of at most 4000 characters: their patterns are tried on a million characters in
lines of that length.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, Final

import hecn_analysis
from fuzz.mutate import Slow, limited
from hecn_analysis.statements import contrasts, cues

LONGEST: Final = 1_000_000
LONGEST_OF_LOGS: Final = 4_000
SECONDS_PER_MEGABYTE: Final = 2.0
_METHODS: Final = frozenset({"match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split"})
_SAMPLES: Final = {
    codes.CATEGORY_DIGIT: "0",
    codes.CATEGORY_SPACE: " \n",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_WORD: " \n",
}
_CATEGORY: Final = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_WORD: lambda character: character.isalnum() or character == "_",
}
_COMMON: Final = ' 0a.-:,/_x["=\tA%(<'
#: Longest texts that patterns see which the code around them gives nothing longer.
_SEEN: Final = {
    "inventory.lscpu._KNOWN": 180,  # names of at most 60 characters, folded
    "inventory.outputs._MARKED": 400,
    "inventory.outputs._PROMPT": 400,
}
#: Less processor time than this cannot be compared; more than that is too much, whatever it is compared with.
_SEEN_S: Final = 3e-3
_ENOUGH_S: Final = 0.3
_TRIALS: Final = 3  # growth is seen in each, or it was the machine
#: Lengths that every text is tried at, and what the rest of `slowest` goes by.
_LENGTHS: Final = (1_000, 4_000, 30_000)
#: Pace at the longest of them from which a million characters are tried: grown in step with the length it is at fault.
_QUICK_S: Final = SECONDS_PER_MEGABYTE / LONGEST * _LENGTHS[-1] / LONGEST
_LEAST_S: Final = 5e-3  # what takes less is not told from the clock's steps
_FAR: Final = 40  # repetitions up to here are as good as written out


@dataclass(frozen=True)
class Found:
    """A pattern of the package.

    Parameters
    ----------
    pattern
        The pattern.
    place
        Module and name, or line.
    methods
        Methods that it is called by.
    longest
        Length of the longest text that it sees. [characters]
    """

    pattern: re.Pattern[Any]
    place: str
    methods: frozenset[str]
    longest: int


# Collecting


def modules() -> list[ModuleType]:
    """All modules of the package."""
    names = [each.name for each in pkgutil.walk_packages(hecn_analysis.__path__, "hecn_analysis.")]
    return [hecn_analysis, *(importlib.import_module(name) for name in names if not name.endswith("__main__"))]


def _held(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth > 4 or isinstance(value, (str, bytes)):
        return
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _held(key, depth + 1)
            yield from _held(inner, depth + 1)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for inner in value:
            yield from _held(inner, depth + 1)
    elif type(value).__module__.startswith("hecn_analysis."):
        for name in getattr(type(value), "__dataclass_fields__", ()):
            yield from _held(getattr(value, name, None), depth + 1)


def _named(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Patterns in the globals of a module and in its classes."""
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for inner, held in vars(value).items():
                yield from ((inner, pattern) for pattern in _held(held))
        else:
            yield from ((name, pattern) for pattern in _held(value))


def _written(module: ModuleType, tree: ast.AST) -> Iterator[tuple[int, str, re.Pattern[Any]]]:
    """Patterns that are given to functions of `re` where they are used: line, method, pattern."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        if node.func.attr not in {*_METHODS, "compile"}:
            continue
        flags: Any = 0
        given = [word.value for word in node.keywords if word.arg == "flags"]
        positions = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
        given += node.args[positions.get(node.func.attr, 2) :][:1]
        with suppress(Exception):  # what is only known at run time is found where it is held
            text = eval(compile(ast.Expression(node.args[0]), "", "eval"), vars(module))  # noqa: S307 - our own source
            if given:
                flags = eval(compile(ast.Expression(given[0]), "", "eval"), vars(module))  # noqa: S307 - same
            yield node.lineno, node.func.attr, re.compile(text, flags)


def _calls(trees: Sequence[ast.AST]) -> dict[str, frozenset[str]]:
    """Methods of patterns that are called, by the name that they are called on."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _METHODS:
                base = node.value
                while isinstance(base, ast.Subscript):
                    base = base.value
                name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
                found.setdefault(name, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _described() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Patterns that models/ write down; words of topics have no repetition but a short one."""
    for name, cue in cues.entries().items():
        for text in filter(None, (cue.pattern, cue.where, cue.unless)):
            yield f"models.cues.{name}", cues.compiled(text)
    for name, entry in contrasts.compared().items():
        for pattern in entry.patterns:
            yield f"models.comparisons.{name}", pattern


def collect() -> list[Found]:
    """All patterns of the package, each once, with all methods that it may be called by."""
    found: dict[re.Pattern[Any], Found] = {}

    def add(pattern: re.Pattern[Any], place: str, methods: frozenset[str], longest: int) -> None:
        before = found.get(pattern)
        if before is not None:
            place, methods, longest = before.place, before.methods | methods, max(before.longest, longest)
        found[pattern] = Found(pattern, place, methods, longest)

    loaded = [(module, ast.parse(inspect.getsource(module))) for module in modules()]
    everywhere = _calls([tree for _, tree in loaded])
    for module, tree in loaded:
        name = module.__name__.removeprefix("hecn_analysis.")
        longest = LONGEST_OF_LOGS if name.startswith("logs.") and "json" not in name else LONGEST
        own = _calls([tree])
        for held, pattern in _named(module):
            methods = own.get(held) or everywhere.get(held) or frozenset({"match", "search"})
            place = f"{name}.{held}"
            add(pattern, place, methods, _SEEN.get(place, longest))
        for line, method, pattern in _written(module, tree):
            if method != "compile" or pattern not in found:
                methods = frozenset({"match", "search"} if method == "compile" else {method})
                add(pattern, f"{name}:{line}", methods, longest)
    for place, pattern in _described():
        add(pattern, place, frozenset({"search"}), LONGEST_OF_LOGS)
    return list(found.values())


# Texts made against a pattern


def _characters(item: tuple[Any, Any]) -> list[str]:  # noqa: PLR0911 - one for each kind of item
    """Some characters that an item of one character matches."""
    code, value = item
    if code is codes.LITERAL:
        return [chr(value)]
    if code is codes.NOT_LITERAL:
        return [character for character in "a 0-" if ord(character) != value]
    if code is codes.ANY:
        return ["a", " ", "0", ":"]
    if code is codes.CATEGORY:
        return list(_SAMPLES.get(value, "a"))
    if code is codes.RANGE:
        return [chr(value[0]), chr(value[1])]
    if code is codes.IN:
        if value and value[0][0] is codes.NEGATE:
            return [one for one in "a 0-:,.\t\n\"'/" if not any(_is(one, part) for part in value[1:])] or ["\u00e9"]
        return [character for part in value for character in _characters(part)][:6]
    return []


def _is(character: str, part: tuple[Any, Any]) -> bool:
    code, value = part
    if code is codes.LITERAL:
        return ord(character) == value
    if code is codes.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if code is codes.CATEGORY:
        test = _CATEGORY.get(value)
        return bool(test(character)) if test else True
    return False


_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def _example(items: Any, pick: int = 0) -> str:  # noqa: ANN401 - a tree of `re`
    """A text that items match, as short as may be."""
    parts = []
    for code, value in items:
        if code in _REPEATS:
            parts.append(_example(value[2], pick) * value[0])
        elif code is codes.SUBPATTERN:
            parts.append(_example(value[3], pick))
        elif code is codes.ATOMIC_GROUP:
            parts.append(_example(value, pick))
        elif code is codes.BRANCH:
            parts.append(_example(value[1][pick % len(value[1])], pick))
        elif code in {codes.AT, codes.ASSERT, codes.ASSERT_NOT, codes.GROUPREF, codes.GROUPREF_EXISTS}:
            continue
        else:
            choices = _characters((code, value)) or ["a"]
            parts.append(choices[pick % len(choices)])
    return "".join(parts)


def _pumps(items: Any, before: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a tree of `re`
    """What leads up to each long repetition, and what it repeats."""
    lead = before
    for code, value in items:
        inner: list[Any] = []
        if code in _REPEATS:
            if value[1] > _FAR:
                if len(value[2]) == 1 and (single := _characters(value[2][0])):
                    yield from ((lead, character) for character in single)
                else:
                    yield from ((lead, text) for pick in (0, 1, 2) if (text := _example(value[2], pick)))
            inner = [value[2]]
        elif code is codes.SUBPATTERN:
            inner = [value[3]]
        elif code is codes.ATOMIC_GROUP:
            inner = [value]
        elif code is codes.BRANCH:
            inner = list(value[1])
        elif code in {codes.ASSERT, codes.ASSERT_NOT}:
            inner = [value[1]]
        for each in inner:
            yield from _pumps(each, lead)
        lead += _example([(code, value)])


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Texts against a pattern: a beginning, what is repeated, and an end that it does not expect."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    if isinstance(pattern.pattern, bytes):
        return []
    found: dict[tuple[str, str, str], None] = {}
    for lead, pump in _pumps(tree, ""):
        for end in ("", "\x00", "\x00\n"):
            found[lead, pump, end] = None
        found["", lead + pump, "\x00"] = None
        found["", lead + pump * 30, "\x00"] = None
        if lead:
            found["", lead, "\x00"] = None
    alphabet = {chr(value) for code, value in _literals(tree) if code is codes.LITERAL}
    for character in [*_COMMON, *sorted(alphabet)[:8]]:
        found["", character, "\x00"] = None
    found["", _example(tree), "\x00"] = None
    return [(lead, pump, end) for lead, pump, end in found if pump]


def _literals(items: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - a tree of `re`
    for code, value in items:
        if code is codes.LITERAL:
            yield code, value
        elif code in _REPEATS:
            yield from _literals(value[2])
        elif code is codes.SUBPATTERN:
            yield from _literals(value[3])
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _literals(branch)


def text(attack: tuple[str, str, str], length: int) -> str:
    """The text of an attack, of about so many characters."""
    lead, pump, end = attack
    return lead + pump * max(1, length // len(pump)) + end


def _use(pattern: re.Pattern[str], method: str) -> Callable[[str], object]:
    """Call a pattern by a method, for as much as it gives."""
    called = getattr(pattern, method)
    if method == "finditer":
        return lambda given: sum(1 for _ in called(given))
    if method in {"sub", "subn"}:
        return lambda given: called("", given)
    return called  # type: ignore[no-any-return]


def seconds(
    pattern: re.Pattern[str],
    method: str,
    given: str,
    limit: float,
    *,
    clock: Callable[[], float] = time.process_time,
    times: int = 1,
) -> float:
    """Time of a pattern on a text; `limit` where it takes longer. [s].

    Parameters
    ----------
    pattern, method
        What is called.
    given
        The text.
    limit
        Processor time after which it is ended. [s]
    clock
        What measures: processor time may be counted in ticks of some milliseconds.
    times
        How often it is called.
    """
    use = _use(pattern, method)
    start = clock()
    try:
        with limited(limit):
            for _ in range(times):
                use(given)
    except Slow:
        return limit
    return clock() - start


@dataclass(frozen=True)
class Trial:
    """A pattern on a text.

    Parameters
    ----------
    found, method
        What was called.
    attack
        What the text was made of.
    length
        Characters that were read, in texts of at most `Found.longest`.
    seconds
        Processor time. [s]
    allowed
        Processor time from which on it is at fault. [s]
    """

    found: Found
    method: str
    attack: tuple[str, str, str]
    length: int
    seconds: float
    allowed: float

    @property
    def at_fault(self) -> bool:
        """Whether it took too long."""
        return self.seconds >= self.allowed

    @property
    def pace(self) -> float:
        """Time for each character. [s]."""
        return self.seconds / self.length

    def __str__(self) -> str:
        shown = tuple(each[:40] for each in self.attack)
        return (
            f"{self.found.place}.{self.method}: {self.seconds:.2f} s for {self.length} characters of {shown!r}: "
            f"{self.found.pattern.pattern[:160]!r}"
        )


def _tried(found: Found, method: str, attack: tuple[str, str, str], length: int) -> Trial:
    """Try a pattern on so many characters, again where it seems too slow: it may have been the machine."""
    given = text(attack, min(length, found.longest))
    times = max(1, length // found.longest)
    allowed = max(SECONDS_PER_MEGABYTE * len(given) * times / 1e6, _LEAST_S)
    taken = 0.0
    for limit in (4, 4, 20):
        taken = seconds(found.pattern, method, given, limit * allowed, times=times)
        if taken < allowed:
            break
    return Trial(found, method, attack, len(given) * times, taken, allowed)


def slowest(found: Found) -> Trial | None:
    """The text on which a pattern is too slow, or else on which it takes longest of those of `LONGEST` characters.

    All texts are tried short at first. Then, of each method, the one that took longest for its length is tried at a
    million characters, and so is each that took more than `_QUICK_S` for a character: what takes less at 30 000
    characters would have to grow with more than the square of the length to be too slow at a million, and to hide
    that until then.
    """
    short: list[Trial] = []
    for attack in attacks(found.pattern):
        for method in sorted(found.methods):
            for length in _LENGTHS:
                if length <= max(found.longest, _LENGTHS[0]):
                    trial = _tried(found, method, attack, length)
                    if trial.at_fault:
                        return trial
            short.append(trial)
    # Texts that a pattern sees no longer than this grow no more: only a pace close to the limit is worth a second look.
    quick = _QUICK_S if found.longest > _LENGTHS[-1] else SECONDS_PER_MEGABYTE / LONGEST / 2
    done: set[str] = set()
    most: Trial | None = None
    for trial in sorted(short, key=lambda each: each.pace, reverse=True):
        if trial.method in done and trial.pace < quick:
            continue
        done.add(trial.method)
        full = _tried(found, trial.method, trial.attack, LONGEST)
        if full.at_fault:
            return full
        most = full if most is None or full.pace > most.pace else most
    return most


def worst(found: Found) -> Trial | None:
    """The text on which a pattern of the package is too slow; None where there is none."""
    trial = slowest(found)
    return trial if trial is not None and trial.at_fault else None


def _least(pattern: re.Pattern[str], method: str, given: str, times: int) -> float:
    """The least time of several that a pattern takes: what else the machine does only adds to it. [s]."""
    return min(seconds(pattern, method, given, _ENOUGH_S, clock=time.thread_time) for _ in range(times))


def grows(found: Found, short: int = 1_000, long: int = 8_000) -> tuple[str, tuple[str, str, str]] | None:
    """A method and an attack by which the time of a pattern grows faster than the text does, by far.

    Parameters
    ----------
    found
        The pattern.
    short, long
        Lengths that are compared. [characters]
    """
    long = min(long, found.longest)
    for attack in attacks(found.pattern) if long > 2 * short else ():
        given, part = text(attack, long), text(attack, short)
        for method in found.methods:
            if _least(found.pattern, method, given, 1) < _SEEN_S:
                continue
            if all(
                _least(found.pattern, method, given, 3)
                > max(_SEEN_S, 3 * long / short * _least(found.pattern, method, part, 5))
                for _ in range(_TRIALS)
            ):
                return method, attack
    return None


@lru_cache(maxsize=1)
def _shared() -> list[Found]:
    """All patterns, in an order that processes have in common."""
    return sorted(collect(), key=lambda found: found.place)


def _measured(number: int) -> tuple[str, Trial | None, float]:
    """Place, slowest text and processor time for a pattern of `_shared`. [s]."""
    start = time.process_time()
    found = _shared()[number]
    return found.place, slowest(found), time.process_time() - start


def main() -> int:
    """Try all patterns, and say which are at fault."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="beginning of the places of the patterns to try, as 'logs.'")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    given = options.parse_args()
    numbers = [number for number, found in enumerate(_shared()) if found.place.startswith(given.only)]
    texts = sum(len(attacks(_shared()[number].pattern)) * len(_shared()[number].methods) for number in numbers)
    slow: list[Trial] = []
    spent, faults = 0.0, 0
    with ProcessPoolExecutor(given.jobs) as processes:
        for done, (place, trial, taken) in enumerate(processes.map(_measured, numbers), start=1):
            spent += taken
            slow += [trial] if trial is not None else []
            if trial is not None and trial.at_fault:
                faults += 1
                print(trial, flush=True)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(numbers)} {place:60.60}", end="", file=sys.stderr)
    if slow:
        print(f"the slowest for {LONGEST} characters: {max(slow, key=lambda each: each.pace)}")
    print(f"{len(numbers)} patterns, {texts} texts, {faults} at fault, {spent:.0f} s of processor time")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
