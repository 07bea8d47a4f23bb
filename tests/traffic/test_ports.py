"""Which rows are one port: the same answer in every table, from text, an archive, Parquet and a report."""

import json

import numpy as np
import pandas as pd
import pytest

from hecn_analysis import read_counters
from hecn_analysis.cli import main
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.planning.forecast.series import series_of
from hecn_analysis.report.ports import port_table, rates_of
from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.ports import port_key, stated_value
from hecn_analysis.traffic.speeds import speeds_of
from hecn_analysis.traffic.utilisation import bounds, busiest_hour, profile, slot_table, utilisation

BEGIN = 1_700_000_100
READINGS = 20


def walk(rate_bps, *, host=None, names=(("eth0", 2),), begin=BEGIN, readings=READINGS):
    """Give walks of an agent, 300 s apart, each after the date; the n-th port carries n times the rate."""
    lines = []
    for number in range(readings):
        time = begin + 300 * number
        lines += [str(time), f"DISMAN-EXPRESSION-MIB::sysUpTimeInstance = Timeticks: ({100 * (time - BEGIN + 60)}) 0:0"]
        lines += [f"SNMPv2-MIB::sysName.0 = STRING: {host}"] if host else []
        for place, (name, index) in enumerate(names, 1):
            octets = round(place * rate_bps / 8 * (time - BEGIN))
            lines += [f"IF-MIB::ifDescr.{index} = STRING: {name}"] if name else []
            lines += [
                f"IF-MIB::ifHighSpeed.{index} = Gauge32: {10_000 * place}",
                f"IF-MIB::ifHCInOctets.{index} = Counter64: {octets}",
                f"IF-MIB::ifHCOutOctets.{index} = Counter64: {octets // 10}",
            ]
    return "\n".join(lines) + "\n"


def carried(table):
    return {(row.host, row.interface): round(row.mean_in_bps / 1e6) for row in table.itertuples()}


def asked(capsys, *words):
    main([str(word) for word in words])
    return pd.DataFrame(json.loads(capsys.readouterr().out))


def archived(folder, tmp_path, capsys):
    main(["archive", "add", str(tmp_path / "archive"), str(folder)])
    capsys.readouterr()
    return tmp_path / "archive"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "walks"
    place.mkdir()
    return place


def everywhere(folder, tmp_path, capsys):
    """Ports and their mean rates [Mb/s] by every way that gives a table of ports."""
    found = {"text": carried(asked(capsys, "traffic", folder, "--format", "json"))}
    archive = archived(folder, tmp_path, capsys)
    found["archive"] = carried(asked(capsys, "traffic", archive, "--format", "json"))
    found["samples"] = carried(asked(capsys, "traffic", archive / "samples", "--format", "json"))
    report = read_folder(folder)
    table = port_table(report)
    found["report"] = carried(table)
    assert [f"{row.host} {row.interface}" for row in table.itertuples()] == table["port"].tolist()
    for row in table.itertuples():
        assert len(rates_of(report, row.host, row.interface)) == row.rates
    rates = read_counters(folder).rates
    for make in (slot_table, profile, busiest_hour, bounds):
        made = make(rates)
        assert {*zip(made["host"], made["interface"], strict=True)} == set(found["text"]), make.__name__
    assert {(one.host, one.interface) for one in series_of(rates)} == set(found["text"])
    return found


def test_two_machines_without_a_name_are_two_ports_everywhere(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6))
    (folder / "b.txt").write_text(walk(1e9))
    wanted = {(str(folder / "a.txt"), "eth0"): 100, (str(folder / "b.txt"), "eth0"): 1000}
    assert everywhere(folder, tmp_path, capsys) == dict.fromkeys(("text", "archive", "samples", "report"), wanted)


def test_files_of_one_host_are_one_port_everywhere(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6, host="sw1", readings=10))
    (folder / "b.txt").write_text(walk(100e6, host="sw1", readings=10, begin=BEGIN + 3000))
    wanted = {("sw1", "eth0"): 100}
    assert everywhere(folder, tmp_path, capsys) == dict.fromkeys(("text", "archive", "samples", "report"), wanted)


def test_one_description_of_several_interfaces_is_told_apart_by_the_index_everywhere(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6, host="pc", names=(("WAN", 2), ("WAN", 3), ("LAN", 4))))
    wanted = {("pc", "WAN (index 2)"): 100, ("pc", "WAN (index 3)"): 200, ("pc", "LAN"): 300}
    assert everywhere(folder, tmp_path, capsys) == dict.fromkeys(("text", "archive", "samples", "report"), wanted)
    rates = read_counters(folder).rates
    assert rates.groupby("index")["in_bps"].mean().div(1e6).round().tolist() == [100.0, 200.0, 300.0]
    speeds = speeds_of(read_counters(folder).samples)
    assert utilisation(rates, speeds=speeds)["speed_bps"].tolist() == [10e9, 20e9, 30e9]


