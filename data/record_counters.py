"""Records data/counters: what counters of a switch say while tools of known rate send through it.

Run it as ``python data/record_counters.py`` (Linux, as root or where users may make namespaces); it takes half an hour,
for MRTG asks every five minutes. This process is the switch: a bridge with the ports "port1" and "port2", behind which
are two hosts, "here" and "there", in namespaces of their own. nuttcp and iperf3 send between them as `RUNS` says, while
snmpd answers for the switch and every collector that is installed looks at it. All of it lives in namespaces of this
process and vanishes with it. Programs that are missing are named and left out.

``session`` holds what notebooks use: the logs of the transfers, and the same transfers as the ports saw them.
``samples`` holds one file for each form of what other programs print, for the tests of their readers.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from record_namespaces import record_apart

OWN = Path(__file__).resolve().parent / "counters"
SCRATCH = Path("/mnt")
HERE, THERE, SWITCH = "192.0.2.1", "192.0.2.2", "192.0.2.254"
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C",
    "LANG": "C",
    "TERM": "dumb",
    "COLUMNS": "80",
    "TZ": "UTC",
    "HOME": str(SCRATCH),
}
POLL_S, CYCLE_S, MRTG_S, SESSION_S = 5, 10, 300, 1680
JUMBO = 9000

# Seconds after the start, and what runs then. Each has ended before the next begins, but for the traffic of others.
RUNS = (
    (30, "nuttcp -T60 -i10 {there}"),
    (120, "nuttcp -T120 -i10 -N4 {there}"),
    (270, "nuttcp -r -T60 -i10 {there}"),
    (360, "nuttcp -u -R150m -T45 -i10 {there}"),
    (480, "nuttcp -T60 -i10 {there}"),
    (480, "iperf3 -c {there} -b 60M -t 70"),
    (570, "nuttcp -T60 -i10 {there}"),
    (690, "nuttcp -T210 -i10 -N2 {there}"),
    (960, "nuttcp -T60 -i10 {there}"),
    (1080, "iperf3 -c {there} -J -t 40 -i 10"),
    (1140, "iperf3 -c {there} -J -t 40 -i 10 -R"),
    (1260, "nuttcp -T60 -i10 {there}"),
)
OF_OTHERS = "iperf3 -c {there} -b 60M"
# Seconds after the start, and what is changed at the switch then.
CHANGES = (
    (560, "tc qdisc add dev port2 root tbf rate 300mbit burst 32k limit 60k"),  # a short queue: packets are lost
    (645, "tc qdisc del dev port2 root"),
    (930, "jumbo"),
    (1230, "reset"),  # port2 is made anew: its counters begin at 0
)

WALK = "snmpbulkwalk -v2c -c public -t 2 -r 0 127.0.0.1"
# What is polled, by number, for not every system has the names: sysUpTime, sysName, hrSystemDate; ifName, ifOperStatus,
# ifHighSpeed, errors and discards in and out, octets and packets in 64 bits, octets in 32.
POLLED_ONCE = ".1.3.6.1.2.1.1.3.0 .1.3.6.1.2.1.1.5.0 .1.3.6.1.2.1.25.1.2.0"
IF_ENTRY, IF_X_ENTRY = ".1.3.6.1.2.1.2.2.1", ".1.3.6.1.2.1.31.1.1.1"
POLLED = (
    *(f"{IF_X_ENTRY}.{column}" for column in (1, 15)),
    *(f"{IF_ENTRY}.{column}" for column in (8, 14, 20, 13, 19, 10, 16)),
    *(f"{IF_X_ENTRY}.{column}" for column in (6, 10, 7, 11)),
)

# Samples: name, and the command that prints it, run while a transfer runs.
PRINTED = (
    ("snmpwalk/iftable-plain.txt", f"{WALK} .1.3.6.1.2.1.2"),
    ("snmpwalk/iftable-numeric.txt", f"{WALK} -On .1.3.6.1.2.1.2"),
    ("snmpwalk/ifxtable-quick.txt", f"{WALK} -Oqn .1.3.6.1.2.1.31.1.1"),
    ("snmpwalk/ifxtable-values.txt", f"{WALK} -OQn .1.3.6.1.2.1.31.1.1"),
    ("snmpwalk/host-resources.txt", f"{WALK} .1.3.6.1.2.1.25.2"),
    ("ip-s-link/s.txt", "ip -s link"),
    ("ip-s-link/s-s.txt", "ip -s -s link"),
    ("ip-s-link/s-s-d.txt", "ip -s -s -d link"),
    ("ip-s-link/s-h.txt", "ip -s -h link"),
    ("ip-s-link/s-address.txt", "ip -s address"),
    ("ip-s-link/oneline.txt", "ip -o -s link"),
    ("ip-s-link/s.json", "ip -j -s link"),
    ("ip-s-link/s-s-d.json", "ip -j -p -s -s -d link"),
    ("proc/net-dev.txt", "cat /proc/net/dev"),
    ("proc/net-snmp.txt", "cat /proc/net/snmp"),
    ("proc/net-netstat.txt", "cat /proc/net/netstat"),
    ("proc/softnet_stat.txt", "cat /proc/net/softnet_stat"),
    ("ifconfig/a.txt", "ifconfig -a"),
    ("ifconfig/short.txt", "ifconfig -s"),
    ("netstat-i/i.txt", "netstat -i"),
    ("netstat-i/ie.txt", "netstat -ie"),
    ("netstat-i/a.txt", "netstat -ia"),
    ("ethtool-S/veth.txt", "ethtool -S port1"),
    ("ifstat/t.txt", "ifstat -t -i port1,port2 3 5"),
    ("ifstat/b.txt", "ifstat -b -i port1,port2 1 3"),
    ("ifstat/wide.txt", "ifstat -w -T -i port1,port2 1 3"),
    ("nicstat/table.txt", "nicstat -i port1,port2 3 4"),
    ("nicstat/parsable.txt", "nicstat -p -i port1,port2 3 4"),
    ("nicstat/extended.txt", "nicstat -x -i port1,port2 2 3"),
    ("nicstat/mebibits.txt", "nicstat -M -i port1,port2 2 3"),
    ("bwm-ng/rate.csv", "bwm-ng -o csv -T rate -t 2000 -c 5"),
    ("mpstat/all.txt", "mpstat -P ALL 2 4"),
    ("mpstat/everything.txt", "mpstat -A 2 2"),
    ("mpstat/all.json", "mpstat -P ALL -o JSON 2 3"),
    ("mpstat/en_US.txt", "LC_ALL=en_US.UTF-8 mpstat -P ALL 1 3"),
    ("mpstat/de_DE.txt", "LC_ALL=de_DE.UTF-8 mpstat -P ALL 1 3"),
    ("vmstat/t.txt", "vmstat -t 2 4"),
    ("vmstat/wide.txt", "vmstat -w -t -S M 1 3"),
    ("vmstat/active.txt", "vmstat -a 1 3"),
    ("iostat/x.txt", "iostat -x 2 3"),
    ("iostat/xt-mega.txt", "S_TIME_FORMAT=ISO iostat -x -t -m 2 3"),
    ("iostat/disks.txt", "iostat -d -t 2 3"),
    ("iostat/x.json", "iostat -x -t -o JSON 2 3"),
    ("iostat/de_DE.txt", "LC_ALL=de_DE.UTF-8 iostat -x -t 1 3"),
    ("sar/live-1s.txt", "sar -n DEV 1 5"),
    ("sar/live-all.txt", "sar -n DEV -u 2 3"),
)

EXPORTED = (
    "-s {start} -e {end} --step 60 DEF:a={scratch}/port1.rrd:in:AVERAGE DEF:b={scratch}/port1.rrd:out:AVERAGE"
    " XPORT:a:in XPORT:b:out"
)
# Samples that are made of the records of the whole session afterwards.
KEPT = (
    ("sar/n-DEV.txt", "sar -n DEV -f {sa}"),
    ("sar/n-DEV-en_US.txt", "LC_ALL=en_US.UTF-8 sar -n DEV -f {sa}"),
    ("sar/n-DEV-de_DE.txt", "LC_ALL=de_DE.UTF-8 sar -n DEV -f {sa}"),
    ("sar/n-DEV-iso.txt", "S_TIME_FORMAT=ISO sar -n DEV -f {sa} -e {soon}"),
    ("sar/n-EDEV.txt", "sar -n EDEV -f {sa} -e {soon}"),
    ("sar/n-DEV-EDEV.txt", "sar -n DEV,EDEV --iface=port1,port2 -f {sa} -e {soon}"),
    ("sar/n-DEV-human.txt", "sar -h -n DEV -f {sa} -e {soon}"),
    ("sar/u.txt", "sar -u -f {sa}"),
    ("sar/everything.txt", "sar -A -f {sa} -e {soon}"),
    ("sar/d.csv", "sadf -d -- -n DEV --iface=port1,port2 {sa}"),
    ("sar/d-local.csv", "TZ=Europe/Berlin sadf -d -T -- -n DEV --iface=port1,port2 {sa}"),
    ("sar/d-seconds.csv", "sadf -d -U -- -n DEV --iface=port1,port2 {sa}"),
    ("sar/d-horizontal.csv", "sadf -d -h -- -n DEV {sa}"),
    ("sar/p.txt", "sadf -p -- -n DEV --iface=port1 {sa}"),
    ("sar/j.json", "sadf -j -- -n DEV {sa}"),
    ("sar/x.xml", "sadf -x -- -n DEV {sa}"),
    ("vnstat/all.json", "vnstat --dbdir {scratch}/vnstat --json"),
    ("vnstat/all.xml", "vnstat --dbdir {scratch}/vnstat --xml"),
    ("vnstat/oneline.txt", "vnstat --dbdir {scratch}/vnstat -i port1 --oneline"),
    ("vnstat/oneline-bytes.txt", "vnstat --dbdir {scratch}/vnstat -i port1 --oneline b"),
    ("vnstat/fiveminutes.txt", "vnstat --dbdir {scratch}/vnstat -i port1 -5"),
    ("vnstat/hours.txt", "vnstat --dbdir {scratch}/vnstat -i port1 -h"),
    ("vnstat/days.txt", "vnstat --dbdir {scratch}/vnstat -i port1 -d"),
    ("rrdtool/dump.xml", "rrdtool dump {scratch}/port1.rrd"),
    ("rrdtool/fetch-average.txt", "rrdtool fetch {scratch}/port1.rrd AVERAGE -r 60 -s {start} -e {end}"),
    ("rrdtool/fetch-max.txt", "rrdtool fetch {scratch}/port1.rrd MAX -r 300 -s {start} -e {end}"),
    ("rrdtool/xport.xml", f"rrdtool xport {EXPORTED}"),
    ("rrdtool/xport.json", f"rrdtool xport --json {EXPORTED}"),
)

RRD = (
    f"rrdtool create {{scratch}}/{{port}}.rrd --start now-10 --step {POLL_S} DS:in:COUNTER:30:0:1250000000"
    " DS:out:COUNTER:30:0:1250000000 RRA:AVERAGE:0.5:1:720 RRA:AVERAGE:0.5:12:60 RRA:MAX:0.5:12:60"
    " RRA:AVERAGE:0.5:60:24 RRA:MAX:0.5:60:24"
)
SNMPD = "agentaddress udp:127.0.0.1:161\nrocommunity public 127.0.0.1\nsysName switch\nsysLocation here\n"
MRTG = """WorkDir: {scratch}/mrtg
EnableIPv6: no
Target[port1]: #port1:public@127.0.0.1:::::2
MaxBytes[port1]: 50000000
Options[port1]: bits, growright
Title[port1]: port1 of the switch, to the host "here"
PageTop[port1]: <h1>port1</h1>
Target[port2]: #port2:public@127.0.0.1:::::2
MaxBytes[port2]: 50000000
Options[port2]: growright
Title[port2]: port2 of the switch, to the host "there"
PageTop[port2]: <h1>port2</h1>
"""
COLLECTD = f"""Hostname "switch"
FQDNLookup false
Interval {CYCLE_S}
BaseDir "{{scratch}}/collectd"
LoadPlugin interface
LoadPlugin csv
<Plugin interface>
  Interface "port1"
