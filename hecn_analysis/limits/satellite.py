r"""Round trips over satellites: the time that the distance alone takes, four slant ranges from ground to satellite.

References
----------
.. [1] RFC 2488, "Enhancing TCP Over Satellite Channels using Standard Mechanisms", 1999, 2.
"""

from typing import Final

import numpy as np

from hecn_analysis.limits._checks import Number, Time, arrays, given, require_between, require_positive, require_whole

EARTH_RADIUS_M: Final = 6_378_137.0
"""At the equator (WGS 84). [m]"""
LIGHT_M_S: Final = 299_792_458.0
GEOSTATIONARY_M: Final = 35_786_000.0
"""Altitude of a geostationary satellite. [m]"""


def slant_range_m(altitude_m: Number, elevation_deg: Number = 90.0) -> Number:
    r"""Distance from the ground to a satellite [m].

    .. math:: d = \sqrt{R^2 \sin^2 \epsilon + 2 R h + h^2} - R \sin \epsilon

    Parameters
    ----------
    altitude_m, elevation_deg
        Altitude h [m], and angle :math:`\epsilon` of the satellite above the horizon [degrees].

    Returns
    -------
    float or array [m]

    Examples
    --------
    >>> slant_range_m(GEOSTATIONARY_M) / 1e3, slant_range_m(GEOSTATIONARY_M, 0.0) / 1e3
    (35786.0, 41678.9)
    """
    require_positive(altitude_m=altitude_m)
    require_between(0, 90, elevation_deg=elevation_deg)
    height, elevation = arrays(altitude_m=altitude_m, elevation_deg=elevation_deg)
    across = EARTH_RADIUS_M * np.sin(np.radians(elevation))
    return given(np.sqrt(across**2 + 2 * EARTH_RADIUS_M * height + height**2) - across)


def round_trip_s(altitude_m: Number, *, elevation_deg: Number = 90.0, hops: int = 1, ground: Time = 0.0) -> Number:
    r"""Round-trip time over satellites by the speed of light, without queues and processing [s].

    .. math:: T = \frac{4 n d}{c} + T_{ground}

    Parameters
    ----------
    altitude_m, elevation_deg
        Altitude [m] and angle above the horizon [degrees] of each satellite, seen from either ground station.
    hops, ground
        Satellites n in a row, with ground stations between them; round trip of the part on the ground [s].

    Returns
    -------
    float or array [s]

    Examples
    --------
    One way, at the horizon; RFC 2488, 2, has 279.0 ms, with rounded distances:

    >>> round_trip_s(GEOSTATIONARY_M, elevation_deg=0.0) / 2 * 1e3
    278.1
    """
    require_whole(1, hops=hops)
    (more,) = arrays(ground=ground)
    return given(4 * hops * np.asarray(slant_range_m(altitude_m, elevation_deg)) / LIGHT_M_S + more)
