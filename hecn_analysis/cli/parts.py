"""``hecn parts``: the parts of ``models/``."""

from functools import partial

from hecn_analysis.cli import catalogue

add_arguments = partial(catalogue.add_arguments, "parts")
run = partial(catalogue.run, "parts")
