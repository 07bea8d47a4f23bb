"""Inputs of a brief, so that an unchanged one need not be made again.

The kernel records what it reads (`hecn_analysis.briefs._kernel`). Everything outside the Python installation and the
system counts: the package's modules, shipped models and data, and the user's files, each by a hash of its content, and
listed folders by a hash of their names. So do the notebook and its declaration, all files below a path given as a
parameter, the parameters, and the versions of the required packages. Files that a compiled library opens are not
recorded; shipped notebooks read only archives in that way, whose files never change and are listed in Python.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import source_from_cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

from hecn_analysis.archive.selection import archive_of
from hecn_analysis.base import places
from hecn_analysis.briefs.parameters import Brief, Value, declaration_of, files_of
from hecn_analysis.files import packed
from hecn_analysis.files.names import as_stored
from hecn_analysis.files.opening import EXPECTED_READABLE, File

DISTRIBUTION: Final = "hecn-analysis"
PACKAGE: Final = Path(__file__).resolve().parent.parent
LAYOUT: Final = (PACKAGE / "briefs", PACKAGE / "figures" / "theme.py")  # code that lays out pages
SHIPPED: Final = "hecn:"  # prefix of a name relative to the package
CHANGED: Final = "changed while it was read"
DIGITS: Final = 16


def origin(
    brief: Brief, parameters: Mapping[str, Value], noted: Iterable[str], *, since_ns: int | None = None
) -> dict[str, Any]:
    """The inputs of a brief in their current state."""
    named = _named(brief, parameters)
    names = sorted({*map(name_of, named), *noted})
    return {
        "files": {name: fingerprint(place_of(name), since_ns) for name in names},
        "packages": _packages(),
    }


def is_unchanged(before: Mapping[str, Any], brief: Brief, parameters: Mapping[str, Value]) -> bool:
    """Whether a brief's inputs are unchanged; a file that changed while it was read counts as changed."""
    return CHANGED not in before["files"].values() and origin(brief, parameters, before["files"]) == before


def layout() -> str:
    """Hash of the page layout: templates, layout code, and versions of the packages."""
    sources = [path for root in LAYOUT for path in ([root] if root.is_file() else sorted(_below(root)))]
    return _hash(repr([[fingerprint(path) for path in sources], _packages()]).encode())


def counted(noted: Iterable[tuple[str, Path]], private: Path) -> set[str]:
    """Names of the recorded reads that count as inputs."""
    chosen = set()
    for kind, noted_path in noted:
        path = noted_path
        if path.suffix == ".pyc":
            try:
                path = Path(source_from_cache(str(path)))
            except ValueError:
                continue
        is_there = path.is_file() if kind == "F" else path.is_dir()  # a nameless temporary file is opened as its folder
        if is_there and not path.is_relative_to(private) and (_is_ours(path, kind) or not _is_system(path)):
            chosen.add(name_of(path))
    return chosen


def name_of(path: Path) -> str:
    """Name of a path relative to the package or the current folder if possible, so that it holds elsewhere."""
    for root, folder in _roots():
        if path.is_relative_to(folder):
            return f"{SHIPPED}{root}/{path.relative_to(folder).as_posix()}"
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def place_of(name: str) -> Path:
    """Path of a name."""
    if not name.startswith(SHIPPED):
        return Path.cwd() / name
    root, _, rest = name.removeprefix(SHIPPED).partition("/")
    return dict(_roots())[root] / rest


def fingerprint(path: Path, since_ns: int | None = None) -> str | None:
    """Hash of a file's content or of the names in a folder; None if it does not exist."""
    try:
        status = path.stat()
        if S_ISDIR(status.st_mode):
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")  # noqa: PTH208 - the names alone
            return _hash("\n".join(names).encode(errors="surrogateescape"))
        if not S_ISREG(status.st_mode) or (since_ns is not None and status.st_mtime_ns >= since_ns):
            return CHANGED  # the content of a pipe is unknown as well
        return _content(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return None


@cache
def _content(path: Path, changed_ns: int, size: int) -> str:  # noqa: ARG001  (part of the cache key)
    stored = packed.plain(File(str(path)))  # bounded like all reading: a sparse file may be a terabyte
    digest = stored.content_hash
    if any(message.endswith(EXPECTED_READABLE) for _, message in stored.notes.problems):
        raise OSError(stored.notes.problems)
    return digest[:DIGITS]


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


@cache
def _packages() -> dict[str, str]:
    """Versions of Python, of this package, and of its required packages."""
    names = {DISTRIBUTION}
    for requirement in requires(DISTRIBUTION) or []:
        name, _, marker = requirement.partition(";")
        if "extra ==" not in marker:
            names.add(re.split(r"[^A-Za-z0-9._-]", name.strip(), maxsplit=1)[0])
    versions = {"python": platform.python_version()}
    for name in sorted(names):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _named(brief: Brief, parameters: Mapping[str, Value]) -> Iterator[Path]:
    """Files that always count: the notebook, its declaration, and everything below the paths of parameters."""
    yield from (brief.notebook.absolute(), declaration_of(brief.notebook).absolute())
    yield from (PACKAGE / "__init__.py", PACKAGE / "briefs" / "__init__.py")  # the kernel loads them before it records
    for name, parameter in brief.declaration.parameters.items():
        if parameter.type != "files":
            continue
        for given in files_of(str(parameters[name])):
            if archive_of(given) is None:
                path = Path(as_stored(given)).absolute()
                yield path
                yield from _below(path)


def _below(folder: Path) -> Iterator[Path]:
    """Files and folders below a folder, to any depth; `os.walk` of Python 3.11 is recursive."""
    waiting = [os.fspath(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                is_folder = entry.is_dir()
                if is_folder and entry.name == "__pycache__":
                    continue
                yield Path(entry.path)
                if is_folder and not entry.is_symlink():
                    waiting.append(entry.path)


@cache
def _roots() -> tuple[tuple[str, Path], ...]:
    """Folders of shipped files; the package comes last, since in a wheel it contains models and data."""
    shipped = {"models": places.models_dir(), "data": places.data_dir(), "notebooks": places.notebooks_dir()}
    return (*shipped.items(), (PACKAGE.name, PACKAGE))


def _is_ours(path: Path, kind: str) -> bool:
    """Whether a path is shipped; listings of the package's own folders do not count, since its modules do."""
    *data, (_, package) = _roots()
    return any(path.is_relative_to(folder) for _, folder in data) or (kind == "F" and path.is_relative_to(package))


@cache
def _system() -> tuple[Path, ...]:
    python = {sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), *site.getsitepackages()}
    return tuple(Path(name) for name in {*python, "/proc", "/sys", "/dev", "/etc", "/usr"})


def _is_system(path: Path) -> bool:
    """Whether a path belongs to the installation or the system, or is hidden in the home folder (settings, caches)."""
    home = Path.home()
    hidden = path.is_relative_to(home) and str(path.relative_to(home)).startswith(".")
    return hidden or any(path.is_relative_to(folder) for folder in (PACKAGE, *_system()))
