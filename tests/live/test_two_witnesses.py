"""A live transfer between two namespaces, seen by nuttcp and by an agent of SNMP that is polled: both agree."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.logs import read
from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.reconcile import reconcile

CACHE_OF_INTERFACES = "1.3.6.1.4.1.8072.1.5.3.1.2.1.3.6.1.2.1.2.2"  # nsCacheTimeout of ifTable (NET-SNMP-AGENT-MIB)


@pytest.fixture
def inside(namespaces):
    """Runs a program in the sender's namespace (0) or the receiver's (1)."""
    for program in ("snmpd", "snmpset", "nuttcp", "ethtool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")

    def run(end, *words, start=subprocess.run, **how):
        return start(["ip", "netns", "exec", namespaces[end].name, *words], **how)

    return run


@pytest.fixture
def agent(inside, tmp_path):
    """An agent of the sender's namespace that looks at its interfaces anew for every request."""
    (tmp_path / "snmpd.conf").write_text("agentaddress udp:127.0.0.1:1161\nrwcommunity seldom\nsysName sender\n")
    daemon = inside(
        0, "snmpd", "-f", "-Ln", "-C", "-c", str(tmp_path / "snmpd.conf"), start=subprocess.Popen,
        env={**os.environ, "SNMP_PERSISTENT_DIR": str(tmp_path)},
    )  # fmt: skip
    try:
        for _ in range(40):
            asked = ("snmpset", "-v2c", "-cseldom", "-t1", "-r0", "127.0.0.1:1161", CACHE_OF_INTERFACES, "i", "1")
            if inside(0, *asked, capture_output=True).returncode == 0:
                break
            time.sleep(0.25)
        else:
            pytest.skip("this snmpd does not let its cache be set")
        yield "127.0.0.1:1161"
    finally:
        daemon.terminate()
        daemon.wait()


def test_octets_of_the_port_are_the_goodput_times_the_framing(inside, agent, tmp_path):
    for end in (0, 1):  # packets of the MTU on the link, as a switch would count them
        device = inside(end, "ip", "-o", "link", "show", "type", "veth", capture_output=True, text=True).stdout
        name = device.split()[1].partition("@")[0]
        inside(end, "ethtool", "-K", name, "tso", "off", "gso", "off", "gro", "off", check=True, capture_output=True)
        if end == 0:
            sending = name
    server = inside(1, "nuttcp", "-S", "--nofork", start=subprocess.Popen, stdout=subprocess.DEVNULL)
    archive = tmp_path / "archive"
    watcher = inside(
        0, sys.executable, "-m", "hecn_analysis", "snmp", "poll", agent, "--interval", "5s", "--timeout", "5s",
        "--archive", str(archive), start=subprocess.Popen,
        env={**os.environ, "HECN_SNMP_COMMUNITY": "seldom"}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        told = [watcher.stderr.readline() for _ in range(2)]
        began = pd.Timestamp.now("UTC")
        sent = inside(0, "nuttcp", "-T3", "-R200m", "10.77.0.2", capture_output=True, text=True, timeout=60)
        told += [watcher.stderr.readline() for _ in range(2)]
    finally:
        watcher.send_signal(signal.SIGINT)
        watcher.communicate()
        server.kill()
        server.wait()
    assert watcher.returncode == 0, told
    (tmp_path / "run.log").write_text(sent.stdout)
    runs = read(tmp_path / "run.log").runs.assign(start_time=began)
    assert len(runs) == 1, sent.stdout + sent.stderr
    samples = Archive(archive).table("samples")
    samples = samples[samples["interface"] == sending]
    found = reconcile(runs, rates(samples), mtu=1500, counts="host", largest_offset_s=5.0)
    row = found.iloc[0]
    assert row["verdict"] == "agrees", row["message"]
    assert abs(row["excess_bytes"]) < 0.005 * row["expected_bytes"]
