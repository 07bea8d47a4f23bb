"""Hints at the command for a file that another command does not recognise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hecn_analysis.files import documents
from hecn_analysis.files.source import Lines


def _is_log(document: documents.Document) -> bool:
    from hecn_analysis.logs import registry  # noqa: PLC0415 - slow to import, and seldom needed
    from hecn_analysis.logs.contract import RunFindings  # noqa: PLC0415

    findings = RunFindings(document.source_file, keep_intervals=False)
    registry.read(Lines.of(document.text), findings)
    return bool(len(findings.runs))


def _are_counters(document: documents.Document) -> bool:
    from hecn_analysis.counters import registry  # noqa: PLC0415

    return registry.recognises(document)


def _is_inventory(document: documents.Document) -> bool:
    from hecn_analysis.inventory import registry  # noqa: PLC0415

    return registry.recognises(document)


_COMMANDS: Final[Mapping[str, tuple[str, Callable[[documents.Document], bool]]]] = MappingProxyType(
    {
        "parse": ("the log of a tool", _is_log),
        "counters": ("counters of interfaces", _are_counters),
        "inventory": ("captured output of a host", _is_inventory),
    }
)


def other_command_hint(document: documents.Document, command: str) -> str:
    r"""End of a message that names the command that reads the file; empty if no command does.

    >>> copied = b"1+0 records in\n1+0 records out\n512 bytes copied, 1 s, 512 B/s\n"
    >>> other_command_hint(documents.Document("a", copied), "counters")
    "; it holds the log of a tool, which 'hecn parse' reads"
    """
    if len(document.content) > documents.SHORT:
        return ""
    for name, (description, knows) in _COMMANDS.items():
        if name != command and knows(document):
            return f"; it holds {description}, which 'hecn {name}' reads"
    return ""
