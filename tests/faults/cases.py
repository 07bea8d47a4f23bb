"""The faults: each a function that makes one happen to a work, by chance, and asserts what is true after it.

A fault is given the chances of its seed, a folder, and what is known of the works (how many steps, how long).
"""

import errno
import fcntl
import json
import os
import random
import resource
import signal
import termios
import time
from pathlib import Path

import agent
import injection
import pandas as pd
from injection import Deed, Victim
from works import ROWS, WORKS, Parse, nuttcp, reading, told, unit, write_logs

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.cli import main
from hecn_analysis.cli import snmp as snmp_command
from hecn_analysis.counters import read_counters
from hecn_analysis.files import whole
from hecn_analysis.live import snmp

REFUSALS = (errno.EIO, errno.ESTALE, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOSPC)
DISK = 4 << 20


def moment(chance, known, name):
    """Choose when: before a step, or after a time; half of the time is the end, where names are given."""
    steps, seconds = known[name]
    if chance.random() < 0.75:
        return {"step": chance.randint(1, steps)}
    return {"after_s": round(chance.uniform(0, seconds), 4)}


def warm_up():
    """Make what all works need once, before others are forked."""
    for name in ("old0", "old1", *WORKS["Add"].units):
        unit(name)


def dry(name, folder):
    """Steps of a work that nothing happens to, and its time."""
    work = WORKS[name](folder / "work", random.Random(1))  # noqa: S311 - any
    ended = injection.run(work.act, work.folder)
    assert ended.status == 0, ended.err
    return ended.steps, ended.seconds


def killed(name):
    """Kill a work, close its terminal, or interrupt it."""

    def fault(chance, folder, known):
        work = WORKS[name](folder / "work", chance)
        signals = [signal.SIGKILL] * 4 + [signal.SIGHUP] + [signal.SIGINT] * (2 if work.speaks else 0)
        deed = Deed(chance.choice(signals), **moment(chance, known, name))
        ended = injection.run(work.act, work.folder, deed)
        interrupted = {130, 0} if name == "Poll" else {130}  # who polls is told to end so
        statuses = interrupted if deed.what is signal.SIGINT else {-deed.what}
        assert ended.status in {0, *statuses}, f"{deed}: status {ended.status}: {ended.err}"
        if work.speaks:
            told(ended)
        work.look(ended)
        work.finish()
        return deed

    return fault


def refused(chance, folder, known):
    """Let one operation of a work fail, as disks, quotas and file servers do."""
    name = chance.choice([name for name, work in WORKS.items() if work.speaks])
    work = WORKS[name](folder / "work", chance)
    deed = Deed(int(chance.choice(REFUSALS)), step=chance.randint(1, known[name][0]))
    ended = injection.run(work.act, work.folder, deed)
    assert ended.status in {0, 1}, f"{deed}: status {ended.status}: {ended.err}"
    told(ended)
    assert ended.status == 0 or ended.err, "status 1 without a word"
    work.look(ended)
    work.finish()
    return f"{name}: {deed}"


def full(chance, folder, known):  # noqa: ARG001
    """Let the disk be full, by a small disk or, where none can be mounted, by the longest file that is allowed."""
    name = chance.choice([name for name, work in WORKS.items() if work.speaks])
    disk, before = folder / "disk", None
    disk.mkdir()
    try:
        if chance.random() < 0.2:
            raise injection.NoDiskError  # noqa: TRY301 - the other kind is tried, too
        injection.mount_small_disk(disk, DISK)
        is_mounted = True
    except injection.NoDiskError:
        is_mounted = False
    work = WORKS[name](disk / "work", chance)
    if is_mounted:
        room = chance.choice((0, 4096, 8192, 16384, 32768, 65536))
        filler = injection.fill_disk(disk, room)
    else:
        room = chance.randrange(0, 6000)

        def before():
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))

    reader, writer = os.pipe()  # the limit holds for files, also for what a command says into one
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
    reader_out, writer_out = os.pipe()
    fcntl.fcntl(writer_out, fcntl.F_SETPIPE_SZ, 1 << 20)
    ended = injection.run(work.act, work.folder, before=before, out=writer_out, err=writer)
    os.close(writer)
    os.close(writer_out)
    ended = injection.replace(ended, out=_all(reader_out), err=_all(reader))
    told(ended)
    assert ended.status in {0, 1}, ended.err
    if ended.status:
        words = "No space left on device" if is_mounted else "File too large"
        assert words in ended.err, ended.err
        assert "free some space" in ended.err, ended.err
    if is_mounted:
        filler.unlink()
    work.look(ended)
    work.finish()
    return f"{name} with {room} bytes {'free' if is_mounted else 'in a file'}"


