"""The simulation against what is known exactly, against closed forms, and against the documents' own tests."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.tcp_loss import cubic_window, reno_window
from hecn_analysis.limits.tcp_rounds import CONGESTION_CONTROLS, MAX_ROUNDS, simulate
from hecn_analysis.limits.tcp_window import usable_window

LOSS_BASED = [name for name in CONGESTION_CONTROLS if name != "bbr"]
LINE = 8948 / 9038  # payload of a line with packets of 9000 bytes


def run(**changes):
    return simulate(**{"rate_bps": 10e9, "rtt_s": 0.08, "duration_s": 60, "warm_up_s": 20} | changes)


@pytest.mark.parametrize("name", LOSS_BASED)
def test_a_path_without_losses_is_filled(name):
    assert run(congestion_control=name, queue_bytes=np.inf).throughput_bps == pytest.approx(10e9 * LINE)


@pytest.mark.parametrize("name", LOSS_BASED)
def test_a_window_is_one_window_a_round_trip(name):
    windows = np.array([1e6, 10e6, 50e6])
    result = run(congestion_control=name, window_bytes=windows)
    assert result.throughput_bps == pytest.approx(8 * windows / 0.08)


def test_bbr_keeps_its_pace_up_to_its_probes():
    # 1 % pacing margin, and at most 0.36 s of each 10 s spent on probing the RTT
    for changes, limit in ({}, 10e9 * LINE), ({"window_bytes": 10e6}, 1e9), ({"loss": 1e-3}, 10e9 * LINE):
        result = run(congestion_control="bbr", **changes)
        assert 0.945 * limit < result.throughput_bps <= limit


@pytest.mark.parametrize(("rtt", "mss", "silent"), [(0.09, 8948, 0.36), (0.09, 1448, 0.31), (0.18, 1448, 0.40)])
def test_bbr_is_silent_while_it_probes_the_round_trip(rtt, mss, silent):
    # a round trip to drain, then 200 ms until an ACK comes: pairs of packets are acknowledged once a round trip (90 ms:
    # 270 ms), an odd one 40 ms later too (220 ms)
    rates = run(
        rate_bps=100e6, rtt_s=rtt, mss_bytes=mss, congestion_control="bbr", warm_up_s=5, duration_s=np.array([9.9, 12])
    ).throughput_bps / (100e6 * mss / (mss + 90))
    lost = (rates[0] - rates[1]) * 7
    assert lost == pytest.approx(silent, abs=0.04)


def bbr_start_up(packets):
    """Round trips until the last packet arrives, packet by packet: tcp_bbr.c's pace and window, an ACK per two."""
    window, pace, highest = 10, 28.85, 0.0
    sent = delivered = flying = 0
    now = next_send = first_sent = delivered_at = 0.0
    acks, waiting = [], []
    while acks or sent < packets:
        may_send = max(now, next_send) if sent < packets and flying < window else np.inf
        if not acks or may_send < acks[0][0]:
            now = may_send
            for _ in range(min(2, packets - sent, int(window) - flying)):
                waiting.append((now, delivered, delivered_at, first_sent))
                sent, flying, next_send = sent + 1, flying + 1, max(next_send, now) + 1 / (0.99 * pace)
                if len(waiting) == 2 or sent == packets:
                    acks.append((now + 1, waiting))
                    waiting = []
        else:
            now, acked = acks.pop(0)
            window, flying, delivered = window + len(acked), flying - len(acked), delivered + len(acked)
            at_send, then_delivered, then, first = acked[-1]
            highest = max(highest, (delivered - then_delivered) / max(at_send - first, now - then))
            pace, delivered_at, first_sent = max(pace, 2.885 * highest), now, at_send
    return now - 0.5


@pytest.mark.parametrize("packets", [100, 724, 1500, 7240])
def test_start_up_of_bbr_is_that_of_its_packets(packets):
    simulated = simulate(
        rate_bps=1e12, rtt_s=0.1, mss_bytes=1448, congestion_control="bbr", transfer_bytes=1448 * packets
    )
    assert simulated.duration_s / 0.1 == pytest.approx(bbr_start_up(packets), abs=0.05)


