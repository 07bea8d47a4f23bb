"""Values of signs in folders whose numbers are known, and folders that say nothing or are broken."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds, without_runs
from hecn_analysis.diagnosis.likelihood import evidence
from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e

TCP_1500 = 1448 / 1538  # goodput of a line: timestamps, IP and Ethernet around each segment
STEADY = [100e6] * 10
WINDOW = "iperf3 -c 10.30.0.12 -w 1M -t 10"
SS = """\
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 0      4194304 10.20.0.11:45122 10.30.0.12:5201
\t cubic wscale:7,7 rto:252 rtt:50/0.6 mss:1448 pmtu:1500 cwnd:5120 bytes_sent:1448000000 bytes_acked:1251002801 \
data_segs_out:1000000 busy:20000ms rwnd_limited:15000ms(75.0%) minrtt:40 snd_wnd:3145728
"""


def folder(place, files):
    """Write files into a folder."""
    for name, content in files.items():
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


def facts_of(place, files):
    found = read_folder(folder(place, files))
    return Facts((kinds(found) or [without_runs(found)])[0])


def values(place, **files):
    """Signs of a folder by their names; of the files' names the last underline stands for the dot."""
    named = {".".join(name.rsplit("_", 1)).replace("_", "-"): content for name, content in files.items()}
    return {sign.name: sign.value for sign in signs(facts_of(place, named))}


def iperf3(rates=STEADY, cwnd=3.0 * e.MIB, resent=None, **more):
    return e.iperf3(rates, cwnd and [cwnd] * len(rates), resent, **{"command": "iperf3 -c 10.30.0.12", **more})


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


def test_repeated_runs_have_a_spread(tmp_path):
    texts = "".join(e.nuttcp(rate, command="nuttcp -T10 h") for rate in (1e8, 2e8, 3e8))
    assert values(tmp_path, a_txt=texts)["spread"] == pytest.approx(3)


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


def test_the_share_of_a_core(tmp_path):
    found = values(tmp_path, a_txt=e.nuttcp(1e9, command="nuttcp -T10 h", tx=30, rx=95))
    assert (found["sender_core"], found["receiver_core"]) == (pytest.approx(0.3), pytest.approx(0.95))
    assert found["pacing_effort"] == pytest.approx(0.3)


@pytest.mark.parametrize(("quota", "told"), [("max 100000", False), ("50000 100000", True)])
def test_counters_of_a_quota_that_is_gone_tell_nothing(tmp_path, quota, told):
    text = (
        f"$ cat /sys/fs/cgroup/cpu.max\n{quota}\n$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 100\n"
        "nr_periods 200\nnr_throttled 150\nthrottled_usec 9000\n"
    )
    found = values(tmp_path, a_txt=iperf3(), cgroup_sender_txt=text)
    assert ("sender_throttled" in found) == told
    if told:
        assert found["sender_throttled"] == pytest.approx(0.75)


def test_memory_feeds_and_drains_a_test_of_a_network(tmp_path):
    found = values(tmp_path, a_txt=iperf3())
    assert (found["feed"], found["drain"]) == ("memory", "memory")


def test_the_file_that_a_tool_reads_feeds_it(tmp_path):
    found = values(tmp_path, a_txt=iperf3(command="iperf3 -c 10.30.0.12 -F /data/big.bin"))
    assert found["feed"] == "a disk"


def test_tests_of_disks_have_no_signs_of_networks(tmp_path):
    found = values(tmp_path, dd_txt=e.dd("/dev/zero", "/data/x", 8 << 30, 187e6, "conv=fdatasync"))
    assert found["is_local"] == "to or from a disk alone"
    assert found["local_direction"] == "writes"
    assert not {"line_share", "port_share", "fast", "ethernet_rate", "feed", "drain", "distance"} & set(found)


