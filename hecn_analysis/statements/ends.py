"""The end of the transfer that each line belongs to: from headings such as ``### receiver``, prompts and file names.

Units and traps
---------------
- A heading, or a short line with a colon at its end, holds until the next one or the prompt of another host. A prompt
  names a host; a heading, or a command such as ``iperf3 -c`` (the sender, or with -R the receiver) or -s, its end.
- If one of two hosts is known, the other is the other end. With three hosts the end stays open.
- ``sysctl-mover2.txt`` belongs to the receiver if a note says "mover1 -> mover2", or if the runs go there.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement

_HEADING: Final = re.compile(r"^\s{0,4}(?:#{1,6}|={2,40}|-{2,40}|\*{2,40}|>{2,6}|\[)\s{0,3}(?P<words>[^\n]{1,80})$")
#: A short line before an output, such as "top on the sender:".
_LABEL: Final = re.compile(r"^\s{0,4}(?P<words>[A-Za-z][^\n:|=]{2,60}):\s{0,3}$")
_ENDS: Final = re.compile(r"\b(?P<sender>sender|sending)\b|\b(?P<receiver>receiver|receiving)\b", re.IGNORECASE)
_PROMPT: Final = re.compile(
    r"^(?:\[(?:[\w.-]{1,32})@(?P<boxed>[\w.-]{1,64}) [^\]\n]{1,80}\]"
    r"|[\w.-]{1,32}@(?P<plain>[\w.-]{1,64}):[^\n$#]{0,80})"
    r"[$#] ?(?P<command>[^\n]{0,300})"
)
#: The head of sysstat's outputs, and the words of ``uname -a``.
_HEAD: Final = re.compile(
    r"^Linux (?:\d\S{1,60} \((?P<sysstat>[\w.-]{1,64})\)\s|(?P<uname>[A-Za-z][\w.-]{0,63}) \d\S{1,60} #)"
)
_CLIENT: Final = re.compile(r"\b(?:iperf3?|nuttcp|nttcp)\b(?=.{0,200} -)(?!.{0,200} -(?:s|S)\b)")
_SERVER: Final = re.compile(r"\b(?:iperf3?|nuttcp|nttcp) .{0,100}-(?:s|S)\b")
_REVERSED: Final = re.compile(r" (?:-R|--reverse|-r|-F)\b")
_OTHER: Final = {"sender": "receiver", "receiver": "sender"}

#: What has its own ends, or none.
_WITHOUT: Final = ("path.", "asked.", "socket.", "files.", "run.")


def with_ends(document: Document, statements: Sequence[Statement]) -> list[Statement]:
    """Give each statement without an end the one named in the lines above it."""
    if not any(not statement.end and not statement.name.startswith(_WITHOUT) for statement in statements):
        return list(statements)
    marks, hosts = _marks(document), _hosts(document)

    def placed(statement: Statement) -> Statement:
        if statement.end or statement.name.startswith(_WITHOUT):
            return statement
        end, host = (_above(statement.line, known) for known in (marks, hosts))
        return replace(statement, end=end, host=statement.host or host)

    return [placed(statement) for statement in statements] if marks or hosts else list(statements)


def _above(line: int, marks: Sequence[tuple[int, str]]) -> str:
    """The last of some marks above a line, or ""."""
    place = bisect_right([number for number, _ in marks], line) - 1
    return marks[place][1] if place >= 0 else ""


def _hosts(document: Document) -> list[tuple[int, str]]:
    """Lines at which the host changes, and its name, by prompts and heads of outputs."""
    names = []
    for number, text in enumerate(document.lines, 1):
        if len(text) <= 500 and (match := _PROMPT.match(text) or _HEAD.match(text)) is not None:
            named = match.groupdict()
            names.append((number, next(named[key] for key in ("boxed", "plain", "sysstat", "uname") if named.get(key))))
    return names


def by_names(
    statements: Sequence[Statement], sender: Collection[str] = (), receiver: Collection[str] = ()
) -> list[Statement]:
    """Give statements without an end the one whose host their prompt, their head or the name of their file has.

    Parameters
    ----------
    statements
        The statements of a folder.
    sender, receiver
        Names of each end of some runs, beside those that notes state.

    Returns
    -------
    list of Statement
        The statements, in their order.

    Examples
    --------
    >>> one = Statement("kernel.receive_buffer_bytes", 6e6, "sysctl-mover2.txt", 1, "")
    >>> by_names([one], ["mover1"], ["mover2"])[0].end
    'receiver'
    """
    names = {"sender": {*sender} - {""}, "receiver": {*receiver} - {""}}
    for statement in statements:
        if statement.name in ("path.sender", "path.receiver"):
            names[statement.end].add(str(statement.value))
    patterns = {
        end: re.compile("|".join(rf"(?<![a-z0-9]){re.escape(name.lower())}(?![a-z0-9])" for name in sorted(own)))
        for end, own in names.items()
        if own and not names["sender"] & names["receiver"]
    }
    if not patterns:
        return list(statements)
    ends: dict[str, str] = {}
    for file, own in _within({statement.source_file for statement in statements}).items():
        told = [end for end, pattern in patterns.items() if pattern.search(own)]
        ends[file] = told[0] if len(told) == 1 else ""

    def placed(item: Statement) -> Statement:
        if item.end or item.name.startswith(_WITHOUT):
            return item
        own = [end for end in patterns if item.host and any(_is_host(item.host, name) for name in names[end])]
        return replace(item, end=own[0] if len(own) == 1 else ends[item.source_file])

    return [placed(item) for item in statements]


def _is_host(host: str, name: str) -> bool:
    """Whether two names are of one host: a prompt leaves the domain out."""
    host, name = host.lower(), name.lower()
    return host == name or name.startswith(f"{host}.") or host.startswith(f"{name}.")


def _within(files: Collection[str]) -> dict[str, str]:
    """Names of files without their endings, with the folders below the one that has them all."""
    paths = {file: PurePath(file).with_suffix("") for file in files}
    try:
        root = os.path.commonpath([path.parent for path in paths.values()])
    except ValueError:  # none, or some absolute and some relative
        return {file: path.name.lower() for file, path in paths.items()}
    return {file: path.relative_to(root).as_posix().lower() for file, path in paths.items()}


def _marks(document: Document) -> list[tuple[int, str]]:
    """Lines at which the end changes, and the new end."""
    prompts: list[tuple[int, str]] = []
    headings: list[tuple[int, str, str]] = []
    ends: dict[str, str] = {}
    for number, text in enumerate(document.lines, 1):
        if len(text) > 500:
            continue
        if (prompt := _PROMPT.match(text)) is not None:
            host = prompt["boxed"] or prompt["plain"]
            prompts.append((number, host))
            if end := _by_command(prompt["command"]):
                ends.setdefault(host, end)
        elif (heading := _HEADING.match(text) or _LABEL.match(text)) is not None:
            named = {str(match.lastgroup) for match in _ENDS.finditer(heading["words"])}
            headings.append((number, named.pop() if len(named) == 1 else "", heading["words"]))
    hosts = dict.fromkeys(host for _, host in prompts)
    for _, end, words in headings:
        ends.update({host: end for host in hosts if end and host in words})
    if len(hosts) == 2 and len(ends) == 1:
        ((known, end),) = ends.items()
        ends.update({host: _OTHER[end] for host in hosts if host != known})
    marks = [(line, ends.get(host, "")) for line, host in prompts if len(hosts) > 1]
    marks += [(line, end) for line, end, _ in headings if end]
    return sorted(marks)


def _by_command(command: str) -> str:
    """Return the end of a host from the tool that it starts, or "" if the tool does not show it."""
    if _SERVER.search(command) is not None:
        return "receiver"
    if _CLIENT.search(command) is None:
        return ""
    return "receiver" if _REVERSED.search(command) is not None else "sender"
