"""Traffic of ports from Prometheus and InfluxDB: real ones on loopback, and a server that answers as they do."""

import json
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import watch
from hecn_analysis.cli.parser import Parser
from hecn_analysis.watching.incoming import Incoming
from hecn_analysis.watching.polls import Polls
from hecn_analysis.watching.remote import Remote
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.sources import source_of
from hecn_analysis.watching.watch import judge, write
from tests.watching.servers import served

NOW_S = int(time.time() - 120) // 3600 * 3600
FIRST_S = NOW_S - 3 * 86400
HOUR = 3600


def watching(archive, address):
    return Remote([source_of(address)], archive, FIRST_S)


def courses(archive):
    return {
        (one.source, one.destination, one.name): dict(
            zip((one.runs["start_time"].astype("int64") // 10**9).tolist(), one.runs["rate_bps"].tolist(), strict=True)
        )
        for one in series_of(archive)[0]
    }


def matrix(request, hours, rate_of, **labels):
    """An answer of Prometheus: the rate at the end of each hour asked for."""
    first, last, step = (int(request.parameters[name]) for name in ("start", "end", "step"))
    values = [[when, str(rate_of(when))] for when in range(first, last + 1, step) if when in hours]
    return {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": labels, "values": values}]}}


PORT = {"instance": "sw1", "ifName": "Ethernet1", "ifIndex": "7"}
QUERY = 'ifHCInOctets{instance="sw1"}'


def test_hours_of_a_counter_of_prometheus_count_once(archive):
    hours = [NOW_S - HOUR * number for number in range(40)]

    def answer(request):
        assert request.parameters["query"] == f"rate({QUERY}[1h])"
        return matrix(request, hours, lambda when: 1e9 / 8 if when != NOW_S else 0, **PORT)

    with served(answer) as (server, asked):
        address = f"{server}/api/v1/query_range?query={urllib.parse.quote(QUERY)}"
        watched = watching(archive, address)
        assert [watched.take().added for _ in range(2)] == [40, 0]
        before = len(asked)
        assert watched.take().added == 0
        assert len(asked) == before  # no hour has passed
        assert watching(archive, address).take().added == 0
    (course,) = courses(archive).items()
    assert course[0] == ("sw1", "port Ethernet1", "traffic in")
    assert course[1] == {when - HOUR: 1e9 if when != NOW_S else 1e3 for when in sorted(hours)}
    (file,) = archive.table("rates")["source_file"].unique()
    assert file == f'{server}/api/v1/query_range?query=ifHCInOctets{{instance="sw1"}}'


def test_without_a_query_the_usual_counters_are_asked_for(archive):
    with served(lambda request: matrix(request, [NOW_S], lambda _: 1e6, **PORT)) as (server, asked):
        assert watching(archive, f"{server}/prometheus/api/v1/").take().added == 4
    assert {request.path for request in asked} == {"/prometheus/api/v1/query_range"}
    assert {request.parameters["query"] for request in asked} == {
        'rate(node_network_receive_bytes_total{device!="lo"}[1h])',
        'rate(node_network_transmit_bytes_total{device!="lo"}[1h])',
        "rate(ifHCInOctets[1h])",
        "rate(ifHCOutOctets[1h])",
    }
    assert {name for _, _, name in courses(archive)} == {"traffic in", "traffic out"}


def test_ports_have_a_grid_of_their_own(archive, tmp_path):
    with served(lambda request: matrix(request, [NOW_S], lambda _: 1e6, **PORT)) as (server, _):
        watching(archive, f"{server}/api/v1/query_range").take()
    judged, remarks = judge(archive)
    write(tmp_path / "out", judged, remarks)
    page = (tmp_path / "out" / "index.html").read_text()
    _, _, grid = page.partition("<h2>Traffic of ports</h2>")
    assert '<th scope="col">port Ethernet1</th>' in grid
    assert '<th scope="row">sw1</th>' in grid
    assert page.count("<table>") == 1
    assert grid.count('<a href="series-') == 2


@pytest.mark.parametrize("query", ["rate(ifHCInOctets[5m])*8", "up", "ifHCInOctets[5m]", 'ifInErrors{a="b"}', "a b"])
def test_a_query_that_is_no_counter_of_bytes_is_refused(query):
    with pytest.raises(InputError) as error:
        source_of(f"http://h/api/v1/query_range?query={urllib.parse.quote(query)}")
    assert str(error.value) == (
        f"found the query {query!r}, expected a counter of bytes of ports with its labels, such as "
        'ifHCInOctets{instance="sw1"}; leave out rate() and factors'
    )


def test_influx_needs_a_database():
    with pytest.raises(InputError, match=r"found the address 'http://h/query', expected the database of InfluxDB"):
        source_of("http://h/query")


NOT_PROMETHEUS = "series of Prometheus; check the address and its query"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"status": "error", "error": "x"},
            """found '{"status": "error", "error": "x"}', expected """ + NOT_PROMETHEUS,
        ),
        (
            {"status": "success", "data": {"resultType": "vector", "result": []}},
            """found '{"status": "success", "data": {"resultType": "vector", "result": []}}', expected """
            + NOT_PROMETHEUS,
        ),
        (
            {"status": "success", "warnings": ["store away"], "data": {"resultType": "matrix", "result": []}},
            """its answer may be partial: '["store away"]'; check what it reads from""",
        ),
        ((400, {}, b"{}"), "it answers 400 Bad Request; check the address and its query"),
    ],
)
def test_faults_of_prometheus_are_named(archive, answer, words):
    with served(lambda _: answer) as (server, _):
        batch = watching(archive, f"{server}/api/v1/query_range").take()
    assert batch.remarks == [f"{server}/api/v1/query_range: {words}"]
    assert batch.added == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"results": [{"error": "database not found: x"}]},
            "found 'database not found: x', expected series of InfluxDB",
        ),
        ({"error": "no"}, """found '{"error": "no"}', expected series of InfluxDB"""),
        ({"results": [{"series": [], "partial": True}]}, "its answer is partial; raise its max-row-limit"),
    ],
)
def test_faults_of_influxdb_are_named(archive, answer, words):
    with served(lambda _: answer) as (server, _):
        (remark,) = watching(archive, f"{server}/query?db=x&u=me&p=CANARY7x9").take().remarks
    assert remark.startswith(f"{server}/query?db=x: {words}")


