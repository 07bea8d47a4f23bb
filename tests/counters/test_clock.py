"""Local times: the hour that comes twice, the hour that is skipped, zones by their abbreviations."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from hecn_analysis.counters.clock import Clock, LocalTimes

BERLIN = ZoneInfo("Europe/Berlin")
AUTUMN = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # 01:30 in Berlin, an hour and a half before clocks go back
SPRING = datetime(2026, 3, 28, 23, 0, tzinfo=UTC)

SAR = "Linux 6.1.0 (h) \t10/25/26 \t_x86_64_\t(2 CPU)\n\n"
COLUMNS = "        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
PRTG = "Date Time,Date Time(RAW),Traffic In (speed),Traffic In (speed)(RAW),Coverage,Coverage(RAW)\n"
WORDS = '"Datum Uhrzeit","Traffic eingehend (Geschwindigkeit)","Traffic ausgehend (Geschwindigkeit)","Abdeckung"\n'


def moments(begin, count, minutes, zone=BERLIN):
    """Moments at equal distances, and what the clock of a zone shows then."""
    found = [begin + timedelta(minutes=minutes * number) for number in range(count)]
    return found, [moment.astimezone(zone).replace(tzinfo=None, fold=0) for moment in found]


def sar(locals_, ports=("eth0", "lo")):
    rows = "".join(f"{local:%H:%M:%S}  {port:>10}      1.00      2.00      3.00      4.50\n" for local in locals_[1:]
                   for port in ports)  # fmt: skip
    return SAR + f"{locals_[0]:%H:%M:%S}{COLUMNS}" + rows


@pytest.mark.parametrize("minutes", [1, 5, 10, 60])
@pytest.mark.parametrize("late", [0, 40, 100, 130])
def test_sar_across_the_end_of_summer_time(counters_of, minutes, late):
    """Also where the report begins in the first pass or in the second one."""
    true, shown = moments(AUTUMN + timedelta(minutes=late), 240 // minutes, minutes)
    rates = counters_of(sar(shown), time_zone="Europe/Berlin")
    assert rates.problems.empty
    for port in ("eth0", "lo"):
        own = rates.rates[rates.rates["interface"] == port]
        assert own["time"].tolist() == true[1:]
        assert own["interval_s"].dropna().unique().tolist() == [60 * minutes]


def test_sar_whose_pass_nobody_can_tell(counters_of, said):
    """An hour is missing, and it may be either."""
    true, shown = moments(AUTUMN, 24, 10)
    at = [place for place, local in enumerate(shown) if local.hour == 2]
    counters = counters_of(sar(shown[: at[0]] + shown[at[0] : at[6]] + shown[at[-1] + 1 :]), time_zone="Europe/Berlin")
    (line,) = said(counters)
    assert line.startswith("8: ambiguous: found local time 2026-10-25 02:00:00, which comes twice in Europe/Berlin")
    assert line.endswith("; 12 such times left out")
    known = counters.rates[counters.rates["time"].notna()]
    assert sorted(set(known["time"])) == [*true[1:3], *true[15:]]
    alone = counters_of(sar(shown[at[0] : at[6]]), time_zone="Europe/Berlin")
    assert alone.rates["time"].isna().all()
    assert len(alone.rates) == 10
    fixed = counters_of(sar(shown[at[0] : at[6]]), time_zone="Etc/GMT-2")
    assert fixed.rates["time"].tolist()[::2] == true[at[0] + 1 : at[6]]


def test_an_hour_that_is_skipped_has_no_time(counters_of, said):
    text = sar(moments(AUTUMN - timedelta(hours=24, minutes=30), 2, 30)[1]).replace("10/25/26", "03/29/26")
    text += "02:30:00        eth0      1.00      2.00      3.00      4.50\n"
    counters = counters_of(text, time_zone="Europe/Berlin")
    assert counters.rates["time"].isna().tolist() == [False, False, True]
    (line,) = said(counters)
    assert line == (
        "6: inconsistent: found local time 2026-03-29 02:30:00, which does not come in Europe/Berlin, "
        "expected one that the clock shows (check --time-zone); time left out"
    )


def us(local):
    return f"{local:%m/%d/%Y} {local.hour % 12 or 12}:{local:%M:%S %p}"


@pytest.mark.parametrize("with_zone", [True, False])
@pytest.mark.parametrize("minutes", [5, 15, 60, 120])
@pytest.mark.parametrize("begin", [AUTUMN, SPRING], ids=["autumn", "spring"])
def test_prtg_across_a_change(counters_of, begin, minutes, with_zone):
    """The clock shows an interval of no length, of -55 minutes or of two hours: PRTG writes what it shows."""
    begin -= timedelta(minutes=90) if minutes < 120 else timedelta(minutes=330)
    true, shown = moments(begin, 600 // minutes + 5, minutes)
    rows = "".join(
        f'"{us(a)} - {us(b).partition(" ")[2]}",{(end - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(days=1):.9f},'
        '"8 kbit/s",1000,"100 %",10000\n'
        for a, b, end in zip(shown, shown[1:], true[1:], strict=False)
    )
    counters = counters_of(PRTG + rows, **({"time_zone": "Europe/Berlin"} if with_zone else {}))
    assert counters.problems.empty
    assert counters.rates["time"].dt.round("s").tolist() == true[1:]
    assert counters.rates["interval_s"].unique().tolist() == [60 * minutes]


@pytest.mark.parametrize("minutes", [5, 60])
@pytest.mark.parametrize("begin", [AUTUMN, SPRING], ids=["autumn", "spring"])
def test_prtg_without_raw_dates_across_a_change(counters_of, begin, minutes):
    true, shown = moments(begin - timedelta(hours=2), 480 // minutes, minutes)
    rows = "".join(
        f'"{a:%d.%m.%Y %H:%M:%S} - {b:%H:%M:%S}","1 kbit/s","2 kbit/s","100 %"\n' for a, b in pairwise(shown)
    )
    counters = counters_of(WORDS + rows, time_zone="Europe/Berlin")
    assert counters.problems.empty
    assert counters.rates["time"].tolist() == true[1:]
    assert counters.rates["interval_s"].unique().tolist() == [60 * minutes]


def test_days_of_prtg_have_23_or_25_hours(counters_of):
    rows = "".join(f'"{day:02d}.10.2026","1 kbit/s","2 kbit/s","100 %"\n' for day in (23, 24, 25, 26))
    counters = counters_of(WORDS + rows, time_zone="Europe/Berlin")
    assert (counters.rates["interval_s"] / 3600).tolist() == [24, 24, 25, 24]
    assert counters.rates["time"].dt.hour.tolist() == [22, 22, 23, 23]


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("Mon Nov 23 10:00:00 CET 2026", "09:00"),
        ("Mon Nov 23 10:00:00 EDT 2026", "14:00"),
        ("Mon Nov 23 10:00:00 +0530 2026", "04:30"),
        ("Mon Nov 23 10:00:00 -03 2026", "13:00"),
        ("Mon Nov 23 10:00:00 AM EST 2026", "15:00"),
        ("Mon 23 Nov 2026 10:00:00 PM MST", None),
        ("Mon, 23 Nov 2026 10:00:00 +0530", "04:30"),
        ("2026-11-23 10:00:00+05:30", "04:30"),
        ("2026-11-23 10:00:00 CEST", "08:00"),
    ],
)
def test_the_zone_of_a_date_above_a_walk(counters_of, line, time):
    counters = counters_of(f"{line}\nIF-MIB::ifName.1 = STRING: eth0\nIF-MIB::ifHCInOctets.1 = Counter64: 77\n")
    assert counters.problems.empty
    expected = "2026-11-24 05:00" if time is None else f"2026-11-23 {time}"
    assert counters.samples["time"].dt.strftime("%Y-%m-%d %H:%M").tolist() == [expected]


WALK = "IF-MIB::ifName.1 = STRING: eth0\nIF-MIB::ifHCInOctets.1 = Counter64: 77\n"


@pytest.mark.parametrize(
    ("zone", "meanings"),
    [("IST", "India, Ireland or Israel"), ("CST", "America, China or Cuba"), ("XYZ", "not known here")],
)
def test_a_zone_of_several_meanings_above_a_walk(counters_of, said, zone, meanings):
    counters = counters_of(f"Mon Nov 23 10:00:00 {zone} 2026\n{WALK}Mon Nov 23 10:05:00 {zone} 2026\n{WALK}")
    assert counters.samples["time"].isna().all()
    assert counters.samples["in_octets"].tolist() == [77, 77]
    (line,) = said(counters)
    assert line == (
        f"1: ambiguous: found the time zone {zone} ({meanings}), expected an offset such as +0530, or --time-zone; "
        "such times are left out"
    )


def test_the_zone_of_the_caller_gives_an_abbreviation_its_meaning(counters_of, said):
    text = f"Mon Nov 23 10:00:00 IST 2026\n{WALK}"
    assert counters_of(text, time_zone="Asia/Kolkata").samples["time"].dt.hour.tolist() == [4]
    assert counters_of(text, time_zone="Asia/Jerusalem").samples["time"].dt.hour.tolist() == [8]
    assert len(said(counters_of(text, time_zone="Europe/Berlin"))) == 1
    twice = "".join(f"Sun Oct 25 02:30:00 {zone} 2026\n{WALK}" for zone in ("CEST", "CET"))
    assert counters_of(twice, time_zone="Europe/Berlin").samples["time"].dt.hour.tolist() == [0, 1]


def test_a_date_without_a_zone_above_a_walk_is_told(counters_of, said):
    text = f"Mon Nov 23 10:00:00 2026\n{WALK}"
    (line,) = said(counters_of(text))
    assert line == (
        "1: ambiguous: found the date 2026-11-23 10:00:00 without a time zone, expected one, or --time-zone; "
        "readings have no time"
    )
    assert counters_of(text, time_zone="Europe/Berlin").samples["time"].dt.hour.tolist() == [9]


@pytest.mark.parametrize("backward", [False, True])
def test_rows_of_either_order_are_made_out(backward):
    true, shown = moments(AUTUMN, 20, 15)
    rows = shown[::-1] if backward else shown
    first = LocalTimes(Clock(BERLIN))
    for local in rows:
        first.seconds(local)
    second = first.made_out()
    found = [second.seconds(local) for local in rows]
    assert found == [moment.timestamp() for moment in (true[::-1] if backward else true)]
    assert not second.twofold
