"""Works that faults happen to: what each does, what must be true after any fault, and what the next run must give.

A work stands in a folder of its own. `act` runs in the victim; `look` checks what a fault left there; `finish` does the
work again without a fault, and checks that all is there and nothing is left over.
"""

import hashlib
import json
import re
from collections import Counter
from functools import cache

import nbformat
import pandas as pd
import pyarrow.parquet as pq
from nbformat.v4 import new_code_cell, new_notebook, new_output

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import places, tables
from hecn_analysis.briefs import _run, make
from hecn_analysis.cli import main
from hecn_analysis.live import snmp

BEGIN = pd.Timestamp("2013-11-18T23:59:30Z")
ROWS = {"samples": 4, "runs": 1}


def nuttcp(number):
    """Give a log with one run, which is told from others by its duration."""
    seconds = 10 + number
    return f" {117.8125 * seconds:.4f} MB /  {seconds}.00 sec =  988.2643 Mbps 2 %TX 4 %RX 0 retrans 0.11 msRTT\n"


def write_logs(folder, count=5):
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.log").write_text(nuttcp(number) * 20)


@cache
def unit(name):
    """Samples over midnight, and a run of that evening."""
    samples = [
        {"source_file": f"{name}.txt", "host": "s", "interface": "e1", "in_octets": 100 + row,
         "time": BEGIN + pd.Timedelta(seconds=20 * row)} for row in range(ROWS["samples"])
    ]  # fmt: skip
    log = {"source_file": f"{name}.log", "run": 0}
    return {
        "samples": tables.make("samples", samples),
        "runs": tables.make("runs", [{**log, "tool": "nuttcp", "start_time": BEGIN, "throughput_bps": 1e9}]),
    }


def sources(file):
    """Give the names of the sources of all rows of a Parquet file."""
    with pq.ParquetFile(file) as opened:
        return opened.read(columns=["source_file"], use_threads=False).column(0).to_pylist()


def told(ended):
    """Check what a command said: lines for people, no traceback, no defect."""
    assert "Traceback" not in ended.err, ended.err
    assert "defect of hecn" not in ended.err, ended.err
    for line in ended.err.splitlines():
        assert line.startswith("hecn: "), ended.err


def left_over(folder):
    return sorted(path.name for path in folder.rglob(".hecn-*"))


class Work:
    """What all works have in common."""

    speaks = False  # whether it is a command, which says what is wrong

    def __init__(self, folder, chance):
        self.folder = folder
        self.chance = chance
        folder.mkdir(exist_ok=True)


class InArchive(Work):
    """A work that adds to an archive."""

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        self.archive = Archive(folder / "archive")

    def whole(self, rows):
        """Names of the units in the archive, each of which has all of its rows; at times as others see them."""
        seen = {}
        files = self.archive._state().files
        for table, count in rows.items():
            if self.chance.random() < 0.2:
                names = self.archive.table(table)["source_file"].tolist()
            else:
                names = [name for file in files[table] for name in sources(self.archive.folder / file)]
            counts = Counter(names)
            assert set(counts.values()) <= {count}, f"{table}: {counts}"
            seen[table] = {name.rpartition(".")[0] for name in counts}
        assert len({frozenset(names) for names in seen.values()}) == 1, seen
        units = seen[next(iter(rows))]
        assert len(self.archive) == len(units)
        if self.chance.random() < 0.05:
            (count,) = self.archive.query("select count(*) from runs").iloc[0]
            assert count == len(units) * rows["runs"]
        return units

    def tidy(self):
        """Compact, and look that nothing is left that nobody refers to."""
        assert self.archive.compact(grace_s=0)
        folder = self.archive.folder
        assert not list((folder / "incoming").iterdir())
        assert not list(folder.glob("commits/*"))
        copies = {path.name.partition(".")[2]: path.read_bytes() for path in folder.glob("generations/*")}
        assert len(list(folder.glob("generations/*"))) == 2
        assert copies["json"] == copies["copy.json"]
        assert not self.archive._state().damage
        there = {path.relative_to(folder).as_posix() for path in folder.glob("*/day=*/*")}
        assert there == set(self.archive._state().all_files())


