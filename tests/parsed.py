"""Syntax of the package's modules, parsed once in each process of the tests."""

import ast
import functools


@functools.cache
def parsed(path):
    """Syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))
