"""The model's own error: the deviation of measured rates from a prediction with correct parameters.

Its size depends on the regime: what limits the transfer, and how well that is known. Data in
``models/discrepancies.yaml``: 90 % ranges of the logarithm of measured over predicted, below and above a bias. The
shape is a Student distribution with a separate side in each direction. Two results that differ in one change share a
part of their errors (``common``), so the ratio of their predictions has an error of its own.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from scipy import stats

from hecn_analysis.base import places
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction.draws import DRAWS, FloatArray, order
from hecn_analysis.prediction.unstated import LONG_S, is_documented, is_ideal

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Path, Scenario

#: All regimes. ``stated``: every property of the path is given, as in a laboratory; ``path stated``: all but its queue,
#: and the buffers of the hosts; ``documented``: a shipped path.
REGIMES: Final = (
    "stated",
    "path stated",
    "documented",
    "lan",
    "wan",
    "window",
    "loss",
    "core measured",
    "core",
    "core within a machine",
    "disk measured",
    "disk",
    "array",
    "slot",
    "tool",
)

_DISKS: Final = frozenset({"disk", "raid", "filesystem"})


class Discrepancy(BaseModel):
    """Error of one regime, in logarithms of measured over predicted.

    ``bias`` is the median; ``below`` and ``above`` are the distances from it to the 5 % and the 95 % point. ``tail`` is
    the degrees of freedom of the Student distribution; ``rows`` and ``setups`` count measurements and their sources.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bias: float = 0.0
    below: Annotated[float, Field(ge=0)]
    above: Annotated[float, Field(ge=0)]
    tail: Annotated[float, Field(gt=0)]
    rows: Annotated[int, Field(ge=0)]
    setups: Annotated[int, Field(ge=0)]
    source: Annotated[str, Field(min_length=1)]

    def quantile(self, share: FloatArray) -> FloatArray:
        """Logarithm of measured over predicted.

        Parameters
        ----------
        share
            Share of probability below it. [1]

        Returns
        -------
        array
            The logarithm [1].

        Examples
        --------
        >>> error = Discrepancy(below=0.2, above=0.1, tail=3, rows=10, setups=4, source="example")
        >>> error.quantile(np.array([0.05, 0.95])).round(2).tolist()
        [-0.2, 0.1]
        """
        t = stats.t.ppf(share, self.tail) / stats.t.ppf(0.95, self.tail)
        t = np.where(np.abs(np.asarray(share) - 0.5) < 1 / DRAWS, 0.0, t)  # the median of the draws is the bias itself
        return np.asarray(self.bias + np.where(t < 0, self.below, self.above) * t)


def factors(count: int, *, changed: bool = False) -> FloatArray:
    """Measured over predicted rate of each regime in each draw.

    Parameters
    ----------
    count, changed
        Number of draws; whether for an altered system, whose error is in part that before the change.

    Returns
    -------
    array
        Shape (regimes, `count`).

    Examples
    --------
    >>> factors(5).shape == (len(REGIMES), 5)
    True
    """
    return np.stack([_factors(name, changed)[:count] for name in REGIMES])


def shares(name: str, common: float = 1.0) -> FloatArray:
    """Share of probability of a regime's error in each draw, where `common` of its variance is that before a change."""
    before = stats.norm.ppf((order(f"discrepancy of {name}") + 0.5) / DRAWS)
    own = stats.norm.ppf((order(f"discrepancy of {name}, changed") + 0.5) / DRAWS)
    mixed = np.sqrt(common) * before + np.sqrt(1 - common) * own
    return np.asarray((stats.rankdata(mixed) - 0.5) / DRAWS)


@cache
def common() -> float:
    """Share of the variance of the error that results before and after a change have in common [1]."""
    return float(yaml_file.load(places.models_dir() / "discrepancies.yaml").values["common"])


def biases() -> FloatArray:
    """Median of measured over predicted rate of each regime.

    Returns
    -------
    array
        In the order of `REGIMES`.

    Examples
    --------
    >>> float(biases()[REGIMES.index("stated")])
    1.0
    """
    return np.exp([discrepancies()[name].bias for name in REGIMES])