def test_the_rate_over_that_of_a_disk(tmp_path):
    disk = e.dd("/dev/zero", "/data/x", 8 << 30, 25e6, "conv=fdatasync")
    assert values(tmp_path, a_txt=iperf3(), dd_receiver_txt=disk)["write_test"] == pytest.approx(0.5, rel=0.01)


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
IP_LINK = """\
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000
    link/ether 00:19:99:aa:bb:cc brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped overrun mcast
    812345678  1201234  17      12      0       4123
    TX: bytes  packets  errors  dropped carrier collsns
    9123456789 7812345  6       0       0       0
"""
SAR = """\
Linux 6.1.0 (a) \t03/12/2024 \t_x86_64_\t(8 CPU)

09:31:00        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
09:31:01         eth0   1000.00  16000.00   2441.41  18310.55      0.00      0.00      0.00     15.00
09:31:02         eth0   1000.00  16000.00   2441.41  18310.55      0.00      0.00      0.00     15.00
"""
TOP = """\
top - 09:31:02 up 3 days,  1:02,  2 users,  load average: 2.01, 1.50, 0.90
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4711 ops       20   0   10112   4012   3500 R  61.0   0.1   0:09.11 iperf3
   1234 root      20   0  910112  84012   3500 R  90.0   1.1  91:09.11 clamd
   1235 root      20   0  110112  14012   3500 S  35.0   0.2   8:09.11 java
   1236 root      20   0  110112  14012   3500 S   2.0   0.2   0:09.11 sshd-session
"""
PIPED = "{size} bytes copied, {seconds} s, 93.2 MB/s\n"


def test_the_rate_over_that_of_the_hosts_own_queue(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), tc_txt=TBF)
    assert found["queue_rate"] == pytest.approx(100 / 200, rel=1e-3)
    assert found["limiter"] == "limits the rate"


def test_a_queue_that_holds_to_no_rate(tmp_path):
    text = "qdisc fq_codel 0: root refcnt 2 limit 10240p flows 1024\n Sent 100 bytes 1 pkt (dropped 0, overlimits 0)\n"
    found = values(tmp_path, a_txt=iperf3(), tc_txt=text)
    assert found["limiter"] == "has no limit"
    assert "queue_rate" not in found


def test_errors_of_a_port_are_those_of_both_ways(tmp_path):
    assert values(tmp_path, a_txt=iperf3(), link_txt=IP_LINK)["port_errors"] == 17 + 6


def test_what_the_port_carried_beside_the_run(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), sar_sender_txt=SAR)
    assert found["other_traffic"] == pytest.approx(18310.55 * 1024 * 8 / 100e6, rel=1e-3)  # 1.5
    assert found["other_direction"] == pytest.approx(2441.41 * 1024 * 8 / 100e6, rel=1e-3)  # 0.2


def test_other_processes_count_in_cores(tmp_path):
    assert values(tmp_path, a_txt=iperf3(), top_txt=TOP)["neighbours"] == pytest.approx(0.90 + 0.35)


def test_the_copies_at_the_ends_of_a_pipe(tmp_path):
    found = values(
        tmp_path,
        run_client_txt=e.nuttcp(800e6, command="nuttcp -T10 h"),
        run_sender_txt=PIPED.format(size=1_000_000_000, seconds=9.5),
        run_receiver_txt=PIPED.format(size=1_000_000_000, seconds=10.75),
    )
    assert found["feed_lead"] == pytest.approx(10 / 9.5, rel=1e-3)
    assert found["drain_lag"] == pytest.approx(0.75, abs=0.01)
    assert (found["feed"], found["drain"]) == ("something unknown", "something unknown")


def test_a_pipe_of_which_one_end_is_known(tmp_path):
    dd = PIPED.format(size=1_000_000_000, seconds=9.5)
    found = values(tmp_path, run_client_txt=e.nuttcp(800e6, command="nuttcp -T10 h"), run_sender_txt=dd)
    assert found["feed"] == "something unknown"
    assert found["drain"] == "a program"
    assert "drain_lag" not in found


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


def to_hosts(*rates, command="iperf3 -c {ip}"):
    """Runs in one log, each to a host of its own."""
    hosts = (f"192.0.2.{number}" for number in range(21, 30))
    return "".join(
        e.iperf3([rate] * 10, [1e6] * 10, command=command.format(ip=ip), remote=ip)
        for ip, rate in zip(hosts, rates, strict=False)
    )


