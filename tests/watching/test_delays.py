"""Delays and losses as series: of ping and owping, and those of perfSONAR over HTTP."""

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base import tables
from hecn_analysis.watching import perfsonar
from hecn_analysis.watching.measures import DELAY, LOSS, MEASURES, RATE
from hecn_analysis.watching.perfsonar import Esmond, OpenSearch
from hecn_analysis.watching.remote import Remote
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.status import plain, statuses
from hecn_analysis.watching.watch import judge, write
from hecn_analysis.watching.web import address_of
from tests.watching import servers

FIRST_S = 1_700_000_000
HOURS, STEP = 250, 240


def _moment(hour):
    return pd.Timestamp(FIRST_S + 3600 * hour, unit="s", tz="UTC")


def _row(tool, hour, **columns):
    return {
        "source_file": f"{tool}.txt",
        "run": hour,
        "start_time": _moment(hour),
        "tool": tool,
        "error": False,
        **columns,
    }


@pytest.fixture
def stepped(archive):
    """A path that becomes longer and lossy, and a transfer over it that becomes slower, at the same hour."""
    chance = np.random.default_rng(1)
    rows = []
    for hour in range(HOURS):
        is_after = hour >= STEP
        delay_s = (0.03 if is_after else 0.02) * (1 + 0.003 * chance.random())
        loss = 0.02 if is_after else 0.0
        rows.append(_row("owping", hour, label="a b", protocol="udp", rtt_min_s=delay_s, loss_fraction=loss))
        rate = (6e9 if is_after else 9e9) * np.exp(0.01 * chance.standard_normal())
        rows.append(_row("iperf3", hour, protocol="tcp", direction="send", throughput_bps=rate))
    ends = [
        {"source_file": "iperf3.txt", "line": 1, "name": name, "value": host, "says": host}
        for name, host in (("asked.local", "a"), ("asked.remote", "b"))
    ]
    archive.add(
        "rows", {"runs": tables.make("runs", rows), "statements": tables.make("statements", ends)}, source="test"
    )
    return archive


def test_delay_and_loss_are_series_of_their_own(stepped):
    series, untimed = series_of(stepped)
    assert [(each.source, each.destination, each.name, len(each.runs)) for each in series] == [
        ("a", "b", "iperf3 tcp send", HOURS),
        ("a", "b", "owping udp, delay", HOURS),
        ("a", "b", "owping udp, loss", HOURS),
    ]
    assert untimed == 0


def test_a_change_of_the_rate_names_those_of_delay_and_loss(stepped):
    rate, delay, loss = judge(stepped)[0]
    assert [status.state for status in (rate, delay, loss)] == ["worse"] * 3
    assert delay.says.startswith("longer by 49.9 % (49.9 % to 50.0 %) ")
    assert loss.says.startswith("more loss, 2.00 % instead of 0.00 % since 2023-11-24 22:13")
    reasons = rate.changes[-1]["reasons"]
    assert [reason.partition(" by ")[0] for reason in reasons[:1]] == ["owping udp, delay: longer"]
    assert reasons[1].startswith("owping udp, loss: more loss, 2.00 % instead of 0.00 % since 2023-11-24 22:13")


def test_figures_in_json_have_the_unit_in_their_names(stepped):
    rate, delay, loss = map(plain, judge(stepped)[0])
    assert (rate["measure"], delay["measure"], loss["measure"]) == ("rate", "delay", "loss")
    assert rate["last_bps"] == pytest.approx(6e9, rel=0.05)
    assert delay["expected_s"] == pytest.approx(0.02, rel=0.01)
    assert (loss["last_fraction"], loss["changes"][0]["before_fraction"]) == (0.02, 0.0)
    assert loss["changes"][0]["after_fraction"] == pytest.approx(0.02)
    assert "ratio" not in loss["changes"][0]


def test_pages_show_delay_and_loss_in_a_grid_of_their_own(stepped, tmp_path):
    judged, remarks = judge(stepped)
    write(tmp_path / "out", judged, remarks)
    index = (tmp_path / "out" / "index.html").read_text()
    assert "<h2>Delay, loss and route</h2>" in index
    assert "<small>delay, longer</small>" in index
    assert "▼ 2.00 % <small>loss, more</small>" in index
    metrics = (tmp_path / "out" / "metrics.prom").read_text()
    assert any(line.startswith("hecn_loss_ratio{") and line.endswith(" 0.02") for line in metrics.splitlines())
    assert sum(line.startswith("hecn_throughput_bps{") for line in metrics.splitlines()) == 1


