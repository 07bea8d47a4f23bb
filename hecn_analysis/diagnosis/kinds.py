"""Kinds of run: sender, receiver, tool, pacing and distance. Unlike runs are never pooled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.diagnosis import of_captures
from hecn_analysis.diagnosis.of_runs import BACK, by_file, paths_of, said_of_runs, targets
from hecn_analysis.diagnosis.unfinished import with_unfinished
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.runs import course
from hecn_analysis.runs.circumstances import SIMULTANEOUS
from hecn_analysis.runs.rates import DISK_TOOLS, PATH_TOOLS
from hecn_analysis.statements import Statement
from hecn_analysis.statements.ends import by_names

#: Tools that copy locally; beside a transfer over the network in the same files they are one end of its pipe.
_LOCAL: Final = frozenset({"dd"})

#: Tools that move objects of a store, each by requests of its own.
OF_STORES: Final = frozenset({"aws", "azcopy", "gcloud", "gsutil", "mc", "rclone"})

#: Tools whose data pass through a channel of ssh.
OVER_SSH: Final = frozenset({"scp", "sftp", "rsync"})

#: Tools that copy files over TCP from one host to another; their readers call that a copy of files, as of a local one.
BETWEEN_HOSTS: Final = OF_STORES | frozenset(
    {"scp", "hpn-scp", "sftp", "curl", "wget", "wget2", "ftp", "lftp", "ncftp", "globus", "aria2c", "axel", "smbclient"}
)

#: Medians of a client's and a server's log of the same runs differ by less.
_SAME: Final = 0.1

_RATE: Final = "asked.rate_bps"
_METER: Final = "run.meter_bps"
_WINDOW: Final = "asked.window_bytes"

#: Tools that send from memory to memory.
_OF_MEMORY: Final = frozenset(
    {"iperf", "iperf2", "iperf3", "nuttcp", "nttcp", "ttcp", "netperf", "ntttcp", "ethr", "uperf"}
)

#: Statements that belong to the runs of their own file alone.
_OWN: Final = ("asked.", "socket.", "run.")


#: What makes runs the same test, regardless of its ends.
_TEST: Final = ("tool", "protocol", "streams", "extent", "distance", "circumstances", _RATE, _WINDOW)

#: Of these, what a log that ends early does not state.
_AT_THE_END: Final = frozenset({"extent"})

#: Parts in which a test one way and the same test both ways differ: runs of less data take as long.
_BESIDE: Final = frozenset({"extent", "distance", "circumstances"})

#: Between the names of the two hosts of probes.
_BETWEEN: Final = ">"

#: How much faster the same test goes between other ends if a kind is shown first.
FASTER: Final = 1.5


def courses(intervals: pd.DataFrame) -> dict[tuple[str, int], pd.DataFrame]:
    """Course of each run with intervals, of all its streams together, by file and run."""
    by_run: Iterable[Any] = intervals.groupby(["source_file", "run"], sort=False)
    return {(str(file), int(run)): course.together(own) for (file, run), own in by_run}


@dataclass(frozen=True)
class Other:
    """The same test between other ends.

    ``differs`` is ``destination`` or ``source`` if only that differs, ``direction`` if the data go the other way;
    ``rate_bps`` is the median rate [bit/s], ``place`` the first run.
    """

    differs: str
    rate_bps: float
    place: Statement


@dataclass(frozen=True)
class Twin:
    """Runs the other way at the same time: their median rate [bit/s], their intervals, and their first run."""

    rate_bps: float
    intervals: pd.DataFrame
    place: Statement


@dataclass(frozen=True)
class Kind:
    """Runs that repeat one test; ``condition`` describes what they have in common.

    Attributes
    ----------
    condition
        What makes them alike, in words.
    tool, protocol, direction, source_host, destination_host
        As the table of runs and the logs have them; "" where they say nothing.
    streams
        Parallel streams, 0 where the logs do not say.
    runs
        Their rows of the table of runs, those with a rate.
    failed
        Number of the runs that were aborted.
    intervals, per_stream
        Their rows of the tables of intervals and of streams.
    piped
        Runs of local copies that feed or drain them.
    statements
        What single lines say: of their own files, and of files about hosts and paths.
    others
        The same test between other ends.
    twin
        The runs the other way at the same time.
    alone
        The same test without runs the other way.
    through
        The fastest test of the same path between memories, beside a copy of files.
    copied
        The fastest other copy of files between the same ends by the same tool.
    share
        The line that mounts the share of a server which a test of disks reads or writes.
    most_streams
        Most streams of this test and of the others by this tool from the same source to the same destination.
    """

    condition: str
    tool: str
    protocol: str
    direction: str
    source_host: str
    destination_host: str
    streams: int
    runs: pd.DataFrame
    failed: int
    intervals: pd.DataFrame
    per_stream: pd.DataFrame
    piped: pd.DataFrame
    statements: tuple[Statement, ...]
    others: tuple[Other, ...] = ()
    twin: Twin | None = None
    alone: Other | None = None
    through: Other | None = None
    copied: Other | None = None
    share: Statement | None = None
    most_streams: int = 0

    @property
    def is_outlier(self) -> bool:
        """Whether the same test between other ends is clearly faster."""
        return any(other.rate_bps > FASTER * self.median_bps for other in self.others)

    @property
    def is_asked_for(self) -> bool:
        """Whether the runs are clearly slower than the same test elsewhere, or than their path, so that people ask."""
        return self.is_outlier or (self.through is not None and self.through.rate_bps > FASTER * self.median_bps)

    @property
    def is_local(self) -> bool:
        """Whether the runs are tests of disks, and nothing went over a network."""
        return self.tool in DISK_TOOLS and self.share is None

    @property
    def is_back(self) -> bool:
        """Whether the other end of the host that wrote the log sends."""
        return self.direction in BACK

    @property
    def is_of_memory(self) -> bool:
        """Whether the tool sends from memory to memory, and needs next to no time of its own."""
        return self.tool in _OF_MEMORY

    @property
    def is_both_ways(self) -> bool:
        """Whether the runs were simultaneous with others."""
        return SIMULTANEOUS in _text(self.runs.iloc[0]["circumstances"]) if len(self.runs) else False

    @property
    def copies_files(self) -> bool:
        """Whether the runs copy files to or from another host: both ends may wait for a disk."""
        is_copy = self.tool in BETWEEN_HOSTS or self.tool in ("rsync", "robocopy", "timed-copy")
        return is_copy or self.share is not None

    @property
    def is_loopback(self) -> bool:
        """Whether the data stay in one host."""
        ends = self.source_host, self.destination_host
        return _is_loopback(ends[1]) or (bool(ends[0]) and ends[0] == ends[1])

    @property
    def files(self) -> list[str]:
        """Names of the files that hold the runs."""
        return list(dict.fromkeys(self.runs["source_file"].astype(str)))

    @property
    def median_bps(self) -> float:
        """Median rate of the runs [bit/s]."""
        return float(self.runs["rate_bps"].median())

    @cached_property
    def courses(self) -> dict[tuple[str, int], pd.DataFrame]:
        """Course of each run with intervals, of all its streams together, by file and run."""
        return courses(self.intervals)

    def say(self, name: str, end: str = "") -> list[Statement]:
        """Return the statements of a name.

        Parameters
        ----------
        name, end
            Name of the statements; ``sender`` or ``receiver`` for those of that end and those without an end; empty:
            all.

        Returns
        -------
        list of Statement
            The statements, in the order of the files.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> from hecn_analysis.ingest.folder import read_folder
        >>> kinds(read_folder(data_dir() / "logs" / "b-systems-netem.txt"))[0].say("no such name")
        []
        """
        return [
            statement
            for statement in self.statements
            if statement.name == name and (not end or statement.end in ("", end))
        ]


def kinds(folder: Folder) -> list[Kind]:
    """Group the runs of a folder into kinds.

    Parameters
    ----------
    folder
        What was read.

    Returns
    -------
    list of Kind
        The kind with most runs first; of as many runs, the slowest.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.ingest.folder import read_folder
    >>> kinds(read_folder(data_dir() / "logs" / "b-systems-netem.txt"))[0].tool
    'nuttcp'
    """
    own = by_file(folder.statements)
    runs = with_unfinished(
        folder.runs[~folder.runs["tool"].isin(PATH_TOOLS)],
        folder.reading.intervals,
        {
            (metered.source_file, metered.line): metered.value
            for of in own.values()
            for metered in of
            if metered.name == _METER
        },
        copies=BETWEEN_HOSTS,
    )
    said = (_RATE, _WINDOW, "asked.local", "asked.remote")
    runs = runs.assign(**{name: said_of_runs(runs, own, name) for name in said})
    runs["target"] = pd.Series(targets(runs, own), runs.index, dtype=object)
    mounts = [statement for statement in folder.statements if statement.name == "mount.share"]
    of_disks = runs[runs["tool"].isin(DISK_TOOLS)]
    shares = {at: share for at, run in of_disks.iterrows() if (share := _share(mounts, own, run)) is not None}
    runs["share"] = pd.Series({at: str(share.value) for at, share in shares.items()}, runs.index, dtype=object)
    folder = _without_rates_of(folder, of_disks.loc[list(shares)])
    on_wire = runs[~runs["tool"].isin(_LOCAL)]
    files = set(on_wire["source_file"])
    ends = {_stem(str(name)) for name in files}
    of_ends = runs["source_file"].map(lambda name: _stem(str(name)) in ends).astype(bool)
    piped = runs["tool"].isin(_LOCAL) & (runs["source_file"].isin(files) | of_ends) & runs["share"].isna()
    keys = ["condition", _RATE, _WINDOW, "asked.local", "asked.remote", "share", "target"]
    made = [
        _kind(folder, str(key[0]), part, runs[piped], shares.get(part.index[0]))
        for key, part in runs[~piped].groupby(keys, sort=False, dropna=False)
    ]
    with_rates = [kind for kind in made if len(kind.runs)] or made
    if not any(len(kind.runs) for kind in made):
        seen = of_captures.runs_of(folder.captures).assign(**{_RATE: None, _WINDOW: None, "target": None})
        parts = [part for _, part in seen.groupby("source_file", sort=False)]
        with_rates = [_kind(folder, str(part.iloc[0]["condition"]), part, seen.head(0)) for part in parts] or made
    over_networks = [kind for kind in with_rates if not kind.is_local]
    slow_disks = [kind for kind in with_rates if _is_slow_disk(kind, over_networks)]
    with_rates = over_networks + slow_disks or with_rates  # beside the former, other tests of disks are evidence
    return _with_others(_without_other_ends(with_rates))


def _is_slow_disk(kind: Kind, over_networks: Sequence[Kind]) -> bool:
    """Whether a test of a disk is the slow part beside tests of the network between memories alone."""
    if not kind.is_local or not over_networks or any(other.tool not in _OF_MEMORY for other in over_networks):
        return False
    return FASTER * kind.median_bps < max(other.median_bps for other in over_networks)


def without_runs(folder: Folder) -> Kind:
    """Return the statements of a folder without runs, as a kind."""
    empty = folder.runs.head(0)
    tables = folder.reading.intervals.head(0), folder.reading.streams.head(0), empty
    return Kind("no run with a rate", "", "", "", "", "", 0, empty, 0, *tables, tuple(by_names(folder.statements)))


def _is_loopback(host: str) -> bool:
    """Whether a name is that of the loopback interface."""
    return host in ("localhost", "::1") or host.startswith("127.")


def _stem(name: str) -> str:
    """Name of a file without its end of the transfer, which client-1-sender.txt and client-1-receiver.txt share."""
    for end in ("sender", "receiver", "source", "destination", "client", "server"):
        name = name.replace(end, "")
    return name


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)  # type: ignore[call-overload]


def _kind(
    folder: Folder, condition: str, part: pd.DataFrame, piped: pd.DataFrame, share: Statement | None = None
) -> Kind:
    first = part.iloc[0]
    good = part[part["rate_bps"].notna()]
    files = set(part["source_file"])
    stems = {_stem(str(name)) for name in files}
    direction = _text(first["direction"])
    ends = [_text(first["asked.local"]), _text(first["asked.remote"])]
    source, destination = reversed(ends) if direction in BACK else ends
    called = {
        str(statement.value)
        for statement in folder.statements
        if statement.name == "asked.name" and statement.source_file in files
    }
    names = [{source}, {destination}]
    names[direction not in BACK] |= called
    rate, window = first[_RATE], first[_WINDOW]
    said = [f"paced at {units.format_rate(float(rate))}"] if not pd.isna(rate) else []
    said += [f"a window of {units.format_bytes(float(window))} asked for"] if not pd.isna(window) else []
    said += [f"on the share {share.value}"] if share is not None else []
    said += [first["target"]] if first["target"] else []
    return Kind(
        condition=", ".join([condition, *said, *([f"{source} to {destination}"] if source and destination else [])]),
        tool=str(first["tool"]),
        protocol=_protocol(_text(first["protocol"]), str(first["tool"]), destination) if share is None else "share",
        direction=direction,
        source_host=source,
        destination_host=destination,
        streams=0 if pd.isna(first["streams"]) else int(first["streams"]),
        runs=good,
        failed=int(part["error"].sum()),
        intervals=_own_rows(folder.reading.intervals, part),
        per_stream=_own_rows(folder.reading.streams, part),
        piped=piped[piped["source_file"].map(lambda name: _stem(str(name)) in stems).astype(bool)],
        statements=tuple(
            _about(
                _of_path(by_names(folder.statements, *names), {*names[0], *names[1]}),
                files,
                stems,
                {_RATE: rate, _WINDOW: window},
            )
        ),
        share=share,
    )


def _of_path(statements: Sequence[Statement], ends: Collection[str]) -> list[Statement]:
    """Statements without the pings of other hosts, such as the gateway, where an end of the runs is pinged."""
    ends = {_short(end) for end in ends} - {""}
    to_ends = {statement: _is_to(statement.host.split(), ends) for statement in statements if _is_ping(statement)}
    known = {statement.name for statement, is_to_end in to_ends.items() if is_to_end}
    known |= {statement.name for statement in to_ends if _BETWEEN in statement.host} if len(ends) > 1 else set()
    return [statement for statement in statements if statement.name not in known or to_ends.get(statement, True)]


def _is_to(hosts: Sequence[str], ends: Collection[str]) -> bool:
    """Whether a ping is to an end of the runs, or probes are between both of them."""
    named = [_short(host) in ends for host in hosts if host != _BETWEEN]
    return all(named) if _BETWEEN in hosts else any(named)


def _is_ping(statement: Statement) -> bool:
    return bool(statement.host) and statement.name.startswith("path.")


def _short(host: str) -> str:
    """A name without its domain, or an address."""
    return host.lower() if host.replace(".", "").isdigit() or ":" in host else host.lower().partition(".")[0]


def _share(
    mounts: Sequence[Statement], own: Mapping[str, Sequence[Statement]], run: pd.Series[Any]
) -> Statement | None:
    """The line that mounts the share on which a test of disks works, by the command above the run."""
    paths = [f"{statement.value}/" for statement in paths_of(run, own)]
    return next((mount for mount in mounts if any(path.startswith(f"{mount.value}/") for path in paths)), None)


def _without_rates_of(folder: Folder, on_shares: pd.DataFrame) -> Folder:
    """Leave out what tests on shares say of disks: their rates are those of transfers."""
    places = {
        (str(run["source_file"]), line)
        for run in on_shares.dropna(subset=["line_first", "line_last"]).to_dict("records")
        for line in range(int(run["line_first"]), int(run["line_last"]) + 1)
    }
    kept = (
        statement
        for statement in folder.statements
        if not (
            statement.name in ("disk.read_bps", "disk.write_bps") and (statement.source_file, statement.line) in places
        )
    )
    return replace(folder, statements=tuple(kept))


def _own_rows(table: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of intervals or streams that belong to some runs."""
    key = ["source_file", "run"]
    own = pd.MultiIndex.from_frame(runs[key])
    return table[pd.MultiIndex.from_frame(table[key]).isin(own)]


