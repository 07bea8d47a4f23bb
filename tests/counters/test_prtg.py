"""PRTG's historic data in several languages and forms."""

import re

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.counters.graphs.prtg_rows import channel, moment

NO_ZONE = "ambiguous: found local times without a time zone, expected raw dates too; taken as UTC, give the time zone"


def shown(counters):
    rates = counters.rates
    return [
        (time.isoformat().replace("+00:00", "Z"), *(None if pd.isna(value) else value for value in values))
        for time, *values in rates[["time", "in_bps", "out_bps", "flag"]].itertuples(index=False)
    ]


def test_german_with_decimal_commas_a_gap_and_half_an_hour(samples):
    counters = read_counters(samples / "prtg" / "de.csv")
    assert shown(counters) == [
        ("2024-03-05T00:00:00Z", 3003733.3336, 1001244.4448, "given"),
        ("2024-03-05T01:00:00Z", 1001244.4448, 1001244.4448, "given,partial"),
        ("2024-03-05T02:00:00Z", None, None, "missing"),
    ]
    source = counters.sources[0]
    assert (source["n_samples"], source["n_valid"], source["interval_s"]) == (3, 2, 3600)
    assert (source["first_time"], source["first_time_local"]) == ("2024-03-04T23:00:00Z", "2024-03-05T00:00:00")
    assert source["time_zone_offset_h"] == 1
    assert source["total"] == {"in_bytes": 1802240000.0, "out_bytes": 901120000.0}
    assert counters.problems.empty


def test_french_saved_by_excel(samples):
    counters = read_counters(samples / "prtg" / "excel-fr.csv")
    assert shown(counters) == [
        ("2024-03-13T09:00:00Z", 95573.36, 1e6, "given"),
        ("2024-03-13T09:05:00Z", 95573.36, 2e6, "given"),
    ]
    assert counters.sources[0]["interval_s"] == 300


def test_spanish_xml(samples):
    counters = read_counters(samples / "prtg" / "es.xml")
    assert shown(counters) == [
        ("2025-10-21T23:00:00Z", 3e6, 1e6, "given"),
        ("2025-10-22T00:00:00Z", None, None, "missing"),
    ]
    assert counters.sources[0]["version"] == "23.1.82.2175"
    assert counters.rates.line.tolist() == [4, 16]


def test_xml_that_breaks_off(samples, counters_of, said):
    text = (samples / "prtg" / "es.xml").read_text()
    counters = counters_of(text[: text.rindex("<coverage>")], "a.xml")
    assert shown(counters) == [("2025-10-21T23:00:00Z", 3e6, 1e6, "given")]
    assert said(counters) == [
        "25: truncated: found XML that breaks off or is no XML, expected </histdata>; whole items are read"
    ]


def test_json_with_captions_in_a_time_zone(samples, said):
    path = samples / "prtg" / "captions.json"
    counters = read_counters(path, time_zone="America/New_York")
    assert shown(counters) == [
        ("2022-02-14T05:05:00Z", 1e6, 100e3, "given"),
        ("2022-02-14T05:10:00Z", None, None, "missing"),
    ]
    assert counters.problems.empty
    assert said(read_counters(path)) == [NO_ZONE]


def test_json_without_captions_has_no_rates(samples, said):
    counters = read_counters(samples / "prtg" / "unnamed.json")
    assert counters.rates.empty
    unnamed = "found channels that are all called 'value', expected names; ask PRTG with usecaption=1; no rates made"
    assert said(counters) == [f"ambiguous: {unnamed}", NO_ZONE]


def test_words_alone(samples):
    counters = read_counters(samples / "prtg" / "words.csv", time_zone="UTC")
    assert shown(counters) == [
        ("2024-03-02T00:00:00Z", 2.25e6, 1.25e6, "given"),
        ("2024-03-02T01:00:00Z", None, None, "missing"),  # less than 0.01 Mbit/s is no number
    ]


def test_units_in_the_names_of_columns(counters_of):
    counters = counters_of(
        """\
sep=,
"Date Time","Traffic In(SPEED) (kbit/s)","Traffic In(SPEED)(RAW)","Traffic Out (kbit/s)","Coverage (%)","Coverage(RAW)"
"05/29/2026 10:00:00 AM","5,380 kbit/s","672500.0000","1,200","100 %","0000010000"
"05/29/2026 10:05:00 AM","","","30","100 %","0000010000"
"Sums (of 2 values)","","","1,230","",""
""",
        time_zone="UTC",
    )
    assert shown(counters) == [
        ("2026-05-29T10:00:00Z", 5.38e6, 1.2e6, "given"),
        ("2026-05-29T10:05:00Z", None, 30e3, "given"),
    ]


def test_traffic_grapher(samples):
    counters = read_counters(samples / "prtg" / "traffic-grapher.csv", time_zone="America/New_York")
    assert shown(counters)[0] == ("2005-11-15T23:00:00Z", 9.8e9, 120e6, "given")
    assert counters.rates.interval_s.tolist() == [5.0, 5.0]


def test_a_time_of_traffic_grapher_that_cannot_be(samples, counters_of, said):
    text = (samples / "prtg" / "traffic-grapher.csv").read_text().replace("185392805", "1853928051234567")
    (line,) = said(counters_of(text, time_zone="UTC"))
    assert line.startswith("3: malformed: found ")
    assert line.endswith(", expected a date and values; left out")


