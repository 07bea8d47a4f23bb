"""Closed forms over a million scenarios: against one second of a core, and PCI Express against a scalar model.

The peer is pcie-bench's model (https://github.com/pcie-bench/pcie-model), which works out one scenario at a time. It is
not shipped: ``PCIE_MODEL`` in the environment is the folder of a checkout; without it, that pair is left out, and said
so. Both give the same rates, or nothing is timed. Ours works out 100 times as many scenarios in a round: a ratio of 1
is 100 times as fast.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Pair, leave_out
from hecn_analysis.limits import framing, infiniband_link, optical_carrier, pci_express, pci_x, switch_buffer, tcp_loss

SCENARIOS = 999_999  # a third for each thing that a device does
PEER_SCENARIOS = SCENARIOS // 100
BATCH = 65_536  # scenarios whose arrays fit the caches
SIZES = np.array([128, 256, 512, 1024, 2048, 4096])
FUNCTIONS = {"write": ("write", "tx_eff"), "read": ("read", "rx_eff"), "both": ("read_write", "tx_eff")}

Array = npt.NDArray[np.float64]


Scenarios = dict[str, dict[str, Array]]


def scenarios(count: int) -> Scenarios:
    """Give random links and transfers for each operation, the same each time, where both models are the same.

    That is in generations 3 to 5, with requests of at least MaxPayload: the peer cuts completions at MaxPayload only.
    """
    random = np.random.default_rng(0)
    pick = lambda choices: random.choice(choices, count // 3).astype(np.float64)
    found: Scenarios = {}
    for op in FUNCTIONS:
        max_payload = pick(SIZES)
        found[op] = {
            "gen": pick([3, 4, 5]),
            "lanes": pick([1, 2, 4, 8, 16]),
            "max_payload": max_payload,
            "max_read_request": np.maximum(max_payload, pick(SIZES)),
            "transfer": random.integers(1, 4097, count // 3).astype(np.float64),
        }
    return found


def ours(many: Scenarios) -> Array:
    """Give the rate of each in Gb/s, in batches."""
    parts = []
    for op, values in many.items():
        for start in range(0, len(values["gen"]), BATCH):
            some = {name: part[start : start + BATCH] for name, part in values.items()}
            parts.append(np.asarray(pci_express.throughput_bps(op=op, **some)) / 1e9)
    return np.concatenate(parts)


def scalar(model: ModuleType, functions: ModuleType, many: Scenarios) -> Array:
    """Give the same by the peer, one after the other."""
    rates = []
    for op, values in many.items():
        function, figure = FUNCTIONS[op]
        rows = zip(*(part.astype(int).tolist() for part in values.values()), strict=True)
        for gen, lanes, max_payload, max_read_request, transfer in rows:
            link = model.Cfg(f"gen{gen}", f"x{lanes}", 64, 0, max_payload, max_read_request, 64)
            rate = model.BW_Spec(link.TLP_bw, link.TLP_bw, model.BW_Spec.BW_RAW)
            rates.append(getattr(getattr(functions, function)(link, rate, transfer), figure))
    return np.array(rates)


def assert_same_rates(mine: Array, peer: Array) -> None:
    """Refuse to time two models that do not agree."""
    np.testing.assert_allclose(mine, peer, rtol=1e-12)


def forms() -> dict[str, Callable[[], object]]:
    """Give a job for each closed form, over as many scenarios."""
    random = np.random.default_rng(1)
    rate, rtt = random.uniform(1e8, 4e11, SCENARIOS), random.uniform(1e-4, 0.6, SCENARIOS)
    mtu = random.integers(1500, 9001, SCENARIOS).astype(np.float64)
    size, loss = random.uniform(1e4, 1e8, SCENARIOS), random.uniform(1e-8, 1e-2, SCENARIOS)
    lanes = random.choice([1.0, 2.0, 4.0, 8.0, 12.0], SCENARIOS)
    return {
        "Ethernet": lambda: framing.goodput_bps(rate, mtu),
        "ATM": lambda: optical_carrier.atm_ip_bps("oc12c", mtu),
        "InfiniBand": lambda: infiniband_link.goodput_bps("hdr", lanes, 4096.0, message=np.ceil(size)),
        "PCI-X": lambda: pci_x.throughput_bps(400e6 / 3, 64, random.integers(1, 4097, SCENARIOS) * 1.0),
        "switch buffers": lambda: switch_buffer.needed_bytes(rate, 1e9, size),
        "CUBIC's window": lambda: tcp_loss.cubic_window(loss, rtt),
        "PFTK": lambda: tcp_loss.pftk_bps(1448.0, rtt, loss),
    }


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark."""
    many, few = scenarios(SCENARIOS), scenarios(PEER_SCENARIOS)
    found = [Pair("10^6 x PCI Express", "one second", lambda: ours(many), 1.0, target=1.0)]
    found += [Pair(f"10^6 x {name}", "one second", job, 1.0, target=1.0) for name, job in forms().items()]
    folder = os.environ.get("PCIE_MODEL")
    if folder is None or not (Path(folder) / "model" / "pcie.py").is_file():
        leave_out("pcie-model is left out: PCIE_MODEL does not name a checkout of it")
        yield found
        return
    sys.path.insert(0, folder)
    try:
        model, functions = importlib.import_module("model.pcie"), importlib.import_module("model.mem_bw")
        assert_same_rates(ours(few), scalar(model, functions, few))
        job = lambda: scalar(model, functions, few)
        yield [*found, Pair("10^6 x PCI Express", "10^4 x pcie-model", lambda: ours(many), job, target=1.0)]
    finally:
        sys.path.remove(folder)
