"""Advice: what the documents' engineers did is found, by prediction of both sides, and nothing that gains nothing."""

import json

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.planning.change.advise import WORTH, advise
from hecn_analysis.planning.change.settings import possible

FAR = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "iperf3",
    "path.rate": "10 Gb/s",
    "path.rtt": "20 ms",
    "path.mtu": 9000,
    "tool.duration": "30 s",
}


def names(advices):
    return [advice.name for advice in advices]


def test_longer_bursts_of_pci_x_come_first_as_in_2004():
    found = advise({"sender": "xeon-pcix", "receiver": "xeon-pcix", "path": "back-to-back-10ge", "tool": "nuttcp"})
    best = found.single[0]
    assert best.name == "sender-mmrbc"
    assert best.outcome.throughput_bps == pytest.approx(5.0e9, rel=0.06)  # bullets of 2004: 3.2 to 5.0 Gb/s
    assert "setpci" in best.changes[0].how


def test_max_payload_comes_first_for_the_six_port_card():
    found = advise("hotlava-transmit", purchases=False)
    assert names(found.single) == ["sender-max-payload"]
    assert found.single[0].gain == pytest.approx(0.128, abs=0.005)


def test_proxies_come_first_over_two_satellites_as_in_1999():
    found = advise({"sender": "ideal", "receiver": "ideal", "path": "tpd-2geo", "tool": "nttcp"}, purchases=False)
    assert found.single[0].name == "pep"


def test_a_small_window_is_to_be_larger_or_the_kernels():
    found = advise({**FAR, "tool.window": "1 MiB"}, purchases=False)
    assert {"window", "autotuned-window"} <= set(names(found.single))
    assert found.single[0].outcome.throughput_bps == pytest.approx(9.8e9, rel=0.02)
    (windows,) = [
        change
        for change in possible(hecn.load_scenario({**FAR, "receiver.tcp_rmem_max": "4 MiB"}))
        if change.name == "kernel-windows"
    ]
    assert windows.settings == {"receiver.tcp_rmem_max": 64 * 2**20}  # twice 25 MB, to the next power of two
    assert "net.ipv4.tcp_rmem" in windows.how


def test_one_core_for_each_stream_where_one_core_is_full():
    keys = {"sender": "b", "receiver": "b", "path": "back-to-back-4x10ge", "tool": "nuttcp", "tool.bonding": False}
    found = advise({**keys, "tool.streams": 4, "sender.cpu.send_cost": 2.0}, purchases=False)
    assert found.now.bottleneck_class == "cpu"
    assert any(name.startswith("processes-") for name in names(found.single)[:2])


def test_every_advice_gains_what_predicting_both_sides_says():
    copy = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttscp", "receiver.cpu.write_cost": 4}
    found = advise(copy, purchases=False)
    assert found.single
    for advice in (*found.single, *found.together):
        then = hecn.predict(copy, advice.settings)
        assert advice.gain == pytest.approx(then.throughput_bps / found.now.throughput_bps - 1)
        assert advice.gain > WORTH
        assert advice.gain_low <= advice.gain <= advice.gain_high
    free = [advice.gain for advice in found.single]
    assert free == sorted(free, reverse=True)


@pytest.mark.slow
def test_a_combination_is_worth_more_than_its_parts():
    found = advise({**FAR, "tool.window": "1 MiB", "path.mtu": 1500}, purchases=False)
    gains = {advice.name: advice.gain for advice in found.single}
    assert found.together
    for advice in found.together:
        assert all(advice.gain > gains.get(change.name, 0) + WORTH for change in advice.changes)
        assert 2 <= len(advice.changes) <= 3


