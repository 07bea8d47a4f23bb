"""The archive: units count whole or not at all, once, whatever happens to those who write."""

import errno
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hecn_analysis as hecn
from hecn_analysis.archive import log
from hecn_analysis.archive.selection import Selection, split_archives
from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import HecnError, InputError, ValidityWarning
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main, snmp
from hecn_analysis.counters import read_counters
from hecn_analysis.files import opening
from hecn_analysis.ingest import filling
from hecn_analysis.ingest.filling import add_files
from hecn_analysis.live.snmp import Round
from hecn_analysis.traffic import bulk

TIME = pd.Timestamp("2013-11-18T23:59:30Z")


def unit(number, rows=3):
    """Samples over midnight, and a run of that evening."""
    samples = tables.make(
        "samples",
        [{"source_file": f"{number}.txt", "host": "s", "interface": "e1", "in_octets": 100 * number + row,
          "time": TIME + pd.Timedelta(seconds=20 * row)} for row in range(rows)],
    )  # fmt: skip
    runs = tables.make(
        "runs",
        [{"source_file": f"{number}.log", "run": 0, "tool": "nuttcp", "start_time": TIME, "throughput_bps": 1e9}],
    )
    intervals = tables.make(
        "intervals", [{"source_file": f"{number}.log", "run": 0, "t_start_s": 0.0, "t_end_s": 1.0, "bytes": number}]
    )
    return {"samples": samples, "runs": runs, "intervals": intervals}


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "archive")


def test_rows_come_back_as_they_were_and_lie_by_day(archive):
    assert archive.add("one", unit(1))
    pd.testing.assert_frame_equal(archive.table("samples"), unit(1)["samples"])
    pd.testing.assert_frame_equal(archive.table("runs"), unit(1)["runs"])
    assert sorted(path.name for path in (archive.folder / "samples").iterdir()) == ["day=2013-11-18", "day=2013-11-19"]
    assert [path.name for path in (archive.folder / "intervals").iterdir()] == ["day=2013-11-18"]  # that of the run
    assert len(archive.table("samples", first_day="2013-11-19")) == 1
    assert len(archive.table("samples", last_day="2013-11-18")) == 2
    assert archive.table("rates").empty


def test_a_unit_counts_once(archive):
    assert archive.add("one", unit(1))
    assert not archive.add("one", unit(1))
    assert len(archive.table("samples")) == 3
    archive.compact(grace_s=0)
    assert not archive.add("one", unit(1))
    assert len(archive) == 1


def test_compaction_changes_files_and_no_rows(archive):
    for number in range(5):
        archive.add(f"u{number}", unit(number))
    before = archive.table("samples")
    assert archive.compact(grace_s=0)
    pd.testing.assert_frame_equal(archive.table("samples"), before)
    assert len(list(archive.folder.glob("samples/*/*.parquet"))) == 2  # two days
    assert not list(archive.folder.glob("commits/*"))
    archive.add("later", unit(7))
    assert archive.compact(grace_s=0)
    assert {path.name for path in archive.folder.glob("generations/*")} == {"2.json", "2.copy.json"}
    assert len(archive.table("samples")) == 18


def test_what_others_may_be_reading_is_kept_for_a_while(archive):
    for number in range(2):
        archive.add(f"u{number}", unit(number))
    archive.compact()
    assert len(list(archive.folder.glob("samples/day=2013-11-19/*.parquet"))) == 3


def test_the_while_begins_when_files_are_merged_and_not_when_they_were_written(archive):
    for number in range(2):
        archive.add(f"u{number}", unit(number))
    for path in archive.folder.rglob("*.*"):
        os.utime(path, (1e9, 1e9))
    archive.compact()
    assert len(list(archive.folder.glob("samples/day=2013-11-19/*.parquet"))) == 3


def test_a_writer_that_was_suspended_until_its_files_were_removed_says_so(archive, monkeypatch):
    put = log.put

    def suspended(text, place):
        put(text, place)
        for path in archive.folder.glob("samples/*/*.parquet"):
            path.unlink()

    monkeypatch.setattr(log, "put", suspended)
    with pytest.raises(HecnError, match="nothing of one was added"):
        archive.add("one", unit(1))
    monkeypatch.undo()
    assert archive.table("runs").empty
    assert archive.add("one", unit(1))


