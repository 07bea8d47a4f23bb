"""Promises of every kind of limit: floats or arrays as given, NaN kept to its element, options that explain."""

import importlib
import inspect
import pkgutil
import re
import typing
import warnings

import numpy as np
import pytest

from hecn_analysis import limits
from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits._checks import arrays, dimension, given, refuse, require_one_of, require_whole, warn_outside

# A plausible call of each kind, with every numeric option given.
CALLS = {
    "pcie": {"gen": 3, "lanes": 8, "max_payload": 256, "max_read_request": 512, "completion_boundary": 64}
    | {"transfer": 1500, "op": "both", "outstanding": 32, "round_trip": 2e-6, "slot_gen": 2, "slot_lanes": 4}
    | {"uplink_gen": 2, "uplink_lanes": 4, "devices": 2},
    "pcix": {"clock": 133.33e6, "width": 64, "burst": 512, "overhead_clocks": 90},
    "nic": {"gen": 3, "lanes": 8, "max_payload": 256, "frame": 1499, "driver": "polling", "max_read_request": 1024},
    "ethernet": {"rate": 10e9, "mtu": 9000},
    "atm": {"carrier": "oc12c", "mtu": 9180},
    "sonet": {"carrier": "oc48c", "mtu": 4470},
    "infiniband": {"generation": "hdr", "lanes": 2, "mtu": 2048, "message": 65537, "op": "read"},
    "lag": {"links": 4, "link_rate": 10e9, "flows": 6, "flow_rate": 7e9},
    "buffer": {"ingress": 40e9, "egress": 10e9, "buffer": 5e5, "burst": 1e6, "interval": 1e-3},
    "raid": {"level": 60, "disks": 16, "disk_rate": 1e9, "op": "write", "groups": 2, "chunk": 65536}
    | {"request": 100_000, "offset": 4096, "access": 8e-3, "lost": 1, "rebuild": 0.3, "controller_rate": 20e9},
    "ssd": {"rate": 8e9, "cache_rate": 48e9, "cache": 4e11, "amount": 1e12, "block": 65536, "outstanding": 16}
    | {"latency": 9e-5, "iops": 3e5, "spare": 0.28},
    "enclosure": {"disks": 24, "disk_rate": 1.6e9, "interface": "sas-6", "lanes": 4, "usable": 0.95}
    | {"slot_rate": 2e10, "controller_rate": 3e10},
    "pagecache": {"size": 5e10, "memory_rate": 4e10, "disk_rate": 3e9, "op": "write", "available": 6e10}
    | {"background_ratio": 0.1, "dirty_ratio": 0.2},
    "disk": {"outer_rate": 1e9, "inner_rate": 5e8, "position": 0.3, "streams": 2, "chunk": 1e6, "seek": 8e-3}
    | {"revolution": 8.3e-3},
    "cpu": {"clock": 3e9, "cycles_per_byte": 1.1, "cycles_per_packet": 3000, "unit": 8948, "cycles_per_call": 900}
    | {"message": 65536, "cores": 2, "neighbours": 1, "neighbour_use": 0.7, "interrupts": 0.1, "quota": 0.55},
    "memory": {"channels": 3, "transfers": 1333e6, "passes": 3, "usable": 0.75, "link_rate": 6e10, "link_passes": 2},
    "interconnect": {"link": "qpi-6.4", "links": 2},
    "requests": {
        "request": 1e6,
        "round_trip": 0.08,
        "service": 2e-3,
        "outstanding": 8,
        "round_trips": 2,
        "rate": 1e10,
        "bytes": 4e12,
    }
    | {"store_rate": 8e9},
}
FIGURES = {
    "pcie": {"raw_bps", "tmt_bps", "throughput_bps"},
    "pcix": {"raw_bps", "throughput_bps"},
    "nic": {"throughput_bps", "frames_per_s", "slot_overhead"},
    "ethernet": {"goodput_bps", "frames_per_s", "wire_overhead"},
    "atm": {"ip_bps", "goodput_bps"},
    "sonet": {"ip_bps", "goodput_bps"},
    "infiniband": {"raw_bps", "data_bps", "goodput_bps", "packets_per_s"},
    "lag": {"throughput_bps", "low_bps", "median_bps", "high_bps", "finish_bps", "links_used"},
    "buffer": {"throughput_bps", "buffer_needed_bytes", "largest_burst_bytes", "loss_fraction", "pace_bps"},
    "tcp": {"throughput_bps", "bdp_bytes", "window_limit_bps", "loss_limit_bps", "tolerable_loss", "time_s"},
    "raid": {"throughput_bps"},
    "disk": {"throughput_bps"},
    "ssd": {"throughput_bps"},
    "enclosure": {"throughput_bps", "disks_bps", "uplink_bps"},
    "pagecache": {"throughput_bps"},
    "cpu": {"throughput_bps", "byte_share"},
    "memory": {"throughput_bps", "bandwidth_bps"},
    "interconnect": {"throughput_bps", "raw_bps"},
    "requests": {"throughput_bps", "requests_per_s", "outstanding_to_fill", "time_s"},
}
NUMERIC = [
    (kind, name)
    for kind, call in CALLS.items()
    for name in call
    if dimension(typing.get_type_hints(limits.KINDS[kind], include_extras=True)[name])
]
NUMERIC_OF = {kind: {name for known, name in NUMERIC if known == kind} for kind in CALLS}


