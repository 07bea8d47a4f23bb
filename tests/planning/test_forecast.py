"""Forecasts: dates move as they must, none is given where nothing is known, intervals hold, and the backtest is won."""

from datetime import date

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import hecn_analysis as hecn
from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError, RangeError, ValidityWarning
from hecn_analysis.figures import forecast_rows, plot_forecast
from hecn_analysis.ingest.filling import add_files
from hecn_analysis.planning.forecast import planned_changes
from hecn_analysis.planning.forecast.backtest import backtest
from hecn_analysis.planning.forecast.models import GROWING, NAIVE, course_of, fit
from hecn_analysis.planning.forecast.port_forecast import forecast
from hecn_analysis.planning.forecast.series import DAY, HOUR, busy_level, series_of
from hecn_analysis.planning.forecast.sources import rates_of

FIRST = pd.Timestamp("2025-01-06", tz="UTC")
WEEK = np.log([1.0, 1.04, 1.05, 1.02, 0.92, 0.55, 0.5])


def daily(days, growth=0.0, *, seed=0, scatter=0.06, wander=0.0, level=3e9):
    """Percentiles of days: growth a year, a week, errors that stay on for days, a level that wanders."""
    chance = np.random.default_rng(seed)
    errors = np.zeros(days)
    for day, shock in enumerate(chance.normal(0, scatter, days)):
        errors[day] = shock + 0.4 * errors[day - 1]
    path = np.cumsum(chance.normal(0, wander, days)) if wander else 0.0
    return level * np.exp(np.log1p(growth) * np.arange(days) / 365.25 + np.resize(WEEK, days) + errors + path)


def as_rates(values, *, step="D", interface="eth0", host="switch", out_part=0.1):
    """Rates whose percentile of each day (or hour) is the value: one interval each."""
    values = np.asarray(values, dtype=float)
    length = pd.Timedelta(1, step)
    return pd.DataFrame(
        {
            "host": host,
            "interface": interface,
            "time": FIRST + np.arange(1, len(values) + 1) * length,
            "interval_s": length.total_seconds(),
            "in_bps": values,
            "out_bps": values * out_part,
            "flag": np.where(np.isnan(values), "missing", "given"),
        }
    )


def only(found):
    (row,) = found.ports.to_dict("records")
    return row


def plan(text, folder):
    path = folder / "plan.yaml"
    path.write_text(f"changes:\n  - {{{text}}}\n")
    return path


# dates ----------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_more_growth_is_never_later():
    dates = [
        only(forecast(as_rates(daily(200, growth, scatter=0.03)), speeds=8e9, draws=100))["date"]
        for growth in (1.1, 1.4, 1.8)
    ]
    assert all(pd.notna(day) for day in dates)
    assert dates == sorted(dates, reverse=True)
    assert dates[0] > dates[-1]


def test_more_capacity_is_never_earlier():
    rates = as_rates(daily(150, 2.0))
    dates = [only(forecast(rates, speeds=7e9, capacity=part, draws=100))["date"] for part in (0.8, 0.95)]
    assert pd.notna(dates[1])
    assert dates == sorted(dates)


def test_known_growth_and_day_are_inside_of_their_intervals():
    values = daily(900, 0.5, scatter=0.03)
    row = only(forecast(as_rates(values[:400]), speeds=1.3 * np.sort(values[372:400])[-4], capacity=1.0))
    busy = busy_level(values[None], DAY)[0]
    full = FIRST + pd.Timedelta(27 + int((busy >= row["capacity_bps"]).argmax()), "D")
    assert row["status"] == "date"
    assert row["growth_low_fraction"] < 0.5 < row["growth_high_fraction"]
    assert row["date_low"] <= full <= row["date_high"]
    assert row["date_low"] <= row["date"] <= row["date_high"]


def test_flat_port_has_no_date_and_says_why():
    row = only(forecast(as_rates(daily(150)), speeds=10e9))
    assert row["status"] == "flat"
    assert pd.isna(row["date"])
    assert row["reason"].startswith("no trend: ")


def test_growth_that_does_not_get_there_says_how_likely_it_is():
    row = only(forecast(as_rates(daily(200, 1.0)), speeds=100e9, draws=100))
    assert (row["status"], pd.isna(row["date"])) == ("later", True)
    assert row["reason"].startswith("not reached by 2026-")
    assert row["reason"].endswith("of the paths get there")


def test_horizon_is_no_longer_than_the_history():
    found = forecast(as_rates(daily(100, 0.5)), speeds=10e9)
    assert only(found)["horizon"] == FIRST + pd.Timedelta(199, "D")


