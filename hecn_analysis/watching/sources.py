"""What is watched: folders, and sources over HTTP, which their addresses tell apart."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from hecn_analysis.base.errors import InputError
from hecn_analysis.watching.perfsonar import Esmond, OpenSearch
from hecn_analysis.watching.ports import Flux, Influx, Prometheus
from hecn_analysis.watching.remote import Source
from hecn_analysis.watching.web import address_of


def source_of(text: str, *, logins: Path | None = None) -> Source:
    """Return the source at an address; InputError if it is of no known kind.

    >>> source_of("https://ps.example.net/esmond/perfsonar/archive/").name
    'https://ps.example.net/esmond/perfsonar/archive/'
    """
    address = address_of(text, logins=logins)
    path = urlsplit(address.url).path
    if "/esmond/" in path:
        return Esmond(address)
    if path.endswith("/_search") or "/opensearch" in path:
        return OpenSearch(address)
    if path.endswith("/api/v2/query"):
        return Flux(address)
    if "/api/v1" in path:
        return Prometheus(address)
    if path.endswith("/query"):
        return Influx(address)
    raise InputError(
        f"the address {address.name!r}",
        "one with /esmond/perfsonar/archive/ (perfSONAR), /opensearch/ or …/_search (OpenSearch), /api/v1/query_range "
        "(Prometheus), /query?db=… (InfluxDB 1), /api/v2/query?org=…&bucket=… (InfluxDB 2), or snmp://HOST",
    )