FLUX = "api/v2/query?org=net&bucket=telegraf"


def flux(rows, *, head="result,table,_start,_stop,_time,_value,_field,_measurement,host,interface"):
    """CSV as InfluxDB 2 answers it: a head, rows, and an empty line, with line ends of CSV."""
    lines = ["," + head, *("," + ",".join(map(str, row)) for row in rows), "", ""]
    return 200, {"Content-Type": "text/csv"}, "\r\n".join(lines).encode()


def flux_row(hour, value, *, field="bytes_recv", port="eth0", table=0):
    moment = f"{pd.Timestamp(NOW_S - HOUR * hour, unit='s'):%Y-%m-%dT%H:%M:%SZ}"
    return ["_result", table, moment, moment, moment, value, field, "net", "dtn1", port]


def flux_answer(values):
    """Answer the query of one counter with readings of hours ago, and all others with nothing."""

    def answer(request):
        assert (request.path, request.parameters) == ("/api/v2/query", {"org": "net"})
        assert request.body["type"] == "flux"
        is_asked = 'r._field == "bytes_recv"' in request.body["query"]
        return flux([flux_row(hour, value) for hour, value in values] if is_asked else [])

    return answer


def test_hourly_rates_of_influxdb_2(archive, monkeypatch):
    monkeypatch.setenv("HECN_WATCH_TOKEN_127_0_0_1", "CANARY7x9")
    values = [(8, 1e6), (7, 37e6), (6, 73e6), (4, 109e6), (3, 5e6), (2, 41e6)]  # none 5 hours ago, a reset 3 ago
    with served(flux_answer(values)) as (server, asked):
        source = watching(archive, f"{server}/{FLUX}")
        assert source.take().added == 3
        assert watching(archive, f"{server}/{FLUX}").take().added == 0
    assert {request.headers["Authorization"] for request in asked} == {"Token CANARY7x9"}
    assert {request.headers["Accept"] for request in asked} == {"application/csv"}
    assert 'from(bucket: "telegraf") |> range(start: ' in asked[0].body["query"]
    rates = archive.table("rates")
    assert list(rates["in_bps"]) == [8 * 36e6 / HOUR] * 3
    assert [NOW_S - int(time.timestamp()) for time in rates["time"]] == [6 * HOUR, 5 * HOUR, HOUR]
    assert (set(rates["host"]), set(rates["interface"])) == ({"dtn1"}, {"eth0"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            (401, {}, b'{"code":"unauthorized"}'),
            "it answers 401 Unauthorized; check its user and password or its token",
        ),
        (
            flux([["failed to read", "897"]], head="error,reference"),
            "found 'failed to read', expected series of InfluxDB",
        ),
        (flux([flux_row(3, "x")]), "found ',result,table,_start"),
        (flux([["_result", 0]]), "found a row of 3 cells, expected 11; its answer may be cut"),
        ((200, {}, b"<html>welcome</html>"), "found '<html>welcome</html>', expected CSV of InfluxDB 2"),
    ],
)
def test_faults_of_influxdb_2_are_named_once(archive, answer, words):
    with served(lambda _: answer) as (server, _):
        source = watching(archive, f"{server}/{FLUX}")
        (remark,) = source.take().remarks
        assert remark.startswith(f"{server}/{FLUX}: {words}")
        assert source.take().remarks == []


