"""The model of a deployment: what it must do whatever the costs, and what its costs are fitted to."""

import dataclasses
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base import tables
from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.sample_files import Group

deployment = pytest.importorskip("benchmarks.deployment")  # not in the wheel
model = pytest.importorskip("benchmarks.deployment_model")
polls = pytest.importorskip("benchmarks.polls")
Line, Network = model.Line, model.Network

COSTS = model.Costs(
    poll_s=Line(0.2, 5e-3),
    add_s=Line(1e-2, 1e-6),
    round_bytes=Line(2e4, 40),
    compact_s=Line(0.1, 3e-6),
    compact_bytes=Line(1e7, 500),
    day_bytes=Line(1e5, 30),
    read_s=Line(0.0, 2e-7),
    query_s=Line(0.0, 5e-7),
    worker_bytes=Line(2e8, 200),
)
YEAR = Network(100_000, 30.0, 365.0)

networks = st.builds(
    Network, ports=st.integers(1, 10**6), interval_s=st.sampled_from([10.0, 30.0, 300.0]), days=st.integers(1, 1000)
)


def test_a_year_of_a_national_network():
    found = model.plan(YEAR, COSTS)
    assert found.samples == 100_000 * 2880 * 365
    assert found.samples_per_s == pytest.approx(3333.3, rel=1e-4)
    # 24 GB, of which 0.6 are planned for, hold (14.4e9 - 1e7) / 500 readings of a day; 288e6 come
    assert found.archives == 11
    assert found.archive_day_bytes == pytest.approx(1e5 + 30 * 288e6 / 11)
    assert found.pollers == 29  # a round of (18 s - 0.2 s) / 5 ms = 3560 ports keeps a core as busy as it may be
    assert found.written_bytes_per_s == pytest.approx((29 * 2e4 + 40 * 100_000) / 30)
    assert found.storage_bytes == pytest.approx(365 * (11 * 1e5 + 30 * 288e6) + 2880 * (29 * 2e4 + 40 * 100_000))
    assert found.poller_cores == pytest.approx((29 * 0.2 + 100_000 * 5e-3) / 30 / 0.6)
    assert found.adding_cores == pytest.approx((29 * 1e-2 + 100_000 * 1e-6) / 30 / 0.6)
    assert found.compacting_cores == pytest.approx((11 * 0.1 + 288e6 * 3e-6) / 86400 / 0.6)
    # a month of a port is 86,400 readings; shares of 92 ports, of 8 million, are the first that read little twice
    assert found.share_readings == 92 * 86_400
    assert found.read_times == pytest.approx(1 + 98 * 131_072 * 11 / 288e6)  # 99 shares of an archive
    month = 8.64e9
    assert found.query_core_s == pytest.approx(month * (found.read_times * 2e-7 + 5e-7))
    assert found.workers == 4
    assert found.query_s == pytest.approx(found.query_core_s / 0.6 / 4)
    assert found.worker_bytes == pytest.approx(2e8 + 200 * 92 * 86_400)
    assert found.query_bytes_per_s == pytest.approx(found.read_times * 30 * (11 * 1e5 + 30 * 288e6) / found.query_s)


