"""Sources over HTTP: each result counts once, whatever a server does, and what it does is named once."""

import json
import time

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.watching import remote, web
from hecn_analysis.watching.remote import Remote
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.sources import source_of
from tests.watching.servers import KEY, Esmond, OpenSearch, document, served

NOW_S = int(time.time()) // 3600 * 3600
FIRST_S = NOW_S - 60 * 86400
HOUR = 3600


def watching(archive, address, **others):
    return Remote([source_of(address, **others)], archive, FIRST_S)


def rates(archive):
    return [one.runs["rate_bps"].tolist() for one in series_of(archive)[0]]


def hourly(count, last_s=NOW_S - HOUR):
    """Times and rates of some hours, the oldest first."""
    return {last_s - HOUR * (count - 1 - number): 1e9 + number for number in range(count)}


def esmond(server):
    return f"{server}/esmond/perfsonar/archive/"


def test_results_of_esmond_have_their_ends_test_and_figures(archive):
    own = Esmond({NOW_S - 7200: 9.4e9}, {NOW_S - HOUR: {"error": "could not reach b"}})
    own.retransmits = {NOW_S - 7200: 12}
    with served(own) as (server, asked):
        batch = watching(archive, esmond(server)).take()
    assert (batch.added, batch.remarks) == (2, [])
    assert [request.path for request in asked].count("/esmond/perfsonar/archive/") == 1
    (series,), untimed = series_of(archive)
    assert (series.source, series.destination, series.name) == (
        "a.example.net",
        "b.example.net",
        "iperf3 tcp send, 4 streams",
    )
    (run,) = series.runs.to_dict("records")
    assert (run["rate_bps"], run["retransmits"], run["duration_s"]) == (9.4e9, 12, 20.0)
    assert run["retransmits_per_gb"] == pytest.approx(12 / (9.4 * 20 / 8))
    assert run["source_file"] == f"{server}/esmond/perfsonar/archive/{KEY}/throughput/base"
    assert run["start_time"].timestamp() == NOW_S - 7200
    assert (len(series.failed), untimed) == (1, 0)
    (problem,) = archive.table("problems").to_dict("records")
    assert (problem["kind"], problem["message"]) == ("aborted", "found 'could not reach b', expected a result")


def test_results_of_opensearch_have_their_ends_test_and_figures(archive):
    own = OpenSearch([document(1, NOW_S - 7200, 9.4e9, rtt=40000), document(2, NOW_S - HOUR, None, succeeded=False)])
    with served(own) as (server, _):
        batch = watching(archive, f"{server}/opensearch/").take()
    assert (batch.added, batch.remarks) == (2, [])
    (series,), _ = series_of(archive)
    assert (series.source, series.destination) == ("a.example.net", "b.example.net")
    assert series.name == "iperf3 tcp send, 2 streams"
    (run,) = series.runs.to_dict("records")
    assert (run["rate_bps"], run["retransmits"], run["mss_bytes"], run["rtt_s"]) == (9.4e9, 7, 8948, 0.04)
    assert run["source_file"] == f"{server}/opensearch/pscheduler_throughput/_doc/id1"
    assert len(series.failed) == 1


@pytest.fixture(params=["esmond", "opensearch"])
def kind(request):
    """How a kind of archive is made of times and rates, and its address."""

    def make(points):
        if request.param == "esmond":
            return Esmond(points), "/esmond/perfsonar/archive/"
        documents = [document(when, when, rate) for when, rate in points.items()]
        return OpenSearch(documents), "/opensearch/pscheduler*/_search"

    return make


def test_results_count_once_however_often_they_come(archive, kind):
    own, path = kind(hourly(30))
    with served(own) as (server, _):
        watched = watching(archive, server + path)
        assert [watched.take().added for _ in range(2)] == [30, 0]
        if isinstance(own, OpenSearch):
            own.documents *= 2
        assert watching(archive, server + path).take().added == 0  # as after a restart
    assert rates(archive) == [list(hourly(30).values())]
    assert len(archive.table("runs")) == 30


def test_two_sources_of_the_same_results_count_once(archive):
    points = hourly(5)
    documents = [document(when, when, rate) for when, rate in points.items()]
    for one in documents:
        one["_source"]["test"]["spec"]["parallel"] = 4
    archives = {"esmond": Esmond(points), "opensearch": OpenSearch(documents)}
    with served(lambda request: archives[request.path.split("/")[1]](request)) as (server, _):
        sources = [source_of(esmond(server)), source_of(f"{server}/opensearch/")]
        assert Remote(sources, archive, FIRST_S).take().added == 10
    assert rates(archive) == [list(points.values())]


