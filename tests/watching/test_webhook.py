"""A webhook gets each change once, even if the watch is killed or the address refuses it at first."""

from dataclasses import replace

import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.watching.incoming import Incoming
from hecn_analysis.watching.watch import judge
from hecn_analysis.watching.webhook import Webhook
from tests.watching.results import write_hourly
from tests.watching.servers import served

pytestmark = pytest.mark.slow  # a series of nine days is archived, and refused addresses are asked again

SECRET = "CANARY7x9"  # noqa: S105 (one that is planted)


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A folder with a series that dropped in its last five results, and its archive."""
    place = tmp_path_factory.mktemp("watch")
    (place / "results").mkdir()
    write_hourly(place / "results", 215, drop_at=210)
    Incoming([str(place / "results")], Archive(place / "archive")).take(settled=True)
    return place, judge(Archive(place / "archive"))[0]


def taken(_):
    return 204, {}, b""


def test_a_change_is_told_once_with_its_series_and_reasons(watched, archive):
    _, judged = watched
    with served(taken) as (server, asked):
        hook = f"{server}/hooks/{SECRET}?token={SECRET}"
        assert Webhook(hook, archive).tell(judged) == []
        assert Webhook(hook, archive).tell(judged) == []  # as after a restart
    (request,) = asked
    assert (request.path, request.parameters) == (f"/hooks/{SECRET}", {"token": SECRET})
    assert request.headers["Content-Type"] == "application/json"
    (change,) = request.body["changes"]
    assert change["id"].startswith("told-")
    assert (change["source"], change["destination"], change["state"]) == ("192.0.2.1", "192.0.2.2", "worse")
    assert change["time"] == "2023-11-23T16:13:20+00:00"
    assert change["ratio_low"] < 0.6 < change["ratio_high"]
    assert change["reasons"][0].startswith("the round-trip time rose from 40.0 ms to 60.0 ms ")
    assert change["page"].startswith("series-")
    assert archive.units()["source"].tolist() == [f"webhook at {server}"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((503, {}, b""), "it answers 503 Service Unavailable; it is overloaded or down"),
        ((404, {}, b""), "it answers 404 Not Found; check the path of the address"),
        (
            (302, {"Location": "/elsewhere"}, b""),
            "it redirects to {server}; not followed; give that address if it is right",
        ),
    ],
)
def test_an_address_that_does_not_take_it_is_named_once_and_tried_again(watched, archive, answer, words):
    _, judged = watched
    answers = [answer] * 6
    with served(lambda request: answers.pop() if answers else taken(request)) as (server, asked):
        webhook = Webhook(f"{server}/hooks/{SECRET}", archive)
        remark = f"webhook at {server}: {words.format(server=server)}; its changes wait"
        assert webhook.tell(judged) == [remark]
        assert webhook.tell(judged) == []  # it pauses
        webhook._backoff.again_s = 0.0
        assert webhook.tell(None) == []  # nothing new was judged, and the same fault is not said again
        answers.clear()
        webhook._backoff.again_s = 0.0
        assert webhook.tell(None) == []
        assert webhook.tell(judged) == []
    assert len(asked[-1].body["changes"]) == 1
    assert len(archive.units()) == 1


def test_old_changes_are_not_told(watched, archive):
    _, judged = watched
    (status,) = judged
    old = {**status.changes[0], "time": "2023-11-14T00:00:00+00:00"}
    with served(taken) as (server, asked):
        assert Webhook(server, archive).tell([replace(status, changes=(old,))]) == []
    assert asked == []


@pytest.mark.parametrize("status", [204, 401])
def test_nothing_of_the_address_is_shown(watched, tmp_path, monkeypatch, capfd, status):
    place, _ = watched
    with served(lambda _: (status, {}, SECRET.encode() * (status > 204))) as (server, asked):
        hook = f"{server.replace('://', f'://me:{SECRET}@')}/hooks/{SECRET}?x={SECRET}"
        monkeypatch.setenv("HECN_WATCH_WEBHOOK", hook)
        words = ["watch", str(place / "results"), "--archive", str(tmp_path / "a"), "-o", str(tmp_path / "o"), "--once"]
        assert main(words) == (status > 204)
    assert len(asked) == 1
    assert asked[0].headers["Authorization"] == "Basic bWU6Q0FOQVJZN3g5"
    out, err = capfd.readouterr()
    assert SECRET not in out + err
    assert (f"webhook at {server}: it answers 401 Unauthorized" in err) == (status > 204)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    "text", [f"hooks.example.net/{SECRET}", f"ftp://hooks.example.net/{SECRET}", f"http://h:x/{SECRET}"]
)
def test_a_wrong_address_is_not_shown(archive, text):
    with pytest.raises(InputError, match=r"^found the address '…', expected an address such as https://") as error:
        Webhook(text, archive)
    assert SECRET not in str(error.value)
