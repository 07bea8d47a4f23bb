"""A folder with small notebooks of our own, and the briefs made of them once for all tests."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HOSTILE = "<script>document.title = 'hostile'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"

DECLARATION = """\
brief: small
title: Small & simple <brief>
question: How fast is a < b?
parameters:
  rtt: {type: time, unit: s, default: 80 ms, range: [0 s, 2 s], help: round-trip time}
  label: {type: text, default: plain, help: a label that came from a log}
  cases: {type: integer, default: 3, range: [1, 40], help: number of cases}
  share: {type: fraction, unit: fraction, default: 5 %, range: [0, 1], help: a share}
  scale: {type: number, default: 1.5, help: a factor}
  fail: {type: flag, default: false, help: stop in the middle}
  mode: {type: text, default: lan, choices: [lan, wan], help: which path}
"""

CELLS = [
    ("markdown", "# Small\n\nFor readers of the notebook.", ()),
    (
        "code",
        "rtt = 0.08\nlabel = 'plain'\ncases = 3\nshare = 0.05\nscale = 1.5\nfail = False\nmode = 'lan'",
        ("parameters",),
    ),
    (
        "code",
        """import pandas as pd
from hecn_analysis.briefs import KeyFigure, show_comparison, show_figure, show_finding, show_provenance, show_text
from hecn_analysis.figures import plot_error_strip, plot_measured_vs_predicted
rows = [{"series": "b", "series_title": f"Series {label}", "case": f"c{n}",
  "title": f"Case {n} {label if n < 5 else ''}", "measured_bps": 9e9 + n * 1e7,
  "measured_low_bound": n == 1, "predicted_bps": 9.1e9, "low_bps": 8.5e9, "high_bps": 9.3e9,
  "error": 9.1 / (9 + n / 100) - 1, "inside": n < 30, "bottleneck": "receiver.cpu", "bottleneck_title": label,
  "bottleneck_class": ["cpu", "link"][n % 2], "stated_limit": label, "source_file": f"logs/{label}.log",
  "line_first": n, "line_last": n + 1, "document": label, "place": "p. 1"} for n in range(cases)]
comparison = pd.DataFrame(rows)""",
        (),
    ),
    (
        "code",
        """show_finding(f"At {rtt * 1e3:.0f} ms, {cases} cases reach 9.1 Gb/s ({label}).",
             [KeyFigure("predicted", "9.10 Gb/s", label), KeyFigure("cases", str(cases))], cases=comparison)""",
        (),
    ),
    (
        "markdown",
        "## Measured against predicted\n\nText with **bold** and <b>no HTML</b> and ![x](http://127.0.0.1:9/a.png).",
        (),
    ),
    ("code", "show_comparison(comparison)", ()),
    ("code", "show_figure(plot_measured_vs_predicted(comparison), caption=f'The cases {label}')", ()),
    ("code", "if fail:\n    raise ValueError(f'line 7: {label}')", ()),
    ("code", "show_figure(plot_error_strip(comparison), caption='Errors')", ()),
    ("markdown", "## Where it comes from", ()),
    ("code", "show_provenance(comparison)\nshow_text(label)\nprint(label)", ()),
    ("code", "import sys\nsys.executable", ("nbval-check-output",)),
]


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory):
    """Folder with the notebook ``small``, its declaration, and one that is no brief."""
    folder = tmp_path_factory.mktemp("notebooks")
    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    cells = [make[kind](source, metadata={"tags": list(tags)} if tags else {}) for kind, source, tags in CELLS]
    nbformat.write(
        new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "x"}}),
        folder / "10_small.ipynb",
    )
    (folder / "declarations").mkdir()
    (folder / "declarations" / "10_small.yaml").write_text(DECLARATION)
    (folder / "declarations" / "00_start.yaml").write_text("title: Start\nquestion: Where?\n")
    return folder


@pytest.fixture(scope="session")
def made(notebooks, tmp_path_factory):
    """The brief ``small`` with a hostile label, without PDF; folder and result."""
    from hecn_analysis.briefs import make_briefs  # noqa: PLC0415  (brings papermill)

    out = tmp_path_factory.mktemp("briefs")
    (result,) = make_briefs(
        ["small"], out, {"label": HOSTILE, "cases": "40"}, pdf=False, progress=False, folder=notebooks
    )
    return result
