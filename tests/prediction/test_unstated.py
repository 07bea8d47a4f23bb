"""What a scenario does not state is drawn from a prior; what it states, and what is ideal, is not."""

import numpy as np
import pytest

from hecn_analysis import predict, sweep
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction import priors
from hecn_analysis.prediction.draws import DRAWS, Draws
from hecn_analysis.prediction.priors import Circumstances, Unstated, of_key, quantiles
from hecn_analysis.prediction.unstated import completed

LINE = {"path.rate": "10 Gb/s"}
IDEAL = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3"}
LAB = {**IDEAL, "path.rate": "10 Gb/s", "path.rtt": "80 ms", "path.mtu": 9000, "path.loss": 0, "path.queue": "100 MB"}


def width(result):
    return np.log(result.high_bps / result.low_bps)


def assumed(result):
    return {assumption.name: assumption for assumption in result.assumptions}


@pytest.mark.parametrize(
    "keys",
    [
        {},
        LINE,
        {**LINE, "path.rtt": "80 ms"},
        {**LINE, "path.rtt": "80 ms", "tool.window": "4 MB"},
        {**LINE, "path.rtt": "80 ms", "path.loss": 1e-5},
        {**LINE, "sender.cpu": "intel-xeon-e5-2670"},
        {**LINE, "tool": "gridftp"},
        {**LINE, "tool": "scp", "receiver.write_rate": "200 MB/s"},
        {"tool": "dd-read", "sender.arrays.data.disks": 4, "sender.arrays.data.level": 0}
        | {f"sender.arrays.data.disk.{way}_rate": "200 MB/s" for way in ("read", "write")},
    ],
)
def test_a_case_with_much_left_unsaid_has_a_rate_and_an_interval(keys):
    result = predict(keys)
    assert 0 < result.low_bps < result.throughput_bps < result.high_bps < np.inf
    assert result.bottleneck is not None


def test_a_stated_key_is_exact_and_an_unstated_one_is_listed_with_basis_and_source():
    result = predict({**IDEAL, **LINE, "path.rtt": "80 ms"})
    named = assumed(result)
    assert named["path.rtt"].spread == 0
    for name in ("path.loss", "path.mtu", "path.queue"):
        assert named[name].spread > 0
        assert named[name].basis == "assumed"
        assert named[name].source


def test_every_key_told_narrows_the_interval():
    told = [{**IDEAL, **LINE, "path.rtt": "80 ms"}]
    for more in ({"path.loss": 0}, {"path.mtu": 9000, "path.queue": "100 MB"}):
        told.append({**told[-1], **more})
    widths = [width(predict(keys)) for keys in told]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1 < widths[0]


def test_an_ideal_host_has_no_limit_of_its_own():
    names = assumed(predict({**IDEAL, **LINE, "path.rtt": "80 ms"}))
    assert not [name for name in names if name.startswith(("sender.cpu", "receiver.cpu"))]
    assert names.keys().isdisjoint({"sender.tcp_wmem_max", "receiver.tcp_rmem_max"})


def test_an_unknown_host_has_a_processor_windows_and_storage():
    names = assumed(predict({**LINE, "tool": "gridftp", "path.rtt": "80 ms"}))
    assert {"sender.cpu.clock", "receiver.cpu.receive_cost", "sender.read_rate", "receiver.write_rate"} <= names.keys()
    assert {"receiver.tcp_rmem_max", "sender.tcp_wmem_max"} <= names.keys()
    assert all(np.isfinite(assumption.value) for assumption in names.values())


def test_a_line_rate_that_is_not_stated_is_drawn():
    result = predict(IDEAL)
    assert result.high_bps / result.low_bps > 10
    assert result.unknowns[0].name == "path.rate"