@pytest.mark.parametrize("query", ["", "?org=net", "?bucket=telegraf"])
def test_influx_2_needs_an_organisation_and_a_bucket(query):
    with pytest.raises(InputError, match=r"expected the organisation and the bucket of InfluxDB 2"):
        source_of(f"http://h/api/v2/query{query}")


def test_two_counters_of_a_port_are_noted_and_one_is_taken(archive):
    def answer(request):
        found = matrix(request, [NOW_S], lambda _: 1e6, job="a", **PORT)
        found["data"]["result"] += matrix(request, [NOW_S], lambda _: 2e6, job="b", **PORT)["data"]["result"]
        return found

    with served(answer) as (server, _):
        batch = watching(archive, f"{server}/api/v1/query_range?query=ifHCInOctets").take()
    assert batch.added == 1
    fault = "found several counters ifHCInOctets of port Ethernet1 of sw1, expected one; narrow the query"
    assert batch.remarks == [f"{server}/api/v1/query_range?query=ifHCInOctets: {fault}"]


def test_values_that_are_none_are_left_out(archive):
    values = iter(["NaN", "+Inf", "-1", "x", "125"])
    with served(
        lambda request: matrix(request, range(NOW_S - 5 * HOUR, NOW_S + 1), lambda _: next(values, "NaN"), **PORT)
    ) as (
        server,
        _,
    ):
        watching(archive, f"{server}/api/v1/query_range?query=ifHCInOctets").take()
    (course,) = courses(archive).values()
    assert list(course.values()) == [1000.0]


# real ones


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_it_answers(address):
    for _ in range(150):
        try:
            return urllib.request.urlopen(address, timeout=1).read()  # noqa: S310 - on loopback
        except OSError:
            time.sleep(0.2)
    raise AssertionError(address)