def _all(descriptor):
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - a descriptor
        return stream.read().decode()


def read_only(chance, folder, known):  # noqa: ARG001
    """Let the target be on a disk that can only be read."""
    name = chance.choice([name for name, work in WORKS.items() if work.speaks])
    disk = folder / "disk"
    disk.mkdir()
    try:
        injection.mount_small_disk(disk, DISK)
    except injection.NoDiskError:
        return "skipped: nobody lets us mount"
    work = WORKS[name](disk / "work", chance)
    injection.make_read_only(disk)
    ended = injection.run(work.act, work.folder)
    told(ended)
    assert ended.status == 1
    assert "Read-only file system" in ended.err, ended.err
    assert "check the permissions" in ended.err or "write to another place" in ended.err, ended.err
    work.look(ended)
    injection.make_read_only(disk, is_read_only=False)
    work.finish()
    return name


# Files that vanish while they are read


def _samples(kind, folder):
    folder.mkdir()
    for number in range(4):
        if kind == "counters":
            lines = [f"{1384800000 + 300 * row} {10**9 + row * 1000 + number} {10**8} 5 5" for row in range(9, 0, -1)]
            (folder / f"port{number}.log").write_text(f"1384802700 {10**9} {10**8}\n" + "\n".join(lines) + "\n")
        elif kind == "inventory":
            (folder / f"{number}-lscpu.txt").write_text(
                f"Architecture: x86_64\nCPU(s): {number + 2}\nThread(s) per core: 1\nCore(s) per socket: {number + 2}\n"
                f"Socket(s): 1\nNUMA node(s): 1\nVendor ID: GenuineIntel\nModel name: Xeon {number}\nCPU MHz: 2000.0\n"
            )
        else:
            (folder / f"{number}.log").write_text(nuttcp(number) * 20)


def vanished(chance, folder, known):  # noqa: ARG001
    """Let a file be gone, or its server, between its listing and its opening, or while it is read."""
    kind = chance.choice(("parse", "counters", "inventory", "add"))
    logs = folder / "logs"
    _samples(kind, logs)
    lost = sorted(logs.iterdir())[chance.randrange(4)]
    if kind == "add":
        archive = folder / "archive"

        def act():
            return main(["archive", "add", str(archive), str(logs)])
    else:
        table = {"parse": "runs", "counters": "sources", "inventory": "sources"}[kind]

        def act():
            more = ["--processes", "1"] if kind == "parse" else []
            return main([kind, str(logs), "--table", table, "--format", "json", *more])

    what = chance.choice(("unlink", errno.ENOENT, errno.ESTALE, errno.EIO, errno.EACCES))
    if what == "unlink":

        def unlink():
            lost.rename(folder / "elsewhere")

        deed = Deed(unlink, step=1, path=str(lost))
    else:
        deed = Deed(int(what), step=chance.randint(1, 5), path=str(lost))
    ended = injection.run(act, logs, deed)
    told(ended)
    if ended.status == 0:  # it was read as often as that, and not once more
        assert ": unreadable: " not in ended.err, ended.err
        return f"{kind}: {deed}: read before"
    assert ended.status == 1, ended.err
    (line,) = (line for line in ended.err.splitlines() if ": unreadable: " in line)
    assert str(lost) in line, line
    assert "expected a file that can be read" in line or what == "unlink", line
    if (folder / "elsewhere").exists():
        (folder / "elsewhere").rename(lost)
    if kind != "add":
        good = injection.run(act, logs)
        assert good.status == 0, good.err
        others = [row for row in json.loads(good.out) if row["source_file"] != str(lost)]
        found = [row for row in json.loads(ended.out) if row["source_file"] != str(lost)]
        assert found == others, "the good part beside the bad is not what it was"
        assert len({row["source_file"] for row in others}) == 3
    else:
        assert "3 files added" in ended.out
        again = injection.run(act, logs)
        assert (again.status, again.out) == (0, "1 file added, 3 already there\n"), again
        assert set(Archive(archive).table("runs")["source_file"].value_counts()) == {20}
    return f"{kind}: {deed}"


# Those who read what is printed