def test_other_traffic_is_drawn_on_long_paths_that_nobody_measured():
    far = {**LINE, "path.rtt": "40 ms", "tool": "iperf3"}
    other = assumed(predict(far))["path.background"]
    assert other.value == pytest.approx(0.0928, rel=0.01)  # share of the line
    for known in ({"path.rtt": "0.2 ms"}, {"path.loss": 1e-6}, {"sender": "ideal", "receiver": "ideal"}):
        assert "path.background" not in assumed(predict({**far, **known}))
    stated = predict({**far, "path.background": "1 Gb/s"})
    assert assumed(stated)["path.background"].value == 1e9


def test_the_answer_is_the_median_of_the_draws():
    scenario = load_scenario({**IDEAL, **LINE, "path.rtt": "80 ms"})
    (row,) = sweep(scenario, {"tool.streams": [1]}).to_dict("records")
    result = predict(scenario)
    assert row["throughput_bps"] == pytest.approx(result.throughput_bps, rel=1e-9)
    assert row["low_bps"] == pytest.approx(result.low_bps, rel=1e-9)


def test_two_scenarios_share_the_draws_of_what_neither_states():
    keys = {**IDEAL, **LINE, "path.rtt": "80 ms"}
    slow, fast = predict({**keys, "tool.streams": 1}), predict({**keys, "tool.streams": 8})
    assert (fast.draws_bps >= 0.97 * slow.draws_bps).mean() > 0.95


def test_an_old_host_has_old_buffers():
    old = of_key("host.tcp_rmem_max", Circumstances(year=2002))
    new = of_key("host.tcp_rmem_max", Circumstances(year=2020))
    assert old.quantiles[0] == pytest.approx(174_760, rel=0.2)
    assert old.value < new.value


@pytest.mark.parametrize("cloud", [{"receiver.instance_rate": "10 Gb/s"}, {"receiver.card": "ena"}])
def test_a_machine_of_a_cloud_has_the_buffers_of_its_image(cloud):
    far = {**LINE, "path.rtt": "80 ms", "tool": "iperf3"}
    assert assumed(predict({**far, **cloud}))["receiver.tcp_rmem_max"].value == 6e6
    assert assumed(predict(far))["receiver.tcp_rmem_max"].value > 5e7


def test_buffers_of_both_ends_are_drawn_together():
    draw = Draws()
    scenario = completed(load_scenario({**LINE, "path.rtt": "80 ms"}), draw)
    read = draw("receiver.tcp_rmem_max", scenario.receiver.tcp_rmem_max)[1:]
    written = draw("sender.tcp_wmem_max", scenario.sender.tcp_wmem_max)[1:]
    assert np.array_equal(np.argsort(read, kind="stable")[-50:], np.argsort(written, kind="stable")[-50:])


def test_a_mixture_has_its_shares():
    values = quantiles([(0.6, 0.0, 1.0), (0.4, 1e-6, 10.0)])
    assert values.size == DRAWS
    assert (values == 0).mean() == pytest.approx(0.6)
    tail = values[values > 0]
    assert np.median(tail) == pytest.approx(1e-6, rel=0.05)
    assert ((tail > 1e-7) & (tail < 1e-5)).mean() == pytest.approx(0.9, abs=0.02)


def test_a_prior_of_one_value_is_that_value():
    assert of_key("path.mtu", Circumstances(documented=True)).spread == 0


def test_every_prior_has_a_source_and_covers_all_circumstances():
    for key, entries in priors._key_priors().items():
        assert all(entry.source for entry in entries), key
        assert isinstance(of_key(key, Circumstances()), Unstated), key
        assert isinstance(of_key(key, Circumstances(0.1, 1e9, 1998, documented=True)), Parameter), key


