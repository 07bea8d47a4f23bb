"""Progress of long work: a bar on stderr, on a terminal only, and only once the work has taken a second."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def track(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterable[Item]:
    """Hand the items on, and show how far they are used up when that takes longer than a second.

    Nothing is ever written when stderr is not a terminal: logs and cron mails stay clean.

    Parameters
    ----------
    items
        What is worked through.
    what
        One word or two in front of the bar, e.g. ``reading``.
    total
        How many there are, where `items` has no length.

    Examples
    --------
    >>> sum(track([1, 2, 3], "adding"))
    6
    """
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm  # noqa: PLC0415 (only a terminal needs it)

    return tqdm(items, desc=what, total=total, delay=1, leave=False, file=sys.stderr, dynamic_ncols=True)
