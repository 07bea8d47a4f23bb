"""A room imports only from the floors below it; no module and no package imports itself, directly or through others."""

import ast
import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import hecn_analysis
from tests.parsed import parsed

PACKAGE = Path(hecn_analysis.__file__).parent

# From the ground up. Rooms of one floor know nothing of each other.
FLOORS = (
    {"base"},
    {"files", "limits", "runs"},
    {"archive", "hardware", "parsing"},
    {"logs", "traffic"},
    {"counters", "prediction"},
    {"inventory", "sites", "statements"},
    {"captures"},
    {"ingest", "live"},
    {"planning"},
    {"diagnosis"},
    {"comparison"},
    {"watching"},
    {"figures"},
    {"briefs"},
    {"app", "report"},
    {""},
    {"cli"},
    {"__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room(module):
    return [*module.split("."), ""][1]


def imports(tree, *, lazy=False):
    """Modules of ours that a tree imports, those for type checkers included, and whether only in a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports say the whole name"
            names = [
                full if (full := f"{node.module}.{alias.name}") in MODULES else node.module for alias in node.names
            ]
        else:
            names = []
        yield from ((name, lazy) for name in names if name in MODULES)
        yield from imports(node, lazy=lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


@pytest.fixture(scope="module")
def edges():
    return {
        (module, name, lazy)
        for module, path in MODULES.items()
        for name, lazy in imports(parsed(path))
        if name != module
    }


def test_every_room_is_on_a_floor():
    assert {room(module) for module in MODULES} == set(FLOOR)


def test_rooms_import_from_the_floors_below(edges):
    wrong = sorted(
        f"{module} imports {name}"
        for module, name, _ in edges
        if room(module) != room(name) and FLOOR[room(name)] >= FLOOR[room(module)]
    )
    assert wrong == []


def test_contributors_find_every_room_above_those_that_import_it():
    page = (
        (PACKAGE.parent / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("## The rooms\n")[2]
        .partition("\n## ")[0]
    )
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert set(listed) == set(FLOOR) - {"", "__main__"}
    assert [FLOOR[name] for name in listed] == sorted(FLOOR[name] for name in listed)


def _package(module):
    """The package inside of a room that a module is in; a module beside those packages stands for itself."""
    return ".".join(module.split(".")[1:3])


def test_no_circles_of_packages_inside_a_room(edges):
    graph = defaultdict(set)
    for module, name, lazy in edges:
        packages = _package(module), _package(name)
        if (
            not lazy
            and room(module) == room(name)
            and packages[0] != packages[1]
            and MODULES[name].name != "__init__.py"
        ):
            graph[packages[0]].add(packages[1])
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_no_circles_of_modules(edges):
    """A package is passed through on the way to its modules, and brings them to others: it is left out."""
    graph = defaultdict(set)
    for module, name, lazy in edges:
        if not lazy and MODULES[name].name != "__init__.py":
            graph[module].add(name)
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