@cache
def discrepancies() -> dict[str, Discrepancy]:
    """Error of each regime, by name.

    Returns
    -------
    dict
        `Discrepancy` of each of `REGIMES`; its ranges are logarithms of measured over predicted [1].

    Examples
    --------
    >>> discrepancies()["stated"].bias
    0.0
    """
    document = yaml_file.load(places.models_dir() / "discrepancies.yaml")

    def read(name: str) -> Discrepancy:
        return yaml_file.validate(
            Discrepancy, document.values[name], lambda _: (document.source, document.line((name,)))
        )

    return {name: read(name) for name in REGIMES}


@cache
def _factors(name: str, changed: bool) -> FloatArray:
    return np.exp(discrepancies()[name].quantile(shares(name, common() if changed else 1.0)))


def of_resource(scenario: Scenario, resource: str) -> int:
    """Number of the regime of a transfer that is limited by a resource.

    Parameters
    ----------
    scenario, resource
        The transfer, and the name of the resource: ``receiver.cpu.core1``.

    Returns
    -------
    int
        Its place in `REGIMES`.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> REGIMES[of_resource(load_scenario("c-two-copies"), "sender.slot.nic1")]
    'documented'
    """
    role, kind, part = (*resource.split("."), "")[:3]
    host = getattr(scenario, role, None) if role in {"sender", "receiver"} else None
    known = host is not None and is_documented(scenario, role) and not is_ideal(scenario, role)
    if kind in {"link", "pep", "switch"}:
        name = of_path(scenario)
    elif kind == "cpu":
        name = _of_core(scenario, host, known=known)
    elif kind in _DISKS:
        name_of_rate = "read_rate" if role == "sender" else "write_rate"
        stated = getattr(host, name_of_rate, None)
        rate = isinstance(stated, Parameter) and stated.basis != "assumed"  # by the user or a prior
        name = "disk measured" if known or rate else "array" if kind == "raid" else "disk"
    else:
        is_set = kind == "tool" and part.startswith("pace")  # a setting does not model the work of the program
        name = "stated" if is_set else "tool" if kind == "tool" else "documented" if known else "slot"
    return REGIMES.index(name)


def _of_core(scenario: Scenario, host: Host | None, *, known: bool) -> str:
    """Regime of a transfer that a core limits; a tool measured within this machine has only its own scatter."""
    if not scenario.path.same_host:
        return "core measured" if known else "core"
    cpu = None if host is None else host.cpu
    return "stated" if cpu is not None and scenario.tool.name in cpu.tools else "core within a machine"


def of_path(scenario: Scenario, *, held_by: str = "") -> str:
    """Regime of a transfer that is limited by its path: by the line, or what TCP makes of it.

    Parameters
    ----------
    scenario, held_by
        The transfer; ``window`` or ``loss`` if that holds it below the line rate.

    Returns
    -------
    str
        One of `REGIMES`.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> of_path(load_scenario("c-two-copies")), of_path(load_scenario("c-two-copies"), held_by="loss")
    ('documented', 'loss')
    """
    path = scenario.path
    if path.same_host or is_stated(scenario):
        return "stated"
    if is_documented(scenario, "path") and held_by != "loss":
        return "documented"
    if held_by != "loss" and _is_known(scenario):
        return "path stated"
    return held_by or ("wan" if np.max(path.rtt.value) >= LONG_S else "lan")


def is_stated(scenario: Scenario) -> bool:
    """Whether the description gives every property of the path that matters, as that of a laboratory does."""
    return _states(scenario.path, "rate", "rtt", "loss", "queue")


def _states(described: Host | Path, *names: str) -> bool:
    """Whether a description gives all of some fields, and none of them is drawn."""
    return set(names) <= described.model_fields_set and not any(
        hasattr(getattr(described, name), "quantiles") for name in names
    )


def _is_known(scenario: Scenario) -> bool:
    """Whether the path, except for its queue, and the buffers at both ends are stated."""
    asked = np.all(scenario.tool.window.value > 0)
    buffers = ("rmem_max", "wmem_max") if asked else ("tcp_rmem_max", "tcp_wmem_max")
    ends = zip(("receiver", "sender"), (scenario.receiver, scenario.sender), buffers, strict=True)
    return _states(scenario.path, "rate", "rtt", "loss") and all(
        is_ideal(scenario, role) or (host is not None and _states(host, buffer)) for role, host, buffer in ends
    )
