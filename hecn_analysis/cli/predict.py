"""``hecn predict``: throughput, interval and bottleneck of scenarios and sites: files, options or rows of a table."""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.base.progress import track
from hecn_analysis.cli import output, plans
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.reading import require_stdin
from hecn_analysis.cli.remarks import explain, say_all
from hecn_analysis.cli.scenario import (
    ROLES,
    add_scenario_arguments,
    named_settings,
    requested_roles,
    require_transfer,
)

if TYPE_CHECKING:
    from hecn_analysis.hardware import Scenario, Site
    from hecn_analysis.sites import SitePrediction

STDIN = "-"
HANDED_THROUGH = ("id", "note")
# The columns of text and CSV; JSON has the whole prediction.
COLUMNS = (
    "throughput_bps",
    "low_bps",
    "high_bps",
    "bottleneck",
    "bottleneck_class",
    "next_bottleneck",
    "next_bps",
    "warnings",
)
#: Number of keys to name that would narrow the interval.
UNKNOWNS = 3
#: Columns of a site's transfers, and of the fullest of its resources.
TRANSFER = ("name", "start_s", "finish_s", "throughput_bps", "low_bps", "high_bps", "bottleneck")
USE = ("name", "peak_fraction", "mean_fraction", "title")
USES = 12
RUNG = ("throughput_bps", "probability", "resource", "title")
_CORE_OF_A_PROCESS = re.compile(r"(?:sender|receiver)\.cpu\.core\d+")
#: Classes of resources that the processes of a transfer share.
_SHARED = ("slot", "link", "raid", "disk", "memory", "cpu")

DESCRIPTION = """\
Predict the throughput of a transfer, the interval that contains a single new
run with 90 % probability, the bottleneck, and the ladder of the next ones. A
scenario is a YAML file, the name of a shipped one, or a combination of --host,
--sender, --receiver, --path, --tool and --set. For a site, where several
transfers run at once: the rate, end and bottleneck of each transfer and the load
of each resource; with --by, also when to start each transfer so that it is in
time; with --without-each, what each single failure costs."""

EPILOG = r"""examples:
  hecn predict --sender ideal --receiver ideal --tool nuttcp \
      --set path.rate=10Gb/s path.rtt=80ms path.mtu=9000
  hecn predict hotlava-transmit --set sender.slots.x16.max_payload=256
  hecn predict --host 'nic=mcx623106an slot=gen3x8 disks=8x990pro cpu=9374f'
  hecn predict c-two-copies hotlava-transmit --format json
  hecn predict sc13-two-waves
  hecn predict sc13-two-waves --by '10 min'
  hecn predict sc13-two-waves --without-each
  printf 'id,sender,receiver,tool,path.rate\na,ideal,ideal,nuttcp,10Gb/s\n' |
      hecn predict --cases - --format csv

The table of --cases has one column per key (path.rtt, tool.streams, …). An empty
cell leaves its key out. The columns id and note are copied to the output. A row
that cannot be predicted yields an error; the other rows are still predicted."""


class Case(NamedTuple):
    """One scenario to predict."""

    scenario: str | Mapping[str, str]  # file or name of the scenario, or its keys
    along: Mapping[str, str | None]  # columns that are copied to the result
    place: tuple[str, int] | None = None  # file and line of the case, if it is a row of a table
    fault: InputError | None = None  # why the row is not a valid case