def test_the_kinds_are_those_of_the_command():
    assert set(limits.KINDS) == set(FIGURES)


@pytest.mark.parametrize("kind", CALLS)
def test_numbers_in_give_the_named_figures_as_floats(kind):
    figures = limits.KINDS[kind](**CALLS[kind])
    assert set(figures) == FIGURES[kind]
    assert {type(figure) for figure in figures.values()} == {float}


@pytest.mark.parametrize(("kind", "name"), NUMERIC)
def test_an_array_gives_what_its_elements_give_and_nan_stays_in_its_element(kind, name):
    function, call = limits.KINDS[kind], CALLS[kind]
    alone = function(**call)
    values = np.array([call[name], np.nan, call[name]], dtype=float)
    with pytest.warns(ValidityWarning, match=r"NaN at \[1\]; what depends on it is NaN"):
        together = function(**call | {name: values})
    np.testing.assert_array_equal(values, [call[name], np.nan, call[name]])  # left as it was
    touched = 0
    for figure, value in together.items():
        if np.ndim(value) == 0:  # does not depend on it
            assert value == alone[figure]
        else:
            touched += 1
            assert not np.shares_memory(value, values)
            np.testing.assert_array_equal(value, [alone[figure], np.nan, alone[figure]])
    assert touched


# Kinds without a rate or time of their own, and figures that are no rate.
SCALED = {"ethernet", "lag", "buffer", "raid", "disk", "ssd", "pagecache", "cpu", "memory", "requests"}
PURE = {"wire_overhead", "links_used", "loss_fraction", "byte_share", "outstanding_to_fill"}
PURE |= {"buffer_needed_bytes", "largest_burst_bytes"}


@pytest.mark.parametrize("kind", sorted(SCALED))
@pytest.mark.parametrize("times", [1e-11, 7.3e-10])
def test_a_second_of_another_length_changes_nothing_but_the_unit(kind, times):
    """Rates that are small numbers are as exact as large ones: nothing is rounded on the way."""
    function, call = limits.KINDS[kind], CALLS[kind]
    hints = typing.get_type_hints(function, include_extras=True)
    powers = {"rate": 1, "frequency": 1, "transfers": 1, "time": -1}
    other = {
        name: value * times ** powers.get(dimension(hints[name]), 0)
        for name, value in call.items()
        if name in NUMERIC_OF[kind]
    }
    other |= {"iops": call["iops"] * times} if "iops" in call else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ValidityWarning)  # such long times are mistakes
        figures = function(**call | other)
    for name, figure in function(**call).items():
        power = 0 if name in PURE else -1 if name == "time_s" else 1
        assert figures[name] == pytest.approx(figure * times**power, rel=1e-9), name


