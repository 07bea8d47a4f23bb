"""Predict published results of other people's systems: ``python -m upkeep.strangers DATA``; `make strangers DATA=FILE`.

DATA is a table of published measurements: ``id``, ``category``, ``config_json`` (the configuration that the source
states), ``measured_value`` with its ``unit``, ``stated_limit_or_bottleneck`` with ``bottleneck_basis``,
``source_title``. `strangers.yaml` holds the rules that turn a configuration into a prediction, the same for all rows of
a category. No rule and no number of the model may be fitted to a row: sizes of errors are estimated without the source
that they are judged on (`upkeep.errors`).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import yaml

from hecn_analysis import limits
from hecn_analysis.base import places, units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.description import Library
from hecn_analysis.prediction import discrepancy
from hecn_analysis.prediction.draws import DRAWS, FloatArray, order
from hecn_analysis.prediction.priors import quantiles
from upkeep import discrepancies, strangers_arrays, strangers_page, strangers_places, strangers_reading
from upkeep.strangers_rows import Row, predict_row, winkler

RULES: Final = Path(__file__).with_suffix(".yaml")

#: Regime of the formulas of `hecn limits`.
_REGIME: Final = {
    "pcie": "slot",
    "atm": "stated",
    "memory": "slot",
    "channels": "core within a machine",
    "banks": "core within a machine",
}

#: Share of the nominal rate of memory that copies reach.
_USABLE: Final = 0.75

#: Year from which kernels tune the buffers of both ends themselves (Linux 2.6.7 and 2.6.17).
_TUNED: Final = 2005

#: Categories of transfers whose description says how far they go.
_FAR: Final = frozenset({"wan", "tcpwan", "satellite", "disk2disk", "tools", "lsr"})

#: Keys of the core that reads and writes a local file.
_CORE_KEYS: Final = tuple(f"{role}.cpu{part}" for role in ("sender", "receiver") for part in ("", ".clock"))

#: Programs whose client sends the requests that a local program makes.
_BLOCK_DEVICES: Final = frozenset({"nvme-tcp", "nvme-rdma", "iscsi"})

#: Payload of a datagram where the stack does not cut larger ones: IPv4 on Ethernet. [bytes]
_DATAGRAM: Final = 1472

#: Duration of a test after which a machine of a cloud gets its baseline. [s]
_LONG_S: Final = 1800

#: Ends of keys that are true or false.
_TRUTHS: Final = (
    ".offload",
    ".gro",
    ".lro",
    ".zero_copy",
    ".arfs",
    ".bidirectional",
    ".sync",
    ".tunnel_offload",
)

#: Carriers of ATM by their line rate. [bit/s]
_CARRIERS: Final = {155.52e6: "oc3c", 622.08e6: "oc12c", 2488.32e6: "oc48c"}

#: Errors in each draw before and after a change: for all, or by source.
_Factors: TypeAlias = tuple[FloatArray, FloatArray] | Mapping[str, tuple[FloatArray, FloatArray]]

_UNITS: Final = re.compile(r"([kKMGT]i?)?([bB])(?:/s|ps)\b(?! per)(?: \(.{0,60}\))?$")

#: Words of sources for the limit, and the classes of bottlenecks that they stand for.
_WORDS: Final = (
    ("window|bdp|buffer", {"window"}),
    ("loss|overflow|retrans", {"loss", "link"}),
    ("pcie|pci-x|uplink", {"slot", "interconnect"}),
    (r"cpu|core|cipher|tls|encrypt|copy|program|interrupt|softirq|thread", {"cpu", "memory"}),
    (r"disk|drives?\b|media|ssd|nvme|zone|raid", {"disk", "raid", "filesystem"}),
    ("request", {"tool", "disk", "slot"}),
    ("memory", {"memory", "cpu"}),
    (
        r"link|\bline|framing|gbe|ethernet|sonet|access|(?<!write )path|\bnic|interface|\bport|channel",
        {"link", "nic", "switch"},
    ),
)


def read(data: Path) -> list[Row]:
    """Rows of a table, predicted."""
    table = pd.read_csv(data)
    rows = []
    for line in table.fillna({"config_json": "{}"}).to_dict("records"):
        config = {name: line[name] for name in ("description", "source_title")} | json.loads(line["config_json"])
        row = Row(
            str(line["id"]),
            str(line["category"]),
            str(line["source_title"]),
            str(config.get("pair", "")),
            _bps(line["measured_value"], str(line["unit"])),
            str(line["stated_limit_or_bottleneck"]),
            str(line["bottleneck_basis"]),
        )
        beyond = _rules()["unexpressed"]
        row.counted = line["kind"] == "measured" and not re.search(beyond["limit"], row.limit)
        row.unread, row.not_understood = unread(config), not_understood(config)
        row.whole = row.counted and not row.unread and not any(key in config for key in beyond["keys"])
        try:
            _predict(row, config)
        except (HecnError, KeyError, ValueError) as error:
            row.fault = str(error)[:160]
        rows.append(row)
    return rows


def _bps(value: float, unit: str) -> float:
    """Measured rate [bit/s]; NaN where the value is not a rate of a transfer."""
    found = _UNITS.match(unit)
    if found is None:
        return float("nan")
    prefix = found[1] or ""
    base = 1024.0 if prefix.endswith("i") else 1000.0
    return value * base ** " KMGT".index(prefix[:1].upper() or " ") * (8 if found[2] == "B" else 1)


# --- rules


@cache
def _rules() -> dict[str, Any]:
    return dict(yaml.safe_load(RULES.read_text(encoding="utf-8")))


@cache
def _spellings() -> dict[str, str]:
    """Keys that the rules read, by their spelling."""
    readings = [reading for readings in _rules()["quantities"].values() for reading in readings]
    names = [name for reading in readings for name in _names(reading)]
    return {strangers_reading.spelled(name, {}): name for name in names}


def _names(reading: Mapping[str, Any]) -> list[str]:
    return reading["key"] if isinstance(reading["key"], list) else [reading["key"]]


def unread(config: Mapping[str, Any]) -> list[str]:
    """Keys of a configuration that no rule reads, except those that matter to no rate."""
    beyond = _rules()["unexpressed"]
    ignored = {*beyond["ignored"], *strangers_places.WHERE}
    return strangers_reading.unread(config, _spellings(), ignored, _rules()["synonyms"])


def not_understood(config: Mapping[str, Any]) -> list[str]:
    """Keys that rules read, whose values say nothing to them."""
    ignored = {*_rules()["unexpressed"]["ignored"], *strangers_places.WHERE}
    read = set(config) - set(unread(config)) - ignored
    return sorted(
        key for key in read if strangers_reading.spelled(key, {}) not in ignored and not quantities({key: config[key]})
    )


def quantities(config: Mapping[str, Any]) -> dict[str, Any]:
    """Quantities that a configuration states, by the readings of the rules."""
    found = {}
    config = strangers_reading.respelled(config, _spellings(), _rules()["synonyms"])
    for name, readings in _rules()["quantities"].items():
        values = (_read(reading, config) for reading in readings)
        if (value := next((value for value in values if value is not None), None)) is not None:
            found[name] = value
    if found.get("software") == "cluster" or "many" in found:
        is_many = "together" in found or found.get("clients", found.get("nodes", 1)) > 1
        found["cluster_clients"] = "cluster" if is_many else "cluster-client"
    if found.get("streams", 1) > 1:  # threads of several connections are on several cores of the socket
        found = {name: value for name, value in found.items() if name not in {"app_core", "irq_core"}}
    return found


def _read(reading: Mapping[str, Any], config: Mapping[str, Any]) -> Any:  # noqa: ANN401 - number or word
    for key in _names(reading):
        if key in config and (value := _value(reading, config[key])) is not None:
            return value
    return None


def _value(reading: Mapping[str, Any], raw: Any) -> Any:  # noqa: ANN401 - number or word
    if "part" in reading:
        return _part(reading["part"], str(raw))
    if "pattern" not in reading:
        value: Any = strangers_reading.number(raw, reading.get("unit", ""))
        if value is None:
            return None
    else:
        found = re.search(reading["pattern"], str(raw))
        if found is None:
            return None
        value = found[1]
    if "words" in reading:
        text = re.sub(r"[ -]", "", str(value)).lower()
        value = next((to for word, to in reading["words"].items() if re.sub(r"[ -]", "", word).lower() in text), None)
    return value if value is None or reading.get("text") else _scaled(reading, value)


def _scaled(reading: Mapping[str, Any], value: Any) -> float:  # noqa: ANN401 - what a table holds
    """Number in SI."""
    number = float(value) * reading.get("factor", 1) + reading.get("add", 0)
    scale = {"ms": 1e-3, "us": 1e-6}.get(reading.get("unit", ""))
    if scale is not None:
        return number * scale
    return _bps(number, reading["unit"]) if "unit" in reading else number


_FAMILY: Final = frozenset(
    {"intel", "amd", "xeon", "epyc", "core", "gold", "platinum", "silver", "ryzen", "9", "7", "arm"}
)


@cache
def _part_words(kind: str) -> list[tuple[str, str]]:
    names = Library(places.models_dir()).part_names(kind)
    words = [("".join(word for word in name.split("-") if word not in _FAMILY), name) for name in names]
    return sorted((word, name) for word, name in words if len(word) > 3)


def _part(kind: str, text: str) -> str | None:
    """Part of the library that a text names."""
    plain = re.sub(r"[^a-z0-9]", "", text.lower())
    named = [(len(word), name) for word, name in _part_words(kind) if re.search(rf"{word}(?!v\d)", plain)]
    if named or kind != "cpus":
        return max(named)[1] if named else None
    families = _rules()["families"].items()
    return next((name for pattern, name in families if re.search(pattern, text, re.IGNORECASE)), None)


# --- predictions


def _predict(row: Row, config: Mapping[str, Any]) -> None:
    """Fill in the prediction of a row."""
    known = quantities(config)
    rule = next((rule for rule in _rules()["rules"] if _applies(rule, row.category, known)), None)
    if rule is None or not row.measured_bps > 0:
        row.fault = "no rule" if rule is None else "not a rate"
        return
    is_transfer = "path.rate" in rule.get("keys", {})
    access = _rules()["access"].get(known.get("access"), {}) if is_transfer else {}
    keys = {**rule.get("set", {}), **access, **_filled(rule.get("keys", {}), known)}
    if not {"io", "flushed", "depth"} & set(known):  # how much is in flight, and on how many cores, is not known
        of_file = () if is_transfer else _CORE_KEYS
        keys = {key: value for key, value in keys.items() if key not in {"tool.request", *of_file}}
    if is_transfer:
        keys = _completed(keys, known)
    if "rtt" not in known and row.category in _FAR:
        reach = _rules()["reaches"].get(known.get("reach"))
        far = strangers_places.round_trip(config, _rules()["places"]) or reach
        keys |= {"path.rtt": far} if far else {}
    for role in rule.get("disk", ()):
        keys |= strangers_arrays.keys_of(role, known, _rules())
    row.keys = keys
    row.whole = row.whole and not isinstance(keys.get("path.rtt"), dict)  # what TCP does rests on the round trip
    row.baseline = _baseline(rule["baseline"], known)
    if "limit" in rule:
        _limit(row, rule, keys, known)
    else:
        predict_row(row, load_scenario(keys))
    if "defect" in known and row.draws is not None:
        row.draws = row.draws + _of_spread(_rules()["defect"], "defect")


def _completed(keys: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a transfer over a network, with what its words imply: kernel, allowance of a cloud, requests, files."""
    usual = _windows(known) if "window" in known else {}
    completed = {**usual, **keys, **_requests(known)}
    if known.get("instance") in _rules()["instances"]:
        allowed = _rules()["instances"][known["instance"]]
        if known.get("seconds", 0) >= _LONG_S and "size" in known:  # the credits of a burst are spent
            allowed = _rules()["baselines"][known["size"]]
        completed |= {"sender.instance_rate": allowed, "receiver.instance_rate": allowed}
    if {"loopback", "transport"} <= set(known) and known.get("tso") == 0:
        completed["tool.message"] = min(known.get("message_size", _DATAGRAM), _DATAGRAM)  # one call for each datagram
    if completed.get("tool") == "ftp":  # a stream, without requests
        completed.pop("tool.outstanding", None)
    if "tuned" in known:
        completed = {"sender.tcp_wmem_max": _rules()["tuned"], "receiver.tcp_rmem_max": _rules()["tuned"], **completed}
    if "over_usb" in known and completed.get("path.rate", 0) > _bps_of(_rules()["attachments"]["usb3"]):
        completed["path.rate"] = _rules()["attachments"]["usb3"]
    if completed.get("tool") == "s3":
        completed.setdefault("tool.pace", _rules()["object_store"])
    if "teams" in known:
        completed |= _of_teams(completed, known)
    return completed


