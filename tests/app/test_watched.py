"""The server of a watch: its own files to this machine, and nothing to anybody else."""

import contextlib
import http.client
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from hecn_analysis.app.loopback import port_for
from hecn_analysis.app.watched import served
from hecn_analysis.base.errors import InputError
from hecn_analysis.watching.watch import write


@pytest.fixture
def address(tmp_path):
    """The server of an empty watch, with a file beside it and a link in it."""
    write(tmp_path / "out", [], ["no results yet"])
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "out" / "notes.txt").write_text("secret")
    (tmp_path / "out" / "series-0123456789abcdef.html").symlink_to(tmp_path / "secret.html")
    with served(tmp_path / "out", port_for(None, option="--serve")) as own:
        yield own


def ask(address, path, method="GET", **headers):
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    with contextlib.closing(connection):
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def test_pages_json_and_metrics_are_served(address):
    status, headers, text = ask(address, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "no results yet" in text
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert ask(address, "/index.html")[2] == text
    status, headers, text = ask(address, "/metrics")
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert 'hecn_series{state="usual"} 0' in text.splitlines()
    assert ask(address, "/status.json")[2].startswith("{")
    assert ask(address, "/metrics", "HEAD")[::2] == (200, "")


@pytest.mark.parametrize(
    "path",
    [
        "/notes.txt",
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/..%2fsecret.html",
        "/series-0123456789abcdef.html",
        "/a/b",
        "//",
    ],
)
def test_nothing_else_is_served(address, path):
    status, _, text = ask(address, path)
    assert (status, "secret" in text) == (404, False)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(address, method):
    assert ask(address, "/index.html", method)[0] == 405


def test_a_request_for_the_name_of_another_host_is_refused(address):
    assert ask(address, "/", Host="attacker.example")[0] == 404
    assert ask(address, "/", Host=f"localhost:{urlsplit(address).port}")[0] == 200


def test_other_machines_cannot_connect(address):
    with socket.socket() as probe, pytest.raises(OSError, match="refused"):
        probe.connect(("127.0.0.2", urlsplit(address).port))


def test_a_port_that_is_taken_is_named(address):
    port = urlsplit(address).port
    with pytest.raises(InputError) as error:
        port_for(port, option="--serve")
    expected = f"found port {port}, which is in use or reserved, expected a free port; name another --serve"
    assert str(error.value) == expected


@pytest.mark.slow
def test_a_watch_serves_its_page(tmp_path):
    (tmp_path / "results").mkdir()
    port = str(port_for(None, option="--serve"))
    words = [sys.executable, "-u", "-m", "hecn_analysis", "watch", tmp_path / "results", "--archive", tmp_path / "a"]
    words += ["-o", tmp_path / "o", "--serve", port]
    with subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8") as watch:
        address = watch.stdout.readline().strip()
        assert address == f"http://127.0.0.1:{port}/"
        assert watch.stdout.readline() == "0 files added; 0 series, 0 to look at\n"
        assert ask(address, "/")[0] == 200
        watch.send_signal(signal.SIGINT)
        assert watch.wait(20) == 0
