"""``hecn predict`` of a site: its tables, JSON and errors."""

import json

import pytest

from hecn_analysis.cli import main

SITE = """\
hosts: {a: ideal, b: ideal}
links: {wave: {ends: [a, b], rate: 10 Gb/s, rtt: 0, mtu: 9000, loss: 0, cost: 500 USD}}
tool: ftp
transfers:
  - {name: night, sender: a, receiver: b, bytes: 9.9 GB}
  - {name: day, sender: a, receiver: b, bytes: 9.9 GB, start: 4 s}
"""


@pytest.fixture
def site(tmp_path):
    path = tmp_path / "site.yaml"
    path.write_text(SITE, encoding="utf-8")
    return path


def test_table(site, capsys):
    assert main(["predict", str(site)]) == 0
    text = capsys.readouterr().out
    assert "site: 2 transfers with 9.90 Gb/s together" in text
    assert text.splitlines()[2].split() == ["name", "start", "finish", "throughput", "low", "high", "bottleneck"]
    assert "wave.link  100 %  100 %  link wave" in text


def test_json_has_the_keys_of_the_contract(site, capsys):
    assert main(["predict", str(site), "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["bottleneck"] == "wave.link"
    assert [(each["name"], each["bottleneck_class"]) for each in row["transfers"]] == [
        ("night", "link"),
        ("day", "link"),
    ]
    assert [round(each["finish_s"], 2) for each in row["transfers"]] == [12.0, 16.0]
    assert {"throughput_bps", "low_bps", "high_bps", "start_s", "sender", "receiver"} <= row["transfers"][0].keys()
    assert row["resources"][0] | {"full_s": 0} == {
        "name": "wave.link", "resource_class": "link", "title": "link wave", "peak": 1.0, "mean": 1.0, "full_s": 0,
        "cost_usd": 500.0,
    }  # fmt: skip
    assert [step["under_way"] for step in row["timeline"]] == [1, 2, 1, 0]


def test_a_site_among_scenarios(site, capsys):
    assert main(["predict", "c-two-copies", str(site), "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith(f"{site},")
    assert ",wave.link,link," in lines[2]


def test_settings_and_faults(site, capsys):
    assert main(["predict", str(site), "--set", "tool.bytes=1GB", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["transfers"][0]["finish_s"] == pytest.approx(8 / 9.9, rel=1e-2)
    site.write_text(SITE.replace("receiver: b, bytes: 9.9 GB, start", "receiver: c, bytes: 9.9 GB, start"))
    assert main(["predict", str(site)]) == 1
    assert f"{site}:6: found receiver 'c', expected one of a, b" in capsys.readouterr().err


def test_deadlines(site, capsys):
    """9.9 GB take 8 s at 9.9 Gb/s: together 16 s, 2 s more than there are."""
    assert main(["predict", str(site), "--by", "14 s", "--format", "json"]) == 1
    streams = capsys.readouterr()
    row = json.loads(streams.out)
    assert [(each["name"], each["in_time"]) for each in row["schedule"]["transfers"]] == [
        ("night", "yes"),
        ("day", "no"),
    ]
    assert row["schedule"]["least_delay_s"] == pytest.approx(2, rel=1e-3)
    assert row["schedule"]["needed"][0]["needed_bps"] == pytest.approx(9.9e9 * 16 / 14, rel=1e-3)
    assert row["warnings"] == ["day ends 2.00 s after its deadline"]
    assert streams.err == "hecn: found 1 transfer late, expected all in time\n"
    assert main(["predict", str(site), "--by", "40 s", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("name,earliest_s,start_s,finish_s,late_finish_s,by_s,late_s,in_time,")


def test_paces(site, capsys):
    """Of 9.9 Gb/s, a stream that must keep 6 leaves 3.9 to two copies, which need 2.8 in all within a minute."""
    text = SITE + "  - {name: live, sender: a, receiver: b, duration: 33 s, at_least: 6 Gb/s}\n"
    site.write_text(text)
    assert main(["predict", str(site), "--by", "60 s"]) == 0
    shown = capsys.readouterr().out
    assert "with these paces in time" in shown
    assert "\nnight: tc qdisc replace dev PORT root fq maxrate " in shown
    site.write_text(text.replace("6 Gb/s", "9.8 Gb/s"))
    assert main(["predict", str(site), "--by", "30 s"]) == 1
    assert "found 1 transfer below at_least, expected none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--schedule"], "{site}:4: found no deadline, expected by of a transfer, or --by WHEN for all"),
        (
            ["--by", "1 d", "--at-least", "1Gb/s"],
            "found --at-least with --by, --schedule or --without-each, expected one or the other",
        ),
        (["sc13-two-waves", "--by", "1 d"], "found 2 scenarios, expected one site to plan for"),
    ],
)
def test_plans_that_cannot_be(words, message, site, capsys):
    assert main(["predict", str(site), *words]) == 1
    assert capsys.readouterr().err == f"hecn: {message.format(site=site)}\n"


def test_plans_for_nothing(capsys):
    assert main(["predict", "--by", "1 d"]) == 1
    expected = "a site, or --sender, --receiver, --path and --tool"
    assert capsys.readouterr().err == f"hecn: found no site to plan for, expected {expected}\n"


def test_a_transfer_of_options_has_a_deadline(capsys):
    words = ["--sender", "ideal", "--receiver", "ideal", "--path", "lan-100ge", "--set", "tool.bytes=2PB"]
    assert main(["predict", *words, "--tool", "ftp", "--by", "2 d", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["schedule"]["transfers"]
    assert row["finish_s"] == pytest.approx(16e15 / 99.0042e9, rel=1e-5)


def test_without_each(site, capsys):
    assert main(["predict", str(site), "--without-each", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "missing,kind,name,throughput_bps,finish_s"
    assert "wave,link,night,," in lines
    site.write_text(SITE.replace("cost: 500 USD", "links: 2"))
    assert main(["predict", str(site), "--without-each", "--format", "json"]) == 0
    (strand,) = [each for each in json.loads(capsys.readouterr().out)["failures"] if each["kind"] == "link"]
    assert (strand["missing"], strand["stopped"], strand["slowest"]) == ("one of 2 links wave", 0, "night")
    assert [round(each["finish_s"], 2) for each in strand["transfers"]] == [12.0, 16.0]
    assert round(strand["later_s"], 2) == 4.0
    assert main(["predict", str(site), "--without-each", "--by", "14 s"]) == 0
    text = capsys.readouterr().out
    assert "one of 2 links wave  link        –     1   9.90 Gb/s  16.0 s  4.00 s  night    66.7 %" in text