def test_a_round_under_the_same_moment_as_another_is_added_too(archive):
    """The clock was set back by as much as had passed."""
    for octets in (1, 2):
        rows = [{"source_file": "snmp://s", "interface": "e1", "time": TIME, "in_octets": octets}]
        snmp._add(archive, Round(tables.make("samples", rows), tables.make("problems", [])))
    assert archive.table("samples")["in_octets"].tolist() == [1, 2]


def test_sql_and_its_faults(archive):
    archive.add("one", unit(1))
    found = archive.query("select day, count(*) as n from samples group by day order by day")
    assert found.astype(str).to_dict("list") == {"day": ["2013-11-18", "2013-11-19"], "n": ["2", "1"]}
    assert archive.query("select * from rates").empty
    with pytest.raises(InputError, match="found the query 'select nothing'"):
        archive.query("select nothing")


def test_an_archive_that_is_not_there_yet_is_empty(archive):
    assert len(archive) == 0
    assert archive.table("runs").empty
    assert archive.query("select count(*) as n from runs")["n"][0] == 0
    assert not archive.folder.exists()


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "letters.txt").write_text("")
    with pytest.raises(InputError, match=r"letters\.txt"):
        Archive(tmp_path)


def test_a_full_disk_adds_nothing_and_says_so(archive, monkeypatch):
    archive.add("one", unit(1))

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hecn_analysis.archive.store.pq.write_table", full)
    with pytest.raises(HecnError, match="No space left on device; nothing of two was added"):
        archive.add("two", unit(2))
    assert archive.table("samples")["source_file"].unique().tolist() == ["1.txt"]


def test_several_writers_and_one_that_compacts_at_once(archive):
    """Each of 4 writers offers the same 12 units, in another order, while the archive is compacted again and again."""
    added, done = [], threading.Event()

    def write(seed):
        keys = list(range(12))
        random.Random(seed).shuffle(keys)  # noqa: S311 - an order
        added.extend(key for key in keys if Archive(archive.folder).add(f"u{key}", unit(key)))

    def tidy():
        while not done.is_set():
            Archive(archive.folder).compact()

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
    tidier = threading.Thread(target=tidy)
    for thread in (*writers, tidier):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    tidier.join()
    assert sorted(added) == list(range(12))  # each by one of them
    counts = archive.table("samples")["source_file"].value_counts()
    assert counts.to_dict() == {f"{key}.txt": 3 for key in range(12)}


WRITER = """
import sys
sys.path.insert(0, {tests!r})
from test_archive import unit
from hecn_analysis.archive.store import Archive
archive = Archive({folder!r})
print("ready", flush=True)
for number in range({first}, 10_000):
    archive.add(f"u{{number}}", unit(number, rows=50))
    print(number, flush=True)
    if number % 7 == 6:
        archive.compact(grace_s=0)
"""


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_kill_at_any_moment(archive, request):
    seed = random.randrange(10**6)  # noqa: S311 - a moment
    print("seed", seed)
    chance = random.Random(seed)  # noqa: S311 - a moment
    acknowledged = set()
    for _ in range(6):
        first = max(acknowledged, default=-1) + 1
        code = WRITER.format(tests=str(request.path.parent), folder=str(archive.folder), first=first)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout.readline() == "ready\n"
            if not acknowledged:  # however slow the machine is
                acknowledged.add(int(writer.stdout.readline()))
            time.sleep(chance.uniform(0.02, 0.5))
            writer.send_signal(signal.SIGKILL)
            acknowledged |= {int(line) for line in writer.stdout if line.endswith("\n")}
        counts = archive.table("samples")["source_file"].value_counts()
        assert set(counts) <= {50}  # whole or not at all
        seen = {int(name.removesuffix(".txt")) for name in counts.index}
        assert acknowledged <= seen
        assert len(seen - acknowledged) <= 1  # one that was on its way
    assert acknowledged
    assert archive.compact(grace_s=0)
    assert set(archive.table("samples")["source_file"].value_counts()) == {50}
    assert not list((archive.folder / "incoming").iterdir())


def test_logs_and_counters_are_added_by_their_content(archive, tmp_path):
    (tmp_path / "twice.txt").write_bytes((data_dir() / "logs" / "c-systems-dd.txt").read_bytes())
    added, known, problems = add_files(archive, [data_dir() / "logs" / "c-systems-dd.txt", tmp_path / "twice.txt"])
    assert (added, known) == (1, 1)
    assert problems.empty
    assert archive.table("runs")["tool"].tolist() == ["dd", "dd"]
    assert json.loads(next(archive.folder.glob("commits/*")).read_text())["rows"]["runs"] == 2
    (tmp_path / "prose.txt").write_text("nothing of interest\n")
    _, _, problems = add_files(archive, [tmp_path / "prose.txt", tmp_path / "none.txt"])
    assert problems["kind"].tolist() == ["unrecognised", "unreadable"]


