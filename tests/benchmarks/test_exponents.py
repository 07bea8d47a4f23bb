"""Exponents of growth: known ones are found, what grows too fast is named, what cannot be known is not made up."""

import numpy as np
import pytest

exponents = pytest.importorskip("benchmarks.exponents")  # not in the wheel

SIZES = [100, 300, 1000, 3000, 10_000, 30_000]


def points(exponent, foot=0.0, memory=1e7):
    return [
        {"size": size, "time_s": foot + 1e-4 * size**exponent, "added_bytes": memory * size, "peak_bytes": 1e8}
        for size in SIZES
    ]


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_an_exponent_is_found_within_its_error(exponent):
    random = np.random.default_rng(1)
    amounts = [size**exponent * random.lognormal(0, 0.05) for size in SIZES]
    found = exponents.fit(SIZES, amounts)
    assert abs(found.exponent - exponent) < 4 * found.standard_error
    assert 0.001 < found.standard_error < 0.03


def test_a_fixed_part_hides_growth_but_in_the_last_decade():
    fits = exponents.summary("job", "files", "", points(2.0, foot=100.0))["fits"]
    assert fits["time_s"]["exponent"] < 1.5 < fits["time_s_top"]["exponent"]
    assert (fits["time_s"]["sizes"], fits["time_s_top"]["sizes"]) == (6, 3)


def test_what_grows_too_fast_without_a_reason_is_named():
    curves = {
        "fine": exponents.summary("job", "files", "", points(1.0)),
        "fast": exponents.summary("job", "files", "", points(1.5)),
        "known": exponents.summary("job", "files", "an integer program", points(1.5)),
    }
    named = list(exponents.too_fast(curves))
    assert [text.split(":")[0] for text in named] == ["fast", "fast"]
    assert named[0] == "fast: time_s grows as n^1.50 ± 0.00"


def test_memory_that_is_lost_among_the_rest_has_no_exponent():
    fits = exponents.summary("job", "files", "", points(1.0, memory=1.0))["fits"]
    assert fits["added_bytes"] == {"exponent": None, "standard_error": None, "sizes": 0}
