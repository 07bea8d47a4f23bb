"""``python -m hecn_analysis`` is the command ``hecn``."""

import sys

from hecn_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
