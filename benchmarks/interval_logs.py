"""Long logs of intervals: `hecn_analysis.read` against a rate, `jc` and pscheduler's parsers; memory; many files.

`jc` (https://github.com/kellyjonbrazil/jc) reads ping and traceroute, pscheduler
(https://github.com/perfsonar/pscheduler) nuttcp and iperf3. That one is in no package registry: ``PSCHEDULER`` in the
environment is the folder of a checkout, and without it those pairs are left out, and said so. Its two helper functions
that the parsers call are replaced by ones as cheap. Every peer knows one format, trusts it, and keeps less than ours.

Reading may take as much processor time as 20 MB/s of one core leave. A log of 200 MB may take as much more memory than
``import pandas`` alone as makes 200 MB in all. Two processes are to read many small files in less time than one.
"""

import contextlib
import importlib.util
import json
import os
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jc

import hecn_analysis as hecn
from benchmarks import harness
from benchmarks.harness import Pair, leave_out, memory, seconds

INTERVALS = 20_000
MIB = 2**20
RATE = 20e6  # bytes of a log in a second
LONG = 200_000_000  # bytes of a log that must not fill the memory
FILES = 10_000


def nuttcp(intervals: int = INTERVALS) -> str:
    """Give what ``nuttcp -i1`` prints."""
    amounts = [1150 + number % 37 / 4 for number in range(intervals)]
    rows = [
        f"{amount:10.4f} MB / {1:6.2f} sec = {amount * MIB * 8e-6:9.4f} Mbps {number % 3:5d} retrans "
        f"{2000 + number % 99:6d} KB-cwnd"
        for number, amount in enumerate(amounts)
    ]
    total = sum(amounts)
    rate = total * MIB * 8e-6 / intervals
    resent = sum(number % 3 for number in range(intervals))
    last = f"{total:10.4f} MB / {intervals:6.2f} sec = {rate:9.4f} Mbps 20 %TX 40 %RX {resent} retrans 0.18 msRTT"
    return "\n".join([*rows, "", last, ""])


