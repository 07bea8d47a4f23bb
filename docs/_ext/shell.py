"""The directive ``run``: shell commands that run when the pages are built, shown with what they print.

Each line of its content is a command, run at the top of the checkout with the programs of this environment. One that
ends with another status than expected (`:status:`, 0 by default) stops the build: no page shows what does not work.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


class Run(SphinxDirective):
    """Commands and their output, as in a terminal."""

    has_content = True
    option_spec: ClassVar = {"status": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Give one block with all commands and outputs."""
        text = "".join(f"$ {command}\n{self.output(command)}" for command in self.content if command)
        block = nodes.literal_block(text, text.rstrip(), language="text")
        block.source, block.line = self.get_source_info()
        return [block]

    def output(self, command: str) -> str:
        """Run a command and give what it prints, remarks included."""
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(  # noqa: S602 (the commands are those of the pages)
            command,
            shell=True,
            cwd=ROOT,
            env={**os.environ, "PATH": programs, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        expected = self.options.get("status", 0)
        if done.returncode != expected:
            place = ":".join(map(str, self.get_source_info()))
            message = f"{place}: status {done.returncode} instead of {expected} from: {command}\n{done.stdout}"
            raise ExtensionError(message)
        return done.stdout


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("run", Run)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
