"""Formulas and figures that need no network: MathML from docutils, and plotly.js beside the pages.

``_static/figures.js`` draws the figures in the colours of the page, light or dark.
"""

import json
from html import escape

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from myst_nb.core import render
from plotly.offline import get_plotlyjs
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from hecn_analysis.figures import theme

HEIGHT = 380  # of a figure without one of its own [px]
PLOTLY = "application/vnd.plotly.v1+json"


def visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_math_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


class PlotlyFigure:
    """Output of a code cell that is a Plotly figure."""

    mime_priority_overrides = (("*", PLOTLY, 1),)

    @staticmethod
    def handle_mime(
        renderer: render.NbElementRenderer,  # noqa: ARG004 (the interface of myst-nb)
        data: render.MimeData,
        inline: bool,
    ) -> list[nodes.Element] | None:
        """Give the figure as HTML, or None for anything else."""
        if inline or data.mime_type != PLOTLY:
            return None
        spec = escape(json.dumps({part: data.content[part] for part in ("data", "layout")}), quote=True)
        height = data.content["layout"].get("height", HEIGHT)
        html = f'<div class="plotly-figure" style="height:{height}px" data-spec="{spec}"></div>'
        return [nodes.raw(text=html, format="html", classes=["output", "plotly"])]


def write_plotlyjs(app: Sphinx, error: Exception | None) -> None:
    """Put plotly.js beside the pages."""
    if error is None:
        (app.outdir / "_static" / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
        colours = f"window.hecnDarkColours = {json.dumps(theme.DARK)};\n"
        (app.outdir / "_static" / "dark-colours.js").write_text(colours, encoding="utf-8")


def only_where_needed(app: Sphinx, page: str, template: str, context: object, doctree: nodes.document | None) -> None:  # noqa: ARG001 (Sphinx's)
    """Load plotly.js on the pages that have a figure."""
    if doctree is not None and any("plotly" in raw["classes"] for raw in doctree.findall(nodes.raw)):
        app.add_js_file("plotly.min.js", priority=100)
        app.add_js_file("dark-colours.js", priority=100)
        app.add_js_file("figures.js", priority=900, loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx and myst-nb."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.config.html_math_renderer = "mathml"
    # myst-nb finds such classes through entry points of installed packages; this one is the documentation's.
    render.load_mime_renders = lambda: [PlotlyFigure]
    app.connect("html-page-context", only_where_needed)
    app.connect("build-finished", write_plotlyjs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
