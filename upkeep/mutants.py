"""How many defects do the tests find: ``python -m upkeep.mutants traffic --number 150 --seed 1``; `make mutants`.

A mutant is the code of a room with one small defect, put in on purpose: another operator, a number off by one, a
condition turned round, a loop that does not run (the operators of Cosmic Ray, less those that ask nothing, see
`_operators` and `_asks_something`). Which ones are tried is drawn at random: places in the code, spread over the
modules of the room by how many places they have, and one defect at each. Only the room's own tests and doctests judge,
those that run the function in question, quickest first, until one fails. No file is changed: a mutant lives in a
process of its own, which is given the changed source when it imports the module.

What no test can find stands in `equivalent.toml` with the reason, and is not counted.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import os
import random
import re
import resource
import signal
import sys
import time
import tomllib
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import coverage
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT: Final = Path(__file__).resolve().parent.parent
EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
RECORDS: Final = ROOT / ".mutants"
WANTED: Final = 0.9
BROKEN: Final = 70  # status of a child process in which this program fails, not a test
PATIENCE_S: Final = 10.0
MEMORY_BYTES: Final = 8 << 30
PYTEST: Final = [
    *("--quiet", "--exitfirst", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:nbval"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported before
]

_FAMILIES: Final = (
    {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"RShift", "LShift"},
    {"BitOr", "BitAnd", "BitXor"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"Delete", "USub"},
    {"Delete", "Not"},
    {"Delete", "Invert"},
)


@dataclass(frozen=True)
class Mutant:
    """One defect at one place."""

    path: str
    """File, from the checkout's folder."""
    line: int
    column: int
    operator: str
    occurrence: int
    before: str
    """The line as it is."""
    after: str
    """The line with the defect."""
    source: str
    """The whole file with the defect."""

    @property
    def module(self) -> str:
        """Name under which the file is imported."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}\n    {self.after}"


# ---- what can be put in ---------------------------------------------------------------------------------------------


def _operators() -> list[tuple[str, Any]]:
    """Operators that ask something: no bit operation for a sum, no identity for a comparison, none with settings."""
    chosen = []
    for name in operator_names():
        kind, *pair = name.removeprefix("core/").split("_")
        operator = get_operator(name)
        if operator.arguments() or (len(pair) == 2 and not any(set(pair) <= family for family in _FAMILIES)):
            continue
        if kind == "NoOp":
            continue
        chosen.append((name, operator()))
    return chosen


def _annotations(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations and questions for a type checker begin and end: what is changed there changes no result."""
    parts = [
        (part, part)
        for node in ast.walk(tree)
        for name in ("annotation", "returns")
        if (part := getattr(node, name, None))
    ]
    # and what only a type checker imports
    parts += [
        (node, node.test)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return [((begin.lineno, begin.col_offset), (end.end_lineno, end.end_col_offset)) for begin, end in parts]


def _asks_something(operator: str, code: str, place: tuple[int, int], annotations: Sequence[Any]) -> bool:
    if any(start <= place < end for start, end in annotations):
        return False
    # 1 more or less in a number such as 1e9 or 8000.0 is no defect that one makes, nor one that four digits show.
    return not (operator == "core/NumberReplacer" and re.search(r"[.e]", code) and float(code) >= 1000)


def _places(path: Path) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Of each place of a file the operators with their occurrence that change something there."""
    source = path.read_text(encoding="utf-8")
    annotations = _annotations(ast.parse(source))
    nodes = list(ast_nodes(get_ast(source)))
    places: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for name, operator in _operators():
        occurrence = -1
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                occurrence += 1
                if _asks_something(name, node.get_code(include_prefix=False), start, annotations):
                    places[start].append((name, occurrence))
    return dict(sorted(places.items()))


def made(path: Path, place: tuple[int, int], operator: str, occurrence: int) -> Mutant:
    """The mutant of a file by an operator of Cosmic Ray at the place that is its so-and-so-many-th there."""
    before = path.read_text(encoding="utf-8")
    after = mutate_code(before, get_operator(operator)(), occurrence)
    changed = next(
        (pair for pair in zip(before.splitlines(), after.splitlines(), strict=False) if pair[0] != pair[1]), ("", "")
    )
    name = path.relative_to(ROOT).as_posix()
    return Mutant(name, *place, operator, occurrence, changed[0].strip(), changed[1].strip(), after)


Drawn = tuple[Path, tuple[int, int], str, int]


def sample(room: str, number: int, seed: int) -> tuple[list[Drawn], int]:
    """Arguments of `made`, drawn at random, and how many places there are to draw from; a seed draws the same again."""
    drawn = random.Random(f"{room} {seed}")  # noqa: S311 (a sample, no secret)
    files = {path: _places(path) for path in sorted((ROOT / "hecn_analysis" / room).rglob("*.py"))}
    files = {path: places for path, places in files.items() if places}
    total = sum(map(len, files.values()))
    # Shares by largest remainder: every module is asked by its size.
    exact = {path: min(number, total) * len(places) / total for path, places in files.items()}
    share = {path: int(value) for path, value in exact.items()}
    for path in sorted(exact, key=lambda path: share[path] - exact[path])[: min(number, total) - sum(share.values())]:
        share[path] += 1
    chosen = [
        (path, place, *drawn.choice(places[place]))
        for path, places in files.items()
        for place in sorted(drawn.sample(list(places), share[path]))
    ]
    drawn.shuffle(chosen)  # so that a run that is broken off has tried some of everything
    return chosen, total


# ---- which tests run what -------------------------------------------------------------------------------------------


class _Recorder:
    """Plugin of pytest that writes down which test runs which lines, and how long it takes."""

    def __init__(self, room: str) -> None:
        self.measured = coverage.Coverage(
            data_file=None, source=[str(ROOT / "hecn_analysis" / room)], config_file=False
        )
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.measured.switch_context(item.nodeid)
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        return result

    def record(self) -> dict[str, Any]:
        data = self.measured.get_data()
        lines = {
            Path(file).relative_to(ROOT).as_posix(): {
                str(line): sorted(set(tests) - {""}) for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        outside = [
            name for name in sys.modules if name.split(".")[0] not in {"hecn_analysis", "tests", "upkeep", "__main__"}
        ]
        return {"seconds": self.seconds, "lines": lines, "modules": outside}


def _selection(room: str) -> list[str]:
    return [f"tests/{room}", f"hecn_analysis/{room}"]


def recorded(room: str) -> dict[str, Any]:
    """What the tests of a room run; kept in .mutants until the room or its tests change."""
    kept = RECORDS / f"{room}.json"
    newest = max(path.stat().st_mtime for folder in _selection(room) for path in (ROOT / folder).rglob("*.py"))
    if not kept.is_file() or kept.stat().st_mtime < newest:
        print(f"Recording which test of {room} runs what …", flush=True)
        RECORDS.mkdir(exist_ok=True)
        status = _status(_start(lambda: _record(room, kept)))
        if status:
            sys.exit(f"The tests of {room} fail without any defect (status {status}): mend them first.")
    return dict(json.loads(kept.read_text(encoding="utf-8")))


def _record(room: str, kept: Path) -> int:
    recorder = _Recorder(room)
    recorder.measured.start()
    status = pytest.main([*PYTEST, *_selection(room)], plugins=[recorder])
    recorder.measured.stop()
    if not status:
        kept.write_text(json.dumps(recorder.record()), encoding="utf-8")
    return int(status)


def _function(path: str, line: int) -> range:
    """Lines of the innermost function that holds a line; no lines where it stands outside of functions."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    spans = [
        range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return min((span for span in spans if line in span), key=len, default=range(0))


def judges(mutant: Mutant, record: dict[str, Any]) -> list[str]:
    """Tests that run the function of a mutant, quickest first, then the others of their files, which share fixtures.

    Not more than take `PATIENCE_S` together: a defect that only slower ones find counts as not found.
    """
    lines = record["lines"].get(mutant.path, {})
    inside = _function(mutant.path, mutant.line)
    near = {test for line, tests in lines.items() if not inside or int(line) in inside for test in tests}
    at_once = sorted(near, key=record["seconds"].__getitem__)
    files = {test.split("::")[0] for test in near}
    others = [test for test in record["seconds"] if test not in near and test.split("::")[0] in files]
    every = at_once + sorted(others, key=record["seconds"].__getitem__)
    spent = itertools.accumulate(record["seconds"][test] for test in every)
    return [test for test, seconds in zip(every, spent, strict=True) if seconds < PATIENCE_S]


# ---- judging --------------------------------------------------------------------------------------------------------


class _Changed(importlib.abc.MetaPathFinder):
    """Gives a module changed source when it is imported; a plugin of pytest, to be asked before pytest's own finder."""

    def __init__(self, mutant: Mutant) -> None:
        self.module, self.path, self.source = mutant.module, str(ROOT / mutant.path), mutant.source

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(
            fullname,
            self.path,
            loader=_Loader(fullname, self.path, self.source),
            submodule_search_locations=[str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None,
        )


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return compile(self.source, self.get_filename(fullname), "exec", dont_inherit=True)


class _Limit:
    """Plugin of pytest that ends the process where a test takes far longer than it does without the defect."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, 10 + 10 * self.seconds.get(item.nodeid, 0.0))
        return (yield)


def _try(mutant: Mutant, tests: list[str], seconds: dict[str, float]) -> int:
    """Exit status of the tests with the defect; runs in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    os.environ["CI"] = "true"  # the same examples each time
    signal.setitimer(signal.ITIMER_PROF, 60)
    return int(pytest.main([*PYTEST, *tests], plugins=[_Changed(mutant), _Limit(seconds)]))


def _start(action: Callable[[], int], *, quiet: bool = False) -> int:
    """Number of a child process that does something and ends with its status."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = BROKEN
        said = os.dup(2)
        try:
            if quiet:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(nowhere, stream)
            status = action()
        except BaseException:  # noqa: BLE001 (told, and never taken for a failing test)
            os.write(said, traceback.format_exc().encode())
        finally:
            os._exit(status)
    return child


def _status(child: int) -> int:
    """Status of a child process when it has ended; of one that a signal ended, the signal's number, negative."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _warm_up(modules: list[str]) -> None:
    """Import what the tests import, but nothing of the project: every child has it then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            if name not in sys.modules and not name.startswith(("_pytest", "hecn")):
                try:
                    importlib.import_module(name)
                except Exception:  # noqa: BLE001, S112 (a name that is no module outside of the run that met it)
                    continue
    if any(name.split(".")[0] == "hecn_analysis" for name in sys.modules):
        sys.exit("hecn_analysis was imported by what only should warm up: no defect could be seen.")


def _equivalent() -> dict[tuple[str, str, str], str]:
    """Reasons why no test can find a mutant, by its file, line before and line after."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {(each["path"], each["before"], each["after"]): each["reason"] for each in listed}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, judge and report; 1 where fewer than nine in ten are found."""
    parser = argparse.ArgumentParser(prog="python -m upkeep.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("room", help="folder of hecn_analysis, e.g. traffic")
    parser.add_argument("--number", type=int, default=150, help="how many mutants (default: 150)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others (default: 1)")
    parser.add_argument("--module", default="", help="only files whose path contains this")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))

    record = recorded(options.room)
    drawn, places = sample(options.room, options.number, options.seed)
    drawn = [one for one in drawn if options.module in str(one[0])]
    _warm_up(record["modules"])
    reasons = _equivalent()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    _control(made(*drawn[0]), record)
    for sent in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sent, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):  # broken off: what was tried counts
        for mutant, tests, status in _outcomes(drawn, record, reasons, options.jobs):
            counts[mutant.path][0 if status is not None else 2] += 1
            if status is not None:
                _judged(mutant, tests, status, counts)
    return _report(options, counts, places)


