"""Every public function says what it takes and gives, with units, and has an example; a helper's docstring is one line.

Public is what `hecn_analysis` names, what notebooks and pages import, all of the room `limits`, and, of the rooms that
the reference lists (`docs/api.md`), what another room imports. So are the methods of the classes that public functions
give; an example in the class is one for each of its methods. All else is a helper of its own room. Nothing is run here,
the files are read.
"""

import ast
import functools
import inspect
import json
import re
from pathlib import Path

import pytest

import hecn_analysis as hecn
from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "hecn_analysis"

#: Rooms that the reference lists.
ROOMS = re.findall(r"^   hecn_analysis\.([\w.]+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE)

#: The room whose functions are all public: `hecn.limits` hands over every one of them.
FACE = "limits"

HEADING = re.compile(r"^([A-Z]\w+(?: \w+)?)\n-{3,}\n", re.MULTILINE)

#: A parameter called so is a quantity, whose line names the unit in brackets.
QUANTITY = re.compile(r"_(bps|bytes|deg|fraction|m|ns|s|usd)$")


def modules(room):
    """Files of a room by the name of their module, those that begin with an underscore left out."""
    files = sorted((PACKAGE / room).rglob("*.py")) if (PACKAGE / room).is_dir() else [PACKAGE / f"{room}.py"]
    for file in files:
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not any(part.startswith("_") for part in name.split(".")):
            yield name, file


def functions(file):
    """Functions of a file that are public by their names, but for those that a contract describes."""
    tree = parsed(file)
    named = [target for one in tree.body for target in getattr(one, "targets", [getattr(one, "target", None)])]
    is_reader = "FORMATS" in {one.id for one in named if isinstance(one, ast.Name)}
    elsewhere = {"recognises", "read"} if is_reader else set()
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_" and node.name not in elsewhere
    }


def imports(source):
    """Names that a program imports from this package, with their modules."""
    return {
        f"{node.module}.{name.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hecn_analysis")
        for name in node.names
    }


def imported_outside():
    """Names that notebooks and pages import."""
    found = set()
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                found |= imports("".join(line for line in cell["source"] if not line.lstrip().startswith(("%", "!"))))
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "howto").glob("*.md")]:
        for line in re.findall(
            r"^(?:>>> )?(from hecn_analysis\S* import [\w, ]+)$", page.read_text("utf-8"), re.MULTILINE
        ):
            found |= imports(line)
    return found


def named_here():
    """Functions that `hecn_analysis` names, where they are written."""
    for value in (getattr(hecn, name) for name in hecn.__all__):
        if inspect.isfunction(value):
            yield f"{value.__module__}.{value.__name__}", functions(Path(inspect.getfile(value)))[value.__name__]


@functools.cache
def imported_by_rooms():
    """Functions and classes that a module imports from another room."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        own, nodes = path.relative_to(PACKAGE).parts[0], list(ast.walk(parsed(path)))
        names = {
            name.asname or name.name: f"{node.module}.{name.name}"
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hecn_analysis"
            for name in node.names
            if own != [*f"{node.module}.{name.name}".split("."), ""][1]
        }
        found |= set(names.values())
        found |= {
            f"{names[node.value.id]}.{node.attr}"
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
        }
    return found


def every_function():
    """Each function of the package without an underscore in its name or its module's, by its name."""
    for room in sorted(path.stem for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()):
        for module, file in modules(room):
            for name, node in functions(file).items():
                yield f"{module}.{name}", node


@functools.cache
def public():
    """Functions that are public, by their names."""
    found = dict(named_here())
    outside, inside = imported_outside(), imported_by_rooms()
    for name, node in every_function():
        room = name.split(".")[1]
        listed = any(name.startswith(f"hecn_analysis.{each}.") for each in ROOMS)
        if room == FACE or name in outside or (listed and name in inside):
            found[name] = node
    return found


@functools.cache
def helpers():
    """Functions that only their own room calls."""
    known = {*public(), *imported_by_rooms()}
    return {name: node for name, node in every_function() if name not in known}


def class_in(file, name):
    """The class that a name in a file stands for, where this package has it."""
    tree = parsed(file)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
        if isinstance(node, ast.ImportFrom) and name in {one.name for one in node.names}:
            module = ROOT / Path(*(node.module or "").split("."))
            source = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
            return class_in(source, name) if source.is_relative_to(PACKAGE) and source.is_file() else None
    return None


def is_method(node):
    """Whether a part of a class is a method that is public by its name, and no property."""
    words = " ".join(ast.unparse(one) for one in getattr(node, "decorator_list", ()))
    return (
        isinstance(node, ast.FunctionDef) and node.name[0] != "_" and "property" not in words and "valid" not in words
    )


