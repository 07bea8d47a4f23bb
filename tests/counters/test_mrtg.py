"""MRTG's logs, configurations and pages."""

import pandas as pd
import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.counters import read_counters


def test_a_recorded_log(samples):
    counters = read_counters(samples / "mrtg" / "port1.log")
    source = counters.sources[0]
    assert source["format"] == "mrtg-log"
    assert (source["last_in_counter"], source["last_out_counter"]) == (32770018867, 5048540136)
    assert counters.samples[["interface", "in_octets"]].to_dict("records") == [
        {"interface": "port1", "in_octets": 32770018867}
    ]
    rates = counters.rates
    assert len(rates) == 7
    assert set(rates.interval_s) <= {1.0, 299.0, 300.0, *rates.interval_s}
    octets = (rates.in_bps * rates.interval_s).sum() / 8
    assert octets == pytest.approx(32770018867, rel=0.01)  # the counter began at 0 when the first rate did


def test_rows_of_every_length_and_the_fill(samples):
    counters = read_counters(samples / "mrtg" / "consolidated.log")
    rates = counters.rates
    assert rates.in_bps.iloc[0] == 8 * 100
    assert rates.in_max_bps.max() == 8 * 4000
    assert rates.out_max_bps.max() == 8 * 90
    zero = rates[rates.in_bps == 0]
    assert len(zero) == 1  # between measurements it is one; the fill behind the oldest is none
    assert rates.interval_s.iloc[-1] == 86400
    assert counters.sources[0]["first_time"] == "2023-11-13T00:00:00Z"
    assert counters.sources[0]["n_rows"] == 12


def test_old_rows_without_maxima(samples):
    counters = read_counters(samples / "mrtg" / "old.log")
    assert counters.rates[["interval_s", "in_bps"]].to_numpy().tolist() == [[300.0, 96.0], [300.0, 80.0]]
    assert counters.rates.in_max_bps.isna().all()
    assert counters.sources[0]["max_in_bps"] == 96


def test_a_log_that_breaks_off_or_goes_forward(counters_of, said):
    rows = "12 13 12 13|1000000200 2 2 2 2|1000000000 10 11 10 11|999999900 9 9 9 9|999999950 1 1 1 1|9999997"
    counters = counters_of(f"1000000300 5 7|1000000300 {rows}".replace("|", "\n"), "b.log")
    assert said(counters) == [
        "6: inconsistent: found the time 999999950, expected one not after 999999900; left out",
        "7: truncated: found '9999997', expected a time and two rates with their maxima; left out",
    ]
    assert counters.rates.in_bps.tolist() == [96.0, 16.0, 80.0, 72.0]


def test_a_configuration(samples, said):
    counters = read_counters(samples / "mrtg" / "own.cfg")
    source = counters.sources[0]
    assert (source["n_targets"], source["interval_s"], source["work_dir"]) == (3, 600, "/var/www/mrtg")
    core, access, cpu = source["targets"]
    assert core | {"abs_max": None} == {
        "name": "Core.1",
        "title": "Port 1 of the core",
        "host": "core1.example.net",
        "port": "1",
        "ports": 1,
        "max_bytes": 1250000000,
        "abs_max": None,
        "speed_bps": 10_000_000_000,
        "bits": True,
        "gauge": False,
        "script": False,
        "snmp_version": 2,
    }
    assert (access["ports"], access["speed_bps"], access["bits"]) == (2, 1_000_000_000, False)
    assert (cpu["gauge"], cpu["script"], cpu["speed_bps"]) == (True, True, None)
    assert "secret" not in str(counters.sources)
    assert said(counters) == [
        "22: inconsistent: found keywords of 'ghost', expected its Target[ghost] too",
    ]


def test_pages(samples):
    counters = read_counters([data_dir() / "counters" / "session" / "port1.html", samples / "mrtg" / "index.html"])
    page, index = counters.sources
    assert (page["format"], page["name"], page["version"]) == ("mrtg-page", "port1", "2.17.10")
    assert page["periods"]["day"]["max_in_bps"] == 8 * 35335154
    assert index["format"] == "mrtg-index"
    assert [target["name"] for target in index["targets"]] == ["hv", "hvbits"]


