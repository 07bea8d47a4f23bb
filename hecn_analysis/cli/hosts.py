"""``hecn hosts``: the hosts of ``models/``."""

from functools import partial

from hecn_analysis.cli import catalogue

add_arguments = partial(catalogue.add_arguments, "hosts")
run = partial(catalogue.run, "hosts")
