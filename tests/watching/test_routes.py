"""Routes as series: what is a change of a route, what is load balanced over several paths, and what it explains."""

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base import tables
from hecn_analysis.ingest.filling import add_files
from hecn_analysis.watching.perfsonar import Esmond, OpenSearch
from hecn_analysis.watching.remote import Remote
from hecn_analysis.watching.routes import deviating, route_changes
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.watch import judge, write
from hecn_analysis.watching.web import address_of
from tests.watching.servers import OpenSearch as OpenSearchServer
from tests.watching.servers import document, served

FIRST_S = 1_700_000_000
GATEWAY, OLD, NEW, TARGET = "192.0.2.1", "198.51.100.5", "198.51.100.9", "192.0.2.99"


def _traces(routes):
    times = [pd.Timestamp(FIRST_S + 3600 * hour, unit="s", tz="UTC") for hour in range(len(routes))]
    return pd.DataFrame(
        {"start_time": times, "route": routes, "source_file": "t.log", "line_first": range(1, 1 + len(routes))}
    )


def _route(middle, *, also="203.0.113.1"):
    return f"{GATEWAY} {also} * {middle} {TARGET}"


def test_the_hop_of_a_change_is_named_once():
    (change,) = route_changes(_traces([_route(f"r5({OLD})")] * 40 + [_route(f"r9({NEW})")] * 40))
    assert (change["hop"], change["before"], change["after"]) == (4, f"r5 ({OLD})", f"r9 ({NEW})")
    assert change["time"] == pd.Timestamp(FIRST_S + 40 * 3600, unit="s", tz="UTC").isoformat()
    assert (change["results_until_seen"], change["is_return"]) == (3, False)
    assert change["reasons"] == ["5 hops as before (t.log:40; t.log:41)"]


@pytest.mark.parametrize("ways", [2, 4, 8])
def test_load_balanced_paths_are_no_change(ways):
    chance = np.random.default_rng(ways)
    routes = [
        _route(f"198.51.100.{chance.integers(ways)}", also=f"203.0.113.{chance.integers(ways)}") for _ in range(2000)
    ]
    assert route_changes(_traces(routes)) == ()


def test_a_change_among_load_balanced_paths_is_seen():
    chance = np.random.default_rng(1)
    routes = [_route(OLD if hour < 60 else NEW, also=f"203.0.113.{chance.integers(2)}") for hour in range(200)]
    (change,) = route_changes(_traces(routes))
    assert (change["hop"], change["before"], change["after"]) == (4, OLD, NEW)


def test_a_detour_and_the_way_back_are_told_and_then_known():
    stages = [(OLD, 40), (NEW, 6), (OLD, 40), (NEW, 40), (OLD, 40)]
    changes = route_changes(_traces([_route(hop) for hop, count in stages for _ in range(count)]))
    assert [(change["after"], change["is_return"]) for change in changes] == [(NEW, False), (OLD, True)]


def test_silent_hops_and_cut_traces_are_no_change():
    routes = [_route(OLD)] * 40 + [_route("*")] * 20 + [f"{GATEWAY} 203.0.113.1"] * 20 + [_route(OLD)] * 20
    assert route_changes(_traces(routes)) == ()


def test_names_that_come_and_go_are_no_change():
    assert route_changes(_traces([_route(f"r5({OLD})")] * 40 + [_route(OLD)] * 40)) == ()


def test_two_other_traces_wait():
    runs = _traces([_route(OLD)] * 40 + [_route(NEW)] * 2)
    assert (route_changes(runs), deviating(runs)) == ((), 2)
    assert deviating(_traces([_route(OLD)] * 40 + [_route(NEW), _route(OLD)])) == 0


LOG = """\
{date}
traceroute to b ({target}), 30 hops max, 60 byte packets
 1  gw ({gateway})  0.4 ms  0.4 ms  0.4 ms
 2  * * *
 3  {middle} ({middle})  9.1 ms  9.2 ms  9.1 ms
 4  b ({target})  20.1 ms  20.1 ms  20.2 ms
"""


@pytest.fixture
def traced(tmp_path, archive):
    """A log of traces each hour whose route changes with the rate of transfers."""
    folder = tmp_path / "in"
    folder.mkdir()
    texts, rows = [], []
    chance = np.random.default_rng(1)
    for hour in range(250):
        time = pd.Timestamp(FIRST_S + 3600 * hour, unit="s", tz="UTC")
        middle = OLD if hour < 230 else NEW
        texts.append(
            LOG.format(date=f"{time:%a %b %d %H:%M:%S} UTC {time:%Y}", target=TARGET, gateway=GATEWAY, middle=middle)
        )
        rate = (9e9 if hour < 230 else 5e9) * np.exp(0.01 * chance.standard_normal())
        columns = {"tool": "iperf3", "protocol": "tcp", "direction": "send", "throughput_bps": rate, "error": False}
        rows.append({"source_file": f"{folder}/i.txt", "run": hour, "start_time": time, **columns})
    (folder / "trace.log").write_text("".join(texts))
    ends = [
        {"source_file": f"{folder}/i.txt", "line": 1, "name": name, "value": host, "says": host}
        for name, host in (("asked.local", "a"), ("asked.remote", "b"))
    ]
    archive.add(
        "rows", {"runs": tables.make("runs", rows), "statements": tables.make("statements", ends)}, source="test"
    )
    assert add_files(archive, [folder])[0] == 1
    return archive


