"""All pairs: `make bench`, or `python -m benchmarks.run`.

Prints a line for each pair as soon as it is measured, keeps all in benchmarks/results.json for the documentation, and
ends with status 1 where a target is missed.
"""

import argparse
import sys
from dataclasses import asdict
from importlib import import_module

from benchmarks import harness

ROOMS = (
    *("start_up", "read_logs", "interval_logs", "closed_forms", "tcp_transfers", "counters", "predictions"),
    *("purchase", "app", "captures", "sites"),
)


def at_least_two(text: str) -> int:
    """Read a number of rounds: quartiles need two."""
    if (number := int(text)) < 2:
        raise argparse.ArgumentTypeError(f"found {text}, expected 2 or more")
    return number


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time hecn-analysis against peers that do the same job.")
    parser.add_argument(
        "--rounds", type=at_least_two, default=15, help="how often each pair is timed, at most (default: 15)"
    )
    parser.add_argument("--only", nargs="+", choices=ROOMS, default=ROOMS, metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument(
        "--threads", type=int, default=harness.threads, help="for every job that can use several (default: all cores)"
    )
    asked = parser.parse_args()
    harness.use_threads(asked.threads)
    results = []
    print(harness.HEAD, flush=True)
    for room in asked.only:
        with import_module(f"benchmarks.{room}").pairs() as pairs:
            for pair in pairs:
                results.append(harness.measure(pair, asked.rounds))
                print(harness.line(results[-1]), flush=True)
    for name, fact in harness.machine().items():
        print(f"{name}: {fact}")
    if tuple(asked.only) == ROOMS:
        found = {
            "rounds": asked.rounds,
            "threads": asked.threads,
            "left_out": harness.left_out,
            "results": [asdict(result) for result in results],
        }
        harness.keep("pairs", found)
        print(f"kept in {harness.RESULTS}")
    else:
        print("not kept: not all of them")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
