"""What ``date`` prints, in the orders of several languages."""

from datetime import datetime

import pytest

from hecn_analysis.parsing.dates import stamp

NOON = datetime(2026, 3, 8, 12, 4, 9)  # noqa: DTZ001 - of the zone beside it


@pytest.mark.parametrize(
    ("text", "zone", "rest"),
    [
        ("Sun Mar  8 12:04:09 UTC 2026", "UTC", ""),
        ("> Sun Mar  8 12:04:09 PM CET 2026", "CET", ""),
        ("Sun 8 Mar 12:04:09 GMT 2026", "GMT", ""),
        ("Sun 08 Mar 2026 12:04:09 PM EST", "EST", ""),
        ("Sun, Mar 8 12:04:09 -03 2026 `", "-03", " `"),
        ("Mar 8 12:04:09 +0530 2026 traceroute to there", "+0530", " traceroute to there"),
        ("2026-03-08T12:04:09Z", "Z", ""),
        ("2026-03-08 12:04:09 UTC traceroute", "UTC", " traceroute"),
        ("2026-03-08 12:04:09+01:00", "+01:00", ""),
        ("2026-03-08 12:04:09 INFO ready", "", " INFO ready"),
    ],
)
def test_a_time_is_read_with_its_zone(text, zone, rest):
    assert stamp(text) == (NOON, zone, rest)


def test_fractions_of_a_second_are_kept():
    assert stamp("2026-03-08 12:04:09,25").local == NOON.replace(microsecond=250000)


@pytest.mark.parametrize(
    "text",
    [
        "Sun Mar  8 12:04:09 UTC",  # of any year
        "Sun Mar 38 12:04:09 UTC 2026",
        "Sun Mrz  8 12:04:09 UTC 2026",
        "Sun Mar  8 15:04:09 PM UTC 2026",
        "2026-03-08 25:04:09",
        "at Sun Mar  8 12:04:09 UTC 2026",
    ],
)
def test_what_is_no_time_is_left(text):
    assert stamp(text) is None
