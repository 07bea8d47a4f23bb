"""Lines of a folder that cannot all be true are named, with the value that counts."""

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

RUN = e.iperf3([9.1e9] * 10, [3.0 * e.MIB] * 10, command="iperf3 -c 10.30.0.12")


def contradictions(place, **files):
    for name, content in files.items():
        (place / name.replace("_txt", ".txt").replace("_", "-")).write_text(content)
    return diagnose(place).contradictions


def test_two_speeds_of_one_port(tmp_path):
    found = contradictions(tmp_path, run_txt=RUN, a_txt=e.ethtool(10000), b_txt=e.ethtool(1000))
    assert len(found) == 1
    assert found[0].startswith("different speeds of eth0: 10.0 Gb/s (a.txt:13), 1.00 Gb/s (b.txt:13);")
    assert found[0].endswith(" the slowest that the runs can have passed counts")


def test_two_rates_of_the_circuit_and_two_limits_of_an_end(tmp_path):
    found = contradictions(
        tmp_path,
        run_txt=RUN,
        notes_txt="circuit: 10 Gb/s\n",
        order_txt="circuit: 20 Gb/s\n",
        sysctl_sender_txt=e.sysctl(4 << 20, 4 << 20),
        sysctl_sender_later_txt=e.sysctl(8 << 20, 4 << 20),
    )
    assert [one.partition(":")[0] for one in found] == [
        "different rates of the circuit",
        "different largest receive buffers (tcp_rmem) at the sender",
    ]


def test_two_ports_two_ends_and_the_same_twice_are_none(tmp_path):
    assert not contradictions(
        tmp_path,
        run_txt=RUN,
        a_txt=e.ethtool(10000),
        a_again_txt=e.ethtool(10000),
        b_txt=e.ethtool(1000, device="eth1"),
        sysctl_sender_txt=e.sysctl(4 << 20, 4 << 20),
        sysctl_receiver_txt=e.sysctl(8 << 20, 4 << 20),
    )


def test_a_circuit_that_runs_exceed_is_not_theirs(tmp_path):
    found = contradictions(
        tmp_path, run_txt=RUN, ethtool_txt=e.ethtool(10000), todo_txt="- call the provider about 100 Mb/s\n"
    )
    assert found == ("a circuit of 100 Mb/s (todo.txt:1), and runs of 9.10 Gb/s: the circuit does not count for them",)
    (verdict,) = diagnose(tmp_path)
    assert verdict.verdict != "above"
    assert verdict.expected_high_bps > verdict.measured_bps


def test_the_ping_of_the_gateway_is_not_the_distance(tmp_path):
    near, far = e.ping("192.168.1.1", 0.0004), e.ping("10.30.0.12", 0.08)
    contradictions(tmp_path, run_txt=RUN, ping_far_txt=far, ping_gw_txt=near)
    (verdict,) = diagnose(tmp_path)
    assert [one.value for one in verdict.kind.say("path.rtt_idle_s")] == [0.08]
    (tmp_path / "ping-far.txt").unlink()
    (verdict,) = diagnose(tmp_path)  # all that is known of the path
    assert [one.value for one in verdict.kind.say("path.rtt_idle_s")] == [0.0004]


def test_a_ping_by_name_is_that_of_the_address(tmp_path):
    run = e.iperf3([9.1e9] * 10, [3.0 * e.MIB] * 10, command="iperf3 -c dtn02.campus.example")
    far = e.ping("dtn02", 0.08).replace("from dtn02:", "from dtn02.campus.example (10.30.0.12):")
    contradictions(tmp_path, run_txt=run, ping_far_txt=far, ping_gw_txt=e.ping("gw", 0.0004))
    (verdict,) = diagnose(tmp_path)
    assert [one.value for one in verdict.kind.say("path.rtt_idle_s")] == [0.08]
