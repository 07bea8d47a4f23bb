"""Problems of a file, as rows of the table of problems."""

from __future__ import annotations

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
