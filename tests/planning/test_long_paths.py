"""Long paths: limits over the round trip, what runs had in flight, and what faster links need."""

import numpy as np
import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis import limits
from hecn_analysis.base.places import data_dir
from hecn_analysis.limits import tcp_window
from hecn_analysis.planning.studies.long_paths import (
    FLIGHTS,
    SENT_TOGETHER,
    far_cases,
    flights,
    limit_lines,
    windows_needed,
)
from hecn_analysis.prediction import predict

PATH = {"sender": "b", "receiver": "b", "path": "netem-80ms-10ge", "tool": "nuttcp", "tool.duration": "1 h"}


def line(lines, name):
    return lines[lines["line"] == name].set_index("x")["throughput_bps"]


def test_lines_are_line_rate_window_and_loss_each_alone():
    rtts = [0.001, 0.08, 0.5]
    lines = limit_lines({**PATH, "path.loss": 1e-6}, rtts)
    assert set(lines["line"]) == {"link", "window", "loss"}
    assert list(line(lines, "link")) == pytest.approx([float(limits.ethernet(rate=10e9, mtu=9000)["goodput_bps"])] * 3)
    window = line(lines, "window")
    assert window[0.5] * 0.5 == pytest.approx(window[0.001] * 0.001)
    assert line(lines, "loss")[0.08] == limits.tcp(0.08, loss=1e-6, mtu=9000)["loss_limit_bps"]


def test_without_losses_or_a_rate_there_are_no_lines_of_theirs():
    assert set(limit_lines(PATH, [0.1])["line"]) == {"link", "window"}
    nowhere = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.mtu": 9000}
    assert set(limit_lines(nowhere, [0.1])["line"]) == {"window"}


def test_streams_multiply_windows_and_losses_but_not_the_link():
    one, four = (limit_lines({**PATH, "path.loss": 1e-6, "tool.streams": n}, [0.08]) for n in (1, 4))
    ratio = four.set_index("line")["throughput_bps"] / one.set_index("line")["throughput_bps"]
    assert dict(ratio) == pytest.approx({"link": 1, "window": 4, "loss": 4})


def test_a_long_test_comes_close_to_the_least_line_and_never_above():
    for rtt in (0.02, 0.08, 0.2):
        least = limit_lines(PATH, [rtt])["throughput_bps"].min()
        assert 0.95 * least < predict({**PATH, "path.rtt": rtt}).throughput_bps < 1.001 * least


def test_lines_of_a_path_with_proxies_are_those_without():
    far = {"sender": "ideal", "receiver": "mac-osx-beta", "tool": "nttcp"}
    with_, without = (limit_lines({**far, "path": name}, [1.127]) for name in ("tpd-2geo-pep", "tpd-2geo"))
    pd.testing.assert_frame_equal(with_, without)


def test_flight_of_the_documents_runs_is_their_window():
    """Autotuned 70 MB; 100 MB asked for are more than the path holds."""
    found = flights(hecn.read(data_dir() / "logs" / "b-systems-netem.txt").runs)
    assert list((found["flight_bytes"] / 1e6).round(1)) == [60.6, 70.4, 94.6]
    assert list(found["line_first"]) == [9, 13, 15]
    assert np.isinf(found["loss_limit_bps"]).all()


def test_flight_of_a_run_with_losses_has_their_limit():
    run = pd.DataFrame(
        {"throughput_bps": [5.56e9], "rtt_s": [0.08], "duration_s": [30.0], "bytes": [None], "retransmits": [4]}
    )
    (found,) = flights(run).to_dict("records")
    assert found["packets"] == pytest.approx(5.56e9 * 30 / 8 / 8948, rel=1e-6)
    assert found["sent_again_fraction"] == pytest.approx(4 / found["packets"])
    assert found["loss_limit_bps"] == pytest.approx(
        limits.tcp(0.08, loss=found["sent_again_fraction"], loss_burst=SENT_TOGETHER, mtu=9000)["loss_limit_bps"]
    )


def test_runs_that_say_too_little_are_left_out():
    runs = pd.DataFrame(
        {
            "throughput_bps": [1e9, None, 1e9, 1e9, 1e9],
            "rtt_s": [0.08, 0.08, None, 1e-4, 0.08],
            "duration_s": 10.0,
            "protocol": ["tcp", "tcp", "tcp", "tcp", "udp"],
        }
    )
    found = flights(runs, least_rtt_s=1e-3)
    assert len(found) == 1
    assert np.isnan(found["loss_limit_bps"][0])  # nothing is said about retransmissions: not taken for none
    assert list(flights(runs.iloc[:0]).columns) == list(FLIGHTS)


def test_windows_fill_the_path_and_the_sysctl_gives_them():
    needs = windows_needed([10e9, 100e9, 400e9], [0.04, 0.0806])
    full = limits.ethernet(rate=needs["rate_bps"].to_numpy(), mtu=9000)["goodput_bps"]
    assert list(needs["window_bytes"] * 8 / needs["rtt_s"]) == pytest.approx(list(full))
    assert list(needs["streams"]) == [1, 1, 2, 1, 1, 4]
    window = tcp_window.autotuned_window(
        tcp_rmem_max=needs["tcp_rmem_bytes"].to_numpy(), tcp_wmem_max=np.inf, mss_bytes=8948
    )
    assert list(window * needs["streams"]) == pytest.approx(list(needs["window_bytes"]))


def test_far_cases_are_those_of_long_paths():
    (netem, disk) = far_cases(["b-netem", "b-disk-to-disk", "b-bonding"], least_rtt_s=0.01, without=["b-lro-autotuned"])
    assert len(netem.cases) == 5
    assert "b-raid50-lan" not in disk.cases
    assert "b-raid50-gsfc-arc" in disk.cases
    assert list(disk.cases) == list(disk.scenarios)