def test_full_port_is_told():
    assert only(forecast(as_rates(daily(45)), speeds=3e9))["status"] == "reached"


def test_short_data_are_refused_with_words():
    row = only(forecast(as_rates(daily(30)), speeds=10e9))
    assert row["status"] == "short"
    assert row["reason"] == (
        "too short: 30 days have a 95th percentile; 42 days with a 95th percentile, or 240 hours of slots of an hour "
        "or less, are needed"
    )


def test_few_days_of_hours_are_forecast_by_the_hour():
    hours = 2e9 * np.exp(0.5 * np.cos((np.arange(12 * 24) - 15) / 24 * 2 * np.pi))
    hours *= np.exp(np.random.default_rng(1).normal(0, 0.1, len(hours)))
    row = only(forecast(as_rates(hours, step="h"), speeds=100e9))
    assert (row["step"], row["status"]) == ("hour", "flat")
    assert np.isnan(row["growth_fraction"])  # of 12 days nobody speaks of a year
    assert row["mase"] < row["mase_naive"]


def test_unknown_speed_is_told():
    row = only(forecast(as_rates(daily(45)), draws=20))
    assert row["status"] == "no speed"
    assert "--speed" in row["reason"]


@pytest.mark.parametrize("settings", [{"capacity": 0.0}, {"capacity": 80}, {"horizon_s": 0.0}, {"direction": "up"}])
def test_impossible_settings_are_refused(settings):
    with pytest.raises(RangeError, match=f"{next(iter(settings)).removesuffix('_s')}: found"):
        forecast(as_rates(daily(50)), **settings)


# robustness -----------------------------------------------------------------------------------------------------------


def test_gaps_outages_and_bursts_leave_the_growth_alone():
    values = daily(250, 0.6, scatter=0.03)
    values[100:110] = np.nan  # a poller that was away
    values[200] = 0.0  # a port that was down
    values[[50, 150, 230]] *= 4
    row = only(forecast(as_rates(values), speeds=9e9, draws=100))
    assert row["missing"] == 11
    assert row["growth_low_fraction"] < 0.6 < row["growth_high_fraction"]
    assert 0.45 < row["growth_fraction"] < 0.75


def test_level_shift_is_found_and_is_no_growth():
    values = daily(250, 0.6, scatter=0.03)
    values[130:] *= 0.6
    found = forecast(as_rates(values), speeds=9e9, draws=100)
    (shift,) = found.shifts.to_dict("records")
    assert shift["time"] == FIRST + pd.Timedelta(130, "D")
    assert shift["after_bps"] < shift["before_bps"]
    assert 0.3 < only(found)["growth_fraction"] < 0.9


def test_counters_with_a_reset_become_a_series_without_a_spike():
    rates = daily(60)
    octets = np.cumsum(rates / 8 * 86_400).astype(np.uint64)
    octets[30:] -= octets[29]
    samples = pd.DataFrame(
        {
            "interface": "eth0",
            "time": FIRST + pd.to_timedelta(np.arange(1, 61), "D"),
            "in_octets": octets,
            "out_octets": octets // 2,
            "uptime_s": np.r_[1e7 + np.arange(30) * 86_400.0, np.arange(30) * 86_400.0 + 50],
            "speed_bps": 10e9,
            "counter_bits": 64,
        }
    )
    from hecn_analysis.traffic.rates import rates as rates_of_counters  # noqa: PLC0415 - its name is used above

    (series,) = series_of(rates_of_counters(samples), slot_s=86_400.0)
    assert np.isnan(series.level_bps[29])
    assert np.nanmax(series.level_bps) < 1.01 * rates.max()


def test_averages_over_longer_times_are_ranked_in_longer_slots():
    (series,) = series_of(as_rates(np.full(20 * 24, 1e9), step="h"))
    assert series.slot_s == 3600.0
    assert HOUR.least <= series.known


def test_percentile_of_a_day_is_that_of_its_slots():
    slots = np.arange(1.0, 289.0)
    rates = as_rates(np.tile(slots, 50))
    rates = rates.assign(time=FIRST + pd.to_timedelta((np.arange(len(rates)) + 1) * 300, "s"), interval_s=300.0)
    (series,) = series_of(rates)
    assert set(series.level_bps) == {274.0}  # the 274th of 288: 0.95 * 288 = 273.6
    assert len(series.start) == 50


# backtest and intervals -----------------------------------------------------------------------------------------------