def _protocol(told: str, tool: str, destination: str) -> str:
    """Protocol of runs: TCP for copies of files to another host."""
    return "tcp" if told == "file" and (tool in BETWEEN_HOSTS or (tool == "rsync" and destination)) else told


def _about(
    statements: Sequence[Statement], files: set[str], stems: set[str], asked: Mapping[str, object]
) -> Iterator[Statement]:
    """Statements about some runs: in their files, in those of their other ends, and about hosts and paths."""
    with_requests = {statement.source_file for statement in statements if statement.name.startswith("asked.")}
    for statement in statements:
        name = statement.source_file
        is_own = name in files or _stem(name) in stems
        if is_own and statement.name in asked and statement.value != asked[statement.name]:
            continue  # of another run in the same file
        if is_own or not (statement.name.startswith(_OWN) and name in with_requests):
            yield statement


def _without_other_ends(kinds: Sequence[Kind]) -> list[Kind]:
    """Leave out the server's logs of runs that the client's logs contain too."""
    kept: list[Kind] = []
    for kind in sorted(kinds, key=_is_server):
        twin = next(
            (other for other in kept if _is_same_run(other, kind) or (_is_server(kind) and _is_other_end(other, kind))),
            None,
        )
        if twin is None:
            kept.append(kind)
    return sorted(kept, key=lambda kind: (-len(kind.runs), kind.median_bps))