def test_a_known_file_is_not_read_again(archive, monkeypatch):
    log = data_dir() / "logs" / "c-systems-dd.txt"
    add_files(archive, [log])
    monkeypatch.setattr(filling, "read_files", lambda *_, **__: pytest.fail("its hash is enough"))
    added, known, problems = add_files(archive, [log])
    assert (added, known, len(problems)) == (0, 1, 0)


def test_a_file_that_cannot_be_hashed_is_left_out(archive, monkeypatch):
    """Otherwise it would be added under the hash of nothing, and once more under its own."""
    log, refusals = data_dir() / "logs" / "c-systems-dd.txt", iter([OSError(errno.EIO, "Input/output error")])
    open_file = opening.File.open

    def refused_once(file):
        if (refusal := next(refusals, None)) is not None:
            raise refusal
        return open_file(file)

    monkeypatch.setattr(opening.File, "open", refused_once)
    added, known, problems = add_files(archive, [log])
    assert (added, known, list(problems["kind"])) == (0, 0, ["unreadable"])
    assert [add_files(archive, [log])[:2] for _ in range(2)] == [(1, 0), (0, 1)]
    assert len(archive.table("runs")) == 2


def test_what_a_file_says_of_pandas_is_not_believed(archive):
    archive.add("one", unit(1))
    (file,) = archive.folder.glob("runs/*/*.parquet")
    rows = pq.read_table(file)
    meaning = json.loads(pa.Table.from_pandas(rows.to_pandas()).schema.metadata[b"pandas"])
    for column in meaning["columns"]:
        del column["pandas_type"]
    pq.write_table(rows.replace_schema_metadata({b"pandas": json.dumps(meaning).encode()}), file)
    assert len(archive.table("runs")) == len(unit(1)["runs"])


def test_a_file_whose_name_is_no_text_is_added(archive, tmp_path):
    log = (data_dir() / "logs" / "c-systems-dd.txt").read_bytes()
    with open(os.fsencode(tmp_path) + b"/\xff.txt", "wb") as stream:  # noqa: PTH123 - a name that is no text
        stream.write(log)
    added, _, problems = add_files(archive, [tmp_path / os.fsdecode(b"\xff.txt")])
    assert (added, list(problems["kind"])) == (1, [])
    assert set(archive.table("runs")["source_file"]) == {f"{tmp_path}/\\xff.txt"}


@pytest.mark.parametrize("name", ["port1.log", "walks.txt.gz"])
@pytest.mark.slow
def test_rates_of_a_file_are_the_same_from_the_archive(archive, name):
    """MRTG's log has one sample, and rates of its own beside it; those of the walks follow from samples alone."""
    file = data_dir() / "counters" / "session" / name
    if not file.is_file():
        pytest.skip("data/counters is in a checkout only")
    add_files(archive, [file])
    there, here = read_counters(archive.folder), read_counters(file)
    order = ["interface", "time", "line"]
    assert len(archive.table("rates")) == (here.rates["flag"] == "given").sum()
    for one, other in ((there.rates, here.rates), (there.samples, here.samples)):
        pd.testing.assert_frame_equal(*(each.sort_values(order, ignore_index=True) for each in (one, other)))


def test_a_unit_is_added_without_a_look_at_the_others(archive, monkeypatch):
    archive.add("merged", unit(1))
    archive.compact(grace_s=0)
    archive.add("other", unit(2))
    monkeypatch.setattr(log.Log, "_commits", lambda _: pytest.fail("the last of many units would take long"))
    again = Archive(archive.folder)
    assert [again.add(key, unit(3)) for key in ("merged", "other", "new", "new")] == [False, False, True, False]
    assert not archive.add("new", unit(3))


