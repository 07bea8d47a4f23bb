"""A session log: which reader gets which line, and what counts as a command line."""

import pytest

from hecn_analysis.files.source import Line, Lines
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.logs.registry import command


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$ nuttcp host", ("nuttcp", ("host",))),
        ("[me@there dir]$ nuttcp -r host", ("nuttcp", ("-r", "host"))),
        ("root@there:~# sudo nuttcp -T5 host | tee log", ("nuttcp", ("-T5", "host"))),
        ("/ # dd if=/dev/zero of=x", ("dd", ("if=/dev/zero", "of=x"))),
        ("+ /usr/bin/nuttcp-8.1.4 -i1 host", ("nuttcp", ("-i1", "host"))),
        ("Running: dd if=a of=b bs=1M", ("dd", ("if=a", "of=b", "bs=1M"))),
        ("nuttcp host", ("nuttcp", ("host",))),
        ("time nuttcp host", ("nuttcp", ("host",))),
        ("$ ls -l", ("", ())),
        ("me@there:~$ ", ("", ())),
        ("nuttcp measures the throughput of a network", None),
        ("# a comment about dd", None),
        ("dd reads (of=/dev/null)", None),
        ("oddly, if=x", None),
        ("50 % of all", None),
    ],
)
def test_command_lines(text, expected):
    found = command(Line(7, text))
    assert (found and (found.line, found.program, found.arguments)) == (expected and (7, *expected))


def test_runs_of_several_tools_keep_the_order_of_the_session(reading_of):
    reading = reading_of(
        "Host there, kernel as of today\n"
        "$ dd if=/dev/zero of=file bs=1M count=64\n64+0 records in\n64+0 records out\n"
        "67108864 bytes (67 MB, 64 MiB) copied, 0.0312 s, 2.2 GB/s\n"
        "$ nuttcp -T1 host\n"
        " 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"
        "$ ping -c1 host\n64 bytes from host: icmp_seq=1 ttl=64 time=0.105 ms\n\n--- host ping statistics ---\n"
        "1 packets transmitted, 1 received, 0% packet loss, time 0ms\n"
        "rtt min/avg/max/mdev = 0.105/0.105/0.105/0.000 ms\n"
        "Copying the archive with nuttscp:\n"
        "— Put: 7184.8745 Mbps 41 % TX 71 %RX 0 retrans 0.11 msRTT\n"
    )
    assert reading.runs.tool.tolist() == ["dd", "nuttcp", "ping", "nuttscp"]
    assert reading.runs.run.tolist() == [0, 1, 2, 3]
    assert reading.runs.line_first.tolist() == [3, 7, 9, 15]
    assert reading.problems.empty


def test_a_reader_stops_getting_every_line_after_a_while():
    class Counting:
        """A reader of lines with a word and of the lines below them."""

        TOOLS = ("counting",)
        HINTS = ("count me",)

        def __init__(self, _findings):
            self.offered = self.taken = 0
            seen.append(self)

        def feed(self, line):
            self.offered += 1
            self.taken += "count" in line.text
            return "count" in line.text

        def finish(self):
            pass

    seen = []
    rows = ["count me", "x", "count", *["x"] * 20_000, "count", "count me", "count"]
    registry.read(Lines.of("\n".join(rows)), RunFindings("a.log"), [Counting])
    assert seen[0].taken == 4  # not the late line without a hint
    assert seen[0].offered < 5_000