def test_seasonal_naive_forecast_is_beaten_and_repeats_the_last_week():
    values = daily(300, 0.5)
    tested = backtest(values, DAY)
    assert tested.scores[0].method in GROWING
    assert tested.scores[0].mase < tested.of(NAIVE).mase
    assert fit(NAIVE, None, values, DAY).median(14) == pytest.approx(np.tile(values[-7:], 2)[np.arange(14)])


def test_intervals_of_simulated_series_hold_nine_in_ten():
    inside, covered = [], []
    for seed in range(12):
        wander = 0.004 * (seed % 2)
        values = daily(360, 0.3, seed=seed, wander=wander)
        fitted = fit(GROWING[0], course_of(values[:300], DAY, log=True), values[:300], DAY)
        low, high = fitted.slope_interval
        inside.append(low <= np.log(1.3) / 365.25 <= high)
        ends = np.percentile(fitted.paths(60, 200, seed), [5, 95], axis=0)
        covered.append(np.mean((values[300:] >= ends[0]) & (values[300:] <= ends[1])))
    assert sum(inside) >= 10
    assert 0.8 <= np.mean(covered) <= 0.98


def test_same_data_give_the_same_forecast():
    first, second = (forecast(as_rates(daily(100, 1.0)), speeds=5e9) for _ in range(2))
    pd.testing.assert_frame_equal(first.curve, second.curve)
    assert str(first) == str(second)


# planned changes ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_planned_rate_moves_the_curve_by_as_much(tmp_path):
    rates = as_rates(daily(100, 0.5))
    bare = forecast(rates, speeds=10e9).curve
    moved = forecast(rates, speeds=10e9, changes=plan("date: 2025-01-01, port: eth0, rate: 1 Gb/s", tmp_path)).curve
    later = moved["mid_bps"].notna() & (moved["time"] > FIRST + pd.Timedelta(100 + 28, "D"))
    assert (moved["mid_bps"] - bare["mid_bps"])[later].to_numpy() == pytest.approx(1e9)
    assert moved["without_bps"][later].to_numpy() == pytest.approx(bare["mid_bps"][later].to_numpy())


@pytest.mark.parametrize(
    ("row", "adds"),
    [
        ("rate: -500 Mb/s", -0.5e9),
        ("rate: 100 Mb/s, hosts: 3", 0.3e9),
        ("daily: 10.8 TB", 1e9),  # the port's percentile is its mean: one slot a day
        ("daily: 10.8 TB, hours: 12", 2e9),
        ("daily: 10.8 TB, hours: 1", 0.0),  # less than 72 minutes
        ("bytes: 108 TB, until: 2025-06-10", 1e9),
        ("hosts: 2, of: 4", 1.5e9),
    ],
)
@pytest.mark.slow
def test_what_a_planned_change_adds(row, adds, tmp_path):
    rates = as_rates(np.full(42, 3e9) * np.resize([1.0, 0.9], 42))
    changes = plan(f"date: 2025-06-01, port: eth0, {row}", tmp_path)
    (told,) = forecast(rates, speeds=10e9, changes=changes, draws=20).changes.to_dict("records")
    assert told["adds_bps"] == pytest.approx(adds)


def test_faster_port_is_full_later(tmp_path):
    rates = as_rates(daily(150, 2.0))
    first = only(forecast(rates, speeds=8e9))
    changes = plan("date: 2025-06-10, port: eth0, speed: 9 Gb/s", tmp_path)
    second = only(forecast(rates, speeds=8e9, changes=changes))
    assert first["date"] < second["date"]


def test_flat_port_is_full_on_the_day_of_a_planned_project(tmp_path):
    changes = plan("date: 2025-06-01, port: eth0, rate: 6 Gb/s", tmp_path)
    row = only(forecast(as_rates(daily(120)), speeds=10e9, changes=changes))
    assert row["status"] == "date"
    assert pd.Timestamp("2025-06-01", tz="UTC") <= row["date"] <= pd.Timestamp("2025-06-09", tz="UTC")


def test_traffic_of_a_retired_port_is_added_slot_by_slot(tmp_path):
    day, night = np.resize([4e9, 1e9], 120), np.resize([1e9, 2e9], 120)
    rates = pd.concat([as_rates(day, interface="a"), as_rates(night, interface="b")])
    found = forecast(rates, speeds=10e9, changes=plan("date: 2025-06-01, port: b, moves_to: a", tmp_path), draws=20)
    adds = found.changes.set_index("interface")["adds_bps"]
    assert adds["a"] == pytest.approx(1e9)  # 4 and 1 together, not 4 and 2
    assert found.ports.set_index("interface")["status"]["b"] == "retired"


