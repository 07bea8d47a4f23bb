"""Pictures: the directive ``screen`` shows a page of hecn, light or dark, ``drawn`` a figure of a stored notebook.

The build takes the screens with Chromium, from the shipped data, when something that they show has changed; without
Chromium, pages have a sentence in their place. Figures are those that the notebooks in ``notebooks/`` store.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hecn_analysis.briefs.catalogue import notebooks, subject_of  # noqa: E402
from hecn_analysis.briefs.parameters import declaration_of, read_declaration  # noqa: E402
from hecn_analysis.briefs.pdf import can_draw  # noqa: E402
from upkeep import pictures  # noqa: E402
from upkeep.contents import thumbnail_of  # noqa: E402

FOLDER = "generated/pictures"  # below the source of the documentation
SOURCES = ("hecn_analysis", "models", "notebooks/declarations", "upkeep/pictures.py")  # of what screens show
LOGGER = logging.getLogger(__name__)

GALLERY_HEAD = """\
# Gallery

The figures of the notebooks, which are also briefs: `hecn brief NAME -o briefs` makes the page of one, with your own
logs and hosts as parameters ([how](../howto/make-a-brief.md)). In Jupyter, `hecn_analysis.figures` has each figure as
a function.
"""


def stored_figures(notebook: Path) -> list[tuple[str, bytes]]:
    """Caption and picture of each figure that a notebook stores."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return [
        ("".join(data["text/plain"]).removeprefix("[figure] "), base64.b64decode("".join(data["image/png"])))
        for data in outputs
        if "image/png" in data
    ]


def write_pictures(app: Sphinx) -> None:
    """Write the figures of the notebooks and the gallery, and take the screens that are out of date."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in notebooks():
        for number, (_, picture) in enumerate(stored_figures(notebook), start=1):
            _write(folder / f"{notebook.stem}-{number}.png", picture)
        if (thumbnail := thumbnail_of(notebook)).is_file():
            _write(folder / thumbnail.name, thumbnail.read_bytes())
    _write(Path(app.srcdir) / "generated" / "gallery.md", "\n".join(gallery()).encode())
    newest = max(path.stat().st_mtime for path in _sources())
    taken = [folder / f"{name}-light.png" for name in pictures.NAMES]
    if all(path.exists() and path.stat().st_mtime > newest for path in taken):
        return
    if can_draw():
        LOGGER.info("taking pictures of the app, a report and briefs, light and dark …")
        pictures.take(folder, pictures.NAMES)
    else:
        LOGGER.info("no pictures of the app, the report and the briefs: Chromium is not installed")


def _write(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def _sources() -> Iterator[Path]:
    for name in SOURCES:
        path = ROOT / name
        yield from (each for each in path.rglob("*") if each.suffix != ".pyc") if path.is_dir() else (path,)


def gallery() -> Iterator[str]:
    """Give the page of all figures, by subject and notebook."""
    yield GALLERY_HEAD
    subject = None
    for notebook in notebooks():
        figures = stored_figures(notebook)
        if not figures:
            continue
        if subject_of(notebook.name) != subject:
            subject = subject_of(notebook.name)
            yield f"## {subject}\n"
        declaration = read_declaration(declaration_of(notebook))
        made_by = f"`hecn brief {declaration.brief}`, " if declaration.brief else ""
        yield f"### {declaration.title}\n\n{declaration.question} ({made_by}`notebooks/{notebook.name}`)\n"
        for number in range(1, len(figures) + 1):
            yield f"```{{drawn}} {notebook.stem} {number}\n```\n"


class Drawn(SphinxDirective):
    """A figure of a stored notebook: its name, and the number of the figure."""

    required_arguments = 2
    has_content = False

    def run(self) -> list[nodes.Node]:
        """Give the picture with its caption."""
        stem, number = self.arguments
        notebook = ROOT / "notebooks" / f"{stem}.ipynb"
        self.env.note_dependency(str(notebook))
        caption, _ = stored_figures(notebook)[int(number) - 1]
        image = nodes.image(uri=f"/{FOLDER}/{stem}-{number}.png", alt=caption, classes=["drawn"])
        before = f'<div class="drawing" tabindex="0" role="group" aria-label="{escape(caption)}">'
        figure = nodes.figure("", image, nodes.caption(caption, caption))
        return [nodes.raw("", before, format="html"), figure, nodes.raw("", "</div>", format="html")]


class Screen(SphinxDirective):
    """A page of hecn as a picture: its name, and in the content what it shows."""

    required_arguments = 1
    option_spec: ClassVar = {"alt": directives.unchanged_required}
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Give the light and the dark picture, of which the page shows one."""
        (name,) = self.arguments
        caption = " ".join(self.content)
        if not (Path(self.env.srcdir) / FOLDER / f"{name}-light.png").exists():
            return [nodes.paragraph("", f"(No picture, since Chromium is not installed: {caption})")]
        images = [
            nodes.image(
                uri=f"/{FOLDER}/{name}-{theme}.png", alt=self.options["alt"], classes=[f"only-{theme}", "screen"]
            )
            for theme in ("light", "dark")
        ]
        return [nodes.figure("", *images, nodes.caption(caption, caption))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("drawn", Drawn)
    app.add_directive("screen", Screen)
    app.connect("builder-inited", write_pictures, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