class Add(InArchive):
    """Units are added one after another, each acknowledged."""

    units = ("u0", "u1", "u2")

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        self.old = {"old0", "old1"} if chance.random() < 0.5 else set()
        for name in sorted(self.old):
            self.archive.add(name, unit(name))
        if self.old and chance.random() < 0.5:
            self.archive.compact(grace_s=0)

    def act(self):
        for name in self.units:
            self.archive.add(name, unit(name))
            print(name, flush=True)
        return 0

    def look(self, ended):
        acknowledged = {*self.old, *re.findall(r"^(u\d)$", ended.out, re.MULTILINE)}
        seen = self.whole(ROWS)
        assert acknowledged <= seen, f"lost: {acknowledged - seen}"
        assert len(seen - acknowledged) <= 1, "more than the one that was on its way"

    def finish(self):
        seen = self.archive._state()
        there = {*seen.merged, *(commit["key"] for commit in seen.commits)}
        for name in self.units:
            assert self.archive.add(name, unit(name)) == (name not in there)
        self.tidy()
        assert self.whole(ROWS) == {*self.old, *self.units}


class Compact(InArchive):
    """An archive is compacted, at times after another compaction."""

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        self.units = {f"u{number}" for number in range(3)}
        for number, name in enumerate(sorted(self.units)):
            self.archive.add(name, unit(name))
            if number == 0 and chance.random() < 0.5:
                self.archive.compact(grace_s=0)
        self.before = self.archive.table("samples")

    def act(self):
        self.archive.compact(grace_s=0)
        return 0

    def look(self, ended):  # noqa: ARG002
        assert self.whole(ROWS) == self.units

    def finish(self):
        self.tidy()
        pd.testing.assert_frame_equal(self.archive.table("samples"), self.before)


class AddCommand(InArchive):
    """``hecn archive add`` of some logs, then ``hecn archive compact``."""

    speaks = True
    rows = {"runs": 20}  # noqa: RUF012

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        write_logs(folder / "logs", 3)

    def act(self):
        status = main(["archive", "add", str(self.archive.folder), str(self.folder / "logs")])
        return status or main(["archive", "compact", str(self.archive.folder)])

    def look(self, ended):
        seen = self.whole(self.rows)
        if "3 files added" in ended.out:
            assert len(seen) == 3

    def finish(self):
        assert self.act() == 0
        self.tidy()
        assert len(self.whole(self.rows)) == 3


class Parse(Work):
    """``hecn parse -o``, onto nothing or onto what an earlier run wrote."""

    speaks = True

    def __init__(self, folder, chance, form=None):
        super().__init__(folder, chance)
        self.form = form or chance.choice(("csv", "json", "text"))
        self.out = folder / f"runs.{self.form}"
        write_logs(folder / "logs")
        self.before = None
        if chance.random() < 0.5:
            self.before = "what was there\n" * chance.choice((1, 500))
            self.out.write_text(self.before)
            self.out.chmod(0o640)

    def act(self):
        return main(
            ["parse", str(self.folder / "logs"), "--processes", "1", "--format", self.form, "-o", str(self.out)]
        )

    def look(self, ended):
        found = self.out.read_text() if self.out.exists() else None
        if ended.status == 0:
            assert self.is_whole(found)
        least = 100
        if ": unreadable: " in ended.err:  # a log, and the others are there; or the folder of all
            least = 0 if f"{self.folder / 'logs'}: unreadable: " in ended.err else 80
        assert found == self.before or self.is_whole(found, least=least), f"half-written: {(found or '')[-80:]!r}"

    def is_whole(self, found, *, least=100):
        if not found or not found.endswith("\n"):
            return found == "" and least == 0 and self.form == "text"
        count = len(json.loads(found)) if self.form == "json" else len(found.splitlines()) - 1
        return least <= count <= 100

    def finish(self):
        assert self.act() == 0
        assert self.is_whole(self.out.read_text())
        assert self.before is None or self.out.stat().st_mode & 0o777 == 0o640
        assert not left_over(self.folder)
        assert sorted(path.name for path in self.folder.iterdir() if path.name != "filler") == ["logs", self.out.name]


def instead_of_a_kernel(notebook, into, parameters, **_):
    """Run nothing, and write the notebook again after each cell, as the real one does."""
    running = nbformat.read(notebook, 4)
    for cell in running.cells:
        cell.outputs = [new_output("stream", text=f"{parameters['label']}\n")]
        nbformat.write(running, into)