@pytest.fixture
def prometheus(tmp_path):
    """A Prometheus with ten hours of two counters at 1 Gb/s and 80 Mb/s, one of them reset, and its address."""
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        pytest.skip("Prometheus (package prometheus) is not installed")
    lines = ["# TYPE ifHCInOctets counter", "# TYPE ifHCOutOctets counter"]
    for name, bytes_per_s in (("ifHCInOctets", 125_000_000), ("ifHCOutOctets", 10_000_000)):
        for second in range(0, 10 * HOUR + 1, 60):
            counted = bytes_per_s * (second if second < 5 * HOUR else second - 5 * HOUR + 60)
            labels = 'instance="sw1",ifName="Ethernet1",ifIndex="7"'
            lines.append(f"{name}_total{{{labels}}} {counted} {NOW_S - 10 * HOUR + second}")
    # the format wants a counter's name to end in _total, IF-MIB's names do not
    (tmp_path / "metrics").write_text("\n".join(lines[2:]).replace("_total{", "{") + "\n# EOF\n")
    folder = tmp_path / "data"
    words = ["promtool", "tsdb", "create-blocks-from", "openmetrics", tmp_path / "metrics", folder]
    subprocess.run(words, check=True, capture_output=True)
    (tmp_path / "p.yml").write_text("global: {}\n")
    port = free_port()
    options = [f"--config.file={tmp_path / 'p.yml'}", f"--storage.tsdb.path={folder}"]
    daemon = subprocess.Popen(
        ["prometheus", *options, f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL
    )
    try:
        until_it_answers(f"http://127.0.0.1:{port}/-/ready")
        yield f"http://127.0.0.1:{port}"
    finally:
        daemon.terminate()
        daemon.wait()


@pytest.mark.slow
def test_a_real_prometheus(archive, prometheus):
    address = f"{prometheus}/api/v1/query_range?query=ifHCInOctets"
    watched = watching(archive, address)
    batch = watched.take()
    assert (batch.added, batch.remarks) == (10, [])
    assert watching(archive, address).take().added == 0
    ((ends, course),) = courses(archive).items()
    assert ends == ("sw1", "port Ethernet1", "traffic in")
    assert list(course) == [NOW_S - HOUR * number for number in range(10, 0, -1)]
    assert list(course.values()) == pytest.approx([1e9] * 10, rel=0.02)
    assert watching(archive, f"{prometheus}/api/v1/query_range").take().added == 10  # those of the other way
    assert watching(archive, f"{prometheus}/api/v1/query_range?query=ifOutOctets").take().added == 0


@pytest.fixture
def influxdb(tmp_path):
    """An InfluxDB with a user, ten hours of a counter at 80 Mb/s, two hours of them lost, and its address."""
    if shutil.which("influxd") is None:
        pytest.skip("InfluxDB (package influxdb) is not installed")
    port, inner = free_port(), free_port()
    (tmp_path / "influx.conf").write_text(
        f'reporting-disabled = true\nbind-address = "127.0.0.1:{inner}"\n[meta]\ndir = "{tmp_path}/meta"\n'
        f'[data]\ndir = "{tmp_path}/data"\nwal-dir = "{tmp_path}/wal"\n'
        f'[http]\nbind-address = "127.0.0.1:{port}"\nauth-enabled = true\n'
    )
    daemon = subprocess.Popen(
        ["influxd", "-config", tmp_path / "influx.conf"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    server = f"http://127.0.0.1:{port}"
    try:
        until_it_answers(f"{server}/ping")

        def ask(path, content, **parameters):
            query = urllib.parse.urlencode(parameters)
            return urllib.request.urlopen(f"{server}{path}?{query}", content.encode()).read()  # noqa: S310

        ask("/query", urllib.parse.urlencode({"q": "CREATE USER me WITH PASSWORD 'CANARY7x9' WITH ALL PRIVILEGES"}))
        login = {"u": "me", "p": "CANARY7x9"}
        ask("/query", "", q="CREATE DATABASE telegraf", **login)
        lines = [
            f"net,host=dtn1,interface=eth0 bytes_recv={10_000_000 * second}i {NOW_S - 10 * HOUR + second}000000000"
            for second in range(0, 10 * HOUR, 60)
            if not 5 * HOUR <= second < 7 * HOUR
        ]
        ask("/write", "\n".join(lines), db="telegraf", **login)
        yield server
    finally:
        daemon.terminate()
        daemon.wait()


@pytest.mark.slow
def test_a_real_influxdb(archive, influxdb):
    address = influxdb.replace("://", "://me:CANARY7x9@") + "/query?db=telegraf"
    batch = watching(archive, address).take()
    assert batch.remarks == []
    ((ends, course),) = courses(archive).items()
    assert ends == ("dtn1", "port eth0", "traffic in")
    # the first two and those after the lost ones have no hour before them
    assert list(course) == [NOW_S - HOUR * number for number in (8, 7, 6, 2, 1)]
    assert list(course.values()) == pytest.approx([8e7] * 5, rel=1e-9)
    assert watching(archive, address).take().added == 0
    (remark,) = watching(archive, f"{influxdb}/query?db=telegraf&u=me&p=wrong").take().remarks
    assert remark == (
        f"{influxdb}/query?db=telegraf: it answers 401 Unauthorized; check its user and password or its token, "
        "which may have expired"
    )
    (remark,) = watching(archive, address.replace("db=telegraf", "db=other")).take().remarks
    assert remark.endswith(
        "found 'database not found: other', expected series of InfluxDB; check the address and its database"
    )
    assert json.dumps(archive.table("rates")["source_file"].unique().tolist()).count("CANARY") == 0


def readings(hours, **others):
    """Readings of a port each five minutes: 100 Mbit/s in, in odd hours 300 Mbit/s, nothing out."""
    seconds = np.arange(0, hours * 3600 + 1, 300)
    rates = np.where(seconds[:-1] // 3600 % 2, 300e6, 100e6)
    octets = np.concatenate([[0], np.cumsum(rates * 300 / 8)]).astype("uint64")
    times = pd.Timestamp("2026-03-01T00:10", tz="UTC") + pd.to_timedelta(seconds, unit="s")
    rows = [
        {
            "source_file": "poll",
            "host": "sw1",
            "interface": "Ethernet1",
            "time": when,
            "in_octets": int(count),
            **others,
        }
        for when, count in zip(times, octets, strict=True)
    ]
    return tables.make("samples", [{"out_octets": 0, "counter_bits": 64, **row} for row in rows])


def test_polls_in_the_archive_are_hourly_series_of_whole_hours(archive):
    archive.add("polls", {"samples": readings(4)})
    found = courses(archive)
    assert list(found) == [("sw1", "port Ethernet1", "traffic in"), ("sw1", "port Ethernet1", "traffic out")]
    first_s = int(pd.Timestamp("2026-03-01T01:00", tz="UTC").timestamp())
    # a hour from ten past on, the last whole one from three to four
    assert found["sw1", "port Ethernet1", "traffic in"] == pytest.approx(
        {
            first_s: (50 * 300e6 + 10 * 100e6) / 60,
            first_s + HOUR: (50 * 100e6 + 10 * 300e6) / 60,
            first_s + 2 * HOUR: 8e8 / 3,
        }
    )
    assert set(found["sw1", "port Ethernet1", "traffic out"].values()) == {1e3}


def test_an_hour_of_a_source_and_of_polls_counts_once(archive):
    archive.add("polls", {"samples": readings(4)})
    row = {"source_file": "http://h/api/v1/query_range", "host": "sw1", "interface": "Ethernet1", "interval_s": 3600.0}
    end = pd.Timestamp("2026-03-01T02:00", tz="UTC")
    archive.add("asked", {"rates": tables.make("rates", [{**row, "time": end, "in_bps": 5e8, "flag": "given"}])})
    found = courses(archive)["sw1", "port Ethernet1", "traffic in"]
    assert next(iter(found.values())) == 5e8
    assert len(found) == 3


def test_a_watch_judges_anew_what_a_poll_adds_and_only_then(archive, tmp_path, capsys):
    (tmp_path / "results").mkdir()
    arguments = Parser(prog="hecn")
    watch.add_arguments(arguments)
    words = [str(tmp_path / "results"), "--archive", str(archive.folder), "-o", str(tmp_path / "out")]
    watched = watch._Watched(
        Incoming(words[:1], archive), Remote([], archive, 0.0), Polls([], archive), (), archive, {}
    )
    for _ in range(2):
        assert watch._look(watched, arguments.parse_args(words)) == 0
    archive.add("polls", {"samples": readings(4)})
    for _ in range(2):
        assert watch._look(watched, arguments.parse_args(words)) == 0
    assert capsys.readouterr().out == "0 files added; 0 series, 0 to look at\n0 files added; 2 series, 0 to look at\n"
