"""Max-min fairness: hand-made cases, and what defines the allocation, on random systems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose

from hecn_analysis.prediction.solve import Uses, max_min, max_min_throughput, weighted_max_min

demands = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 5)),
    elements=st.one_of(st.just(0.0), st.floats(0.01, 100)),
)


def test_equal_flows_share_a_link_equally():
    throughput, bottleneck = max_min(np.full((1, 4, 1), 0.1))
    assert_allclose(throughput, [[2.5] * 4])
    assert (bottleneck == 0).all()


def test_a_flow_held_back_elsewhere_leaves_its_share_to_others():
    throughput, bottleneck = max_min(np.array([[[0.1, 0.0], [0.1, 0.5]]]))
    assert_allclose(throughput, [[8.0, 2.0]])
    assert bottleneck.tolist() == [[0, 1]]


def test_a_flow_without_demands_has_no_limit():
    throughput, bottleneck = max_min(np.array([[[0.0], [0.5]]]))
    assert throughput.tolist() == [[np.inf, 2.0]]
    assert bottleneck.tolist() == [[-1, 0]]


def test_no_resources_no_limit():
    throughput, _ = max_min(np.zeros((2, 3, 0)))
    assert np.isinf(throughput).all()


@given(demands)
def test_no_resource_is_more_than_full(demand):
    throughput, _ = max_min(demand)
    busy = (demand * np.where(np.isfinite(throughput), throughput, 0.0)[:, :, None]).sum(axis=1)
    assert (busy <= 1 + 1e-6).all()


@given(demands)
def test_every_flow_has_a_full_resource_on_which_no_flow_is_faster(demand):
    throughput, bottleneck = max_min(demand)
    for system, flow in np.argwhere(bottleneck >= 0):
        resource = bottleneck[system, flow]
        using = demand[system, :, resource] > 0
        assert_allclose((demand[system, using, resource] * throughput[system, using]).sum(), 1, rtol=1e-6)
        assert (throughput[system, using] <= throughput[system, flow] * (1 + 1e-6)).all()


@given(demands)
def test_systems_do_not_touch_each_other(demand):
    together, _ = max_min(demand)
    alone = [max_min(demand[number : number + 1])[0][0] for number in range(len(demand))]
    assert_allclose(together, alone, rtol=1e-9)


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**31))
def test_resource_by_resource_is_the_same(flows, resources, seed):
    random = np.random.default_rng(seed)
    shapes = [(4,), (3, 1), (3, 4), (1,)]
    demand = []
    for _ in range(resources):
        shape = shapes[random.integers(4)]
        alike = random.random() < 0.5
        column = random.exponential(size=shape)
        used = np.flatnonzero(random.random(flows) < 0.7)
        own = {int(flow): column if alike else random.exponential(size=shape) for flow in used}
        demand.append({flow: values * (random.random(shape) < 0.9) for flow, values in own.items()} or {0: column})
    table = np.zeros((3, 4, flows, resources))
    for number, by_flow in enumerate(demand):
        for flow, values in by_flow.items():
            table[..., flow, number] = values
    expected, _ = max_min(table.reshape(12, flows, resources))
    found = max_min_throughput(demand, flows, (3, 4))
    assert_allclose(found.reshape(12, flows), expected, rtol=1e-9)


def sparse(demand, weight=None):
    """Demands and weights of flows on resources as a sparse matrix."""
    flow, resource = np.nonzero(demand)
    weights = np.ones_like(demand) if weight is None else np.broadcast_to(weight, demand.shape)
    first = np.searchsorted(flow, np.arange(len(demand)))
    return Uses(first, resource, demand[flow, resource], weights[flow, resource])


@given(
    st.integers(1, 9).flatmap(
        lambda resources: st.lists(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0]), min_size=resources, max_size=resources).filter(any),
            min_size=1,
            max_size=9,
        )
    )
)
def test_equal_weights_give_the_shares_of_the_dense_solver(rows):
    demand = np.array(rows)
    found, _ = weighted_max_min(sparse(demand), np.full(len(rows), np.inf), np.ones(demand.shape[1]))
    assert found == pytest.approx(max_min(demand[None])[0][0], rel=1e-6)


def test_five_sessions_over_three_links():
    """As in Bertsekas and Gallager, section 6.5.2: three share the middle link, the others get the rest of theirs."""
    demand = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=float)
    found, stopped = weighted_max_min(sparse(demand), np.full(5, np.inf), np.ones(3))
    assert found == pytest.approx([1 / 3, 2 / 3, 1 / 3, 1 / 3, 2 / 3])
    assert stopped.tolist() == [1, 0, 1, 1, 2]


def test_weights_count_on_each_resource_by_itself():
    """On the link 3 : 1; on the processor of both, of 2, each gets 1."""
    demand = np.array([[1.0, 0.5], [1.0, 0.5]])
    on_link = sparse(demand, np.array([[3.0, 1.0], [1.0, 1.0]]))
    found, stopped = weighted_max_min(on_link, np.full(2, np.inf), np.ones(2))
    assert (found.tolist(), stopped.tolist()) == ([0.75, 0.25], [0, 0])
    tight = on_link._replace(seconds=np.array([1.0, 4.0, 1.0, 4.0]))
    found, stopped = weighted_max_min(tight, np.full(2, np.inf), np.ones(2))
    assert (found.tolist(), stopped.tolist()) == ([0.125, 0.125], [1, 1])


def test_a_flow_stops_at_its_own_limit_and_leaves_the_rest():
    found, stopped = weighted_max_min(sparse(np.ones((3, 1))), np.array([0.1, np.inf, 0.4]), np.ones(1))
    assert found == pytest.approx([0.1, 0.5, 0.4])
    assert stopped.tolist() == [-1, 0, -1]
