"""Commands that list models."""

import json

import pytest

import hecn_analysis as hecn
from hecn_analysis.base import places
from hecn_analysis.cli import main
from hecn_analysis.hardware import Library
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import KINDS


def rows(capsys, *words):
    assert main([*words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("kind", ["hosts", "paths", "tools"])
def test_every_model_is_listed_once(kind, capsys):
    names = [row[kind.removesuffix("s")] for row in rows(capsys, kind)]
    assert sorted(names) == Library(places.models_dir()).names(kind)


def test_every_part_is_listed_once(capsys):
    listed = [(row["kind"], row["part"]) for row in rows(capsys, "parts")]
    assert sorted(listed) == sorted((kind, name) for kind in KINDS for name in parts(kind))


def test_words_are_searched_in_all_columns_whatever_their_case_and_blanks(capsys):
    found = rows(capsys, "hosts", "DTN", "100g")
    assert {row["host"] for row in found} == {"dtn-100g-2020", "dtn-100g-2024"}
    assert {row["kind"] for row in rows(capsys, "parts", "400Gb/s", "gen5")} == {"nics"}


def test_newest_hosts_come_first(capsys):
    years = [row["year"] or 0 for row in rows(capsys, "hosts")]
    assert years == sorted(years, reverse=True)


def test_word_that_nothing_has_is_an_error(capsys):
    assert main(["parts", "warp", "drive"]) == 1
    assert capsys.readouterr().err == (
        "hecn: found no part with 'warp' and 'drive', expected words that one row of hecn parts contains, or a kind: "
        "boards, controllers, cpus, disks, enclosures, modules, nics, optics, switches\n"
    )


def test_host_in_words_predicts_both_ends_and_says_what_it_took(capsys):
    assert main(["predict", "--host", "nic=mcx623106an slot=gen3x8 disks=8x990pro", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["ladder"]
    assert "disks=990pro: Samsung 990 PRO 2 TB (samsung-990-pro-2tb)" in err
    assert "path.rate not given: 200 Gb/s assumed" in err
    assert "tool not given: gridftp assumed" in err


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "path.rate=10Gb/s", "tool=nuttcp"],
        ["--set", "path=lan-10ge", "tool=nuttcp"],
        ["--path", "lan-10ge", "--tool", "nuttcp"],
        ["b-disk-to-disk-wan"],
    ],
)
def test_what_is_given_beside_a_host_in_words_is_not_assumed(words, capsys):
    main(["predict", "--host", "nic=100g", "--format", "json", *words])
    out, err = capsys.readouterr()
    assert json.loads(out)["throughput_bps"] < 10e9
    assert "not given" not in err


def test_host_in_words_stands_for_the_end_that_is_not_named(capsys):
    assert main(["predict", "--host", "nic=100g", "--sender", "ideal", "--format", "json"]) == 0
    resources = {rung["resource"] for rung in json.loads(capsys.readouterr().out)["ladder"]}
    assert not any(resource.startswith("sender.") for resource in resources)
    assert main(["predict", "--host", "nic=100g", "--sender", "b", "--receiver", "b"]) == 1
    assert (
        "found a host in words, a sender and a receiver, expected a host in words for an end that is not named"
        in capsys.readouterr().err
    )


def test_disks_are_found_by_how_they_are_attached(capsys):
    assert main(["parts", "nvme", "990"]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert "NVMe Gen4 x4, reads 7,450 MB/s, writes 1,400 MB/s" in row
    assert main(["parts", "disks", "sata-6", "dc600m"]) == 0
    assert "SATA-6, reads 560 MB/s" in capsys.readouterr().out


def test_host_in_words_is_the_same_in_python(capsys):
    words = "nic=100g slot=gen3x8 disks=8x990pro"
    assert main(["predict", "--host", words, "--set", "path.rtt=10ms", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    prediction = hecn.predict({"path.rtt": "10 ms"}, host=words)
    assert prediction.throughput_bps == json.loads(out)["throughput_bps"]
    assert "".join(f"hecn: {remark}\n" for remark in prediction.warnings) == err


def test_a_host_in_words_replaces_the_hosts_of_a_scenario_in_python():
    scenario = hecn.load_scenario("c-two-copies", host="nic=100g slot=gen3x8")
    assert (scenario.sender.slots["nic"].lanes, scenario.tool.name) == (8, "nuttscp")
    with pytest.raises(hecn.InputError, match="expected a host in words for an end that is not named"):
        hecn.predict({"sender": "a", "receiver": "b"}, host="nic=100g")
    with pytest.raises(hecn.InputError, match="found no scenario, expected a file"):
        hecn.predict()
