"""Real transfers at the same time between network namespaces, against the prediction of their site.

Two links in a row, each with a queue. ``few`` and ``many`` cross both and are held back at the first; ``alone`` has
what they and the paced transfer leave of the second, which holds back none of them (max-min). Each loss brings Reno
half way to its shares, every rate x RTT^2 / (2 x streams x packet) seconds: 0.3 s with 12 streams and 40 ms of queues.
"""

import contextlib
import json
import os
import shutil
import subprocess
import time

import pytest

from hecn_analysis.sites import predict_site

pytestmark = pytest.mark.slow  # transfers of several seconds

WARM_UP_S, MEASURED_S = 3, 10
#: Switch of each host, and links between switches: rate [bit/s] and queue [bytes], 20 ms of each link.
HOSTS = {"a": "s0", "b": "s0", "c": "s2", "d": "s1", "e": "s1", "f": "s2"}
LINKS = {("s0", "s1"): (50e6, 125_000), ("s1", "s2"): (100e6, 250_000)}
#: The shaper counts 1514 bytes of a full packet, a line 1538.
LINE = 1538 / 1514
TRANSFERS = (
    {"name": "few", "sender": "a", "receiver": "c", "tool.streams": 4},
    {"name": "many", "sender": "b", "receiver": "f", "tool.streams": 8},
    {"name": "alone", "sender": "d", "receiver": "f", "tool.streams": 1},
    {"name": "paced", "sender": "e", "receiver": "c", "tool.streams": 1, "pace": "10 Mb/s"},
)


def _run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=30)


def _within(space, *words, **how):
    return subprocess.Popen(["ip", "netns", "exec", space, *words], text=True, **how)


def _build(space):
    """Make the hosts and switches of a namespace prefix, and their links."""
    for name in {**HOSTS, **dict.fromkeys(HOSTS.values())}:
        _run("ip", "netns", "add", space + name)
    for switch in set(HOSTS.values()):
        _run("ip", "-n", space + switch, "link", "add", "switch", "up", "type", "bridge")
    for number, (host, switch) in enumerate(HOSTS.items(), 1):
        ends = ("type", "veth", "peer", "name", "eth0", "netns", space + host)
        _run("ip", "link", "add", f"to-{host}", "netns", space + switch, *ends)
        _run("ip", "-n", space + switch, "link", "set", f"to-{host}", "master", "switch", "up")
        _run("ip", "-n", space + host, "addr", "add", f"192.0.2.{number}/24", "dev", "eth0")
        _run("ip", "-n", space + host, "link", "set", "eth0", "up")
    for (near, far), (rate_bps, queue) in LINKS.items():
        ends = ("type", "veth", "peer", "name", f"to-{near}", "netns", space + far)
        _run("ip", "link", "add", f"to-{far}", "netns", space + near, *ends)
        for here, there in ((near, far), (far, near)):
            _run("ip", "-n", space + here, "link", "set", f"to-{there}", "master", "switch", "up")
        shaper = ("tbf", "rate", f"{rate_bps:.0f}bit", "burst", "6k", "limit", str(queue))
        _run("tc", "-n", space + near, "qdisc", "add", "dev", f"to-{far}", "root", *shaper)


@pytest.fixture
def space():
    """Prefix of the namespaces of the hosts and switches."""
    for program in ("ip", "tc", "ss"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian, Ubuntu: apt install iproute2)")
    prefix = f"hecn-{os.getpid()}-"
    try:
        _build(prefix)
        yield prefix
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no namespaces or no shaper here: {error.stderr.strip()}")
    finally:
        for name in {**HOSTS, **dict.fromkeys(HOSTS.values())}:
            subprocess.run(["ip", "netns", "del", prefix + name], check=False, capture_output=True)


def _await(space, port):
    """Wait until a server listens."""
    for _ in range(200):
        if f":{port} " in _run("ip", "netns", "exec", space, "ss", "-Hltn").stdout:
            return
        time.sleep(0.05)
    pytest.fail("iperf3 does not listen")


def _measured(space, iperf3):
    """Rate of each transfer [bit/s] after its warm-up."""
    addresses = {host: f"192.0.2.{number}" for number, host in enumerate(HOSTS, 1)}
    said = {}
    with contextlib.ExitStack() as running:
        for port, each in enumerate(TRANSFERS, 6001):
            there = space + each["receiver"]
            server = _within(there, iperf3, "-s", "-1", "-p", str(port), stdout=subprocess.DEVNULL)
            running.callback(server.wait)
            running.callback(server.kill)
            _await(there, port)
        clients = []
        for port, each in enumerate(TRANSFERS, 6001):
            words = ["-c", addresses[each["receiver"]], "-p", str(port), "-P", str(each["tool.streams"]), "-C", "reno"]
            words += ["-O", str(WARM_UP_S), "-t", str(MEASURED_S), "-J", *(["-b", "10M"] if "pace" in each else [])]
            clients.append(_within(space + each["sender"], iperf3, *words, stdout=subprocess.PIPE))
            running.callback(clients[-1].kill)
        for each, client in zip(TRANSFERS, clients, strict=True):
            said[each["name"]] = json.loads(client.communicate(timeout=60)[0])["end"]["sum_received"]
    return {name: end["bits_per_second"] for name, end in said.items()}


def _predicted():
    near = {f"to-{host}": {"ends": [host, switch], "rate": 10e9, "rtt": 1e-5} for host, switch in HOSTS.items()}
    far = {
        "-".join(ends): {"ends": list(ends), "rate": LINE * rate_bps, "queue": queue, "rtt": 1e-5}
        for ends, (rate_bps, queue) in LINKS.items()
    }
    site = {
        "hosts": dict.fromkeys(HOSTS, "ideal"),
        "switches": {switch: {} for switch in HOSTS.values()},
        "links": {name: {**link, "mtu": 1500, "loss": 0} for name, link in {**near, **far}.items()},
        "tool": "iperf3",
        "set": {"sender.congestion_control": "reno"},
        "transfers": [{**each, "duration": MEASURED_S} for each in TRANSFERS],
    }
    return {each.name: each.throughput_bps for each in predict_site(site).transfers}


def test_transfers_share_two_links_as_the_site_says(space, iperf3):
    predicted = _predicted()
    assert predicted["alone"] > 2 * predicted["few"]
    assert _measured(space, iperf3) == {name: pytest.approx(rate_bps, rel=0.1) for name, rate_bps in predicted.items()}
