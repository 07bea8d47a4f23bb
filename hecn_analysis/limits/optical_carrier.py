r"""SONET: ATM and packet over SONET, from the optical carrier to the data of TCP.

A carrier of N basic rates (OC-N) repeats a frame of 9 rows and 90 N columns of bytes 8000 times a second. Section and
line overhead take 3 N columns, path overhead one, fixed stuff N/3 - 1; the rest carries data. SDH has the same
frames under other names: STM-1, 4, 16, 64, 256 are OC-3c, 12c, 48c, 192c, 768c. Packets are full.

References
----------
.. [1] ANSI T1.105-2001 and ITU-T G.707: the frame. RFC 1619 and 2615: 149.760 Mb/s of payload in an STS-3c.
.. [2] RFC 2684 (RFC 1483): LLC/SNAP, 8 bytes, and virtual-circuit multiplexing in AAL5. RFC 2225 (RFC 1626): default
   MTU 9180.
.. [3] ITU-T I.361 (cell: 48 bytes of 53), I.363.5 (AAL5: trailer of 8 bytes, padding to whole cells).
.. [4] RFC 1661, 1662, 2615: PPP in HDLC-like framing over SONET, flag 1, address and control 2, protocol 2, check 4.
.. [5] ANSI T1.646 and GR-1110: ATM in a DS3 with PLCP, 12 cells per 125 us.
.. [6] J. Cavanaugh, "Protocol overhead in IP/ATM networks", Minnesota Supercomputer Center, 1994: applications get
   87 % of an OC-3c at most.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    FloatArray,
    Number,
    arrays,
    given,
    require_word,
)
from hecn_analysis.limits.framing import IPVersion, payload_bytes

Carrier = Literal["oc3c", "oc12c", "oc48c", "oc192c", "oc768c"]
AtmCarrier = Literal["ds3", "oc3c", "oc12c", "oc48c", "oc192c", "oc768c"]
Encapsulation = Literal["llc", "vc"]
Transport = Literal["tcp", "udp"]

_BASIC: Final = {"oc3c": 3, "oc12c": 12, "oc48c": 48, "oc192c": 192, "oc768c": 768}  # basic rates (STS-1) in a carrier
_COLUMN: Final = 9 * 8 * 8000.0  # what a column of the frame carries [bit/s]
_DS3_LINE, _DS3_CELLS = 44.736e6, 96_000.0  # [bit/s], [cells/s]: 12 cells in each of 8000 PLCP frames a second
_CELL, _CELL_DATA = 53.0, 48.0  # [B]
_AAL5_TRAILER: Final = 8.0  # [B]
_ENCAPSULATION: Final = {"llc": 8.0, "vc": 0.0}  # [B]
_HDLC: Final = 1.0 + 2.0 + 2.0 + 4.0  # flag, address and control, protocol, check [B]
_ESCAPED: Final = 2 / 256  # byte values that HDLC sends as two bytes: flag and escape


def line_bps(carrier: AtmCarrier) -> float:
    r"""Return the rate of the line itself.

    .. math:: L = 90 N \cdot 9 \cdot 8 \cdot 8000

    Exact. Source: [1]_ of the module.

    Parameters
    ----------
    carrier
        Optical carrier ``oc3c`` to ``oc768c``, or ``ds3``.

    Returns
    -------
    float
        The rate, all overhead included. [bit/s]

    Examples
    --------
    >>> line_bps("oc3c") / 1e6, line_bps("oc48c") / 1e6
    (155.52, 2488.32)
    """
    require_word(("ds3", *_BASIC), carrier=carrier)
    return _DS3_LINE if carrier == "ds3" else 90 * _BASIC[carrier] * _COLUMN


def payload_bps(carrier: AtmCarrier) -> float:
    r"""Return the rate left for cells or packets after section, line and path overhead.

    .. math:: P = \left(87 N - 1 - \left(\frac{N}{3} - 1\right)\right) \cdot 9 \cdot 8 \cdot 8000

    Exact. Source: [1]_, [5]_ of the module.

    Parameters
    ----------
    carrier
        Optical carrier ``oc3c`` to ``oc768c``, or ``ds3``: 96,000 cells a second in its PLCP frames.

    Returns
    -------
    float [bit/s]

    Examples
    --------
    >>> [payload_bps(carrier) / 1e6 for carrier in ("oc3c", "oc12c", "oc48c", "oc192c", "ds3")]
    [149.760, 599.040, 2396.160, 9584.640, 40.704]
    """
    require_word(("ds3", *_BASIC), carrier=carrier)
    if carrier == "ds3":
        return _DS3_CELLS * _CELL * 8
    basic = _BASIC[carrier]
    return (87 * basic - 1 - (basic / 3 - 1)) * _COLUMN


def cells(mtu: Bytes, encapsulation: Encapsulation = "llc") -> Number:
    r"""Return the cells that one packet takes.

    .. math:: n = \left\lceil \frac{M + e + 8}{48} \right\rceil

    MTU 68 to 65,535. Source: [2]_, [3]_ of the module.

    Parameters
    ----------
    mtu, encapsulation
        MTU M, the longest IP packet [B]; ``llc``: LLC/SNAP, e = 8 bytes; ``vc``: one protocol per circuit, e = 0.

    Returns
    -------
    float or array
        Cells of 53 bytes, with the AAL5 trailer of 8 bytes and padding.

    Examples
    --------
    >>> cells(9180), cells(1500)
    (192.0, 32.0)
    """
    require_word(tuple(_ENCAPSULATION), encapsulation=encapsulation)
    payload_bytes(mtu)  # refuses an impossible MTU
    (mtu,) = arrays(mtu=mtu)
    return given(np.ceil((mtu + _ENCAPSULATION[encapsulation] + _AAL5_TRAILER) / _CELL_DATA))


def atm_ip_bps(carrier: AtmCarrier, mtu: Bytes, encapsulation: Encapsulation = "llc") -> Number:
    r"""Return the rate of full IP packets over ATM.

    .. math:: B = P\, \frac{M}{53\, n}

    One virtual circuit with all of the line (UBR); no signalling or management cells. Source: [1]_ to [3]_.

    Parameters
    ----------
    carrier
        Optical carrier, or ``ds3``; its payload P: :func:`payload_bps`.
    mtu, encapsulation
        M and e, as for :func:`cells`, which gives n. [B, 1]

    Returns
    -------
    float or array
        The rate of IP packets. [bit/s]

    Examples
    --------
    >>> atm_ip_bps("oc3c", 9180) / 1e6, atm_ip_bps("oc12c", 9180) / 1e6
    (135.102, 540.408)
    """
    count = cells(mtu, encapsulation)
    (mtu,) = arrays(mtu=mtu)
    return given(payload_bps(carrier) * mtu / (_CELL * count))


def ppp_ip_bps(carrier: Carrier, mtu: Bytes, *, stuffing: bool = False) -> Number:
    r"""Return the rate of full IP packets in PPP over SONET.

    .. math:: B = P\, \frac{M}{M + 9}

    Without stuffing an upper bound; data made of flags alone would halve the rate. Source: [1]_, [4]_ of the module.

    Parameters
    ----------
    carrier, mtu
        Optical carrier with the payload P of :func:`payload_bps`, and MTU M, the longest IP packet. [B]
    stuffing
        Count the escapes in random data: 2 of 256 byte values become two bytes, so that all but the flag grows by
        1/128. Without, no byte needs one.

    Returns
    -------
    float or array
        The rate of IP packets. [bit/s]

    Examples
    --------
    >>> ppp_ip_bps("oc48c", 4470) / 1e6, ppp_ip_bps("oc48c", 4470, stuffing=True) / 1e6
    (2391.345, 2372.812)
    """
    require_word(tuple(_BASIC), carrier=carrier)
    payload_bytes(mtu)  # refuses an impossible MTU
    (mtu,) = arrays(mtu=mtu)
    growth = _ESCAPED if stuffing else 0.0
    return given(payload_bps(carrier) * mtu / (1 + (mtu + _HDLC - 1) * (1 + growth)))


def _data_bps(ip_bps: Number, mtu: Bytes, ip: IPVersion, protocol: Transport, *, timestamps: bool) -> Number:
    require_word(("tcp", "udp"), protocol=protocol)
    data = payload_bytes(mtu, ip=ip, timestamps=timestamps, protocol=protocol)
    (length,) = arrays(mtu=mtu)
    rate: FloatArray = np.asarray(ip_bps) * data / length
    return given(rate)


def atm(
    carrier: AtmCarrier,
    mtu: Bytes = 9180,
    *,
    ip: IPVersion = 4,
    timestamps: bool = True,
    protocol: Transport = "tcp",
    encapsulation: Encapsulation = "llc",
) -> dict[str, Number]:
    """Return the goodput of an ATM link.

    Parameters
    ----------
    carrier
        Line: an optical carrier, or a DS3 with PLCP frames.
    mtu
        MTU: the longest IP packet. [B]
    ip
        Version of IP: 4 or 6.
    timestamps
        Timestamps in TCP segments, 12 bytes each.
    protocol
        ``tcp`` or ``udp``.
    encapsulation
        ``llc``: LLC/SNAP, 8 bytes a packet; ``vc``: one protocol per circuit.

    Returns
    -------
    dict
        ``ip_bps`` (IP packets), ``goodput_bps`` (data). [bit/s]

    Examples
    --------
    >>> atm(carrier="oc3c", mtu=9180)["goodput_bps"] / 1e6
    134.337
    """
    rate = atm_ip_bps(carrier, mtu, encapsulation)
    return {"ip_bps": rate, "goodput_bps": _data_bps(rate, mtu, ip, protocol, timestamps=timestamps)}


def sonet(
    carrier: Carrier,
    mtu: Bytes = 4470,
    *,
    ip: IPVersion = 4,
    timestamps: bool = True,
    protocol: Transport = "tcp",
    stuffing: bool = False,
) -> dict[str, Number]:
    """Return the goodput of packet over SONET (PPP).

    Parameters
    ----------
    carrier
        Optical carrier.
    mtu
        MTU: the longest IP packet. [B]
    ip
        Version of IP: 4 or 6.
    timestamps
        Timestamps in TCP segments, 12 bytes each.
    protocol
        ``tcp`` or ``udp``.
    stuffing
        Count the bytes that HDLC adds to random data, 1 in 128.

    Returns
    -------
    dict
        ``ip_bps`` (IP packets), ``goodput_bps`` (data). [bit/s]

    Examples
    --------
    >>> sonet(carrier="oc48c", mtu=9000)["goodput_bps"] / 1e6
    2379.9
    """
    rate = ppp_ip_bps(carrier, mtu, stuffing=stuffing)
    return {"ip_bps": rate, "goodput_bps": _data_bps(rate, mtu, ip, protocol, timestamps=timestamps)}
