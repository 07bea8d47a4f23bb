"""The server of `hecn app`: who may ask it, what others see of the token, and what it says of all that."""

import asyncio
import contextlib
import http.client
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tornado.httpclient import HTTPClientError
from tornado.websocket import websocket_connect

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs rights of files")

SERVE = """\
import sys
from hecn_analysis.app import server
from hecn_analysis.cli import main
server.MOST_PAGES = 1
sys.exit(main(["app"]))
"""
BROWSER = """\
#!/bin/sh
printf '%s\\n' "$@" > "$SEEN.part"
mv "$SEEN.part" "$SEEN"
"""


class Running:
    """A server of one page, whose browser only writes down its arguments."""

    def __init__(self, folder, scratch):
        (folder / "browser").write_text(BROWSER)
        (folder / "browser").chmod(0o700)
        self.folder, self.seen = folder, folder / "seen.txt"
        more = {"BROWSER": f"{folder}/browser %s", "SEEN": str(self.seen), "TMPDIR": str(scratch)}
        with (folder / "stderr.txt").open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE],
                env={**os.environ, **more},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.address = self.process.stdout.readline().strip()
        self.host, self.token = urlsplit(self.address).netloc, self.address.partition("token=")[2]

    @property
    def said(self):
        return (self.folder / "stderr.txt").read_text().splitlines()

    def ask(self, path, **headers):
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=200)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    scratch = Path(tempfile.mkdtemp())  # a short name, so that kernels have sockets
    running = Running(tmp_path_factory.mktemp("app"), scratch)
    assert len(running.token) >= 32
    yield running
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(60) == 0
    running.process.stdout.close()
    scratch.rmdir()
    assert running.token not in "".join(running.said)
    assert "Traceback" not in "".join(running.said)


def test_the_browser_learns_the_token_from_a_file_of_the_user(server):
    end = time.monotonic() + 60
    while not server.seen.exists():
        assert time.monotonic() < end
        time.sleep(0.1)
    arguments = server.seen.read_text()
    assert server.token not in arguments
    page = Path(urlsplit(arguments.strip()).path)
    assert f"url={server.address}" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.1"])
def test_a_request_for_another_host_is_refused(server, host):
    for path in (f"/?token={server.token}", f"/api/kernels/{uuid.uuid4()}?token={server.token}", "/"):
        code, text = server.ask(path, Host=host)
        assert code == 403, path
        assert "hecn-app" not in text
    assert server.said[-1] == "hecn: a request for the name of another host was refused"


@pytest.mark.parametrize("token", ["", "?token=wrong"])
def test_a_websocket_without_the_token_is_one_line(server, token):
    before = len(server.said)
    with pytest.raises(HTTPClientError, match="403"):
        asyncio.run(connected(f"ws://{server.host}/api/kernels/{uuid.uuid4()}/channels{token}"))
    assert server.said[before:] == ["hecn: a connection without the token was refused"]


async def connected(address):
    return await websocket_connect(address)


def test_errors_are_one_line_without_the_token(server):
    before = len(server.said)
    for path in (
        "/voila/templates/x",
        f"/api/kernels/{uuid.uuid4()}/channels",
        "/%ff",
        "/logout",
        "/?template=../../x",
    ):
        code, _ = server.ask(f"{path}{'&' if '?' in path else '?'}token={server.token}", Host="localhost")
        assert code < 600
    said = server.said[before:]
    assert len(said) <= 5
    assert any("token=…" in line for line in said)
    assert [line for line in said if not line.startswith("hecn: ")] == []


def test_one_page_too_many_is_told(server):
    codes = [server.ask(f"/?token={server.token}") for _ in range(2)]
    assert codes[-1][0] == 503
    assert "1 pages of the app are open, which is the limit." in codes[-1][1]