def kind_to(place, text, address):
    found = read_folder(folder(place, {"speeds.log": text}))
    kind = next(one for one in kinds(found) if one.destination_host == address)
    return {sign.name: sign.value for sign in signs(Facts(kind))}, kind


def test_one_destination_of_three_is_slow(tmp_path):
    text = to_hosts(9.4e9, 9.2e9, 0.94e9)
    slow, kind = kind_to(tmp_path, text, "192.0.2.23")
    assert slow["destinations_faster"] == pytest.approx(9.2 / 0.94, rel=0.01)  # the lower median of both
    assert kind.source_host == "10.20.0.11"
    assert kind.is_outlier
    fast, other = kind_to(tmp_path, text, "192.0.2.21")
    assert fast["destinations_faster"] == pytest.approx(0.94 / 9.4, rel=0.01)
    assert not other.is_outlier


def test_destinations_asked_for_unlike_rates_are_not_compared(tmp_path):
    text = to_hosts(9.4e9) + to_hosts(1e9, 0.94e9, command="iperf3 -c {ip} -b 1G").replace("192.0.2.21", "192.0.2.22")
    assert "destinations_faster" not in kind_to(tmp_path, text, "192.0.2.22")[0]


def test_repeats_to_one_host_in_one_log_are_one_kind(tmp_path):
    text = iperf3(local="10.20.0.11", remote="192.0.2.21") * 3
    (kind,) = kinds(read_folder(folder(tmp_path, {"a.txt": text})))
    assert (len(kind.runs), kind.source_host, kind.destination_host) == (3, "10.20.0.11", "192.0.2.21")


def test_the_other_way_is_faster(tmp_path):
    both = iperf3([900e6] * 10) + iperf3([300e6] * 10, None, reverse=True, command="iperf3 -c 10.30.0.12 -R")
    slow = values(tmp_path, a_txt=both)
    assert slow["way_back_faster"] == pytest.approx(3, rel=0.01)
    assert not {"destinations_faster", "sources_faster"} & set(slow)


def test_what_one_destination_alone_has_is_not_of_the_sender(tmp_path):
    verdicts = diagnose(folder(tmp_path, {"speeds.log": to_hosts(9.4e9, 9.4e9, 0.94e9, 9.4e9)}))
    slow = next(one for one in verdicts if one.kind.destination_host == "192.0.2.23")
    found = {cause.kind: cause.probability for cause in slow.causes}
    assert found["cpu-sender"] + found["disk-read"] + found["tool"] < 0.05
    assert str(verdicts).startswith(slow.kind.condition)


def test_a_rate_that_falls_once_neither_scatters_nor_grows(tmp_path):
    found = values(tmp_path, a_txt=iperf3([*[900e6] * 4, *[300e6] * 6], None))
    assert found["fall"] == pytest.approx(3, rel=0.01)
    assert not {"scatter", "growth", "first_rate"} & set(found)


@pytest.mark.parametrize("rates", [[9e8, 3e8, 9e8, 3e8] * 3, [3e8] * 4 + [9e8] * 6, [9e8] * 5 + [7e8] * 5, [9e8, 3e8]])
def test_rates_that_do_not_fall_once(tmp_path, rates):
    assert "fall" not in values(tmp_path, a_txt=iperf3(rates, None))


FREE = "               total        used        free\nMem:           16Gi       3.1Gi        12Gi\n"


@pytest.mark.parametrize(
    ("rate", "options", "beside", "told"),
    [
        (11e9, "", {}, "from"),  # bytes a second: no disk
        (11e9, "iflag=direct", {}, "past"),
        (3e9, "", {}, "from"),  # the command shows that nothing went past it
        (3e9, "iflag=direct", {}, "past"),
        (300e6, "", {"free.txt": FREE}, None),
    ],
)
def test_what_a_test_of_a_disk_measured(tmp_path, rate, options, beside, told):
    files = {"read.txt": e.dd("/data/x", "/dev/null", 8 << 30, rate, options), **beside}
    found = {sign.name: sign.value for sign in signs(facts_of(tmp_path, files))}
    assert found.get("page_cache") == told
    assert not {"read_test", "write_test"} & set(found)  # it is the test itself


