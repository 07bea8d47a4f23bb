"""Problems of a file, as rows of the table of problems; every reader reports them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class FileProblems:
    """Problems of a file, under its reported name."""

    source_file: str
    problems: list[dict[str, object]] = field(default_factory=list, kw_only=True)

    def problem(self, line: int | None, kind: str, message: str) -> None:
        """Add a problem of a line, or None for the whole file; its kind is a key of `tables.PROBLEM_KINDS`."""
        self.problems.append({"source_file": self.source_file, "line": line, "kind": kind, "message": message})

    def stored(self, problems: Iterable[tuple[str, str]]) -> None:
        """Add problems of the file or its packing, from `hecn_analysis.files`."""
        for kind, message in problems:
            self.problem(None, kind, message)

    def unrecognised(self, found: str, expected: str, hint: Callable[[], str]) -> None:
        """Report that no reader knows the file, unless a problem explains why; `hint` returns the message's end."""
        if not self.problems:
            self.problem(None, "unrecognised", f"found {found}, expected {expected}{hint()}")
