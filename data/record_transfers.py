"""Records data/transfers: a folder as people have it, with a fault and with it mended: logs, ping, sar, a capture.

Run it as ``python data/record_transfers.py`` (Linux, as root or where users may make namespaces); it takes five
minutes. The switch, the hosts "here" and "there" and the namespaces are those of `record_counters`. A port of the
switch is set to 10 Mb/s first (``before``), then to 100 Mb/s (``after``), as a port that has negotiated the wrong speed
and is mended: packets cost their length and 38 bytes there, as on Ethernet. The veth pairs behind it have no speed of
their own, and ethtool, which says that they have, is kept out of the capture.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import record_counters as session
from record_namespaces import record_apart

OWN = Path(__file__).resolve().parent / "transfers"
HECN = Path(sys.executable).parent / "hecn"
RUNS, RUN_S, PAUSE_S = 6, 6, 4
SPEEDS = {"before": "10mbit", "after": "100mbit"}


def keep(name: str, content: bytes) -> None:
    """Write a file, without the names of this machine."""
    path = OWN / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(session.neutral(content))


def here(command: str) -> bytes:
    """Run a command on the host "here"."""
    return session.shell(f"ip netns exec here {session.words(command)}")


def record(name: str, speed: str) -> None:
    """Record one folder."""
    # 24 octets a frame are on the wire and not in what the kernel counts: check sequence, preamble and gap
    session.shell(f"tc qdisc replace dev port2 root tbf rate {speed} burst 4k limit 60k overhead 24")
    sar = subprocess.Popen(
        ["sar", "-n", "DEV", "2"], env=session.ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    time.sleep(4)
    keep(f"{name}/ping.txt", here("ping -c 20 -i 0.2 {there}"))
    nuttcp, printed = f"nuttcp -T{RUN_S} -i1 {{there}}", b""
    for number in range(1, RUNS + 1):
        time.sleep(PAUSE_S)
        keep(f"{name}/iperf3-{number}.json", here(f"iperf3 -c {{there}} -J -t {RUN_S}"))
        time.sleep(PAUSE_S)
        printed += f"$ {session.words(nuttcp)}\n".encode() + here(nuttcp)
    keep(f"{name}/nuttcp.txt", printed)
    time.sleep(PAUSE_S)
    sar.terminate()
    keep(f"{name}/sar.txt", sar.communicate()[0])


def record_all() -> None:
    """Write data/transfers."""
    shutil.rmtree(OWN, ignore_errors=True)
    session.switch()
    for host in ("here", "there"):
        session.shell(f"ip netns exec {host} tc qdisc del dev eth0 root")
        session.shell(f"ip netns exec {host} sysctl net.ipv4.tcp_congestion_control=reno")
    for command in ("nuttcp -S --nofork", "iperf3 -s"):
        session.background(f"ip netns exec there {command}")
    time.sleep(1)
    for name, speed in SPEEDS.items():
        record(name, speed)
    capture = OWN / "before" / "here"
    subprocess.run(["ip", "netns", "exec", "here", str(HECN), "capture", "-o", str(capture), "--redact"], check=True)
    release = os.uname().release
    for path in capture.iterdir():
        if path.name.startswith("ethtool"):
            path.unlink()
        else:  # what a distributor put behind the version is nobody's business
            path.write_bytes(path.read_bytes().replace(release.encode(), release.partition("-")[0].encode()))
    (OWN / "before" / "notes.txt").write_text("Slow since Monday. Who has touched the switch?\n")


if __name__ == "__main__":
    sys.exit(record_apart(__file__, __doc__, record_all))
