"""A brief as one self-contained HTML file: no network, no fonts, no library except the plotly.js inside it.

The page's security policy forbids every request, and every script except its own. The page is light or dark like the
reader's system, with a button to switch; on paper it is light.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
import mistune
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from hecn_analysis.base.bidi import escape_bidi
from hecn_analysis.figures import theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hecn_analysis.briefs.content import Content

UNIT = re.compile(r"(?<=\d) (?=(?:%|[kMGT]?b/s|[kMG]?B|[mµ]?s|GHz)(?!\w))")
TEMPLATES = files("hecn_analysis.briefs") / "templates"


class _Renderer(mistune.HTMLRenderer):
    """Markdown to HTML that loads nothing: embedded HTML is shown as text, and pictures must be inline."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """An inline picture; for any other, its description."""
        return super().image(text, url, title) if url.startswith("data:image/png;base64,") else mistune.escape(text)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to a web page or within the brief; for any other, its text."""
        return super().link(text, url, title) if urlsplit(url).scheme in ("http", "https", "") else text


@cache
def _markdown() -> mistune.Markdown:
    return mistune.create_markdown(renderer=_Renderer(escape=True), plugins=["table"])


def markdown(source: str) -> Markup:
    """Render markdown, with all HTML in it shown as text."""
    return Markup(_markdown()(source))  # noqa: S704  (escaped by the renderer)


def _island(value: object) -> Markup:
    """JSON for a ``<script type="application/json">``: nothing in it can end the element."""
    return Markup(json.dumps(value, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c"))  # noqa: S704  (escaped)


def css_string(text: str) -> Markup:
    """Text as a CSS string; nothing in it can end the string or the style sheet."""
    escaped = "".join(
        character if character.isalnum() or character in " -.,:" else f"\\{ord(character):x} " for character in text
    )
    return Markup(f'"{escaped}"')  # noqa: S704  (escaped)


def _joined(text: str) -> str:
    r"""Keep a number and its unit on one line."""
    return UNIT.sub("\N{NO-BREAK SPACE}", text)


def _policy(*scripts: str) -> str:
    """Content security policy that allows these scripts and nothing from outside."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    allowed = f"script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:"
    return f"default-src 'none'; base-uri 'none'; form-action 'none'; {allowed}"


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def environment() -> jinja2.Environment:
    """The templates; everything not marked as HTML is escaped."""
    templates = jinja2.Environment(
        loader=jinja2.FunctionLoader(template_text),
        autoescape=True,
        finalize=lambda value: escape_bidi(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(markdown=markdown, island=_island, css_string=css_string, joined=_joined)
    templates.globals.update(
        css=Markup(template_text("style.css")),  # noqa: S704  (our own file)
        theme_script=Markup(template_text("theme.js")),  # noqa: S704  (our own file)
        policy=_policy,
    )
    return templates


def template_text(name: str) -> str:
    """Text of a file in ``templates``."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def brief_html(
    content: Content, *, title: str, question: str, run_id: str, parameters: Mapping[str, Any], error: str | None
) -> str:
    """Lay out a brief."""
    scripts = [get_plotlyjs(), template_text("draw.js")] if content.items("figure") else []
    return (
        environment()
        .get_template("brief.html.j2")
        .render(
            content=content,
            title=title,
            question=question,
            run_id=run_id,
            parameters=parameters,
            error=error,
            scripts=[Markup(script) for script in scripts],  # noqa: S704  (the library's own file and ours)
            dark_colours=theme.DARK,
        )
    )
