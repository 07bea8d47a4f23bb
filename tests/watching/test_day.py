"""A day of watching archives in simulated time, with faults, late results and restarts: each result counts once."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching import remote, web
from hecn_analysis.watching.remote import Remote
from hecn_analysis.watching.sources import source_of
from tests.watching.servers import OpenSearch, document, served

pytestmark = pytest.mark.slow

#: Six sources take eleven seconds; fifty, with which it passed too, take eight minutes.
SOURCES, STEP_S, HOUR_S = 6, 1800, 3600
FIRST_S = 1_780_000_000
FAULTS = (
    (503, {}, b""),
    (429, {}, b"slow down"),
    (401, {}, b"who are you?"),
    (200, {}, b"<html>a login page</html>"),
    (200, {"Content-Length": "100000"}, b'{"hits": {"hits": ['),
    (200, {}, json.dumps({"timed_out": True, "hits": {"hits": []}}).encode()),
    (200, {}, json.dumps([1, 2]).encode()),
)


class Sources:
    """Archives at one server, each below a path of its own; what they hold depends on the clock."""

    def __init__(self, clock):
        self.clock, self.chance, self.is_faulty = clock, np.random.default_rng(5), True
        self.faults = Counter()
        self.results = {number: list(self.made(number)) for number in range(SOURCES)}

    def made(self, source):
        """The time from which each result can be seen, and the result; some are late, some of a clock that is ahead."""
        for number in range(24 * HOUR_S // STEP_S):
            time_s = FIRST_S + STEP_S * number + source
            made = document(f"{source}-{number}", time_s, 1e9 + 1000 * source + number)
            made["_source"]["meta"]["source"] = {"ip": f"192.0.2.{source}", "hostname": f"h{source}.example.net"}
            shift_s = self.chance.choice([0, 0, 0, 0, 0, 60, 4 * HOUR_S, 20 * HOUR_S, -2 * HOUR_S])
            yield time_s + shift_s, made

    def __call__(self, request):
        _, name, *rest = request.path.split("/")
        source, hour = int(name[1:]), (self.clock.now_s - FIRST_S) // HOUR_S
        is_away = source % 5 == 0 and 6 <= hour < 12
        if self.is_faulty and (is_away or self.chance.random() < 0.2):
            fault = FAULTS[0 if is_away else self.chance.integers(len(FAULTS))]
            self.faults[fault[2]] += 1
            return fault
        request.path = "/" + "/".join(rest)
        seen = [made for from_s, made in self.results[source] if from_s <= self.clock.now_s]
        again = [seen[place] for place in self.chance.integers(len(seen), size=3)] if seen else []
        return OpenSearch([*seen, *again])(request)


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set, for the sources and for the pauses after faults."""
    own = SimpleNamespace(now_s=FIRST_S)
    fake = SimpleNamespace(time=lambda: own.now_s, monotonic=lambda: own.now_s, sleep=lambda _: None)
    for module in (remote, web):
        monkeypatch.setattr(module, "time", fake)
    return own


def test_a_day_of_sources_with_faults_loses_and_doubles_nothing(clock, tmp_path):
    sources = Sources(clock)
    added, remarks = 0, Counter()
    with served(sources) as (server, _):

        def started():
            own = [source_of(f"{server}/s{number}/opensearch/") for number in range(SOURCES)]
            return Remote(own, Archive(tmp_path / "archive"), FIRST_S - 24 * HOUR_S)

        watch = started()
        for look in range(24 * HOUR_S // STEP_S):
            clock.now_s = FIRST_S + STEP_S * (look + 1)
            if look % 9 == 8:
                watch = started()  # as after a kill: what is known is the archive alone
            batch = watch.take()
            added += batch.added
            remarks.update(remark.partition(": ")[2] for remark in batch.remarks)
        assert len(sources.faults) == len({fault[2] for fault in FAULTS})
        assert 0 < added < SOURCES * 48  # some are late, or wait behind a fault
        sources.is_faulty = False
        for _ in range(24):
            clock.now_s += HOUR_S
            added += watch.take().added
    runs = Archive(tmp_path / "archive").table("runs")
    expected = sorted(1e9 + 1000 * source + number for source in range(SOURCES) for number in range(48))
    assert sorted(runs["throughput_bps"]) == expected
    assert added == len(expected)
    assert any("it answers 401 Unauthorized" in remark for remark in remarks)
    assert any("results from the future" in remark for remark in remarks)
