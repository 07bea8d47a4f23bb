"""Folders of the shipped models, notebooks and sample data: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def _shipped(name: str) -> Path:
    packaged = _PACKAGE / "share" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def models_dir() -> Path:
    """Folder of the shipped YAML descriptions: parts, hosts, paths, tools, scenarios.

    Returns
    -------
    Path
        The folder: of the checkout, or of the installed package.

    Examples
    --------
    >>> (models_dir() / "hosts" / "b.yaml").is_file()
    True
    """
    return _shipped("models")


def notebooks_dir() -> Path:
    """Folder of the shipped notebooks and their parameter declarations.

    Returns
    -------
    Path
        The folder: of the checkout, or of the installed package.

    Examples
    --------
    >>> (notebooks_dir() / "00_start_here.ipynb").is_file()
    True
    """
    return _shipped("notebooks")


def data_dir() -> Path:
    """Folder of the shipped sample logs and of the series of measured cases that refer to them.

    Returns
    -------
    Path
        The folder: of the checkout, or of the installed package.

    Examples
    --------
    >>> (data_dir() / "logs" / "c-systems-dd.txt").is_file()
    True
    """
    return _shipped("data")
