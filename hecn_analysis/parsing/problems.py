"""What every reader reports: problems of a file, as rows of the table of problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class FileProblems:
    """What could not be used of a file.

    Parameters
    ----------
    source_file
        The name of the file as it is reported.
    problems
        Rows of the table of problems.

    Examples
    --------
    >>> file = FileProblems("a.log")
    >>> file.problem(3, "malformed", "found 'x', expected a number; left out")
    >>> file.problems
    [{'source_file': 'a.log', 'line': 3, 'kind': 'malformed', 'message': "found 'x', expected a number; left out"}]
    """

    source_file: str
    problems: list[dict[str, object]] = field(default_factory=list, kw_only=True)

    def problem(self, line: int | None, kind: str, message: str) -> None:
        """Note what could not be used.

        Parameters
        ----------
        line
            Number of the line, None for the whole file.
        kind
            A key of `hecn_analysis.base.tables.PROBLEM_KINDS`.
        message
            What was found, what was expected, what was done.
        """
        self.problems.append({"source_file": self.source_file, "line": line, "kind": kind, "message": message})

    def stored(self, problems: Iterable[tuple[str, str]]) -> None:
        """Note what is wrong with the file or its packing.

        Parameters
        ----------
        problems
            Kinds and messages, as `hecn_analysis.files` gives them.
        """
        for kind, message in problems:
            self.problem(None, kind, message)

    def unrecognised(self, found: str, expected: str, hint: Callable[[], str]) -> None:
        """Note that no reader knows the file, unless another problem says why already.

        Parameters
        ----------
        found, expected
            What it holds instead of what.
        hint
            Gives the end of the message: where to turn.

        Examples
        --------
        >>> file = FileProblems("a.log")
        >>> file.unrecognised("'Dear all'", "a log", str)
        >>> file.unrecognised("'Dear all'", "counters", str)
        >>> [problem["message"] for problem in file.problems]
        ["found 'Dear all', expected a log"]
        """
        if not self.problems:
            self.problem(None, "unrecognised", f"found {found}, expected {expected}{hint()}")
