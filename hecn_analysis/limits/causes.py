"""Why a measurement may be above a limit: units, directions, clocks, caches, settings."""

from typing import Final, NamedTuple

_CLOCK_TOLERANCE: Final = 2e-4  # both ends' oscillators 100 ppm off, IEEE 802.3
_FROM_CACHE: Final = ("raid", "disk", "ssd", "enclosure", "pagecache")
_SUMMED_WAYS: Final = ("pcie", "nic", "ethernet", "infiniband", "atm", "sonet", "tcp")


class Cause(NamedTuple):
    """A possible reason for a measurement above the limit.

    ``words`` are the reason and how to find out; ``corrected_bps`` is the true rate in that case, None if unknown.
    [bit/s]
    """

    words: str
    corrected_bps: float | None


def causes(kind: str, measured_bps: float, limit_bps: float) -> tuple[Cause, ...]:
    """Return why a measurement may be above a limit; empty if it is not.

    Parameters
    ----------
    kind
        Kind of limit.
    measured_bps, limit_bps
        The measurement and the limit. [bit/s]
        The limit. [bit/s]

    Returns
    -------
    tuple of Cause
        Those that a number supports come first, the one that brings it nearest to the limit at the top.

    Examples
    --------
    A gigabyte of 2**30 bytes taken for one of 10**9:
    >>> causes("pcie", 53.0e9 * 1.0737, 53.2e9)[0].words
    'unit: counted as if its GB were 2**30 bytes (GiB), 7.4 % too much'
    """
    ratio = measured_bps / limit_bps
    if not ratio > 1:
        return ()
    # Reason, how many times too much it makes, and how near the limit the rest must then come at least.
    numbers = [
        ("unit: bits taken for bytes (Gb/s for GB/s), 8 times too much", 8.0, 0.5),
        ("unit: counted as if its GB were 2**30 bytes (GiB), 7.4 % too much", 2**30 / 1e9, 0.9),
        ("unit: counted as if its MB were 2**20 bytes (MiB), 4.9 % too much", 2**20 / 1e6, 0.9),
        ("unit: counted as if its kB were 2**10 bytes (KiB), 2.4 % too much", 2**10 / 1e3, 0.9),
    ]
    if kind in _SUMMED_WAYS:
        numbers.append(("directions: both added up, and the limit is that of one", 2.0, 0.75))
    reasons = [Cause(words, measured_bps / factor) for words, factor, least in numbers if least < ratio / factor <= 1]
    reasons.sort(key=lambda cause: -(cause.corrected_bps or 0))
    if ratio <= 1 + _CLOCK_TOLERANCE:
        reasons.insert(0, Cause("clock: both ends' oscillators may be 100 ppm off (IEEE 802.3)", limit_bps))
    elif ratio < 1.1:
        reasons.append(Cause("clock: a coarse or stepped timer; repeat with a longer test", None))
    if kind in _FROM_CACHE:
        reasons.append(
            Cause(
                "cache: data in the page cache or the controller's; use more data than fits there, or direct I/O", None
            )
        )
    else:
        words = "burst: the data fit into buffers, so the sender ends early; test longer, or use the receiver's rate"
        reasons.append(Cause(words, None))
    words = "settings: the measured system is faster than described (link, MTU, MaxPayload, parts, compression)"
    reasons.append(Cause(words, None))
    return tuple(reasons)
