"""Reference pages made from the code at every build: command line, readers, tables, keys of a scenario, evidence.

They are written into docs/generated, which git ignores: what they say cannot differ from what the code does.
"""

import inspect
import os
import re
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from sphinx.application import Sphinx

from hecn_analysis.base import tables
from hecn_analysis.cli import build_parser
from hecn_analysis.cli.parser import Parser
from hecn_analysis.counters import registry as counters_registry
from hecn_analysis.diagnosis import likelihood, questions
from hecn_analysis.hardware import Host, Tool, quantity
from hecn_analysis.hardware import Path as NetworkPath
from hecn_analysis.hardware.quantity import SHOWN_UNIT, Parameter
from hecn_analysis.logs import registry

WIDTH = "100"  # of the help texts, in characters

_VALUE = re.compile(r"\{value[^}]{0,9}\}%?")  # in the title of a sign

#: What reads a quantity of each type of `hecn_analysis.hardware.quantity`, and what the type measures.
DIMENSIONS = {
    quantity.Rate: "rate",
    quantity.Bytes: "bytes",
    quantity.Time: "time",
    quantity.Probability: "fraction",
    quantity.Factor: "fraction",
    quantity.Frequency: "frequency",
    quantity.Transfers: "transfers",
    quantity.CyclesPerByte: "cycles_per_byte",
    quantity.Dollars: "dollars",
    quantity.Power: "power",
}
READ_BY = {id(type_.__metadata__[0]): dimension for type_, dimension in DIMENSIONS.items()}

TABLES_HEAD = """\
# Tables

`hecn parse` and `hecn_analysis.read` return `runs`, `streams` and `intervals`; `hecn counters` and
`hecn_analysis.read_counters` return `samples`, `interfaces` and `rates`; all return `problems`. Values are in SI base
units; a value absent from the file is missing, never 0. `run` numbers the runs of a file from 0; `streams` and
`intervals` refer to it together with `source_file`. In Python, `frame.attrs["units"]` has the unit of each column, for
every table that the library returns.
"""

READERS_HEAD = """\
# Tools whose output is read

The content of a log identifies the tool. The module of each reader in `hecn_analysis/logs/` documents units, pitfalls,
and missing real samples.

Not read: the output of rdmacp and of RocketStream's clients, since no output and no manual with one has been
published; the files that IOR writes for each rank (`saveRankPerformanceDetailsCSV`); the first Bonnie, whose successor
is `bonnie++`.
"""

COUNTERS_HEAD = """\
# Formats of counters that are read

The content of a file identifies the format. The module of each reader in `hecn_analysis/counters/` documents units,
pitfalls, and missing real samples. A file may hold the output of several commands one after another, except in formats
that are a whole file.
"""

KEYS_HEAD = """\
# Keys of a scenario

`sender`, `receiver`, `path` and `tool` name entries of `models/` (or your own YAML files); every other key sets one
field of one of them: `path.rtt=80ms`, `sender.cpu.clock=3GHz`. In a host's own YAML file the keys lack the
first word. A quantity is an SI number or carries its unit; `{value: 80 ms, spread: 5 %, basis: assumed, source: …}`
adds its uncertainty and source.
"""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def markdown(text: str) -> str:
    """Turn the marks of a docstring into Markdown's."""
    return re.sub(r"`+([^`]+)`+", r"`\1`", " ".join(text.split()))


# --- the command line


def helps(parser: Parser, depth: int) -> Iterator[str]:
    """Give the help of a command and of all below it."""
    parser.fill()
    yield f"{'#' * depth} {parser.prog}\n\n```text\n{parser.format_help().rstrip()}\n```\n"
    for name in parser.subcommands:
        yield from helps(parser.subcommands[name], min(depth + 1, 4))


def command_page() -> str:
    """Give the page of the command line."""
    os.environ["COLUMNS"] = WIDTH
    return "# Command line\n\nThe `--help` of each command.\n\n" + "\n".join(helps(build_parser(), 2))


# --- the tables


def tables_page() -> str:
    """Give the page of the tables of measurements."""
    text = [TABLES_HEAD]
    for name, columns in tables.COLUMNS.items():
        rows = ((f"`{c.name}`", c.dtype, c.unit, markdown(c.meaning)) for c in columns.values())
        text += [f"## {name}\n", table(["column", "dtype", "unit", "meaning"], rows), ""]
    rows = ((f"`{kind}`", meaning) for kind, meaning in tables.PROBLEM_KINDS.items())
    text += ["## Kinds of problems\n", table(["kind", "meaning"], rows)]
    return "\n".join(text)


# --- the readers


def readers_page() -> str:
    """Give the page of the tools whose output is read."""
    rows = []
    for reader in registry.READERS:
        about = (inspect.getdoc(inspect.getmodule(reader)) or "").partition("\n\n")[0]
        rows.append((", ".join(f"`{tool}`" for tool in reader.TOOLS), markdown(about), reader.VERSIONS))
    rows.sort(key=lambda row: row[0].lower())
    return f"{READERS_HEAD}\n{table(['tools and commands', 'what is read', 'versions'], rows)}"


def counters_page() -> str:
    """Give the page of the formats of counters."""
    rows = []
    for reader in counters_registry.READERS:
        about = (inspect.getdoc(reader) or "").partition("\n\n")[0]
        rows.append((", ".join(f"`{name}`" for name in reader.FORMATS), markdown(about), reader.VERSIONS))
    rows.sort(key=lambda row: row[0].lower())
    return f"{COUNTERS_HEAD}\n{table(['formats', 'what is read', 'versions'], rows)}"