def test_an_old_page(counters_of):
    source = counters_of("""\
<HTML>
<HEAD><TITLE>Traffic of eth0</TITLE>
<META HTTP-EQUIV="Generator" CONTENT="MRTG 2.10.13">
<!-- maxin d 308 -->
<!-- cuin d 146 --><!-- cuout d 93099 --><!-- avmxin d 121 -->
</HEAD>
<BODY><IMG VSPACE=10 SRC="eth0-day.png" ALT="day">Incoming Traffic in Bytes per Second</BODY></HTML>
""").sources[0]
    assert (source["version"], source["name"]) == ("2.10.13", "eth0")
    assert source["periods"]["day"] == {
        "max_in_bps": 2464,
        "last_in_bps": 1168,
        "last_out_bps": 744792,
        "mean_max_in_bps": 968,
    }


def test_the_page_of_something_else_has_no_rates(counters_of):
    text = (data_dir() / "counters" / "session" / "port1.html").read_text()
    text = (
        text.replace("Bytes per Second", "Calls")
        .replace("Bits per Second", "Calls")
        .replace("b/s", "x")
        .replace("B/s", "x")
    )
    source = counters_of(text, "calls.html").sources[0]
    assert source["periods"]["day"]["max_in_raw"] == 35335154


def test_speeds_of_the_configuration_are_those_of_the_logs(samples, tmp_path):
    (tmp_path / "core.1.log").write_text("1000000300 5 7\n1000000300 12 13 12 13\n1000000000 10 11 10 11\n")
    (tmp_path / "cpu.log").write_text("1000000300 5 7\n1000000300 12 13 12 13\n1000000000 10 11 10 11\n")
    (tmp_path / "mrtg.cfg").write_text((samples / "mrtg" / "own.cfg").read_text())
    counters = read_counters(tmp_path)
    rows = counters.interfaces[counters.interfaces.source_file.str.endswith(".log")].set_index("interface")
    assert rows.speed_bps["core.1"] == 10e9
    assert rows.description["core.1"] == "Port 1 of the core"
    assert pd.isna(rows.speed_bps["cpu"])
    messages = [row.message for row in counters.problems.itertuples() if row.source_file.endswith("cpu.log")]
    expected = (
        "found the log of a target that counts no octets (a gauge or a program), expected that of a port; "
        "its rates are left out"
    )
    assert messages == [expected]


def test_a_page_in_a_known_time_zone(counters_of):
    text = (data_dir() / "counters" / "session" / "port1.html").read_text()
    local = counters_of(text, "port1.html").sources[0]
    assert "updated_time" not in local
    berlin = counters_of(text, "port1.html", time_zone="Europe/Berlin").sources[0]
    assert berlin["updated_time_local"] == local["updated_time_local"]
    ahead = pd.Timestamp(local["updated_time_local"], tz="UTC") - pd.Timestamp(berlin["updated_time"])
    assert ahead in {pd.Timedelta(1, "h"), pd.Timedelta(2, "h")}


def test_a_target_without_its_speed_leaves_that_of_the_page(tmp_path):
    (tmp_path / "edge.html").write_text(
        "<HTML><HEAD><TITLE>Traffic</TITLE><!-- maxin d 308 --></HEAD><BODY>"
        "<TABLE><TR><TD>Max Speed:</TD><TD>1250.0 MBytes/s</TD></TR></TABLE>Bytes per Second</BODY></HTML>"
    )
    (tmp_path / "mrtg.cfg").write_text("WorkDir: /var\nTarget[edge]: 1:public@r1\nTitle[edge]: To the edge\n")
    row = read_counters(tmp_path).interfaces.set_index("source_file").loc[str(tmp_path / "edge.html")]
    assert (row.description, row.speed_bps) == ("To the edge", 10e9)


def test_a_page_without_rates_over_time_is_told_with_its_means_and_peaks(tmp_path, capsys):
    page = tmp_path / "port.html"
    marks = {"maxin": 80, "maxout": 12, "avin": 20, "avout": 3, "cuin": 30, "cuout": 2}
    comments = "".join(f"<!-- {name} d {value}000000 -->\n" for name, value in marks.items())
    head = f"<head><title>Port 7</title>\n<!-- Begin Head -->\n{comments}</head>"
    body = "<body><table><tr class='in'><th>In</th><td>80.0 MB/s (9.0%)</td></tr></table></body>"
    page.write_text(f"<html>{head}{body}</html>\n")
    told = "day: in, mean 160 Mb/s, most 640 Mb/s; out, mean 24.0 Mb/s, most 96.0 Mb/s"
    for command, status in (("traffic", 1), ("counters", 0)):
        assert main([command, str(page)]) == status
        assert f"{page}: found summaries only ({told}), expected rates over time" in capsys.readouterr().err