def _is_same_run(kind: Kind, other: Kind) -> bool:
    """Whether the logs of two kinds are of the two ends of the same runs, as the marks in them say."""
    marks = [
        {mark.says for mark in each.say("run.began_s") if mark.source_file in each.files} for each in (kind, other)
    ]
    ends = ((run.source_host, run.destination_host) for run in (kind, other))
    is_marked = bool(marks[0]) and marks[0] == marks[1] and not set(kind.files) & set(other.files)
    return is_marked and len(set(ends)) == 1 and _is_other_end(kind, other)


def _is_server(kind: Kind) -> bool:
    return bool(kind.files) and all("server" in name.rpartition("/")[2].lower() for name in kind.files)


def _is_other_end(client: Kind, server: Kind) -> bool:
    """Whether the logs of a server and a client are of the same runs."""
    if client.tool != server.tool or client.protocol != server.protocol or not len(client.runs):
        return False
    return abs(server.median_bps / client.median_bps - 1) < _SAME


def _with_others(kinds: Sequence[Kind]) -> list[Kind]:
    """Add the same test between other ends to each kind."""
    known = [(kind, _test(kind)) for kind in kinds if len(kind.runs) and not kind.is_local]
    told: list[Kind] = []
    fine: set[int] = set()
    for kind in kinds:
        own = next((test for other, test in known if other is kind), None)
        alike = [other for other, test in known if other is not kind and own is not None and _is_same(own, test)]
        others = [
            Other(differs, other.median_bps, _place(other)) for other in alike if (differs := _differs(kind, other))
        ]
        twin = next((other for other, _ in known if _is_twin(kind, other)), None)
        alone = next((other for other, test in known if own is not None and _is_alone(kind, own, other, test)), None)
        tests = [other for other, _ in known if own is not None and _is_through(kind, other)]
        through = max(tests, key=lambda other: other.median_bps, default=None)
        copies = [other for other, _ in known if own is not None and other is not kind and _is_copy_alike(kind, other)]
        copied = max(copies, key=lambda other: other.median_bps, default=None)
        told.append(
            replace(
                kind,
                others=tuple(others),
                twin=None if twin is None else Twin(twin.median_bps, twin.intervals, _place(twin)),
                alone=None if alone is None else Other("alone", alone.median_bps, _place(alone)),
                through=None if through is None else Other("tool", through.median_bps, _place(through)),
                copied=None if copied is None else Other("extent", copied.median_bps, _place(copied)),
                most_streams=max(other.streams for other in kinds if _of_tool(other) == _of_tool(kind)),
            )
        )
        if through is not None and through.median_bps > FASTER * kind.median_bps:
            fine.add(id(through))
    return [_without_words(worded) if id(kind) in fine else worded for kind, worded in zip(kinds, told, strict=True)]