def test_plans_of_csv_are_those_of_yaml(tmp_path):
    table = tmp_path / "plan.csv"
    table.write_text("date,port,until,bytes,note\n2027-01-01,eth0,2027-01-31,1 PB,copy\n")
    (change,) = planned_changes.read_plan(table).changes
    assert (change.begin, change.until, change.kind, change.amount) == (
        date(2027, 1, 1),
        date(2027, 1, 31),
        "bytes",
        1e15,
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("date: 2027-01-01, port: eth0", f"found no change, expected one of {', '.join(planned_changes.KINDS)}"),
        ("date: soon, port: eth0, rate: 1 Gb/s", "found 'soon', expected a day, such as 2027-03-01"),
        ("port: eth0, rate: 1 Gb/s", "found no date, expected the day, such as 2027-03-01"),
        ("date: 2027-01-01, rate: 1 Gb/s", "found no port, expected the interface of the change"),
        (
            "date: 2027-01-01, port: eth0, bytes: 1 PB",
            "found 'bytes' without 'until', expected the day by which they must arrive",
        ),
        ("date: 2027-01-01, port: eth0, speed: -1 Gb/s", "found '-1 Gb/s', expected more than 0"),
        (
            "date: 2027-01-01, prot: eth0, rate: 1 Gb/s",
            (
                "found key 'prot', expected one of port, ports, host, note, rate, hosts, of, moves_to, date, until, "
                "hours, bytes, speed, daily; did you mean 'port'?"
            ),
        ),
    ],
)
def test_plan_that_cannot_be_is_refused_with_its_line(row, message, tmp_path):
    path = plan(row, tmp_path)
    with pytest.raises(InputError) as error:
        planned_changes.read_plan(path)
    assert str(error.value) == f"{path}:2: {message}"


def test_port_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="found port 'eth9', expected one of eth0"):
        forecast(as_rates(daily(50)), changes=plan("date: 2027-01-01, port: eth9, rate: 1 Gb/s", tmp_path))


def test_free_ports_run_out_by_counts_and_planned_racks(root):
    counted = planned_changes.read_plan(root / "data/traffic/changes.yaml")
    rates = as_rates(daily(20))
    full = {
        bool(changes): forecast(rates, changes=planned_changes.Plan(changes, counted.counts)).free_ports.set_index(
            "host"
        )
        for changes in ((), tuple(one for one in counted.changes if one.kind == "ports"))
    }
    assert full[True].loc["border", "free"] == 11
    assert full[True].loc["border", "date"] < full[False].loc["border", "date"]
    assert full[True].loc["switch", "reason"].startswith("too short: 3 counts")


# shipped and other series ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped(root):
    folder = root / "data/traffic"
    speeds = {"grows": 10e9, "flat": 10e9, "grows-with-step": 100e9}
    return hecn.forecast(folder / "generated.tar.xz", speeds=speeds, changes=folder / "changes.yaml", host="made")


@pytest.mark.slow
def test_shipped_series_are_forecast_better_than_by_repeating_the_last_week(shipped):
    ports = shipped.ports.set_index("interface")
    assert (ports["mase"] < 0.8 * ports["mase_naive"]).all()
    assert (ports["coverage"] > 0.8).all()


def test_known_growth_of_the_shipped_series_is_found(shipped):
    ports = shipped.ports.set_index("interface")
    for name, growth in {"grows": 0.4, "flat": 0.0, "grows-with-step": 0.3}.items():
        assert ports["growth_low_fraction"][name] < growth < ports["growth_high_fraction"][name]
    (shift,) = shipped.shifts.to_dict("records")
    assert (shift["interface"], shift["time"].date()) == ("grows-with-step", date(2025, 9, 15))
    assert ports["status"].to_dict() == {"grows": "date", "flat": "flat", "grows-with-step": "date"}


def test_figure_shows_past_forecast_interval_capacity_plans_and_day(shipped):
    rows = forecast_rows(shipped)
    assert set(rows["kind"]) == {"measured", "level", "forecast", "without", "capacity", "change", "full"}
    ahead = rows[rows["kind"] == "forecast"]
    assert (ahead["low_gbps"] <= ahead["gbps"]).all()
    assert (ahead["gbps"] <= ahead["high_gbps"]).all()
    full = rows[rows["kind"] == "full"].set_index("port")["gbps"]
    assert full["made grows"] == pytest.approx(8.0)
    names = [one.name for one in plot_forecast(shipped).data if one.showlegend]
    assert sorted(names) == sorted(set(names))
    assert {"forecast", "90 % interval", "capacity", "planned change", "full"} <= set(names)
    assert "No port" in plot_forecast(forecast(as_rates(daily(10)))).layout.annotations[0].text


