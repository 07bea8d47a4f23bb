"""sar, sadf, mpstat, iostat: one recording in all forms and locales; clocks across midnight; cut files."""

from datetime import date

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.counters.sysstat import day_of, stamp_of

UNZONED = "found local times, expected their time zone, which the file does not give; read as UTC (say --time-zone)"


def rates_of(counters, interface="port1"):
    return counters.rates[counters.rates.interface == interface].reset_index(drop=True)


@pytest.fixture(scope="module")
def truth(recorded):
    """Rates of the port as the JSON of the same records gives them."""
    return rates_of(read_counters(recorded / "sar" / "j.json"))


FORMS = {
    "n-DEV.txt": "sar-text",
    "n-DEV-en_US.txt": "sar-text",
    "n-DEV-de_DE.txt": "sar-text",
    "d.csv": "sadf-d",
    "d-horizontal.csv": "sadf-d",
    "d-seconds.csv": "sadf-d",
    "p.txt": "sadf-p",
    "x.xml": "sadf-x",
}


@pytest.mark.parametrize(("name", "form"), FORMS.items())
def test_all_forms_and_locales_agree(recorded, truth, name, form):
    counters = read_counters(recorded / "sar" / name)
    rates = rates_of(counters)
    assert [source["format"] for source in counters.sources] == [form]
    assert rates.in_bps.tolist() == truth.in_bps.tolist()
    assert rates.out_bps.tolist() == truth.out_bps.tolist()
    assert rates.time.tolist() == truth.time.tolist()
    assert rates.interval_s.tolist() == pytest.approx(truth.interval_s.tolist(), abs=1.01)  # the clock has seconds
    assert rates.host.unique().tolist() == ["switch"]


def test_kilobytes_are_1024_bytes(counters_of):
    counters = counters_of(
        "Linux 6.1.0 (h) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
        "11:03:33        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
        "11:03:43         eth0      1.00      2.00      3.00      4.50\n"
    )
    assert counters.rates[["in_bps", "out_bps", "interval_s"]].to_numpy().tolist() == [[24576, 36864, 10]]


def test_sysstat_7_had_bytes(counters_of):
    counters = counters_of(
        "Linux 2.6.18 (h) \t03/01/08\n\n10:00:01        IFACE   rxpck/s   txpck/s   rxbyt/s   txbyt/s\n"
        "10:10:01         eth0      1.00      2.00    100.00    200.00\n"
        "Average:         eth0      1.00      2.00    100.00    200.00\n"
    )
    assert counters.rates[["in_bps", "out_bps"]].to_numpy().tolist() == [[800, 1600]]


def test_prefixes_of_h_are_of_1024(recorded):
    human, plain = (rates_of(read_counters(recorded / "sar" / name)) for name in ("n-DEV-human.txt", "n-DEV-iso.txt"))
    assert human.in_bps.tolist() == pytest.approx(plain.in_bps.tolist(), rel=0.05, abs=1000)


def test_midnight_and_repeated_headings(counters_of, said):
    counters = counters_of(
        "Linux 6.1.0 (h) \t12/31/2026 \t_x86_64_\t(2 CPU)\n\n"
        "11:59:40 PM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
        "11:59:50 PM      eth0      1.00      2.00      1.00      1.00\n"
        "12:00:00 AM      eth0      1.00      2.00      2.00      1.00\n\n"
        "12:00:00 AM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
        "12:00:10 AM      eth0      1.00      2.00      3.00      1.00\n"
        "Average:         eth0      1.00      2.00      2.00      1.00\n"
    )
    assert counters.rates.time.dt.strftime("%Y-%m-%d %H:%M:%S").tolist() == [
        "2026-12-31 23:59:50",
        "2027-01-01 00:00:00",
        "2027-01-01 00:00:10",
    ]
    assert counters.rates.interval_s.tolist() == [10, 10, 10]
    assert said(counters) == [f"3: ambiguous: {UNZONED}"]


def test_tables_of_a_report_begin_each_at_the_same_time(recorded):
    counters = read_counters(recorded / "sar" / "n-DEV-EDEV.txt")
    source = counters.sources[0]
    assert source["n_samples"] == 12
    assert len(counters.rates) == 24
    assert counters.rates.time.max() - counters.rates.time.min() == pd.Timedelta(110, "s")


def test_a_known_time_zone(recorded):
    berlin = read_counters(recorded / "sar" / "d-local.csv", time_zone="Europe/Berlin")
    utc = read_counters(recorded / "sar" / "d.csv")
    assert berlin.rates.time.tolist() == utc.rates.time.tolist()
    assert berlin.problems.empty


def test_other_tables_are_no_interfaces(recorded):
    source = read_counters(recorded / "sar" / "u.txt").sources[0]
    assert source["format"] == "sar-text"
    assert source["n_samples"] == 184
    assert 0 < source["cpu"]["mean_busy_fraction"] < source["cpu"]["max_busy_fraction"] <= 1
    everything = read_counters(recorded / "sar" / "everything.txt").sources[0]
    assert (everything["format"], everything["n_samples"]) == ("sar-text", 12)


