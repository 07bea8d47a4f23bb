"""Commands that raise the limits of windows, for the operating system of each end."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: What each end sets so that its kernel tunes its buffer up to {window} bytes. Linux: ip-sysctl; BSD: tcp(4); Windows:
#: netsh interface tcp.
_TUNED: Final = MappingProxyType(
    {
        "Linux": {
            "sender": "sysctl -w net.ipv4.tcp_wmem='4096 65536 {window}' net.core.wmem_max={window}",
            "receiver": "sysctl -w net.ipv4.tcp_rmem='4096 131072 {window}' net.core.rmem_max={window}",
        },
        "FreeBSD": {
            "sender": "sysctl kern.ipc.maxsockbuf={twice} net.inet.tcp.sendbuf_max={window}",
            "receiver": "sysctl kern.ipc.maxsockbuf={twice} net.inet.tcp.recvbuf_max={window}",
        },
        "macOS": {
            "sender": "sysctl -w kern.ipc.maxsockbuf={twice} net.inet.tcp.autosndbufmax={window}",
            "receiver": "sysctl -w kern.ipc.maxsockbuf={twice} net.inet.tcp.autorcvbufmax={window}",
        },
        "Windows": {
            "sender": "a larger send buffer of the program (iperf3 -w)",
            "receiver": "netsh interface tcp set global autotuninglevel={level}",
        },
    }
)

#: What a program that asks for {window} bytes itself needs.
_ALLOWED: Final = MappingProxyType(
    {
        "Linux": "sysctl -w net.core.rmem_max={window} net.core.wmem_max={window}",
        "FreeBSD": "sysctl kern.ipc.maxsockbuf={twice}",
        "macOS": "sysctl -w kern.ipc.maxsockbuf={twice}",
    }
)

#: Window up to which Windows tunes by itself at "normal"; at "experimental" it is 1 GiB. [B]
_NORMAL: Final = 16 << 20

_ENDS: Final = ("sender", "receiver")


def tuned(systems: Mapping[str, str], hosts: Mapping[str, str], window: int) -> str:
    """Commands after which both ends tune their buffers up to a window [B]; an unknown system counts as Linux."""
    own = {end: systems.get(end, "Linux") for end in _ENDS}
    if set(own.values()) == {"Linux"}:
        both = "sysctl -w net.ipv4.tcp_rmem='4096 131072 {window}' net.ipv4.tcp_wmem='4096 65536 {window}'"
        most = "net.core.rmem_max={window} net.core.wmem_max={window}; keep it in /etc/sysctl.d/"
        command = f"on both hosts: {both} {most}"
    else:
        command = "; ".join(f"on {hosts[end]} ({system}): {_TUNED[system][end]}" for end, system in own.items())
    return _filled(command, window)


def allowed(systems: Mapping[str, str], hosts: Mapping[str, str], window: int) -> str:
    """Commands after which a program gets a window that it asks for [B]; empty where no system bounds it."""
    own = {end: systems.get(end, "Linux") for end in _ENDS}
    if set(own.values()) == {"Linux"}:
        return _filled(f", after {_ALLOWED['Linux']} on both hosts", window)
    needed = [f"{_ALLOWED[system]} on {hosts[end]} ({system})" for end, system in own.items() if system in _ALLOWED]
    return _filled(f", after {' and '.join(needed)}" if needed else "", window)


def _filled(command: str, window: int) -> str:
    level = "normal" if window <= _NORMAL else "experimental"
    return command.format(window=window, twice=2 * window, level=level)
