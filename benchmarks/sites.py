"""A campus of 1,000 hosts: 10,000 transfers that come and go, against 12 s of a core, and against SimGrid.

SimGrid (package `simgrid`) is not installed with this project: ``SIMGRID_PYTHON`` in the environment is a Python that
has it; without it, that pair is left out, and said so. Its case has no round-trip times, as its rules for them are
others. Both must agree on the rate of every transfer, or nothing is timed.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Pair, leave_out, seconds
from hecn_analysis.hardware import load_site
from hecn_analysis.sites.flows import flows_of
from hecn_analysis.sites.prediction import predict_site

TRANSFERS, HOSTS, RACKS = 10_000, 1_000, 50
#: 100,000 events, two for each transfer, are to take a minute.
BUDGET_S = 60.0 * 2 * TRANSFERS / 100_000
AGREE = 0.05

ACCESS_BPS, UPLINK_BPS = 10e9, 40e9
MEAN_BYTES, LOAD = 10e9, 0.9


def campus(transfers: int, *, rtt: bool = True, seed: int = 1) -> dict[str, Any]:
    """Racks of hosts around a core, and transfers between hosts of unlike racks that load the uplinks to `LOAD`."""
    random = np.random.default_rng(seed)
    links: dict[str, Any] = {}
    for rack in range(RACKS):
        far = "20 ms" if rack % 2 else "0.1 ms"
        links[f"access{rack}-"] = {
            "ends": [f"rack{rack}-", f"top{rack}"],
            "rate": ACCESS_BPS,
            "rtt": "0.05 ms" if rtt else 0,
        }
        links[f"uplink{rack}"] = {"ends": [f"top{rack}", "core"], "rate": UPLINK_BPS, "rtt": far if rtt else 0}
    gap_s = 8 * MEAN_BYTES * 2 / (RACKS * UPLINK_BPS * LOAD)
    starts = random.exponential(gap_s, transfers).cumsum()
    amounts = 1e8 + random.exponential(MEAN_BYTES, transfers)
    ends = [random.choice(RACKS, 2, replace=False) for _ in range(transfers)]
    hosts = random.integers(1, HOSTS // RACKS + 1, (transfers, 2))
    return {
        "hosts": {f"rack{rack}-": {"host": "ideal", "count": HOSTS // RACKS} for rack in range(RACKS)},
        "switches": {"core": {}, **{f"top{rack}": {} for rack in range(RACKS)}},
        "links": {name: {**link, "mtu": 9000, "loss": 0} for name, link in links.items()},
        "tool": "ftp",
        "transfers": [
            {"sender": f"rack{first}-{one}", "receiver": f"rack{second}-{other}", "start": start, "bytes": amount}
            for (first, second), (one, other), start, amount in zip(
                ends, hosts.tolist(), starts.tolist(), amounts.tolist(), strict=True
            )
        ],
    }


def for_simgrid(site: dict[str, Any]) -> dict[str, Any]:
    """The same site in the words of `simgrid_transfers`."""
    loaded = load_site(site)
    flows = flows_of(loaded, 0)
    routes = {}
    for flow in flows:
        if (flow.receiver, flow.sender) not in routes:
            routes[flow.sender, flow.receiver] = [(hop.link, hop.backwards) for hop in flow.route]
    back = {
        (second, first): [(link, not way) for link, way in reversed(route)] for (first, second), route in routes.items()
    }
    payload = 8948 / 9038 / 8
    return {
        "hosts": list(loaded.hosts),
        "links": {name: link.rate.value * payload for name, link in loaded.links.items() if link.rate is not None},
        "routes": [[*ends, route] for ends, route in {**routes, **back}.items()],
        "transfers": [[flow.sender, flow.receiver, flow.start_s, flow.size.of / 8] for flow in flows],
    }


def simulated(python: str, case: str) -> list[float]:
    """Ends of all transfers in SimGrid, in a process of its own."""
    script = Path(__file__).with_name("simgrid_transfers.py")
    done = subprocess.run([python, str(script)], input=f"{case}\n", capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.startswith("ready"):
        raise RuntimeError(f"SIMGRID_PYTHON: {python} cannot run the package simgrid: {done.stderr[-300:]}")
    ends: list[float] = json.loads(done.stdout.splitlines()[1])
    return ends


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark."""
    site, level = campus(TRANSFERS), campus(TRANSFERS, rtt=False)
    found = [
        Pair("10,000 transfers of a site", f"{BUDGET_S:.0f} seconds", lambda: predict_site(site), BUDGET_S, target=1.0)
    ]
    python = os.environ.get("SIMGRID_PYTHON")
    if python is None:
        leave_out("SimGrid is left out: SIMGRID_PYTHON does not name a Python with the package simgrid")
        yield found
        return
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "case.json"
        case.write_text(json.dumps(for_simgrid(level)), encoding="utf-8")
        ends = zip(predict_site(level).transfers, simulated(python, str(case)), strict=True)
        rates = [(end - each.start_s) / (each.finish_s - each.start_s) for each, end in ends]
        if (worst := max(abs(ratio - 1) for ratio in rates)) > AGREE:
            raise RuntimeError(f"SimGrid: found rates {worst:.1%} apart, expected at most {AGREE:.0%}")
        yield [
            *found,
            Pair(
                "10,000 transfers of a site",
                "SimGrid",
                lambda: predict_site(level),
                lambda: simulated(python, str(case)),
                target=1.0,
                take=seconds,
                most_rounds=3,
            ),
        ]
