"""A statement: a fact about a transfer in one line of a file, with the line, so that a diagnosis can quote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

import pandas as pd

from hecn_analysis.base import tables

#: What statements are called, and their unit or what they are.
NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # sockets: of the connection that carries the data
        "socket.rwnd_limited": "share of the time in which the receiver's window held the sender back (RFC 4898)",
        "socket.sndbuf_limited": "share of the time in which the send buffer held the sender back",
        "socket.app_limited": "share of the time in which the sender had nothing to send; 1 where ss says so",
        "socket.busy": "share of the time in which data was under way",
        "socket.cwnd_bytes": "congestion window [B]",
        "socket.send_window_bytes": "window that the receiver offers [B]",
        "socket.unsent_bytes": "data that waits for the window [B]",
        "socket.unread_bytes": "data that the receiving program has not read [B]",
        "socket.retransmitted": "share of the segments that were sent again",
        "socket.rtt_s": "smoothed round-trip time [s]",
        "socket.rtt_min_s": "least round-trip time [s]",
        "socket.rtt_least_s": "least of the round-trip times that were sampled during the transfer [s]",
        "socket.pacing_bps": "rate that the program asked the kernel to pace at [bit/s]",
        "socket.rate_bps": "rate of the data that a capture shows [bit/s]",
        "socket.flight_bytes": "most data that were sent and not acknowledged [B]",
        "socket.flight_steady": "least over most data in flight, of nine tenths of the second half of the time",
        "socket.window_scaling": "1 where both ends scale their windows, 0 where one does not",
        "socket.zero_window": "share of the time in which the receiver's window was closed",
        "socket.stalled": "share of the time in which the sender waited for a retransmission timeout",
        "socket.reordered": "share of the segments that came out of order without being lost",
        "socket.duplicate_acks": "acknowledgements that repeat the one before while data are in flight",
        "socket.mss_bytes": "the smaller MSS of both ends [B]",
        "socket.uncaptured": "share of the data that were acknowledged, but are missing from the capture",
        "socket.connections": "connections that carry data at the same time",
        # datagrams
        "udp.unread": "datagrams that the host dropped because the socket's buffer had no room, by then",
        # queues and ports
        "queue.kind": "kind of the queueing discipline",
        "queue.rate_bps": "rate that the queueing discipline holds to [bit/s]",
        "queue.dropped": "packets dropped by the queueing discipline",
        "queue.backlog_bytes": "data that waits in it [B]",
        "port.speed_bps": "speed of the port [bit/s]",
        "port.supported_bps": "fastest speed that the port supports [bit/s]",
        "port.duplex": "full or half",
        "port.errors": "packets with errors",
        "port.dropped": "packets dropped by the port",
        "port.sent_bps": "most that the port sent [bit/s]",
        "port.received_bps": "most that the port received [bit/s]",
        "port.load": "share of its speed that a port carries in its busier direction, over seconds to minutes",
        "port.mtu_bytes": "MTU [B]",
        # processors
        "cpu.cores": "number of cores",
        "cpu.busiest": "share of the time that the busiest core works during the transfer",
        "cpu.kernel": "load of the core on which the kernel does most; its part alone where a program does the most",
        "cpu.quota": "cores that the process may use; infinite where nothing bounds it",
        "cpu.throttled": "share of the periods in which the quota stopped the process",
        "cpu.others": "cores that other processes take",
        "cpu.tool": "cores that the tool itself takes",
        "cpu.timed": "cores that a timed copy takes",
        "cpu.softirq": "share of the time in which the core that takes most packets in does so",
        "cpu.softnet_dropped": "packets that the queues of the cores dropped, on their way from the card to the kernel",
        "cpu.interrupts": "share of the interrupts of network cards that the busiest core takes",
        "cpu.iowait": "share of the time waiting for disks",
        "cpu.steal": "share of the time that the host of a virtual machine gave to others",
        # settings of the kernel
        "kernel.receive_buffer_bytes": "largest receive buffer that the kernel tunes up to (tcp_rmem) [B]",
        "kernel.send_buffer_bytes": "largest send buffer that the kernel tunes up to (tcp_wmem) [B]",
        "kernel.receive_request_bytes": "largest receive buffer that a program can ask for (rmem_max) [B]",
        "kernel.send_request_bytes": "largest send buffer that a program can ask for (wmem_max) [B]",
        "kernel.congestion_control": "congestion control",
        "host.system": "operating system: Linux, FreeBSD, macOS or Windows",
        # disks
        "disk.read_bps": "rate at which the disk read in a test of its own [bit/s]",
        "disk.write_bps": "rate at which the disk wrote in a test of its own [bit/s]",
        "disk.reading_bps": "rate at which the busiest disk read during the transfer [bit/s]",
        "disk.writing_bps": "rate at which the busiest disk wrote during the transfer [bit/s]",
        "disk.utilisation": "share of the time in which a disk was busy",
        "mount.share": "directory at which a share of a server is mounted",
        "host.memory_bytes": "memory of the host [B]",
        # paths
        "path.rate_bps": "rate of the circuit as notes state it [bit/s]",
        "access.down_bps": "download rate of the access line of the poster's site [bit/s]",
        "access.up_bps": "rate of an access line from that site [bit/s]",
        "path.sender": "name of the host that sends, as notes state it",
        "path.receiver": "name of the host that receives, as notes state it",
        "path.black_hole_bytes": "size of packets that never arrive, while smaller ones do [B]",
        "path.unanswered_bytes": "size of the large packets of a ping of which none was answered [B]",
        "path.rtt_idle_s": "round-trip time without a transfer [s]",
        "path.rtt_scatter_s": "standard deviation of the round-trip time without a transfer [s]",
        "path.rtt_loaded_s": "round-trip time during the transfer [s]",
        "path.ping_loss_idle": "share of the pings lost without a transfer",
        "path.ping_loss_loaded": "share of the pings lost during the transfer",
        "path.mtu_bytes": "MTU that a hop of the path tells [B]",
        "path.loss_from_hop": "share of the probes lost at the last hop, by a loss that lasts from an earlier one on",
        "path.route": "hops of the path, separated by blanks: addresses separated by commas, * for a silent one",
        "path.traced_s": "when the route was traced [s since 1970]",
        "path.rate_over_rtt": "slope of the rate over the round-trip time, of rates that somebody states for several",
        "path.rate_over_streams": "slope of the rate over the number of streams, of rates that somebody states",
        "path.rate_over_request": "slope of the rate over the size of requests, of rates that somebody states",
        "told.rate_bps": "rate that a transfer reached, as notes state it [bit/s]",
        "told.buffer_bytes": "buffer or window of a socket, as notes state it [B]",
        # copies
        "files.count": "number of files that were copied",
        # what was asked of the tool
        "asked.window_bytes": "window that the tool was asked for [B]",
        "asked.rate_bps": "rate that the tool was asked for, of all streams together [bit/s]",
        "asked.transfers": "transfers or requests that a copy makes at once",
        "asked.bytes": "amount that the tool was asked for [B]",
        "asked.command": "the command line, or the request in the output",
        "asked.file": "what the tool reads or writes: a file or device, program, or memory",
        "asked.path": "file, directory or device that a test of a disk or a copy reads or writes",
        "asked.direct": "1 where a test of a disk goes past the page cache or flushes it, 0 where its command does not",
        "asked.name": "name that the command gives the other end",
        "run.began_s": "when the run began by the clock of the host that wrote the output [s since 1970]",
        "asked.local": "address or name of the end that wrote the output",
        "asked.remote": "address or name of the other end",
        # a line that names a cause by itself; the value is the entry of models/cues.yaml
        "cue": "entry of models/cues.yaml whose pattern the line has",
        # a word of a subject; the value is the entry of models/topics.yaml and the word
        "topic": "entry of models/topics.yaml, and which of its words the line has",
    }
)


_COLUMNS: Final = ("source_file", "line", "name", "value", "says", "end", "host")

#: Words by which people call the files of an end; a server sends as often as it receives.
_CALLED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "sender": frozenset({"snd", "src", "source"}),
        "receiver": frozenset({"rcv", "recv", "rcvr", "dst", "dest", "destination"}),
    }
)


@dataclass(frozen=True)
class Statement:
    """A fact about a transfer, as one line states it.

    ``name`` is one of `NAMES`, which gives the unit of the ``value``. ``says`` are the words to quote: the line, or a
    part of it. ``end`` is "sender", "receiver" or "" if unknown; ``host`` is the host that the file names, of a ping
    all names and addresses of the one that answers, of probes between two others ``SOURCE > TARGET``;
    ``device`` is the port that the lines above name, or "".
    """

    name: str
    value: float | str
    source_file: str
    line: int
    says: str
    end: str = ""
    host: str = ""
    device: str = ""


def table_of(statements: Iterable[Statement]) -> pd.DataFrame:
    """Return statements as rows of the table ``statements``.

    Parameters
    ----------
    statements
        The statements.

    Returns
    -------
    DataFrame
        A row for each; texts that are empty are missing.

    Examples
    --------
    >>> table_of([Statement("asked.remote", "dtn2", "a.log", 3, "connected to dtn2")])["value"].tolist()
    ['dtn2']
    """
    rows = [{name: getattr(statement, name) for name in _COLUMNS} for statement in statements]
    for row in rows:
        value = row["value"]
        row["value"] = value if isinstance(value, str) else f"{value:.12g}"
        row["line"] = row["line"] or None
        row.update({name: row[name] or None for name in ("says", "end", "host")})
    return tables.make("statements", rows)


def end_of(source_file: str) -> str:
    """Infer the end of the transfer from the name of a file.

    Parameters
    ----------
    source_file
        The name.

    Returns
    -------
    str
        "sender", "receiver", or "".

    Examples
    --------
    >>> end_of("before/sysctl-receiver.txt"), end_of("mpstat_src.txt"), end_of("link.txt")
    ('receiver', 'sender', '')
    """
    words = PurePath(source_file).stem.lower().replace("_", "-").replace(".", "-").split("-")
    ends = {end for word in words for end, names in _CALLED.items() if word.startswith(end) or word in names}
    return ends.pop() if len(ends) == 1 else ""
