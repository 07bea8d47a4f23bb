"""The model of the app, without a widget: keys of a scenario in, a prediction with its figures and its cost out.

The state of the app is a mapping of scenario keys as in YAML (``sender``, ``path.rtt``, …), and the app saves the same
keys. Two keys are the app's own: ``sender.cards`` is a number of network cards, saved as the slots that hold them, and
``measured`` the rate of the runs of an opened folder [bit/s], shown and not saved.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from hecn_analysis.app.controls import ADDED, ROLES, added_cards, card_keys, choices, controls_of, network_cards, shown
from hecn_analysis.app.cost import Cost, costs
from hecn_analysis.app.formula import formula
from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError, ValidityWarning
from hecn_analysis.diagnosis.scenario import scenario_keys
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.figures import plot_ladder
from hecn_analysis.figures.resource_map import resource_map_spec
from hecn_analysis.hardware import Scenario, load_scenario, yaml_file
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.host_words import host_words
from hecn_analysis.hardware.scenario import of_document
from hecn_analysis.inventory.given import host_of
from hecn_analysis.prediction.model import GLANCE, Effort
from hecn_analysis.prediction.single import predict

if TYPE_CHECKING:
    from hecn_analysis.prediction import Assumption, Prediction

State = dict[str, Any]

#: State in which the app starts.
START: Final[State] = {
    "sender": "dtn-100g-2024",
    "receiver": "dtn-100g-2024",
    "path": "lan-100ge",
    "tool": "iperf3",
}

#: Tool for disks, where the one before does not use any.
DISK_TOOL: Final = "gridftp"

_ENDS: Final = ("sender", "receiver")

#: Key of the rate of measured runs. [bit/s]
MEASURED: Final = "measured"

#: Number of drawn rungs of the ladder.
RUNGS: Final = 3

LADDER: Final = "The grey band holds 90 % of single runs."
MAP: Final = "Each part is filled by its utilisation; the framed one binds."

#: Keys that controls set.
CONTROLLED: Final = re.compile(
    r"path\.(rate|links|rtt|loss|mtu)|tool\.(processes|streams|window|bytes|duration)|sender\.congestion_control"
    r"|(sender|receiver)\.(cards|max_payload|read_rate|write_rate|cpu\.clock|lro|arrays\.[^.]+\.disks)"
)

_DIMENSIONS: Final[dict[str, units.Dimension]] = {
    "Gb/s": "rate",
    "Mb/s": "rate",
    "s": "time",
    "ms": "time",
    "us": "time",
    "TB": "bytes",
    "GB": "bytes",
    "MB": "bytes",
    "GiB": "bytes",
    "MiB": "bytes",
    "KiB": "bytes",
    "GHz": "frequency",
}
#: Units for the value of a key, by the last part of its name.
_WRITTEN: Final = {
    "rate": ((1e9, "Gb/s"), (1e6, "Mb/s")),
    "rtt": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "duration": ((1.0, "s"),),
    "bytes": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")),
    "window": ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")),
    "clock": ((1e9, "GHz"),),
    "read_rate": ((1e9, "Gb/s"), (1e6, "Mb/s")),
    "write_rate": ((1e9, "Gb/s"), (1e6, "Mb/s")),
}


@dataclass(frozen=True)
class Look:
    """A scenario as the app shows it."""

    state: State  # its keys
    # the scenario, and the same without the settings of the controls
    scenario: Scenario
    base: Scenario
    prediction: Prediction
    cost: Mapping[str, Cost]  # bill of each host
    exact: bool  # whether the prediction is the full one
    remarks: tuple[str, ...] = ()  # warnings of the limits


def opened(scenario: str | Path | Mapping[str, Any] | None) -> State:
    """Return the state of the app for a scenario: a YAML file, the name of a shipped one, or a mapping of keys.

    A folder with transfers is the scenario of its verdict; a folder or archive of captured output without a transfer is
    the host at both ends of the path in which the app starts. None gives the state in which the app starts. InputError
    if the scenario is not valid.

    >>> opened({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"})["path.rate"]
    10000000000.0
    """
    if scenario is None:
        return dict(START)
    if not isinstance(scenario, Mapping) and (measured := _of_transfers(Path(scenario))) is not None:
        return measured
    captured = None if isinstance(scenario, Mapping) else host_of(str(scenario))
    return _state(load_scenario(scenario if captured is None else _at_both_ends(captured.description)))


def _of_transfers(folder: Path) -> State | None:
    """State for the transfer that people ask for, else the most frequent, with its measured rate; None without one."""
    if not folder.is_dir():
        return None
    verdicts = [each for each in diagnose(folder) if each.measured_bps is not None and not each.kind.is_local]
    if not verdicts:
        return None
    verdict = min(verdicts, key=lambda each: not each.kind.is_asked_for)  # the first of those alike
    return {**_state(load_scenario(scenario_keys(verdict))), MEASURED: verdict.measured_bps}


def _at_both_ends(description: Mapping[str, Any]) -> State:
    """Start with a described host at both ends."""
    return _with_keys(START, _ENDS, dict(_flat(description)))


def _with_keys(state: Mapping[str, Any], roles: Iterable[str], keys: Mapping[str, Any]) -> State:
    """State with the keys of a host at these ends, instead of the hosts there."""
    ends = tuple(roles)
    kept = {key: value for key, value in state.items() if key.partition(".")[0] not in ends}
    return {**kept, **{f"{role}.{key}": value for role in ends for key, value in keys.items()}}


def _flat(part: Mapping[str, Any], stem: str = "") -> Iterator[tuple[str, Any]]:
    """Keys of a description with dots between its levels."""
    for name, value in part.items():
        if isinstance(value, Mapping) and "value" not in value:
            yield from _flat(value, f"{stem}{name}.")
        else:
            yield f"{stem}{name}", value


def read(text: str, source: str) -> State:
    """State of the app for the text of a scenario's YAML file."""
    return _state(of_document(yaml_file.parse(text, source)))


def _state(scenario: Scenario) -> State:
    """Keys of a scenario, with plain numbers for the settings of the controls."""
    state = dict(scenario.keys)
    for role in ("sender", "receiver"):
        if added_cards(state, role):
            state = {key: value for key, value in state.items() if not key.startswith(f"{role}.slots.{ADDED}")}
            state[f"{role}.cards"] = len(network_cards(getattr(scenario, role)))
    values = {control.key: value for control, value in controls_of(scenario)}
    return {key: values.get(key, value) for key, value in state.items()}


def settled(before: Mapping[str, Any], after: Mapping[str, Any]) -> State:
    """State after a change; another host, path or tool drops the settings of the one before."""
    state = dict(after)
    for role in ROLES:
        if before.get(role) != after.get(role):
            state = {
                key: value for key, value in state.items() if not key.startswith(f"{role}.") or before.get(key) != value
            }
    return state


def glance(state: Mapping[str, Any]) -> Look:
    """Predict a state quickly, with a rough interval, while it changes; HecnError says why it is not valid."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ValidityWarning)
        look = _look(state, GLANCE)
    remarks = dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, ValidityWarning))
    return replace(look, remarks=tuple(remarks))


def in_full(look: Look) -> Look:
    """The same look with the full prediction."""
    return replace(look, prediction=predict(look.scenario), exact=True)


def _look(state: Mapping[str, Any], effort: Effort) -> Look:
    scenario, base = scenario_of(state)
    prediction = predict(scenario, effort=effort)
    return Look(dict(state), scenario, base, prediction, costs(scenario, base), exact=False)


def scenario_of(state: Mapping[str, Any]) -> tuple[Scenario, Scenario]:
    """Scenario of a state, and the same without the settings of the controls."""
    base = base_of(state)
    return load_scenario(keys_of(state, base)), base


def base_of(state: Mapping[str, Any]) -> Scenario:
    """Scenario of a state without the settings of the controls: hosts, path and tool as in the models."""
    kept = {
        key: value
        for key, value in state.items()
        if key != MEASURED and not (_is_controlled(key) and key.partition(".")[0] in state)
    }
    return _base(json.dumps(kept))


@lru_cache(maxsize=16)
def _base(keys: str) -> Scenario:
    return load_scenario(json.loads(keys))


def _is_controlled(key: str) -> bool:
    return CONTROLLED.fullmatch(key) is not None


def keys_of(state: Mapping[str, Any], base: Scenario) -> State:
    """Scenario keys of a state: numbers of cards become slots."""
    keys = {key: value for key, value in state.items() if key != MEASURED and not key.endswith(".cards")}
    for role in ("sender", "receiver"):
        host = getattr(base, role)
        if f"{role}.cards" in state and host is not None:
            keys |= card_keys(role, host, int(state[f"{role}.cards"]))
    return keys


def to_yaml(state: Mapping[str, Any]) -> str:
    """Write a state as the YAML of a scenario for ``hecn predict``."""
    keys = keys_of(state, base_of(state))
    ends = " to ".join(str(keys[role]) for role in ("sender", "receiver") if role in keys)
    over = f" over {keys['path']}" if "path" in keys else ""
    document: dict[str, Any] = {"title": f"{keys.get('tool', 'transfer')} from {ends}{over}"}
    document |= {role: keys[role] for role in ROLES if role in keys}
    settings = {key: written(key, value) for key, value in keys.items() if key not in ROLES}
    if settings:
        document["set"] = settings
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def written(key: str, value: Any) -> Any:  # noqa: ANN401 - whatever a key takes
    """Write a number with its unit if that is exact; return anything else unchanged."""
    for scale, unit in _WRITTEN.get(key.rpartition(".")[2], ()):
        if isinstance(value, int | float) and value >= scale:
            text = f"{value / scale:.10g} {unit}"
            return text if math.isclose(units.parse(text, _DIMENSIONS[unit]), value, rel_tol=1e-12) else value
    return value


# what a page shows ---------------------------------------------------------------------------------------------------


def page(look: Look) -> dict[str, Any]:
    """Everything that the page shows, as plain values."""
    prediction = look.prediction
    drawn = replace(prediction, ladder=prediction.near_limits[:RUNGS])
    ladder = plot_ladder(drawn, measured_bps=look.state.get(MEASURED))
    return {
        "error": None,
        "exact": look.exact,
        "headline": _headline(prediction) if look.exact or not _is_lossy(look.scenario) else _roughly(prediction),
        "sentence": _sentence(prediction),
        "formula": formula(look.scenario, prediction),
        "facts": _facts(look),
        "figures": [
            _figure("ladder", "Bottleneck, and the next ones", LADDER, ladder.to_plotly_json()),
            _figure("map", "Route of the data", MAP, resource_map_spec(prediction)),
        ],
        "costs": [_bill(role, cost) for role, cost in look.cost.items()],
        "warnings": [*prediction.warnings, *look.remarks],
        "assumptions": _assumptions(prediction.assumptions),
        "controls": _controls(look),
        "models": {role: look.state.get(role, "") for role in ROLES},
        "settings": [[key, str(value)] for key, value in look.state.items() if _is_other(key)],
        "yaml": to_yaml(look.state),
    }


def refused(error: Exception) -> dict[str, Any]:
    """The page's message for an error."""
    if isinstance(error, HecnError):
        return {"error": " ".join(str(error).split())}
    return {"error": f"This is a defect of hecn, please report it: {type(error).__name__}: {error}"}


def models() -> dict[str, list[list[str]]]:
    """The models to choose from for each part of a scenario: name and text."""
    return {role: [list(choice) for choice in choices(kind)] for role, kind in ROLES.items()}


def known_parts() -> dict[str, list[list[str]]]:
    """Parts to choose from for a host of one's own, by kind: name and title."""
    return {kind: [[name, part.title] for name, part in parts(kind).items()] for kind in ("nics", "disks", "cpus")}


def with_host(state: Mapping[str, Any], roles: Iterable[str], words: str) -> State:
    """State with a host in words, as for ``hecn predict --host``, at these ends; disks bring a tool that uses them."""
    host = host_words(words)
    state = _with_keys(state, roles, host.keys)
    if "arrays.data.disk" in host.keys and "disk" not in (tool := load_scenario(state).tool).source_end + tool.sink_end:
        state["tool"] = DISK_TOOL
    return state


def with_captured(state: Mapping[str, Any], roles: Iterable[str], path: str) -> State:
    """State with the host of a folder or archive of captured output at these ends."""
    captured = host_of(path)
    if captured is None:
        raise InputError("no folder or archive", "the path of the captured output of one host", source=path)
    return _state(load_scenario(_with_keys(state, roles, dict(_flat(captured.description)))))


def _is_other(key: str) -> bool:
    return key not in ROLES and key != MEASURED and not _is_controlled(key)


def _controls(look: Look) -> list[dict[str, Any]]:
    own = {control.key: value for control, value in controls_of(look.base)}
    return [shown(control, value, own.get(control.key)) for control, value in controls_of(look.scenario)]


def _figure(name: str, title: str, caption: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "title": title, "caption": caption, "spec": spec}


def _headline(prediction: Prediction) -> dict[str, str]:
    if not math.isfinite(prediction.throughput_bps):
        return {"value": "no limit", "unit": "", "interval": "nothing in this description sets one"}
    value, _, unit = units.format_rate(prediction.throughput_bps).partition(" ")
    low, high = units.format_rate(prediction.low_bps), units.format_rate(prediction.high_bps)
    return {"value": value, "unit": unit, "interval": f"{low} to {high}"}


def _is_lossy(scenario: Scenario) -> bool:
    """Whether packets are lost at random, so that a few short simulated runs say little."""
    return scenario.tool.protocol == "tcp" and scenario.path.loss.value > 0


def _roughly(prediction: Prediction) -> dict[str, str]:
    """Headline of a first look over a lossy path: one digit, and a text instead of an interval."""
    rate = prediction.throughput_bps
    if not (math.isfinite(rate) and rate > 0):
        return _headline(prediction)
    size = 10.0 ** math.floor(math.log10(rate))
    value, _, unit = units.format_rate(round(rate / size) * size, digits=1).partition(" ")
    return {"value": f"about {value}", "unit": unit, "interval": "computing losses: may be off by a factor of two"}


def _sentence(prediction: Prediction) -> str:
    if not prediction.ladder:
        return "Nothing in this description sets a limit."
    first = f"Limited by {prediction.ladder[0].title}."
    if len(prediction.near_limits) < 2:
        return first
    second = prediction.near_limits[1]
    return f"{first} Without that, {second.title} would allow {units.format_rate(second.throughput_bps)}."


def measured_words(look: Look) -> str:
    """Measured rate of a folder of transfers, and where it stands to the interval; empty without one."""
    measured_bps = look.state.get(MEASURED)
    if measured_bps is None:
        return ""
    low, high = look.prediction.low_bps, look.prediction.high_bps
    where = ", below the interval" if measured_bps < low else ", above the interval" if measured_bps > high else ""
    return f"{units.format_rate(measured_bps)}{where}"


def _facts(look: Look) -> list[list[str]]:
    prediction, tool, path = look.prediction, look.scenario.tool, look.scenario.path
    rate = prediction.throughput_bps
    facts = [["Measured", measured]] if (measured := measured_words(look)) else []
    if tool.bytes is not None and math.isfinite(rate):
        amount = tool.bytes.value * tool.processes
        facts.append(["Time", f"{units.format_time(8 * amount / rate)} for {units.format_bytes(amount)}"])
    if tool.protocol != "file" and path.rate is not None and math.isfinite(rate):
        line = path.rate.value * path.links
        facts.append(["Share of line rate", f"{units.format_fraction(rate / line)} of {units.format_rate(line)}"])
        in_flight = line * path.rtt.value / 8
        if in_flight > 0:
            facts.append(["In flight at line rate", units.format_bytes(in_flight)])
    total = sum(cost.usd for cost in look.cost.values())
    if total > 0:
        note = ", partly assumed" if any(cost.assumed_usd or cost.unknown for cost in look.cost.values()) else ""
        facts.append(["Cost of the hosts", f"{_usd(total)}{note}"])
        if math.isfinite(rate) and rate > 0:
            facts.append(["Cost per Gb/s", f"{_usd(total / rate * 1e9)}{note}"])
    return facts


def _usd(amount: float) -> str:
    return f"{amount:,.0f} USD"


def _bill(role: str, cost: Cost) -> dict[str, Any]:
    remarks = []
    if cost.assumed_usd:
        remarks.append(f"* {_usd(cost.assumed_usd)} at assumed prices")
    if cost.unknown:
        remarks.append(f"no known price for {', '.join(cost.unknown)}")
    if cost.stated_usd is not None and round(cost.stated_usd) != round(cost.usd):
        remarks.append(f"its document states {_usd(cost.stated_usd)} for the host as built")
    year = f", prices of {cost.year}" if cost.year is not None else ""
    return {
        "title": f"{role.capitalize()}: {cost.host}{year}",
        "total": _usd(cost.usd) if cost.lines else "no parts are known",
        "remark": "; ".join(remarks),
        "lines": [
            {
                "item": line.item,
                "quantity": line.quantity,
                "each": "–" if line.each_usd is None else f"{line.each_usd:,.0f}",
                "sum": "–" if line.each_usd is None else f"{line.usd:,.0f}{' *' if line.assumed else ''}",
                "source": line.source,
            }
            for line in cost.lines
        ],
    }


def _assumptions(assumptions: tuple[Assumption, ...]) -> dict[str, Any]:
    order = {"assumed": 0, "calibrated": 1, "documented": 2, "specification": 3}
    rows = sorted(assumptions, key=lambda assumption: (order[assumption.basis], -assumption.spread))
    assumed = sum(assumption.basis == "assumed" for assumption in rows)
    return {
        "title": f"{len(rows)} numbers behind this, {assumed} of them assumed",
        "rows": [
            [
                assumption.name,
                f"{assumption.value:.6g} {assumption.unit}".rstrip(),
                f"± {units.format_percent(assumption.spread)}",
                assumption.basis,
                assumption.source,
            ]
            for assumption in rows
        ],
    }
