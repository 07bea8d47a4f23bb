"""The what-if app: a model without widgets, and a widget for JupyterLab and for ``hecn app``.

``from hecn_analysis.app import WhatIf; WhatIf()`` shows it in a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hecn_analysis.base.first_use import lazy_getattr

if TYPE_CHECKING:
    from hecn_analysis.app.widget import WhatIf as WhatIf

__all__ = ["WhatIf"]

#: Environment variables of the kernels of ``hecn app``: the scenario to open, and the folder to open it from.
SCENARIO = "HECN_APP_SCENARIO"
FOLDER = "HECN_APP_FOLDER"

if not TYPE_CHECKING:  # a type checker knows the name above; the server needs no Plotly
    __getattr__ = lazy_getattr(__name__, {"WhatIf": "widget"})
