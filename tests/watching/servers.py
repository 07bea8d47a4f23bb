"""Servers of HTTP and SMTP on loopback whose answers tests choose, and answers like those of perfSONAR's archives."""

import contextlib
import email
import email.policy
import json
import socketserver
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pandas as pd


class Request:
    """What a client asked: path, parameters, headers, and the JSON that it sent."""

    def __init__(self, handler):
        parts = urlsplit(handler.path)
        self.path = parts.path
        self.parameters = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.headers = handler.headers
        length = int(handler.headers.get("Content-Length", 0))
        self.body = json.loads(handler.rfile.read(length)) if length else None


@contextlib.contextmanager
def served(answer):
    """Serve what ``answer(request)`` returns: plain objects, or status, headers and bytes."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            request = Request(self)
            asked.append(request)
            found = answer(request)
            status, headers, content = found if isinstance(found, tuple) else (200, {}, json.dumps(found).encode())
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(content))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(content)
            self.close_connection = True

        do_POST = do_GET  # noqa: N815 - named by the base class

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Talk(socketserver.StreamRequestHandler):
    """A conversation of SMTP, whose server knows answers, encryption, and where mails and commands go."""

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def encrypt(self):
        self.connection = self.server.tls.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)

    def handle(self):
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            if self.server.is_encrypted:
                self.encrypt()
            self.say("220 mail.example.net ready")
            while line := self.rfile.readline().decode().strip():
                self.server.commands.append(line)
                self.answer(line.split(maxsplit=1)[0].upper())

    def answer(self, word):
        if word in self.server.answers:
            self.say(self.server.answers[word])
        elif word == "EHLO":
            can_encrypt = self.server.tls and self.connection is self.request
            self.say(f"250-mail.example.net\r\n250 {'STARTTLS' if can_encrypt else 'AUTH PLAIN'}")
        elif word == "DATA":
            self.say("354 go on")
            content = b"".join(iter(self.rfile.readline, b".\r\n"))
            self.server.mails.append(email.message_from_bytes(content, policy=email.policy.default))
            self.say("250 taken")
        else:
            self.say({"AUTH": "235 welcome", "STARTTLS": "220 go on", "QUIT": "221 bye"}.get(word, "250 fine"))
        if word == "STARTTLS":
            self.encrypt()

    def finish(self):
        super().finish()
        self.connection.close()


@contextlib.contextmanager
def mailbox(answers=None, *, tls=None, is_encrypted=False):
    """Take mails by SMTP; `answers` replace those to some commands. Yields the port, mails, and commands.

    With the context `tls` it offers encryption, or begins with it.
    """
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Talk) as server:
        server.answers, server.tls, server.is_encrypted = answers or {}, tls, is_encrypted
        server.mails, server.commands = [], []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server.server_address[1], server.mails, server.commands
        finally:
            server.shutdown()
            thread.join()


KEY = "f6b732e9f351487a96126f0c25e5e546"


class Esmond:
    """An archive with one test of throughput; `points` are its times [s] and rates, `failures` times and errors."""

    def __init__(self, points=(), failures=()):
        self.points, self.failures, self.retransmits = dict(points), dict(failures), {}
        self.most = 1000
        self.filters = True

    def __call__(self, request):
        if request.path == "/esmond/perfsonar/archive/":
            return self.tests()[int(request.parameters["offset"]) :]
        *_, key, event, kind = request.path.split("/")
        assert (key, kind) == (KEY, "base")
        kept = {"throughput": self.points, "failures": self.failures, "packet-retransmits": self.retransmits}[event]
        first, last = int(request.parameters["time-start"]), int(request.parameters["time-end"])
        found = [
            {"ts": time, "val": value} for time, value in kept.items() if not self.filters or first <= time <= last
        ]
        return found[: self.most]

    def tests(self):
        newest = max([*self.points, *self.failures], default=0)
        events = [
            {"event-type": name, "base-uri": f"/esmond/perfsonar/archive/{KEY}/{name}/base", "time-updated": newest}
            for name in ("throughput", "failures", "packet-retransmits")
        ]
        return [
            {
                "url": f"http://ps.example.net/esmond/perfsonar/archive/{KEY}/",
                "metadata-key": KEY,
                "subject-type": "point-to-point",
                "event-types": events,
                "source": "192.0.2.1",
                "destination": "192.0.2.2",
                "input-source": "a.example.net",
                "input-destination": "b.example.net",
                "measurement-agent": "192.0.2.1",
                "tool-name": "pscheduler/iperf3",
                "ip-transport-protocol": "tcp",
                "time-duration": "20",
                "bw-parallel-streams": "4",
                "metadata-count-total": 1,
                "metadata-next-page": None,
            }
        ]


def document(number, time_s, rate_bps, **result):
    """A result of pScheduler as perfSONAR's Logstash stores it."""
    start = pd.Timestamp(time_s, unit="s", tz="UTC").isoformat()
    return {
        "_index": "pscheduler_throughput",
        "_id": f"id{number}",
        "_source": {
            "pscheduler": {"start_time": start, "tool": "iperf3", "run_href": f"https://a/pscheduler/runs/{number}"},
            "test": {"type": "throughput", "spec": {"source": "a", "dest": "b", "duration": 20, "parallel": 2}},
            "meta": {
                "source": {"ip": "192.0.2.1", "hostname": "a.example.net"},
                "destination": {"ip": "192.0.2.2", "hostname": "b.example.net"},
            },
            "result": {"succeeded": True, "throughput": rate_bps, "retransmits": 7, "mss": 8948, **result},
        },
    }


class OpenSearch:
    """Indices with some documents."""

    def __init__(self, documents=()):
        self.documents = list(documents)
        self.shards = {"total": 5, "successful": 5, "failed": 0}

    def __call__(self, request):
        assert request.path == "/opensearch/pscheduler*/_search"
        (later,) = (one["range"] for one in request.body["query"]["bool"]["filter"] if "range" in one)
        first = pd.Timestamp(later["pscheduler.start_time"]["gte"])

        def time(one):
            return pd.Timestamp(one["_source"]["pscheduler"]["start_time"])

        found = sorted((one for one in self.documents if time(one) >= first), key=time)
        hits = found[: request.body["size"]]
        return {"timed_out": False, "_shards": self.shards, "hits": {"total": {"value": len(found)}, "hits": hits}}