def _bps_of(quantity: Mapping[str, Any]) -> float:
    """Value of a rate with a unit [bit/s]."""
    return float(units.parse(quantity["value"], "rate"))


def _windows(known: Mapping[str, Any]) -> dict[str, Any]:
    """Kernels by which windows that a source states are counted."""
    is_old = int(known.get("year", _TUNED)) < _TUNED
    return dict(_rules()["assumed_before" if is_old else "assumed"])


def _applies(rule: Mapping[str, Any], category: str, known: Mapping[str, Any]) -> bool:
    return (
        category in rule["categories"]
        and all(name in known for name in rule.get("has", ()))
        and not any(name in known for name in rule.get("missing", ()))
    )


def _filled(keys: Mapping[str, str | list[str]], known: Mapping[str, Any]) -> dict[str, Any]:
    known_parts = {"cpu", "server"}
    filled = {}
    for key, template in keys.items():
        names = [each.strip("{}") for each in ([template] if isinstance(template, str) else template)]
        if known_parts & set(known):
            names = [name for name in names if name != "nominal"]  # the part has the clock that its cores reach
        if (name := next((name for name in names if name in known), None)) is not None:
            value = known[name]
            filled[key] = int(value) if isinstance(value, float) and value.is_integer() else value
    if "path.links" in filled and "tool.streams" not in filled:  # a bundle is filled by as many connections at least
        filled["tool.streams"] = filled["path.links"]
    for key in [key for key in filled if key.endswith(".cpu.sockets") and key.removesuffix(".sockets") not in filled]:
        del filled[key]  # the processor of the prior has sockets of its own
    for key in [key for key in filled if key.endswith(_TRUTHS)]:
        filled[key] = bool(filled[key])
    return filled


