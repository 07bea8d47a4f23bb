"""bmon -o format."""


def test_rows(counters_of):
    counters = counters_of("eth0 0.00 0.00\neth0 100.00 200.00\neth0 0.00 300.50\n")
    (source,) = counters.sources
    assert (source["format"], source["n_samples"]) == ("bmon-format", 3)
    assert counters.rates[["in_bps", "out_bps"]].to_numpy().tolist() == [[0, 0], [800, 1600], [0, 2404]]
    assert counters.rates.flag.tolist() == ["no_rate_yet", "given", "given"]
    assert counters.rates.time.isna().all()


def test_other_words_are_not_taken(counters_of):
    assert not counters_of("eth0 0.00 0.00\ntotal of the day\n").sources


def test_the_last_line_may_break_off(counters_of, said):
    counters = counters_of("eth0 0.00 0.00\neth0 100.00 200.00\neth0 0.00 30")
    assert counters.rates.in_bps.tolist() == [0, 800]
    assert said(counters) == ["3: malformed: found 'eth0 0.00 30', expected a name and two rates; left out"]
