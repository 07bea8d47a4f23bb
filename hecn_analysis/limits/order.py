"""Options that lower a limit, one after another: words for each, and its value without effect.

Kinds whose parts do not simply take bytes from each other are computed repeatedly: first without any effect, then with
one more of the real options each time.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.layers import Options, Value


class Held(NamedTuple):
    """Options that lower a limit together, their values without effect, and the words for them."""

    ideal: dict[str, Any]
    words: str
    source: str


_CHEN: Final = "Chen et al., ACM Computing Surveys 26(2), 1994"
ORDER: Final[dict[str, tuple[str, list[Held]]]] = {
    "raid": (
        "all disks at once",
        [
            Held(
                {"level": 0, "groups": None, "far": False, "solid_state": False},
                "parity or mirrors of the level",
                _CHEN,
            ),
            Held({"lost": 0, "rebuild": 0}, "lost disks and rebuild", _CHEN),
            Held({"request": None, "offset": 0, "access": 0}, "pieces of requests, partial stripes", _CHEN),
            Held({"controller_rate": None}, "controller", "as given"),
        ],
    ),
    "disk": (
        "outermost zone",
        [
            Held({"inner_rate": None, "position": None}, "slower zones", "Van Meter, USENIX 1997"),
            Held({"streams": 1}, "seeks between streams", "seek and half a revolution each"),
            Held({"request": None}, "seeks between requests", "seek and half a revolution each"),
        ],
    ),
    "ssd": (
        "sequential rate",
        [
            Held({"cache_rate": None, "cache": 0, "amount": None}, "what the fast part takes", "phases of the disk"),
            Held({"spare": None}, "write amplification", "Desnoyers, SYSTOR 2012"),
            Held({"block": None, "outstanding": 1, "latency": 0}, "waiting for each request", "Little's law"),
            Held({"iops": None}, "requests a second", "as given"),
        ],
    ),
    "cpu": (
        "cores that only copy",
        [
            Held({"cycles_per_packet": 0}, "cost of each packet", "RFC 4297"),
            Held({"cycles_per_call": 0}, "cost of each system call", "as given"),
            Held({"neighbours": 0}, "other threads on the cores", "as given"),
            Held({"interrupts": 0.0}, "interrupts", "as given"),
            Held({"quota": None}, "quota", "as given"),
        ],
    ),
    "memory": (
        "channels times transfers times 8 bytes",
        [
            Held({"usable": 1.0}, "part that mixed reads and writes reach", "memory benchmarks such as STREAM"),
            Held({"passes": 1}, "passes of each byte", "RFC 4297"),
            Held({"link_rate": None, "link_passes": 1}, "links to the other socket", "as given"),
        ],
    ),
    "requests": (
        "requests in flight, one round trip each",
        [
            Held({"service": 0}, "time of a request at the other end", "Little's law"),
            Held({"round_trips": 1}, "further round trips of each", "Little's law"),
            Held({"rate": None}, "line", "as given"),
            Held({"store_rate": None}, "store, in turn with the line", "as given"),
        ],
    ),
}
"""Kind -> the words for its start, and what holds it back, in this order."""


def in_order(kind: str, run: Callable[[Options], float], options: Options) -> Iterator[Value]:
    """Return the steps of a kind, computed by `run` with changes to its options, beginning without any effect.

    Parameters
    ----------
    kind, options
        A kind of ``hecn limits``, and its options.
    run
        Function that returns the throughput with changes to the options. [bit/s]

    Yields
    ------
    tuple
        The effect in words, the rate that is left [bit/s], and the source.

    Examples
    --------
    >>> from hecn_analysis.limits import memory
    >>> options = {"channels": 6, "transfers": 1333e6, "usable": 0.75}
    >>> steps = in_order("memory", lambda changes: memory(**{**options, **changes})["throughput_bps"], options)
    >>> [(words, round(rate / 1e9, 1)) for words, rate, _ in steps][1]
    ('part that mixed reads and writes reach', 128.0)
    """
    start, known = ORDER.get(kind, ("what the required options give", []))
    held = [
        Held({name: ideal for name, ideal in step.ideal.items() if name in options}, step.words, step.source)
        for step in known
    ]
    if kind not in ORDER:
        held = list(_others(kind, options))
    changes = {name: ideal for step in held for name, ideal in step.ideal.items()}
    words: list[str] = []
    first = True
    for step in [Held({}, start, "as given"), *held]:
        for name in step.ideal:
            changes.pop(name, None)
        words.append(step.words)
        try:
            value = run(changes)
        except RangeError:  # this one makes sense only together with the next
            continue
        yield (" and ".join(words) if not first else start), value, step.source
        first, words = False, []


def _others(kind: str, options: Options) -> Iterator[Held]:
    """Return the given options that have a default, in the order of the signature."""
    from hecn_analysis.limits import KINDS  # noqa: PLC0415 that module has `explain` among its names

    for name, parameter in inspect.signature(KINDS[kind]).parameters.items():
        if parameter.default is not parameter.empty and options[name] != parameter.default:
            yield Held({name: parameter.default}, f"--{name.replace('_', '-')} as given", f"hecn limits {kind} --help")