def _requests(known: Mapping[str, Any]) -> dict[str, Any]:
    """Requests of a block device over a network, which the program at its client makes."""
    if known.get("program") not in _BLOCK_DEVICES:
        return {}
    named = {"tool.request": "block", "tool.outstanding": "depth", "tool.streams": "jobs"}
    return {key: int(known[name]) for key, name in named.items() if name in known}


def _of_teams(completed: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Rate of the storage of hosts by the dozen, where they read and write files."""
    lines = completed["path.rate"] * completed.get("path.links", 1)
    storage = {**_rules()["team_storage"], "value": lines * _rules()["team_storage"]["value"]}
    ends = {"sender.read_rate": ("source", "tool.source_end"), "receiver.write_rate": ("sink", "tool.sink_end")}
    files = {key: end for key, (name, end) in ends.items() if known.get(name) != "memory"}
    return dict.fromkeys(files, storage) | dict.fromkeys(files.values(), "disk")


def _limit(row: Row, rule: Mapping[str, Any], keys: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Fill in the prediction of a row by a formula of `hecn limits`."""
    kind = rule["limit"]
    if kind == "memory":
        rate = keys["rate"] * _USABLE / keys.get("passes", 1)
    elif kind == "channels":
        rate = _of_channels(keys)
    elif kind == "banks":
        rate = _of_banks(keys["channels"], keys.get("transfers", _rules()["memory_transfers"]), keys)
    elif kind == "atm":
        carrier = _CARRIERS.get(keys["carrier"])
        if carrier is None:
            row.fault = "no such carrier"
            return
        rate = float(limits.atm(carrier, keys["mtu"])["goodput_bps"])
    else:
        rate = float(limits.pcie(**keys)["throughput_bps"])
    rate = min(rate, known.get(rule.get("cap", ""), np.inf) * known.get("links", 1))
    row.draws = np.full(DRAWS, np.log(rate))
    row.regimes = np.full(DRAWS, discrepancy.REGIMES.index(_REGIME[kind]))
    row.most = np.full(DRAWS, np.inf)
    row.bottleneck = {"pcie": "slot", "atm": "link"}.get(kind, "memory")


def _of_spread(share: Mapping[str, float], name: str) -> FloatArray:
    """Logarithm of the share of a rate that is kept, in each draw."""
    spread = np.sort(quantiles([(1.0, share["share"], share["factor"])]))[order(name)]
    return np.asarray(np.log(np.minimum(spread, 1.0)))


def _of_channels(keys: Mapping[str, Any]) -> float:
    """Rate of the memory of processors, or of what few cores have in flight [bit/s]."""
    part = parts("cpus")[keys["cpu"]]
    if part.memory_channels is None or part.memory_transfers is None:
        raise InputError(f"no memory of {keys['cpu']}", "a processor with channels and transfers")
    return _of_banks(keys.get("sockets", 1) * part.memory_channels, part.memory_transfers.value, keys)


def _of_banks(channels: int, transfers: float, keys: Mapping[str, Any]) -> float:
    """Rate of channels of memory, or of what few cores have in flight [bit/s]."""
    memory = limits.memory(channels=channels, transfers=transfers, usable=_USABLE, passes=keys.get("passes", 1))
    alone = units.parse(_rules()["core_memory"], "rate") * keys.get("cores", np.inf)
    return min(float(memory["throughput_bps"]), alone)


_LANE: Final = {1: 2e9, 2: 4e9, 3: 7.877e9, 4: 15.754e9, 5: 31.508e9, 6: 60.5e9}


def _baseline(kind: str, known: Mapping[str, Any]) -> float:
    """Rule of thumb: line rate, window over RTT, lanes, nominal memory, or disks times one disk [bit/s]."""
    if kind == "slot":
        return float(_LANE[int(known["gen"])] * known["lanes"])
    if kind == "memory":
        return float(known.get("memory", known.get("memory_rate", np.nan)))
    if kind == "disks":
        medium = _rules()["media"][known.get("medium", "unknown")]["read"]["value"]
        return float(known.get("one_disk", units.parse(medium, "rate")) * strangers_arrays.count(known, _rules()))
    line = known.get("rate", known.get("near", np.nan)) * known.get("links", 1)
    window = known["window"] * 8 / known["rtt"] * known.get("streams", 1) if {"window", "rtt"} <= set(known) else np.nan
    return float(np.nanmin([line, window])) if np.isfinite([line, window]).any() else float("nan")


# --- scores


def table(rows: Sequence[Row], factors: _Factors) -> pd.DataFrame:
    """One row a published result: what was predicted, beside what was measured; `factors` by source or for all."""
    lines = []
    for row in rows:
        line: dict[str, Any] = {
            name: getattr(row, name) for name in ("name", "category", "source", "fault", "baseline", "whole")
        }
        line["measured"] = np.log(row.measured_bps) if row.measured_bps > 0 else np.nan
        if row.draws is not None:
            own = row.predicted(_of(factors, row.source)[0])
            line["low"], line["high"] = np.quantile(own, [0.05, 0.95])
            line["predicted"] = np.median(row.draws)
        line["right"] = _is_right(row)
        lines.append(line)
    return pd.DataFrame(lines)


def _is_right(row: Row) -> bool | None:
    if row.basis != "stated" or not row.bottleneck:
        return None
    said = re.sub(r"\bnot [a-z]{1,20}", "", row.limit.lower())
    words = [classes for pattern, classes in _WORDS if re.search(pattern, said)]
    return any(row.bottleneck in classes for classes in words) if words else None


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """Scores of each category, and of all rows."""
    groups = [*found.groupby("category", sort=True), ("all", found), ("all keys expressed", found[found["whole"]])]
    return pd.DataFrame([{"category": name, **_scores(group)} for name, group in groups])


def _scores(group: pd.DataFrame) -> dict[str, Any]:
    rates = group[group["measured"].notna()]
    good = rates[rates["low"].notna()] if "low" in rates else rates.iloc[:0]
    off = (good["predicted"] - good["measured"]).abs()
    based = good[good["baseline"].notna()]
    thumb = np.log(based["baseline"]) - based["measured"]
    half = float(thumb.abs().quantile(0.9)) if len(based) else np.nan
    right = good["right"].dropna()
    return {
        "rows": len(group),
        "sources": group["source"].nunique(),
        "expressed": len(good) / len(group),
        "coverage": float(((good["low"] <= good["measured"]) & (good["measured"] <= good["high"])).mean()),
        "error": float(off.mean()),
        "error where a rule of thumb": float(off[based.index].mean()),
        "rule of thumb": float(thumb.abs().mean()),
        "interval score": float(winkler(based["low"], based["high"], based["measured"]).mean())
        if len(based)
        else np.nan,
        "of the rule": 2 * half + 20 * float((thumb.abs() - half).clip(lower=0).mean()) if len(based) else np.nan,
        "bottleneck": float(right.mean()) if len(right) else np.nan,
    }


def pairs(rows: Sequence[Row], factors: _Factors) -> dict[str, float]:
    """Share of pairs with the right direction, and with the ratio inside its interval."""
    direction, inside, width = [], [], []
    for first, second in discrepancies.pairs_of(rows):
        ratio = discrepancies.ratio(first, second, *_of(factors, first.source))
        measured = np.log(second.measured_bps / first.measured_bps)
        low, high = np.quantile(ratio, [0.05, 0.95])
        inside.append(low <= measured <= high)
        width.append(high - low)
        if abs(measured) > 0.05:
            direction.append(_direction(first, second) == np.sign(measured))
    return {
        "pairs": len(inside),
        "direction": float(np.mean(direction or np.nan)),
        "ratio inside": float(np.mean(inside or np.nan)),
        "width of the ratio": float(np.median(width or np.nan)),
    }


def _of(factors: _Factors, source: str) -> tuple[FloatArray, FloatArray]:
    """Factors for a source, before and after a change."""
    return factors[source] if isinstance(factors, Mapping) else factors


def _direction(first: Row, second: Row) -> float:
    """Sign of a change of the stated throughput, the median of draws; where another limit keeps that, of their mean."""
    assert first.draws is not None  # noqa: S101 - rows of pairs have a prediction
    assert second.draws is not None  # noqa: S101 - rows of pairs have a prediction
    change = float(np.median(second.draws) - np.median(first.draws)) or float(np.mean(second.draws - first.draws))
    return float(np.sign(change))


def main() -> None:
    """Print the scores and the worst rows, and write what the documentation shows."""
    parser = argparse.ArgumentParser(description="predict published results")
    parser.add_argument("data", type=Path)
    parser.add_argument("--worst", type=int, default=25, help="number of worst rows to print")
    parser.add_argument("--estimate", action="store_true", help="estimate the model's own error anew, and keep it")
    parser.add_argument("--as-is", action="store_true", help="leave out the cross-validation; nothing is written")
    arguments = parser.parse_args()
    rows = read(arguments.data)
    expressed = [row for row in rows if row.draws is not None]
    documents = discrepancies.of_documents() if arguments.estimate else []
    if arguments.estimate:
        errors = discrepancies.estimated([*(row for row in expressed if row.counted), *documents])
        common = discrepancies.common_share(expressed, errors)
        discrepancies.write(errors, common, places.models_dir() / "discrepancies.yaml")
        factors = discrepancies.factors(errors), discrepancies.factors(errors, common)
    else:
        factors = discrepancy.factors(DRAWS), discrepancy.factors(DRAWS, changed=True)
    found = _shown("as shipped", rows, factors)[0]
    if not arguments.as_is:
        found, scores, of_pairs = _shown("sources left out", rows, discrepancies.folds(expressed))
        strangers_page.write(found, scores, of_pairs)
    _print_worst(rows, found, arguments.worst)


def _shown(title: str, rows: Sequence[Row], factors: _Factors) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, float]]:
    """Predictions, their scores, and those of pairs, printed."""
    found = table(rows, factors)
    scores, of_pairs = summary(found), pairs(rows, factors)
    print(f"\n{title}:")
    with pd.option_context("display.width", 220, "display.max_columns", 20):
        print(scores.round(2).to_string(index=False))
    print(", ".join(f"{name} {value:.2f}" for name, value in of_pairs.items()))
    return found, scores, of_pairs


def _print_worst(rows: Sequence[Row], found: pd.DataFrame, count: int) -> None:
    by_name = {row.name: row for row in rows}
    off = (found["predicted"] - found["measured"]).abs().sort_values(ascending=False)
    print("\nworst rows, in Gb/s:")
    for line in found.loc[off.index[:count]].itertuples():
        row = by_name[line.name]
        rates = [f"{np.exp(value) / 1e9:.3g}" for value in (line.measured, line.predicted, line.low, line.high)]
        keys = {key: value["value"] if isinstance(value, dict) else value for key, value in row.keys.items()}
        print(
            f"{row.name:16} {rates[0]}, predicted {rates[1]} ({rates[2]} to {rates[3]}), {row.bottleneck}: {keys}"[:240]
        )
    for title, names in (
        ("keys that no rule reads", "unread"),
        ("keys with values that say nothing", "not_understood"),
    ):
        counts = Counter(key for row in rows for key in getattr(row, names)).most_common()
        print(f"\n{title}:", ", ".join(f"{key} {count}" for key, count in counts) or "none")
    print("\nwithout a prediction:")
    print(found["fault"].replace("", np.nan).dropna().str.slice(0, 70).value_counts().head(20).to_string())


if __name__ == "__main__":
    main()
