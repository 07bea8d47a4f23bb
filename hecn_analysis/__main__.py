"""``python -m hecn_analysis`` is the command ``hecn``.

Python itself puts the current folder in front of its modules for ``-m``. What is imported from here on does not come
from there; for what comes before, say ``hecn`` or ``python -P -m hecn_analysis``.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path[0] in {"", str(Path.cwd())}:
        del sys.path[0]
    from hecn_analysis.cli import main

    sys.exit(main())