def methods(found):
    """Methods of the classes that functions give, each with its class."""
    for name, node in found.items():
        module = ROOT / Path(*name.split(".")[:-1])
        file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        for given in ast.walk(node.returns) if node.returns else ():
            if isinstance(given, ast.Name) and (of := class_in(file, given.id)) is not None:
                yield from ((f"{of.name}.{one.name}", (one, of)) for one in of.body if is_method(one))


def sections(doc):
    """Text of each section of a docstring."""
    parts = HEADING.split(doc)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(text):
    """Description by name of the parameters in a section."""
    found, names = {}, []
    for line in text.splitlines():
        if line and not line[0].isspace():
            names = [name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")]
        for name in names:
            found[name] = found.get(name, "") + line + "\n"
    return found


def parameters(node):
    named = node.args
    every = [*named.posonlyargs, *named.args, *named.kwonlyargs, named.vararg, named.kwarg]
    return [one.arg for one in every if one is not None and one.arg not in {"self", "cls"}]


def faults(node, examples):
    """Rules of the house that a function breaks, with what breaks them; `examples` are those that count for it."""
    said = sections(ast.get_docstring(node) or "")
    described = entries(said.get("Parameters", ""))
    returns = None if node.returns is None else ast.unparse(node.returns)
    given = said.get("Returns", "") + said.get("Yields", "")
    quantities = [one for one in parameters(node) if QUANTITY.search(one)]
    is_quantity = QUANTITY.search(node.name) is not None and returns != "str"
    found = {
        "parameters without a description": [one for one in parameters(node) if one not in described],
        "descriptions without a parameter": [one for one in described if one not in parameters(node)],
        "quantities without a unit in brackets": [one for one in quantities if "[" not in described.get(one, "")],
        "nothing said of what is given": not given and returns not in {None, "None"},
        "what is given has no unit in brackets": is_quantity and "[" not in given,
        "no example": ">>> " not in examples,
    }
    return {rule: broken for rule, broken in found.items() if broken}


def test_a_public_function_says_what_it_takes_and_gives_and_shows_it():
    broken = {}
    for name, node in public().items():
        broken[name] = faults(node, sections(ast.get_docstring(node) or "").get("Examples", ""))
    assert {name: found for name, found in broken.items() if found} == {}


def test_so_does_a_method_of_what_it_gives():
    broken = {}
    for name, (method, of) in methods(public()):
        broken[name] = faults(method, (ast.get_docstring(method) or "") + (ast.get_docstring(of) or ""))
    assert {name: found for name, found in broken.items() if found} == {}


@pytest.mark.parametrize(
    ("head", "section", "entry", "broken"),
    [
        ("f(a)", "Returns", "int", {"parameters without a description": ["a"]}),
        ("f()", "Parameters", "a : int", {"descriptions without a parameter": ["a"]}),
        ("f(a_s)", "Parameters", "a_s : float", {"quantities without a unit in brackets": ["a_s"]}),
        ("f() -> int", "Notes", "int", {"nothing said of what is given": True}),
        ("f_bps() -> float", "Returns", "float", {"what is given has no unit in brackets": True}),
        ("f_bps(a_s) -> None", "Parameters", "a_s : float [s]", {"what is given has no unit in brackets": True}),
        ("f(a, *b)", "Parameters", "a, *b : int", {}),
    ],
)
def test_a_broken_rule_is_found(head, section, entry, broken):
    function = ast.parse(f'def {head}:\n    """F.\n\n    {section}\n    ------\n    {entry}\n    """').body[0]
    assert faults(function, ">>> f()") == broken
    assert faults(function, "") == broken | {"no example": True}


def test_the_public_functions_are_found():
    assert {"hecn_analysis.logs.read", "hecn_analysis.hardware.scenario.load_scenario"} <= set(public())
    assert "hecn_analysis.planning.studies.host_limits.fastest" in public()  # of a notebook
    assert "hecn_analysis.planning.matrix.next_tests.find_best" in public()  # of a page
    assert "hecn_analysis.limits.tcp_loss.pftk_bps" in public()
    assert {"Prediction.to_frame", "Explanation.verdict", "Scenario.with_"} <= set(dict(methods(public())))
    assert "hecn_analysis.inventory.read_inventory" in public()
    assert "hecn_analysis.report.tables.judged" in helpers()


def test_a_helper_says_what_it_does_in_one_line():
    long = [name for name, node in helpers().items() if "\n" in (ast.get_docstring(node) or "")]
    assert long == []