def iperf3_json(intervals: int = INTERVALS // 10) -> str:
    """Give what ``iperf3 -J -i1`` prints."""
    amounts = [1_180_000_000 + number % 37 * 1000 for number in range(intervals)]

    def row(start: float, end: float, amount: int, **more: object) -> dict[str, object]:
        span = {"socket": 5, "start": start, "end": end, "seconds": end - start, "bytes": amount}
        return span | {"bits_per_second": 8.0 * amount / (end - start), "omitted": False, "sender": True} | more

    tcp = {"retransmits": 0, "snd_cwnd": 2_097_152, "snd_wnd": 3_145_728, "rtt": 181, "rttvar": 12, "pmtu": 9000}
    whole = row(0, float(intervals), sum(amounts), retransmits=0)
    document = {
        "start": {
            "connected": [{"socket": 5, "local_host": "192.0.2.1", "local_port": 40_000, "remote_host": "192.0.2.2"}],
            "version": "iperf 3.16",
            "timestamp": {"time": "Fri, 01 Mar 2024 10:00:00 GMT", "timesecs": 1_709_287_200},
            "test_start": {"protocol": "TCP", "num_streams": 1, "duration": intervals, "reverse": 0},
        },
        "intervals": [
            {
                "streams": [row(float(number), number + 1.0, amount, **tcp)],
                "sum": row(float(number), number + 1.0, amount, retransmits=0),
            }
            for number, amount in enumerate(amounts)
        ],
        "end": {"streams": [{"sender": whole, "receiver": whole}], "sum_sent": whole, "sum_received": whole},
    }
    return json.dumps(document, indent="\t")


def iperf3(streams: int = 1, intervals: int = INTERVALS) -> str:
    """Give what ``iperf3 -i1`` prints, with ``-P`` for several streams."""
    ids = [5 + 2 * number for number in range(streams)]
    who = [*(f"{number:3d}" for number in ids), *(["SUM"] if streams > 1 else [])]
    rule = "- - - - - - - - - - - - - - - - - - - - - - - - -"
    lines = ["Connecting to host 192.0.2.2, port 5201"]
    lines += [
        f"[{number:3d}] local 192.0.2.1 port {40_000 + number} connected to 192.0.2.2 port 5201" for number in ids
    ]
    lines += ["[ ID] Interval           Transfer     Bitrate         Retr  Cwnd"]
    for number in range(intervals // len(who)):
        gbytes = [1 + number % 10 / 100] * streams
        gbytes += [sum(gbytes)] if streams > 1 else []
        for name, amount in zip(who, gbytes, strict=True):
            window = "" if name == "SUM" else f"   {2 + number % 9 / 100:.2f} MBytes       "
            lines.append(
                f"[{name}] {number:6.2f}-{number + 1:<6.2f} sec  {amount:.2f} GBytes  "
                f"{amount * 1024 * MIB * 8e-9:.2f} Gbits/sec  {number % 3:3d}{window}"
            )
        if streams > 1:
            lines.append(rule)
    seconds = intervals // len(who)
    each = sum(1 + number % 10 / 100 for number in range(seconds))
    lines += [rule, "[ ID] Interval           Transfer     Bitrate         Retr"]
    for name in who:
        total = each * (streams if name == "SUM" else 1)
        figures = f"{total:.0f} GBytes  {total / seconds * 1024 * MIB * 8e-9:.2f} Gbits/sec"
        span = f"[{name}] {0:6.2f}-{seconds:<6.2f} sec"
        lines += [f"{span}  {figures}    7             sender", f"{span}  {figures}                  receiver"]
    return "\n".join([*lines, "", "iperf Done.", ""])


def iperf2(intervals: int = INTERVALS) -> str:
    """Give what ``iperf -i1`` prints."""
    rule = "------------------------------------------------------------"
    amounts = [1 + number % 10 / 100 for number in range(intervals)]
    heading = ["Client connecting to 192.0.2.2, TCP port 5001", "TCP window size: 85.0 KByte (default)"]
    rows = [
        f"[  3] {n:4.1f}-{n + 1:4.1f} sec  {amount:.2f} GBytes  {amount * 1024 * MIB * 8e-9:.2f} Gbits/sec"
        for n, amount in enumerate(amounts)
    ]
    total = sum(amounts)
    last = f"[  3]  0.0-{intervals:.1f} sec  {total:.0f} GBytes  {total / intervals * 1024 * MIB * 8e-9:.2f} Gbits/sec"
    ends = "[  3] local 192.0.2.1 port 50000 connected with 192.0.2.2 port 5001"
    titles = "[ ID] Interval       Transfer     Bandwidth"
    return "\n".join([rule, *heading, rule, ends, titles, *rows, last, ""])


def iperf2_csv(intervals: int = INTERVALS) -> str:
    """Give what ``iperf -i1 -y C`` prints."""
    ends = "192.0.2.1,50000,192.0.2.2,5001,3"
    amounts = [1_180_000_000 + number % 1000 for number in range(intervals)]
    rows = [
        f"20240301{10 + n // 3600 % 10:02d}{n // 60 % 60:02d}{n % 60:02d},{ends},{n}.0-{n + 1}.0,{amount},{8 * amount}"
        for n, amount in enumerate(amounts)
    ]
    total = sum(amounts)
    return "\n".join([*rows, f"20240301200000,{ends},0.0-{intervals}.0,{total},{8 * total // intervals}", ""])


def ping(replies: int = INTERVALS) -> str:
    """Give what ping prints."""
    times = [80 + number % 37 / 10 for number in range(replies)]
    rows = [f"64 bytes from 192.0.2.2: icmp_seq={n + 1} ttl=64 time={time:.1f} ms" for n, time in enumerate(times)]
    return "\n".join(
        [
            "PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.",
            *rows,
            "",
            "--- 192.0.2.2 ping statistics ---",
            f"{replies} packets transmitted, {replies} received, 0% packet loss, time {replies * 1000}ms",
            f"rtt min/avg/max/mdev = {min(times):.3f}/{sum(times) / replies:.3f}/{max(times):.3f}/1.060 ms",
            "",
        ]
    )


def traceroute(times: int = INTERVALS // 40) -> str:
    """Give what traceroute prints, many times."""
    hops = [f"{hop:2d}  192.0.2.{hop} (192.0.2.{hop})  {hop}.1 ms  {hop}.2 ms  {hop}.3 ms" for hop in range(1, 13)]
    return "\n".join(["traceroute to 192.0.2.12 (192.0.2.12), 30 hops max, 60 byte packets", *hops, ""]) * times


def parsers(folder: Path) -> dict[str, Callable[[list[str]], Any]]:
    """Give pscheduler's parsers by tool, from a checkout."""
    helpers = types.ModuleType("pscheduler")
    scale = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
    vars(helpers)["Log"] = lambda **_: None
    vars(helpers)["si_as_number"] = lambda text: float(text[:-1]) * scale[text[-1]] if text[-1:] in scale else None
    sys.modules["pscheduler"] = helpers
    found = {}
    for tool in ("nuttcp", "iperf3"):
        place = folder / f"pscheduler-tool-{tool}" / tool / f"{tool}_parser.py"
        spec = importlib.util.spec_from_file_location(f"pscheduler_{tool}", place)
        if spec is None or spec.loader is None:
            raise FileNotFoundError(place)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[tool] = module.parse_output
    return found


def by_jc(parser: str, path: Path) -> object:
    """Read a file by jc."""
    return jc.parse(parser, path.read_text(encoding="utf-8"))


def by_pscheduler(parse: Callable[[list[str]], Any], path: Path) -> object:
    """Read a file by a parser of pscheduler's."""
    with path.open(encoding="utf-8") as lines:
        return parse(list(lines))


def against_rate(paths: dict[str, Path]) -> list[Pair]:
    """Give pairs of logs against what 20 MB/s of a core leave."""
    return [
        Pair(
            f"read {name}, {path.stat().st_size / 1e6:.1f} MB",
            f"{RATE / 1e6:.0f} MB/s",
            lambda path=path: hecn.read(path),
            path.stat().st_size / RATE,
            target=1.0,
        )
        for name, path in paths.items()
    ]


def against_jc(paths: dict[str, Path]) -> list[Pair]:
    """Give pairs against jc."""
    return [
        Pair(
            f"read {tool}",
            f"jc.parse {tool}",
            lambda path=paths[tool]: hecn.read(path),
            lambda path=paths[tool], tool=tool: by_jc(tool, path),
            target=0.1,
        )
        for tool in ("ping", "traceroute")
    ]


def against_pscheduler(paths: dict[str, Path]) -> list[Pair]:
    """Give pairs against pscheduler's parsers, none where there is no checkout."""
    checkout = os.environ.get("PSCHEDULER")
    if checkout is None:
        leave_out("pscheduler is left out: PSCHEDULER does not name a checkout of perfsonar/pscheduler")
        return []
    logs = {"nuttcp": paths["nuttcp"], "iperf3": paths["iperf3 JSON"]}
    return [
        Pair(
            f"read {tool}",
            f"pscheduler {tool}",
            lambda path=logs[tool]: hecn.read(path),
            lambda path=logs[tool], parse=parse: by_pscheduler(parse, path),
            target=1 / 3,
        )
        for tool, parse in parsers(Path(checkout)).items()
    ]


def long_log(folder: Path) -> Pair:
    """Give the memory that a long log takes, without its rows, over that of importing pandas."""
    path = folder / "long.log"
    head, _, last = nuttcp().rpartition("\n\n")
    with path.open("w", encoding="utf-8") as log:
        while log.tell() < LONG:
            log.write(head + "\n")
        log.write("\n" + last)
    alone = memory("import pandas")
    code = f"import hecn_analysis; hecn_analysis.read({str(path)!r}, intervals=False)"
    return Pair(
        f"read {LONG / 1e6:.0f} MB",
        "import pandas",
        lambda: code,
        lambda: "import pandas",
        target=200 / alone,
        take=lambda job: memory(str(job())),
        unit="MB",
        most_rounds=3,
    )


def many_files(folder: Path) -> Pair:
    """Give many small files in two processes against one."""
    place = folder / "many"
    place.mkdir()
    for number in range(FILES):
        (place / f"{number}.log").write_text(nuttcp(10), encoding="utf-8")
    return Pair(
        f"read {FILES} files in two processes",
        "in one",
        lambda: hecn.read(place, processes=2),
        lambda: hecn.read(place),
        target=0.8,
        take=seconds,
        most_rounds=3,
    )


def in_two_processes(folder: Path) -> list[Pair]:
    """Give the pair of two processes, none where there is one core for both."""
    if harness.threads > 1:
        return [many_files(folder)]
    leave_out("files in two processes are left out: there is one core for both")
    return []


@contextlib.contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark while their files are there."""
    with tempfile.TemporaryDirectory(prefix="hecn-bench-") as name:
        folder = Path(name)
        logs = {
            "nuttcp": nuttcp(),
            "iperf3": iperf3(),
            "iperf3 -P4": iperf3(4),
            "iperf3 JSON": iperf3_json(),
            "iperf 2": iperf2(),
            "iperf 2 CSV": iperf2_csv(),
            "ping": ping(),
            "traceroute": traceroute(),
        }
        paths = {what: folder / f"{what}.log" for what in logs}
        for what, text in logs.items():
            paths[what].write_text(text, encoding="utf-8")
        for what, path in paths.items():
            reading = hecn.read(path)
            tool = what.replace("iperf 2", "iperf2").partition(" ")[0]
            if set(reading.runs.tool) != {tool} or not reading.problems.empty:
                raise AssertionError(f"{what}: {reading}, {reading.problems.message.tolist()[:1]}")
        against = {what: path for what, path in paths.items() if what != "traceroute"}
        yield [
            *against_rate(against),
            *against_jc(paths),
            *against_pscheduler(paths),
            *([long_log(folder)] if Path("/proc/self/status").exists() else []),
            *in_two_processes(folder),
        ]