def test_shares_that_do_not_sum_to_one_are_refused(tmp_path, monkeypatch):
    (tmp_path / "priors.yaml").write_text('path.rtt:\n  - {parts: [{share: 0.5, value: 1 ms}], source: "x"}\n')
    monkeypatch.setattr(priors.places, "models_dir", lambda: tmp_path)
    for cached in (priors._document, priors._key_priors):
        cached.cache_clear()
    try:
        with pytest.raises(InputError, match=r"priors\.yaml:1: found shares that sum to 0\.5, expected 1"):
            priors._key_priors()
    finally:
        monkeypatch.undo()
        priors._document.cache_clear()
        priors._key_priors.cache_clear()


def test_a_path_between_known_ports_has_the_rate_of_the_slower_one():
    def drawn(**keys):
        scenario = load_scenario({"tool": "iperf3", **{key.replace("__", "."): keys[key] for key in keys}})
        return completed(scenario, Draws()).path.rate

    cloud = {"sender__instance_rate": "25 Gb/s", "receiver__instance_rate": "12.5 Gb/s"}
    assert (drawn(**cloud).value, drawn(**cloud).basis) == (12.5e9, "assumed")
    assert drawn(path__rtt="150 ms", **cloud).value == 12.5e9
    dtn = {"sender": "dtn-400g-2024", "receiver": "dtn-100g-2024"}
    assert drawn(**dtn).value == 100e9
    assert not hasattr(drawn(**dtn), "quantiles")
    assert hasattr(drawn(path__rtt="80 ms", **dtn), "quantiles")  # a long path may be slower than its ends


def test_the_page_cache_takes_files_that_fit_into_it():
    def found(**keys):
        names = {key.replace("__", "."): value for key, value in keys.items()}
        return predict({"tool": "xrootd", **LINE, "path.rtt": "0.2 ms", "tool.source_end": "memory", **names})

    endless, small, large = found(), found(tool__bytes="1 GB"), found(tool__bytes="400 GB")
    assert endless.bottleneck == "receiver.disk" != small.bottleneck
    assert small.throughput_bps > 1.3 * endless.throughput_bps
    assert large.throughput_bps == pytest.approx(endless.throughput_bps, rel=0.05)
    assert found(tool__bytes="1 GB", tool__sync=True).throughput_bps < endless.throughput_bps
    stated = found(tool__bytes="1 GB", receiver__write_rate="500 MB/s")
    assert (stated.bottleneck, stated.throughput_bps) == ("receiver.disk", pytest.approx(4e9, rel=0.01))


def test_the_kernel_of_a_host_is_of_its_year():
    def receiver(**keys):
        names = {f"receiver.{key}": value for key, value in keys.items()}
        return completed(load_scenario({"tool": "iperf3", **LINE, **names}), Draws()).receiver

    old, recent, stated = receiver(year=2008), receiver(year=2024), receiver(year=2008, kernel="6.12")
    assert (old.kernel, old.initcwnd, old.byte_counting, old.gro) == ("2.6.18", 3, False, False)
    assert (recent.kernel, recent.initcwnd, recent.byte_counting, recent.gro) == ("5.15", 10, True, True)
    assert (stated.kernel, stated.initcwnd) == ("6.12", 10)
    assert receiver(year=2008, initcwnd=10).initcwnd == 10
    assert receiver(year=2008, system="windows").kernel == receiver().kernel


def test_priors_know_the_hosts_of_today():
    def at(key, year):
        return of_key(key, Circumstances(rate_bps=8e9, year=year)).value

    assert at("host.read_rate", None) / 8e6 == 1500
    assert [at("host.write_rate", year) / 8e6 for year in (2015, 2022)] == [500, 1000]
    fast = [np.mean(np.array(of_key("path.rate", Circumstances(year=year)).quantiles) > 20e9) for year in (None, 2022)]
    assert fast == pytest.approx([0.3, 0.45], abs=0.01)


def test_a_slow_line_may_be_full_of_the_traffic_of_others_and_a_fast_one_is_not():
    slow, fast = (
        np.quantile(of_key("path.background", Circumstances(0.04, rate)).quantiles, 0.9) for rate in (1e8, 1e10)
    )
    assert slow > 0.6 > fast
