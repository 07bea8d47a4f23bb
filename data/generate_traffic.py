"""Writes `data/traffic/generated.tar.xz`: two years of hourly rates of three ports that no switch ever had.

They are generated, not measured: series whose growth is known, to try `hecn forecast` on and to test it with. Each
has a weekly and a daily course, quiet days around the turn of the year, noise that goes on for days, and bursts. The
files in it are in the form of ``rrdtool fetch``. Run it again after a change here; the same numbers come out
everywhere, since Python's own generator of random numbers does not change between versions.

| port | speed | what is in it |
|---|---|---|
| `grows` | 10 Gb/s | 40 % more every year; a poller that was away for three days, a port that was down for one |
| `flat` | 10 Gb/s | no growth; a week without data |
| `grows-with-step` | 100 Gb/s | 30 % more every year; on 15 September 2025 two fifths of the traffic moved elsewhere |
"""

from __future__ import annotations

import io
import math
import random
import tarfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

FIRST, DAYS, STEP_S = date(2024, 11, 1), 730, 3600
WEEK = (1.0, 1.04, 1.05, 1.02, 0.92, 0.55, 0.5)  # from Monday on
YEAR_S = 365.25 * 86400


class Port(NamedTuple):
    """What a port's series is made of.

    Parameters
    ----------
    speed_bps
        Speed; it carries 97 % of it at most. [bit/s]
    level_bps
        Rate of the busy hours of a working day at the beginning. [bit/s]
    growth
        Growth a year. [fraction]
    seed
        Of the random numbers.
    moved
        Day from which on a part of the traffic is elsewhere, and the part that stays.
    silent
        First day and number of days without data.
    down
        Day on which nothing was carried.
    """

    speed_bps: float
    level_bps: float
    growth: float
    seed: int
    moved: tuple[date, float] | None = None
    silent: tuple[date, int] | None = None
    down: date | None = None


PORTS = {
    "grows": Port(10e9, 2.9e9, 0.40, 1, silent=(date(2025, 2, 11), 3), down=date(2025, 6, 19)),
    "flat": Port(10e9, 4.0e9, 0.0, 2, silent=(date(2025, 9, 1), 7)),
    "grows-with-step": Port(100e9, 62e9, 0.30, 3, moved=(date(2025, 9, 15), 0.6)),
}


def hour_of_day(hour: int) -> float:
    """Part of the busy hours' rate at an hour of the day: least at four in the morning, most in the afternoon."""
    return 0.62 + 0.38 * math.cos((hour - 15.5) / 24 * 2 * math.pi)


def is_quiet(day: date) -> bool:
    """Whether hardly anybody works: from Christmas Eve to New Year, and the first of May."""
    return (day.month, day.day) >= (12, 24) or (day.month, day.day) in {(1, 1), (5, 1)}


def rates(port: Port) -> list[tuple[int, float, float]]:
    """Times (the end of each hour) and rates in and out, NaN where there are no data. [s, bit/s, bit/s].

    Parameters
    ----------
    port
        What they are made of.
    """
    chance = random.Random(port.seed)  # noqa: S311 - no secrets
    begin = int(datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC).timestamp())
    rows = []
    mood = 0.0  # of the day, in logarithms
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        mood = 0.4 * mood + chance.gauss(0, 0.07)
        level = port.level_bps * WEEK[day.weekday()] * math.exp(mood) * (0.5 if is_quiet(day) else 1.0)
        if port.moved is not None and day >= port.moved[0]:
            level *= port.moved[1]
        for hour in range(24):
            end = begin + (number * 24 + hour + 1) * STEP_S
            grown = (1 + port.growth) ** ((end - begin) / YEAR_S)
            burst = 1 + chance.paretovariate(3) / 3 if chance.random() < 0.01 else 1.0
            inside = level * grown * hour_of_day(hour) * burst * math.exp(chance.gauss(0, 0.08))
            inside = min(inside, 0.97 * port.speed_bps)
            outside = 0.3 * inside * math.exp(chance.gauss(0, 0.1))
            if day == port.down:
                inside = outside = 0.0
            if port.silent is not None and 0 <= (day - port.silent[0]).days < port.silent[1]:
                inside = outside = math.nan
            rows.append((end, inside, outside))
    return rows


def text(port: Port) -> str:
    """Series of a port as ``rrdtool fetch`` prints it: bytes a second, here to three digits.

    Parameters
    ----------
    port
        What it is made of.
    """
    lines = ["                     traffic_in         traffic_out", ""]
    lines += [f"{end}: {inside / 8:.2e} {outside / 8:.2e}" for end, inside, outside in rates(port)]
    return "\n".join(lines) + "\n"


def write(file: Path) -> None:
    """Write the archive with a file for each port; the same bytes at any time.

    Parameters
    ----------
    file
        Where to.
    """
    with tarfile.open(file, "w:xz", preset=9) as archive:
        for name, port in PORTS.items():
            content = text(port).encode()
            member = tarfile.TarInfo(f"{name}.txt")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    write(Path(__file__).resolve().parent / "traffic" / "generated.tar.xz")