@pytest.mark.parametrize("ports", [1, 40, 600])
@pytest.mark.parametrize("days", [1, 7])
@pytest.mark.parametrize("in_order", [True, False])
def test_shares_are_those_that_are_made(ports, days, in_order):
    of_port, group_rows = 2880, model.GROUP_ROWS
    names = [("h", f"{port:04}", None) for port in range(ports)]
    groups = []
    for day in range(days):
        for number, start in enumerate(range(0, ports * of_port, group_rows)):
            rows = min(group_rows, ports * of_port - start)
            keys = names[start // of_port : (start + rows - 1) // of_port + 1] if in_order else names
            groups.append(Group(f"{day}", number, rows, tuple(keys)))
    made = bulk.shares(groups)
    read = sum(rows for share in made for _, _, rows in share.groups)
    size, times = model.shares(Network(ports, 30.0, days), ports, days, in_order=in_order)
    assert max(len(share.keys) for share in made) * of_port * days == pytest.approx(size, rel=0.05)
    assert read / (ports * of_port * days) == pytest.approx(times, rel=0.25)


def test_what_does_not_lie_in_order_is_read_by_every_share():
    found, mixed = model.plan(YEAR, COSTS), model.plan(YEAR, COSTS, in_order=False)
    assert mixed.read_times > 40
    assert mixed.query_core_s > 10 * found.query_core_s


@given(networks, st.floats(60.0, 86400.0))
def test_the_plan_keeps_what_was_asked_for(network, answer_s):
    found = model.plan(network, COSTS, answer_s=answer_s)
    assert found.query_s <= answer_s * (1 + 1e-9)
    a_day = network.ports * 86400 / network.interval_s / found.archives
    assert COSTS.compact_bytes.at(a_day) <= 0.6 * 24e9 * (1 + 1e-9)
    assert COSTS.poll_s.at(network.ports / found.pollers) <= 0.6 * network.interval_s * (1 + 1e-9)
    assert found.poller_cores <= found.pollers * (1 + 1e-9)


@given(networks, st.integers(2, 10))
def test_more_of_anything_never_needs_less(network, times):
    found = model.plan(network, COSTS)
    totals = ("samples", "samples_per_s", "archives", "storage_bytes", "poller_cores", "adding_cores", "query_core_s")
    for more in (
        dataclasses.replace(network, ports=network.ports * times),
        dataclasses.replace(network, interval_s=network.interval_s / times),
    ):
        larger = model.plan(more, COSTS)
        for name in (*totals, "workers", "compacting_cores", "written_bytes_per_s"):
            assert getattr(larger, name) >= getattr(found, name) * (1 - 1e-9), name
    longer = model.plan(dataclasses.replace(network, days=network.days * times), COSTS, asked_days=10_000)
    assert longer.query_core_s >= model.plan(network, COSTS, asked_days=10_000).query_core_s
    assert (longer.poller_cores, longer.archives) == (found.poller_cores, found.archives)


def test_polling_that_was_not_measured_is_not_made_up():
    found = model.plan(YEAR, dataclasses.replace(COSTS, poll_s=None))
    assert math.isnan(found.poller_cores)
    assert found.pollers == found.archives


def test_what_is_expected_of_a_small_run_is_what_the_plan_says():
    network = Network(200, 30.0, 10)
    expected, found = deployment.expected(network, COSTS), model.plan(network, COSTS, asked_days=10)
    assert (found.archives, found.pollers) == (1, 1)
    assert expected["query_s"] == pytest.approx(found.query_core_s)
    a_day = 2880 / deployment.BY_ROUND * expected["rounds_bytes"]
    assert expected["kept_bytes"] + a_day == pytest.approx(found.storage_bytes)
    assert expected["round_s"] / 30 / 0.6 == pytest.approx(found.adding_cores)
    assert expected["compact_s"] / 864_000 / 0.6 == pytest.approx(found.compacting_cores)
    assert expected["worker_bytes"] == found.worker_bytes


def test_a_line_has_no_foot_below_zero():
    assert deployment.line([1, 2, 4], [1, 3, 7]).once == 0.0


def test_a_day_is_measured(tmp_path):
    found = deployment.day(5, 24, tmp_path / "archive") | deployment.query(tmp_path / "archive")
    added = deployment.rounds_of(5)
    assert found["samples"] == 120
    assert found["day_bytes"] < 12 * added["round_bytes"]  # one file in place of twelve
    assert all(found[name] > 0 for name in ("compact_s", "query_s", "read_s", "worker_bytes"))
    assert added["add_s"] > 0
    assert len(bulk.interfaces(tmp_path / "archive" / "samples")) == 5


def test_polls_are_samples_whose_counters_go_on():
    one, two = polls.readings(60, 30), polls.readings(60, 30, first=30)
    assert one.dtypes.to_dict() == tables.make("samples", []).dtypes.to_dict()
    both = pd.concat([one, two], ignore_index=True)
    assert set(rates(both)["flag"]) == {"ok"}
    assert both["host"].nunique() == 2
    rate = rates(both)["in_bps"]
    assert (rate > 0).all()
    assert (rate <= polls.SPEED_BPS).all()