def test_slow_start_of_a_transfer_packet_by_packet():
    # 630 packets in 6 rounds of 10, 20, 40 …, the last 97 of 727 in one train; half an RTT at the end
    result = simulate(rate_bps=400e6, rtt_s=0.18, mss_bytes=1448, transfer_bytes=727 * 1448, congestion_control="reno")
    assert result.duration_s == pytest.approx(6 * 0.18 + 0.09 + 97 * 1538 * 8 / 400e6, rel=1e-3)
    assert result.throughput_bps == pytest.approx(727 * 1448 * 8 / result.duration_s)


def test_jumbo_packets_wait_for_the_first_receive_windows():
    # 7, 10 and 16 packets of 8948 bytes, then doubling, instead of 10, 20, 40
    few = [simulate(rate_bps=10e9, rtt_s=0.1, transfer_bytes=n * 8948 - 1) for n in (7, 17, 33)]
    assert [round(float(r.duration_s), 2) for r in few] == [0.05, 0.15, 0.25]


@pytest.mark.parametrize(("rtt", "seconds", "mbps"), [(0.08015, 30, 9442.1071), (0.08014, 60.16, 9661.2217)])
def test_the_documents_tests_without_large_receive_offload(rtt, seconds, mbps):
    # HECN 2009, "netem-enabled-WAN": nuttcp, 100 MB window, 10GbE with 9000 bytes; kernels then started with 3 packets
    result = simulate(
        rate_bps=10e9,
        rtt_s=rtt,
        window_bytes=usable_window(100e6, kernel="2.6.29"),
        queue_bytes=np.inf,
        congestion_control="bic",
        duration_s=seconds,
        initial_window=3,
        byte_counting=False,
    )
    assert result.throughput_bps == pytest.approx(mbps * 1e6, rel=0.01)
    assert result.start_up_s == pytest.approx(1.43, abs=0.1)


def test_start_up_is_what_a_test_loses():
    result = run(warm_up_s=0, window_bytes=100e6)
    assert result.throughput_bps == pytest.approx(10e9 * LINE * (60 - result.start_up_s) / 60, rel=1e-3)


def test_merged_packets_slow_the_start_only_without_byte_counting():
    changes = {"window_bytes": 100e6, "warm_up_s": 0}
    modern = run(**changes, ack_every=np.array([1, 2, 10]))
    assert np.ptp(modern.start_up_s) == 0
    old = run(**changes, ack_every=np.array([1, 2, 10]), byte_counting=False)
    assert old.start_up_s[0] == modern.start_up_s[0]
    assert np.all(np.diff(old.start_up_s) > 0)


@pytest.mark.parametrize("p", [1e-3, 1e-4])
def test_reno_under_random_losses(p):
    # Independent losses give 1.31 where periodic ones give 1.22 (Ott, Kemperman, Mathis 1996). Two round trips
    # without growth at each loss, and packets lost in one round trip that count once, leave the rest within 6 %.
    result = simulate(
        rate_bps=1e14,
        rtt_s=0.1,
        mss_bytes=1500,
        packet_overhead_bytes=0,
        loss=np.full(64, p),
        congestion_control="reno",
        duration_s=600,
        warm_up_s=100,
    )
    window = result.throughput_bps * 0.1 / 12000
    assert window.mean() == pytest.approx(1.31 / np.sqrt(p), rel=0.06)
    assert window.mean() == pytest.approx(reno_window(p), rel=0.1)
    assert np.std(window) / window.mean() < 0.1


@pytest.mark.parametrize(("p", "rtt"), [(1e-3, 0.1), (1e-4, 0.1), (1e-5, 0.1), (1e-6, 0.1), (1e-4, 0.01)])
@pytest.mark.slow
def test_cubic_near_the_response_function(p, rtt):
    # RFC 9438's average holds for periodic losses; independent ones give up to 15 % more
    result = simulate(
        rate_bps=1e14,
        rtt_s=rtt,
        mss_bytes=1500,
        packet_overhead_bytes=0,
        loss=np.full(64, p),
        duration_s=6000 * rtt,
        warm_up_s=2000 * rtt,
    )
    assert result.throughput_bps.mean() * rtt / 12000 == pytest.approx(1.08 * cubic_window(p, rtt), rel=0.1)


