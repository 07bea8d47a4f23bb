"""Round trips between places that a source names, where it states none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np

#: Keys of a configuration that say where the ends are.
WHERE: Final = (
    "description",
    "path",
    "link",
    "sender",
    "receiver",
    "client",
    "server",
    "hosts",
    "from",
    "to",
    "source",
    "destination",
    "src",
    "dst",
    "route",
    "between",
    "endpoints",
    "sites",
)

#: Round trip over twice the distance in fibre at 200 km/ms.
_DETOUR: Final = {
    "spread": "45 %",
    "basis": "assumed",
    "source": "1.6 times the distance between the places that are named, at the speed of light in fibre: 1.3 through "
    "submarine cables, 2.1 in the median within the USA (Bozkurt et al., Dissecting Latency in the Internet's Fiber "
    "Infrastructure)",
}
_FACTOR: Final = 1.6
_KM_PER_S: Final = 200e3
_EARTH_KM: Final = 6371.0

#: Places nearer than this are one campus or town. [km]
_LEAST_KM: Final = 60.0


def round_trip(config: Mapping[str, Any], places: Mapping[str, tuple[float, float]]) -> dict[str, Any] | None:
    """Round-trip time between the two places furthest apart, in the form of a scenario's key; None without two."""
    text = "; ".join(str(config[key]) for key in WHERE if key in config)
    text = re.sub(r"\bvia [A-Z][\w ]{0,20}", "", text)
    named = [at for name, at in places.items() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w])", text)]
    furthest = max((_km(one, other) for one, other in combinations(named, 2)), default=0.0)
    return {"value": _FACTOR * 2 * furthest / _KM_PER_S, **_DETOUR} if furthest > _LEAST_KM else None


def _km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Distance along a great circle (haversine formula) between latitudes and longitudes in degrees."""
    (lat, lon), (to_lat, to_lon) = np.radians(one), np.radians(other)
    chord = np.sin((to_lat - lat) / 2) ** 2 + np.cos(lat) * np.cos(to_lat) * np.sin((to_lon - lon) / 2) ** 2
    return float(2 * _EARTH_KM * np.arcsin(np.sqrt(chord)))