def test_compaction_puts_counters_port_by_port_and_leaves_their_order(archive):
    start = pd.Timestamp("2026-01-01", tz="UTC")
    for number in range(8):
        rows = [
            {"source_file": "poll", "host": host, "interface": name, "in_octets": 10**6 * number,
             "out_octets": 10**6 * number, "time": start + pd.Timedelta(seconds=30 * number)}
            for host, name in (("b", "e2"), ("b", "e1"), ("a", "e1"))
        ]  # fmt: skip
        archive.add(f"round-{number}", {"samples": tables.make("samples", rows)})
    before = bulk.interfaces(archive.folder / "samples", slot_s=30)
    archive.compact(grace_s=-1)
    (path,) = (archive.folder / "samples").rglob("*.parquet")
    kept = pd.read_parquet(path, partitioning=None)
    assert [*zip(kept["host"], kept["interface"], strict=True)] == [("a", "e1")] * 8 + [("b", "e1")] * 8 + [
        ("b", "e2")
    ] * 8
    assert all(part["time"].is_monotonic_increasing for _, part in kept.groupby(["host", "interface"]))
    after = bulk.interfaces(archive.folder / "samples", slot_s=30)
    pd.testing.assert_frame_equal(after, before)
    assert after["ok"].tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("commits/*.json", b"{", "damage (Expecting property name"),
        ("commits/*.json", b"[]", "damage (no key, source, added, rows, files)"),
        (
            "commits/*.json",
            b'{"key": "a", "source": "", "added": "", "rows": {}, "files": ["runs/../../x.parquet"]}',
            "damage (the name 'runs/../../x.parquet')",
        ),
    ],
)
def test_a_damaged_file_of_an_archive_is_named_and_leads_nowhere_else(archive, name, damage, words):
    archive.add("a", {"runs": tables.make("runs", [{"source_file": "a.log", "run": 0, "tool": "dd"}])})
    (place,) = archive.folder.glob(name)
    place.write_bytes(damage)
    for ask in (lambda: archive.table("runs"), lambda: archive.query("select tool from runs")):
        with pytest.raises(InputError) as caught:  # nothing else can be read
            ask()
        assert str(caught.value).startswith(f"{place}: found damage (")
        assert words in str(caught.value)
        assert "expected a file written by 'hecn archive'; restore it from a copy" in str(caught.value)
    found = hecn.read(archive.folder)
    assert found.runs.empty
    (file,) = archive.folder.glob("runs/*/*")
    assert found.problems["source_file"].tolist() == [str(place), str(file)]
    assert words in found.problems["message"][0]


def _other_columns(place):
    pq.write_table(pa.table({"colour": ["red"]}), place)


def _other_types(place):
    rows = pq.read_table(place, partitioning=None)
    at = rows.schema.get_field_index("in_octets")
    pq.write_table(rows.set_column(at, "in_octets", pa.array(["x"] * len(rows))), place)


DAMAGE = {
    "truncated": lambda place: place.write_bytes(place.read_bytes()[:-200]),
    "in its pages": lambda place: place.write_bytes(b"PAR1" + b"\xff" * 900 + place.read_bytes()[904:]),
    "empty": lambda place: place.write_bytes(b""),
    "garbage": lambda place: place.write_bytes(b"\x00garbage" * 99),
    "of other columns": _other_columns,
    "of other types": _other_types,
    "gone": lambda place: place.unlink(),
}
RUINED = "samples/day=2013-11-18"


@pytest.fixture
def ruined(archive, request):
    """An archive of three units, a file of the second one damaged; the damaged file."""
    for number in (1, 2, 3):
        archive.add(f"u{number}", unit(number))
    place = sorted((archive.folder / RUINED).iterdir())[1]
    DAMAGE[request.param](place)
    return archive, place


@pytest.mark.parametrize("ruined", DAMAGE, indirect=True)
def test_the_rest_of_an_archive_is_read_beside_a_damaged_file_which_is_named(ruined):
    archive, place = ruined
    found = read_counters(archive.folder)
    assert found.samples.source_file.value_counts().to_dict() == {"1.txt": 3, "2.txt": 1, "3.txt": 3}  # its other day
    (problem,) = found.problems.to_dict("records")
    assert (problem["source_file"], problem["kind"]) == (str(place), "unreadable")
    assert problem["message"].startswith("found damage (")
    assert "left out, the rest is read; restore it from a copy" in problem["message"]
    assert hecn.read(archive.folder).runs.source_file.tolist() == ["1.log", "2.log", "3.log"]
    assert hecn.read(archive.folder).problems.empty
    with pytest.warns(ValidityWarning, match=f"{re.escape(str(place))}: found damage"):
        assert len(archive.table("samples")) == 7
    told = []
    assert archive.query("select sum(in_octets)::int as n from samples", damaged=told).n.tolist() == [1408]
    assert [error.source for error in told] == [str(place)]
    with pytest.raises(InputError, match="the query 'select colour from samples'"):
        archive.query("select colour from samples", damaged=[])


