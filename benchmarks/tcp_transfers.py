"""TCP transfers round by round: 1,000 of 60 s at 10 Gb/s and 80 ms, against two seconds of a core and against ns-3.

ns-3 (package `ns3`) simulates packet by packet and is not installed with this project: ``NS3_PYTHON`` in the
environment is a Python that has it; without it, that pair is left out, and said so. It would need far too long for
such a transfer, so it is given one at 100 Mb/s, a hundredth of the packets. Both must agree on that one, or nothing is
timed.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.harness import Pair, leave_out, seconds
from hecn_analysis.limits.tcp_rounds import simulate

TRANSFERS = 1_000
RATE_BPS, RTT_S, DURATION_S, LOSS = 10e9, 0.08, 60.0, 1e-6
PEER_RATE_BPS = RATE_BPS / 100
AGREE = 0.05


def ours() -> None:
    """Simulate all transfers."""
    simulate(rate_bps=RATE_BPS, rtt_s=RTT_S, loss=np.full(TRANSFERS, LOSS), duration_s=DURATION_S)


class Ns3:
    """A process with ns-3 loaded, which simulates one transfer at a time."""

    def __init__(self, python: str) -> None:
        script = Path(__file__).with_name("ns3_transfer.py")
        self.process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        if self._answer() != "ready":
            raise RuntimeError(f"NS3_PYTHON: {python} cannot load the package ns3")

    def transfer(self) -> float:
        """Give the throughput of one transfer without losses [bit/s]."""
        print(PEER_RATE_BPS, RTT_S, DURATION_S, 0.0, file=self.process.stdin, flush=True)
        return float(self._answer())

    def _answer(self) -> str:
        line: str = self.process.stdout.readline()  # type: ignore[union-attr] # it is a pipe
        return line.strip()


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark while ns-3 is there."""
    found = [Pair("1,000 x TCP of 60 s", "two seconds", ours, 2.0, target=1.0)]
    python = os.environ.get("NS3_PYTHON")
    if python is None:
        leave_out("ns-3 is left out: NS3_PYTHON does not name a Python with the package ns3")
        yield found
        return
    peer = Ns3(python)
    try:
        expected = float(simulate(rate_bps=PEER_RATE_BPS, rtt_s=RTT_S, duration_s=DURATION_S).throughput_bps)
        if abs(peer.transfer() / expected - 1) > AGREE:
            raise RuntimeError(f"ns-3: found {peer.transfer():.4g} bit/s, expected {expected:.4g} within {AGREE:.0%}")
        name, other = "1,000 x TCP at 10 Gb/s", "1 x ns-3 at 100 Mb/s"
        yield [*found, Pair(name, other, ours, peer.transfer, target=1.0, take=seconds)]  # the peer works elsewhere
    finally:
        peer.process.terminate()
        peer.process.wait()
