"""perf stat: counts and shares, of a host and of a program in another locale, and a cut report."""

from hecn_analysis.counters import read_counters


def test_counts_of_a_host(samples):
    [source] = read_counters(samples / "perf-stat" / "host.txt").sources
    assert (source["command"], source["elapsed_s"], source["cpus_utilized"]) == ("system wide", 10.019177834, 8.0)
    assert (source["cycles"], source["instructions"]) == (100153420000, 80111000000)
    assert (source["clock_hz"], source["instructions_per_cycle"]) == (1.25e9, 0.8)


def test_points_between_thousands(samples):
    counters = read_counters(samples / "perf-stat" / "program.txt")
    assert counters.problems.empty
    [source] = counters.sources
    assert (source["command"], source["elapsed_s"], source["cpus_utilized"]) == ("./copy a b", 10.002523, 0.951)
    assert (source["cycles"], source["clock_hz"], source["context_switches"]) == (28537200000, 3e9, 0)
    assert "cache_misses" not in source


def test_a_cut_report(samples, counters_of, said):
    text = (samples / "perf-stat" / "host.txt").read_text()
    assert said(counters_of(text[: text.index("10.0191")])) == [
        "9: truncated: found no 'seconds time elapsed', expected it below the counts"
    ]
