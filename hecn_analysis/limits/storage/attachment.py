r"""How disks are attached: SATA, SAS and Fibre Channel links, wide ports, expanders and enclosures.

References
----------
.. [1] INCITS 534, Serial Attached SCSI 4 (SAS-4), and INCITS 538, SAS Protocol Layer 4 (SPL-4): line rates, 8b/10b and
   128b/150b coding, frames, rate matching.
.. [2] Serial ATA Revision 3.x: line rates, 8b/10b coding, data frames of at most 8192 bytes.
.. [3] INCITS 470, FC-FS-3, and the Fibre Channel roadmap of the FCIA: line rates and coding.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Count,
    Fraction,
    Number,
    Rate,
    arrays,
    given,
    refuse,
    require_positive,
    require_whole,
    require_word,
)

Interface = Literal[
    "sata-1.5",
    "sata-3",
    "sata-6",
    "sas-3",
    "sas-6",
    "sas-12",
    "sas-24",
    "fc-1",
    "fc-2",
    "fc-4",
    "fc-8",
    "fc-16",
    "fc-32",
]
# A data frame: SATA 8192 bytes, and 4 for each of its start, header, check and end; SAS (SSP) 1024 bytes, header 24,
# start, check and end 4 each; Fibre Channel 2112 bytes, header 24, start, check and end 4 each, and 24 between frames.
_SATA: Final = 8192 / (8192 + 16)
_SSP: Final = 1024 / (1024 + 36)
_FC: Final = 2112 / (2112 + 36 + 24)

_LINKS: Final[dict[str, tuple[float, float, float]]] = {
    "sata-1.5": (1.5e9, 8 / 10, _SATA),
    "sata-3": (3e9, 8 / 10, _SATA),
    "sata-6": (6e9, 8 / 10, _SATA),
    "sas-3": (3e9, 8 / 10, _SSP),
    "sas-6": (6e9, 8 / 10, _SSP),
    "sas-12": (12e9, 8 / 10, _SSP),
    "sas-24": (22.5e9, 128 / 150, _SSP),
    "fc-1": (1.0625e9, 8 / 10, _FC),
    "fc-2": (2.125e9, 8 / 10, _FC),
    "fc-4": (4.25e9, 8 / 10, _FC),
    "fc-8": (8.5e9, 8 / 10, _FC),
    "fc-16": (14.025e9, 64 / 66, _FC),
    "fc-32": (28.05e9, 64 / 66, _FC),
}
"""Line rate [bit/s], coding, and the part of a frame that is data."""


def coded_bps(interface: Interface) -> float:
    """Return the rate of one lane after its coding: what is usually printed.

    SAS-4, sold as 24G, runs at 22.5 Gb/s with 128b/150b, which includes its error correction. Source: [1]_, [2]_, [3]_
    of the module.

    Parameters
    ----------
    interface
        Kind and speed, as ``"sas-12"``.

    Returns
    -------
    float [bit/s]

    Examples
    --------
    >>> [coded_bps(link) / 8e6 for link in ("sata-6", "sas-24", "fc-16")]
    [600.0, 2400.0, 1700.0]
    """
    require_word(_LINKS, interface=interface)
    line, coding, _ = _LINKS[interface]
    return line * coding


def coded_port_bps(line_rate: float) -> float:
    """Rate of a SATA or SAS port after its coding: 8b/10b up to 12 Gb/s, 128b/150b above.

    Parameters
    ----------
    line_rate
        Rate on the wire. [bit/s]

    Returns
    -------
    float
        What it carries. [bit/s]

    Examples
    --------
    >>> coded_port_bps(22.5e9) / 1e9
    19.2
    """
    line_of_8b10b, coding, _ = _LINKS["sas-12"]
    return line_rate * (coding if line_rate <= line_of_8b10b else _LINKS["sas-24"][1])


def link_bps(interface: Interface) -> float:
    r"""Return the rate of data that one lane carries, frames taken off.

    .. math:: B = L\, c\, \frac{n}{n + h}

    L line rate, c coding, n bytes of data in a full frame, h bytes around them. Commands, and the opening and closing
    of connections, take a few per cent more. Source: [1]_, [2]_, [3]_ of the module.

    Parameters
    ----------
    interface
        Kind and speed, as ``"sas-12"``.

    Returns
    -------
    float [bit/s]

    Examples
    --------
    >>> [link_bps(link) / 8e6 for link in ("sata-6", "sas-12")]
    [598.8, 1159.2]
    """
    return coded_bps(interface) * _LINKS[interface][2]


def attachment_bps(interface: Interface, lanes: Count, disk_interface: Interface | None = None) -> Number:
    r"""Return what a wide port between controller and expander (or enclosure) carries.

    .. math:: B = n\, \min(B_\mathrm{lane}, B_\mathrm{disk})

    An expander passes connections through: a lane that serves a slower disk is padded with empty words (rate matching,
    [1]_ of the module). Expanders with end-device frame buffering (12 Gb/s and later) use the port's full speed.

    Parameters
    ----------
    interface, lanes
        Kind and speed of the port's lanes, and their number n: 4 in one SFF-8087, SFF-8088 or SFF-8644 cable.
    disk_interface
        Kind and speed of the disks behind an expander that does not buffer: a lane runs at the speed of its disk. None:
        as fast, or the expander buffers.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    Four lanes of 12 Gb/s to SATA disks of 6 Gb/s, with an expander that does not buffer:

    >>> attachment_bps("sas-12", 4, "sata-6") / 8e9
    2.40
    """
    (lanes,) = arrays(lanes=lanes)
    require_whole(1, lanes=lanes)
    lane = link_bps(interface)
    return given(lanes * (lane if disk_interface is None else min(lane, link_bps(disk_interface))))


def enclosure(
    disks: Count,
    disk_rate: Rate,
    *,
    interface: Interface,
    lanes: Count = 4,
    disk_interface: Literal[Interface, "same"] = "same",
    buffered: bool = False,
    usable: Fraction = 1.0,
    slot_rate: Rate | None = None,
    controller_rate: Rate | None = None,
) -> dict[str, Number]:
    """Return what disks behind a port, a controller and its slot deliver together.

    Parameters
    ----------
    disks
        Disks that work at once.
    disk_rate
        Rate of one disk. [bit/s]
    interface
        Kind and speed of the lanes between controller and enclosure.
    lanes
        Lanes between controller and enclosure, of all cables.
    disk_interface
        Kind and speed of each disk's own link.
    buffered
        The expander buffers for slower disks, so that they use the lanes' full speed.
    usable
        Part of the lanes' rate that commands and connections leave. [1]
    slot_rate
        Rate of the controller's slot: see pcie. [bit/s]
    controller_rate
        Rate of the controller's processor. [bit/s]

    Returns
    -------
    dict
        ``throughput_bps``, and the limits it is the lowest of: ``disks_bps`` (each no faster than its link),
        ``uplink_bps``. [bit/s]

    Examples
    --------
    24 disks of 200 MB/s behind four lanes of 6 Gb/s:

    >>> enclosure(24, 1.6e9, interface="sas-6")["throughput_bps"] / 8e9
    2.32
    """
    n, rate, part = arrays(disks=disks, disk_rate=disk_rate, usable=usable)
    require_whole(1, disks=n)
    require_positive(disk_rate=rate)
    refuse("usable", part, (part <= 0) | (part > 1), "a fraction above 0, at most 1")
    own = interface if disk_interface == "same" else disk_interface
    together = n * np.minimum(rate, link_bps(own))
    uplink = part * attachment_bps(interface, lanes, None if buffered else own)
    lowest = np.minimum(together, uplink)
    for name, cap in (("slot_rate", slot_rate), ("controller_rate", controller_rate)):
        if cap is not None:
            (limit,) = arrays(**{name: cap})
            require_positive(**{name: limit})
            lowest = np.minimum(lowest, limit)
    return {"throughput_bps": given(lowest), "disks_bps": given(together), "uplink_bps": given(uplink)}