def test_newer_controls_do_better_on_long_lossy_paths():
    rates = {
        name: run(congestion_control=name, loss=np.full(64, 1e-5)).throughput_bps.mean() for name in CONGESTION_CONTROLS
    }
    assert rates["reno"] < rates["cubic"] < rates["bbr"]
    assert rates["reno"] < min(rates["bic"], rates["htcp"])


def test_one_reno_flow_and_its_queue():
    # one flow alternates between W and W/2: full with a queue of one product, 3/4 with none
    rates = run(
        rate_bps=100e6,
        rtt_s=0.05,
        mss_bytes=1448,
        queue_bytes=np.array([0.001, 1, 2]) * 625e3,
        congestion_control="reno",
        duration_s=600,
        warm_up_s=100,
    ).throughput_bps / (100e6 * 1448 / 1538)
    assert rates[0] == pytest.approx(0.75, abs=0.03)
    assert rates[1:] == pytest.approx(1, abs=0.002)


def test_streams_share_losses_and_the_path():
    one, four = (run(loss=np.full(128, 1e-4), streams=n).throughput_bps.mean() for n in (1, 4))
    assert four == pytest.approx(4 * one, rel=0.1)
    assert run(loss=1e-6, streams=16).throughput_bps <= 10e9 * LINE


def test_lockstep_costs():
    free, bound = (
        simulate(
            rate_bps=100e6,
            rtt_s=0.09,
            mss_bytes=1448,
            loss=np.full(64, 1e-4),
            congestion_control="reno",
            streams=4,
            duration_s=60,
            lockstep=lockstep,
        ).throughput_bps.mean()
        for lockstep in (False, True)
    )
    assert bound < 0.95 * free


@pytest.mark.parametrize("name", CONGESTION_CONTROLS)
def test_same_seed_same_result(name):
    first, again, other = (
        run(loss=np.full(8, 1e-5), congestion_control=name, streams=2, seed=seed).throughput_bps for seed in (1, 1, 2)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
    assert len(set(first.tolist())) > 1


@pytest.mark.parametrize("name", CONGESTION_CONTROLS)
def test_an_element_fares_the_same_alone_and_in_company(name):
    many = {"rate_bps": np.array([1e9, 2e9, 1e9]), "rtt_s": np.array([0.05, 0.02, 0.05]), "sequence": [5, 5, 7]}
    case = {"loss": 1e-5, "congestion_control": name, "streams": 3, "duration_s": 20, "lockstep": [True, False, True]}
    together = simulate(**many, **case).throughput_bps
    alone = [
        float(
            simulate(
                **{key: value[i] for key, value in (many | {"lockstep": case["lockstep"]}).items()},
                **{key: value for key, value in case.items() if key != "lockstep"},
            ).throughput_bps
        )
        for i in range(3)
    ]
    assert together.tolist() == alone
    assert alone[0] != alone[2]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(LOSS_BASED), st.floats(1e6, 1e10), st.floats(1e-3, 0.3), st.floats(1e4, 1e8), st.floats(1.05, 4))
def test_more_rate_or_window_never_costs(name, rate, rtt, window, more):
    rates = simulate(
        rate_bps=rate * np.array([1, more, 1]),
        rtt_s=rtt,
        window_bytes=window * np.array([1, 1, more]),
        queue_bytes=np.inf,
        congestion_control=name,
        duration_s=30,
    ).throughput_bps
    assert rates[1] >= rates[0] * (1 - 1e-9)
    assert rates[2] >= rates[0] * (1 - 1e-9)


