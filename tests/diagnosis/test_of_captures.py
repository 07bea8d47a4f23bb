"""A packet capture alone is a transfer with a rate, its ends, and a cause."""

from hecn_analysis.diagnosis.verdict import diagnose
from tests.captures.conversation import Conversation, pcap
from tests.diagnosis import everyday as e


def _capture(place, rounds):
    conversation = Conversation()
    conversation.window_limited(rounds)
    place.write_bytes(pcap(conversation.in_order()))
    return conversation


def test_the_rate_of_a_capture_is_that_of_its_transfer(tmp_path):
    _capture(tmp_path / "slow.pcap", 400)
    (verdict,) = diagnose(tmp_path)
    (row,) = verdict.kind.runs.to_dict("records")
    assert row["bytes"] > 1_000_000
    assert verdict.measured_bps == 8 * row["bytes"] / row["duration_s"]
    assert (verdict.kind.source_host, verdict.kind.destination_host) == ("10.0.0.1", "10.0.0.2")
    assert verdict.causes[0].kind in {"window-tool", "window-host"}
    told = [one.says for one in verdict.causes[0].evidence]
    assert "the receiver's window was full" in told[0]
    assert len(told) == len(set(told)) > 1
    assert verdict.changes[0].throughput_bps > verdict.measured_bps


def test_a_capture_beside_a_run_is_evidence_and_no_run(tmp_path):
    _capture(tmp_path / "slow.pcap", 400)
    (tmp_path / "iperf3.txt").write_text(e.iperf3([90e6] * 10, command="iperf3 -c 10.0.0.2", remote="10.0.0.2"))
    (verdict,) = diagnose(tmp_path)
    assert verdict.kind.tool == "iperf3"


def test_a_few_packets_are_no_transfer(tmp_path):
    _capture(tmp_path / "short.pcap", 2)
    (verdict,) = diagnose(tmp_path)
    assert verdict.measured_bps is None
