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
