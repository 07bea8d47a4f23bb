"""The signs of copies: how many files, how large, how much is on its way, and of what a channel of ssh lets through."""

from __future__ import annotations

from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter
from hecn_analysis.diagnosis.kinds import OF_STORES, OVER_SSH
from hecn_analysis.limits.request_response import OLD_SSH_WINDOWS, SSH_WINDOW
from hecn_analysis.statements import Statement

#: On a nearer path a host is slow for another reason long before a window is full, or an answer waited for. [s]
_FAR_S: Final = 0.002
_FAR_STORE_S: Final = 0.005

#: Share of the window of a channel from which on that is what counts. [1]
_FILLED: Final = 0.8

#: Size of the parts of an object: 5 MiB or more, but for the last. [B]
_PART: Final = 5 << 20

#: Transfers at once that tools make where they are asked for no number; of others, one.
_AT_ONCE: Final = {"aws": 10.0, "azcopy": 32.0, "gcloud": 4.0, "mc": 4.0, "rclone": 4.0}

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _many_files(facts: Facts) -> Fact | None:
    return None if facts.has_rates else facts.files


def _files(facts: Facts) -> Fact | None:
    """Number of files of a copy; not of large objects, which tools of stores move in parts."""
    files = facts.files
    if files is None or not facts.copied_bytes > 0:
        return None
    is_in_parts = facts.kind.tool in OF_STORES and facts.copied_bytes / files.value >= _PART
    return None if is_in_parts else files


@_sign
def _file_mean(facts: Facts) -> Fact | None:
    files = _files(facts)
    return None if files is None else Fact(facts.copied_bytes / files.value / 1e3, files.evidence)


@_sign
def _files_in_flight(facts: Facts) -> Fact | None:
    files, rtt = _files(facts), facts.rtt_idle
    if files is None or rtt is None or facts.kind.is_local:
        return None
    duration = 8 * facts.copied_bytes / facts.measured
    return Fact(files.value / duration * rtt.value, (*rtt.evidence, *files.evidence))


def _in_channel(facts: Facts) -> Fact | None:
    """Data in flight of a copy over ssh, if the path is long enough [B]."""
    rtt = facts.rtt_idle
    if facts.kind.tool not in OVER_SSH or facts.files is not None or rtt is None or rtt.value < _FAR_S:
        return None
    return Fact(facts.measured * rtt.value / 8, (*rtt.evidence, facts.rate_quote))


@_sign
def _channel_fit(facts: Facts) -> Fact | None:
    """Data in flight over the window of the channel of OpenSSH."""
    flight = _in_channel(facts)
    return None if flight is None else Fact(flight.value / SSH_WINDOW, flight.evidence)


@_sign
def _old_channel_fit(facts: Facts) -> Fact | None:
    """Data in flight that do not fill that window, over the nearest window of other programs."""
    flight = _in_channel(facts)
    if flight is None or flight.value >= _FILLED * SSH_WINDOW:
        return None
    window = next((bytes_ for bytes_ in OLD_SSH_WINDOWS if flight.value <= bytes_ / _FILLED), OLD_SSH_WINDOWS[-1])
    return Fact(flight.value / window, flight.evidence)


@_sign
def _of_store(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """Whether a tool moves objects of a store that is far, or of which nobody says how far it is."""
    rtt = facts.rtt_idle
    if facts.kind.tool not in OF_STORES or (rtt is not None and rtt.value < _FAR_STORE_S):
        return None
    return "requests to a store", (facts.rate_quote,)


@_sign
def _request_flight(facts: Facts) -> Fact | None:
    """Data on their way for each of the transfers that a tool makes at once [MB]."""
    rtt = facts.rtt_idle
    if facts.kind.tool not in OF_STORES or rtt is None or rtt.value < _FAR_STORE_S:
        return None
    asked, number = facts.said("asked.transfers", choose=max), transfers_at_once(facts)
    quotes = (*rtt.evidence, facts.rate_quote) if asked is None else (*asked.evidence, *rtt.evidence)
    return Fact(facts.measured * rtt.value / 8e6 / number, quotes) if number > 0 else None


def transfers_at_once(facts: Facts) -> float:
    """How many transfers a tool makes at once, as asked for or by itself."""
    asked = facts.said("asked.transfers", choose=max)
    return _AT_ONCE.get(facts.kind.tool, 1.0) if asked is None else asked.value
