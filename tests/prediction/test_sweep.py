"""Sweeps give the numbers of single predictions, whatever is varied, and refuse what those refuse."""

import itertools
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError, ValidityWarning
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction.compare import load_series
from hecn_analysis.prediction.lattice import Lattice

IDEAL = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "nuttcp",
    "path.rate": "10 Gb/s",
    "path.mtu": 9000,
    "path.loss": 0,
}
LAN = {"sender": "b", "receiver": "b", "path": "lan-10ge", "path.loss": 0, "tool": "nuttcp"}
COPY = {"sender": "c", "receiver": "c", "path": "lan-10ge", "path.loss": 0, "tool": "nuttscp"}
LOSSY = {**IDEAL, "tool.duration": "5 s", "path.loss": 1e-5, "path.rtt": "20 ms"}
SIX = {
    "sender": "a+",
    "receiver": "a+",
    "path": "back-to-back-6x10ge",
    "path.loss": 0,
    "tool": "nuttcp",
    "tool.processes": 6,
}
PULL = {"sender": "ideal", "receiver": "c", "path": "lan-10ge", "path.loss": 0, "tool": "nfs"}
FIGURES = ("throughput_bps", "low_bps", "high_bps", "bottleneck", "bottleneck_class")

# No TCP over time in these: a prediction takes milliseconds.
STEADY = {
    "ideal": {**IDEAL, "tool.duration": "2 h"},
    "lan": {**LAN, "tool.duration": "2 h"},
    "copy": COPY,
    "six processes": {**SIX, "tool.duration": "2 h"},
    "both ways": {**LAN, "tool.duration": "2 h", "tool.bidirectional": True},
    "two copies": "c-two-copies",
    "an amount": {**COPY, "tool.bytes": "100 GB"},
    "requests": PULL,
    "a slot": load_series("pcix").scenarios["pcix-512"],
}


def assert_is_loop(scenario, vary, *, grid=True, most=6):
    """Assert that a sweep is a loop over `predict`; of many rows some are looked at."""
    found = hecn.sweep(scenario, vary, grid=grid)
    combinations = list(itertools.product(*vary.values()) if grid else zip(*vary.values(), strict=True))
    assert list(found.columns) == [*vary, *FIGURES]
    assert len(found) == len(combinations)
    for row in {round(place) for place in np.linspace(0, len(found) - 1, most)}:
        keys = dict(zip(vary, combinations[row], strict=True))
        alone = hecn.predict(scenario, keys)
        for name in FIGURES:
            wanted = getattr(alone, name)
            close = isinstance(wanted, float)
            assert found[name][row] == (pytest.approx(wanted, rel=1e-9) if close else wanted), (keys, name)


def parameters(value, name):
    """Give every parameter below a part of a scenario, by its dotted name."""
    if isinstance(value, Parameter):
        yield name, value
    items = (
        ((key, getattr(value, key)) for key in type(value).model_fields)
        if isinstance(value, BaseModel)
        else value.items()
        if isinstance(value, dict)
        else ()
    )
    for key, below in items:
        yield from parameters(below, f"{name}.{key}")


def around(parameter):
    """Draw values from a third of what a parameter has to all of it; a number of things stays whole."""
    if parameter.unit == "" and parameter.value.is_integer():
        return st.integers(math.ceil(0.3 * parameter.value), int(parameter.value))
    return st.floats(0.3 * parameter.value, parameter.value)


@st.composite
def grids(draw):
    """Draw a scenario and values of one to three of its keys around what they are, some in other units or absent."""
    name = draw(st.sampled_from(sorted(STEADY)))
    scenario = hecn.load_scenario(STEADY[name])
    known = {
        key: parameter
        for role in ("sender", "receiver", "path", "tool")
        for key, parameter in parameters(getattr(scenario, role), role)
        if not any(word in key for word in ("bill", "price", "power", "max_payload", "max_read", "duration"))
        and 0 < parameter.value < 1e300
    }
    chosen = draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=2, unique=True))
    vary = {key: draw(st.lists(around(known[key]), min_size=1, max_size=3)) for key in chosen}
    if draw(st.booleans()):
        vary["path.rtt"] = draw(st.sampled_from([[0, "2 ms"], [None, 1e-3], ["0.1 ms", 3e-3]]))
    if draw(st.booleans()):
        vary["tool.window"] = draw(st.sampled_from([[0, "1 MiB"], ["64 KiB", 1e9], [2**20, 2**21]]))
    if draw(st.booleans()):
        vary["tool.streams"] = draw(st.sampled_from([[1, 3], [2]]))
    return name, vary


