r"""Bundles of links: the rate of k flows over n links when a hash places each flow on one of them (LAG, ECMP, bonding).

A hash of addresses and ports places a flow effectively at random, and all its packets go that way. So a bundle carries
its full rate only if flows happen to use every link; a single flow never gets more than one link. In turn (Linux
``balance-rr``), packets of one flow use all links and arrive out of order, which costs TCP some of the rate
(:func:`round_robin_bps`); a tool that opens one stream per path ("application bonding") places them itself.

References
----------
.. [1] IEEE 802.1AX-2020 (link aggregation), RFC 2992 (equal-cost multipath): flows keep their link. Linux,
   Documentation/networking/bonding.rst: in all modes but balance-rr a connection uses one link.
.. [2] W. Feller, "An Introduction to Probability Theory and Its Applications", volume 1, chapters II.5 and IV.2: balls
   in cells, empty cells.
.. [3] J. P. Gary, "Introduction to NASA HEC WAN File Accessing Experiments/Demonstrations at SC10", 2010, pages 62 and
   63: 31.6 Gb/s over four 10-Gigabit links turn by turn, 39.1 to 39.6 Gb/s with a stream placed on each.
"""

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import (
    Count,
    FloatArray,
    Fraction,
    Number,
    Rate,
    arrays,
    given,
    refuse,
    require_between,
    require_positive,
    require_whole,
    require_word,
)

Placement = Literal["hash", "placed", "turns"]
MOST_FLOWS, MOST_LINKS = 1024.0, 256.0
_CERTAIN: Final = 1e-12  # what is left out beyond the busiest link that is likely
DRAWS: Final = 20_000
"""Draws for flows that are not alike; the standard error of a probability is below 0.4 %."""


def links_used(links: Count, flows: Count) -> Number:
    r"""Return the mean number of links of a bundle that have a flow.

    .. math:: E = n \left(1 - \left(1 - \frac{1}{n}\right)^k\right)

    Exact for a hash that spreads evenly; few hosts with similar addresses spread worse. Source: [2]_ of the module.

    Parameters
    ----------
    links, flows
        Links n of the bundle, and flows k, each hashed onto one link.

    Returns
    -------
    float or array
        Links with at least one flow.

    Examples
    --------
    >>> links_used(4, 4)
    2.734
    """
    n, k = _counts(links, flows)
    return given(n * (1 - (1 - 1 / n) ** k))


def used_probabilities(links: int, flows: int) -> FloatArray:
    r"""Return the probability that exactly m links have a flow, for m = 0 to n.

    .. math:: p_{j+1}(m) = p_j(m)\, \frac{m}{n} + p_j(m - 1)\, \frac{n - m + 1}{n}

    Exact. Source: [2]_ of the module.

    Parameters
    ----------
    links, flows
        n and k, as for :func:`links_used`.

    Returns
    -------
    array
        n + 1 probabilities.

    Examples
    --------
    Four flows on four links: all links are used in 9 of 100 cases only.

    >>> [round(float(probability), 4) for probability in used_probabilities(4, 4)]
    [0.0, 0.0156, 0.3281, 0.5625, 0.0938]
    """
    _counts(links, flows)
    used = np.arange(links + 1, dtype=np.float64)
    probabilities: FloatArray = (used == 0).astype(np.float64)
    for _ in range(flows):
        new = np.concatenate(([0.0], probabilities[:-1])) * (links - used + 1) / links
        probabilities = probabilities * used / links + new
    return probabilities