@pytest.mark.parametrize("ruined", sorted(set(DAMAGE) - {"gone"}), indirect=True)
@pytest.mark.parametrize("part", ["", "/samples"])
def test_traffic_is_that_of_the_good_files_of_an_archive_or_of_its_folder(ruined, part, capsys):
    archive, place = ruined
    assert main(["traffic", f"{archive.folder}{part}", "--format", "json"]) == 1
    said = capsys.readouterr()
    assert sum(row["rates"] for row in json.loads(said.out)) == 6
    assert f"hecn: {place}: " in said.err
    assert "left out, the rest is read" in said.err


@pytest.mark.parametrize("ruined", sorted(set(DAMAGE) - {"gone"}), indirect=True)
@pytest.mark.slow
def test_compaction_leaves_a_damaged_file_as_it_is_so_that_it_can_be_put_back(ruined, capsys):
    archive, place = ruined
    content = place.read_bytes()
    for _ in range(2):
        assert main(["archive", "compact", str(archive.folder)]) == 1
        said = capsys.readouterr().err
        assert f"hecn: {place}: found damage (" in said
        assert "hecn: 1 damaged file of the archive: left as they are" in said
        archive.compact(grace_s=0.0, damaged=[])
        assert place.read_bytes() == content
        archive.add("u4", unit(4))
    assert len(list((archive.folder / RUINED).iterdir())) == 2
    assert len(read_counters(archive.folder).problems) == 1
    assert (
        main(
            ["archive", "query", str(archive.folder), "select sum(in_octets)::int as n from samples", "--format", "csv"]
        )
        == 1
    )
    out = capsys.readouterr()
    assert out.out.split() == ["n", str(1408 + 1203)]
    assert f"{place}: found damage (" in out.err


def test_a_file_that_was_put_back_counts_again(archive):
    for number in (1, 2, 3):
        archive.add(f"u{number}", unit(number))
    place = sorted((archive.folder / RUINED).iterdir())[1]
    content = place.read_bytes()
    place.write_bytes(b"")
    archive.compact(grace_s=0.0, damaged=[])
    place.write_bytes(content)
    assert len(archive.table("samples")) == 9
    archive.add("u4", unit(4))
    assert archive.compact()
    assert len(archive.table("samples")) == 12


def test_a_sound_archive_is_not_read_twice(archive, monkeypatch):
    archive.add("u1", unit(1))
    monkeypatch.setattr(Archive, "_all_damage", lambda _: pytest.fail("every file was looked at"))
    assert len(archive.query("select * from samples")) == 3


def test_an_archive_of_which_nothing_can_be_read_says_so(archive):
    archive.add("u1", {"runs": unit(1)["runs"]})
    (place,) = archive.folder.glob("runs/*/*")
    place.write_bytes(b"PAR1")
    for ask in (lambda: archive.table("runs"), lambda: archive.query("select * from runs")):
        with pytest.raises(InputError, match=re.escape(f"{place}: found damage (")):
            ask()
    assert len(hecn.read(archive.folder).problems) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
def test_a_folder_whose_name_is_not_utf_8_is_refused(tmp_path, capsys):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff")
    assert main(["archive", "add", folder, str(data_dir() / "logs" / "c-systems-dd.txt")]) == 1
    assert capsys.readouterr().err == (
        f"hecn: found the archive '{tmp_path}/a\\xff', expected a folder whose name is UTF-8; "
        "name another folder, or rename this one\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_paths_are_split_into_archives_and_others_in_their_order(tmp_path):
    Archive(tmp_path / "kept").add("1", unit(1))
    kept, part = Selection(tmp_path / "kept"), Selection(tmp_path / "kept", (("tool", "nuttcp"),))
    log_file = tmp_path / "a.log"
    log_file.write_text("")
    assert split_archives(tmp_path / "kept") == ([kept], [])
    assert split_archives(f"{tmp_path}/kept?tool=nuttcp") == ([part], [])
    assert split_archives(log_file) == ([], [log_file])
    assert split_archives([log_file, str(part), "missing", str(kept)]) == ([part, kept], [log_file, "missing"])
    with pytest.raises(InputError, match="no such file or directory"):
        split_archives(tmp_path / "missing")
