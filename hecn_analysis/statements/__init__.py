"""Statements of single lines about a transfer: sockets, queues, processors, settings, disks, notes, commands.

A diagnosis quotes such lines. Each module here finds statements of one subject in any text; `read` calls all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.readers import find_readers
from hecn_analysis.statements.ends import with_ends
from hecn_analysis.statements.socket_courses import SocketCourse as SocketCourse
from hecn_analysis.statements.socket_courses import courses
from hecn_analysis.statements.statement import Statement as Statement

#: Largest file in which statements are looked for: outputs of commands are short. [B]
_LARGEST: Final = 4 << 20

Finder = Callable[[Document], Iterator[Statement]]


@cache
def _finders() -> tuple[Finder, ...]:
    """Find the function `find` of each module here."""
    return tuple(module.find for module in find_readers(__name__, "find"))


def read(document: Document) -> list[Statement]:
    r"""Find the statements in a file.

    Parameters
    ----------
    document
        The file, as text.

    Returns
    -------
    list of Statement
        In the order of the subjects, then of the lines; empty for files of more than 4 MiB.

    Examples
    --------
    >>> statements = read(Document("sysctl-receiver.txt", b"net.ipv4.tcp_rmem = 4096 131072 174760\n"))
    >>> [(statement.name, statement.value, statement.end) for statement in statements]
    [('host.system', 'Linux', 'receiver'), ('kernel.receive_buffer_bytes', 174760.0, 'receiver')]
    """
    if len(document.content) > _LARGEST:
        return []
    return with_ends(document, [statement for finder in _finders() for statement in finder(document)])


def read_courses(document: Document) -> list[SocketCourse]:
    r"""Read the courses of connections that a file samples several times with ``ss -ti``.

    Parameters
    ----------
    document
        The file, as text.

    Returns
    -------
    list of SocketCourse
        The sending connections that carry the data; empty for files of more than 4 MiB.

    Examples
    --------
    >>> read_courses(Document("sysctl.txt", b"net.ipv4.tcp_rmem = 4096 131072 174760\n"))
    []
    """
    return [] if len(document.content) > _LARGEST else list(courses(document))