FIO = """\
r: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
fio-3.28
Starting 1 process

r: (groupid=0, jobs=1): err= 0: pid=4711: Tue Jan 16 10:20:11 2024
  read: IOPS=2861, BW=2861MiB/s (3000MB/s)(8192MiB/2863msec)
Run status group 0 (all jobs):
   READ: bw=2861MiB/s (3000MB/s), 2861MiB/s-2861MiB/s (3000MB/s-3000MB/s), io=8192MiB (8590MB), run=2863-2863msec
"""


@pytest.mark.parametrize(
    ("command", "memory", "told"),
    [("", "", None), ("", FREE, "from"), ("$ fio --name=r --rw=read --direct=1\n", FREE, "past")],
)
def test_a_file_of_fio_that_fits_into_memory(tmp_path, command, memory, told):
    found = facts_of(tmp_path, {"fio.txt": command + FIO, "free.txt": memory or "-\n"})
    assert {sign.name: sign.value for sign in signs(found)}.get("page_cache") == told


def test_a_rate_of_memory_is_said_and_no_gain_counts_from_it(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, {"read.txt": e.dd("/data/x", "/dev/null", 8 << 30, 11e9)}))
    assert "page cache" in verdict.finding
    assert "--direct=1" in verdict.changes[0].command
    assert verdict.changes[0].throughput_bps is None


RSYNC = """\
$ rsync -a --stats src/ backup@far.example:/tank/src/

Number of files: {files:,} (reg: {files:,})
Number of regular files transferred: {files:,}
Total file size: 800,000,000 bytes
Total bytes sent: 800,000,000
Total bytes received: 1,000

sent 800,000,000 bytes  received 1,000 bytes  2,000,002.50 bytes/sec
total size is 800,000,000  speedup is 1.00
"""


def test_many_small_files_over_a_distance(tmp_path):
    files = {"rsync.txt": RSYNC.format(files=40_000), "ping.txt": e.ping("far.example", 0.06, scatter=0)}
    (verdict,) = diagnose(folder(tmp_path, files))
    found = {sign.name: sign.value for sign in verdict.signs}
    assert found["file_mean"] == pytest.approx(800e6 / 40_000 / 1e3, rel=0.01)
    assert found["files_in_flight"] == pytest.approx(40_000 / 400 * 0.06, rel=0.01)  # in 400 s
    assert verdict.causes[0].kind == "latency-protocol"
    assert any("files per second times RTT: 6 " in line.says for line in verdict.causes[0].evidence)


def test_a_few_large_files_have_no_signs_of_many(tmp_path):
    files = {"rsync.txt": RSYNC.format(files=12), "ping.txt": e.ping("far.example", 0.06)}
    assert not {"file_mean", "files_in_flight"} & {sign.name for sign in signs(facts_of(tmp_path, files))}


def test_a_copy_of_104_bytes_has_no_expectation(tmp_path):
    scp = "$ scp id.pub db1:\nid.pub                         100%  104     1.2KB/s   00:00    \n"
    (verdict,) = diagnose(folder(tmp_path, {"a.txt": scp, "ethtool.txt": e.ethtool(1000)}))
    assert verdict.expected_bps is None
    assert {cause.kind for cause in verdict.causes[:2]} == {"start-up", "latency-protocol"}


def test_a_run_that_was_broken_off_because_nothing_came_is_silent(tmp_path):
    stalled = "$ nuttcp -i1 -T5 192.0.2.2\n    0.0000 MB /   1.00 sec =    0.0000 Mbps     0 retrans\n"
    assert values(tmp_path, a_txt=stalled)["silent"] == 1.0
    started = stalled + "    1.0000 MB /   1.00 sec =    8.3886 Mbps     0 retrans\n"
    assert "silent" not in values(tmp_path, a_txt=started)