def _of_tool(kind: Kind) -> tuple[str, str, str]:
    return kind.tool, kind.source_host, kind.destination_host


def _without_words(kind: Kind) -> Kind:
    """Leave out the words and lines that name a cause: a copy is slow, this test of its path is not."""
    return replace(
        kind, statements=tuple(statement for statement in kind.statements if statement.name not in ("cue", "topic"))
    )


def _is_twin(kind: Kind, other: Kind) -> bool:
    """Whether runs went the other way at the same time."""
    ends = (kind.source_host, kind.destination_host), (other.destination_host, other.source_host)
    is_back = kind.direction != other.direction and (not all(ends[0]) or not all(ends[1]) or ends[0] == ends[1])
    return is_back and kind.is_both_ways and other.is_both_ways and bool(set(kind.files) & set(other.files))


def _is_alone(kind: Kind, own: Sequence[str], other: Kind, test: Sequence[str]) -> bool:
    """Whether runs are the same test, without others the other way."""
    if not kind.is_both_ways or other.is_both_ways or kind.direction != other.direction:
        return False
    ends = (kind.source_host, kind.destination_host), (other.source_host, other.destination_host)
    return _is_same(own, test, _BESIDE) and (not all(ends[0]) or not all(ends[1]) or ends[0] == ends[1])


