"""Several transfers at once over shared hosts, links and storage: a fluid model over time.

`predict` and `load_scenario` take a scenario of one transfer as well as a site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Scenario, Site
from hecn_analysis.hardware.host_words import with_host
from hecn_analysis.hardware.scenario import load_scenario as load_one
from hecn_analysis.hardware.site_file import changed, site_of
from hecn_analysis.prediction.model import THOROUGH, Effort
from hecn_analysis.prediction.single import predict as predict_one
from hecn_analysis.sites.prediction import predict_site
from hecn_analysis.sites.result import ResourceUse, SitePrediction, TransferPrediction

if TYPE_CHECKING:
    from pathlib import Path

    from hecn_analysis.prediction import Prediction

__all__ = ["ResourceUse", "SitePrediction", "TransferPrediction", "load_scenario", "predict", "predict_site"]


@overload
def load_scenario(
    scenario: Scenario, settings: Mapping[str, Any] | None = None, *, host: str | None = None
) -> Scenario: ...
@overload
def load_scenario(scenario: Site, settings: Mapping[str, Any] | None = None) -> Site: ...
@overload
def load_scenario(  # what a file holds, its reader knows
    scenario: str | Path | Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    host: str | None = None,
) -> Scenario | Any: ...  # noqa: ANN401
def load_scenario(
    scenario: str | Path | Mapping[str, Any] | Scenario | Site | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    host: str | None = None,
) -> Scenario | Site:
    """Scenario or site from a YAML file, a name in ``models/scenarios`` or ``models/sites``, or a mapping of keys.

    Parameters
    ----------
    scenario, settings
        File, name or mapping, and keys that override it.
    host
        Each host that the mapping does not name, in words: see `hecn_analysis.hardware.host_words.host_words`. What is
        assumed beside it is in ``warnings``.

    Returns
    -------
    Scenario or Site
        The validated hosts, paths and tools: a `Site` if there are several transfers. Numbers are in SI: bit/s, bytes,
        seconds, fractions.

    Raises
    ------
    InputError
        Unknown key or name (the message suggests the nearest), or impossible value; with file and line if known.

    Examples
    --------
    >>> load_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rtt": "80ms"}).path.rtt.value
    0.08
    """
    if host is not None:
        return _with_host(scenario, settings or {}, host)
    if scenario is None:
        raise InputError("no scenario", "a file, a name or keys, or a host in words: host='nic=100g slot=gen3x8'")
    if isinstance(scenario, Site):
        return changed(scenario, settings) if settings else scenario
    site = None if isinstance(scenario, Scenario) else site_of(scenario, settings)
    return load_one(scenario, settings) if site is None else site


def _with_host(
    scenario: str | Path | Mapping[str, Any] | Scenario | Site | None, settings: Mapping[str, Any], host: str
) -> Scenario | Site:
    """Scenario with a host in words."""
    if scenario is None or isinstance(scenario, Mapping):
        keys, remarks = with_host(host, scenario or {}, settings)
        loaded = load_scenario(keys, settings)
    else:
        keys, remarks = with_host(host, {}, settings, has_scenario=True)
        loaded = load_scenario(scenario, {**keys, **settings})
    return loaded if isinstance(loaded, Site) else replace(loaded, warnings=(*remarks, *loaded.warnings))


@overload
def predict(
    scenario: Scenario,
    settings: Mapping[str, Any] | None = None,
    *,
    host: str | None = None,
    effort: Effort = ...,
) -> Prediction: ...
@overload
def predict(scenario: Site, settings: Mapping[str, Any] | None = None, *, effort: Effort = ...) -> SitePrediction: ...
@overload
def predict(  # what a file holds, its reader knows
    scenario: str | Path | Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    host: str | None = None,
    effort: Effort = ...,
) -> Prediction | Any: ...  # noqa: ANN401
def predict(
    scenario: str | Path | Mapping[str, Any] | Scenario | Site | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    host: str | None = None,
    effort: Effort = THOROUGH,
) -> Prediction | SitePrediction:
    """Predict the throughput of a scenario, or of all transfers of a site, with intervals and limits.

    Parameters
    ----------
    scenario
        YAML file, name in ``models/scenarios`` or ``models/sites``, mapping of keys, or what `load_scenario` returned.
    settings
        Keys that replace those of the scenario, e.g. ``{"path.rtt": "80 ms"}``.
    host
        Both hosts in words, as with ``hecn predict --host``: ``"nic=100g slot=gen3x8 disks=8x990pro"``.
    effort
        How much work to spend on a scenario; `GLANCE` gives a quick preview.

    Returns
    -------
    Prediction or SitePrediction
        ``throughput_bps`` with its interval ``low_bps`` to ``high_bps`` [bit/s], ``bottleneck``, and the ladder of
        limits or the ``transfers`` and ``resources`` of a site.

    Raises
    ------
    InputError
        The scenario is invalid: unknown key or name, impossible value.

    Examples
    --------
    >>> result = predict({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"})
    >>> round(result.throughput_bps / 1e6, 2), result.bottleneck
    (941.48, 'path.link')
    >>> predict({"path.rate": "1 Gb/s"}, host="nic=100g slot=gen3x8").bottleneck
    'path.link'
    """
    loaded = load_scenario(scenario, settings) if host is None else _with_host(scenario, settings or {}, host)
    return predict_site(loaded) if isinstance(loaded, Site) else predict_one(loaded, effort=effort)