def test_longer_or_lossier_never_helps_on_average():
    losses = np.repeat([1e-6, 1e-5, 1e-4, 1e-3], 64).reshape(4, 64)
    for name in LOSS_BASED:
        assert np.all(np.diff(run(loss=losses, congestion_control=name).throughput_bps.mean(axis=1)) < 0)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(CONGESTION_CONTROLS), st.floats(0, 0.02), st.floats(1e-2, 0.2), st.floats(1e5, 1e8), st.booleans()
)
def test_never_above_the_limits(name, loss, rtt, window, lockstep):
    result = simulate(
        rate_bps=1e9,
        rtt_s=rtt,
        mss_bytes=1448,
        loss=loss,
        window_bytes=window,
        congestion_control=name,
        streams=2,
        transfer_bytes=1e7,
        lockstep=lockstep,
    )
    # from first byte sent to last one received there is one window more than there are round trips
    limit = min(1e9 * 1448 / 1538, 2 * 8 * window / rtt) * (1 + rtt / result.duration_s)
    assert 0 < result.throughput_bps <= limit
    assert result.received_bytes == pytest.approx(1e7)
    assert result.duration_s == pytest.approx(8e7 / result.throughput_bps)


def test_payload_rate_as_bottleneck():
    # a disk of 1 GB/s behind the receiver, told as a rate of payload
    result = run(rate_bps=8e9, packet_overhead_bytes=0, queue_bytes=np.inf)
    assert result.throughput_bps == pytest.approx(8e9)


def test_very_short_round_trips_end_soon():
    result = simulate(rate_bps=10e9, rtt_s=50e-6, loss=1e-5, duration_s=3600, warm_up_s=60)
    assert result.rounds == MAX_ROUNDS
    assert 0.9 * 10e9 * LINE < result.throughput_bps <= 10e9 * LINE
    assert result.duration_s == 3600
    fixed = simulate(rate_bps=10e9, rtt_s=50e-6, loss=1e-5, transfer_bytes=1e12)
    assert fixed.throughput_bps == pytest.approx(result.throughput_bps, rel=0.01)


def test_shapes_and_missing_values():
    assert run().throughput_bps.shape == ()
    grid = run(rtt_s=np.array([[0.01], [0.1]]), window_bytes=np.array([1e6, np.nan, 2e6]))
    assert grid.throughput_bps.shape == (2, 3)
    assert np.isnan(grid.throughput_bps).tolist() == [[False, True, False]] * 2
    mixed = simulate(
        rate_bps=1e9,
        rtt_s=0.01,
        congestion_control=np.array(["cubic", "bbr"]),
        duration_s=[10, np.nan],
        transfer_bytes=[np.nan, 1e9],
    )
    assert mixed.duration_s[0] == 10
    assert mixed.received_bytes[1] == 1e9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rtt_s": -0.08}, r"^rtt_s: found -0\.08 at \[0\], expected a finite number > 0$"),
        ({"loss": 1.2}, r"^loss: found 1\.2 at \[0\], expected 0 to less than 1$"),
        ({"streams": 1.5}, r"^streams: found 1\.5 at \[0\], expected a whole number >= 1$"),
        ({"warm_up_s": 60}, r"^warm_up_s: found 60 at \[0\], expected less than duration_s$"),
        ({"duration_s": None}, r"^found neither duration_s nor transfer_bytes, expected the one that says when"),
        (
            {"congestion_control": "cubik"},
            r"^congestion_control: found 'cubik', expected one of reno, cubic, bic, htcp, bbr; did you mean 'cubic'\?$",
        ),
    ],
)
def test_impossible_values(changes, message):
    with pytest.raises(RangeError, match=message):
        run(**changes)


def test_losses_that_end_in_timeouts_are_told():
    with pytest.warns(
        ValidityWarning, match=r"^loss: found 0\.1 at \[0\], the formula holds for 0\.05 and less: timeouts are not"
    ):
        assert run(loss=0.1).throughput_bps > 0


def span_bps(row):
    return 8 * float(row["span_bytes"]) / float(row["span_s"])


