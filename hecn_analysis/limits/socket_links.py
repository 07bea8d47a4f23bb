r"""Links between processors and to the chipset: front-side bus, HyperTransport, QPI, UPI, Infinity Fabric, DMI.

References
----------
.. [1] HyperTransport Consortium, HyperTransport I/O Link Specification 3.10, 2008: transfer rates, packets with 8 bytes
   of command and address before up to 64 bytes of data.
.. [2] Intel, "An introduction to the Intel QuickPath Interconnect", document 320412, 2009: 16 data bits each way; a
   line of 64 bytes is 8 flits of data and one of header. UPI rates: data sheets of Xeon Scalable processors.
.. [3] AMD, "Socket SP3 platform NUMA topology" and the EPYC data sheets: 16 lanes a link between sockets, 37.9 GB/s
   both ways together at 10.667 GT/s with its check bits taken off.
.. [4] Intel chipset data sheets: DMI is PCI Express of generation 1 (four lanes), 2, 3 (four) and 4 (eight).
.. [5] Intel Xeon processor data sheets, 2004 to 2008: a bus of 64 data bits that both directions and all processors on
   it share.
"""

from typing import Final, Literal, get_args

from hecn_analysis.limits._checks import Count, Number, arrays, given, require_whole, require_word

Link = Literal[
    "fsb-533",
    "fsb-667",
    "fsb-800",
    "fsb-1066",
    "fsb-1333",
    "ht-1.6",
    "ht-2.0",
    "ht-2.8",
    "ht-4.8",
    "ht-5.2",
    "ht-6.4",
    "qpi-4.8",
    "qpi-5.86",
    "qpi-6.4",
    "qpi-7.2",
    "qpi-8.0",
    "qpi-9.6",
    "upi-9.6",
    "upi-10.4",
    "upi-11.2",
    "upi-16",
    "upi-20",
    "upi-24",
    "fabric-10.7",
    "fabric-16",
    "fabric-18",
    "fabric-32",
    "dmi-1",
    "dmi-2",
    "dmi-3",
    "dmi-4",
]
LINE_SHARE: Final = 8 / 9
"""Data in a line of 64 bytes with its header: 64 of 72 bytes in [1]_, 8 of 9 flits in [2]_ (assumed for UPI too), and
8 of 9 in [3]_."""
_TLP_SHARE: Final = 128 / (128 + 24)  # MaxPayload of chipsets
_BITS: Final = {"fsb": 64.0, "ht": 16.0, "qpi": 16.0, "upi": 16.0, "fabric": 16.0}  # data bits of a transfer
_DMI: Final = {"1": 4 * 2.5e9 * 0.8, "2": 4 * 5e9 * 0.8, "3": 4 * 8e9 * 128 / 130, "4": 8 * 16e9 * 128 / 130}


def raw_bps(link: Link) -> float:
    r"""Return what one link carries each way, headers included: what is usually printed.

    .. math:: R = b\, r

    b data bits, r transfers per second. HyperTransport with 16 bits each way, its usual width between sockets (1.6 to
    2.8: 1.x and 2.0; 4.8 and more: 3.x). Source: [1]_ to [5]_ of the module.

    Parameters
    ----------
    link
        Kind and transfers per second (FSB: millions, else thousands of millions), DMI: generation.

    Returns
    -------
    float
        The rate; for the front-side bus, of both ways together. [bit/s]

    Examples
    --------
    >>> [raw_bps(link) / 8e9 for link in ("fsb-800", "qpi-6.4", "dmi-2")]
    [6.4, 12.8, 2.0]
    """
    require_word(get_args(Link), link=link)
    kind, _, speed = link.partition("-")
    if kind == "dmi":
        return _DMI[speed]
    transfers = {"fabric-10.7": 10.6667e9}.get(link, float(speed) * (1e6 if kind == "fsb" else 1e9))
    return _BITS[kind] * transfers


def interconnect(link: Link, *, links: Count = 1) -> dict[str, Number]:
    """Return the rate of the links between processors, or to the chipset.

    Parameters
    ----------
    link
        Kind and speed: front-side bus (fsb, MT/s, both ways together), HyperTransport (ht, GT/s), QPI, UPI, Infinity
        Fabric between sockets (fabric), or DMI by generation.
    links
        Links side by side.

    Returns
    -------
    dict
        ``throughput_bps``, data each way, and ``raw_bps``. [bit/s]

    Examples
    --------
    Two QPI links of 6.4 GT/s:

    >>> interconnect("qpi-6.4", links=2)["throughput_bps"] / 8e9
    22.76
    """
    (number,) = arrays(links=links)
    require_whole(1, links=number)
    raw = number * raw_bps(link)
    share = {"fsb": 1.0, "dmi": _TLP_SHARE}.get(link.partition("-")[0], LINE_SHARE)
    return {"throughput_bps": given(raw * share), "raw_bps": given(raw)}
