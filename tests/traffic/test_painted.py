"""Summaries, bills, slots and profiles against the same traffic painted second by second, in plain Python."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.traffic.utilisation import COLUMNS, billing, busiest_hour, profile, slot_table, utilisation

BEGIN_S = 1_384_732_800  # a Monday, midnight UTC, so that hours and days are easily told
DIRECTIONS = ("in", "out")
BOUNDS = {"wrap,ambiguous", "ceiling"}


def traffic(seed, ports=3, count=90):
    """Intervals of uneven length that begin anywhere, of which some have no rate in one direction, or none at all."""
    random = np.random.default_rng(seed)
    tables = []
    for port in range(ports):
        lengths = random.choice([60, 150, 299, 300, 301, 420, 450], count)
        flags = random.choice(
            ["ok", "gap", "wrap,ambiguous", "ceiling", "reset", "missing", "wrap"], count, p=[0.7] + [0.05] * 6
        )
        lengths[flags == "gap"] = 1700
        ends = BEGIN_S + 3333 * port + 100 + np.cumsum(lengths)
        rates = random.integers(1, 10**6, (2, count)) * 8000.0
        rates[:, flags == "reset"] = np.nan
        rates[random.integers(0, 2, count), np.arange(count)] *= np.where(flags == "missing", np.nan, 1.0)
        tables.append(
            pd.DataFrame(
                {
                    "host": "switch",
                    "interface": f"eth{port}",
                    "time": pd.to_datetime(ends, unit="s", utc=True),
                    "interval_s": np.where(random.random(count) < 0.03, np.nan, lengths),
                    "in_bps": rates[0],
                    "out_bps": rates[1],
                    "flag": flags,
                }
            )
        )
    return pd.concat(tables, ignore_index=True).sample(frac=1, random_state=seed, ignore_index=True)


class Port:
    """One port's intervals, and its seconds as they are painted by them."""

    def __init__(self, table, *, gaps=False):
        columns = (
            table.sort_values("time")[name].tolist() for name in ("time", "interval_s", "in_bps", "out_bps", "flag")
        )
        self.rows = [(round(time.timestamp()), *rest) for time, *rest in zip(*columns, strict=True)]
        self.first = min(end - (0 if math.isnan(length) else int(length)) for end, length, *_ in self.rows)
        self.last = max(end for end, *_ in self.rows)
        self.origin = self.first - self.first % 3600  # a multiple of every slot here
        self.paint = np.full((2, self.last - self.origin + 3600), np.nan)
        for end, length, received, sent, flag in self.rows:
            if not (math.isnan(length) or flag in BOUNDS or (flag == "gap" and not gaps)):
                self.paint[:, end - int(length) - self.origin : end - self.origin] = [[received], [sent]]

    def slots(self, slot_s):
        """Number, seconds painted, bytes and rates of each slot: no bytes without paint, no rate below nine tenths."""
        for number in range(self.first // slot_s, -(-self.last // slot_s)):
            part = self.paint[:, number * slot_s - self.origin :][:, :slot_s]
            known = ~np.isnan(part)
            bits = np.where(known, part, 0).sum(axis=1)  # whole numbers below 2**53
            rates = [
                float(one / seconds) if 10 * seconds >= 9 * slot_s else None
                for one, seconds in zip(bits, known.sum(axis=1), strict=True)
            ]
            amounts = np.where(known.any(axis=1), bits / 8, np.nan)
            yield number, int(known.any(axis=0).sum()), amounts.tolist(), rates

    def whole(self, slot_s):
        return range(-(-self.first // slot_s), self.last // slot_s)

    def rates(self, slot_s):
        """Number, rate in and rate out of each slot."""
        return [(number, *rates) for number, _, _, rates in self.slots(slot_s)]


def ranked(values, percent):
    """Nearest rank: throw away what is above it; the number of values, and what is left on top."""
    known = sorted(value for value in values if value is not None)
    thrown_away = math.floor(len(known) * (100 - percent) / 100)
    return (known[len(known) - thrown_away - 1] if known else math.nan), len(known), thrown_away


def both(pairs, what):
    return [None if received is None or sent is None else what(received, sent) for received, sent in pairs]


def sides(rates):
    pairs = [(received, sent) for _, received, sent in rates]
    return {
        "in": [received for received, _ in pairs],
        "out": [sent for _, sent in pairs],
        "slot_greater": both(pairs, max),
        "sum": both(pairs, lambda received, sent: received + sent),
    }


def ports_of(table, **options):
    return {name: Port(part, **options) for name, part in table.groupby("interface", sort=False)}


def mean(values):
    return sum(values) / len(values) if values else math.nan


@pytest.mark.parametrize(("seed", "slot_s"), [(1, 300), (2, 300), (3, 600), (4, 900)])
def test_every_column_of_a_summary_is_that_of_the_painted_seconds(seed, slot_s):
    table = traffic(seed)
    found = utilisation(table, slot_s=slot_s).set_index("interface")
    assert list(found.columns)[: len(COLUMNS) - 1] == [name for name in COLUMNS if name != "interface"]
    for name, port in ports_of(table).items():
        row = found.loc[name]
        rates = port.rates(slot_s)
        inside = set(port.whole(slot_s))
        unrated = [
            math.isnan(length) or flag in BOUNDS or (math.isnan(received) and math.isnan(sent))
            for _, length, received, sent, flag in port.rows
        ]
        wanted = {
            "first_time": pd.Timestamp(port.first, unit="s", tz="UTC"),
            "last_time": pd.Timestamp(port.last, unit="s", tz="UTC"),
            "rates": len(port.rows),
            "unrated": sum(unrated),
            "slots": len(inside),
            "missing_slots": sum(number in inside and None in (received, sent) for number, received, sent in rates),
        }
        assert row[list(wanted)].to_dict() == wanted
        values = sides(rates)
        numbers = {f"p95_{side}_bps": ranked(values[side], 95)[0] for side in values}
        numbers["p95_greater_bps"] = max(numbers["p95_in_bps"], numbers["p95_out_bps"])
        for place, side in enumerate(DIRECTIONS):
            parts = [
                (one[1], one[2 + place])
                for one, lost in zip(port.rows, unrated, strict=True)
                if not (lost or math.isnan(one[2 + place]))
            ]
            volume = sum(length * rate for length, rate in parts) / 8
            numbers[f"{side}_bytes"] = volume
            numbers[f"mean_{side}_bps"] = volume * 8 / sum(length for length, _ in parts)
            numbers[f"peak_{side}_bps"] = max(rate for rate in values[side] if rate is not None)
        assert row[list(numbers)].astype(float).to_dict() == pytest.approx(numbers, rel=1e-9)
        hours = defaultdict(list)
        for number, received, sent in rates:
            if received is not None or sent is not None:
                hours[((number + 1) * slot_s - 1) // 3600 % 24].append(max(received or 0.0, sent or 0.0))
        assert row["busy_hour"] == max(hours, key=lambda hour: mean(hours[hour]))


@pytest.mark.parametrize("gaps", [False, True])
def test_slots_are_those_of_the_painted_seconds(gaps):
    table = traffic(5)
    found = slot_table(table, slot_s=200, gaps=gaps)
    for name, port in ports_of(table, gaps=gaps).items():
        mine = found[found["interface"] == name]
        assert (mine["host"] == "switch").all()
        numbers, covered, amounts, rates = zip(*port.slots(200), strict=True)
        assert [round(time.timestamp()) for time in mine["time"]] == [(number + 1) * 200 for number in numbers]
        assert mine["covered_s"].tolist() == pytest.approx(list(covered), abs=1e-6)
        np.testing.assert_allclose(mine[["in_bytes", "out_bytes"]], amounts, rtol=1e-9, atol=1e-3)
        np.testing.assert_allclose(mine[["in_bps", "out_bps"]], np.array(rates, dtype=float), rtol=1e-9)


@pytest.mark.parametrize("missing", ["left_out", "zero"])
@pytest.mark.parametrize("percent", [50, 98.5])
def test_bills_are_those_of_the_painted_seconds(missing, percent):
    table = traffic(6, count=400)
    ports = ports_of(table)
    chosen = [("switch", "eth2"), ("switch", "eth0")]
    several = [ports[name] for _, name in chosen]
    each = [{number: rates for number, *rates in port.rates(300)} for port in several]
    within = {number for port in several for number in port.whole(300)}
    total = []
    for number in set().union(*each):
        both_ports = list(zip(*(one.get(number, (None, None)) for one in each), strict=True))
        if missing == "zero":
            both_ports = [[rate or 0.0 for rate in side] if number in within else [None] for side in both_ports]
        total.append((number, *(None if None in side else sum(side) for side in both_ports)))
    values = sides(total)
    found = {side: ranked(values[side], percent) for side in values}
    found["greater"] = max(found["in"], found["out"])
    for side, (percentile, slots, thrown_away) in found.items():
        bill = billing(table, chosen, direction=side, percent=percent, missing=missing)
        assert bill["percentile_bps"] == pytest.approx(percentile, rel=1e-9)
        del bill["percentile_bps"], bill["convention"]
        assert bill == {
            "direction": side,
            "percent": percent,
            "ports": 2,
            "slots": slots,
            "missing_slots": max(len(within) - slots, 0),
            "rank": slots - thrown_away,
            "thrown_away": thrown_away,
        }


@pytest.mark.parametrize("period", ["day", "week"])
def test_profiles_are_those_of_the_painted_seconds(period):
    table = traffic(7, ports=2, count=500)
    found = profile(table, period=period, zone="Asia/Kathmandu")  # 5 h 45 min before UTC
    wanted = {}
    for name, port in sorted(ports_of(table).items()):
        groups = defaultdict(list)
        for number, received, sent in port.rates(300):
            if (received, sent) != (None, None):
                local = number * 300 + 150 + 5 * 3600 + 45 * 60
                weekday = (local - BEGIN_S) // 86_400 % 7
                groups[(name, *([weekday] if period == "week" else []), local // 3600 % 24)].append((received, sent))
        for key in sorted(groups):
            columns = zip(*groups[key], strict=True)
            numbers = [len(groups[key])]
            for column in columns:
                numbers += [
                    mean([rate for rate in column if rate is not None]),
                    ranked(column, 50)[0],
                    ranked(column, 95)[0],
                ]
            wanted[key] = numbers
    keys = ["interface", *(["weekday"] if period == "week" else []), "hour"]
    assert list(found.columns) == [
        "host",
        *keys,
        "slots",
        *("mean_in_bps", "median_in_bps", "p95_in_bps", "mean_out_bps", "median_out_bps", "p95_out_bps"),
    ]
    assert [tuple(key) for key in found[keys].to_numpy().tolist()] == list(wanted)
    numbers = found.drop(columns=["host", *keys]).to_numpy(dtype=float)
    np.testing.assert_allclose(numbers, np.array(list(wanted.values()), dtype=float), rtol=1e-9)


@pytest.mark.parametrize("slot_s", [300, 900, 1800, 3600])
def test_busiest_hours_are_those_of_the_painted_seconds(slot_s):
    table = traffic(8, ports=3, count=300)
    found = busiest_hour(table, slot_s=slot_s).set_index("interface")
    many = 3600 // slot_s
    for name, port in ports_of(table).items():
        rates = port.rates(slot_s)
        best = (-1.0,)
        for last in range(many - 1, len(rates)):
            hour = rates[last - many + 1 : last + 1]
            means = [
                mean(side) if None not in side else -1.0
                for side in ([one[1] for one in hour], [one[2] for one in hour])
            ]
            best = max(best, (max(means), (hour[-1][0] + 1) * slot_s, *means), key=lambda one: one[0])
        if best[0] < 0:
            assert name not in found.index
            continue
        row = found.loc[name]
        assert round(row["time"].timestamp()) == best[1]
        for side, value in zip(DIRECTIONS, best[2:], strict=True):
            assert row[f"{side}_bps"] == pytest.approx(math.nan if value < 0 else value, nan_ok=True)


def test_a_direction_that_nobody_counted_has_no_rate_and_is_not_taken_for_zero():
    table = traffic(9, ports=1).assign(in_bps=np.nan)
    row = utilisation(table).loc[0]
    assert row[["mean_in_bps", "peak_in_bps", "p95_in_bps", "p95_slot_greater_bps", "p95_sum_bps"]].isna().all()
    assert row["p95_greater_bps"] == row["p95_out_bps"] > 0
    assert row["missing_slots"] == row["slots"]
    assert slot_table(table)["in_bps"].isna().all()
    assert math.isnan(billing(table, direction="in")["percentile_bps"])
    greater = billing(table)
    assert greater["percentile_bps"] == row["p95_greater_bps"]
    assert greater["slots"] == billing(table, direction="out")["slots"] > 0
