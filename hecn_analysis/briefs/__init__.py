"""Briefs: notebooks run with parameters and laid out as HTML and PDF for people who never open Jupyter.

In a notebook, ``from hecn_analysis.briefs import show_finding, show_table, …``; to make briefs, `make_briefs`. Modules
are loaded when their names are first used: a kernel that shows a table does not load the code that runs notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hecn_analysis.base.first_use import lazy_getattr

if TYPE_CHECKING:
    from hecn_analysis.briefs.catalogue import brief_names as brief_names
    from hecn_analysis.briefs.catalogue import briefs as briefs
    from hecn_analysis.briefs.form import show_form as show_form
    from hecn_analysis.briefs.make import BriefResult as BriefResult
    from hecn_analysis.briefs.make import make_briefs as make_briefs
    from hecn_analysis.briefs.show import KeyFigure as KeyFigure
    from hecn_analysis.briefs.show import show_assumptions as show_assumptions
    from hecn_analysis.briefs.show import show_comparison as show_comparison
    from hecn_analysis.briefs.show import show_figure as show_figure
    from hecn_analysis.briefs.show import show_finding as show_finding
    from hecn_analysis.briefs.show import show_ladder as show_ladder
    from hecn_analysis.briefs.show import show_provenance as show_provenance
    from hecn_analysis.briefs.show import show_reading as show_reading
    from hecn_analysis.briefs.show import show_table as show_table
    from hecn_analysis.briefs.show import show_text as show_text
    from hecn_analysis.briefs.show import show_versions as show_versions
    from hecn_analysis.briefs.summary import CHANGES as CHANGES
    from hecn_analysis.briefs.summary import SLOTS as SLOTS
    from hecn_analysis.briefs.summary import Summary as Summary
    from hecn_analysis.briefs.summary import slot_limits as slot_limits
    from hecn_analysis.briefs.summary import summary_of as summary_of
    from hecn_analysis.briefs.summary import what_if as what_if

_SOURCES = {
    "BriefResult": "make",
    "brief_names": "catalogue",
    "briefs": "catalogue",
    "make_briefs": "make",
    "CHANGES": "summary",
    "SLOTS": "summary",
    "Summary": "summary",
    "slot_limits": "summary",
    "summary_of": "summary",
    "what_if": "summary",
    "KeyFigure": "show",
    "show_assumptions": "show",
    "show_comparison": "show",
    "show_figure": "show",
    "show_finding": "show",
    "show_form": "form",
    "show_ladder": "show",
    "show_provenance": "show",
    "show_reading": "show",
    "show_table": "show",
    "show_text": "show",
    "show_versions": "show",
}

__all__ = [  # noqa: PLE0604  (the names are those of the table)
    *_SOURCES
]

if not TYPE_CHECKING:  # a type checker knows the names above, and no others
    __getattr__ = lazy_getattr(__name__, _SOURCES)
