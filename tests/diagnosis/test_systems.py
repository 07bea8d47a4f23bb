"""Commands that raise windows are those of the system of each end."""

import pytest

from hecn_analysis.diagnosis import systems
from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

HOSTS = {"sender": "a", "receiver": "b"}


@pytest.mark.parametrize(
    ("of", "window", "command"),
    [
        (
            {},
            1 << 26,
            (
                "on both hosts: sysctl -w net.ipv4.tcp_rmem='4096 131072 67108864' "
                "net.ipv4.tcp_wmem='4096 65536 67108864' net.core.rmem_max=67108864 "
                "net.core.wmem_max=67108864; keep it in /etc/sysctl.d/"
            ),
        ),
        (
            {"sender": "FreeBSD", "receiver": "Windows"},
            1 << 26,
            (
                "on a (FreeBSD): sysctl kern.ipc.maxsockbuf=134217728 net.inet.tcp.sendbuf_max=67108864; "
                "on b (Windows): netsh interface tcp set global autotuninglevel=experimental"
            ),
        ),
        (
            {"receiver": "macOS"},
            1 << 23,
            (
                "on a (Linux): sysctl -w net.ipv4.tcp_wmem='4096 65536 8388608' net.core.wmem_max=8388608; "
                "on b (macOS): sysctl -w kern.ipc.maxsockbuf=16777216 net.inet.tcp.autorcvbufmax=8388608"
            ),
        ),
    ],
)
def test_windows_that_kernels_tune(of, window, command):
    assert systems.tuned(of, HOSTS, window) == command


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ({}, ", after sysctl -w net.core.rmem_max=4194304 net.core.wmem_max=4194304 on both hosts"),
        ({"sender": "FreeBSD", "receiver": "Windows"}, ", after sysctl kern.ipc.maxsockbuf=8388608 on a (FreeBSD)"),
        ({"sender": "Windows", "receiver": "Windows"}, ""),
    ],
)
def test_windows_that_programs_ask_for(of, said):
    assert systems.allowed(of, HOSTS, 1 << 22) == said


def test_the_system_of_the_end_that_wrote_the_log(tmp_path):
    text = e.iperf3([17e6] * 10, [64 * 1024.0] * 10, command="iperf3.exe -c 10.5.0.2 -w 64K", remote="10.5.0.2")
    (tmp_path / "run.txt").write_text("C:\\tools>" + text, encoding="utf-8")
    (tmp_path / "ping.txt").write_text(e.ping("10.5.0.2", 0.03), encoding="utf-8")
    (verdict,) = diagnose(tmp_path)
    assert verdict.causes[0].kind == "window-tool"
    asked = next(change for change in verdict.changes if change.settings.get("tool.window"))
    assert asked.command.endswith("on 10.5.0.2 (Linux)")