def unheard(chance, folder, known):  # noqa: ARG001
    """Let who reads what is printed go away, the disk of what is printed be full, or the terminal be closed."""
    logs = folder / "logs"
    write_logs(logs, 12)
    (logs / "prose.txt").write_text("nothing of the kind\n")

    def act():
        return main(["parse", str(logs), "--processes", "1", "--format", chance.choice(("csv", "json", "text"))])

    how = chance.choice(("out closed", "err closed", "out full", "err full", "out cut"))
    if how.endswith("full"):
        with open("/dev/full", "wb") as device:  # noqa: PTH123
            ended = injection.run(act, logs, **{how[:3]: device.fileno()}, is_leaving=True)
    else:
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        if how.endswith("closed"):
            os.close(reader)
        victim = Victim(
            act,
            logs,
            **{how[:3]: writer},
            is_leaving=True,
            before=(lambda: os.close(reader)) if how == "out cut" else None,
        )
        os.close(writer)
        if how == "out cut":
            os.read(reader, chance.randrange(1, 4096))
            os.close(reader)
        ended = victim.wait()
    told(ended)
    if how == "out full":
        assert ended.status == 1
        assert ended.err.splitlines()[-1] == (
            "hecn: No space left on device; free some space, or write to another place"
        )
    elif how.startswith("out"):
        assert (ended.status, ended.err) == (0, "")
    else:
        assert ended.status == 1, "who hears nothing is told by the status all the same"
        assert len(ended.out) > 10_000
    return how


def hung_up(chance, folder, known):
    """Run a work on a terminal of its own, and close it, or type Ctrl-C there."""
    name = chance.choice(("AddCommand", "Parse", "Poll"))
    work = WORKS[name](folder / "work", chance)
    master, slave = os.openpty()

    def before():
        os.close(master)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    is_closed = chance.random() < 0.5
    victim = Victim(work.act, work.folder, before=before, err=slave)
    os.close(slave)
    time.sleep(chance.uniform(0, known[name][1]))
    said = b""
    if is_closed:
        os.close(master)
        ended = victim.wait()
    else:
        os.write(master, b"\x03")
        ended = victim.wait()
        try:
            said = os.read(master, 1 << 16)
        except OSError:  # nothing was said, and nobody holds the terminal any more
            said = b""
        os.close(master)
    ended = injection.replace(ended, err=said.decode().replace("^C", "").replace("\r\n", "\n"))
    told(ended)
    assert ended.status in ({0, -signal.SIGHUP} if is_closed else {0, 130, -signal.SIGINT}), ended
    work.look(ended)
    work.finish()
    return f"{name}: {'closed' if is_closed else 'Ctrl-C'}"


# Two at once


def together(chance, folder, known):
    """Let two write to the same place at once, and kill one of them."""
    name = chance.choice(("Add", "AddCommand", "Parse", "Briefs", "Add"))
    work = WORKS[name](folder / "work", chance)
    deed = Deed(**moment(chance, known, name)) if chance.random() < 0.7 else Deed()
    victims = [Victim(work.act, work.folder, deed), Victim(work.act, work.folder)]
    if name == "Add":
        victims.append(Victim(lambda: _compact_often(work.archive), work.folder))
    ended = [victim.wait() for victim in victims]
    assert ended[0].status in {0, -signal.SIGKILL}, ended[0]
    for one in ended[1:]:
        assert one.status == 0, one.err
        told(one)
    if name == "Add":
        assert work.whole(ROWS) == {*work.old, *work.units}
    else:
        work.look(ended[1])
    work.finish()
    return f"{name}: {deed}"


def _compact_often(archive):
    for _ in range(5):
        archive.compact()
    return 0


# Clocks


def set_back(chance, folder, known):  # noqa: ARG001
    """Set the clock back, or on, between polls and between units of an archive."""
    archive = Archive(folder / "archive")
    interval_s, rounds = 30.0, 7
    step_s = chance.choice((-1, -29, -30, -31, -45, -90, -3600, -86400, 61, 3600)) + chance.choice((0.0, 0.25))
    at = chance.randrange(3, rounds - 1)
    clock = pd.Timestamp("2026-03-01T00:00:10Z")
    for number in range(rounds):
        passed_s = interval_s * number
        reported = clock + pd.Timedelta(seconds=passed_s + (step_s if number >= at else 0))
        rows = [reading(number, row, at=reported, up_s=5000.0 + passed_s) for row in range(2)]
        snmp_command._add(archive, snmp.Round(tables.make("samples", rows), tables.make("problems", [])))
        for path in archive.folder.rglob("*"):  # files have the times of that clock
            if path.is_file() and path.stat().st_mtime > time.time() - 100:
                stamp = time.time() + (step_s if number >= at else 0) - 200
                os.utime(path, (stamp, stamp))
        if chance.random() < 0.2:
            archive.compact()
    assert len(archive) == rounds
    assert len(archive.table("samples")) == 2 * rounds
    rates = read_counters(archive.folder).rates
    fine = rates[
        ~rates["flag"].str.contains("clock_step|reordered|duplicate|conflict|reset|undecided|glitch|impossible")
    ]
    wrong = fine[(fine["in_bps"] / 8e6 - 1).abs() > 0.05]
    assert wrong.empty, f"a step of {step_s} s: {wrong[['time', 'interval_s', 'in_bps', 'flag']]}"
    return f"{step_s} s after {at} rounds"