def test_a_delay_that_fell_is_better(archive):
    rows = [_row("ping", hour, label="b", rtt_min_s=0.01 if hour >= STEP else 0.02) for hour in range(HOURS)]
    archive.add("rows", {"runs": tables.make("runs", rows)}, source="test")
    (status,) = judge(archive)[0]
    assert (status.series.source, status.series.destination, status.state) == (".", "b", "better")
    assert status.says.startswith("shorter by 50.0 % since ")


def test_one_result_with_loss_is_doubtful_and_no_change(archive):
    rows = [_row("ping", hour, label="b", loss_fraction=0.1 * (hour == HOURS - 1)) for hour in range(HOURS)]
    archive.add("rows", {"runs": tables.make("runs", rows)}, source="test")
    (status,) = judge(archive)[0]
    assert (status.state, status.changes) == ("doubtful", ())
    assert status.says == "the last result, 10.00 %, is above the usual 0.00 %"


def test_results_without_a_time_are_counted(archive):
    archive.add(
        "rows", {"runs": tables.make("runs", [_row("ping", 0, rtt_min_s=0.02) | {"start_time": None}])}, source="t"
    )
    assert judge(archive) == ([], ["1 result without a time cannot be placed in a series"])


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_values_come_back_from_what_is_compared(measure):
    values = np.array([2e-3, 0.02, 1.0]) * (1e10 if measure is RATE else 1)
    assert [measure.value(each, 600) for each in measure.compared(values, 600)] == pytest.approx(values, rel=1e-9)
    assert LOSS.value(float(LOSS.compared(0.0, 600)), 600) == 0.0


def test_a_step_has_the_same_size_at_any_level_and_a_loss_scatters_by_one():
    assert DELAY.compared(0.03, 1) - DELAY.compared(0.02, 1) == pytest.approx(np.log(1.5))
    lost = np.random.default_rng(1).binomial(600, [[0.01], [0.1]], (2, 20_000)) / 600
    assert LOSS.compared(lost, 600).std(axis=1) == pytest.approx([1.0, 0.95], abs=0.03)


def test_packets_are_those_sent_or_what_the_least_loss_needs():
    runs = pd.DataFrame({"sent_packets": [np.nan, np.nan], "loss_fraction": [0.0, 0.005]})
    assert LOSS.packets(runs) == 200
    assert LOSS.packets(runs.assign(sent_packets=600)) == 600
    assert LOSS.packets(runs.assign(loss_fraction=0.0)) == 100


def _events(*names):
    summaries = {"histogram-owdelay": "statistics", "packet-loss-rate": "aggregations"}
    return [
        {"event-type": name, "summaries": [{"summary-type": summaries[name], "summary-window": "3600"}]}
        for name in names
    ]


def test_hourly_delays_of_esmond():
    now_s = int(pd.Timestamp.now("UTC").timestamp()) // 3600 * 3600
    passed, running = now_s - 7200, now_s

    def answer(request):
        if request.path == "/esmond/perfsonar/archive/":
            if int(request.parameters["offset"]):
                return []
            events = _events("histogram-owdelay", "packet-loss-rate")
            test = {"metadata-key": "abc", "event-types": events, "source": "192.0.2.1", "destination": "192.0.2.2"}
            return [test | {"tool-name": "pscheduler/powstream", "ip-transport-protocol": "udp"}]
        values = {
            "/esmond/perfsonar/archive/abc/histogram-owdelay/statistics/3600": {"minimum": 12.5, "median": 13.0},
            "/esmond/perfsonar/archive/abc/packet-loss-rate/aggregations/3600": 0.01,
        }
        return [{"ts": time, "val": values[request.path]} for time in (passed, running)]

    with servers.served(answer) as (base, _):
        source = Esmond(address_of(f"{base}/esmond/perfsonar/archive/"))
        (result,) = source.find(lambda _: 0.0, set(), is_thorough=True)
    (run,) = result.rows["runs"]
    assert (run["tool"], run["rtt_min_s"], run["loss_fraction"]) == ("powstream", 0.0125, 0.01)
    assert run["start_time"] == pd.Timestamp(passed, unit="s", tz="UTC")
    assert [row["value"] for row in result.rows["statements"]] == ["192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize(
    ("kind", "figures", "tool", "delay_s"),
    [
        ("rtt", {"rtt": {"min": 0.0201}, "packets": {"sent": 10, "lost": 1, "loss": 0.1}}, "ping", 0.0201),
        ("latency", {"latency": {"min": 10.5}, "packets": {"sent": 100, "lost": 10, "loss": 0.1}}, "owping", 0.0105),
    ],
)
def test_delays_of_opensearch(kind, figures, tool, delay_s):
    document = servers.document(1, FIRST_S, None)
    document["_source"]["test"]["type"] = kind
    document["_source"]["result"] = {"succeeded": True, **figures}
    with servers.served(servers.OpenSearch([document])) as (base, _):
        (result,) = OpenSearch(address_of(f"{base}/opensearch/")).find(lambda _: 0.0, set(), is_thorough=True)
    (run,) = result.rows["runs"]
    assert (run["tool"], run["rtt_min_s"], run["loss_fraction"]) == (tool, delay_s, 0.1)


