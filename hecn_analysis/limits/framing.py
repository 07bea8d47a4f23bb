r"""Ethernet: what is left of a line rate for the data in its packets.

All packets are full. A packet of M bytes (the MTU: the IP packet, headers included) takes M + 38 bytes of the line:
Ethernet header 14, check sequence 4, preamble and start 8, gap 12; a VLAN tag adds 4.

The line rate is the rate of the MAC, 10 Mb/s to 800 Gb/s. The line itself signals faster, by the overhead of line
coding and error correction:

==============  =====================================================================================  =======
MAC             line                                                                                   source
==============  =====================================================================================  =======
10, 100 Mb/s    Manchester at 20 MBd; 4b/5b at 125 MBd                                                 [1]_
1 Gb/s          8b/10b at 1.25 GBd                                                                     [1]_
10 Gb/s         64b/66b at 10.3125 GBd; 40 Gb/s: four such lanes                                       [1]_
25, 100 Gb/s    64b/66b, one or four lanes of 25.78125 GBd; RS(528,514) in place of the sync bits      [1]_
50, 200 Gb/s    256b/257b and RS(544,514): lanes of 53.125 Gb/s (PAM4)                                 [1]_
400, 800 Gb/s   the same: lanes of 53.125 or 106.25 Gb/s                                               [1]_
==============  =====================================================================================  =======

The exception is the WAN PHY, 10GBASE-W: its 64b/66b blocks go into the payload of an OC-192c, 9.58464 Gb/s, so that its
MAC runs at 9.2942 Gb/s (:data:`WAN_PHY`).

References
----------
.. [1] IEEE 802.3-2022: frame (clause 3), gap (clause 4); IEEE 802.1Q-2022: VLAN tag (clause 9).
.. [2] RFC 791 (IPv4, header 20 bytes, MTU 68 to 65,535), RFC 8200 (IPv6, header 40 bytes, MTU 1280 and more), RFC 9293
   (TCP, header 20 bytes), RFC 7323 (timestamps, 12 bytes with padding), RFC 768 (UDP, header 8 bytes).
.. [3] RFC 6349, 4.1.1: frames per second on 100 Mb/s, 1 Gb/s and 10 Gb/s.
.. [4] InfiniBand Architecture Specification 1.2.1, annex A17 (RoCEv2): base transport header 12, check sequence 4.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    FloatArray,
    Fraction,
    Number,
    Rate,
    arrays,
    given,
    refuse,
    require_positive,
    require_word,
)

ETHERNET_HEADER: Final = 14.0
"""Header of a frame without a VLAN tag. [B]"""
FRAME_OVERHEAD: Final = 38.0
"""Bytes of the line that a frame takes beside its packet: header 14, check 4, preamble 8, gap 12. [B]"""
VLAN_TAG: Final = 4.0  # [B]
WAN_PHY: Final = 9.58464e9 * 64 / 66
"""Rate of the MAC of 10GBASE-W: 64b/66b in the payload of an OC-192c. IEEE 802.3 clause 50. [bit/s]"""
IP_HEADER: Final = {4: 20.0, 6: 40.0}  # [B]
SMALLEST_MTU: Final = {4: 68.0, 6: 1280.0}  # [B]
LARGEST_MTU: Final = 65_535.0  # [B]
RDMA_MTUS: Final = (256.0, 512.0, 1024.0, 2048.0, 4096.0)  # data bytes of a RoCE packet [4]
_TCP, _TIMESTAMPS, _UDP, _ROCE = 20.0, 12.0, 8.0, 12.0 + 4.0  # [B]

IPVersion = Literal[4, 6]
Protocol = Literal["tcp", "udp", "roce"]


def header_bytes(*, ip: IPVersion = 4, timestamps: bool = True, protocol: Literal["tcp", "udp"] = "tcp") -> int:
    """Return the bytes of a packet that its IP and transport headers take.

    Parameters
    ----------
    ip, timestamps, protocol
        Version of IP, 4 or 6; TCP carries timestamps (12 bytes); ``tcp`` or ``udp``.

    Returns
    -------
    int
        Both headers. Source: RFC 791, 8200, 9293, 7323, 768. [B]

    Examples
    --------
    >>> header_bytes(), header_bytes(ip=6), header_bytes(protocol="udp")
    (52, 72, 28)
    """
    require_word((4, 6), ip=ip)
    require_word(("tcp", "udp"), protocol=protocol)
    transport = _UDP if protocol == "udp" else _TCP + (_TIMESTAMPS if timestamps else 0.0)
    return int(IP_HEADER[ip] + transport)


def _packet(mtu: Bytes, ip: IPVersion, protocol: Protocol, *, timestamps: bool) -> tuple[FloatArray, FloatArray]:
    """Return the IP length and the data of a full packet, both in bytes."""
    (mtu,) = arrays(mtu=mtu)
    require_word((4, 6), ip=ip)
    require_word(("tcp", "udp", "roce"), protocol=protocol)
    header, low = IP_HEADER[ip], SMALLEST_MTU[ip]
    rdma = np.isin(mtu, RDMA_MTUS) & (protocol == "roce")
    refuse("mtu", mtu, ~rdma & ((mtu < low) | (mtu > LARGEST_MTU)), f"{low:.0f} to 65535 B for IPv{ip}")
    if protocol != "roce":
        return mtu, mtu - header_bytes(ip=ip, timestamps=timestamps, protocol=protocol)
    headers = header + _UDP + _ROCE
    room = np.where(rdma, mtu, mtu - headers)
    refuse(
        "mtu", mtu, room < RDMA_MTUS[0], f"{RDMA_MTUS[0] + headers:.0f} B or more for RoCE, or an RDMA MTU from 256 B"
    )
    fitting = np.searchsorted(RDMA_MTUS, np.nan_to_num(room, nan=RDMA_MTUS[0]), side="right") - 1
    data = np.where(np.isnan(room), np.nan, np.asarray(RDMA_MTUS)[fitting])
    return data + headers, data


def payload_bytes(mtu: Bytes, *, ip: IPVersion = 4, timestamps: bool = True, protocol: Protocol = "tcp") -> Number:
    """Return the data in one full packet.

    Parameters
    ----------
    mtu, ip, timestamps
        MTU (the longest IP packet) [B]; version of IP, 4 or 6; TCP carries timestamps (12 bytes), the common default.
    protocol
        ``tcp``, ``udp`` or ``roce`` (RoCEv2: UDP header 8, base transport header 12, check sequence 4). RoCE packets
        hold 256, 512, 1024, 2048 or 4096 bytes: the largest of these that fits. With ``roce`` an MTU that is one of
        these numbers is the RDMA MTU itself, as perftest reports it.

    Returns
    -------
    float or array
        The data: TCP's segment, UDP's payload, RoCE's RDMA MTU. [B]

    Raises
    ------
    RangeError
        An MTU outside 68 to 65,535 (IPv4) or 1280 to 65,535 (IPv6), or an unknown version or protocol.

    Examples
    --------
    >>> payload_bytes(9000), payload_bytes(1500, ip=6)
    (8948.0, 1428.0)
    """
    return given(_packet(mtu, ip, protocol, timestamps=timestamps)[1])


def wire_bytes(mtu: Bytes, *, ip: IPVersion = 4, vlan: bool = False, protocol: Protocol = "tcp") -> Number:
    """Return the bytes of the line that one full packet takes.

    Parameters
    ----------
    mtu, ip, vlan, protocol
        As for :func:`ethernet`; RoCE packets are often shorter than the MTU. [B, 1, 1, 1]

    Returns
    -------
    float or array
        Packet, frame, preamble and gap. [B]

    Examples
    --------
    >>> wire_bytes(1500), wire_bytes(9000, vlan=True)
    (1538.0, 9042.0)
    """
    length, _ = _packet(mtu, ip, protocol, timestamps=False)
    return given(length + FRAME_OVERHEAD + (VLAN_TAG if vlan else 0.0))


def wire_overhead(
    mtu: Bytes,
    *,
    ip: IPVersion = 4,
    timestamps: bool = True,
    vlan: bool = False,
    protocol: Protocol = "tcp",
) -> Fraction:
    """Return the part of the line rate that is not data: 1 - goodput / rate.

    Parameters
    ----------
    mtu, ip, timestamps, vlan, protocol
        As for :func:`ethernet`. [B, 1, 1, 1, 1]

    Returns
    -------
    float or array
        Headers of TCP and IP, frame, preamble and gap, as a fraction of the line rate (not of the data). [1]

    Examples
    --------
    >>> wire_overhead(1500)
    0.058518
    """
    data = payload_bytes(mtu, ip=ip, timestamps=timestamps, protocol=protocol)
    return given(1 - data / wire_bytes(mtu, ip=ip, vlan=vlan, protocol=protocol))


def goodput_bps(
    rate: Rate,
    mtu: Bytes,
    *,
    ip: IPVersion = 4,
    timestamps: bool = True,
    vlan: bool = False,
    protocol: Protocol = "tcp",
) -> Number:
    r"""Return the rate of data on a full line.

    .. math:: G = R\, \frac{M - h}{M + 38 + v}

    with the headers h = 40 (IPv4 and TCP; IPv6: 60) + 12 (timestamps), and v = 4 with a VLAN tag.

    An upper bound: acknowledgements go the other way, nothing is lost or sent twice. RoCE: without the 16 additional
    bytes of the first packet of a message. Source: [1]_, [2]_, [4]_ of the module.

    Parameters
    ----------
    rate, mtu
        Line rate R of the MAC [bit/s], and MTU M, the longest IP packet [B].
    ip, timestamps, vlan, protocol
        As for :func:`ethernet`.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> goodput_bps(1e9, 1500) / 1e6, goodput_bps(10e9, 9000) / 1e9
    (941.482, 9.90042)
    """
    (rate,) = arrays(rate=rate)
    require_positive(rate=rate)
    data = payload_bytes(mtu, ip=ip, timestamps=timestamps, protocol=protocol)
    return given(rate * data / wire_bytes(mtu, ip=ip, vlan=vlan, protocol=protocol))


def frames_per_s(
    rate: Rate, mtu: Bytes, *, ip: IPVersion = 4, vlan: bool = False, protocol: Protocol = "tcp"
) -> Number:
    """Return the number of full frames that a line carries in a second.

    Parameters
    ----------
    rate, mtu, ip, vlan, protocol
        As for :func:`ethernet`. [bit/s, B, 1, 1, 1]

    Returns
    -------
    float or array
        Frames per second. [1/s]

    Examples
    --------
    The values of [3]_, which leave out the fraction:

    >>> [int(frames_per_s(rate, 1500)) for rate in (100e6, 1e9, 10e9)]
    [8127, 81274, 812743]
    """
    (rate,) = arrays(rate=rate)
    require_positive(rate=rate)
    return given(rate / (8 * wire_bytes(mtu, ip=ip, vlan=vlan, protocol=protocol)))


def ethernet(
    rate: Rate,
    mtu: Bytes,
    *,
    ip: IPVersion = 4,
    timestamps: bool = True,
    vlan: bool = False,
    protocol: Protocol = "tcp",
    wan_phy: bool = False,
) -> dict[str, Number]:
    """Return the goodput of an Ethernet link.

    Parameters
    ----------
    rate
        Line rate. [bit/s]
    mtu
        MTU: the longest IP packet. [B]
    ip
        Version of IP: 4 or 6.
    timestamps
        Timestamps in TCP segments, 12 bytes each.
    vlan
        Frames carry a VLAN tag.
    protocol
        ``tcp``, ``udp`` or ``roce``.
    wan_phy
        A 10-Gigabit port in WAN mode (10GBASE-W), whose frames get 9.2942 Gb/s.

    Returns
    -------
    dict
        ``goodput_bps`` (data) [bit/s], ``frames_per_s`` [1/s], ``wire_overhead``: 1 - goodput / rate, the part of the
        MAC's rate that is headers, preamble and gap. [1]

    Examples
    --------
    >>> ethernet(rate=10e9, mtu=9000)["goodput_bps"] / 1e9
    9.90042
    """
    if wan_phy:
        (line,) = arrays(rate=rate)
        refuse("rate", line, line != 10e9, "10 Gb/s with the WAN PHY, in bit/s")
        rate = given(line / 10e9 * WAN_PHY)
    return {
        "goodput_bps": goodput_bps(rate, mtu, ip=ip, timestamps=timestamps, vlan=vlan, protocol=protocol),
        "frames_per_s": frames_per_s(rate, mtu, ip=ip, vlan=vlan, protocol=protocol),
        "wire_overhead": wire_overhead(mtu, ip=ip, timestamps=timestamps, vlan=vlan, protocol=protocol),
    }