def busiest_probabilities(links: int, flows: int) -> FloatArray:
    r"""Return the probability that the busiest link has exactly m flows, for m = 0 to k.

    .. math:: P(\max \le m) = \frac{k!}{n^k}\, [z^k] \left(\sum_{x=0}^{m} \frac{z^x}{x!}\right)^n

    Exact, by convolution of Poisson weights. The busiest link ends last if all flows move the same amount. Source: [2]_
    of the module.

    Parameters
    ----------
    links, flows
        n and k, as for :func:`links_used`.

    Returns
    -------
    array
        k + 1 probabilities.

    Examples
    --------
    >>> [round(float(probability), 4) for probability in busiest_probabilities(4, 4)]
    [0.0, 0.0938, 0.7031, 0.1875, 0.0156]
    """
    _counts(links, flows)
    count = np.arange(flows + 1)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, flows + 1)))))
    mean = flows / links
    weights = np.exp(count * np.log(mean) - mean - log_factorial)
    total = np.exp(flows * np.log(flows) - flows - log_factorial[flows])  # the sum of n such is Poisson of mean k
    at_most = np.zeros(flows + 1)
    for most in range(-(-flows // links), flows + 1):
        one_link = weights[: most + 1]
        many, power, left = np.ones(1), one_link, links
        while left:  # the n-th power by squaring
            if left % 2:
                many = np.convolve(many, power)[: flows + 1]
            power, left = np.convolve(power, power)[: flows + 1], left // 2
        at_most[most] = many[flows] / total
        if at_most[most] > 1 - _CERTAIN:
            at_most[most:] = 1.0
            break
    return np.diff(at_most, prepend=0.0)


def shared_bps(links: int, link_rate: float, flow_rates: FloatArray, draws: int = DRAWS, seed: int = 0) -> FloatArray:
    r"""Return draws of the rate that unequal flows get together out of a bundle.

    .. math:: B = \sum_{i=1}^{n} \min\left(R, \sum_{f \text{ on } i} r_f\right)

    Valid for long flows: a flow that leaves room on a shared link is not slowed. Source: [1]_, [2]_ of the module.

    Parameters
    ----------
    links, link_rate
        Links n of the bundle, and the rate R of one. [1, bit/s]
    flow_rates
        Rate r of each flow alone. [bit/s]
    draws, seed
        Number of draws of a link for every flow, and seed of the random numbers.

    Returns
    -------
    array
        A rate for each draw. [bit/s]

    Examples
    --------
    Two flows of 6 Gb/s on two links of 10 Gb/s meet on one link in half of the cases:

    >>> round(float(shared_bps(2, 10e9, np.array([6e9, 6e9])).mean()) / 1e9, 1)
    11.0
    """
    (rates,) = arrays(flow_rates=flow_rates)
    _counts(links, rates.size)
    require_positive(link_rate=link_rate, flow_rates=rates)
    place = np.random.default_rng(seed).integers(links, size=(draws, rates.size))
    load = np.zeros((draws, links))
    for flow, rate in enumerate(rates.ravel()):
        load[np.arange(draws), place[:, flow]] += rate
    return np.asarray(np.minimum(load, link_rate).sum(axis=1))


def round_robin_bps(links: Count, link_rate: Rate, usable: Fraction = 0.8) -> Number:
    r"""Return the rate of one connection whose packets take the links in turn.

    .. math:: B = \eta\, n R

    A calibration: 31.6 of 39.6 Gb/s over four links back to back; unequal delays of the links make it less. Source:
    [3]_ of the module.

    Parameters
    ----------
    links, link_rate
        n and R, as for :func:`shared_bps`. [1, bit/s]
    usable
        Part that is left when packets arrive out of order: 0.8 is the documents' one measurement. [1]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> round_robin_bps(4, 9.9e9) / 1e9
    31.68
    """
    n, rate, usable = arrays(links=links, link_rate=link_rate, usable=usable)
    require_whole(1, links=n)
    require_positive(link_rate=rate)
    require_between(0, 1, usable=usable)
    return given(n * rate * usable)


def _counts(links: Count, flows: Count) -> tuple[FloatArray, FloatArray]:
    n, k = arrays(links=links, flows=flows)
    require_whole(1, links=n, flows=k)
    refuse("links", n, n > MOST_LINKS, f"{MOST_LINKS:.0f} or fewer")
    refuse("flows", k, k > MOST_FLOWS, f"{MOST_FLOWS:.0f} or fewer; as many flows fill every link")
    return n, k


def _quantile(values: npt.NDArray[np.floating], probabilities: npt.NDArray[np.floating], fraction: float) -> float:
    """Return the smallest value whose cumulative probability is at least `fraction`."""
    order = np.argsort(values)
    reached = int(np.searchsorted(np.cumsum(probabilities[order]), fraction - 1e-12))
    return float(values[order][min(reached, values.size - 1)])


def _one(n: float, k: float, rate: float, flow_rate: float, *, placement: Placement) -> tuple[float, ...]:
    """Return mean, 5 %, 50 % and 95 % points of the rate, links used, and the rate to the end of equal amounts."""
    if np.isnan([n, k, rate, flow_rate]).any():
        return (np.nan,) * 6
    links, flows = int(n), int(k)
    if placement == "turns":
        together = min(float(np.asarray(round_robin_bps(n, rate))), flows * flow_rate)
        return together, together, together, together, n, together
    if placement == "placed":
        used = min(links, flows)
        most = -(-flows // links)
        base, extra = divmod(flows, links)
        together = (links - extra) * min(rate, base * flow_rate) + extra * min(rate, (base + 1) * flow_rate)
        return together, together, together, together, float(used), flows * min(rate / most, flow_rate)
    used_probability, counts = used_probabilities(links, flows), np.arange(links + 1)
    if flow_rate >= rate:  # a flow fills its link: the rate follows from the number of links used
        values, weights = counts * rate, used_probability
        mean = float(values @ weights)
    else:
        loads = np.random.default_rng(0).multinomial(flows, np.full(links, 1 / links), size=DRAWS)
        values = np.minimum(loads * flow_rate, rate).sum(axis=1)
        weights = np.full(values.size, 1 / values.size)
        mean = _mean_capped(links, flows, rate, flow_rate)
    busiest = busiest_probabilities(links, flows)[1:]
    ends = flows * np.minimum(rate / np.arange(1, flows + 1), flow_rate)
    points = [_quantile(values, weights, fraction) for fraction in (0.05, 0.5, 0.95)]
    return mean, *points, float(counts @ used_probability), float(ends @ busiest)


def _mean_capped(links: int, flows: int, rate: float, flow_rate: float) -> float:
    """Return n E[min(R, X r)], X binomial of k and 1/n: exact, since links are alike."""
    if links == 1:
        return min(rate, flows * flow_rate)
    count = np.arange(flows + 1)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, flows + 1)))))
    log_weights = log_factorial[flows] - log_factorial - log_factorial[::-1]
    weights = np.exp(log_weights - count * np.log(links) + (flows - count) * np.log1p(-1 / links))
    mean = links * (np.minimum(rate, count * flow_rate) @ weights)
    return float(min(mean, links * rate, flows * flow_rate))  # rounding aside


