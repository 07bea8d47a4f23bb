"""sar, sadf, mpstat, iostat: one recording in all forms and locales; clocks across midnight; cut files."""

from datetime import date

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.counters.programs.sysstat import day_of, stamp_of

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
        "truncated: found truncated JSON, expected its end; the complete part is read"
    ]
    text = (recorded / "sar" / "x.xml").read_text()
    cut = counters_of(text[: text.index('time="05:20:')], "a.xml")
    assert 30 < len(rates_of(cut)) < 40
    assert [line.partition(": ")[2] for line in said(cut)] == [
        "truncated: found truncated XML, expected its end; the complete part is read"
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
    assert stamp_of("11/21/2026 13:00:00 PM") is None
    assert stamp_of("loop0 1 2") is None


LOADS = {
    "-d": "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
    "h;600;2026-11-21 10:10:00 UTC;-1;20.00;0.00;4.00;1.00;0.00;75.00\n"
    "h;600;2026-11-21 10:10:00 UTC;0;40.00;0.00;8.00;2.00;0.00;50.00\n"
    "h;600;2026-11-21 10:20:00 UTC;-1;40.00;0.00;9.00;1.00;0.00;50.00\n",
    "-d, -u ALL": "# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle\n"
    "h;600;2026-11-21 10:10:00 UTC;-1;20.00;0.00;4.00;1.00;0.00;0.00;0.00;0.00;0.00;75.00\n"
    "h;600;2026-11-21 10:20:00 UTC;-1;40.00;0.00;9.00;1.00;0.00;0.00;0.00;0.00;0.00;50.00\n",
    "-p": "h\t600\t2026-11-21 10:10:00 UTC\tall\t%user\t20.00\nh\t600\t2026-11-21 10:10:00 UTC\tall\t%system\t4.00\n"
    "h\t600\t2026-11-21 10:10:00 UTC\tall\t%idle\t75.00\nh\t600\t2026-11-21 10:20:00 UTC\tall\t%system\t9.00\n"
    "h\t600\t2026-11-21 10:20:00 UTC\tall\t%idle\t50.00\n",
    "-j": """{"sysstat": {"hosts": [{"nodename": "h", "file-date": "2026-11-21", "statistics": [
        {"timestamp": {"date": "2026-11-21", "time": "10:10:00", "utc": 1, "interval": 600}, "cpu-load": [
            {"cpu": "all", "user": 20.00, "nice": 0.00, "system": 4.00, "iowait": 1.00, "steal": 0.00, "idle": 75.00},
            {"cpu": "0", "user": 40.00, "nice": 0.00, "system": 8.00, "iowait": 2.00, "steal": 0.00, "idle": 50.00}]},
        {"timestamp": {"date": "2026-11-21", "time": "10:20:00", "utc": 1, "interval": 600}, "cpu-load": [
            {"cpu": "all", "user": 40.00, "nice": 0.00, "system": 9.00, "iowait": 1.00, "steal": 0.00, "idle": 50.00}
        ]}]}]}}""",
    "-x": """<sysstat><host nodename="h"><statistics>
        <timestamp date="2026-11-21" time="10:10:00" utc="1" interval="600"><cpu-load>
            <cpu number="all" user="20.00" nice="0.00" system="4.00" iowait="1.00" steal="0.00" idle="75.00"/>
            <cpu number="0" user="40.00" nice="0.00" system="8.00" iowait="2.00" steal="0.00" idle="50.00"/></cpu-load>
        </timestamp>
        <timestamp date="2026-11-21" time="10:20:00" utc="1" interval="600">
            <cpu-load><cpu number="all" user="40.00" system="9.00" iowait="1.00" idle="50.00"/></cpu-load>
        </timestamp></statistics></host></sysstat>""",
}


@pytest.mark.parametrize("form", LOADS)
def test_processors_of_sadf_in_every_form(counters_of, form):
    counters = counters_of(LOADS[form])
    (source,) = counters.sources
    assert counters.rates.empty
    assert (source["n_samples"], source["last_time"]) == (2, "2026-11-21T10:20:00Z")
    assert source["cpu"] == pytest.approx(
        {"mean_busy_fraction": 0.375, "max_busy_fraction": 0.5, "max_sys_fraction": 0.09}
    )


def test_clocks_of_processors_are_no_load(counters_of):
    text = "h\t600\t2026-11-21 10:10:00 UTC\tall\tMHz\t2400.00\n"
    (source,) = counters_of(text).sources
    assert source["n_samples"] == 1
    assert "cpu" not in source


def test_activities_side_by_side(counters_of, said):
    """sadf -d -h with two of them: where the columns of the second begin depends on the number of processors."""
    counters = counters_of(
        "# hostname;interval;timestamp;CPU;%user;%system;%idle[...];IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s[...]\n"
        "h;600;2026-11-21 10:10:00 UTC;-1;20.00;5.00;75.00;0;20.00;5.00;75.00;eth0;1.00;1.00;1.00;2.00\n"
    )
    assert counters.sources[0]["cpu"]["mean_busy_fraction"] == 0.25
    assert counters.rates.empty
    assert said(counters) == [
        "1: ambiguous: found several activities side by side, expected one; only the first of them is read"
    ]


NETWORK = {
    "-d": "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n"
    "h;600;2026-02-30 10:00:00 UTC;eth0;1;1;1;2\nh;600;2026-11-21 10:10:00 UTC;eth0;1;1;3;4\n",
    "-p": "h\t600\t2026-02-30 10:00:00 UTC\teth0\trxkB/s\t1.00\nh\t600\t2026-11-21 10:10:00 UTC\teth0\trxkB/s\t3.00\n",
    "-j": '{"sysstat": {"hosts": [{"nodename": "h", "file-date": "2026-11-21", "statistics": ['
    '{"timestamp": {"date": "2026-02-30", "time": "10:00:00", "utc": 1, "interval": 600}, "network": {"net-dev": ['
    '{"iface": "eth0", "rxkB": 1.00}]}}, '
    '{"timestamp": {"date": "2026-11-21", "time": "10:10:00", "utc": 1, "interval": 600}, "network": {"net-dev": ['
    '{"iface": "eth0", "rxkB": 3.00}]}}]}]}}',
    "-x": '<sysstat><host nodename="h"><statistics>'
    '<timestamp date="2026-02-30" time="10:00:00" utc="1" interval="600"><network>'
    '<net-dev iface="eth0" rxkB="1.00"/></network></timestamp>'
    '<timestamp date="2026-11-21" time="10:10:00" utc="1" interval="600"><network>'
    '<net-dev iface="eth0" rxkB="3.00"/></network></timestamp></statistics></host></sysstat>',
}


@pytest.mark.parametrize("form", NETWORK)
def test_a_day_that_no_calendar_has(counters_of, said, form):
    counters = counters_of(NETWORK[form])
    assert counters.rates[["host", "interface", "in_bps", "interval_s"]].to_numpy().tolist() == [
        ["h", "eth0", 24576, 600]
    ]
    (line,) = said(counters)
    assert "malformed: found time '2026-02-30 10:00:00" in line
    assert line.endswith("expected a date and a time; left out")


def test_local_times_of_sadf(counters_of):
    text = NETWORK["-j"].replace('"utc": 1', '"utc": 0').replace("02-30", "06-21")
    berlin = counters_of(text, time_zone="Europe/Berlin")
    assert berlin.rates.time.dt.strftime("%d %H:%M").tolist() == ["21 08:00", "21 09:10"]
    assert berlin.problems.empty


FIRST = "Linux 6.1.0 (h) \t{date} \t_x86_64_\t(2 CPU)\n\n"
SAR = FIRST + (
    "11:03:33        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
    "11:03:43         eth0      1.00      2.00      3.00      4.50\n"
)
MPSTAT = FIRST + (
    "11:03:33     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
    "11:03:43     all   20.00    0.00    4.00    0.00    0.00    1.00    0.00    0.00    0.00   75.00\n"
)


@pytest.mark.parametrize("text", [SAR, MPSTAT], ids=["sar", "mpstat"])
def test_a_date_that_could_be_read_both_ways_is_told(counters_of, said, text):
    counters = counters_of(text.format(date="04/03/2026"), time_zone="UTC")
    assert counters.sources[0]["first_time"] == "2026-03-04T11:03:43Z"
    assert said(counters) == ["1: ambiguous: found date '04/03/2026', which is day or month first; read as 2026-03-04"]


@pytest.mark.parametrize("text", [SAR, MPSTAT], ids=["sar", "mpstat"])
def test_without_a_date_there_are_no_times(counters_of, said, text):
    counters = counters_of(text.format(date="99/99/99"))
    assert "first_time" not in counters.sources[0]
    assert said(counters) == ["1: malformed: found date '99/99/99', expected day, month and year; no times"]


def test_rates_and_load_do_not_need_a_date(counters_of):
    rates = counters_of(SAR.format(date="99/99/99")).rates
    assert rates[["in_bps", "out_bps"]].to_numpy().tolist() == [[24576, 36864]]
    assert rates[["time", "interval_s"]].isna().all(axis=None)
    (source,) = counters_of(MPSTAT.format(date="99/99/99")).sources
    assert source["cpu"]["all_busy_fraction"] == [0.25]
    text = """{"sysstat": {"hosts": [{"nodename": "h", "number-of-cpus": 2, "date": "99/99/99", "statistics": [
        {"timestamp": "11:03:43", "cpu-load": [{"cpu": "all", "usr": 20.0, "sys": 4.0, "idle": 75.0}]}]}]}}"""
    (source,) = counters_of(text).sources
    assert (source["n_samples"], source["cpu"]["all_busy_fraction"]) == (1, [0.25])
    assert "first_time_local" not in source


def test_a_restart_in_a_report_of_sar(counters_of):
    counters = counters_of(
        SAR.format(date="11/21/26") + "\n11:05:01     LINUX RESTART\t(2 CPU)\n\n"
        "11:10:00        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
        "11:10:30         eth0      1.00      2.00      1.00      1.50\n",
        time_zone="UTC",
    )
    assert counters.rates[["interval_s", "in_bps"]].to_numpy().tolist() == [[10, 24576], [30, 8192]]
    assert counters.problems.empty


def test_mpstat_of_sysstat_6(counters_of):
    """RHEL 4: %system for %sys."""
    (source,) = counters_of(
        "Linux 2.6.9 (h) \t03/01/08\n\n"
        "10:00:01 AM  CPU   %user   %nice %system %iowait    %irq   %soft   %idle    intr/s\n"
        "10:00:11 AM  all   20.00    0.00    4.00    0.00    0.00    1.00   75.00   1010.00\n"
    ).sources
    assert source["cpu"]["all_busy_fraction"] == [0.25]
    assert source["cpu"]["all_mean_sys_fraction"] == 0.04


AVERAGE = """Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all    2.10    0.00    9.20    0.10    0.00    3.30    0.00    0.00    0.00   85.30
Average:       0    1.00    0.00    2.00    0.00    0.00   97.00    0.00    0.00    0.00    0.00
"""


def test_averages_of_mpstat_that_stand_alone_are_read(counters_of):
    (source,) = counters_of(AVERAGE).sources
    assert source["format"] == "mpstat"
    assert source["cpu"] == {
        "all_busy_fraction": [0.147],
        "all_mean_busy_fraction": pytest.approx(0.147),
        "all_mean_sys_fraction": 0.092,
        "all_mean_soft_fraction": 0.033,
    }
    (source,) = counters_of(FIRST.format(date="11/21/26") + AVERAGE.replace("Average", "Durchschn.")).sources
    assert (source["n_cpus"], source["cpu"]["all_mean_soft_fraction"]) == (2, 0.033)


def test_a_cut_average_of_mpstat_is_a_problem(counters_of):
    counters = counters_of(AVERAGE.replace("   85.30", ""))
    assert "cpu" not in counters.sources[0]
    assert counters.problems.kind.tolist() == ["malformed"]


def test_interrupts_alone_are_no_load(counters_of):
    """mpstat -I SUM."""
    (source,) = counters_of(
        FIRST.format(date="11/21/26") + "11:03:33     CPU    intr/s\n11:03:43     all   1010.00\n"
    ).sources
    assert (source["format"], source["n_samples"]) == ("mpstat", 1)
    assert "cpu" not in source


def test_iostat_of_disks_alone(counters_of):
    """iostat -d -o JSON has neither times nor processors; text without the first line has no host."""
    text = """{"sysstat": {"hosts": [{"nodename": "h", "number-of-cpus": 2, "date": "11/21/26", "statistics": [
        {"disk": [{"disk_device": "sda", "tps": 1.5, "kB_read/s": 10.0, "kB_wrtn/s": 20.0}]}]}]}}"""
    (source,) = counters_of(text).sources
    assert (source["host"], source["date"], source["devices"]) == ("h", "2026-11-21", ["sda"])
    assert "first_time_local" not in source
    assert "cpu" not in source
    (source,) = counters_of(
        "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
        "sda               1.50        10.00        20.00        100        200\n"
    ).sources
    assert source["devices"][0]["write_bps"] == 8 * 20 * 1024
    assert "host" not in source


def test_a_table_of_mpstat_without_its_first_line(counters_of, said):
    counters = counters_of(
        "The softirq of CPU 0 is the limit:\n\n"
        "04:18:54 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
        "04:18:55 PM  all    5.81    0.00   19.42    0.00    2.94   10.21    0.00    0.00    0.00   61.63\n"
        "04:18:55 PM    0    0.00    0.00    0.00    0.00   16.80   82.78    0.00    0.00    0.00    0.41\n"
    )
    [source] = counters.sources
    assert source["cpu"]["all_busy_fraction"] == [0.3837]
    assert [line.split(": ", 1)[1] for line in said(counters)] == [
        "truncated: found a table of mpstat, expected its first line with the date above it; the rows have no times"
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\nrxcmp/s   txcmp/s  rxmcst/s   %ifutil\n"
            "Average:        vnet0      0.31 1330807.03      0.02  77976.98\n0.00      0.00      0.00      6.39\n"
        ),
        (
            "Average: IFACE   rxpck/s   txpck/s\nrxkB/s    txkB/s   rxcmp/s   txcmp/s\nrxmcst/s   %ifutil\n"
            "Average:        vnet0      0.31 1330807.03\n0.02  77976.98 0.00      0.00\n0.00      6.39\n"
        ),
    ],
    ids=["once", "twice"],
)
def test_a_table_of_sar_that_mail_has_broken(counters_of, text):
    counters = counters_of(f"current code:\n{text}# next\n12 0.5\n")
    [rate] = counters.rates.to_dict("records")
    assert (rate["interface"], rate["in_bps"], rate["out_bps"]) == ("vnet0", 0.02 * 8192, 77976.98 * 8192)