def test_the_hour_that_comes_twice(counters_of):
    rows = "".join(
        f'"25.10.2026 {hour}:00:00 - {hour + 1}:00:00","1 kbit/s","2 kbit/s","100 %"\n' for hour in (1, 2, 2, 3)
    )
    text = '"Datum Uhrzeit","Traffic eingehend (Geschwindigkeit)","Traffic ausgehend (Geschwindigkeit)","Abdeckung"\n'
    counters = counters_of(text + rows, time_zone="Europe/Berlin")
    assert counters.rates.time.diff().dropna().dt.total_seconds().tolist() == [3600.0] * 3


@pytest.mark.parametrize(
    ("name", "way", "kind"),
    [
        ("Traffic In (speed)", "in", "speed"),
        ("Traffic Out (Volume)", "out", "volume"),
        ("Traffic Total (Speed)", "sum", "speed"),
        ("入站通信量 (速度)", "in", "speed"),
        ("出站通信量 (卷)", "out", "volume"),
        ("Traffico in uscita (velocità)", "out", "speed"),
        ("Traffico in entrata (velocità)", "in", "speed"),
        ("Tráfego de entrada (velocidade)", "in", "speed"),
        ("Tráfego de saída (velocidade)", "out", "speed"),
        ("Inkomend verkeer (snelheid)", "in", "speed"),
        ("Uitgaand verkeer (volume)", "out", "volume"),
        ("Входящий трафик (скорость)", "in", "speed"),
    ],
)
def test_channels_in_many_languages(name, way, kind):
    assert channel(name)[:2] == (kind, way)


@pytest.mark.parametrize(
    "text",
    [
        *("3/13/2024 3:00:00 PM - 4:00:00 PM", "2024-03-13 15:00:00 - 16:00:00", "2024/3/13 15:00:00 - 16:00:00"),
        "2024/3/13 下午 3:00:00 - 下午 4:00:00",
    ],
)
def test_dates_of_a_month_in_front(text):
    when = moment(text, day_first=False)
    assert (when.start.isoformat(), when.end.isoformat()) == ("2024-03-13T15:00:00", "2024-03-13T16:00:00")


@pytest.mark.parametrize(
    "text", ["13.03.2024 15:00:00 - 16:00:00", "13/03/2024 15:00:00 - 16:00:00", "13-3-2024 15:00:00 - 16:00:00"]
)
def test_dates_of_a_day_in_front(text):
    assert moment(text, day_first=True).start.isoformat() == "2024-03-13T15:00:00"


def test_damaged_rows(samples, counters_of, said):
    lines = (samples / "prtg" / "de.csv").read_text().split("\n")
    counters = counters_of("\n".join([*lines[:2], "garbage;5", lines[2][:60]]))
    assert said(counters) == [
        "3: malformed: found 'garbage;5', expected a row with a date; left out",
        "4: truncated: found 3 cells, expected 18; left out",
    ]
    assert len(counters.rates) == 1


def test_no_data(counters_of):
    counters = counters_of("Not enough monitoring data")
    assert counters.sources[0]["n_samples"] == 0


WORDS = '"Date Time","Traffic In (Speed)","Traffic Out (Speed)","Coverage"\n'


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (("3/4/2026 10:00:00 AM", "3/4/2026 11:00:00 AM"), "2026-03-04T10:00:00Z"),  # twelve hours: United States
        (("3.4.2026 10:00:00", "3.4.2026 11:00:00"), "2026-04-03T10:00:00Z"),  # points: the day is first
        (
            ("3/4/2026 10:00", "4/4/2026 10:00", "5/4/2026 10:00", "6/4/2026 10:00"),
            "2026-04-04T10:00:00Z",
        ),  # means of days
    ],
)
def test_dates_that_could_be_read_both_ways(counters_of, dates, first):
    counters = counters_of(
        WORDS + "".join(f'"{date}","2 kbit/s","1 kbit/s","100 %"\n' for date in dates), time_zone="UTC"
    )
    assert shown(counters)[0] == (first, 2000, 1000, "given")
    assert len(counters.rates) == len(dates)
    assert counters.problems.empty


def test_a_date_that_nobody_can_tell_is_told(counters_of, said):
    counters = counters_of(WORDS + '"3/4/2026 10:00","2 kbit/s","1 kbit/s","100 %"\n', time_zone="UTC")
    assert shown(counters) == [("2026-04-03T10:00:00Z", 2000, 1000, "given")]
    (line,) = said(counters)
    assert line == (
        "2: ambiguous: found dates such as '3/4/2026 10:00', expected one that shows whether the day comes first; "
        "read with the day first"
    )


def test_volumes_in_words_are_of_1024(counters_of):
    counters = counters_of(
        '"Date Time","Traffic In (Volume)","Traffic In (Speed)","Coverage"\n'
        '"3/1/2024 11:00:00 PM - 12:00:00 AM","3 MByte","2 kbit/s","100 %"\n'
        '"3/2/2024 12:00:00 AM - 1:00:00 AM","1,024 KByte","2 kbit/s","100 %"\n',
        time_zone="UTC",
    )
    assert counters.sources[0]["total"]["in_bytes"] == 4 * 2**20


def test_xml_that_breaks_off_in_its_first_item_and_an_item_without_a_date(samples, counters_of, said):
    text = (samples / "prtg" / "es.xml").read_text()
    counters = counters_of(text[: text.index("</item>")], "a.xml")
    assert counters.rates.empty
    assert counters.problems.kind.tolist() == ["truncated"]
    counters = counters_of(re.sub("<(datetime(?:_raw)?)>[^<]*(?=</)", r"<\1>", text, count=2), "a.xml")
    assert shown(counters) == [("2025-10-22T00:00:00Z", None, None, "missing")]
    assert said(counters) == ["4: malformed: found the date '', expected one; row left out"]