</Plugin>
<Plugin csv>
  DataDir "{{scratch}}/collectd/{{what}}"
  StoreRates {{rates}}
</Plugin>
"""


def words(text: str, **more: object) -> str:
    """Fill in the names of a command or a file."""
    for name, value in {"scratch": SCRATCH, "here": HERE, "there": THERE, **more}.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def shell(command: str, *, timeout: float = 120) -> bytes:
    """Run a command and give what it prints, its remarks not included."""
    environment = {**ENVIRONMENT, "LOCPATH": str(SCRATCH / "locales")}
    done = subprocess.run(
        ["sh", "-c", command], env=environment, cwd=SCRATCH, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=timeout, check=False,
    )  # fmt: skip
    return done.stdout


def neutral(printed: bytes) -> bytes:
    """Take the names of this machine out of what a program printed."""
    system = os.uname()
    for name, instead in ((system.release, "6.1.0"), (system.version, "#1 SMP"), (str(SCRATCH), "/var/lib")):
        printed = re.sub(rb"(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w.-])", instead.encode(), printed)
    return printed


def keep(name: str, content: bytes) -> None:
    """Write a file of data/counters, if there is something to write; dates in packed files stay out."""
    if not content.strip():
        print(f"{name}: nothing printed, left out", file=sys.stderr)
        return
    path = OWN / name
    path.parent.mkdir(parents=True, exist_ok=True)
    content = neutral(content)
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    print(f"{name}: {path.stat().st_size} bytes", flush=True)


def missing(command: str) -> str | None:
    """Name of the program of a command where it is not installed."""
    program = next(word for word in command.split() if "=" not in word)
    return None if shutil.which(program, path=ENVIRONMENT["PATH"]) else program


class Session:
    """The session: who polls, who sends, and when.

    Parameters
    ----------
    start
        Its start. [s since 1970]
    """

    def __init__(self, start: float) -> None:
        self.start = start
        self.end = start + SESSION_S
        self._walks = bytearray()
        self._log = bytearray()
        self._agent: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []

    def at(self, offset: float, what: Callable[[], object]) -> None:
        """Do something so many seconds after the start."""

        def wait() -> None:
            time.sleep(max(0.0, self.start + offset - time.time()))
            what()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        self._threads.append(thread)

    def every(self, period: float, what: Callable[[], object]) -> None:
        """Do something at every multiple of a period, until the end."""

        def loop() -> None:
            while time.time() < self.end:
                time.sleep(period - time.time() % period)
                what()

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        self._threads.append(thread)

    def join(self) -> None:
        """Wait for everything that has been begun."""
        for thread in self._threads:
            thread.join()

    def agent(self) -> None:
        """Start snmpd, or start it anew."""
        if self._agent is not None:
            self._agent.terminate()
            self._agent.wait()
        (SCRATCH / "snmpd.conf").write_text(SNMPD)
        self._agent = background(f"snmpd -f -LE 0 -r -C -c {SCRATCH}/snmpd.conf -p {SCRATCH}/snmpd.pid")

    def poll(self) -> None:
        """Walk the agent, and put the counters of the ports into RRDs."""
        asked = dt.datetime.now(dt.UTC)
        get = shell(f"snmpget -v2c -c public -t 2 -r 0 -On 127.0.0.1 {POLLED_ONCE}")
        walked = shell("; ".join(f"{WALK} -On {column}" for column in POLLED))
        if not walked:
            return
        self._walks += f"{asked:%Y-%m-%dT%H:%M:%SZ}\n".encode() + get + walked
        text = walked.decode()
        for index, name in re.findall(rf"{re.escape(IF_X_ENTRY)}\.1\.(\d+) = STRING: \"?(port[12])\b", text):
            columns = (re.search(rf"{re.escape(IF_X_ENTRY)}\.{n}\.{index} = Counter64: (\d+)", text) for n in (6, 10))
            values = ":".join(found[1] for found in columns if found)
            shell(f"rrdtool update {SCRATCH}/{name}.rrd {asked.timestamp():.0f}:{values}")

    def send(self, command: str) -> None:
        """Run a transfer and keep its log, each line with the time at which it was printed."""
        line = words(command)
        process = subprocess.Popen(
            ["ip", "netns", "exec", "here", "stdbuf", "-oL", *shlex.split(line)],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        printed = process.stdout
        if printed is None or command.startswith(OF_OTHERS):
            process.communicate()
            return
        if " -J" in command:
            content = process.communicate()[0]
            keep(f"session/iperf3-{'receive' if '-R' in command else 'send'}.json", content)
            return
        self._log += stamped(f"$ {line}\n".encode())
        for printed_line in printed:
            self._log += stamped(printed_line)
        process.wait()

    def change(self, what: str) -> None:
        """Change something at the switch."""
        if what == "jumbo":
            for link in ("port1", "port2", "br0"):
                shell(f"ip link set {link} mtu {JUMBO}")
            for name in ("here", "there"):
                shell(f"ip netns exec {name} ip link set eth0 mtu {JUMBO}")
        elif what == "reset":
            shell("ip link del port2")
            port("port2", "there", THERE, mtu=JUMBO)
        else:
            shell(what)

    def keep(self) -> None:
        """Write what has been recorded."""
        keep("session/nuttcp.txt", bytes(self._log))
        keep("session/walks.txt.gz", bytes(self._walks))
        keep("session/mrtg.cfg", words(MRTG).encode())
        for number in (1, 2):
            for ending in ("log", "html"):
                with contextlib.suppress(OSError):
                    keep(f"session/port{number}.{ending}", (SCRATCH / f"mrtg/port{number}.{ending}").read_bytes())
            with contextlib.suppress(OSError):
                rrd = (SCRATCH / f"port{number}.rrd").read_bytes()
                (OWN / f"session/port{number}.rrd").write_bytes(rrd)


def stamped(line: bytes) -> bytes:
    """Put the time in front of a line."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ} ".encode() + line


