"""Predicts a transfer, runs it, and compares the two.

1. The inventory of both ends is captured, the path is examined (`path`), unknown values are probed (`probes`).
2. The scenario and its prediction are written before the first run.
3. The tool runs (`runs`); its output is stored unchanged and read by `hecn_analysis.read`.
4. Each run is inside, below or above the interval; if it is below, busy parts are named.

Servers and files of a measurement are removed when it ends, however it ends.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import yaml

from hecn_analysis.base import records, units
from hecn_analysis.base.progress import track
from hecn_analysis.files import whole
from hecn_analysis.hardware import Scenario
from hecn_analysis.live import capture, hosts, path
from hecn_analysis.live.finder import Finder, draft_of
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import (
    Folder,
    MeasurementError,
    Request,
    commands,
    ends_of,
    figures_of,
    left_tidy,
    limit_of,
    run_once,
)
from hecn_analysis.prediction import Prediction, predict, tool_commands

INSIDE: Final = "inside"
BELOW: Final = "below"
ABOVE: Final = "above"
FAILED: Final = "failed"

#: A core, a process or a line busier than this counts as a reason for a slow run.
_BUSY: Final = 0.9


@dataclass(frozen=True)
class Run:
    """A run and its verdict."""

    run: int  # its number, from 1
    verdict: str  # ``inside``, ``below`` or ``above`` the interval, or ``failed``
    # rate and duration reported by the tool. [bit/s], [s]
    measured_bps: float | None = None
    duration_s: float | None = None
    # shares of a core that its processes used, as reported by the tool [1]
    cpu_sender_fraction: float | None = None
    cpu_receiver_fraction: float | None = None
    # load of the busiest core of each end during the run [1]
    busiest_sender_fraction: float | None = None
    busiest_receiver_fraction: float | None = None
    retransmits: int | None = None  # retransmitted segments
    busy: str = ""  # what was busy, if the run is below the interval
    error: str = ""  # why there is no result


@dataclass(frozen=True)
class Measured:
    """A finished measurement."""

    folder: Path  # folder of all results
    prediction: Prediction  # the prediction made before the runs
    runs: tuple[Run, ...]  # the measured runs

    @property
    def throughput_bps(self) -> float | None:
        """Median of the runs [bit/s]."""
        rates = [run.measured_bps for run in self.runs if run.measured_bps is not None]
        return statistics.median(rates) if rates else None

    @property
    def verdict(self) -> str:
        """Verdict on the median."""
        return verdict(self.prediction, self.throughput_bps)

    def __str__(self) -> str:
        """The comparison in a few sentences."""
        rate = units.format_rate
        if self.throughput_bps is None:
            return "No run gave a result."
        done = [run for run in self.runs if run.measured_bps is not None]
        basis = "in one run" if len(done) == 1 else f"the median of {len(done)} runs"
        text = f"Measured {rate(self.throughput_bps)}, {basis}; "
        if not self.prediction.ladder:
            return text + "nothing known about the hosts and the path sets a limit to compare with."
        inside = sum(run.verdict == INSIDE for run in done)
        text += (
            f"predicted {rate(self.prediction.throughput_bps)}, between {rate(self.prediction.low_bps)} and "
            f"{rate(self.prediction.high_bps)}: {self.verdict}"
        )
        text += "." if len(done) == 1 else f" ({inside} of {len(done)} runs are inside)."
        busy = next((run.busy for run in done if run.busy), "")
        if self.verdict == BELOW:
            text += f" {busy[:1].upper()}{busy[1:]}." if busy else " No observed part was busy."
        if self.verdict == ABOVE:
            text += f" The predicted limit, {self.prediction.ladder[0].title}, does not exist or is set too low."
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        predicted = self.prediction
        limits = (predicted.throughput_bps, predicted.low_bps, predicted.high_bps)
        rate, low, high = (value if math.isfinite(value) else None for value in limits)
        return {
            "folder": str(self.folder),
            "sentence": str(self),
            "verdict": self.verdict,
            "throughput_bps": self.throughput_bps,
            "predicted_bps": rate,
            "low_bps": low,
            "high_bps": high,
            "bottleneck": self.prediction.bottleneck,
            "runs": [asdict(run) for run in self.runs],
        }


def verdict(prediction: Prediction, measured_bps: float | None) -> str:
    """Whether a measured rate is inside, below or above the interval."""
    if measured_bps is None:
        return FAILED
    return BELOW if measured_bps < prediction.low_bps else ABOVE if measured_bps > prediction.high_bps else INSIDE


def measure(request: Request, folder: Path, *, progress: bool = False) -> Measured:
    """Predict and measure; the new folder gets all results.

    InputError if the scenario is not valid or cannot be run, or an end cannot be reached; MissingProgramError if a
    program is not installed; MeasurementError if nothing could be measured.
    """
    capture.check(folder)
    draft = draft_of(request)
    ends = ends_of(request, is_networked=draft.scenario.tool.protocol != "file")
    plan = tool_commands.plan(draft.scenario, ends, draft.keys)
    for place in dict.fromkeys(_places(request, plan)):
        place.require(plan.program)
    here = Folder(folder)
    whole.make_folder(here.logs)
    scenario = Finder(request, draft, ends, here).scenario()
    here.write("scenario.yaml", _as_yaml(scenario))
    prediction = predict(scenario)
    here.write("prediction.json", prediction.to_json() + "\n")
    here.write(
        "commands.txt", "".join(f"{line}\n" for line in commands(request, plan, request.limit_s or limit_of(scenario)))
    )
    runs: list[Run] = []
    with left_tidy(request, plan, request.limit_s or limit_of(scenario)):
        numbers = range(1, request.repeats + 1)
        for number in track(numbers, "measuring") if progress else numbers:
            runs.append(_run(number, request, plan, prediction, here))
            _write_runs(here, runs)
    measured = Measured(folder, prediction, tuple(runs))
    here.write("comparison.json", json.dumps(measured.to_dict(), indent=2, ensure_ascii=False) + "\n")
    if measured.throughput_bps is None:
        raise MeasurementError(f"nothing was measured: {runs[0].error} (logs are in {folder})")
    return measured


def planned(request: Request) -> list[str]:
    """Return the commands of the runs that `measure` would execute, without executing them."""
    draft = draft_of(request)
    is_networked = draft.scenario.tool.protocol != "file"
    ends = ends_of(request, is_networked=is_networked)
    ping = [tool_commands.shown(request.sender.argv(path.ping(ends.address)))] if is_networked else []
    plan = tool_commands.plan(draft.scenario, ends, draft.keys)
    return [*ping, *commands(request, plan, request.limit_s or limit_of(draft.scenario))]


def _places(request: Request, plan: tool_commands.Plan) -> Iterable[Place]:
    yield request.sender if plan.at == "sender" else request.receiver
    if plan.server is not None:
        yield request.receiver


def _as_yaml(scenario: Scenario) -> str:
    head = "# The scenario of a measurement, as predicted before the runs.\n"
    values = {"title": f"measured with {scenario.tool.name}", **_plain(scenario.keys)}
    return head + yaml.safe_dump(values, sort_keys=False)


def _plain(value: Any) -> Any:  # noqa: ANN401 - YAML
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _run(number: int, request: Request, plan: tool_commands.Plan, prediction: Prediction, here: Folder) -> Run:
    """Make one run, read its log, and compare it."""
    log = here.log(f"run-{number}", plan.log)
    limit_s = request.limit_s or limit_of(prediction.scenario)
    scenario = prediction.scenario
    places = [request.sender] * (scenario.sender is not None) + [request.receiver] * (scenario.receiver is not None)
    before = [place.busy() for place in places]
    error = run_once(request, plan, limit_s, log)
    after = [place.busy() for place in places]
    loads = [max(hosts.load(*both).values(), default=None) for both in zip(before, after, strict=True)]
    at_sender, at_receiver = (loads[0] if scenario.sender else None, loads[-1] if scenario.receiver else None)
    result = None if error else figures_of(log)
    if result is None:
        return Run(number, FAILED, error=error or f"{plan.program} printed no result")
    run_verdict = verdict(prediction, result["throughput_bps"])
    run = Run(
        number,
        run_verdict,
        result["throughput_bps"],
        result["duration_s"],
        result["cpu_sender_fraction"],
        result["cpu_receiver_fraction"],
        busiest_sender_fraction=at_sender,
        busiest_receiver_fraction=at_receiver,
        retransmits=None if result["retransmits"] is None else int(result["retransmits"]),
    )
    return run if run_verdict != BELOW else replace(run, busy=_busy(run, prediction))


def _busy(run: Run, prediction: Prediction) -> str:
    """Return the resources that were busy during a run slower than its interval."""
    reasons = []
    for role in ("sender", "receiver"):
        share = getattr(run, f"cpu_{role}_fraction")
        core = getattr(run, f"busiest_{role}_fraction")
        if share is not None and share > _BUSY:
            reasons.append(f"the tool used {units.format_fraction(share)} of a core at the {role}")
        elif core is not None and core > _BUSY:
            reasons.append(f"a core of the {role} was {units.format_fraction(core)} busy")
    if run.retransmits:
        reasons.append(f"{run.retransmits} segments were retransmitted")
    if run.measured_bps is not None and prediction.throughput_bps > 0:
        share_of_predicted = run.measured_bps / prediction.throughput_bps
        shares = {name: share * share_of_predicted for name, share in prediction.utilisation.items()}
        reasons += [
            f"{name} would be {units.format_fraction(share)} busy" for name, share in shares.items() if share > _BUSY
        ]
    return ", ".join(reasons)


def _write_runs(here: Folder, runs: Sequence[Run]) -> None:
    here.write("runs.csv", "".join(records.csv_rows(map(asdict, runs), [field.name for field in fields(Run)])))