def test_after_a_restart(counters_of):
    counters = counters_of(
        "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n"
        "h;600;2026-11-21 10:00:00 UTC;eth0;1,00;1,00;1,00;2,00\n"
        "h;-1;2026-11-21 10:05:00 UTC;LINUX-RESTART\t(2 CPU)\n"
        "h;600;2026-11-21 10:15:00 UTC;eth0;1,00;1,00;3,00;4,00\n"
    )
    assert counters.rates[["in_bps", "interval_s"]].to_numpy().tolist() == [[8192, 600], [24576, 600]]
    assert counters.problems.empty


def test_json_and_xml_that_break_off(recorded, counters_of, said):
    text = (recorded / "sar" / "j.json").read_text()
    cut = counters_of(text[: text.index('"05:20:') + 200], "a.json")
    assert 30 < len(rates_of(cut)) < 40
    assert [line.partition(": ")[2] for line in said(cut)] == [
        "truncated: found JSON that breaks off, expected its end; what is whole is read"
    ]
    text = (recorded / "sar" / "x.xml").read_text()
    cut = counters_of(text[: text.index('time="05:20:')], "a.xml")
    assert 30 < len(rates_of(cut)) < 40
    assert [line.partition(": ")[2] for line in said(cut)] == [
        "truncated: found XML that breaks off, expected its end; what is whole is read"
    ]


def test_xml_with_entities_of_its_own_is_not_expanded(counters_of, said):
    counters = counters_of(
        '<!DOCTYPE sysstat [<!ENTITY a "aaaa">]>\n<sysstat>'
        '<host nodename="&a;"><statistics><timestamp date="2026-11-21" '
        'time="10:00:00" utc="1" interval="10"/></statistics></host></sysstat>'
    )
    assert counters.rates.empty
    assert "malformed: found XML that cannot be read, expected a whole document; left out" in said(counters)


@pytest.mark.parametrize(
    ("name", "n"), [("all.txt", 4), ("everything.txt", 2), ("en_US.txt", 3), ("de_DE.txt", 3), ("all.json", 3)]
)
def test_mpstat(recorded, name, n):
    counters = read_counters(recorded / "mpstat" / name)
    (source,) = counters.sources
    assert source["format"] == ("mpstat-json" if name.endswith("json") else "mpstat")
    assert source["n_samples"] == len(source["cpu"]["all_busy_fraction"]) == n
    assert source["n_cpus"] == 2
    assert all(0 <= value <= 1 for value in source["cpu"]["all_busy_fraction"])
    assert str(source["first_time_local"]).startswith("2026-11-22T05:26:")


@pytest.mark.parametrize(
    ("name", "form", "timed"),
    [
        ("x.txt", "iostat-x", False),
        ("xt-mega.txt", "iostat-x", True),
        ("de_DE.txt", "iostat-x", True),
        ("disks.txt", "iostat", True),
        ("x.json", "iostat-json", True),
    ],
)
def test_iostat(recorded, name, form, timed):
    (source,) = read_counters(recorded / "iostat" / name).sources
    assert (source["format"], source["n_samples"]) == (form, 3)
    assert ("first_time" in source) is timed
    assert len(source["devices"]) > 0


def test_iostat_units(counters_of):
    (source,) = counters_of(
        "Linux 3.10.0 (h) \t11/30/2021 \t_x86_64_\t(1 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           0.14    0.00    0.16    0.00    0.00   99.70\n\n"
        "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await  %util\n"
        "sda               0.00     0.02    0.13    0.11     0.01     0.00    52.51     0.00    0.88   0.01\n"
    ).sources
    assert source["date"] == "2021-11-30"
    (device,) = source["devices"]
    assert device["read_bps"] == pytest.approx(8 * 0.01 * 2**20)
    assert device["await_s"] == pytest.approx(0.00088)


@pytest.mark.parametrize(
    ("text", "half_days", "clock", "expected", "doubtful"),
    [
        ("11/21/26", False, True, date(2026, 11, 21), False),
        ("03/04/26", False, True, date(2026, 3, 4), False),
        ("03/04/2026", True, True, date(2026, 3, 4), False),
        ("03/04/2026", False, True, date(2026, 4, 3), True),
        ("21/11/2026", False, True, date(2026, 11, 21), False),
        ("21.11.2026", False, True, date(2026, 11, 21), False),
        ("2026-11-21", False, True, date(2026, 11, 21), False),
        ("2026年11月21日", False, True, date(2026, 11, 21), False),
        ("99/99/99", False, True, None, False),
        ("11/26", False, True, None, False),
    ],
)
def test_dates(text, half_days, clock, expected, doubtful):
    assert day_of(text, half_days=half_days, clock=clock) == (expected, doubtful)


def test_stamps_of_no_time():
    assert stamp_of("25:61:00") is None
    assert stamp_of("2026-11-21 25:00:00") is None
    assert stamp_of("loop0 1 2") is None
