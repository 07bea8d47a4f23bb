"""``hecn tools``: the tools of ``models/``."""

from functools import partial

from hecn_analysis.cli import catalogue

add_arguments = partial(catalogue.add_arguments, "tools")
run = partial(catalogue.run, "tools")
