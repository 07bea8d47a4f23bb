"""How a RAID is laid out: levels, groups of disks, parity and copies, and what of it can be lost."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from hecn_analysis.limits._checks import (
    Count,
    FloatArray,
    Rate,
    arrays,
    refuse,
    require_positive,
    require_whole,
    require_word,
)

Level = Literal[0, 1, 5, 6, 10, 50, 60]
LEVELS: Final[tuple[int, ...]] = get_args(Level)
_PARITY: Final = {0: 0, 1: 0, 5: 1, 6: 2, 10: 0, 50: 1, 60: 2}  # disks' worth of parity in a group
_SMALLEST_GROUP: Final = {0: 2, 1: 2, 5: 3, 6: 4, 10: 2, 50: 3, 60: 4}  # disks


@dataclass(frozen=True)
class Array:
    """An array, checked: `groups` groups of `members` disks, `parity` of them for parity, `lost` of them lost."""

    level: Level
    groups: FloatArray
    members: FloatArray
    lost: FloatArray
    rate: FloatArray

    @property
    def parity(self) -> int:
        """Disks' worth of parity in a group."""
        return _PARITY[self.level]

    @property
    def copies(self) -> FloatArray:
        """Copies of the data in an array without parity."""
        return self.members if self.level == 1 else np.asarray(2.0 if self.level == 10 else 1.0)

    @property
    def working(self) -> FloatArray:
        """Disks of a group that work at the pace of the stripe: a mirror pair with one disk holds up all pairs."""
        if self.level == 10:
            return np.where(self.lost > 0, self.members / 2, self.members) + 0 * self.lost
        return self.members - self.lost


def checked(level: Level, disks: Count, disk_rate: Rate, groups: Count | None, lost: Count) -> Array:
    """Return the array, its numbers checked against the level.

    Parameters
    ----------
    level, disks, groups
        RAID level; disks of all groups together; groups that are striped over, by default two for RAID 50 and 60, else
        one.
    disk_rate, lost
        Rate of a disk [bit/s]; disks of a group that are lost.

    Returns
    -------
    Array
        The array; its numbers are arrays.

    Examples
    --------
    >>> float(checked(60, 24, 800e6, groups=2, lost=1).working)
    11.0
    """
    require_word(LEVELS, level=level)
    nested = level in {50, 60}
    n, g, rate, lost = arrays(
        disks=disks, groups=(2 if nested else 1) if groups is None else groups, disk_rate=disk_rate, lost=lost
    )
    require_whole(1, disks=n)
    require_whole(2 if nested else 1, groups=g)
    require_whole(0, lost=lost)
    require_positive(disk_rate=rate)
    if not nested:
        refuse("groups", g, g != 1, f"1 for RAID {level}; striped groups are RAID 50 or 60")
    least = _SMALLEST_GROUP[level]
    of_group = f" in each of {np.nanmax(g):.0f} groups" if nested and not np.isnan(g).all() else ""
    refuse("disks", n, n < least * g, f"{least} or more{of_group} for RAID {level}")
    refuse("disks", n, n % g > 0, "the same number in each group")
    if level == 10:
        refuse("disks", n, n % 2 != 0, "an even number for RAID 10")
    survived = {1: n - 1, 10: n / 2}.get(level, np.asarray(float(_PARITY[level])))
    words = {1: "fewer than the disks", 10: "one of each pair or fewer"}.get(level, f"{_PARITY[level]} or fewer")
    refuse("lost", lost, lost > survived, f"{words}: RAID {level} survives no more")
    return Array(level, g, n / g, lost, rate)
