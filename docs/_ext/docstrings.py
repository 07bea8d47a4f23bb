"""What of the package's docstrings Sphinx and numpydoc cannot do by themselves.

References at the head of a module are cited in the docstrings of its functions. numpydoc makes a citation only within
one docstring, so in a function's docstring without a list of its own ``[1]_`` is shown as plain ``[1]``: the list
stands at the top of the same page.
"""

import re
from types import GenericAlias

from sphinx.application import Sphinx


def plain(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:  # noqa: ARG001, PLR0917 (Sphinx's)
    """Show citations of the module's references as plain text."""
    if what != "module" and not any(line.startswith(".. [") for line in lines):
        lines[:] = [re.sub(r"\[(\d+)\]_", r"[\1]", line) for line in lines]


def is_alias(app: Sphinx, what: str, name: str, thing: object, skip: bool, options: object) -> bool | None:  # noqa: ARG001, PLR0917 (Sphinx's)
    """Leave out names of types such as ``dict[str, str]``, at which numpydoc stumbles."""
    return True if isinstance(thing, GenericAlias) else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx, before numpydoc sees the docstring."""
    app.connect("autodoc-skip-member", is_alias)
    app.connect("autodoc-process-docstring", plain, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
