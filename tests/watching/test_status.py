"""States of series: what is judged again, and judging on a cluster."""

import threading
import time

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.watching import status
from hecn_analysis.watching.measures import RATE
from hecn_analysis.watching.reasons import COLUMNS
from hecn_analysis.watching.series import Series
from hecn_analysis.watching.status import plain, statuses


def series_of_hours(hours, *, drop_at=None, seed=1):
    """Hourly results of one pair; from `drop_at` on they are slower by 40 %."""
    rates = 9.4e9 * np.exp(0.03 * np.random.default_rng(seed).standard_normal(hours))
    rates[drop_at or hours :] *= 0.6
    start = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(np.arange(hours), unit="h")
    runs = pd.DataFrame({"start_time": start, "rate_bps": rates}).reindex(columns=["start_time", "rate_bps", *COLUMNS])
    runs["source_file"] = [f"{hour}.json" for hour in range(hours)]
    return Series("a", f"b{seed}", "iperf3", "tcp", "send", 1, runs, ())


def test_only_series_with_new_results_are_judged_again(monkeypatch):
    memory, judged = {}, []
    original = status.changes
    monkeypatch.setattr(status, "changes", lambda *given, **named: judged.append(1) or original(*given, **named))
    first, second = series_of_hours(250, drop_at=247), series_of_hours(245, seed=2)
    before = [plain(one) for one in statuses([first, second], memory=memory)]
    assert [one["state"] for one in before] == ["worse", "usual"]
    assert [plain(one) for one in statuses([first, second], memory=memory)] == before
    assert len(judged) == 2
    grown = series_of_hours(251, drop_at=247)
    assert plain(statuses([grown, second], memory=memory)[0]) == plain(statuses([grown])[0])
    assert len(judged) == 4


def test_time_that_passes_changes_the_state_of_a_series_without_new_results():
    memory = {}
    short, long = series_of_hours(245, seed=2), series_of_hours(252)
    assert statuses([short], memory=memory)[0].state == "usual"
    assert [one.state for one in statuses([short, long], memory=memory)] == ["silent", "usual"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of distributed are not ours
def test_a_cluster_judges_alike_though_a_worker_is_killed_half_way(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(status, "_SHARE", 500)
    series = [series_of_hours(500, drop_at=490 if seed % 3 == 0 else None, seed=seed) for seed in range(60)]
    wanted = [plain(one) for one in statuses(series)]
    assert sum(one["state"] == "worse" for one in wanted) == 20
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with cluster:
        victim = next(iter(cluster.workers.values()))
        done = {}

        def kill():
            time.sleep(0.3)
            victim.process.process._process.kill()
            done["killed"] = True

        original = status._shares

        def shares(given):
            threading.Thread(target=kill, daemon=True).start()
            return original(given)

        monkeypatch.setattr(status, "_shares", shares)
        found = statuses(series, dask=cluster.scheduler_address)
        assert done == {"killed": True}
    assert [plain(one) for one in found] == wanted


def test_the_ends_of_an_interval_are_never_written_alike():
    def moved(*ratios):
        return RATE.moved(
            dict(zip(("ratio", "ratio_low", "ratio_high"), ratios, strict=True), before_bps=2.0, after_bps=1.0)
        )

    assert moved(0.6, 0.597, 0.602) == "slower by 40.0 % (39.8 % to 40.3 %)"
    assert moved(0.6, 0.6, 0.6) == "slower by 40.0 %"
    assert moved(0.6, 0.59, 1.02) == "slower by 40 % (−2 % to 41 %)"
