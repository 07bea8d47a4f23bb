"""The catalogue of parts: every entry of ``models/parts``, validated."""

from __future__ import annotations

from hecn_analysis.base import places
from hecn_analysis.base.errors import unknown_name
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.parts import KINDS, Part


def parts(kind: str) -> dict[str, Part]:
    """All parts of a kind, by name, in the order of their file.

    Parameters
    ----------
    kind
        boards, controllers, cpus, disks, enclosures, modules, nics, optics or switches.

    Returns
    -------
    dict
        Parts by name; their numbers are in SI.

    Raises
    ------
    InputError
        The kind is unknown, or the file is invalid (with the line).

    Examples
    --------
    >>> from hecn_analysis.hardware.catalogue import parts
    >>> [name for name, nic in parts("nics").items() if nic.port_rate.value == 800e9]
    ['broadcom-thor-ultra']
    """
    if kind not in KINDS:
        raise unknown_name("parts", kind, KINDS)
    library = Library(places.models_dir())
    parts_by_name = {}
    for name in library.part_names(kind):
        entry = library.part(kind, name, (None, None))
        entry.put(("part",), name, entry.place(()))
        parts_by_name[name] = yaml_file.validate(KINDS[kind], entry.values, entry.place, prefix=(name,))
    return parts_by_name