def lag(
    links: Count,
    link_rate: Rate,
    flows: Count,
    *,
    flow_rate: Rate | None = None,
    placement: Placement = "hash",
) -> dict[str, Number]:
    """Return the throughput of a number of flows over a bundle of links (LAG, ECMP, bonding).

    Parameters
    ----------
    links
        Links of the bundle.
    link_rate
        Rate of one link. [bit/s]
    flows
        Flows, each on one link.
    flow_rate
        Highest rate of a single flow; without it, a link's rate, or unlimited where packets take links in turn.
        [bit/s]
    placement
        ``hash``: a flow's link is effectively random; ``placed``: flows are spread evenly, one per path in turn;
        ``turns``: each flow's packets take all links in turn (balance-rr), which costs a fifth.

    Returns
    -------
    dict
        ``throughput_bps``: the mean over all ways that the hash can fall; ``low_bps``, ``median_bps``, ``high_bps``:
        its 5 %, 50 % and 95 % points; ``finish_bps``: the mean rate until the last flow ends when all move the same
        amount [bit/s]; ``links_used``: mean number of links with a flow.

    Raises
    ------
    RangeError
        An impossible value, or more than 256 links or 1024 flows.

    Examples
    --------
    >>> figures = lag(links=4, link_rate=10e9, flows=4)
    >>> figures["throughput_bps"] / 1e9, figures["low_bps"] / 1e9, figures["finish_bps"] / 1e9
    (27.34, 20.0, 20.47)
    """
    require_word(("hash", "placed", "turns"), placement=placement)
    n, k = _counts(links, flows)
    (rate,) = arrays(link_rate=link_rate)
    require_positive(link_rate=rate)
    if flow_rate is None:
        flow_bps = rate if placement != "turns" else np.asarray(np.inf)
    else:
        (flow_bps,) = arrays(flow_rate=flow_rate)
        require_positive(flow_rate=flow_bps)
    try:
        cells = np.broadcast(n, k, rate, flow_bps)
    except ValueError:
        raise RangeError("found arrays of different shapes, expected shapes that broadcast") from None
    rows = np.array([_one(*cell, placement=placement) for cell in cells]).reshape((*cells.shape, 6))
    names = ("throughput_bps", "low_bps", "median_bps", "high_bps", "links_used", "finish_bps")
    return {name: given(rows[..., column]) for column, name in enumerate(names)}
