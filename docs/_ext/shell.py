"""The directive ``run``: shell commands that run when the pages are built, shown with what they print.

Each line of its content is a command, run at the top of the checkout with the programs of this environment. One that
ends with another status than expected (`:status:`, 0 by default) stops the build: no page shows what does not work.
The command ``hecn`` runs in forks of one process that has imported it, see `warm`.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import ClassVar

import warm
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
COLUMNS = 60  # of the narrowest page with a margin
_OPTION = re.compile(r"(?<= )--?\w[\w-]*")


class Warm:
    """The process that runs ``hecn``, from the beginning of the build to its end."""

    def __init__(self) -> None:
        self.programs = ""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and write the program that hands commands to it."""
        self._folder = tempfile.TemporaryDirectory()
        self.programs = self._folder.name
        address = f"{self.programs}/warm"
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, warm.__file__, address], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None  # noqa: S101 - for the type checker
        self._process.stdout.readline()
        shim = Path(self.programs) / "hecn"
        shim.write_text(warm.SHIM.format(python=sys.executable, address=address), encoding="utf-8")
        shim.chmod(0o755)

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None


WARM = Warm()


class Run(SphinxDirective):
    """Commands and their output, as in a terminal."""

    has_content = True
    option_spec: ClassVar = {"status": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Give one block with all commands and outputs."""
        text = "".join(f"$ {command}\n{self.output(command)}" for command in self.content if command)
        lines = "\n".join(map(_line, text.rstrip().splitlines()))
        html = (
            f'<div class="highlight-text notranslate terminal"><div class="highlight"><pre>{lines}\n</pre></div></div>'
        )
        return [nodes.raw("", html, format="html")]

    def output(self, command: str) -> str:
        """Run a command and give what it prints, remarks included."""
        programs = os.pathsep.join([WARM.programs, str(Path(sys.executable).parent), os.environ["PATH"]])
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


def _line(line: str) -> str:
    """A line as HTML; a long one without columns is a sentence, which may wrap."""
    if len(line) <= COLUMNS or "  " in line.strip():
        return escape(line)
    words = _OPTION.sub(lambda option: f'<span class="option">{option[0]}</span>', escape(line))
    return f'<span class="sentence">{words}</span>'


def start(_: Sphinx) -> None:
    """Start the process before Sphinx forks those that read the pages, which share it."""
    WARM.start()


def finish(app: Sphinx, error: Exception | None) -> None:
    """End the process, and say how much time the build took of a processor."""
    WARM.stop()
    if error is None:
        spent = sum(
            used.ru_utime + used.ru_stime
            for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        print(f"{len(app.env.all_docs)} pages; every command and code cell ran; {spent:.0f} s of processor time")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("run", Run)
    app.connect("builder-inited", start)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