def test_what_costs_money_comes_after_what_is_free_and_says_its_price():
    found = advise({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttscp"})
    free = [advice.is_free for advice in found.single]
    assert free == sorted(free, reverse=True)
    changes = {change.name: change for change in possible(hecn.load_scenario({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttscp"}))}  # fmt: skip  # noqa: E501
    assert changes["receiver-raid50-disks"].settings == {"receiver.arrays.raid50.disks": 32, "receiver.arrays.raid50.groups": 4}  # fmt: skip  # noqa: E501
    assert changes["receiver-raid50-disks"].price_usd is None or changes["receiver-raid50-disks"].price_usd > 0


@pytest.mark.slow
def test_rows_say_gain_and_price_and_that_a_price_is_assumed():
    found = advise({"sender": "c", "receiver": "c", "path": "lan-2x10ge", "tool": "nuttscp"})
    rows = found.to_rows()
    assert len(rows) == len(found.single) + len(found.together)
    assert rows["price_words"].isin({"free", "not known"}).sum() < len(rows)
    bought = [advice for advice in (*found.single, *found.together) if advice.price_usd]
    assert all(("assumed" in advice.price_in_words) == (advice.price_basis == "assumed") for advice in bought)
    assert any(advice.price_basis == "assumed" for advice in bought)
    assert list(found.to_steps()["title"]) == [advice.title for advice in found.single]


def test_mended_losses_are_among_the_changes_and_more_of_the_same_is_not():
    found = advise({**FAR, "path.loss": 1e-5, "tool.duration": "10 s"}, purchases=False)
    assert "fix-losses" in names(found.single)
    more = [advice.settings["tool.streams"] for advice in found.single if advice.name.startswith("streams-")]
    gains = [advice.gain for advice in found.single if advice.name.startswith("streams-")]
    assert sorted(gains, key=lambda gain: -gain) == gains
    assert len(set(more)) == len(more)


def test_every_change_says_how_to_do_and_check_it_what_may_go_wrong_and_where_it_is_known_from():
    for name in ("hotlava-transmit", "b-disk-to-disk-wan", "c-two-copies"):
        for change in possible(hecn.load_scenario(name)):
            assert all((change.how, change.check, change.risk, change.source, change.settings)), change.name


def test_nothing_is_advised_where_nothing_helps():
    found = advise({**FAR, "path.rtt": "0 ms"}, purchases=False)
    assert found.single == ()
    assert "None of the known changes" in str(found)


@pytest.mark.slow
def test_what_was_found_wrong_with_a_captured_host_is_among_the_changes(capsys):
    folder = data_dir() / "inventory" / "virtual-machine"
    if not folder.is_dir():
        pytest.skip("the captures are not there")
    assert main(["advise", str(folder), "--path", "netem-80ms-10ge", "--free", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["now"]["bottleneck_class"] == "window"
    best = found["single"][0]
    assert best["name"] == "sender-fix-tcp-windows" or "tcp_wmem" in best["title"]
    assert best["throughput_bps"] > 5 * found["now"]["throughput_bps"]
    assert "sysctl" in best["changes"][0]["how"]
    assert main(["advise", str(folder), "--free"]) == 0  # a path without distance


MANY = {
    "sender": "ideal",
    "receiver.cpu.part": "intel-xeon-gold-6430",
    "tool": "iperf3",
    "tool.processes": 31,
    "path.rate": "400 Gb/s",
    "path.rtt": "1 ms",
    "path.mtu": 1500,
}


@pytest.mark.slow
def test_a_single_receive_queue_is_mended_before_anything_else():
    found = advise({**MANY, "receiver.receive_queues": 1}, purchases=False)
    best = found.single[0]
    assert best.name == "receiver-queues"
    assert best.gain > 4
    assert "ethtool -L" in best.changes[0].how


def test_packets_that_nothing_merges_are_to_be_merged():
    found = advise({**MANY, "receiver.gro": False, "tool.processes": 1}, purchases=False)
    assert "receiver-gro" in names(found.single)


def test_a_copy_to_each_array_is_found_for_the_c_systems():
    one = {"tool.processes": 1, "sender.files_on": ["raid50-1"], "receiver.files_on": ["raid50-1"]}
    found = advise(hecn.load_scenario("c-two-copies").with_(one), purchases=False)
    best = found.single[0]
    assert best.name == "array-each"
    assert best.settings["tool.processes"] == len(best.settings["receiver.files_on"]) >= 2
    assert best.gain > 0.5  # the documents: 17.8 Gb/s of two copies


def test_arrays_of_the_same_disks_are_no_places_for_two_copies():
    assert "array-each" not in {change.name for change in possible(hecn.load_scenario("b-disk-to-disk-wan"))}


def test_processes_and_interrupts_come_to_the_socket_of_the_card():
    host = {"receiver": "dtn-200g-2024", "sender": "dtn-200g-2024", "path": "lan-100ge", "tool": "iperf3"}
    changes = {change.name: change for change in possible(hecn.load_scenario(host))}
    for role in ("sender", "receiver"):
        settings = changes[f"{role}-socket-of-card"].settings
        cpu = getattr(hecn.load_scenario(host), role).cpu
        cores = [*settings[f"{role}.nic_cores"], *settings[f"{role}.app_cores"]]
        assert len({cpu.socket_of(core) for core in cores}) == 1
        assert len(set(cores)) == len(cores) == cpu.cores // cpu.sockets


@pytest.mark.slow
def test_a_change_that_gains_nothing_alone_is_found_with_another():
    scenario = {**FAR, "tool.window": "1 MiB", "receiver.lro": True, "path.loss": 1e-5}
    found = advise(scenario, purchases=False)
    alone = {change.name for advice in found.single for change in advice.changes}
    assert any({change.name for change in advice.changes} - alone for advice in found.together)
