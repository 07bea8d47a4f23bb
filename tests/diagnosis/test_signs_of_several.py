"""Values of signs that several runs or destinations show together."""

import pytest

from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds
from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e
from tests.diagnosis.observed import folder, iperf3, values


def test_repeated_runs_have_a_spread(tmp_path):
    texts = "".join(e.nuttcp(rate, command="nuttcp -T10 h") for rate in (1e8, 2e8, 3e8))
    assert values(tmp_path, a_txt=texts)["spread"] == pytest.approx(3)


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