# Agents


def mischievous(chance, folder, known):  # noqa: ARG001
    """Poll a good agent and one that answers garbage, late, never, or for ever."""
    mischief = chance.choice(agent.MISCHIEF)
    seed = chance.randrange(1 << 30)
    sockets = [agent.listening(), agent.listening()]
    serving = []
    for (listening, _), what in zip(sockets, ("", mischief), strict=True):
        serving.append(os.fork())
        if not serving[-1]:
            try:
                os.close(2)
                os.open(os.devnull, os.O_WRONLY)
                agent.serve(listening, what, seed)
            finally:
                os._exit(0)
    archive = folder / "archive"
    good, bad = (f"127.0.0.1:{port}" for _, port in sockets)

    def act():
        snmp.MOST_ROWS = 100
        asked = ["snmp", "poll", bad, good, "--rounds", "1", "--timeout", "0.4s", "--retries", "0"]
        return main([*asked, "--archive", str(archive)])

    try:
        ended = injection.run(act, folder)
    finally:
        for process in serving:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    told(ended)
    assert ended.status in {0, 1}, ended.err
    samples = Archive(archive).table("samples")
    of = samples["source_file"].value_counts()
    assert of.get(f"snmp://{good}") == agent.ROWS, f"{mischief}: {ended.err}"
    assert ended.seconds < 60
    if mischief in {"silent", "noise", "another request", "an error", "backwards", "for ever", "nothing", "deep"}:
        (line,) = (line for line in ended.err.splitlines() if bad in line)
        assert "unreadable" in line, line
        assert "check the address, the credentials" in line
        assert ended.status == 1
    return f"{mischief} {seed}"


# Workers of a cluster


def orphaned(chance, folder, known):  # noqa: ARG001
    """Kill a Dask worker at a file that it reads; another one does its work."""
    import asyncio  # noqa: PLC0415 - the processes of a cluster load all of this

    from distributed import Scheduler, Worker  # noqa: PLC0415

    logs = folder / "logs"
    write_logs(logs, 70)
    told_port, tell_port = os.pipe()

    async def schedule():
        async with Scheduler(host="127.0.0.1", port=0, dashboard_address=None) as scheduler:
            os.write(tell_port, f"{scheduler.address}\n".encode())
            await scheduler.finished()

    def forked(serve):
        process = os.fork()
        if not process:
            try:
                for descriptor in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
                asyncio.run(serve())
            finally:
                os._exit(0)
        return process

    processes = [forked(schedule)]
    address = os.read(told_port, 100).decode().strip()

    def worker(deed):
        async def serve():
            injection.Steps(logs, deed).install()
            async with Worker(address, nthreads=1, dashboard_address=None, local_directory=str(folder)) as one:
                await one.finished()

        return serve

    deed = Deed(step=chance.randint(1, 150))
    processes += [forked(worker(deed)), forked(worker(Deed()))]
    try:
        ended = injection.run(
            lambda: main(["parse", str(logs), "--dask", address, "--format", "csv", "-o", str(folder / "runs.csv")]),
            folder / "none",
        )
    finally:
        for process in processes:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    told(ended)
    assert ended.status == 0, ended.err
    assert len((folder / "runs.csv").read_text().splitlines()) == 1 + 70 * 20
    return deed


def careless(chance, folder, known):  # noqa: ARG001
    """Kill a writer that writes where others look, while it does: the work must notice."""

    def written(place, content):
        Path(place).write_text("".join(content), encoding="utf-8")  # pieces or a text

    whole.write = written
    work = Parse(folder / "work", chance, "csv")
    steps = injection.run(work.act, work.folder).steps
    work.look(injection.run(work.act, work.folder, Deed(step=steps)))


FAULTS = {
    **{f"killed-{name}": killed(name) for name in WORKS},
    "full": full,
    "read_only": read_only,
    "refused": refused,
    "vanished": vanished,
    "unheard": unheard,
    "hung_up": hung_up,
    "together": together,
    "set_back": set_back,
    "mischievous": mischievous,
    "orphaned": orphaned,
    "careless": careless,
}
