"""``hecn measure``: predicts a transfer, runs it, and says how the two agree; or answers what a diagnosis asks for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, settle
from hecn_analysis.cli.parser import FORMATS, Parser, add_settings
from hecn_analysis.cli.remarks import say, say_all
from hecn_analysis.cli.scenario import ROLES, scenario_settings

if TYPE_CHECKING:
    from hecn_analysis.live.measure import Measured

DESCRIPTION = """\
Predict a transfer, run it, and compare. Before the first run, the hosts are
captured, the round-trip time, line rate and MTU are determined, and the
prediction is saved. Short probe runs measure what the captures do not show. A
folder keeps everything, including the output of every run.

A place is local, netns:NAME (a network namespace of this machine), ssh:HOST or
ssh:USER@HOST:PORT. The sender or receiver 'this' is the captured host at that
end; it is the default for both.

--settle FOLDER diagnoses a folder, runs the commands that 'hecn diagnose' asks
for at the sender (default: local) and the receiver (default: not reached), and
diagnoses again with their outputs. The commands only read. --load allows a
transfer like those of the folder for the commands that need one."""

EPILOG = r"""examples:
  hecn measure --tool dd-write --set tool.bytes=64MiB tool.io=buffered
  hecn measure --tool nuttcp --to ssh:dtn7 --repeats 5 --dry-run
  hecn measure --tool iperf3 --to ssh:me@dtn7 --address 10.0.0.7 --dry-run
  hecn measure --tool iperf3 --from netns:a --to netns:b --address 10.0.0.2 \
      --set path.rate=1Gb/s --dry-run
  hecn measure --settle data/transfers/before --dry-run
  hecn measure --settle FOLDER --to ssh:me@dtn7 --load

--dry-run prints the exact commands instead of running them.

Tools: nuttcp, iperf3, dd-read, dd-write, fio-read, fio-write.

exit status:
  0  measured, whatever the verdict
  1  a run failed, or nothing could be measured; see stderr
  2  wrong usage
  130  interrupted; servers and files of the measurement are removed, outputs
       of --settle are kept"""

COLUMNS = (
    *("run", "verdict", "measured_bps", "predicted_bps", "low_bps", "high_bps", "duration_s"),
    *("cpu_sender_fraction", "cpu_receiver_fraction", "busiest_sender_fraction", "busiest_receiver_fraction"),
    *("retransmits", "busy", "error"),
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn measure``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("scenario", nargs="?", metavar="SCENARIO", help="YAML file or name of a scenario")
    for role, meaning in ROLES.items():
        this = ", a YAML file, or 'this' (default)" if role in {"sender", "receiver"} else " or a YAML file"
        parser.add_argument(f"--{role}", metavar="NAME", help=f"{meaning}: a name in models/{this}")
    add_settings(parser, "--set", about="set a key of the scenario, e.g. path.rate=1Gb/s; may be repeated")
    parser.add_argument("--from", metavar="PLACE", dest="sender_place", help="place of the sender")
    parser.add_argument("--to", metavar="PLACE", dest="receiver_place", help="place of the receiver")
    parser.add_argument("--address", metavar="ADDRESS", help="address of the receiver (default: determined)")
    parser.add_argument("--port", type=int, metavar="PORT", help="first TCP port to use (default: the tool's)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="number of runs (default: 3)")
    parser.add_argument("--duration", metavar="TIME", help="same as --set tool.duration=TIME")
    parser.add_argument("--file", metavar="FILE", help="file of a disk test (default: a new one in the current folder)")
    parser.add_argument("--time-limit", metavar="TIME", help="stop a run that takes longer")
    parser.add_argument("--no-inventory", action="store_true", help="do not capture the hosts")
    parser.add_argument("--no-probe", action="store_true", help="do not probe the hosts for unknown values")
    parser.add_argument("--settle", metavar="FOLDER", help="run what the diagnosis of this folder asks for")
    parser.add_argument("--load", action="store_true", help="with --settle: allow a transfer of 15 s")
    parser.add_argument("--dry-run", action="store_true", help="print the exact commands and exit")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder to create (default: a name with the time)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format of the runs (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print the runs and the verdict."""
    from hecn_analysis.live import measure  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.live.places import Place  # noqa: PLC0415
    from hecn_analysis.live.programs import ended_by_signals  # noqa: PLC0415
    from hecn_analysis.live.runs import Request  # noqa: PLC0415

    if arguments.port is not None and not 0 < arguments.port < 65_535:
        raise InputError(f"--port {arguments.port}", "1 to 65534")
    if arguments.settle is not None:
        return settle.run(arguments)
    if arguments.load:
        raise InputError("--load without --settle", "a folder to settle")
    keys, scenarios = scenario_settings(arguments.set)
    if scenarios and arguments.scenario is None:
        arguments.scenario, *scenarios = scenarios
    if scenarios:
        raise InputError(f"a second scenario {scenarios[0]!r}", "one")
    if arguments.repeats < 1:
        raise InputError(f"--repeats {arguments.repeats}", "at least 1")
    named = {role: name for role in ROLES if (name := getattr(arguments, role)) is not None}
    duration = {} if arguments.duration is None else {"tool.duration": arguments.duration}
    request = Request(
        arguments.scenario,
        {**named, **duration, **keys},
        Place.parse(arguments.sender_place or "local"),
        Place.parse(arguments.receiver_place or "local"),
        arguments.address,
        arguments.port,
        arguments.repeats,
        arguments.file,
        None if arguments.time_limit is None else units.parse(arguments.time_limit, "time", name="--time-limit"),
        inventory=not arguments.no_inventory,
        probe=not arguments.no_probe,
    )
    if arguments.dry_run:
        output.show((f"{line}\n" for line in measure.planned(request)), "text")
        return 0
    folder = Path(arguments.output or f"measure-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    try:
        with ended_by_signals():
            measured = measure.measure(request, folder, progress=True)
    except KeyboardInterrupt:
        kept = f"; the results so far are in {folder}" if folder.is_dir() else ""
        say(f"stopped: servers and files of the measurement are removed{kept}")
        raise
    output.show(_written(measured, arguments.format), arguments.format)
    faults = [f"run {result.run}: {result.error}" for result in measured.runs if result.error]
    say_all(faults, f"{folder}/runs.csv")
    return 1 if faults else 0


def _written(measured: Measured, form: str) -> Iterator[str]:
    if form == "json":
        yield from output.json_object(measured.to_dict())
        return
    predicted = {
        "predicted_bps": measured.prediction.throughput_bps,
        "low_bps": measured.prediction.low_bps,
        "high_bps": measured.prediction.high_bps,
    }
    rows: list[dict[str, Any]] = [{**asdict(result), **predicted} for result in measured.runs]
    rows = [{name: row[name] if row[name] != "" else None for name in COLUMNS} for row in rows]
    yield from output.written(rows, COLUMNS, form)
    if form == "text":
        yield f"\n{measured}\nEverything is in {measured.folder}.\n"
