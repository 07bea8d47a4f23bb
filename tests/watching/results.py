"""Results of iperf3 as files, made for tests: hourly, between hosts of RFC 5737."""

import json

import numpy as np

FIRST_S = 1_700_000_000


def result(hour, rate_bps, *, source="192.0.2.1", destination="192.0.2.2", rtt_s=0.04, retransmits=3):
    """The JSON of one result."""
    amount = {"start": 0, "end": 10, "seconds": 10, "bytes": int(rate_bps * 10 / 8), "bits_per_second": rate_bps}
    rtt_us = int(rtt_s * 1e6)
    ends = {"socket": 5, "local_host": source, "local_port": 40000, "remote_host": destination, "remote_port": 5201}
    test = {"protocol": "TCP", "num_streams": 1, "blksize": 131072, "omit": 0, "duration": 10, "bytes": 0, "reverse": 0}
    rtts = dict.fromkeys(("max_rtt", "min_rtt", "mean_rtt"), rtt_us)
    sent = {**amount, "retransmits": retransmits, "sender": True}
    return json.dumps(
        {
            "start": {
                "connected": [ends],
                "version": "iperf 3.17",
                "timestamp": {"timesecs": FIRST_S + 3600 * hour},
                "connecting_to": {"host": destination, "port": 5201},
                "test_start": test,
            },
            "intervals": [],
            "end": {
                "streams": [{"sender": {"socket": 5, **sent, **rtts}, "receiver": {"socket": 5, **amount}}],
                "sum_sent": sent,
                "sum_received": amount,
            },
        }
    )


def write_hourly(folder, hours, *, drop_at=None, ratio=0.6, seed=1, **others):
    """Results of some hours in a file each; from `drop_at` on they are slower, and farther away."""
    rates = 9.4e9 * np.exp(0.03 * np.random.default_rng(seed).standard_normal(hours))
    for hour, rate in enumerate(rates):
        is_after = drop_at is not None and hour >= drop_at
        changed = {"rtt_s": 0.06, "retransmits": 500} if is_after else {}
        text = result(hour, rate * (ratio if is_after else 1), **changed, **others)
        (folder / f"{hour:04d}.json").write_text(text + "\n")