def test_late_results_out_of_order_are_not_lost(archive, kind):
    points = hourly(300)
    order = list(points)
    first = {when: points[when] for when in order[100:] if when != order[250]}
    own, path = kind(first)
    late, _ = kind(points)
    has_come = []

    def answer(request):
        return (late if has_come else own)(request)

    with served(answer) as (server, _):
        watched = watching(archive, server + path)
        assert watched.take().added == 199
        has_come.append(1)
        watched._states.clear()  # an hour later
        assert watched.take().added == 101
    assert rates(archive) == [list(points.values())]


@pytest.mark.parametrize("most", [20, 10**9])
def test_more_results_than_an_answer_holds(archive, most, monkeypatch):
    monkeypatch.setattr("hecn_analysis.watching.perfsonar._PAGE", 20)
    points = hourly(50)
    own = Esmond(points)
    own.most = most
    with served(own) as (server, _):
        assert watching(archive, esmond(server)).take().added == 50
    assert rates(archive) == [list(points.values())]


def test_pages_of_opensearch(archive, monkeypatch):
    monkeypatch.setattr("hecn_analysis.watching.perfsonar._PAGE", 7)
    points = hourly(20)
    many = {number: document(f"same{number}", NOW_S - 30 * HOUR, 2e9) for number in range(9)}
    own = OpenSearch([*many.values(), *(document(when, when, rate) for when, rate in points.items())])
    with served(own) as (server, _):
        assert watching(archive, f"{server}/opensearch/").take().added == 29
    assert len(archive.table("runs")) == 29


def test_a_server_that_ignores_the_time_is_believed_within_it(archive, monkeypatch):
    monkeypatch.setattr("hecn_analysis.watching.perfsonar._PAGE", 20)
    own = Esmond(hourly(50))
    own.filters, own.most = False, 10**9
    own.points[FIRST_S - 86400] = 5e9
    with served(own) as (server, asked):
        watched = watching(archive, esmond(server))
        assert watched.take().added == 50
        assert len(asked) < 10


def test_results_from_the_future_wait_until_their_time(archive, kind, monkeypatch):
    own, path = kind({NOW_S - HOUR: 1e9, NOW_S + 86400: 2e9})
    with served(own) as (server, _):
        watched = watching(archive, server + path)
        batch = watched.take()
        assert batch.added == 1
        (remark,) = batch.remarks
        assert remark == (
            f"{server}{path}: found results from the future, expected none; check its clock; left out until then"
        )
        assert watched.take().remarks == []
        monkeypatch.setattr(remote.time, "time", lambda: NOW_S + 2 * 86400)
        watched._states.clear()
        assert watched.take().added == 1


HTML = (200, {}, b"<html>please log in</html>")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (HTML, "found '<html>please log in</html>', expected JSON; check the path of the address"),
        ((200, {}, b'[{"metadata-key": "f6b7'), """found '[{"metadata-key": "f6b7', expected JSON; check the path"""),
        ((200, {"Content-Length": "5000"}, b"[]"), "its answer ended after 2 of 5000 bytes; it or a proxy closed"),
        ({"detail": "Not found."}, "found 'Not found.', expected esmond's list of tests"),
        ((401, {}, b"{}"), "it answers 401 Unauthorized; check its user and password or its token, which may have"),
        ((403, {}, b"{}"), "it answers 403 Forbidden; its user or token may not read this; ask its operator"),
        ((404, {}, b"{}"), "it answers 404 Not Found; check the path of the address"),
        ((503, {}, b""), "it answers 503 Service Unavailable; it is overloaded or down"),
        ((302, {"Location": "http://192.0.2.7/x"}, b""), "it redirects to http://192.0.2.7; not followed; give that"),
        ((302, {"Location": "file:///etc/passwd"}, b""), "it answers 302 Found; check the address"),
        ((200, {}, b"[" * 100_000), "found '[[[[["),
    ],
)
def test_a_fault_is_named_once_and_nothing_is_lost(archive, answer, words):
    own, is_broken = Esmond(hourly(5)), True
    with served(lambda request: answer if is_broken else own(request)) as (server, _):
        watched = watching(archive, esmond(server))
        batch = watched.take()
        (remark,) = batch.remarks
        assert remark.startswith(f"{esmond(server)}: {words}")
        backoff = watched._states[esmond(server)].backoff
        assert watched.take().remarks == []  # it pauses
        backoff.again_s = 0.0
        assert watched.take().remarks == []  # the same again
        assert backoff.pause_s == 120.0
        is_broken, backoff.again_s = False, 0.0
        assert watched.take().added == 5
        assert backoff.pause_s == 0.0
    assert rates(archive) == [list(hourly(5).values())]