def _control(mutant: Mutant, record: dict[str, Any]) -> None:
    """Try the code as it is, which is not to be found, and one that cannot be imported, which is."""
    tests = judges(mutant, record)[:10]
    code = (ROOT / mutant.path).read_text(encoding="utf-8")
    for source, found in ((code, False), ("raise ImportError", True)):
        trial = functools.partial(_try, dataclasses.replace(mutant, source=source), tests, record["seconds"])
        if bool(status := _status(_start(trial, quiet=True))) is not found:
            sys.exit(f"{mutant.path}: its tests end with {status} for {source[:20]!r}: mutants cannot be judged")


def _outcomes(
    drawn: Sequence[Drawn], record: dict[str, Any], reasons: Container[tuple[str, str, str]], jobs: int
) -> Iterator[tuple[Mutant, int, int | None]]:
    """Mutants with the number of their tests and how these end, as they end; None for one that no test can find."""
    waiting: dict[int, tuple[Mutant, int]] = {}
    for one in [*drawn, *[None] * jobs]:  # at the end the last ones are waited for
        if len(waiting) >= jobs or (one is None and waiting):
            child, code = os.wait()
            yield *waiting.pop(child), os.waitstatus_to_exitcode(code)
        if one is None:
            continue
        mutant = made(*one)
        tests = judges(mutant, record)
        if (mutant.path, mutant.before, mutant.after) in reasons:
            yield mutant, len(tests), None
        elif tests:
            trial = functools.partial(_try, mutant, tests, record["seconds"])
            waiting[_start(trial, quiet=True)] = mutant, len(tests)
        else:
            yield mutant, 0, 0


