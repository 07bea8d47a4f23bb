"""Settings of the documentation: Sphinx, pages in MyST Markdown whose code cells run at every build, no network."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "hecn-analysis"
author = "The hecn-analysis maintainers"
copyright = author
version = release = metadata.version("hecn-analysis")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "offline",  # docs/_ext: formulas and figures without a network
    "generated",  # docs/_ext: reference pages made from the code
    "pictures",  # docs/_ext: pictures of pages and figures, light and dark
    "docstrings",  # docs/_ext: what of the docstrings Sphinx and numpydoc cannot do
    "shell",  # docs/_ext: commands that run when the pages are built
    "private_kernels",  # docs/_ext: kernels of code cells, without TCP
]
exclude_patterns = ["_build", "jupyter_execute", "generated/evidence.md"]  # the last is part of diagnosis.md
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_theme = "pydata_sphinx_theme"
html_title = f"hecn-analysis {release}"
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
# Pages without others below them have no list of those.
_ALONE = (
    "index",
    "generated/gallery",
    "start",
    "model",
    "diagnosis",
    "experience",
    "slots-and-links",
    "storage-and-hosts",
    "benchmarks",
    "security",
)
html_sidebars: dict[str, list[str]] = {name: [] for name in _ALONE}

# Every code cell runs in the kernel of this environment, and one that fails stops the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

default_role = "py:obj"
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # what a parameter measures, and its unit, stand in its line
add_module_names = False
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
python_use_unqualified_type_names = True
suppress_warnings = [
    "ref.citation",  # the references at the head of a module serve its functions too, see docs/_ext/docstrings.py
]