class Answer(NamedTuple):
    """The prediction of a case as JSON shows it, or the reason for its absence."""

    case: Case
    row: dict[str, Any]
    error: str | None


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn predict``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_scenario_arguments(parser)
    parser.add_argument("--cases", metavar="CASES", help="CSV table with one transfer per row; - for stdin")
    parser.add_argument("--at-least", metavar="RATE", help="exit with status 1 if a prediction is lower, e.g. 9Gb/s")
    plans.add_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict every case; a case that cannot be predicted is reported on stderr and does not stop the others."""
    keys, scenarios = named_settings(arguments.set)
    has_scenario = bool(arguments.names or scenarios or arguments.cases)
    keys = {**requested_roles(arguments, keys, has_scenario=has_scenario), **keys}
    if plans.is_wanted(arguments):
        return plans.run(arguments, keys, [*arguments.names, *scenarios])
    require_transfer((has_scenario, keys))
    wanted = 0.0 if arguments.at_least is None else units.parse(arguments.at_least, "rate", name="--at-least")
    scenarios = [*arguments.names, *scenarios]
    several = arguments.cases is not None or len(scenarios) > 1
    cases = [Case(name, {"scenario": name} if several else {}) for name in scenarios]
    if arguments.cases is not None:
        cases += read_cases(arguments.cases)
    elif not scenarios:
        cases = [Case({}, {})]
    answers = list(track(_answers(cases, keys), "predicting", total=len(cases)))
    if several or answers[0].error is None:
        output.deliver(_written(answers, several, output.chosen_format(arguments)), arguments)
    faults = [fault for answer in answers if (fault := answer.error or _too_slow(answer, wanted)) is not None]
    say_all(faults, "each row has its error")
    return 1 if faults else 0


def _answers(cases: Sequence[Case], keys: Mapping[str, str]) -> Iterator[Answer]:
    from hecn_analysis.hardware import Site  # noqa: PLC0415 (the same)
    from hecn_analysis.prediction.single import predict_each  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.sites.prediction import predict_site  # noqa: PLC0415 (the same)

    answers: dict[int, SitePrediction | HecnError] = {}

    def scenarios() -> Iterator[Scenario | HecnError]:
        """Scenarios to predict together; a site is predicted by itself, and has an error in its place."""
        for number, case in enumerate(cases):
            scenario = _scenario(case, keys)
            if not isinstance(scenario, Site):
                yield scenario
                continue
            try:
                answers[number] = predict_site(scenario)
            except HecnError as error:
                answers[number] = error
            yield HecnError()

    for number, (case, each) in enumerate(zip(cases, predict_each(scenarios()), strict=True)):
        answer = answers.get(number, each)
        if isinstance(answer, HecnError):
            yield Answer(case, {**case.along, "error": explain(answer)}, explain(answer))
        else:
            yield Answer(case, {**case.along, **answer.to_dict()}, None)


def _scenario(case: Case, keys: Mapping[str, str]) -> Scenario | Site | HecnError:
    from hecn_analysis.hardware.scenario import make_scenario  # noqa: PLC0415 (not needed for --help)

    if case.fault is not None:
        return case.fault
    source, line = case.place or ("", None)
    try:
        if isinstance(case.scenario, str):
            return hecn.load_scenario(case.scenario, keys)
        # Hosts, path and tool come from the command line, unless the row names its own.
        named = {role: name for role, name in keys.items() if role in ROLES and role not in case.scenario}
        settings = {key: value for key, value in keys.items() if key not in named}
        return make_scenario({**named, **case.scenario}, settings, source=source, line=lambda _: line)
    except HecnError as error:
        return error


def _too_slow(answer: Answer, wanted_bps: float) -> str | None:
    if answer.error is not None or answer.row["throughput_bps"] >= wanted_bps:
        return None
    name = ", ".join(f"{key} {value}" for key, value in answer.case.along.items())
    predicted, wanted = units.format_rate(answer.row["throughput_bps"]), units.format_rate(wanted_bps)
    return (f"{name}: " if name else "") + f"found a prediction of {predicted}, expected at least {wanted}"


def read_cases(source: str) -> Iterator[Case]:
    """Read a CSV table of cases: one column per key; an empty cell leaves its key out."""
    if source == STDIN:
        require_stdin()
    with open(0 if source == STDIN else source, encoding="utf-8-sig", newline="", closefd=source != STDIN) as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not header:
                raise InputError("an empty table", "a line with the names of the keys", source=source, line=1)
            if wrong := [name for name, count in Counter(header).items() if count > 1 or not name]:
                raise InputError(f"column {wrong[0]!r}", "a unique name for each column", source=source, line=1)
            for cells in reader:
                if cells:
                    yield _case(header, cells, source, reader.line_num)
        except (csv.Error, UnicodeDecodeError) as error:
            damage = f"a table that breaks off ({error})"
            yield Case({}, {}, fault=InputError(damage, "CSV in UTF-8", source=source, line=reader.line_num))


def _case(header: Sequence[str], cells: Sequence[str], source: str, line: int) -> Case:
    along = {name: cell or None for name, cell in zip(header, cells, strict=False) if name in HANDED_THROUGH}
    if len(cells) != len(header):
        return Case({}, along, fault=InputError(f"{len(cells)} cells", f"{len(header)}", source=source, line=line))
    keys = {
        name: cell.strip()
        for name, cell in zip(header, cells, strict=True)
        if name not in HANDED_THROUGH and cell.strip()
    }
    return Case(keys, along, (source, line))


def _written(answers: Sequence[Answer], several: bool, form: str) -> Iterator[str]:
    if form == "json":
        return output.json_rows(answer.row for answer in answers) if several else output.json_object(answers[0].row)
    if form == "text" and not several:
        return _text(answers[0])
    columns = [*dict.fromkeys(name for answer in answers for name in answer.case.along), *COLUMNS, "error"]
    return output.written([dict.fromkeys(columns) | _flat(answer) for answer in answers], columns, form)


def _flat(answer: Answer) -> dict[str, object]:
    """One row of the table of predictions, with the next rung of the ladder and the warnings in one cell each."""
    row = dict(answer.row)
    rungs = row.get("ladder", [])
    if len(rungs) > 1:
        row |= {"next_bottleneck": rungs[1]["resource"], "next_bps": rungs[1]["throughput_bps"]}
    row["warnings"] = "; ".join(row.get("warnings", ())) or None
    return {name: value for name, value in row.items() if name in {*answer.case.along, *COLUMNS, "error"}}


def _text(answer: Answer) -> Iterator[str]:
    """The sentence, the ladder, what would narrow the interval, and the warnings; of a site, its transfers."""
    yield f"{answer.row['sentence']}\n\n"
    if "transfers" in answer.row:
        yield from _site_text(answer.row)
        return
    yield from output.text_rows([{name: rung[name] for name in RUNG} for rung in answer.row["ladder"]])
    yield from _time(answer.row)
    halves = (
        (unknown["name"], _half(unknown["spread"]), _half(unknown["spread_then"])) for unknown in answer.row["unknowns"]
    )
    if more := _with_more_processes(answer.row["ladder"]):
        yield f"\n{more}\n"
    if keys := [f"{name} (from {now} to {then})" for name, now, then in halves if now != then][:UNKNOWNS]:
        yield f"\nTo narrow the interval most, state with --set: {', '.join(keys)}.\n"
    for warning in answer.row["warnings"]:
        yield f"\nwarning: {warning}\n"


def _time(row: Mapping[str, Any]) -> Iterator[str]:
    """How long a fixed amount takes."""
    if row["time_s"] is not None:
        fastest, slowest = (units.format_time(8 * row["bytes"] / row[name]) for name in ("high_bps", "low_bps"))
        amount, time = units.format_bytes(row["bytes"]), units.format_time(row["time_s"])
        yield f"\n{amount} take {time} (90 % of single runs between {fastest} and {slowest}).\n"


def _site_text(row: Mapping[str, Any]) -> Iterator[str]:
    """The transfers of a site, its fullest resources, and the warnings."""
    yield from output.text_rows([{name: each[name] for name in TRANSFER} for each in row["transfers"]])
    yield "\n"
    uses = [{**use, "peak_fraction": use["peak"], "mean_fraction": use["mean"]} for use in row["resources"][:USES]]
    yield from output.text_rows([{name: use[name] for name in USE} for use in uses])
    if len(row["resources"]) > USES:
        yield f"and {len(row['resources']) - USES} less loaded resources\n"
    yield f"\nThe intervals are those of {row['interval']}.\n"
    for warning in row["warnings"]:
        yield f"\nwarning: {warning}\n"


def _with_more_processes(ladder: Sequence[Mapping[str, Any]]) -> str | None:
    """What hosts and path carry, where a process is held by its core."""
    if not ladder or not _CORE_OF_A_PROCESS.fullmatch(ladder[0]["resource"]):
        return None
    rung = next((rung for rung in ladder if not _CORE_OF_A_PROCESS.fullmatch(rung["resource"])), None)
    if rung is None or rung["resource_class"] not in _SHARED:
        return None
    most = f"{units.format_rate(rung['throughput_bps'])}: {rung['title']}"
    return f"More processes, each on its own core (--set tool.processes=N), would allow at most {most}."


def _half(spread: float) -> str:
    """Half width of an interval: in percent, or as a factor where that is more than 100 %."""
    return f"a factor of {1 + spread:.2g}" if spread > 1 else f"±{100 * spread:.0f} %"
