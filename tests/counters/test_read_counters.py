"""The tables over many files, local times, and the command."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.counters import read_counters, registry
from hecn_analysis.counters.clock import Clock, iso
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.traffic.utilisation import utilisation
from tests.counters.conftest import SAMPLES

JSON = [path for path in SAMPLES if path.suffix == ".json"]
LSCPU = """\
Architecture:        x86_64
CPU op-mode(s):      32-bit, 64-bit
CPU(s):              8
On-line CPU(s) list: 0-7
Thread(s) per core:  2
Core(s) per socket:  4
Socket(s):           1
Model name:          A processor
"""


def test_the_public_name_reads_files_and_folders(samples):
    counters = hecn.read_counters([samples / "snmprec", samples / "prtg" / "de.csv"])
    assert [source["format"] for source in counters.sources] == ["snmprec", "prtg-csv"]
    assert str(counters) == "2 samples and 3 rates of 4 interfaces, 3 problems"


def test_polls_of_a_host_in_several_files_are_one_series(tmp_path):
    for number, octets in enumerate((0, 750_000_000, 2_250_000_000)):
        (tmp_path / f"{number}.txt").write_text(f"""\
2013-11-20T12:{5 * number:02}:00Z
.1.3.6.1.2.1.1.3.0 = Timeticks: ({100_000 + 30_000 * number}) 0:16:40.00
.1.3.6.1.2.1.1.5.0 = STRING: "sw1"
.1.3.6.1.2.1.31.1.1.1.1.7 = STRING: "Te1/7"
.1.3.6.1.2.1.31.1.1.1.6.7 = Counter64: {octets}
""")
    rates = hecn.read_counters(tmp_path).rates
    assert rates.in_bps.tolist() == [20e6, 40e6]
    assert [name.rpartition("/")[2] for name in rates.source_file] == ["1.txt", "2.txt"]


def test_files_without_a_host_are_not_one_series(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(
            f'2013-11-20T12:0{number}:00Z\n.1.3.6.1.2.1.31.1.1.1.1.7 = STRING: "a"\n'
            f".1.3.6.1.2.1.31.1.1.1.6.7 = Counter64: {number}\n"
        )
    assert hecn.read_counters(tmp_path).rates.empty


def test_the_summary_of_an_interface(counters_of):
    """A percentile that can be reproduced by hand: of 20 slots the nineteenth."""
    start = 1000000200  # a slot begins here
    rows = [(start + 300 * n, n) for n in range(20, 0, -1)]
    text = f"{rows[0][0]} 5 6\n" + "".join(f"{time} {rate} {2 * rate} {rate + 1} {2 * rate}\n" for time, rate in rows)
    row = counters_of(text + f"{start} 0 0 0 0\n", "a.log").interfaces.iloc[0]
    assert (row.intervals, row.mean_in_bps, row.peak_in_bps, row.p95_in_bps) == (20, 8 * 10.5, 8 * 21, 8 * 19)
    assert row.first_time == pd.Timestamp(start, unit="s", tz="UTC")


def walks(times, octets, name="eth0"):
    """Give walks of one port at some times."""
    return "".join(
        f"{time}\nIF-MIB::ifName.2 = STRING: {name}\nIF-MIB::ifHCInOctets.2 = Counter64: {count}\n"
        f"IF-MIB::ifHCOutOctets.2 = Counter64: {count // 2}\n"
        for time, count in zip(times, octets, strict=True)
    )


def test_the_percentile_of_an_interface_is_that_of_its_traffic(tmp_path):
    """Polls wander and bursts are polled more often: intervals that count alike would rank the burst too high."""
    chance = np.random.default_rng(1)
    for name in ("a", "b"):
        burst = chance.random(400) < 0.2
        steps = np.where(burst, 40, chance.integers(90, 110, 400))
        times = 1_700_000_100 + np.cumsum(steps)
        octets = np.cumsum(np.where(burst, 100_000_000, 1_000_000) * steps)
        (tmp_path / f"{name}.txt").write_text(walks(times.tolist(), octets.tolist()))
    (tmp_path / "short.txt").write_text(walks([1_700_000_100, 1_700_000_110], [0, 10**9]))
    counters = hecn.read_counters(tmp_path)
    traffic = utilisation(counters.rates)
    columns = ["p95_in_bps", "p95_out_bps"]
    assert counters.interfaces["source_file"].tolist() == traffic["host"].tolist()
    np.testing.assert_allclose(counters.interfaces[columns].astype(float), traffic[columns].astype(float), rtol=1e-12)
    assert counters.interfaces["p95_in_bps"].isna().tolist() == [False, False, True]
    raw = counters.rates[counters.rates["source_file"] == str(tmp_path / "a.txt")]["in_bps"]
    assert counters.interfaces["p95_in_bps"][0] < np.sort(raw)[int(0.95 * len(raw))] / 2


def test_the_mean_of_an_interface_leaves_out_lower_bounds(tmp_path):
    """Narrow counters of a fast port that are read seldom tell no rate: 500 Mb/s would be shown as 42."""
    octets = [round(step * 600 * 500e6 / 8) % 2**32 for step in range(20)]
    lines = "".join(
        f"{1_700_000_100 + 600 * step}\nIF-MIB::ifDescr.2 = STRING: eth0\nIF-MIB::ifSpeed.2 = Gauge32: 1000000000\n"
        f"IF-MIB::ifInOctets.2 = Counter32: {count}\nIF-MIB::ifOutOctets.2 = Counter32: {count}\n"
        for step, count in enumerate(octets)
    )
    (tmp_path / "a.txt").write_text(lines)
    counters = hecn.read_counters(tmp_path)
    assert set(counters.rates["flag"]) == {"ambiguous", "undecided"}
    assert counters.interfaces[["mean_in_bps", "peak_in_bps", "mean_out_bps", "peak_out_bps"]].isna().all(axis=None)


@pytest.mark.parametrize("command", ["counters", "traffic"])
def test_an_archive_with_counters_is_not_called_empty(tmp_path, command, capsys):
    archive = tmp_path / "archive"
    (tmp_path / "walks.txt").write_text(walks([1_700_000_100, 1_700_000_400], [0, 10**9]))
    assert main(["archive", "add", str(archive), str(tmp_path / "walks.txt")]) == 0
    capsys.readouterr()
    assert main([command, str(archive)]) == 0
    shown = capsys.readouterr()
    assert "eth0" in shown.out
    assert "found none" not in shown.err


def test_a_time_that_is_off_by_decades_costs_no_other_percentile(tmp_path):
    (tmp_path / "a.txt").write_text(walks([300, 1_700_000_100], [0, 10**9]))
    (tmp_path / "b.txt").write_text(
        walks([1_700_000_100 + 300 * n for n in range(20)], [300 * 125 * n for n in range(20)])
    )
    found = hecn.read_counters(tmp_path).interfaces
    assert found["p95_in_bps"].isna().tolist() == [True, False]
    assert found["p95_in_bps"][1] == pytest.approx(1000.0)


def test_a_value_that_cannot_be_is_left_out_with_its_line():
    findings = CounterFindings("a")
    findings.sample(line=3, interface="eth0", in_octets=-1, out_octets=5)
    findings.rate(line=4, interface="eth0", time=float("inf"), in_bps=float("nan"))
    findings.finish()
    assert [(problem["line"], problem["message"]) for problem in findings.problems] == [
        (3, "in_octets: found -1, expected a whole number of at least 0; left out"),
        (4, "time: found inf, expected a UTC time from 1678 to 2261; left out"),
    ]


def test_an_unknown_time_zone_is_refused():
    with pytest.raises(InputError) as caught:
        Clock.named("Europe/Berln")
    assert str(caught.value) == (
        "found time zone 'Europe/Berln', expected one of the IANA database, such as 'Europe/Berlin' or 'UTC'"
    )
    assert iso(-1.5) == "1969-12-31T23:59:58.500Z"


def test_the_command(samples, capsys):
    path = str(samples / "prtg" / "de.csv")
    assert main(["counters", path, "--table", "rates", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["flag"] for row in rows] == ["given", "given,partial", "missing"]
    assert rows[2]["in_bps"] is None
    assert main(["counters", path, "--table", "sources", "--format", "json"]) == 0
    (source,) = json.loads(capsys.readouterr().out)
    assert (source["source_file"], source["format"], source["n_samples"]) == (path, "prtg-csv", 3)
    assert main(["counters", path, "--table", "sources"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == [path, "prtg-csv", "3"]
    assert main(["counters", path, "--table", "interfaces", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("source_file,host,interface,index,")


@pytest.mark.parametrize(
    ("command", "other", "content"),
    [
        ("counters", "parse", "1+0 records in\n1+0 records out\n512 bytes copied, 1 s, 512 B/s\n"),
        ("counters", "inventory", LSCPU),
        ("parse", "counters", "IF-MIB::ifInOctets.1 = Counter32: 5\n"),
        ("inventory", "counters", "IF-MIB::ifInOctets.1 = Counter32: 5\n"),
    ],
)
def test_a_command_names_the_one_that_reads_a_file(command, other, content, tmp_path, capsys):
    path = tmp_path / "a"
    path.write_text(content)
    assert main([command, str(path)]) == 1
    assert f", which 'hecn {other}' reads" in capsys.readouterr().err


def test_the_command_says_what_it_cannot_use(tmp_path, capsys):
    (tmp_path / "a").write_text("prose\n")
    assert main(["counters", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1] == "hecn: 0 sources read, 1 problem in 1 file: 1 unrecognised"


def _zipped(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


PACKED = {
    "{}.gz": lambda _, content: gzip.compress(content),
    "{}.xz": lambda _, content: lzma.compress(content),
    "{}.bz2.GZ": lambda _, content: gzip.compress(bz2.compress(content)),
    "all.zip": _zipped,
    "packed.zip": lambda name, content: _zipped(f"{name}.gz", gzip.compress(content)),
}


@pytest.mark.parametrize("form", PACKED)
@pytest.mark.parametrize("file", ["rrdtool/fetch.txt", "rrdtool/xport.json", "rrdtool/own.xml", "mrtg/port1.log"])
def test_an_interface_called_as_its_file_is_called_so_when_packed_too(samples, tmp_path, file, form):
    plain = samples / file
    packed = tmp_path / form.format(plain.name)
    packed.write_bytes(PACKED[form](plain.name, plain.read_bytes()))
    assert read_counters(packed).rates["interface"].unique().tolist() == [plain.stem]


def test_a_page_of_mrtg_without_its_picture_is_called_as_the_member_of_its_archive(tmp_path):
    page = b"<!-- Begin `Daily' Graph (5 Minute interval) -->\n<!-- maxin d 1000 -->\n"
    (tmp_path / "pages.zip").write_bytes(_zipped("port1.html", page))
    assert read_counters(tmp_path / "pages.zip").interfaces["interface"].tolist() == ["port1"]


def test_an_archive_and_a_part_of_it(tmp_path):
    for host, octets in (("sw1", 5), ("sw2", 7)):
        (tmp_path / f"{host}.txt").write_text(
            f'2013-11-20T12:00:00Z\n.1.3.6.1.2.1.1.5.0 = STRING: "{host}"\n'
            f'.1.3.6.1.2.1.31.1.1.1.1.7 = STRING: "Te1/7"\n.1.3.6.1.2.1.31.1.1.1.6.7 = Counter64: {octets}\n'
        )
    archive = Archive(tmp_path / "archive")
    archive.add("one", {"samples": read_counters([tmp_path / "sw1.txt", tmp_path / "sw2.txt"]).samples})
    whole = read_counters(archive.folder)
    assert whole.samples[["host", "in_octets"]].to_numpy().tolist() == [["sw1", 5], ["sw2", 7]]
    assert whole.interfaces[["host", "interface", "in_octets"]].to_numpy().tolist() == [
        ["sw1", "Te1/7", 5],
        ["sw2", "Te1/7", 7],
    ]
    part = read_counters([f"{archive.folder}?host=sw2", tmp_path / "sw1.txt"])
    assert sorted(part.samples[["host", "in_octets"]].to_numpy().tolist()) == [["sw1", 5], ["sw2", 7]]


def _with_strangers(value):
    """The value, with what is no object in every list of objects."""
    if isinstance(value, dict):
        return {name: _with_strangers(own) for name, own in value.items()}
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return [None, *map(_with_strangers, value), 7, [], "eth9"]
    return value


@pytest.mark.parametrize("path", JSON, ids=lambda path: path.name)
def test_what_is_no_object_in_a_list_of_json_is_passed_over(path, tmp_path):
    given = json.loads(path.read_text())
    tables = []
    for value in (given, _with_strangers(given)):
        (tmp_path / path.name).write_text(json.dumps(value))
        counters = read_counters(tmp_path / path.name)
        tables.append([counters.samples, counters.rates, counters.interfaces, counters.problems])
    assert sum(len(table) for table in tables[0]) > 0 or "stat" in path.parent.name  # processors and disks: facts alone
    for expected, found in zip(*tables, strict=True):
        pd.testing.assert_frame_equal(
            found.drop(columns=["line", "content_hash"], errors="ignore"),
            expected.drop(columns=["line", "content_hash"], errors="ignore"),
        )


def _short(value):
    """The value with the ends of its lists."""
    if isinstance(value, dict):
        return {name: _short(own) for name, own in value.items()}
    return [_short(one) for one in [*value[:1], *value[1:][-1:]]] if isinstance(value, list) else value


@pytest.mark.parametrize("other", [7, [None]], ids=["number", "list"])
@pytest.mark.parametrize("path", JSON, ids=lambda path: path.name)
@pytest.mark.slow
def test_a_value_of_another_kind_stops_no_reader(path, other, with_another):
    value = _short(json.loads(path.read_text()))
    for changed in with_another(value, other):
        for findings in registry.read(Document(path.name, json.dumps(changed).encode(), ""), Clock()):
            findings.finish()
            assert findings.format is not None
