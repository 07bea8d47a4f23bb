"""A host given by its captured output, where a name or a file of a description would do as well."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.base.errors import InputError

if TYPE_CHECKING:
    from hecn_analysis.inventory import CapturedHost


def host_of(given: str) -> CapturedHost | None:
    """The host captured in a folder or archive; None for a name or a YAML description.

    Parameters
    ----------
    given
        What stands for a host on the command line.

    Returns
    -------
    CapturedHost or None
        The host, its description and its findings.

    Raises
    ------
    InputError
        A folder or archive with the output of no host, or of several.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> host = host_of(str(data_dir() / "inventory" / "virtual-machine"))
    >>> host.description["cpu"]["cores"] > 0, host_of("dtn-100g-2024")
    (True, None)
    """
    path = Path(given)
    if not (path.is_dir() or (path.is_file() and path.suffix not in {".yaml", ".yml"} and tarfile.is_tarfile(path))):
        return None
    from hecn_analysis.base import places  # noqa: PLC0415 - for a folder only
    from hecn_analysis.hardware import Library  # noqa: PLC0415
    from hecn_analysis.inventory import read_inventory  # noqa: PLC0415

    if given in Library(places.models_dir()).names("hosts"):
        return None
    hosts = read_inventory(path).hosts
    if len(hosts) != 1:
        contents = f"{len(hosts)} hosts ({', '.join(host.name for host in hosts)})" if hosts else "no captured output"
        raise InputError(contents, "the captured output of one host (hecn capture)", source=given)
    return hosts[0]