def test_an_interface_without_a_name_is_called_by_its_index(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6, host="sw1", names=((None, 7), (None, 8))))
    wanted = {("sw1", "index 7"): 100, ("sw1", "index 8"): 200}
    assert everywhere(folder, tmp_path, capsys) == dict.fromkeys(("text", "archive", "samples", "report"), wanted)


def test_an_index_that_is_used_again_is_another_port_and_a_renumbered_port_the_same(folder, tmp_path, capsys):
    later = BEGIN + 300 * READINGS
    (folder / "a.txt").write_text(walk(100e6, host="sw1", names=(("eth0", 2), ("eth1", 3))))
    (folder / "b.txt").write_text(walk(100e6, host="sw1", names=(("eth0", 3), ("eth2", 2)), begin=later))
    wanted = {("sw1", "eth0"): 100, ("sw1", "eth1"): 200, ("sw1", "eth2"): 200}
    assert everywhere(folder, tmp_path, capsys) == dict.fromkeys(("text", "archive", "samples", "report"), wanted)


def test_a_user_joins_files_that_name_no_host(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6, readings=10))
    (folder / "b.txt").write_text(walk(100e6, readings=10, begin=BEGIN + 3000))
    (folder / "c.txt").write_text(walk(1e9, host="sw2"))
    wanted = {("sw1", "eth0"): 100, ("sw2", "eth0"): 1000}
    assert carried(asked(capsys, "traffic", folder, "--host", "sw1", "--format", "json")) == wanted
    samples = archived(folder, tmp_path, capsys) / "samples"
    assert carried(asked(capsys, "traffic", samples, "--host", "sw1", "--format", "json")) == wanted
    table = asked(capsys, "counters", folder, "--host", "sw1", "--table", "interfaces", "--format", "json")
    assert table["host"].tolist() == ["sw1", "sw1", "sw2"]
    assert table["intervals"].sum() == 2 * (READINGS - 1)


def test_parquet_files_without_host_and_source_file_are_hosts_of_their_own(folder):
    for name, rate in (("a", 100e6), ("b", 1e9)):
        (folder / f"{name}.txt").write_text(walk(rate))
        samples = read_counters(folder / f"{name}.txt").samples.drop(columns=["host", "source_file"])
        samples.to_parquet(folder / f"{name}.parquet")
    found = bulk.interfaces(folder)
    assert carried(found) == {
        (str(folder / "a.parquet"), "eth0"): 100,
        (str(folder / "b.parquet"), "eth0"): 1000,
    }


def test_keys_of_a_table_with_keys_are_the_same():
    table = pd.DataFrame(
        {
            "host": [None, None, "sw1", None],
            "source_file": ["a", "a", "b", None],
            "interface": ["WAN", "WAN", None, "eth0"],
            "index": [1, 2, 3, pd.NA],
            "time": pd.to_datetime([0, 0, 0, 0], unit="s", utc=True),
        },
        index=[7, 7, 8, 9],
    )
    key = port_key(table)
    assert key.index.tolist() == [7, 7, 8, 9]
    assert key["host"].fillna("").tolist() == ["a", "a", "sw1", ""]
    assert key["interface"].tolist() == ["WAN (index 1)", "WAN (index 2)", "index 3", "eth0"]
    pd.testing.assert_frame_equal(port_key(table.assign(**key)), key)
    assert port_key(table.iloc[:0]).empty


def test_a_speed_that_a_user_gives_by_interface_counts_more_than_the_stated_one(folder, tmp_path, capsys):
    (folder / "a.txt").write_text(walk(100e6, host="pc", names=(("WAN", 2), ("WAN", 3), ("LAN", 4))))
    known = tmp_path / "ports.yaml"
    known.write_text("interfaces:\n  - {interface: WAN, speed: 1 Gb/s}\n")
    table = asked(capsys, "traffic", folder, "--interfaces", known, "--format", "json")
    assert table["speed_bps"].tolist() == [1e9, 1e9, 30e9]


def test_what_a_user_states_is_found_by_host_and_by_name():
    names = pd.DataFrame({"host": ["a", "b", None], "interface": ["WAN (index 1)", "WAN (index 2)", None]})
    assert stated_value({("a", "WAN"): 1.0, "WAN": 2.0}, names)[:2].tolist() == [1.0, 2.0]
    assert stated_value({"WAN (index 2)": 3.0}, names)[1] == 3.0
    assert np.isnan(stated_value({"WAN": 2.0}, names)[2])


def test_files_of_two_machines_under_one_host_are_named(folder, capsys):
    def mixed(rate, begin):
        (folder / "b.txt").write_text(walk(rate, begin=begin))
        main(["counters", str(folder), "--host", "sw1"])
        return f"found readings of eth0 in {folder}/a.txt and {folder}/b.txt that do not" in capsys.readouterr().err

    (folder / "a.txt").write_text(walk(100e6, begin=BEGIN + 300))
    assert mixed(1e9, BEGIN + 300)  # another machine at the same time
    assert not mixed(100e6, BEGIN + 450)  # the same machine, read twice as often
    assert not mixed(1e6, BEGIN + 300 * 40)  # the same machine, started again