def test_a_change_of_the_rate_names_the_hop(traced, tmp_path):
    judged, remarks = judge(traced)
    states = {status.series.measure.name: status for status in judged}
    reason = states["rate"].changes[-1]["reasons"][-1]
    assert reason.startswith(f"traceroute, route: another route from hop 3 on, {NEW} instead of {OLD} since 2023-11-24")
    assert " 12:13 UTC; 4 hops as before (" in reason
    assert states["route"].state == "routed"
    write(tmp_path / "out", judged, remarks)
    index = (tmp_path / "out" / "index.html").read_text()
    assert "⇄ 4 hops <small>route, other route</small>" in index


MTR = """\
Start: 2023-11-{day:02d}T{hour:02d}:13:20+0000
HOST: a                           Loss%   Snt   Last   Avg  Best  Wrst StDev
  1.|-- 192.0.2.1                  0.0%   200    0.4   0.5   0.3   1.2   0.1
  2.|-- 198.51.100.5              {loss:4.1f}%   200    9.4   9.5   9.3  10.2   0.1
  3.|-- 192.0.2.99                {loss:4.1f}%   200   20.4  20.5  20.3  21.2   0.1
"""


def test_a_change_of_the_loss_names_the_hop_where_it_begins(tmp_path, archive):
    folder = tmp_path / "in"
    folder.mkdir()
    texts = [MTR.format(day=1 + hour // 24, hour=hour % 24, loss=5.0 if hour >= 230 else 0.0) for hour in range(250)]
    (folder / "mtr.log").write_text("\n".join(texts))
    add_files(archive, [folder])
    (loss,) = (status for status in judge(archive)[0] if status.series.measure.name == "loss")
    assert loss.changes[-1]["reasons"][-1].startswith("loss begins at hop 2, 198.51.100.5 (")


def _hops(middle):
    return [{"ip": GATEWAY, "hostname": "gw"}, {"error": "requestTimedOut"}, {"ip": middle}, {"ip": TARGET}]


def test_traces_of_esmond_have_the_routes_of_their_times(archive):
    now_s = int(pd.Timestamp.now("UTC").timestamp())
    times = [now_s - 3600 * hour for hour in (3, 2)]

    def answer(request):
        if request.path == "/esmond/perfsonar/archive/":
            events = [{"event-type": "packet-trace", "time-updated": now_s}]
            ends = {"input-source": "a", "input-destination": "b"}
            return [{"metadata-key": "abc", "event-types": events, "tool-name": "pscheduler/tracepath", **ends}]
        assert request.path == "/esmond/perfsonar/archive/abc/packet-trace/base"
        traces = [
            [
                {"ttl": 1 + place, "query": 1, "success": int("ip" in hop), **hop}
                for place, hop in enumerate(_hops(middle))
            ]
            for middle in (OLD, NEW)
        ]
        return [{"ts": time, "val": trace} for time, trace in zip(times, traces, strict=True)]

    with served(answer) as (base, _):
        source = Esmond(address_of(f"{base}/esmond/perfsonar/archive/"))
        assert Remote([source], archive, 0.0).take().added == 2
        assert Remote([source], archive, 0.0).take().added == 0
    (series,), _ = series_of(archive)
    assert (series.source, series.destination, series.name) == ("a", "b", "tracepath send, route")
    assert list(series.runs["route"]) == [f"gw({GATEWAY}) * {middle} {TARGET}" for middle in (OLD, NEW)]


@pytest.mark.parametrize(
    ("result", "routes", "noted"),
    [
        ({"succeeded": True, "json": [_hops(OLD)]}, [f"gw({GATEWAY}) * {OLD} {TARGET}"], 0),
        ({"succeeded": True, "json": [[{"error": "timeout"}]]}, [], 1),
        ({"succeeded": True, "json": "none"}, [], 1),
        ({"succeeded": True, "json": [[{"ip": "<script>"}, 7]]}, [], 1),
        ({"succeeded": False, "error": "no"}, [], 0),
    ],
)
def test_traces_of_opensearch(result, routes, noted):
    found = document(1, FIRST_S, None)
    found["_source"]["test"]["type"], found["_source"]["result"] = "trace", result
    notes = set()
    with served(OpenSearchServer([found])) as (base, _):
        results = list(OpenSearch(address_of(f"{base}/opensearch/")).find(lambda _: 0.0, notes, is_thorough=True))
    said = [row["value"] for each in results for row in each.rows["statements"] if row["name"] == "path.route"]
    assert (said, len(notes)) == (routes, noted)
