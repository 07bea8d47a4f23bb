"""Readings as `hecn snmp poll` hands them over: every column of the table ``samples``, poll after poll, made by chance.

Ports carry up to 60 % of 10 Gb/s, more by day than by night, in packets of some hundred bytes; few have errors. Polls
come a little early or late, all ports of a device at one moment.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from hecn_analysis.base import tables

PORTS_A_DEVICE = 48
SPEED_BPS = 10e9
INTERVAL_S = 30.0
BEGIN = pd.Timestamp("2026-01-01", tz="UTC")
COUNTERS = ("in_octets", "out_octets", "in_packets", "out_packets", "in_errors", "out_errors", "in_discards")
DTYPES = {name: str(kind) for name, kind in tables.make("samples", []).dtypes.items()}


def readings(ports: int, rounds: int, *, first: int = 0, seed: int = 1) -> pd.DataFrame:
    """Give the readings of some rounds.

    Parameters
    ----------
    ports
        How many.
    rounds
        How many polls of each.
    first
        Number of the first round; counters go on where those before left them.
    seed
        Of the luck.

    Examples
    --------
    >>> found = readings(100, 3)
    >>> len(found), found["host"].nunique()
    (300, 3)
    """
    steady = np.random.default_rng(seed)  # what a port keeps in all rounds
    random = np.random.default_rng((seed, first))
    devices = -(-ports // PORTS_A_DEVICE)
    load = SPEED_BPS / 8 * steady.uniform(0.01, 0.6, ports)
    base = steady.integers(0, 2**40, (len(COUNTERS), ports))
    faulty = steady.random(ports) < 0.02
    number = np.arange(first, first + rounds)
    day = 86400 / INTERVAL_S
    busy = 0.6 * number + 0.4 * day / (2 * np.pi) * (1 - np.cos(number / day * 2 * np.pi))  # its slope is 0.2 to 1
    carried = (load * INTERVAL_S * (busy[:, None] + random.uniform(0, 0.2, (rounds, ports)))).astype(np.int64)
    device = np.arange(ports) // PORTS_A_DEVICE
    moment = (number[:, None] * INTERVAL_S + random.uniform(0, 1, (rounds, devices)))[:, device]
    grown = {
        "in_octets": carried,
        "out_octets": carried // 3,
        "in_packets": carried // 800,
        "out_packets": carried // 2000,
        "in_errors": faulty * (carried // 10**12),
        "out_errors": np.zeros_like(carried),
        "in_discards": faulty * (carried // 10**11),
    }
    size = rounds * ports
    names = np.array([f"device{place:05}.example.net" for place in range(devices)], dtype=object)
    sources = np.array([f"snmp://device{place:05}.example.net:161" for place in range(devices)], dtype=object)
    port = np.array([f"Ethernet{place % PORTS_A_DEVICE + 1}" for place in range(ports)], dtype=object)
    columns: dict[str, object] = {
        "source_file": np.tile(sources[device], rounds),
        "line": 1,
        "host": np.tile(names[device], rounds),
        "interface": np.tile(port, rounds),
        "index": np.tile(np.arange(ports) % PORTS_A_DEVICE + 1, rounds),
        "time": BEGIN + pd.to_timedelta((moment.ravel() * 1e6).astype(np.int64), "us"),
        **{name: (base[place] + grown[name]).ravel() for place, name in enumerate(COUNTERS)},
        "out_discards": np.zeros(size, dtype=np.int64),
        "in_multicast": (base[0] % 1000 + carried // 10**7).ravel(),
        "speed_bps": SPEED_BPS,
        "counter_bits": 64,
        "uptime_s": np.round(moment.ravel() + 1e6, 2),
        "discontinuity_s": 0.0,
        "mtu": 9000,
        "up": True,
    }
    return pd.DataFrame({name: columns[name] for name in DTYPES}).astype(DTYPES)
