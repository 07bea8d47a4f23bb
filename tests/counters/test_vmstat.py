"""vmstat: times, zones, units."""

import pytest

from hecn_analysis.counters import read_counters


@pytest.mark.parametrize(("name", "n", "timed"), [("t.txt", 4, True), ("wide.txt", 3, True), ("active.txt", 3, False)])
def test_recorded(recorded, name, n, timed):
    counters = read_counters(recorded / "vmstat" / name)
    (source,) = counters.sources
    assert (source["format"], source["n_samples"]) == ("vmstat", n)
    assert ("first_time" in source) is timed
    assert len(source["cpu"]["idle_fraction"]) == n
    assert counters.problems.empty


HEADING = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 {zone}
 2  0      0    100     50     25    0    0     1     3   29   57  0  0 99  0  0 2021-09-16 20:33:13
"""


def test_zones(counters_of, said):
    (source,) = counters_of(HEADING.format(zone="PDT")).sources
    assert source["first_time"] == "2021-09-17T03:33:13Z"
    assert source["first_time_local"] == "2021-09-16T20:33:13"
    assert source["mem"]["free_bytes"] == 102400
    doubtful = counters_of(HEADING.format(zone="CST"))
    assert doubtful.sources[0]["first_time"] == "2021-09-16T20:33:13Z"
    assert said(doubtful)[0].startswith("3: ambiguous: found local times")


def test_a_time_that_is_none_costs_no_figures(counters_of, said):
    counters = counters_of(HEADING.format(zone="UTC").replace("2021-09-16", "2021-13-16"))
    (source,) = counters.sources
    assert (source["n_samples"], source["cpu"]["idle_fraction"]) == (1, [0.99])
    assert said(counters) == ["3: malformed: found time '2021-13-16 20:33:13', expected a date and a time; left out"]


def test_clocks_in_front_of_the_rows(counters_of):
    counters = counters_of(
        "--time-- procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu-----\n"
        "          r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        "10:20:30  2  0    376 141000 94521 846464    0    0     2   806 3141 3789  2  1 97  0  0\t\n"
        "10:20:35  5  0    376 140984 94523 846516    0    0     3   283 3656 4099  2  1 98  0  0\t\n"
    )
    [source] = counters.sources
    assert (source["io"]["blocks_out_per_s"], source["cpu"]["idle_fraction_last"]) == ([806, 283], 0.98)
    assert counters.problems.empty


AIX = """\
kthr    memory              page              faults        cpu
----- ----------- ------------------------ ------------ -----------
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa{more}
 2  0 51200  3104   0   0   0   0    0   0 240 2210 305 41 19 28 12
 3  1 51337  3011   0   2   9   0    0   0 266 2345 331 50 21 20  9
"""


def test_aix(counters_of, said):
    (source,) = counters_of(AIX.format(more="")).sources
    assert (source["format"], source["n_samples"]) == ("vmstat-aix", 2)
    assert source["mem"]["free_bytes"] == 3104 * 4096
    assert source["paging"]["out_pages_per_s"] == [0, 9]
    assert source["cpu"] == {"idle_fraction": [0.28, 0.2], "idle_fraction_first": 0.28, "idle_fraction_last": 0.2}
    damaged = counters_of(AIX.format(more="    pc    ec").replace("19 28 12", "19 28 12  0.41  20.5"))
    assert damaged.sources[0]["cpu"]["processors_used"] == [0.41]
    assert said(damaged) == [
        (
            "5: malformed: found '3  1 51337  3011   0   2   9   0    0   0 266 2345 331 50 21 20  9', "
            "expected 19 figures; left out"
        )
    ]