def test_a_passing_fault_is_tried_again_at_once(archive):
    own, answers = Esmond(hourly(5)), [(503, {}, b""), (200, {"Content-Length": "99"}, b"[]")]
    with served(lambda request: answers.pop() if answers else own(request)) as (server, _):
        batch = watching(archive, esmond(server)).take()
    assert (batch.added, batch.remarks) == (5, [])


def test_what_came_before_a_fault_counts(archive, monkeypatch):
    monkeypatch.setattr("hecn_analysis.watching.perfsonar._PAGE", 7)
    own, asked = OpenSearch([document(when, when, rate) for when, rate in hourly(20).items()]), []

    def answer(request):
        asked.append(request)
        return own(request) if len(asked) == 1 else (401, {}, b"")

    with served(answer) as (server, _):
        batch = watching(archive, f"{server}/opensearch/").take()
    assert batch.added == 7
    assert len(batch.remarks) == 1


def test_a_source_that_is_away_is_named_once(archive):
    with served(Esmond()) as (server, _):
        pass
    watched = watching(archive, esmond(server))
    (remark,) = watched.take().remarks
    fault = "cannot be reached (Connection refused); check the address, and that it runs"
    assert remark == f"{esmond(server)}: {fault}"
    assert watched.take().remarks == []


def test_an_answer_that_is_too_large_or_too_slow(archive, monkeypatch):
    monkeypatch.setattr(web, "_LARGEST", 1 << 20)
    with served(lambda _: [0] * 1_000_000) as (server, _):
        (remark,) = watching(archive, esmond(server)).take().remarks
        assert remark == f"{esmond(server)}: its answer is larger than 1 MiB; ask it for less"
    monkeypatch.setattr(web, "_PATIENCE_S", 0.1)
    with served(lambda _: time.sleep(0.3) or []) as (server, _):
        (remark,) = watching(archive, esmond(server)).take().remarks
        assert remark == f"{esmond(server)}: no answer within 0 s; check that it runs, and firewalls"


def test_a_redirect_on_the_same_host_is_followed(archive):
    own = Esmond(hourly(3))

    def answer(request):
        if request.path.startswith("/old/esmond/"):
            query = "&".join(f"{name}={value}" for name, value in request.parameters.items())
            moved = request.path.replace("/old/esmond/", "/esmond/perfsonar/archive/")
            return 301, {"Location": f"{moved}?{query}"}, b""
        return own(request)

    with served(answer) as (server, _):
        assert watching(archive, f"{server}/old/esmond/").take().added == 3


@pytest.mark.parametrize(
    ("damaged", "remark"),
    [
        (
            lambda own: own.points.update({NOW_S: "fast"}),
            f"{KEY}: found the throughput 'fast', expected bit/s; left out",
        ),
        (lambda own: own.points.update({NOW_S: -1.0}), f"{KEY}: found the throughput -1.0, expected bit/s; left out"),
        (
            lambda own: own.points.update({"noon": 1e9}),
            f"{KEY}/throughput: found an object with 'ts', 'val', expected 'ts' and 'val'; left out",
        ),
    ],
)
def test_a_value_that_is_none_is_noted_once(archive, damaged, remark):
    own = Esmond(hourly(3))
    damaged(own)
    own.filters = False
    own.tests = Esmond(hourly(3)).tests
    with served(own) as (server, _):
        watched = watching(archive, esmond(server))
        batch = watched.take()
        assert (batch.added, batch.remarks) == (3, [f"{esmond(server)}: {remark}"])
        watched._states[esmond(server)].late_s = -1e9
        assert watched.take().remarks == []


def test_an_answer_without_some_shards_is_none(archive):
    own = OpenSearch([document(1, NOW_S - HOUR, 1e9)])
    own.shards = {"total": 5, "successful": 3, "failed": 2}
    with served(own) as (server, _):
        batch = watching(archive, f"{server}/opensearch/").take()
    assert batch.added == 0
    assert batch.remarks == [f"{server}/opensearch/: its answer lacks 2 of 5 shards; check its health"]


