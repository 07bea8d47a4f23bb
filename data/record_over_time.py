"""Records data/transfers/over_time: transfers over a path with a queue that is too short, logs and samples of sockets.

Run it as ``python data/record_over_time.py`` (Linux, as root or where users may make namespaces); it takes two minutes.
This process is the path: it takes packets from a TUN device of the host "here", holds them to `LINE_BPS` and delays
them, and puts them out at the host "there", and acknowledgements back. Packets that find `QUEUE` bytes waiting are
dropped. The hosts and the namespaces are those of `record_counters`.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import select
import shutil
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import record_counters as session
from record_namespaces import record_apart

OWN = Path(__file__).resolve().parent / "transfers" / "over_time"
LINE_BPS, ONE_WAY_S, QUEUE = 40e6, 0.02, 40_000
RUNS, RUN_S, SAMPLES = 3, 30, 24
ETHERNET = 38  # octets of a frame on the wire beside the packet of IP
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000


def tun(name: str, host: str, address: str) -> int:
    """Make a TUN device and give it to a host."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    session.shell(f"ip netns add {host}")
    session.shell(f"ip link set {name} netns {host}")
    session.shell(f"ip netns exec {host} ip link set lo up")
    session.shell(f"ip netns exec {host} ip address add {address}/24 dev {name}")
    session.shell(f"ip netns exec {host} ip link set {name} txqueuelen 1000 up")
    session.shell(f"ip netns exec {host} sysctl net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_no_metrics_save=1")
    return device


def path(here: int, there: int) -> None:
    """Be the path: the queue and the line from here to there, the delay both ways."""
    waiting: list[tuple[float, int, int, bytes]] = []
    free_s = 0.0  # when the line has sent all that waits
    count = 0
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, out, packet = heapq.heappop(waiting)
            os.write(out, packet)
        ready, _, _ = select.select([here, there], [], [], waiting[0][0] - now if waiting else 0.1)
        now = time.monotonic()
        for device in ready:
            packet = os.read(device, 65536)
            at, out = now, here
            if device == here:
                out = there
                if (free_s - now) * LINE_BPS / 8 > QUEUE:
                    continue
                at = free_s = max(free_s, now) + (len(packet) + ETHERNET) * 8 / LINE_BPS
            count += 1
            heapq.heappush(waiting, (at + ONE_WAY_S, count, out, packet))


def keep(name: str, content: bytes) -> None:
    """Write a file, without the names of this machine."""
    (OWN / name).write_bytes(session.neutral(content))


def here(command: str) -> bytes:
    """Run a command on the host "here"."""
    return session.shell(f"ip netns exec here {session.words(command)}")


def record_all() -> None:
    """Write data/transfers/over_time."""
    shutil.rmtree(OWN, ignore_errors=True)
    OWN.mkdir(parents=True)
    for folder in ("/run", "/mnt"):  # where ip and the commands of `record_counters` keep things
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    ends = tun("eth0", "here", session.HERE), tun("eth1", "there", session.THERE)
    threading.Thread(target=path, args=ends, daemon=True).start()
    session.background("ip netns exec there iperf3 -s")
    time.sleep(1)
    for number in range(1, RUNS + 1):
        samples: list[bytes] = []
        command = session.words(f"ip netns exec here iperf3 -c {{there}} -J -t {RUN_S} -i 0.5")
        running = subprocess.Popen(command.split(), env=session.ENVIRONMENT, stdout=subprocess.PIPE)
        for _ in range(SAMPLES if number == 1 else 0):
            time.sleep(1)
            samples.append(here("ss -tin dst {there}"))
        keep(f"iperf3-{number}.json", running.communicate()[0])
        if samples:
            keep("ss-sender.txt", b"".join(samples))
        time.sleep(2)
    (OWN / "notes.txt").write_text(f"circuit: {LINE_BPS / 1e6:.0f} Mb/s\n")


if __name__ == "__main__":
    sys.exit(record_apart(__file__, __doc__, record_all))
