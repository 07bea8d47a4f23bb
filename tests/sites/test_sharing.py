"""Shares kept up to date, change by change, are those of the whole system solved at once."""

import numpy as np
import pytest

from hecn_analysis.prediction.solve import Uses, weighted_max_min
from hecn_analysis.sites.sharing import OWN, Column, Sharing


def solved_at_once(groups, resources):
    sizes = np.array([len(column.resource) for column, _, _ in groups])
    counts = np.repeat([count for *_, count in groups], sizes)
    uses = Uses(
        np.cumsum(sizes) - sizes,
        np.concatenate([column.resource for column, _, _ in groups]),
        np.concatenate([column.seconds for column, _, _ in groups]) * counts,
        np.concatenate([column.weight for column, _, _ in groups]),
    )
    return weighted_max_min(uses, np.array([most for _, most, _ in groups]), np.ones(resources))[0]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.slow
def test_after_each_of_many_changes(seed):
    random = np.random.default_rng(seed)
    resources = int(random.integers(2, 12))
    columns = {}
    for key in range(25):
        used = random.choice(resources, random.integers(1, min(5, resources) + 1), replace=False)
        weight = np.full(used.size, random.integers(1, 4) if seed % 2 else 1.0)
        most = float(random.uniform(0.02, 0.3)) if random.random() < 0.3 else np.inf
        columns[key] = (Column(used, random.uniform(0.2, 2.0, used.size), weight), most)
    sharing, counts = Sharing(), dict.fromkeys(columns, 0)
    for _ in range(300):
        for key in random.choice(25, random.integers(1, 4), replace=False).tolist():
            if counts[key] and random.random() < 0.5:
                sharing.take(key)
                counts[key] -= 1
            else:
                sharing.put(key, *columns[key])
                counts[key] += 1
        sharing.settle()
        here = [(*columns[key], counts[key]) for key in sharing.groups]
        assert set(sharing.groups) == {key for key, count in counts.items() if count}
        if not here:
            continue
        rates = [group.rate for group in sharing.groups.values()]
        assert rates == pytest.approx(solved_at_once(here, resources), rel=1e-6)
        load = np.zeros(resources)
        for (column, _, count), rate in zip(here, rates, strict=True):
            load[column.resource] += count * rate * column.seconds
        assert sharing.load == pytest.approx(load[: sharing.load.size], abs=1e-9)


def test_what_a_change_does_not_reach_is_not_solved():
    """Two pairs apart: the second keeps its rate, and only the first is solved anew."""
    sharing = Sharing()
    for key, resource in (("a", 0), ("b", 0), ("c", 1)):
        sharing.put(key, Column(np.array([resource]), np.ones(1), np.ones(1)), np.inf)
    assert sorted(sharing.settle()) == ["a", "b", "c"]
    sharing.take("a")
    assert sharing.settle() == ["b"]
    assert {key: (group.rate, group.limit) for key, group in sharing.groups.items()} == {"b": (1.0, 0), "c": (1.0, 1)}
    sharing.put("d", Column(np.array([1]), np.ones(1), np.ones(1)), 0.25)
    assert sorted(sharing.settle()) == ["c", "d"]
    assert (sharing.groups["c"].rate, sharing.groups["d"].limit) == (0.75, OWN)