def test_the_largest_rates_of_a_disk_are_those_of_all_reports_but_the_first(counters_of):
    head = "Device            r/s     w/s     rkB/s     wkB/s  %util\n"
    rows = "".join(f"{head}nvme0n1  1.0  1.0  {rate}  8.0  9.0\n\n" for rate in ("900.0", "400.0", "100.0"))
    [disk] = counters_of(rows).sources[0]["devices"]
    assert (disk["read_bps"], disk["max_read_bps"]) == (100 * 8192, 400 * 8192)


def test_a_mean_that_is_cut_off_is_named(counters_of):
    counters = counters_of(
        "Average:        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s\n"
        "Average:         eth0      3.50      4.50      8.00      1.00\nAverage:         eth1      7.00\n"
    )
    assert list(counters.rates.interface) == ["eth0"]
    assert "found 2 values, expected 5; left out" in list(counters.problems.message)


def test_a_disk_that_is_cut_off_is_named(counters_of):
    text = "Device            r/s     w/s     rkB/s     wkB/s  %util\nsda  1.0  1.0  900.0  8.0  9.0\nsdb  2.0  1.0  80"
    counters = counters_of(text)
    assert [disk["name"] for disk in counters.sources[0]["devices"]] == ["sda", "sdb"]
    assert list(counters.problems.message) == ["found 3 figures of sdb, expected 5; read as far as it goes"]


@pytest.mark.parametrize(
    ("received", "sent", "load", "speed"),
    [
        (30000, 1000, 24.58, 1_000_000_000),
        (1000, 30000, 2.46, 10_000_000_000),
        (6000, 6200, 99.94, 100_000_000),  # half duplex: of both directions together
        (30000, 1000, 33.0, None),  # no usual speed
        (30000, 1000, 0.0, None),
    ],
)
def test_the_speed_of_a_port_follows_from_its_load(tmp_path, received, sent, load, speed):
    row = f"10:0{{}}:00   eth3   20000.00   9000.00   {received}.00   {sent}.00   {load:.2f}\n"
    text = "Linux 5.10.0 (h)  03/14/24  _x86_64_  (4 CPU)\n\n" + (
        "10:00:00   IFACE   rxpck/s   txpck/s   rxkB/s   txkB/s   %ifutil\n" + row.format(1) + row.format(2)
    )
    path = tmp_path / "sar.txt"
    path.write_text(text, encoding="utf-8")
    (port,) = read_counters(path).interfaces.to_dict("records")
    assert port["interface"] == "eth3"
    assert port["speed_bps"] == speed if speed is not None else pd.isna(port["speed_bps"])
