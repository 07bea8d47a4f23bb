"""The parts of an executed notebook that belong in a brief: its finding, its sections, and the numbers behind them.

Four kinds of output are used: output of `hecn_analysis.briefs.show`, Plotly figures, PNG images, and plain text. HTML
from a cell is never copied (its plain text is), nor are code, warnings, and cells that only check numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hecn_analysis.briefs.show import MIME, PLOTLY_MIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode

CHECK_TAGS = {"nbval-check-output", "remove-output"}
HEADING = re.compile(r"^(#{1,2})[ \t]+(\S[^\n]*)$", re.MULTILINE)
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Item(NamedTuple):
    """One element of a section: markdown, text, pre, table, figure, image, versions or error."""

    kind: str
    data: Any
    number: int = 0


@dataclass
class Section:
    """A heading and the items below it."""

    title: str
    items: list[Item] = field(default_factory=list)


@dataclass
class Content:
    """The content of a brief."""

    finding: dict[str, Any] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)

    def items(self, *kinds: str) -> list[Item]:
        """All items of these kinds, in order."""
        return [item for section in self.sections for item in section.items if item.kind in kinds]

    def numbers(self) -> dict[str, Any]:
        """The numbers behind the brief: those of the finding and of each table by caption, in SI units."""
        finding = self.finding or {}
        return {
            "key_figures": finding.get("figures", []),
            "cases": finding.get("cases", []),
            "verdicts": finding.get("verdicts", []),
            "tables": {item.data["caption"]: item.data["records"] for item in self.items("table")},
            "figures": [item.data["caption"] for item in self.items("figure")],
        }


def content_of(notebook: NotebookNode) -> Content:
    """Extract the content of a brief from an executed notebook."""
    content = Content()
    section = Section("")
    counts: dict[str, int] = {}
    for number, cell in enumerate(notebook.cells):
        if number == 0 and cell.cell_type == "markdown" and cell.source.startswith("# "):
            continue
        for item in _items(cell):
            if item.kind == "heading":
                section = Section(item.data)
                content.sections.append(section)
                continue
            if item.kind == "finding":
                content.finding = item.data
                continue
            if item.kind == "versions":
                content.versions = item.data["versions"]
            if not content.sections:
                content.sections.append(section)
            counts[item.kind] = counts.get(item.kind, 0) + 1
            section.items.append(item._replace(number=counts[item.kind]))
    return content


def _items(cell: NotebookNode) -> Iterator[Item]:
    if cell.cell_type == "markdown":
        yield from _markdown(cell.source)
    elif cell.cell_type == "code" and not CHECK_TAGS & set(cell.metadata.get("tags", [])):
        for output in cell.outputs:
            yield from _output(output)


def _markdown(source: str) -> Iterator[Item]:
    """Split markdown at its headings of level 1 and 2."""
    end = 0
    for heading in HEADING.finditer(source):
        if before := source[end : heading.start()].strip():
            yield Item("markdown", before)
        yield Item("heading", heading[2].rstrip("# \t"))
        end = heading.end()
    if rest := source[end:].strip():
        yield Item("markdown", rest)


def _output(output: NotebookNode) -> Iterator[Item]:
    if output.output_type == "error":
        traceback = ANSI.sub("", "\n".join(output.traceback))
        yield Item("error", {"reason": f"{output.ename}: {output.evalue}", "traceback": traceback})
    elif output.output_type == "stream":
        if output.name == "stdout":
            yield Item("pre", output.text)
    elif MIME in output.data:
        yield Item(output.data[MIME]["kind"], output.data[MIME])
    elif PLOTLY_MIME in output.data:
        caption = output.metadata.get(PLOTLY_MIME, {}).get("hecn", {}).get("caption", "")
        yield Item("figure", {"spec": output.data[PLOTLY_MIME], "caption": caption})
    elif "image/png" in output.data:
        yield Item("image", re.sub(r"[^A-Za-z0-9+/=]", "", output.data["image/png"]))
    elif "text/plain" in output.data:
        yield Item("pre", output.data["text/plain"])