@pytest.mark.slow  # the next test looks at chosen values
@pytest.mark.filterwarnings("ignore:.* exceeds the :hecn_analysis.base.errors.ValidityWarning")
@pytest.mark.filterwarnings("ignore:.* has no effect:hecn_analysis.base.errors.ValidityWarning")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(grids())
def test_a_sweep_is_a_loop_over_predict(case):
    name, vary = case
    scenario = hecn.load_scenario(STEADY[name])
    assert_is_loop(scenario, vary, most=3)


@pytest.mark.slow  # a sweep for each key
@pytest.mark.parametrize("name", sorted({*STEADY} - {"two copies"}))
def test_a_sweep_of_what_nearly_all_have_is_a_loop_over_predict(name):
    scenario = hecn.load_scenario(STEADY[name])
    vary = {"path.rtt": [0, 1e-4, "5 ms"], "path.rate": ["1 Gb/s", 40e9], "receiver.filter_rate": [None, 2e9]}
    if scenario.receiver is not None and scenario.receiver.cpu is not None:
        vary["receiver.cpu.clock"] = ["1 GHz", "4 GHz"]
    assert_is_loop(scenario, vary)


@pytest.mark.parametrize(
    "vary",
    [
        {"path.loss": [0, 1e-5, 1e-4], "path.rtt": ["10 ms", "20 ms"]},
        {"tool.streams": [1, 4], "tool.window": ["1 MiB", "16 MiB"]},
        {"sender.congestion_control": ["reno", "bbr"], "path.rtt": [0.005, 0.02]},
        {"path.queue": ["1 MB", None], "tool.duration": ["2 s", "4 s"]},
        {"tool.bytes": ["1 GB", "100 MB"], "path.rate": ["1 Gb/s", "10 Gb/s"]},
    ],
    ids=" ".join,
)
@pytest.mark.slow
def test_simulated_transfers_fare_as_each_would_alone(vary):
    left_out = {"tool.duration"} if "tool.bytes" in vary else set()  # an amount or a duration
    assert_is_loop({key: value for key, value in LOSSY.items() if key not in left_out}, vary)


def test_values_side_by_side_are_rows():
    vary = {"path.rtt": np.geomspace(1e-4, 1e-1, 7), "tool.window": np.geomspace(1e5, 1e9, 7)}
    scenario = STEADY["lan"]
    assert_is_loop(scenario, {key: values.tolist() for key, values in vary.items()}, grid=False, most=7)
    lists = hecn.sweep(scenario, {key: values.tolist() for key, values in vary.items()}, grid=False)
    pd.testing.assert_frame_equal(hecn.sweep(scenario, vary, grid=False), lists)


def test_names_and_counts_are_values_too():
    vary = {"receiver": ["c", "b"], "tool.processes": [1, 2], "path.mtu": [1500, 9000]}
    assert_is_loop(LAN, vary)


def test_a_key_that_reaches_further_than_its_name_is_tried_value_by_value():
    board = {"slots": {"left": {"bus": "pcix", "clock": "133 MHz"}}}
    slots = {"nic": {"at": "left", "nic": "intel-pro-10gbe-lr"}}
    scenario = {**STEADY["ideal"], "sender.board": board, "sender.slots": slots}
    vary = {"sender.board.slots.left.clock": ["66 MHz", "133 MHz"]}
    assert hecn.sweep(scenario, vary)["throughput_bps"].is_monotonic_increasing
    assert_is_loop(scenario, vary)