class Briefs(Work):
    """``hecn brief`` of some notebooks, at times after they were made from other parameters."""

    speaks = True
    names = ("first", "second")

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        self.notebooks, self.out = folder / "notebooks", folder / "out"
        (self.notebooks / "declarations").mkdir(parents=True)
        cells = [
            new_code_cell("label = 'a'", metadata={"tags": ["parameters"]}),
            new_code_cell("1"),
            new_code_cell("2"),
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "x"}}
        for number, name in enumerate(self.names):
            nbformat.write(new_notebook(cells=cells, metadata=kernel), self.notebooks / f"1{number}_{name}.ipynb")
            (self.notebooks / "declarations" / f"1{number}_{name}.yaml").write_text(
                f"brief: {name}\ntitle: T\nquestion: Q?\nparameters:\n"
                "  label: {type: text, default: a, help: what is written}\n"
            )
        places.notebooks_dir = lambda: self.notebooks
        _run.papermill.execute_notebook = instead_of_a_kernel
        self.label = "one"
        if chance.random() < 0.5:
            assert self.act() == 0
            self.label = "two"

    def act(self):
        return main(["brief", *self.names, "-p", f"label={self.label}", "-o", str(self.out), "--no-pdf"])

    def look(self, ended):  # noqa: ARG002
        for page in self.out.glob("*.html"):
            assert page.read_text().rstrip().endswith("</html>"), f"half-written: {page.name}"
        for notebook in self.out.glob("*.ipynb"):
            assert [len(cell.outputs) for cell in nbformat.read(notebook, 4).cells] == [1, 1, 1]
        for result in self.out.glob("*.json"):
            kept = json.loads(result.read_text())
            for kind in kept["hashes"]:
                assert (self.out / kept["files"][kind]).exists()

    def finish(self):
        assert self.act() == 0
        self.look(None)
        for name in self.names:
            kept = json.loads((self.out / f"{name}.json").read_text())
            assert kept["error"] is None
            for kind, digits in kept["hashes"].items():
                content = (self.out / kept["files"][kind]).read_bytes()
                assert hashlib.sha256(content).hexdigest().startswith(digits)
            assert self.label in (self.out / f"{name}.ipynb").read_text()
        stamps = {path: path.stat().st_mtime_ns for path in self.out.glob("*.ipynb")}
        made = make.make_briefs(self.names, self.out, {"label": self.label}, pdf=False, progress=False)
        assert not any(one.is_new for one in made)
        assert stamps == {path: path.stat().st_mtime_ns for path in self.out.glob("*.ipynb")}
        assert not left_over(self.folder)


def reading(number, row, *, at, up_s):
    """Counters of a port at a moment, of 8 Mb/s since its host is up."""
    return {
        "source_file": "snmp://agent", "host": "agent", "interface": f"port{row}", "time": at, "counter_bits": 64,
        "in_octets": int(1e6 * up_s), "out_octets": number, "speed_bps": 1e9, "uptime_s": up_s,
    }  # fmt: skip


class Poll(InArchive):
    """``hecn snmp poll`` of an agent into an archive; what it answers is made up here."""

    speaks = True
    rounds = 3

    def act(self):
        first = pd.Timestamp.now(tz="UTC")
        numbers = iter(range(self.rounds))

        async def poll(*_, **__):
            number = next(numbers)
            rows = [
                reading(number, row, at=first + pd.Timedelta(seconds=30 * number), up_s=900.0 + 30 * number)
                for row in range(3)
            ]
            return snmp.Round(tables.make("samples", rows), tables.make("problems", []))

        snmp.poll = poll
        asked = ["snmp", "poll", "agent", "--rounds", str(self.rounds), "--interval", "0.01s"]
        return main([*asked, "--archive", str(self.archive.folder)])

    def look(self, ended):
        there = self.archive.table("samples")
        times = there["time"].value_counts()
        assert set(times) <= {3}, "half of a round"
        assert ended.err.count("UTC: 3 readings") <= len(times), "a round was told and is not there"
        assert len(self.archive) == len(times)

    def finish(self):
        before = len(self.archive)
        assert self.act() == 0
        assert len(self.archive) == before + self.rounds
        self.tidy()


WORKS = {work.__name__: work for work in (Add, Compact, AddCommand, Parse, Briefs, Poll)}
