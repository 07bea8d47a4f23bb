"""Values of signs of a transfer over a network, in folders whose numbers are known and in broken ones."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.diagnosis.likelihood import evidence
from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e
from tests.diagnosis.observed import STEADY, facts_of, folder, iperf3, values

TCP_1500 = 1448 / 1538  # goodput of a line: timestamps, IP and Ethernet around each segment


WINDOW = "iperf3 -c 10.30.0.12 -w 1M -t 10"


SS = """\
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 0      4194304 10.20.0.11:45122 10.30.0.12:5201
\t cubic wscale:7,7 rto:252 rtt:50/0.6 mss:1448 pmtu:1500 cwnd:5120 bytes_sent:1448000000 bytes_acked:1251002801 \
data_segs_out:1000000 busy:20000ms rwnd_limited:15000ms(75.0%) minrtt:40 snd_wnd:3145728
"""


def test_the_share_of_the_stated_circuit(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), notes_txt="circuit: 200 Mb/s\n", ethtool_txt=e.ethtool(1000))
    assert found["line_share"] == pytest.approx(0.5 / TCP_1500, rel=1e-3)
    assert "port_share" not in found  # the circuit is slower than the port


def test_the_share_of_the_port_where_no_circuit_is_stated(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), ethtool_txt=e.ethtool(1000))
    assert found["port_share"] == pytest.approx(0.1 / TCP_1500, rel=1e-3)
    assert "line_share" not in found


def test_a_rate_of_ethernet_is_known_without_a_port(tmp_path):
    assert values(tmp_path, a_txt=iperf3([1e9 * TCP_1500] * 10))["ethernet_rate"] == pytest.approx(1, rel=2e-3)


def test_flight_over_the_window_that_was_asked_for(tmp_path):
    found = values(tmp_path, a_txt=iperf3(command=WINDOW), ping_txt=e.ping("10.30.0.12", 0.05, scatter=0))
    assert found["asked_window"] == "a window"
    assert found["window_fit"] == pytest.approx(100e6 * 0.05 / 8 / e.MIB, rel=1e-3)
    assert found["distance"] == pytest.approx(50)
    assert found["round_trips"] == pytest.approx(10 / 0.05, rel=0.01)


def test_the_time_that_the_window_takes_is_told_only_without_an_rtt(tmp_path):
    found = values(tmp_path, a_txt=iperf3(command=WINDOW))
    assert found["window_time"] == pytest.approx(8 * e.MIB / 100e6, rel=1e-3)
    assert "window_fit" not in found
    told = values(tmp_path, a_txt=iperf3(command=WINDOW), ping_txt=e.ping("10.30.0.12", 0.05, scatter=0))
    assert "window_time" not in told


def test_a_window_that_would_need_an_rtt_of_minutes_is_not_the_limit(tmp_path):
    text = iperf3([1.4e6] * 20, cwnd=None, command="iperf3 -c 10.30.0.12 -w 32M -t 20")
    (verdict,) = diagnose(folder(tmp_path, {"a.txt": text}))
    assert {cause.kind: cause.probability for cause in verdict.causes}["window-tool"] < 0.15


def test_room_in_the_congestion_window_is_of_each_stream(tmp_path):
    text = e.iperf3_json(STEADY, streams=2, rtt=0.05, cwnd=2_000_000)
    found = values(tmp_path, a_json=text, ping_txt=e.ping("10.30.0.12", 0.05, scatter=0))
    flight = 100e6 * 0.055 / 8 / 2  # the mean RTT that iperf3 gives
    assert found["cwnd_room"] == pytest.approx(2e6 / flight, rel=0.01)
    assert found["cwnd_flat"] == 0


@pytest.mark.parametrize(
    ("window", "rtt", "resent", "held"),
    [(1e6, 0.08, 0, 1.0), (2e6, 0.08, 0, None), (1e6, 0.08, 1, None), (25e3, 0.002, 0, 1.0), (12500, 0.001, 0, None)],
    ids=["held", "with room", "with losses", "near", "too near"],
)
def test_a_flat_window_that_is_all_in_flight_is_held(tmp_path, window, rtt, resent, held):
    """The first second is slow start, which the mean of the run has and the window does not."""
    text = e.iperf3([30e6, *[100e6] * 9], [window / 3, *[window] * 9], [0] * 9 + [resent])
    found = values(tmp_path, a_txt=text, ping_txt=e.ping("10.30.0.12", rtt, scatter=0))
    assert found.get("held_window") == (None if held is None else pytest.approx(held, rel=0.03))
    assert ("cwnd_room" in found) == (held is None)


def test_the_rate_asked_for_is_that_of_all_streams(tmp_path):
    found = values(tmp_path, a_json=e.iperf3_json([200e6] * 10, streams=2, target=100_000_000))
    assert found["is_paced"] == "a rate"
    assert found["asked_rate"] == pytest.approx(1, rel=2e-3)


def test_the_share_of_packets_that_were_sent_again(tmp_path):
    found = values(tmp_path, a_txt=iperf3(resent=[10] * 10))
    assert found["resent"] == pytest.approx(100 / (10 * 100e6 / 8 / 1448), rel=0.01)
    assert found["resent_often"] == 1
    assert found["resent_first"] == pytest.approx(0.1)


def test_losses_at_the_start_alone(tmp_path):
    found = values(tmp_path, a_txt=iperf3(resent=[60, *[0] * 8, 20]))
    assert found["resent_first"] == pytest.approx(0.75)
    assert found["resent_often"] == pytest.approx(1 / 9)


def test_zero_retransmits_of_nuttcp_are_not_believed(tmp_path):
    (tmp_path / "zero").mkdir()
    (tmp_path / "some").mkdir()
    assert "resent" not in values(tmp_path / "zero", a_txt=e.nuttcp(1e8, command="nuttcp -T10 h", resent=0))
    found = values(tmp_path / "some", a_txt=e.nuttcp(1e8, command="nuttcp -T10 h", resent=50))
    assert found["resent"] == pytest.approx(50 / (10 * 1e8 / 8 / 1448), rel=0.01)


def test_the_queue_grows_by_what_the_rtt_grows(tmp_path):
    idle, loaded = e.ping("10.30.0.12", 0.05, scatter=0), e.ping("10.30.0.12", 0.075, scatter=0)
    found = values(tmp_path, a_txt=iperf3(), ping_txt=idle, ping_loaded_txt=loaded)
    assert found["queue"] == pytest.approx(0.5)


def test_one_rtt_is_no_growth_of_a_queue(tmp_path):
    assert "queue" not in values(tmp_path, a_txt=iperf3(), ping_txt=e.ping("10.30.0.12", 0.05))


def test_what_a_socket_says(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), ss_txt=SS)
    assert found["rwnd_limited"] == pytest.approx(0.75)
    assert found["app_limited"] == "had data"
    assert found["queue"] == pytest.approx(50 / 40 - 1)
    assert found["send_window_fit"] == pytest.approx(100e6 * 0.05 / 8 / 3145728, rel=1e-3)


def test_scatter_and_growth_of_the_rate(tmp_path):
    found = values(tmp_path, a_txt=iperf3([*[100e6] * 4, *[200e6] * 6], None))
    assert found["growth"] == pytest.approx(2, rel=0.01)
    assert found["first_rate"] == pytest.approx(100 / 200, rel=0.01)
    rates = [1, 1, *[2] * 6]  # without the first quarter
    mean = sum(rates) / 8
    scatter = (sum((rate - mean) ** 2 for rate in rates) / 7) ** 0.5 / mean
    assert found["scatter"] == pytest.approx(scatter, rel=0.01)


def test_a_steady_rate_neither_scatters_nor_grows(tmp_path):
    found = values(tmp_path, a_txt=iperf3(cwnd=None))
    assert found["scatter"] == pytest.approx(0, abs=1e-6)
    assert found["growth"] == pytest.approx(1)


def test_a_course_of_three_intervals_tells_nothing(tmp_path):
    assert not {"scatter", "growth", "first_rate"} & set(values(tmp_path, a_txt=iperf3([1e8, 2e8, 3e8])))


def test_buffers_are_those_of_the_ends(tmp_path):
    found = values(
        tmp_path,
        a_txt=iperf3(),
        ping_txt=e.ping("10.30.0.12", 0.05, scatter=0),
        sysctl_receiver_txt=e.sysctl(1_000_000, 9_000_000),
        sysctl_sender_txt=e.sysctl(9_000_000, 2_000_000),
        notes_txt="circuit: 200 Mb/s\n",
    )
    assert found["receive_buffer_fit"] == pytest.approx(625_000 / 1e6, rel=1e-3)
    assert "send_buffer_fit" not in found  # the fuller of both tells
    assert found["small_buffer"] == pytest.approx(500_000 / (200e6 * 0.05 / 8), rel=1e-3)


def test_a_run_alone_tells_nothing_of_hosts_and_paths(tmp_path):
    found = set(values(tmp_path, a_txt=iperf3(cwnd=None)))
    assert not found & {
        *("line_share", "port_share", "asked_rate", "window_fit", "cwnd_room", "queue", "rwnd_limited", "busy"),
        *("receive_buffer_fit", "small_buffer", "round_trips", "distance", "sender_core", "sender_throttled"),
        *("port_errors", "limiter", "read_test", "write_test", "idle_loss", "loss_fit", "spread"),
    }


def test_a_folder_without_runs_has_signs_of_its_path(tmp_path):
    found = values(tmp_path, ping_txt=e.ping("203.0.113.4", 0.088, 100, lost=10))
    assert found["idle_loss"] == pytest.approx(0.1, abs=0.02)
    assert not {"fast", "line_share", "distance"} & set(found)


FILES = {
    "client.txt": iperf3(resent=[3] * 10, command=WINDOW),
    "run.json": e.iperf3_json(e.ramp(1e9, 4), streams=2, target=500_000_000),
    "n.txt": e.nuttcp(1e9, command="nuttcp -T10 h"),
    "ss.txt": SS,
    "ping.txt": e.ping("10.30.0.12", 0.05, lost=2),
    "mtr.txt": e.mtr([("gw", 0, 0.4), ("10.30.0.12", 5, 50)]),
    "ethtool.txt": e.ethtool(1000),
    "sysctl-receiver.txt": e.sysctl(1_000_000, 2_000_000),
    "mpstat-receiver.txt": e.mpstat(3),
    "dd.txt": e.dd("/dev/zero", "/data/x", 1 << 30, 1e8),
    "notes.txt": "circuit: 200 Mb/s, RTT 50 ms\n",
}


NAMES = st.sampled_from(sorted(FILES))


DAMAGE = st.sampled_from(["cut", "empty", "zeros", "halved", "nan", "minus"])


def damaged(content, damage, share):
    """A file that was cut, emptied, or whose numbers were changed."""
    place = int(share * len(content))
    return {
        "cut": content[:place],
        "empty": "",
        "zeros": "".join("0" if sign.isdigit() else sign for sign in content),
        "halved": content[place:],
        "nan": content[:place] + "nan" + content[place + 1 :],
        "minus": content[:place].replace(" ", " -") + content[place:],
    }[damage]


def test_an_aborted_run_with_intervals_has_no_rtt_to_quote(tmp_path):
    run = {**json.loads(FILES["run.json"]), "end": {}, "error": "interrupt - the client has terminated"}
    facts = facts_of(tmp_path, {"run.json": json.dumps(run)})
    assert not facts.has_rates
    assert facts.rtt_loaded is None
    assert "queue" not in {sign.name for sign in signs(facts)}


def test_a_run_whose_log_ends_early_quotes_the_rtt_of_its_intervals(tmp_path):
    facts = facts_of(tmp_path, {"run.json": FILES["run.json"][: len(FILES["run.json"]) // 2]})
    assert facts.has_rates
    assert facts.rtt_loaded is not None


def test_a_ping_that_took_no_time_has_no_scatter(tmp_path):
    assert "idle_scatter" not in values(tmp_path, ping_txt=damaged(FILES["ping.txt"], "zeros", 0.0))


@pytest.mark.slow
@given(files=st.dictionaries(NAMES, st.tuples(NAMES, DAMAGE, st.floats(0, 1)), min_size=1, max_size=4))
@settings(max_examples=25)
def test_damaged_and_swapped_files_end_in_verdicts(tmp_path_factory, files):
    contents = {name: damaged(FILES[other], damage, share) for name, (other, damage, share) in files.items()}
    verdicts = diagnose(folder(tmp_path_factory.mktemp("damaged"), contents))
    assert len(str(verdicts).splitlines()) <= 20
    for verdict in verdicts:
        assert sum(cause.probability for cause in verdict.causes) == pytest.approx(1)
        for sign in verdict.signs:
            assert isinstance(sign.value, str) or sign.value == sign.value  # no NaN
            assert evidence().signs[sign.name].says(sign.value)


TBF = """\
qdisc tbf 8001: root refcnt 2 rate 200Mbit burst 256Kb lat 50ms
 Sent 2418001234 bytes 1601321 pkt (dropped 1822, overlimits 3120441 requeues 0)
