"""Which entries of ``models/remedies.yaml`` stand for those of the classes: others help a disk than a path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hecn_analysis.diagnosis import stated
from hecn_analysis.diagnosis.kinds import Kind
from hecn_analysis.diagnosis.outcomes import FREE_CORE_BPS
from hecn_analysis.diagnosis.signs import Sign

#: Signs that interrupts keep a core of the receiver busy, and their least share of it. [1]
_INTERRUPTS: Final = frozenset({"receiver_softirq", "receiver_interrupts"})
_ONE_CORE: Final = 0.9

#: Version of iperf3 from which on each stream has a thread; most that one thread takes of a core, as tools count. [1]
_WITH_THREADS: Final = (3, 16)
_VERSION: Final = re.compile(r"(\d{1,3})\.(\d{1,3})")
_NO_MORE: Final = 1.05

#: Subjects of the lines that say that an array is busy with itself, and that a disk is behind USB.
_ARRAY: Final = "array"
_USB: Final = "usb"

DAMAGE: Final = "damage"
"""Subject of the lines that say that frames arrive damaged, and the remedies of a loss by them."""


def entries_of(kind: Kind, seen: Iterable[Sign], *, of_memory: bool, is_tiny: bool) -> Mapping[str, str]:
    """Entries of the remedies that stand for those of the classes: others help a disk than a path."""
    of_interrupts = any(sign.name in _INTERRUPTS and float(sign.value) >= _ONE_CORE for sign in seen)
    subjects = {cue.subject for cue, _ in stated.cues_of(kind)}
    others = {"shared": "shared-disk"} if kind.is_local or _ARRAY in subjects else {}
    others |= {"tool": "page-cache"} if of_memory else {}
    others |= {"slot": "slot-usb"} if _USB in subjects else {}
    others |= {"loss": DAMAGE} if DAMAGE in subjects else {}
    others |= {"cpu-receiver": "full-core"} if _is_full_core(kind, seen) else {}
    others |= dict.fromkeys(_one_thread(kind, seen), "one-thread")
    others |= {"cpu-receiver": "interrupts"} if of_interrupts else {}
    return others | ({"start-up": "tiny"} if is_tiny else {})


def _is_full_core(kind: Kind, seen: Iterable[Sign]) -> bool:
    """Whether a core of the receiver is full at a rate that only a free one reaches, without a quota or neighbour."""
    told = {sign.name: sign.value for sign in seen}
    is_full = any(float(told.get(name, 0.0)) >= _ONE_CORE for name in ("receiver_core", "receiver_busiest"))
    return is_full and kind.median_bps > FREE_CORE_BPS and not {"receiver_throttled", "neighbours"} & told.keys()


def _one_thread(kind: Kind, seen: Iterable[Sign]) -> Iterator[str]:
    """Classes of the ends at which the one thread of an iperf3 before 3.16 fills a core."""
    if kind.tool != "iperf3" or kind.most_streams < 2 or not len(kind.runs):  # else it is not known to take several
        return
    told = {sign.name: sign.value for sign in seen}
    versions = [_VERSION.match(version) for version in kind.runs["tool_version"].dropna()]
    has_threads = [(int(version[1]), int(version[2])) >= _WITH_THREADS for version in versions if version is not None]
    for end in ("sender", "receiver"):
        share = float(told.get(f"{end}_core", 0.0))
        if not any(has_threads) and _ONE_CORE <= share <= _NO_MORE:
            yield f"cpu-{end}"