# --- the keys of a scenario


def dimension(field: FieldInfo) -> str | None:
    """Give the dimension of a field that is a quantity with a unit."""

    def marks(annotation: object) -> Iterator[object]:
        yield from getattr(annotation, "__metadata__", ())
        for inner in typing.get_args(annotation):
            yield from marks(inner)

    for mark in (*field.metadata, *marks(field.annotation)):
        if id(mark) in READ_BY:
            return READ_BY[id(mark)]
    return None


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """Give the models that an annotation names, but for the numbers with provenance."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation is not Parameter:
            yield annotation
        return
    for inner in typing.get_args(annotation):
        yield from models_in(inner)


def kind(field: FieldInfo) -> str:
    """Say in a few words what may be written for a field."""
    if found := dimension(field):
        return f"{found.replace('_', ' ')} [{SHOWN_UNIT[found] or '1'}]"
    annotation = field.annotation
    options = [inner for inner in typing.get_args(annotation) if inner is not type(None)]
    if typing.get_origin(annotation) is typing.Literal:
        return " or ".join(f"`{option}`" for option in options)
    named = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}
    origin = typing.get_origin(annotation)
    inner = next(models_in(annotation), None)
    if inner is not None:
        heading = f"[{inner.__name__}](#{inner.__name__.lower()})"
        return f"by name: {heading}" if origin is dict else f"list of {heading}" if origin is list else heading
    if origin is list:
        return f"list of {named.get(options[0], 'value')}s"
    return named.get(options[0] if options else annotation, "value")


def default(field: FieldInfo) -> str:
    """Say what holds where a field is left out."""
    value = field.default
    if value is PydanticUndefined:
        return "required" if field.default_factory is None else ""
    if isinstance(value, dict):
        value = value.get("value", "")
    return "" if value is None or value in ("", []) else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def fields(model: type[BaseModel], prefix: str) -> str:
    """Give the table of a model's fields."""
    rows = (
        (f"`{prefix}{name}`", kind(field), default(field), markdown(field.description or ""))
        for name, field in model.model_fields.items()
    )
    return table(["key", "value", "default", "meaning"], rows)


def keys_page() -> str:
    """Give the page of the keys of hosts, paths, tools and their parts."""
    text = [KEYS_HEAD]
    roots = ((Host, "sender."), (NetworkPath, "path."), (Tool, "tool."))
    waiting = [model for model, _ in roots]
    prefixes: dict[type[BaseModel], str] = dict(roots)
    done: list[type[BaseModel]] = []
    while waiting:
        model = waiting.pop(0)
        if model in done:
            continue
        done.append(model)
        about = "\n\n".join(markdown(part) for part in (model.__doc__ or "").split("\n\n"))
        text += [f"## {model.__name__}\n", f"{about}\n", fields(model, prefixes.get(model, "")), ""]
        waiting += [inner for field in model.model_fields.values() for inner in models_in(field.annotation)]
    return "\n".join(text)


# --- the evidence of a diagnosis


def scores() -> Iterator[str]:
    """Give the held-out scores and the calibration of the verdicts, as `make evidence` wrote them."""
    held_out = likelihood.held_out()
    if not held_out:
        yield "`make evidence` has not been run on these tables: there are no scores."
        return
    yield f"{held_out['cases']} transfers with a known cause, in {held_out['setups']} set-ups:\n"
    groups = {name: value for name, value in held_out.items() if isinstance(value, dict)}
    yield table(
        ["evidence", "transfers", "likeliest cause right", "family right", "Brier score"],
        (
            (name, str(row["n"]), f"{row['exact']:.0%}", f"{row['family']:.0%}", f"{row['brier']:.3f}")
            for name, row in groups.items()
        ),
    )
    yield "\nCalibration: how often a verdict was right (by family), by its stated probability:\n"
    yield table(
        ["transfers", "stated probability, mean", "right"],
        ((str(row["n"]), f"{row['stated']:.0%}", f"{row['right']:.0%}") for row in held_out["calibration"]),
    )


def evidence_tables() -> str:
    """Give the part of the page of the diagnosis that its tables make: scores, causes, signs."""
    known = likelihood.evidence()
    causes = (
        (f"`{name}`", cause.finding, f"{cause.odds:g}", f"{cause.unmeasured:g}") for name, cause in known.causes.items()
    )
    shown = questions.shown_by()
    signs = (
        (
            *(f"`{name}`", _VALUE.sub("…", sign.title), ", ".join(sign.words or map("{:g}".format, sign.edges))),
            *("; ".join(shown.get(name, ())), sign.source),
        )
        for name, sign in known.signs.items()
    )
    return "\n".join(
        [
            "## Scores\n",
            *scores(),
            "\n## The causes\n",
            table(["class", "finding", "odds, transfer measured", "odds, none measured"], causes),
            "\n## The signs\n",
            'The edges cut a number into bins; the number or word stands at "…".\n',
            table(["sign", "meaning", "edges or words", "command", "source"], signs),
        ]
    )


def write_pages(app: Sphinx) -> None:
    """Write the pages before Sphinx reads any."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    for name, page in {
        "command": command_page,
        "readers": readers_page,
        "counters": counters_page,
        "tables": tables_page,
        "keys": keys_page,
        "evidence": evidence_tables,
    }.items():
        target, text = folder / f"{name}.md", page() + "\n"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
