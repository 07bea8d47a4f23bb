"""Points in time of a site."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_site
from hecn_analysis.hardware.clock import date_of, seconds_after

MONDAY = date_of("2026-11-23 08:00")


@pytest.mark.parametrize(
    ("when", "hours"),
    [
        ("90 min", 1.5),
        (3600, 1.0),
        ("2026-11-23 09:30", 1.5),
        ("2026-11-23T09:30+01:00", 0.5),
        ("2026-11-22", -32.0),
        ("monday", 160.0),  # the beginning of this one is over
        ("Monday 09:00", 1.0),
        ("Sunday 8:00", 144.0),
    ],
)
def test_seconds_after(when, hours):
    assert seconds_after(when, MONDAY) / 3600 == hours


@pytest.mark.parametrize("when", ["Fryday", "2026-13-01", "Friday 25:00", "5 weeks", "", "2026-11-27 noon"])
def test_what_is_no_time(when):
    with pytest.raises(
        ValueError, match=r"^found '.*', expected a (time such as 44 h, a )?date such as 2026-11-27 18:00"
    ):
        seconds_after(when, MONDAY)


def transfers(clock=None, **keys):
    site = {"path": "lan-10ge", "tool": "ftp", **({} if clock is None else {"clock": clock})}
    return load_site({**site, "transfers": [{"sender": "a", "receiver": "b", "bytes": "1 TB", **keys}]}).transfers[0]


def test_dates_of_transfers():
    found = transfers("2026-11-23 08:00", start="2026-11-23 09:00", by="Friday")
    assert (found.start.value, found.by.value) == (3600.0, 88 * 3600.0)
    assert transfers(by="1 d").by.value == 86400.0


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"by": "Friday"}, "found by: 'Friday', expected a duration, or a clock: the date of time 0"),
        (
            {"clock": "2026-11-23", "by": "2026-11-20"},
            "found by: '2026-11-20', expected a date after the clock, 2026-11-23 00:00:00+00:00",
        ),
        ({"clock": "soon", "by": "Friday"}, "found clock: 'soon', expected a date such as 2026-11-27 18:00"),
        (
            {"by": "1 h", "start": "2 h"},
            "found transfers.0: by 3600 s and a start at 7200 s, expected a later deadline",
        ),
        ({"by": "inf"}, "found transfers.0: by inf s, expected at most 1e+09 s"),
        (
            {"by": "1 h", "every": "1 d", "times": 2},
            "found transfers.0: by and every, expected one transfer for each deadline",
        ),
        (
            {"by": "1 h", "bytes": None, "duration": "5 s"},
            "found transfers.0: by and duration, expected bytes: a duration has its end",
        ),
    ],
)
def test_bad_deadlines(keys, message):
    with pytest.raises(InputError) as error:
        transfers(**keys)
    assert str(error.value) == message