def test_a_document_without_time_or_rate_is_noted(archive):
    untimed, rateless = document(1, NOW_S - HOUR, 1e9), document(2, NOW_S - HOUR, None)
    untimed["_source"]["pscheduler"]["start_time"] = "soon"
    with served(lambda _: {"hits": {"hits": [untimed, rateless, document(3, NOW_S - HOUR, 1e9)]}}) as (server, _):
        batch = watching(archive, f"{server}/opensearch/").take()
    assert batch.added == 1
    name = f"{server}/opensearch/: {server}/opensearch/pscheduler_throughput/_doc"
    assert batch.remarks == [
        f"{name}/id1: found no 'pscheduler.start_time', expected a time in UTC; left out",
        f"{name}/id2: found no 'result.throughput', expected bit/s; left out",
    ]


# secrets


SECRET = "CANARY7x9"  # noqa: S105 (one that is planted)


def secret_of(request):
    return request.headers["Authorization"]


@pytest.mark.parametrize("status", [200, 401])
def test_user_and_password_of_the_address_are_sent_and_not_shown(tmp_path, capfd, status):
    own = Esmond(hourly(3))
    with served(lambda request: own(request) if status == 200 else (401, {}, SECRET.encode())) as (server, asked):
        address = esmond(server).replace("://", f"://me:{SECRET}@")
        words = ["watch", address, "--archive", str(tmp_path / "a"), "-o", str(tmp_path / "o"), "--once"]
        assert main(words) == (0 if status == 200 else 1)
    assert secret_of(asked[0]) == "Basic bWU6Q0FOQVJZN3g5"
    out, err = capfd.readouterr()
    assert SECRET not in out + err
    assert "0 files and 3 results added" in out or status == 401
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_a_token_of_the_environment_goes_to_its_host_only(archive, monkeypatch):
    monkeypatch.setenv("HECN_WATCH_TOKEN_127_0_0_1", SECRET)
    monkeypatch.setenv("HECN_WATCH_TOKEN_LOCALHOST", "other")
    with served(Esmond(hourly(3))) as (server, asked):
        watching(archive, esmond(server)).take()
    assert {secret_of(request) for request in asked} == {f"Token {SECRET}"}


def test_a_login_of_a_file_is_sent(archive, tmp_path):
    file = tmp_path / "logins"
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    file.chmod(0o600)
    with served(Esmond(hourly(3))) as (server, asked):
        watching(archive, esmond(server), logins=file).take()
    assert {secret_of(request) for request in asked} == {"Basic bWU6Q0FOQVJZN3g5"}


def test_a_file_of_logins_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "logins"
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    file.chmod(0o644)
    with pytest.raises(InputError) as error:
        source_of("http://127.0.0.1/esmond/", logins=file)
    assert str(error.value) == f"{file}: found mode 644, expected a file that only its owner can read; chmod 600 it"
    file.write_text(f"machine 127.0.0.1 logon me {SECRET}\n")
    file.chmod(0o600)
    said = r"found a line that does not belong in \.netrc, expected 'machine HOST"
    with pytest.raises(InputError, match=said) as error:
        source_of("http://127.0.0.1/esmond/", logins=file)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("ftp://h/esmond/", "ftp://h/esmond/"),
        ("http:///esmond/", "http:///esmond/"),
        ("http://h:99999/esmond/", "http://h:99999/esmond/"),
        (f"http://me:{SECRET}@h:port/esmond/", "http://h:port/esmond/"),
        (f"http://me:{SECRET}/x@h/esmond/", "http://h/esmond/"),
        (f"ftp://me:{SECRET}@h/esmond/?token={SECRET}", "ftp://h/esmond/"),
    ],
)
def test_other_addresses_are_refused(address, shown):
    with pytest.raises(InputError) as error:
        source_of(address)
    expected = "an address such as https://ps.example.net/esmond/perfsonar/archive/"
    assert str(error.value) == f"found the address {shown!r}, expected {expected}"


def test_an_address_of_no_known_kind_is_refused():
    with pytest.raises(InputError, match=r"found the address 'https://ps.example.net/', expected one with /esmond/"):
        source_of(f"https://me:{SECRET}@ps.example.net")


def test_proxies_of_the_environment_are_not_asked(archive, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with served(Esmond(hourly(3))) as (server, _):
        assert watching(archive, esmond(server)).take().added == 3


def test_the_pages_name_the_results_of_a_source(tmp_path):
    with served(Esmond(hourly(300))) as (server, _):
        words = ["watch", esmond(server), "--archive", str(tmp_path / "a"), "-o", str(tmp_path / "o"), "--once"]
        assert main(words) == 0
    (one,) = json.loads((tmp_path / "o" / "status.json").read_text())["series"]
    assert (one["source"], one["destination"], one["results"]) == ("a.example.net", "b.example.net", 300)