def background(command: str) -> subprocess.Popen[bytes]:
    """Start a program that runs until this process ends."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(shlex.split(command), env=ENVIRONMENT, cwd=SCRATCH, **quiet)


def port(name: str, host: str, address: str, *, mtu: int = 1500) -> None:
    """Join a host to the switch; both count frames as they are on the wire, and the host sends 400 Mb/s at most."""
    inside = f"ip netns exec {host} "
    for command in (
        f"ip link add {name} type veth peer name eth0 netns {host}",
        f"ip link set {name} master br0 mtu {mtu}",
        f"ethtool -K {name} tso off gso off gro off tx off",
        f"ip link set {name} up",
        f"{inside}ip link set eth0 mtu {mtu}",
        f"{inside}ethtool -K eth0 tso off gso off gro off tx off",
        f"{inside}ip addr add {address}/24 dev eth0",
        f"{inside}ip link set eth0 up",
        f"{inside}tc qdisc add dev eth0 root tbf rate 400mbit burst 64k latency 50ms",
    ):
        shell(command)


def switch() -> None:
    """Make the switch, the hosts, the folders; everything vanishes with this process."""
    for folder in ("/run", "/mnt", "/var/lib/snmp", "/var/log/sysstat"):
        if Path(folder).is_dir():
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], check=True)  # it shows the interfaces of this namespace
    for folder in ("mrtg", "vnstat", "locales", "collectd"):
        (SCRATCH / folder).mkdir()
    shell("hostname switch; ip link set lo up; ip link add br0 type bridge")
    for name, host, address in (("port1", "here", HERE), ("port2", "there", THERE)):
        shell(f"ip netns add {host}; ip netns exec {host} ip link set lo up")
        port(name, host, address)
    shell(f"ip addr add {SWITCH}/24 dev br0; ip link set br0 up")
    for name in ("de_DE", "en_US"):
        shell(f"localedef -i {name} -f UTF-8 {SCRATCH}/locales/{name}.UTF-8")


@contextlib.contextmanager
def collectors() -> Iterator[None]:
    """Run the servers and the collectors of the whole session."""
    commands = [
        "ip netns exec there nuttcp -S --nofork",
        "ip netns exec there iperf3 -s",
        "ip netns exec there iperf3 -s -p 5202",
        "ip netns exec here iperf3 -s",
        f"/usr/lib/sysstat/sadc -S DISK,XDISK {CYCLE_S} {SCRATCH}/sa",
        f"vnstatd -n --config {SCRATCH}/vnstat.conf",
        "prometheus-node-exporter --web.listen-address=127.0.0.1:9100",
    ]
    (SCRATCH / "vnstat.conf").write_text(
        f'DatabaseDir "{SCRATCH}/vnstat"\nUseLogging 0\nPidFile "{SCRATCH}/vnstat.pid"\nUpdateInterval 20\n'
        "SaveInterval 1\nTimeSyncWait 0\nAlwaysAddNewInterfaces 1\nBandwidthDetection 0\nMaxBandwidth 0\n"
    )
    for what, rates in (("counters", "false"), ("rates", "true")):
        (SCRATCH / f"collectd-{what}.conf").write_text(words(COLLECTD, what=what, rates=rates))
        commands.append(f"collectd -f -C {SCRATCH}/collectd-{what}.conf -P {SCRATCH}/collectd-{what}.pid")
    running = []
    for command in commands:
        program = command.removeprefix("ip netns exec there ").removeprefix("ip netns exec here ")
        if name := missing(program):
            print(f"left out, for it is not there: {name}", file=sys.stderr)
        else:
            running.append(background(command))
    time.sleep(2)
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            process.wait(20)


def scraped() -> None:
    """Keep what node_exporter says of the ports, and the metrics that tell the machine."""
    wanted = re.compile(r"(?:# (?:HELP|TYPE) )?node_(?:network|boot|time|memory_Mem|cpu_sec|netstat)")
    with contextlib.suppress(OSError), urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines(keepends=True)
        keep("samples/node_exporter/metrics.prom", "".join(line for line in lines if wanted.match(line)).encode())


def record_all() -> None:
    """Record the session and the samples."""
    switch()
    with collectors():
        session = Session(time.time())
        session.agent()
        for name in ("port1", "port2"):
            shell(words(RRD, port=name))
        (SCRATCH / "mrtg.cfg").write_text(words(MRTG))
        session.every(POLL_S, session.poll)
        session.every(MRTG_S, lambda: shell(f"mrtg {SCRATCH}/mrtg.cfg"))
        for offset, command in RUNS:
            session.at(offset, lambda command=command: session.send(command))
        for offset, what in CHANGES:
            session.at(offset, lambda what=what: session.change(what))
        session.at(700, samples)
        session.at(800, scraped)
        session.join()
        session.keep()
        time.sleep(25)  # vnstat writes once a minute
    for what in ("counters", "rates"):
        for path in sorted((SCRATCH / "collectd" / what).rglob("if_*")):
            if path.name.startswith(("if_octets", "if_packets")):
                keep(f"samples/collectd-{what}/{path.parent.name}/{path.name}", path.read_bytes())
    moment = {
        "sa": SCRATCH / "sa",
        "soon": dt.datetime.fromtimestamp(session.start + 120, dt.UTC).strftime("%H:%M:%S"),
        "start": int(session.start),
        "end": int(session.end),
    }
    for name, command in KEPT:
        if not missing(command):
            keep(f"samples/{name}", shell(words(command, **moment)))


def samples() -> None:
    """Record what is printed while a transfer runs, all of it at the same time."""

    def one(name: str, command: str) -> None:
        if program := missing(command):
            print(f"{name}: left out, for {program} is not there", file=sys.stderr)
        else:
            keep(f"samples/{name}", shell(command))

    threads = [threading.Thread(target=one, args=pair) for pair in PRINTED]
    for thread in threads:
        thread.start()
        time.sleep(0.2)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    sys.exit(record_apart(__file__, __doc__, record_all))
