"""The prediction: known answers, and what must hold for every scenario (metamorphic)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis import predict
from hecn_analysis.hardware import load_scenario

IDEAL = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3"}
B_LAN = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttscp"}
C_LAN = {"sender": "c", "receiver": "c", "path": "lan-2x10ge", "tool": "nuttscp"}
HOTLAVA = {
    "sender": "i7-hotlava",
    "receiver": "i7-myricom",
    "path": "back-to-back-6x10ge",
    "tool": "nuttcp",
    "tool.processes": 6,
    "tool.bonding": False,
}
#: Shipped scenarios without losses, for what must hold everywhere.
LOSS_FREE = [B_LAN, C_LAN, HOTLAVA, {**B_LAN, "path": "netem-80ms-10ge"}, {**C_LAN, "tool.processes": 2}]


# known answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "throughput_bps", "bottleneck"),
    [
        ({"path.rate": "1 Gb/s"}, 941.482e6, "path.link"),  # RFC 6349's arithmetic, with timestamps
        ({"path.rate": "10 Gb/s", "path.mtu": 9000}, 9.90042e9, "path.link"),
        ({"path.rate": "10 Gb/s", "receiver.write_rate": "204 MB/s"}, 1.632e9, "receiver.disk"),
        ({"path.rate": "10 Gb/s", "sender.read_rate": "500 MB/s"}, 4.0e9, "sender.disk"),
        # 6 MiB of tcp_rmem are 3 MiB of window on a kernel before 6.6
        (
            {
                "path.rate": "10 Gb/s",
                "path.rtt": "50 ms",
                "receiver.tcp_rmem_max": "6 MiB",
                "receiver.kernel": "5.15",
                "tool.warm_up": "5 s",
            },
            3 * 2**20 * 8 / 0.05,
            "receiver.window.tcp_rmem",
        ),
        # the same where no resource is known to limit anything
        (
            {
                "path.rtt": "50 ms",
                "receiver.tcp_rmem_max": "6 MiB",
                "receiver.kernel": "5.15",
                "tool.warm_up": "5 s",
            },
            3 * 2**20 * 8 / 0.05,
            "receiver.window.tcp_rmem",
        ),
    ],
)
def test_one_limit_alone_is_the_answer(keys, throughput_bps, bottleneck):
    result = predict({**IDEAL, **keys})
    assert result.throughput_bps == pytest.approx(throughput_bps, rel=1e-3)
    assert result.bottleneck == bottleneck
    assert result.bottleneck_class == bottleneck.split(".")[1]


def test_nothing_limits_nothing():
    result = predict({"sender": "ideal", "tool": "dd-read"})
    assert result.bottleneck is None
    assert result.ladder == ()
    assert str(result).endswith("nothing in this description sets a limit.")
    assert json.loads(result.to_json())["throughput_bps"] is None


def test_a_short_transfer_over_a_long_path_is_held_back_by_its_start_up():
    result = predict({**IDEAL, "path.rate": "10 Gb/s", "path.rtt": "100 ms", "path.mtu": 9000, "tool.bytes": "100 MB"})
    assert result.bottleneck_class == "start-up"
    assert result.throughput_bps < 2e9


def test_one_packet_in_ten_thousand_over_a_long_path_is_the_limit():
    result = predict({**IDEAL, "path.rate": "10 Gb/s", "path.rtt": "80 ms", "path.loss": 1e-4, "path.mtu": 1500})
    assert result.bottleneck == "path.loss"
    assert result.low_bps < result.throughput_bps < result.high_bps < 1e9


def test_a_slot_too_narrow_for_its_card_is_a_warning_and_trains_to_the_slot():
    narrow = predict({**B_LAN, "sender.slots.nic1.lanes": 4})
    assert narrow.warnings == ("sender.slots.nic1: an x8 card in an x4 slot trains to x4",)
    wide = predict(B_LAN)
    assert narrow.utilisation["sender.slot.nic1"] > 1.9 * wide.utilisation["sender.slot.nic1"]


def test_six_processes_on_six_links_share_one_slot():
    result = predict(HOTLAVA)
    assert result.bottleneck == "sender.slot.x16"
    assert len(result.flows) == 6
    assert sum(flow.throughput_bps for flow in result.flows) == pytest.approx(result.throughput_bps)


def test_two_copies_on_one_array_seek_and_on_two_arrays_do_not():
    one = predict({**C_LAN, "tool.processes": 2})
    arrays = ["raid50-1", "raid50-2"]
    two = predict({**C_LAN, "tool.processes": 2, "sender.files_on": arrays, "receiver.files_on": arrays})
    assert one.bottleneck_class == "raid"
    assert two.throughput_bps > 1.15 * one.throughput_bps


# the shape of a result ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", LOSS_FREE)
def test_a_result_is_consistent(keys):
    result = predict(keys)
    assert result.low_bps <= result.throughput_bps <= result.high_bps
    assert result.bottleneck == result.ladder[0].resource
    rungs = [rung.throughput_bps for rung in result.ladder]
    assert rungs == sorted(rungs)
    assert len({rung.resource for rung in result.ladder}) == len(rungs)
    assert all(0 <= busy <= 1 + 1e-9 for busy in result.utilisation.values())
    assert sum(rung.probability for rung in result.ladder) <= 1 + 1e-9


def test_every_assumption_says_where_it_comes_from():
    for keys in LOSS_FREE:
        for assumption in predict(keys).assumptions:
            assert assumption.basis
            assert assumption.source or assumption.basis == "specification", assumption.name


def test_the_same_scenario_gives_the_same_prediction():
    assert predict(C_LAN).to_dict() == predict(C_LAN).to_dict()


def test_json_holds_the_keys_of_the_contract():
    result = json.loads(predict(B_LAN).to_json())
    assert {
        "throughput_bps",
        "low_bps",
        "high_bps",
        "bottleneck",
        "bottleneck_class",
        "utilisation",
        "ladder",
        "warnings",
    } <= set(result)


def test_a_result_shows_in_jupyter_and_escapes_names():
    result = predict(load_scenario({**B_LAN, "path.title": "<script>x</script>\u202e"}))
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;x&lt;/script&gt;\\u202e" in result._repr_html_()


# metamorphic ----------------------------------------------------------------------------------------------------------

#: Keys that only ever relax a limit, by what they are multiplied with.
RELAXATIONS = {
    "receiver.cpu.clock": lambda scenario, by: scenario.receiver.cpu.clock.value * by,
    "sender.cpu.clock": lambda scenario, by: scenario.sender.cpu.clock.value * by,
    "path.rate": lambda scenario, by: scenario.path.rate.value * by,
    "receiver.tcp_rmem_max": lambda scenario, by: scenario.receiver.tcp_rmem_max.value * by,
}


def assert_relaxes(keys, relaxed, by):
    scenario = load_scenario(keys)
    before, after = predict(scenario), predict(scenario, {relaxed: RELAXATIONS[relaxed](scenario, by)})
    assert after.throughput_bps >= before.throughput_bps * (1 - 2e-3)


@pytest.mark.parametrize("relaxed", sorted(RELAXATIONS))
def test_doubling_one_limit_never_lowers_the_prediction(relaxed):
    assert_relaxes(LOSS_FREE[0], relaxed, 2.0)


@pytest.mark.slow  # the test above looks at one scenario
@settings(max_examples=30, deadline=None)
@given(st.sampled_from(LOSS_FREE), st.sampled_from(sorted(RELAXATIONS)), st.floats(1.0, 8.0))
def test_relaxing_one_limit_never_lowers_the_prediction(keys, relaxed, by):
    assert_relaxes(keys, relaxed, by)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 200), st.floats(0.1, 200))
def test_a_longer_path_is_never_faster(first_ms, second_ms):
    near, far = sorted((first_ms, second_ms))
    keys = {**IDEAL, "path.rate": "10 Gb/s", "path.mtu": 9000, "tool.duration": "30 s", "path.queue": "1 GB"}
    slow, fast = (predict({**keys, "path.rtt": f"{rtt} ms"}).throughput_bps for rtt in (far, near))
    assert slow <= fast * (1 + 2e-3)


@settings(max_examples=10, deadline=None)
@given(st.floats(1.0, 1000.0))
def test_twice_of_everything_is_twice_the_rate(scale):
    keys = {**IDEAL, "path.rate": "1 Pb/s", "path.rtt": 0, "sender.read_rate": 3e9, "receiver.write_rate": 2e9}
    scaled = {**keys, "sender.read_rate": 3e9 * scale, "receiver.write_rate": 2e9 * scale}
    assert predict(scaled).throughput_bps == pytest.approx(scale * predict(keys).throughput_bps)
    assert predict(scaled).bottleneck == predict(keys).bottleneck


def test_lifting_the_bottleneck_gives_the_next_rung():
    result = predict(C_LAN)
    lifted = predict(C_LAN, {"receiver.cpu.clock": "32 GHz"})
    assert lifted.bottleneck == result.ladder[1].resource
    assert lifted.throughput_bps == pytest.approx(result.ladder[1].throughput_bps, rel=3e-3)  # central values


def test_the_sentence_names_no_limit_that_is_far_away():
    keys = {**IDEAL, "path.rate": 1e9, "path.rtt": 1e-4, "path.mtu": 1500}
    prediction = predict(keys)
    assert [rung.resource_class for rung in prediction.ladder] == ["link", "window"]
    assert [rung.resource_class for rung in prediction.near_limits] == ["link"]
    assert str(prediction).endswith("limited by the link.")
    assert "the link would allow" in str(predict({**keys, "path.rtt": 0.08, "tool.window": 2**20}))