def test_without_intervals_the_rest_is_the_same():
    vary = {"path.rtt": ["1 ms", "80 ms"], "path.loss": [0, 1e-5]}
    found = hecn.sweep(LOSSY, vary, intervals=False)
    assert found[["low_bps", "high_bps"]].isna().all(axis=None)
    others = [*vary, "throughput_bps", "bottleneck", "bottleneck_class"]
    pd.testing.assert_frame_equal(found[others], hecn.sweep(LOSSY, vary)[others])


def test_without_intervals_a_copy_still_fills_its_pipeline():
    copy = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "fdt"}
    vary = {"tool.bytes": ["16 GB", "128 GB"]}
    found, whole = hecn.sweep(copy, vary, intervals=False), hecn.sweep(copy, vary)
    assert found["throughput_bps"].tolist() == whole["throughput_bps"].tolist()


def test_rows_are_all_combinations_the_last_key_fastest():
    found = hecn.sweep(STEADY["ideal"], {"path.rtt": ["1 ms", "2 ms"], "tool.window": [1e6, 2e6, 3e6]})
    assert found["path.rtt"].tolist() == ["1 ms"] * 3 + ["2 ms"] * 3
    assert found["tool.window"].tolist() == [1e6, 2e6, 3e6] * 2


def test_many_blocks_are_one_sweep(monkeypatch):
    vary = {"path.rtt": np.geomspace(1e-4, 1e-1, 9), "receiver.cpu.clock": np.linspace(1e9, 4e9, 11)}
    whole = hecn.sweep(STEADY["lan"], vary)
    monkeypatch.setattr("hecn_analysis.prediction.sweep._DRAWN_BLOCK", 7)
    monkeypatch.setattr("hecn_analysis.prediction.sweep._CENTRAL_BLOCK", 17)
    pd.testing.assert_frame_equal(hecn.sweep(STEADY["lan"], vary, progress=True), whole, rtol=1e-12)


@pytest.fixture
def few_points(monkeypatch):
    """Simulate 30 points for each sweep of more than 50 rows, and 5 rows as a check."""
    for name, number in {"_EACH_SIMULATED": 50, "_SIMULATED": 30, "_CHECKED": 5}.items():
        monkeypatch.setattr(f"hecn_analysis.prediction.sweep.{name}", number)


@pytest.mark.usefixtures("few_points")
def test_of_many_simulated_rows_most_are_interpolated_and_a_warning_says_how_well():
    vary = {"path.rtt": np.geomspace(2e-3, 2e-2, 150), "tool.window": np.geomspace(1e5, 1e7, 150)[::-1]}
    scenario = {**IDEAL, "tool.duration": "4 s"}
    says = (
        r"144 of 150 rows are interpolated between 28 simulated scenarios; in 6 rows simulated as a check, the "
        r"throughput differs by 0\.\d % in the middle and by 0\.\d % at most, an end of the interval by 0\.\d % and "
        r"\d\.\d %; exact=True simulates each row"
    )
    with pytest.warns(ValidityWarning, match=r"rows are interpolated") as told:
        found = hecn.sweep(scenario, vary, grid=False)
    assert re.fullmatch(says, str(told[0].message)), str(told[0].message)
    some = {key: values[4::10] for key, values in vary.items()}
    exact, found = hecn.sweep(scenario, some, grid=False), found[4::10].reset_index(drop=True)
    np.testing.assert_allclose(found["throughput_bps"], exact["throughput_bps"], rtol=0.01)
    off = np.abs(found[["low_bps", "high_bps"]] / exact[["low_bps", "high_bps"]] - 1)
    assert off.median().max() < 0.01
    assert off.max().max() < 0.13  # 28 points
    assert found["bottleneck"].tolist() == exact["bottleneck"].tolist()