"""


def test_the_rate_over_that_of_the_hosts_own_queue(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), tc_txt=TBF)
    assert found["queue_rate"] == pytest.approx(100 / 200, rel=1e-3)
    assert found["limiter"] == "limits the rate"


def test_a_queue_that_holds_to_no_rate(tmp_path):
    text = "qdisc fq_codel 0: root refcnt 2 limit 10240p flows 1024\n Sent 100 bytes 1 pkt (dropped 0, overlimits 0)\n"
    found = values(tmp_path, a_txt=iperf3(), tc_txt=text)
    assert found["limiter"] == "has no limit"
    assert "queue_rate" not in found


def test_the_rate_over_what_losses_allow(tmp_path):
    ping = e.ping("10.30.0.12", 0.05, scatter=0)
    found = values(tmp_path, a_txt=iperf3(resent=[10] * 10), ping_txt=ping)
    loss = found["resent"]
    window = 1.2 / loss**0.5  # packets: at 1 of 1000 and 50 ms, CUBIC is as Reno, RFC 9438
    assert found["loss_fit"] == pytest.approx(100e6 / (window * 1448 * 8 / 0.05), rel=0.01)


def test_the_datagrams_that_did_not_arrive(tmp_path):
    text = (
        "$ iperf3 -u -c h -b 100M -t 2\n[  5] local 10.7.0.4 port 38121 connected to 10.8.0.1 port 5201\n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-2.00   sec  23.8 MBytes   100 Mbits/sec  0.000 ms  0/17265 (0%)  sender\n"
        "[  5]   0.00-2.00   sec  21.5 MBytes  90.0 Mbits/sec  0.012 ms  1726/17265 (10%)  receiver\n"
    )
    assert values(tmp_path, u_txt=text)["udp_loss"] == pytest.approx(1726 / 17265, rel=0.01)


def test_a_rate_that_falls_once_neither_scatters_nor_grows(tmp_path):
    found = values(tmp_path, a_txt=iperf3([*[900e6] * 4, *[300e6] * 6], None))
    assert found["fall"] == pytest.approx(3, rel=0.01)
    assert not {"scatter", "growth", "first_rate"} & set(found)


@pytest.mark.parametrize("rates", [[9e8, 3e8, 9e8, 3e8] * 3, [3e8] * 4 + [9e8] * 6, [9e8] * 5 + [7e8] * 5, [9e8, 3e8]])
def test_rates_that_do_not_fall_once(tmp_path, rates):
    assert "fall" not in values(tmp_path, a_txt=iperf3(rates, None))


def test_a_run_that_was_broken_off_because_nothing_came_is_silent(tmp_path):
    stalled = "$ nuttcp -i1 -T5 192.0.2.2\n    0.0000 MB /   1.00 sec =    0.0000 Mbps     0 retrans\n"
    assert values(tmp_path, a_txt=stalled)["silent"] == 1.0
    started = stalled + "    1.0000 MB /   1.00 sec =    8.3886 Mbps     0 retrans\n"
    assert "silent" not in values(tmp_path, a_txt=started)


def test_a_rate_is_stated_where_losses_are_so_many_that_timeouts_count(tmp_path):
    facts = facts_of(tmp_path, {"a.txt": iperf3(), "notes.txt": "RTT 88 ms\n"})
    rates = [facts.tcp_at(loss) for loss in (0.05, 0.1, 0.2, 0.3)]
    assert all(one > other > 0 for one, other in pairwise(rates))
    assert facts.tcp_at(0.1) == pytest.approx(8 * 1448 / 0.0448, rel=0.01)  # 23 ms without and 22 ms of timeouts
    assert facts.tcp_at(0.5) is None


def test_datagrams_always_have_a_rate_that_was_asked_for(tmp_path):
    udp = e.iperf3(STEADY, None, command="iperf3 -u -b 100M -c 10.30.0.12").replace(
        "Bitrate", "Bitrate         Total Datagrams", 1
    )
    found = values(tmp_path, a_txt=udp)
    assert (found["is_udp"], found.get("is_paced")) == ("UDP", None)


def test_the_amount_of_a_run_counts_only_where_its_round_trips_are_unknown(tmp_path):
    assert {"amount", "duration"} <= values(tmp_path, a_txt=iperf3()).keys()
    (tmp_path / "ping.txt").write_text(e.ping("10.30.0.12", 0.05), encoding="utf-8")
    assert not {"amount", "duration"} & values(tmp_path, a_txt=iperf3()).keys()


def test_losses_without_an_rtt_under_load_leave_open_whether_a_window_has_room(tmp_path):
    ping = e.ping("10.30.0.12", 0.01, scatter=0)
    assert "cwnd_room" in values(tmp_path, a_txt=iperf3(), ping_txt=ping)
    assert "cwnd_room" not in values(tmp_path, a_txt=iperf3(resent=[1] * 10), ping_txt=ping)


def test_the_least_rtt_of_a_transfer_may_hold_its_queue(tmp_path):
    text = e.iperf3_json(STEADY, rtt=0.05)
    assert "queue" not in values(
        tmp_path, a_json=text.replace('"rtt": 55000', '"rtt": 50000').replace("55000", "50000")
    )
    assert values(tmp_path, a_json=text, ping_txt=e.ping("10.30.0.12", 0.05, scatter=0))["queue"] >= 0


def test_a_limit_with_a_bucket_is_compared_with_the_rate_after_the_burst(tmp_path):
    policy = "policy-map OUT\n  police cir 50000000 bps, bc 1562500 bytes\n"
    found = values(tmp_path, a_txt=iperf3([300e6, *[49e6] * 9]), policy_txt=policy)
    assert found["queue_rate"] == pytest.approx(49 / 50, rel=0.01)


def test_an_access_line_has_two_rates(tmp_path):
    speeds = "    Download:   101.12 Mbps (data used: 121.2 MB)\n      Upload:    20.31 Mbps (data used: 21.2 MB)\n"
    head = "   Speedtest by Ookla\n\n      Server: Provider - Town (id: 1211)\n         ISP: Provider\n"
    assert "way_back_faster" not in values(tmp_path, s_txt=head + speeds)


def test_retransmits_of_a_socket_count_without_a_run(tmp_path):
    ss = SS.replace("busy:20000ms", "retrans:0/10000 busy:20000ms")
    assert values(tmp_path, ss_txt=ss)["resent"] == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize(("reverse", "share"), [(False, 0.5), (True, 0.2)], ids=["up", "down"])
def test_the_rate_of_an_access_line_is_that_of_the_direction(tmp_path, reverse, share):
    text = iperf3([20e6] * 10).replace("iperf3 -c", "iperf3 -R -c" if reverse else "iperf3 -c")
    if reverse:
        text = text.replace("port 5201\n", "port 5201\nReverse mode, remote host 10.30.0.12 is sending\n", 1)
    found = values(tmp_path, a_txt=text, notes_txt="The office line is 100 Mbit/s down, 40 up.\n")
    assert found["line_share"] == pytest.approx(share / TCP_1500, rel=1e-3)


@pytest.mark.parametrize(("rate", "sign"), [(500e6, None), (1.5e9, None), (487e6, "no round number")])
def test_a_rate_that_nobody_asks_for(tmp_path, rate, sign):
    text = e.iperf3([rate] * 10, None, command="").replace("$ \n", "")
    assert values(tmp_path, a_txt=text.partition("\n")[2] if text.startswith("$") else text).get("odd_rate") == sign


def test_what_a_silent_run_carried_before(tmp_path):
    found = values(tmp_path, a_txt=iperf3([240e6] + [0.0] * 19, cwnd=None))
    assert found["silent"] == 1
    assert found["before_silence"] == pytest.approx(30)
    assert "first_rate" not in found  # nothing to compare it with
    assert "before_silence" not in values(tmp_path, a_txt=iperf3())


def test_blocks_that_take_longer_than_an_interval_are_no_silence(tmp_path):
    slow = [1.05e6 if number % 10 == 0 else 0.0 for number in range(100)]  # a block of 128 KiB each ten seconds
    assert values(tmp_path, a_txt=iperf3(slow, cwnd=None))["silent"] == 0


def test_a_run_that_stops_after_its_first_blocks_is_silent(tmp_path):
    assert values(tmp_path, a_txt=iperf3([1.05e6, *[0.0] * 9], cwnd=None))["silent"] == 1