def test_a_short_path_scatters_by_its_hosts(tmp_path):
    def ping(times):
        replies = "".join(f"64 bytes from 192.0.2.2: icmp_seq={i} ttl=64 time={t} ms\n" for i, t in enumerate(times))
        return f"PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n{replies}"

    assert "idle_scatter" not in values(tmp_path, a_txt=iperf3(), ping_txt=ping([0.1, 0.2, 0.1, 0.3, 0.2]))
    assert values(tmp_path, a_txt=iperf3(), ping_txt=ping([10, 20, 10, 30, 20]))["idle_scatter"] > 0.5


@pytest.mark.parametrize(("seconds", "share"), [(3.0, 0.58), (0.5, 3.5)])
def test_a_disk_at_usb_2_is_compared_with_the_bus(tmp_path, seconds, share):
    rate = f"{seconds:.2f} seconds = {104 / seconds:.2f} MB/sec"
    found = values(
        tmp_path,
        hdparm_txt=f"/dev/sdb:\n Timing buffered disk reads: 104 MB in  {rate}\n",
        lsusb_txt="    |__ Port 1: Dev 3, If 0, Class=Mass Storage, Driver=usb-storage, 480M\n",
    )
    assert found["usb2"] == pytest.approx(share, rel=0.06)


def test_a_rate_is_stated_where_losses_are_so_many_that_timeouts_count(tmp_path):
    facts = facts_of(tmp_path, {"a.txt": iperf3(), "notes.txt": "RTT 88 ms\n"})
    rates = [facts.tcp_at(loss) for loss in (0.05, 0.1, 0.2, 0.3)]
    assert all(one > other > 0 for one, other in pairwise(rates))
    assert facts.tcp_at(0.1) == pytest.approx(8 * 1448 / 0.0448, rel=0.01)  # 23 ms without and 22 ms of timeouts
    assert facts.tcp_at(0.5) is None


@pytest.mark.parametrize(
    ("cpu", "end"),
    [
        ((54.0, 98.7), "the receiver alone"),
        ((99.0, 61.0), "the sender alone"),
        ((97.0, 88.0), "both ends"),
        ((40, 45), None),
    ],
)
def test_the_end_at_which_the_tool_fills_a_core(tmp_path, cpu, end):
    assert values(tmp_path, a_json=e.iperf3_json(STEADY, cpu=cpu)).get("full_core") == end


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


def test_a_core_that_a_program_fills_does_not_count_for_a_test_between_memories(tmp_path):
    head = "10:11:13  CPU  %usr  %sys  %soft  %idle\n"
    cores = "10:11:14  0  95.00  4.00  1.00  0.00\n10:11:14  1  0.00  10.00  20.00  70.00\n"
    assert values(tmp_path, a_txt=iperf3(), mpstat_sender_txt=head + cores)["sender_busiest"] == pytest.approx(0.3)
    copy = "big.tar   100%   40GB  58.1MB/s   11:45    \n"
    (tmp_path / "a.txt").unlink()
    assert values(tmp_path, c_txt=copy)["sender_busiest"] == pytest.approx(1.0)


def test_losses_without_an_rtt_under_load_leave_open_whether_a_window_has_room(tmp_path):
    ping = e.ping("10.30.0.12", 0.01, scatter=0)
    assert "cwnd_room" in values(tmp_path, a_txt=iperf3(), ping_txt=ping)
    assert "cwnd_room" not in values(tmp_path, a_txt=iperf3(resent=[1] * 10), ping_txt=ping)


@pytest.mark.parametrize(
    ("words", "is_local"), [("The disk has NTFS, by ntfs-3g.", True), ("The LUN is iSCSI.", False)]
)
def test_a_disk_behind_a_service_is_not_of_this_host_alone(tmp_path, words, is_local):
    disk = e.dd("/dev/zero", "/data/x", 8 << 30, 187e6, "oflag=direct")
    assert ("is_local" in values(tmp_path, d_txt=disk, notes_txt=f"{words}\n")) == is_local


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
