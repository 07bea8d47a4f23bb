"""``hecn paths``: the paths of ``models/``."""

from functools import partial

from hecn_analysis.cli import catalogue

add_arguments = partial(catalogue.add_arguments, "paths")
run = partial(catalogue.run, "paths")
