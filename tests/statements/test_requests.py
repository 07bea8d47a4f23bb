"""What a tool was asked for, on command lines and in the JSON of iperf3."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.requests import find


def said(text, name):
    return [(one.value, one.line) for one in find(Document("run.txt", text.encode())) if one.name == name]


def test_every_command_of_a_session_is_told_with_its_own_requests():
    text = "$ nuttcp -T60 there\n\n$ nuttcp -u -R150m there\n\n$ nuttcp -T60 there\n\n$ nuttcp -w4m there\n"
    assert [line for _, line in said(text, "asked.command")] == [1, 3, 5, 7]
    assert said(text, "asked.rate_bps") == [(150e6, 3)]
    assert said(text, "asked.window_bytes") == [(4 * 2**20, 7)]


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        ("iperf3 -c there -P 4 -b 1G", "asked.rate_bps", 4e9),
        ("iperf3 -c there --bitrate=250M", "asked.rate_bps", 250e6),
        ("iperf3 -c there -w 256K", "asked.window_bytes", 262144),
        ("iperf3 -c there -n 2M", "asked.bytes", 2 * 2**20),
        ("nuttcp -w64 there", "asked.window_bytes", 65536),
        ("nuttcp -ws8m there", "asked.window_bytes", 8 * 2**20),
        ("nuttcp -R500 there", "asked.rate_bps", 500e3),
        ("nuttcp -Ri2g there", "asked.rate_bps", 2e9),
        ("dd if=/dev/sda bs=1M | nuttcp -t -s there", "asked.file", "/dev/sda"),
        ("dd if=/dev/zero bs=1M | nuttcp -t -s there", "asked.file", "memory"),
        ("nuttcp -r -s | python3 ingest.py", "asked.file", "program"),
        ("iperf3 -c there -F /data/run.dat", "asked.file", "/data/run.dat"),
    ],
)
def test_requests_of_command_lines(command, name, value):
    assert said(f"$ {command}\n", name) == [(value, 1)]


def test_each_end_is_told_once_until_it_changes():
    stream = "[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201\n"
    other = stream.replace("192.0.2.2", "192.0.2.3")
    assert said(stream * 2 + other, "asked.remote") == [("192.0.2.2", 1), ("192.0.2.3", 3)]


def test_the_requests_of_json():
    text = (
        '{"start": {"sock_bufsize": 131072, "test_start": {"num_streams": 2, "target_bitrate": 30000000, "bytes": 0}}}'
    )
    assert said(text, "asked.window_bytes") == [(131072, 1)]
    assert said(text, "asked.rate_bps") == [(60e6, 1)]
    assert said(text, "asked.bytes") == []


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("$ pscheduler task throughput --source 192.0.2.1 --dest 192.0.2.2\n", ("192.0.2.1", "192.0.2.2")),
        ("$ pscheduler task --tool iperf3 throughput -t 20 -s ps1 -d ps2\n", ("ps1", "ps2")),
        ("$ pscheduler task throughput --source=ps1 --dest=[2001:db8::2] --reverse\n", ("2001:db8::2", "ps1")),
        ("$ pscheduler task throughput --dest ps2\n", (None, "ps2")),
        ('{"test": {"type": "throughput", "spec": {"source": "ps1", "dest": "ps2"}}}\n', ("ps1", "ps2")),
        ('{"test": {"spec": {"dest": "ps2", "reverse": true, "source": "ps1"}}}\n', ("ps2", "ps1")),
    ],
)
def test_ends_of_scheduled_tests(text, ends):
    told = [dict(said(text, name)) for name in ("asked.local", "asked.remote")]
    assert tuple(next(iter(one), None) for one in told) == ends


def test_the_rate_of_a_scheduled_test():
    assert said("$ pscheduler task throughput -d ps2 --bandwidth 2G -P 3\n", "asked.rate_bps") == [(6e9, 1)]


@pytest.mark.parametrize(
    ("command", "host"),
    [
        ("rsync -a /data/ rsync://mover2/pool/", "mover2"),
        ("globus-url-copy -p 4 file:///d/x gsiftp://dtn.example.net:2811/d/x", "dtn.example.net"),
        ("rsync -a /data/ me@mover2:/pool/", "mover2"),
    ],
)
def test_the_host_of_a_copy(command, host):
    assert said(f"$ {command}\n", "asked.remote") == [(host, 1)]