def _hour(hour, test="t1", **figures):
    """An hour of a background test as OpenSearch aggregates it."""
    about = {"hits": {"hits": [{"_source": servers.document(1, FIRST_S, None)["_source"]}]}}
    values = {
        name: {"value": value} for name, value in {"delay": 10.5, "sent": 36000.0, "lost": 36.0, **figures}.items()
    }
    return {"key": {"hour": 1000 * (FIRST_S // 3600 + hour) * 3600, "test": test}, **values, "about": about}


def test_background_delays_of_opensearch_are_asked_for_by_the_hour(archive, monkeypatch):
    monkeypatch.setattr(perfsonar, "_BUCKETS", 2)
    hours, bodies = [_hour(hour) for hour in range(3)], []

    def answer(request):
        if "aggs" not in request.body:
            return {"hits": {"hits": []}}
        bodies.append(request.body)
        composite = request.body["aggs"]["hours"]["composite"]
        first = next((place + 1 for place, hour in enumerate(hours) if hour["key"] == composite.get("after")), 0)
        page = hours[first : first + 2]
        known = {"buckets": page} | ({"after_key": page[-1]["key"]} if page else {})
        return {"hits": {"hits": []}, "aggregations": {"hours": known}}

    with servers.served(answer) as (base, _):
        source = OpenSearch(address_of(f"{base}/opensearch/"))
        found = list(source.find(lambda _: 0.0, set(), is_thorough=True))
        assert len(bodies) == 2
        assert list(source.find(lambda _: 0.0, set(), is_thorough=False)) == []
        assert len(bodies) == 2  # no further hour has passed
        assert Remote([source], archive, 0.0).take().added == 3
        assert Remote([source], archive, 0.0).take().added == 0
    (run,) = found[0].rows["runs"]
    assert (run["rtt_min_s"], run["sent_packets"], run["loss_fraction"], run["tool"]) == (
        0.0105,
        36000,
        0.001,
        "powstream",
    )
    series, _ = series_of(archive)
    assert [(each.source, each.destination, each.name, len(each.runs)) for each in series] == [
        ("a.example.net", "b.example.net", "powstream udp send, delay", 3),
        ("a.example.net", "b.example.net", "powstream udp send, loss", 3),
    ]


def test_an_hour_without_figures_is_noted():
    notes = set()

    def answer(request):
        known = {"buckets": [_hour(0, delay=None, sent=0.0)]} if "aggs" in request.body else {}
        return {"hits": {"hits": []}, "aggregations": {"hours": known}}

    with servers.served(answer) as (base, _):
        source = OpenSearch(address_of(f"{base}/opensearch/"))
        assert list(source.find(lambda _: 0.0, notes, is_thorough=True)) == []
    assert notes == {"latencybg: found an hour without delay and packets, expected 'result.latency.min'; left out"}


def test_a_document_of_delays_without_figures_is_noted():
    document = servers.document(1, FIRST_S, None)
    document["_source"]["test"]["type"] = "rtt"
    document["_source"]["result"] = {"succeeded": True}
    notes = set()
    with servers.served(servers.OpenSearch([document])) as (base, _):
        assert list(OpenSearch(address_of(f"{base}/opensearch/")).find(lambda _: 0.0, notes, is_thorough=True)) == []
    (note,) = notes
    assert "found no 'result.rtt.min'" in note


def test_series_are_judged_alike_with_and_without_a_memory(stepped):
    series, _ = series_of(stepped)
    memory = {}
    first = [plain(status) for status in statuses(series, memory=memory)]
    assert [plain(status) for status in statuses(series, memory=memory)] == first