@pytest.mark.usefixtures("few_points")
def test_a_sweep_of_many_rows_is_a_loop_where_it_is_asked_to_be_exact():
    scenario = {**IDEAL, "tool.duration": "1 s"}
    vary = {"path.rtt": np.geomspace(2e-3, 2e-2, 60), "path.rate": np.geomspace(1e9, 5e9, 60)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hecn.sweep(scenario, vary, grid=False, exact=True)
    alone = hecn.predict(scenario, {key: values[37] for key, values in vary.items()})
    assert found["throughput_bps"][37] == pytest.approx(alone.throughput_bps, rel=1e-9)


def test_a_lattice_reproduces_what_is_linear_between_its_points():
    numbers = {"rtt": np.array([1e-3, 1e-1, 7e-3]), "loss": np.array([0.0, 1e-3, 4e-4]), "mtu": np.full(3, 9e3)}
    lattice = Lattice(numbers, 60)
    linear = lambda at: np.stack([np.log(at["rtt"]) + 2e3 * at["loss"], at["mtu"]], axis=1)
    assert lattice.size == 60
    assert set(lattice.points["mtu"]) == {9e3}
    np.testing.assert_allclose(lattice.between(linear(lattice.points), numbers), linear(numbers), rtol=1e-12)


def test_nothing_limits_nothing():
    found = hecn.sweep({"sender": "ideal", "tool": "dd-read"}, {"tool.request": ["1 MB"]})
    assert found["throughput_bps"].tolist() == found["low_bps"].tolist() == [np.inf]
    assert found["bottleneck"].tolist() == [None]


def test_no_key_is_one_row_and_no_value_none():
    assert len(hecn.sweep(STEADY["ideal"], {})) == 1
    assert hecn.sweep(STEADY["ideal"], {"path.rtt": []}).empty


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"path.rtt": [0.1, -1, 0.2]}, "found path.rtt: -1, expected at least 0 s"),
        ({"path.rtt": ["1 ms", "soon"]}, "found path.rtt: 'soon', expected a time such as '80 ms' or '30 s'"),
        ({"path.loss": np.array([0.1, 1.5])}, "found path.loss: 1.5, expected at least 0 and at most 1"),
        ({"path.rate": [1e9, np.nan]}, "found path.rate: nan, expected a rate such as '10 Gb/s' or '204 MB/s'"),
        ({"path.rate": [1e9, True]}, "found path.rate: True, expected a rate such as '10 Gb/s' or '204 MB/s'"),
        ({"path.mtu": [9000, 100_000]}, "found path.mtu: 100000, expected at most 65536"),
        ({"tool.streams": [1, 0]}, "found tool.streams: 0, expected at least 1"),
        ({"path.rtt": "80 ms"}, "found path.rtt: '80 ms', expected a list of values to try"),
        ({"path.rtt": 0.08}, "found path.rtt: 0.08, expected a list of values to try"),
    ],
)
def test_what_cannot_be_is_named_with_its_key(vary, message):
    with pytest.raises(InputError) as refused:
        hecn.sweep(STEADY["ideal"], vary)
    assert str(refused.value) == message


def test_an_unknown_key_is_named():
    with pytest.raises(InputError, match=r"unknown key 'path\.rttt'.*did you mean 'rtt'"):
        hecn.sweep(IDEAL, {"path.rttt": [1, 2]})


def test_values_that_do_not_go_together_are_named_with_their_keys():
    with pytest.raises(InputError) as refused:
        hecn.sweep(LOSSY, {"tool.warm_up": [0, 1, 10], "path.rtt": [0.02]})
    assert str(refused.value).startswith("found tool.warm_up = 10, path.rtt = 0.02, expected compatible values")


def test_values_side_by_side_are_as_many():
    with pytest.raises(InputError) as refused:
        hecn.sweep(IDEAL, {"path.rtt": [1, 2], "path.loss": [0]}, grid=False)
    assert str(refused.value) == (
        "found values side by side: 2 of path.rtt, 1 of path.loss, "
        "expected as many of each key, or grid=True for all combinations"
    )


def test_a_sweep_warns_as_little_as_a_prediction():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hecn.sweep(STEADY["lan"], {"path.rtt": [0, 1e-3], "tool.window": [0, 1e6]})
