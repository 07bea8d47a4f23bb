"""All benchmarks: `make bench`, or `python -m benchmarks.run`.

Prints a table, keeps it as JSON in .benchmarks/, and ends with status 1 where a target is missed.
"""

import argparse
import sys

from benchmarks import (
    app,
    closed_forms,
    counters,
    interval_logs,
    predictions,
    purchase,
    read_logs,
    start_up,
    tcp_transfers,
)
from benchmarks.harness import machine, measure, report, save


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time hecn-analysis against peers that do the same job.")
    parser.add_argument("--rounds", type=int, default=15, help="how often each pair is timed (default: 15)")
    rounds = parser.parse_args().rounds
    facts = machine()
    results = []
    for room in (start_up, read_logs, interval_logs, closed_forms, tcp_transfers, counters, predictions, purchase, app):
        with room.pairs() as pairs:
            results += [measure(pair, rounds) for pair in pairs]
    print(report(results))
    for name in ("cpu", "cores", "load", "system", "python", "versions", "commit"):
        print(f"{name}: {facts[name]}")
    print(save(results, facts))
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
