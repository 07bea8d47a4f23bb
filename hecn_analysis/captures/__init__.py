"""Packet captures: the large connections in a pcap or pcapng, and what limited each of their directions.

`records` walks the records, `headers` decodes them, `connections` puts them together, `stream` follows data and
acknowledgements, `direction` measures, `evidence` makes sentences.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from hecn_analysis.captures.connections import read_headers
from hecn_analysis.captures.direction import Direction, directions
from hecn_analysis.captures.evidence import statements_of
from hecn_analysis.files import packed, streams
from hecn_analysis.files.capture_forms import capture_form
from hecn_analysis.files.source import find
from hecn_analysis.statements.statement import Statement

__all__ = ["Capture", "Direction", "of_content", "read_capture", "statements"]


@dataclass(frozen=True)
class Capture:
    """Contents of a packet capture in the form "pcap" or "pcapng".

    ``packets``, ``tcp`` and ``udp`` count packets, ``connections`` TCP connections with data. ``directions`` are those
    with most data, the largest first. ``problems`` are kinds and messages of what could not be read.
    """

    source_file: str
    form: str
    packets: int
    tcp: int
    udp: int
    connections: int
    directions: tuple[Direction, ...]
    problems: tuple[tuple[str, str], ...] = field(default=())

    @property
    def statements(self) -> list[Statement]:
        """Statements about transfers, the largest direction first."""
        return statements_of(self.source_file, self.directions)


def of_content(content: packed.Content) -> Capture | None:
    """Read a file that is a packet capture; None for any other file, which stays unread.

    Parameters
    ----------
    content
        The file, or the member of an archive.

    Returns
    -------
    Capture or None
        Its contents.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> [(name, file)] = find(data_dir() / "pairs.yaml")
    >>> of_content(next(packed.contents(name, file, streams.FREE_BY_LINES))) is None
    True
    """
    form = capture_form(content.start)
    if form is None:
        return None
    headers = read_headers(content.pieces)
    return Capture(
        source_file=content.name,
        form=form,
        packets=headers.n_packets,
        tcp=headers.n_tcp,
        udp=headers.n_udp,
        connections=headers.n_connections,
        directions=tuple(directions(headers)),
        problems=(*headers.problems, *content.notes.problems),
    )


def read_capture(path: str | os.PathLike[str]) -> list[Capture]:
    """Read packet captures, packed or not, from a file, folder or archive; other files are skipped."""
    return [
        capture
        for name, file in find(path)
        for content in packed.contents(name, file, streams.FREE_BY_LINES)
        if (capture := of_content(content)) is not None
    ]


def statements(path: str | os.PathLike[str]) -> list[Statement]:
    """Make statements about the transfers in the packet captures at a path."""
    return [statement for capture in read_capture(path) for statement in capture.statements]