def _judged(mutant: Mutant, tests: int, status: int, counts: dict[str, list[int]]) -> None:
    """Count a mutant that is found, and name it where it is not."""
    if status in {BROKEN, int(pytest.ExitCode.INTERNAL_ERROR), int(pytest.ExitCode.NO_TESTS_COLLECTED)}:
        sys.exit(f"{mutant}\n    was not judged: status {status}")
    counts[mutant.path][1] += status != 0
    if status == 0:
        print(f"{mutant}\n    {mutant.operator.removeprefix('core/')}; {tests} tests find nothing", flush=True)
    elif status not in {1, 2, 4, -signal.SIGPROF}:  # failed, stopped at the import, or took too long
        print(f"{mutant}\n    found, by status {status} of the tests", flush=True)


def _report(options: argparse.Namespace, counts: dict[str, list[int]], places: int) -> int:
    from scipy.stats import binomtest  # noqa: PLC0415 (after the last child)

    width = max(map(len, counts), default=0)
    print(f"\n{'':{width}}  tried  found  equivalent")
    for path, (tried, found, equivalent) in sorted(counts.items()):
        print(f"{path:{width}}  {tried:5}  {found:5}  {equivalent:10}")
    tried, found, equivalent = (sum(column) for column in zip(*counts.values(), strict=True))
    interval = binomtest(found, tried).proportion_ci(method="exact")
    print(
        f"{options.room}, seed {options.seed}: {found} of {tried} found, {found / tried:.1%} "
        f"(95 %: {interval.low:.1%} to {interval.high:.1%}), {equivalent} equivalent; drawn from {places} places"
    )
    return int(found / tried < WANTED)


if __name__ == "__main__":
    sys.exit(main())