def test_generated_series_are_what_the_script_makes(root):
    import importlib.util  # noqa: PLC0415 - the script is no module
    import tarfile  # noqa: PLC0415

    spec = importlib.util.spec_from_file_location("generate_traffic", root / "data/generate_traffic.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with tarfile.open(root / "data/traffic/generated.tar.xz") as archive:
        for name, port in script.PORTS.items():
            assert archive.extractfile(f"{name}.txt").read().decode() == script.text(port)


def test_archive_is_forecast_as_its_files(tmp_path):
    file = tmp_path / "eth0.txt"
    lines = [
        f"{int(FIRST.timestamp()) + 86_400 * (day + 1)}: {value / 8:e} 1.0e+05" for day, value in enumerate(daily(50))
    ]
    file.write_text("   traffic_in traffic_out\n\n" + "\n".join(lines) + "\n")
    add_files(Archive(tmp_path / "archive"), [file])
    whole, kept = (hecn.forecast(source, speeds=10e9, draws=20) for source in (file, tmp_path / "archive"))
    assert len(kept.ports) == 1
    pd.testing.assert_frame_equal(whole.curve, kept.curve)


def test_source_without_rates_is_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("nothing\n")
    with pytest.raises(InputError, match=r"found no rates in .*empty.txt, expected an archive or files with counters"):
        hecn.forecast(tmp_path / "empty.txt")


def test_real_series_of_hours_is_forecast_better_than_by_repeating_the_last_day(corpus):
    row = only(hecn.forecast(corpus / "counters/prtg/historicdata-hourly.csv", speeds=20e6))
    assert row["step"] == "hour"
    assert row["mase"] < 0.9 * row["mase_naive"]


def test_log_of_mrtg_that_repeats_itself_exactly_leaves_nothing_to_beat(corpus):
    row = only(hecn.forecast(corpus / "counters/mrtg/consolidated-60-days.log", speeds=1e9))
    assert (row["slot_s"], row["method"]) == (7200.0, NAIVE)
    assert row["mase"] == pytest.approx(0.0, abs=1e-4)


def test_a_port_that_grows_in_bits_keeps_its_week_in_per_cent():
    days = np.arange(400)
    values = 3e9 * (1 + days / 365.25) * np.exp(np.resize(WEEK, 400))
    course = course_of(values, DAY, log=False)
    assert course.factors == pytest.approx(np.exp(WEEK) / np.exp(WEEK.mean()), rel=0.01)
    fitted = fit("growth in bit/s", course, values, DAY)
    came = 3e9 * (1 + np.arange(400, 600) / 365.25) * np.exp(WEEK[np.arange(400, 600) % 7])
    assert fitted.median(200) == pytest.approx(came, rel=0.02)


def test_where_the_past_does_not_tell_how_it_grows_the_interval_holds_both_ways(monkeypatch):
    rates = as_rates(daily(300, 0.6, scatter=0.03))
    both = forecast(rates, speeds=7e9, draws=200).curve.iloc[-1]
    monkeypatch.setattr("hecn_analysis.planning.forecast.port_forecast._NEARLY", 0.0)
    one = forecast(rates, speeds=7e9, draws=200).curve.iloc[-1]
    assert both["high_bps"] - both["low_bps"] > 1.1 * (one["high_bps"] - one["low_bps"])


def test_a_damaged_parquet_file_costs_its_own_readings(tmp_path):
    when = pd.date_range("2026-03-01", periods=4, freq="300s", tz="UTC")
    samples = pd.DataFrame({"host": "s", "interface": "e1", "time": when, "in_octets": range(4), "out_octets": 0})
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    samples.to_parquet(good)
    schema = pq.read_schema(good)
    wrong = {b"pandas": schema.metadata[b"pandas"].replace(b"pandas_type", b"kind")}
    pq.write_table(pq.read_table(good).replace_schema_metadata(wrong), good)  # what it says of pandas is not believed
    bad.write_bytes(b"PAR1" + b"\xff" * 90)
    with pytest.warns(ValidityWarning, match=r"bad\.parquet: found no Parquet file"):
        rates, _ = rates_of([bad, good])
    assert len(rates) == 3
    with pytest.raises(InputError, match=r"bad\.parquet: found no Parquet file"):
        rates_of([bad])