def _is_through(kind: Kind, other: Kind) -> bool:
    """Whether a kind tests the path of a copy of files between memories, as far as the names of the ends go."""
    if not kind.copies_files or other.tool not in _OF_MEMORY or other.protocol != "tcp" or other.is_loopback:
        return False
    if not _known_ends(kind) or not _known_ends(other):
        return True
    return {kind.source_host, kind.destination_host} == {other.source_host, other.destination_host}


def _is_copy_alike(kind: Kind, other: Kind) -> bool:
    """Whether a kind copies other files between the same ends by the same tool."""
    tests = [(copy.tool, copy.direction, copy.source_host, copy.destination_host) for copy in (kind, other)]
    return kind.copies_files and other.copies_files and tests[0] == tests[1]


def _test(kind: Kind) -> tuple[str, ...]:
    first = kind.runs.iloc[0]
    return tuple(_text(first[name]) for name in _TEST)


def _is_same(test: Sequence[str], other: Sequence[str], but: frozenset[str] = frozenset()) -> bool:
    """Whether two kinds repeat the same test, as far as their logs go, and but for some of its parts."""
    parts = zip(_TEST, test, other, strict=True)
    return all(mine == its or name in but or (name in _AT_THE_END and not (mine and its)) for name, mine, its in parts)


def _differs(kind: Kind, other: Kind) -> str:
    """The only difference between the ends of two kinds, or "" if unknown."""
    if kind.direction != other.direction and not _known_ends(kind) and not _known_ends(other):
        return "direction"
    if not _known_ends(kind) or not _known_ends(other):
        return ""
    own, its = (kind.source_host, kind.destination_host), (other.source_host, other.destination_host)
    if own == its[::-1]:
        return "direction"
    same = [mine == theirs for mine, theirs in zip(own, its, strict=True)]
    return {(True, False): "destination", (False, True): "source"}.get((same[0], same[1]), "")


def _known_ends(kind: Kind) -> bool:
    return bool(kind.source_host and kind.destination_host)


def _place(kind: Kind) -> Statement:
    """The first run of a kind, with its ends and rate."""
    first = kind.runs.iloc[0]
    line = 1 if pd.isna(first["line_last"]) else int(first["line_last"])
    ends = f"{kind.source_host} to {kind.destination_host}" if _known_ends(kind) else kind.direction
    return Statement("run", "", str(first["source_file"]), line, f"{ends}: {units.format_rate(kind.median_bps)}")
