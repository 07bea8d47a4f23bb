"""One pass over files for the readers of all kinds: each file is opened once, unpacked once and hashed once.

The readers of logs take the lines as they pass, however many there are. Meanwhile the bytes are kept as far as the
readers of whole files need them (`hecn_analysis.files.documents.Keeper`); these are asked after the last line. A packet
capture is recognised by its first bytes and offered to no other reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hecn_analysis import captures, counters, inventory, statements
from hecn_analysis.base.progress import reading
from hecn_analysis.captures import Capture
from hecn_analysis.counters import registry as counters_registry
from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import CounterFindings, Counters
from hecn_analysis.files import packed, streams
from hecn_analysis.files.documents import Document, Keeper
from hecn_analysis.files.opening import File
from hecn_analysis.ingest.other_command import other_command_hint
from hecn_analysis.inventory import Inventory
from hecn_analysis.inventory import registry as inventory_registry
from hecn_analysis.logs import Reading, spread
from hecn_analysis.statements import SocketCourse, Statement


@dataclass
class _Files:
    """Results of the files read so far."""

    is_captured: bool
    logs: spread.Part = field(default_factory=spread.Part)
    counters: list[list[CounterFindings]] = field(default_factory=list)
    inventory: list[inventory_registry.Read] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    sockets: list[SocketCourse] = field(default_factory=list)

    def read(self, name: str, file: File | OSError) -> None:
        """Read a file, or each member of an archive."""
        is_excessive = False
        opened = packed.contents if self.is_captured else packed.texts
        for content in opened(name, file, streams.FREE_BY_LINES):
            capture = captures.of_content(content)
            if capture is not None:
                self.captures.append(capture)
                self.statements.extend(capture.statements)
                continue
            keeper = Keeper(content, self._knows())
            self.logs.read(keeper, intervals=True, hint=self._hint)
            if not is_excessive:
                self._take(keeper.documents())
            is_excessive = is_excessive or bool(keeper.excess)

    def _knows(self) -> list[Callable[[Document], bool]]:
        kinds: list[Callable[[Document], bool]] = [counters_registry.recognises]
        return [*kinds, inventory_registry.recognises] if self.is_captured else kinds

    def _hint(self, document: Document) -> str:
        """Hint at the command for captured outputs; empty if all readers are asked."""
        return "" if self.is_captured else other_command_hint(document, "parse")

    def _take(self, documents: Sequence[Document]) -> None:
        """Offer a document to the readers of whole files."""
        self.counters.append(counters.read_document(documents[0], Clock.named(None), hint=str))
        self.statements.extend(statements.read(documents[-1]))
        if self.is_captured:
            self.inventory.append(inventory_registry.read(documents[1]))
            self.sockets.extend(statements.read_courses(documents[1]))


def read_files(
    files: Sequence[tuple[str, File | OSError]], *, captured: bool, progress: bool = False
) -> tuple[Reading, Counters, Inventory, tuple[Statement, ...], tuple[Capture, ...], tuple[SocketCourse, ...]]:
    """Read files once for the readers of logs, counters, statements and, if `captured`, of outputs and packets."""
    files_read = _Files(captured)
    with reading(len(files), shown=progress) as done:
        for name, file in files:
            files_read.read(name, file)
            done(1)
    joined = (
        spread.joined([files_read.logs]),
        counters.joined(files_read.counters),
        inventory.joined(files_read.inventory),
    )
    return *joined, tuple(files_read.statements), tuple(files_read.captures), tuple(files_read.sockets)
