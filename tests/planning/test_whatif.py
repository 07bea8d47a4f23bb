"""What if: settings, values of keys, and which number matters most."""

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.figures import plot_whatif
from hecn_analysis.planning.change.whatif import keys_of, points_of, tornado, values_of, whatif

PATH = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "10 Gb/s", "path.mtu": 9000}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2, 4", ["1", "2", "4"]),
        ("cubic", ["cubic"]),
        ("1..4", [1, 2, 3, 4]),
        ("1..6/3", [1, 4, 6]),  # 3.5 rounds to the even 4: whole numbers stay whole
        ("0ms..10ms/3", [0.0, 0.005, 0.010]),
        ("1ms..100ms/3", [0.001, 0.01, 0.1]),
        ("64 KiB..64 MiB/3", [65536.0, 2097152.0, 67108864.0]),
        ("1Gb/s..10Gb/s/2", [1e9, 10e9]),
        ("0.1..0.3/3", [0.1, 0.2, 0.3]),
    ],
)
def test_values_are_lists_or_ranges(text, expected):
    found = values_of("key", text)
    if isinstance(expected[0], str):
        assert found == expected
    else:
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "values such as '1,2,4' or a range"),
        ("1ms..", "values such as '1,2,4' or a range"),
        ("1ms..2GB", "two quantities of one kind"),
        ("5..1", "the smaller end first"),
        ("1..5/1", "2 or more"),
    ],
)
def test_values_that_are_none_are_explained(text, said):
    with pytest.raises(InputError, match=said):
        values_of("path.rtt", text)


def test_settings_stand_beside_the_scenario_as_it_is():
    found = whatif("hotlava-transmit", {"sender.max_payload": "256 B"})
    assert list(found["case"]) == ["as it is", "with the settings"]
    now, then = found["throughput_bps"]
    assert found["gain"].tolist() == [0, pytest.approx(then / now - 1)]
    assert then == hecn.predict("hotlava-transmit", {"sender.max_payload": "256 B"}).throughput_bps


@pytest.mark.slow  # a whole grid
def test_a_grid_is_predicted_as_each_of_its_points_would_be():
    short = {**PATH, "tool.duration": "2 s"}  # thousands of round trips add nothing
    found = whatif(short, vary={"path.rtt": "1ms..20ms/3", "tool.window": ["1 MiB", "256 MiB"]})
    assert len(found) == 6
    for row in found.to_dict("records"):
        alone = hecn.predict(short, {key: row[key] for key in ("path.rtt", "tool.window")})
        assert row["throughput_bps"] == pytest.approx(alone.throughput_bps, rel=1e-9)
        assert row["bottleneck"] == alone.bottleneck


def test_an_unknown_key_is_named():
    with pytest.raises(InputError, match=r"path\.rt\b"):
        whatif(PATH, vary={"path.rt": [1, 2]})


def test_the_number_that_matters_most_comes_first():
    copy = {
        "sender": "b",
        "receiver": "b",
        "path": "lan-10ge",
        "tool": "nuttscp",
        "receiver.cpu.write_cost.spread": 0.3,
    }
    found = tornado(copy)
    assert found["swing_bps"].is_monotonic_decreasing
    assert set(found["key"][:3]) & {"receiver.cpu.write_cost", "receiver.cpu.contention", "receiver.cpu.receive_cost"}
    first = found.iloc[0]
    ends = [hecn.predict(copy, {first["key"]: first[end]}) for end in ("low_value", "high_value")]
    assert [end.throughput_bps for end in ends] == [first["throughput_low_bps"], first["throughput_high_bps"]]


def test_a_factor_asks_what_would_matter_if_it_were_changed():
    found = tornado(PATH, factor=2, keys=["path.rate"])
    assert found["throughput_high_bps"][0] / found["throughput_low_bps"][0] == pytest.approx(4, rel=1e-3)
    with pytest.raises(RangeError, match="more than 1"):
        tornado(PATH, factor=0.5)
    with pytest.raises(InputError, match=r"found key 'path\.width'"):
        tornado(PATH, keys=["path.width"])


def test_keys_in_one_text_are_told_apart():
    assert keys_of("") == {}
    assert keys_of("tool.streams=4 'tool.window=64 MiB'") == {"tool.streams": "4", "tool.window": "64 MiB"}
    with pytest.raises(InputError, match="keys with values"):
        keys_of("tool.streams")


def test_measured_points_stand_in_the_figure_beside_the_curve():
    found = whatif(PATH, vary={"path.rate": "1Gb/s..12Gb/s/5"})
    points = points_of("path.rate", "10Gb/s=9.9Gb/s, 4=1 Gb/s")
    assert points["x"].tolist() == [10e9, 4.0]
    fig = plot_whatif(found, ["path.rate"], measured=points)
    (drawn,) = [trace for trace in fig.data if trace.name == "measured"]
    assert list(drawn.y) == [9.9, 1.0]
    assert fig.layout.xaxis.title.text == "path.rate (bit/s)"
    assert not [trace for trace in plot_whatif(found, ["path.rate"]).data if trace.name == "measured"]
    with pytest.raises(InputError, match=r"point '10Gb/s' of path\.rate"):
        points_of("path.rate", "10Gb/s")