def measured(folder):
    """Conditions of a collection of transfers over an emulated path: settings, group and median of the rates."""
    conditions = {}
    with (folder / "tcp-lab" / "runs.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["valid"] == "yes" and row["group"] != "udp":
                conditions.setdefault(row["condition"], []).append(row)
    for rows in conditions.values():
        row = rows[0]
        mss = int(row["mtu"]) - 52
        window = float(row["window_bytes"])
        timed = bool(row["total_s"])
        yield (
            row["group"],
            {
                "rate_bps": float(row["rate_mbps"]) * 1e6,
                "rtt_s": np.median([float(r["rtt_ms_ping"]) for r in rows]) / 1e3,
                "mss_bytes": mss,
                "loss": float(row["loss_configured"]),
                "queue_bytes": float(row["queue_bytes"]),
                "window_bytes": usable_window(window, kernel="6.18", mss_bytes=mss) if window else np.inf,
                "congestion_control": row["cc"],
                "streams": float(row["streams"]),
                "lockstep": row["lockstep"] == "yes",
                "duration_s": float(row["total_s"]) if timed else np.nan,
                "warm_up_s": float(row["warmup_s"]) if timed else 0.0,
                "transfer_bytes": np.nan if timed else np.median([float(r["span_bytes"]) for r in rows]),
            },
            np.median([float(r["steady_bps"]) if timed else span_bps(r) for r in rows]),
        )


def test_measured_transfers(corpus):
    groups, cases, rates = zip(*measured(corpus), strict=True)
    columns = {k: np.repeat(np.array([c[k] for c in cases])[:, None], 32, axis=1) for k in cases[0]}
    error = np.abs(np.median(simulate(**columns).throughput_bps, axis=1) / np.array(rates) - 1)
    for names, median, most in (
        (("loss1", "loss4", "clean", "window", "queue", "verify", "free"), 0.02, 0.14),
        (("short",), 0.014, 0.11),
        (("window",), 0.02, 0.12),
        (("verify",), 0.005, 0.005),
    ):
        chosen = error[np.isin(groups, names)]
        assert np.median(chosen) < median, names
        assert np.quantile(chosen, 0.9) < most, names


def test_without_a_sequence_the_random_numbers_are_those_of_the_first():
    path = {"rate_bps": 1e9, "rtt_s": 0.05, "loss": 1e-4, "duration_s": 10.0}
    assert simulate(**path).received_bytes == simulate(**path, sequence=0).received_bytes
    assert simulate(**path).received_bytes != simulate(**path, sequence=1).received_bytes


@pytest.mark.parametrize("streams", [1, 4])
@pytest.mark.parametrize("lossy", [False, True])
@pytest.mark.slow
def test_large_steps_of_cubic_have_the_rate_of_single_round_trips(streams, lossy):
    random = np.random.default_rng(1)
    rtt = np.exp(random.uniform(np.log(0.005), np.log(0.2), 240))
    rate = np.exp(random.uniform(np.log(1e8), np.log(2e10), 240))
    loss = np.exp(random.uniform(np.log(1e-7), np.log(1e-3), 240)) * lossy
    path = {"rate_bps": rate, "rtt_s": rtt, "loss": loss, "queue_bytes": rate * rtt / 16, "mss_bytes": 1448}
    single, coarse = (run(**path, duration_s=120, streams=streams, grain=grain) for grain in (0, 0.05))
    ratio = np.log(coarse.throughput_bps / single.throughput_bps)
    assert abs(np.median(ratio)) < 0.005
    assert abs(ratio.mean()) < 0.02  # the losses of a single run fall elsewhere
    assert np.median(coarse.rounds) < np.median(single.rounds) / (3 if lossy else 8)


def test_large_steps_leave_a_window_and_slow_start_alone():
    windows = {"window_bytes": np.array([1e6, 10e6, 50e6]), "congestion_control": "cubic"}
    assert run(**windows, grain=0.05).throughput_bps.tolist() == run(**windows).throughput_bps.tolist()
    start = {"rate_bps": 1e9, "transfer_bytes": 5e6, "duration_s": None, "warm_up_s": 0}
    assert run(**start, grain=0.05).throughput_bps == run(**start).throughput_bps