@pytest.mark.parametrize("kind", limits.KINDS)
def test_every_option_says_what_it_is_and_what_it_measures(kind):
    function = limits.KINDS[kind]
    hints = typing.get_type_hints(function, include_extras=True)
    for name in inspect.signature(function).parameters:
        assert re.search(rf"^    {name}\n        \S", inspect.getdoc(function).replace("\n", "\n    "), re.MULTILINE), (
            name
        )
        literal = typing.get_origin(hints[name]) is typing.Literal
        assert literal or hints[name] is bool or dimension(hints[name]) is not None, name


@pytest.mark.parametrize("kind", CALLS)
def test_text_and_truth_values_are_no_numbers(kind):
    name = next(name for known, name in NUMERIC if known == kind)
    for value in ("8", True, None if kind == "pcie" else "x", 1j):
        with pytest.raises(RangeError, match=f"^{name}: found .*, expected a number or an array of numbers$"):
            limits.KINDS[kind](**CALLS[kind] | {name: value})


def test_shapes_that_do_not_fit_are_refused_by_name():
    with pytest.raises(RangeError) as caught:
        arrays(rate=np.ones(2), mtu=np.ones(3))
    assert str(caught.value) == "found arrays of shapes rate (2,), mtu (3,), expected shapes that broadcast"


def test_the_first_impossible_element_is_named():
    with pytest.raises(RangeError) as caught:
        require_one_of((1, 2, 4), lanes=np.array([[1, np.nan], [2, 3]]))
    assert str(caught.value) == "lanes: found 3 at [1, 1], expected 1, 2 or 4"
    with pytest.raises(RangeError, match=r"^disks: found 2.5, expected a whole number >= 1$"):
        require_whole(1, disks=2.5)
    refuse("x", np.nan, bad=True, expected="anything")  # NaN is never impossible


def test_results_without_dimensions_become_floats():
    assert type(given(np.float64(1))) is float
    assert given(np.ones(1)).shape == (1,)


def test_a_value_outside_a_formulas_range_is_named_with_its_place_and_number():
    values = np.array([[0.01, np.nan], [0.3, 0.2]])
    with pytest.warns(ValidityWarning) as caught:
        warn_outside("loss", values, values > 0.1, "0 to 0.1", "timeouts make the rate lower than this")
    assert [str(warning.message) for warning in caught] == [
        "loss: found 0.3 at [1, 0] and 1 more, the formula holds for 0 to 0.1: timeouts make the rate lower than this"
    ]


def test_what_several_functions_say_of_one_call_is_shown_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        limits.pcie(gen=3, lanes=float("nan"), max_payload=256)
    assert [str(warning.message) for warning in caught] == ["lanes: NaN; what depends on it is NaN"]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "module", [one.name for one in pkgutil.walk_packages(limits.__path__, "hecn_analysis.limits.")]
)
def test_a_default_is_the_same_in_all_functions_of_a_module(module):
    """Else a figure is not what its formula says; only each optical carrier has a packet of its own."""
    found = {}
    for function in vars(importlib.import_module(module)).values():
        if inspect.isfunction(function) and function.__module__ == module and not function.__name__.startswith("_"):
            for parameter in inspect.signature(function).parameters.values():
                if parameter.default not in (parameter.empty, None):
                    found.setdefault(parameter.name, set()).add(parameter.default)
    assert {name: defaults for name, defaults in found.items() if len(defaults) > 1} == (
        {"mtu": {9180, 4470}} if module.endswith("optical_carrier") else {}
    )
