"""Outputs of tools as engineers hand them in, with numbers that follow from a rate, a distance and a window."""

from __future__ import annotations

import hashlib
import json

MIB = 1 << 20
MSS = 1448


def _three(value: float) -> str:
    return f"{value:4.2f}" if value < 9.995 else f"{value:4.1f}" if value < 99.95 else f"{value:4.0f}"


def _rate(bps: float) -> str:
    """A rate as iperf prints it: three digits."""
    for unit, size in (("Gbits/sec", 1e9), ("Mbits/sec", 1e6), ("Kbits/sec", 1e3)):
        if bps >= size:
            return f"{_three(bps / size)} {unit}"
    return f"{bps:4.2f} bits/sec"


def _size(size: float) -> str:
    for unit, power in (("GBytes", 1 << 30), ("MBytes", MIB), ("KBytes", 1 << 10)):
        if size >= power:
            return f"{_three(size / power)} {unit}"
    return f"{size:4.2f} Bytes"


def iperf3(
    rates,
    cwnd=None,
    resent=None,
    *,
    command="iperf3 -c dtn02.campus.example -t 10",
    local="10.20.0.11",
    remote="10.30.0.12",
    version=None,
    received=None,
    reverse=False,
):
    """A run of iperf3 as text: rates [bit/s], windows [bytes] and retransmits of each second."""
    resent = resent or [0] * len(rates)
    heads = [f"$ {command}"] if command else []
    heads += [f"iperf {version}"] if version else []
    heads += [f"Connecting to host {command.split('-c ')[1].split()[0] if '-c ' in command else remote}, port 5201"]
    heads += ["Reverse mode, remote host is sending"] if reverse else []
    heads += [f"[  5] local {local} port 43210 connected to {remote} port 5201"]
    columns = "" if reverse or cwnd is None else "  Retr  Cwnd"
    heads += [f"[ ID] Interval           Transfer     Bitrate       {columns}"]
    body = []
    for second, rate in enumerate(rates):
        tail = "" if reverse or cwnd is None else f"{resent[second]:5d}   {_size(cwnd[second])}"
        body.append(f"[  5] {second:3d}.00-{second + 1:<6.2f} sec  {_size(rate / 8)}  {_rate(rate)}  {tail}")
    mean, length = sum(rates) / len(rates), len(rates)
    total = f"[  5]   0.00-{length:<6.2f} sec  {_size(mean * length / 8)}  {_rate(mean)}"
    got = received if received is not None else mean
    arrived = f"[  5]   0.00-{length + 0.04:<6.2f} sec  {_size(got * length / 8)}  {_rate(got)}"
    foot = ["- " * 25, f"[ ID] Interval           Transfer     Bitrate       {'  Retr' if cwnd is not None else ''}"]
    foot += [
        f"{total}  {sum(resent):5d}             sender",
        f"{arrived}                  receiver",
        "",
        "iperf Done.",
        "",
    ]
    return "\n".join([*heads, *body, *foot])


def iperf3_json(
    rates,
    *,
    streams=1,
    rtt=0.0004,
    target=0,
    version="iperf 3.12",
    window=0,
    cwnd=None,
    resent=0,
    host="dtn01",
    local="10.20.0.11",
    remote="10.30.0.12",
    cpu=(22.0, 41.0),
):
    """A run of iperf3 as JSON: rates of all streams together for each second [bit/s]."""
    seconds = len(rates)
    cwnd = cwnd or int(max(rates) * max(rtt, 1e-4) / 8 / streams * 1.5) + 100_000
    sockets = [5 + 2 * number for number in range(streams)]

    def part(socket, second, share):
        bps = rates[second] * share
        return {
            "socket": socket,
            "start": float(second),
            "end": second + 1.0,
            "seconds": 1.0,
            "bytes": int(bps / 8),
            "bits_per_second": bps,
            "retransmits": 0,
            "snd_cwnd": cwnd,
            "snd_wnd": cwnd,
            "rtt": int(rtt * 1e6),
            "rttvar": int(rtt * 1e5),
            "pmtu": 1500,
            "omitted": False,
            "sender": True,
        }

    def total(bps, lost=None):
        basic = {"start": 0, "end": float(seconds), "seconds": float(seconds), "bytes": int(bps * seconds / 8)}
        return {**basic, "bits_per_second": bps, **({} if lost is None else {"retransmits": lost}), "sender": True}

    mean = sum(rates) / seconds
    ends = [
        {
            "sender": {
                "socket": socket,
                **total(mean / streams, resent // streams),
                "max_snd_cwnd": cwnd,
                "max_snd_wnd": cwnd,
                "max_rtt": int(rtt * 1.4e6),
                "min_rtt": int(rtt * 1e6),
                "mean_rtt": int(rtt * 1.1e6),
                "sender": True,
            },
            "receiver": {"socket": socket, **total(mean / streams * 0.999)},
        }
        for socket in sockets
    ]
    whole = {
        "start": {
            "connected": [
                {
                    "socket": socket,
                    "local_host": local,
                    "local_port": 50000 + socket,
                    "remote_host": remote,
                    "remote_port": 5201,
                }
                for socket in sockets
            ],
            "version": version,
            "system_info": f"Linux {host} 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64",
            "timestamp": {"time": "Tue, 12 Mar 2024 09:14:07 GMT", "timesecs": 1710234847},
            "connecting_to": {"host": remote, "port": 5201},
            "cookie": hashlib.sha256(
                repr((rates, streams, local, remote, window, target, resent)).encode()
            ).hexdigest()[:36],
            "tcp_mss_default": MSS,
            "target_bitrate": target,
            "fq_rate": 0,
            "sock_bufsize": window,
            "sndbuf_actual": 16384,
            "rcvbuf_actual": 131072,
            "test_start": {
                "protocol": "TCP",
                "num_streams": streams,
                "blksize": 131072,
                "omit": 0,
                "duration": seconds,
                "bytes": 0,
                "blocks": 0,
                "reverse": 0,
                "tos": 0,
                "target_bitrate": target,
                "bidir": 0,
                "fqrate": 0,
            },
        },
        "intervals": [
            {
                "streams": [part(socket, second, 1 / streams) for socket in sockets],
                "sum": {**part(0, second, 1.0), "socket": None},
            }
            for second in range(seconds)
        ],
        "end": {
            "streams": ends,
            "sum_sent": total(mean, resent),
            "sum_received": total(mean * 0.999),
            "cpu_utilization_percent": {
                "host_total": cpu[0],
                "host_user": 1.2,
                "host_system": cpu[0] - 1.2,
                "remote_total": cpu[1],
                "remote_user": 2.1,
                "remote_system": cpu[1] - 2.1,
            },
            "sender_tcp_congestion": "cubic",
            "receiver_tcp_congestion": "cubic",
        },
    }
    for interval in whole["intervals"]:
        del interval["sum"]["socket"]
    return json.dumps(whole, indent="\t") + "\n"


def ping(host, rtt, count=10, lost=0, scatter=0.01):
    """iputils' ping, with losses spread over the run; times in seconds."""
    step = count // lost if lost else count + 1
    lines, times = [f"PING {host} ({host}) 56(84) bytes of data."], []
    for number in range(1, count + 1):
        if lost and number % step == 0 and count - number >= 0 and len(times) < count - lost + number // step:
            continue
        times.append(1e3 * rtt * (1 + scatter * ((number * 7) % 5 - 2) / 2))
        lines.append(f"64 bytes from {host}: icmp_seq={number} ttl=57 time={times[-1]:.3g} ms")
    gone = count - len(times)
    mean = sum(times) / len(times)
    spread = (sum((one - mean) ** 2 for one in times) / len(times)) ** 0.5
    lost_percent = f"{100 * gone / count:.4g}%"
    lines += ["", f"--- {host} ping statistics ---"]
    lines += [
        f"{count} packets transmitted, {count - gone} received, {lost_percent} packet loss, time {count - 1}000ms"
    ]
    lines += [f"rtt min/avg/max/mdev = {min(times):.3f}/{mean:.3f}/{max(times):.3f}/{spread:.3f} ms", ""]
    return "\n".join(lines)


def mtr(hops, source="ws17", count=100):
    """A report of mtr: for each hop its name, loss [%] and mean time [ms]."""
    lines = ["Start: 2024-03-12T09:20:11+0000", f"HOST: {source:<28}     Loss%   Snt   Last   Avg  Best  Wrst StDev"]
    lines += [
        f"  {number}.|-- {name:<24} {loss:5.1f}%   {count}   {time:5.1f} {time:5.1f}"
        f" {time * 0.97:5.1f} {time * 1.2:5.1f}   0.4"
        for number, (name, loss, time) in enumerate(hops, 1)
    ]
    return "\n".join([*lines, ""])


def ethtool(speed, *, device="eth0", duplex="Full", supported=None):
    """Ethtool of a port; speeds in Mb/s."""
    modes = [one for one in (10, 100, 1000, 10000, 25000, 40000, 100000) if one <= (supported or speed)][-3:]
    names = [f"{one}base{'T' if one <= 1000 else 'SR'}/Full" for one in modes]
    lines = [
        f"Settings for {device}:",
        "\tSupported ports: [ TP ]" if speed <= 1000 else "\tSupported ports: [ FIBRE ]",
    ]
    lines += [
        "\tSupported link modes:   " + "\n\t                        ".join(names),
        "\tSupported pause frame use: Symmetric",
    ]
    lines += [
        "\tSupports auto-negotiation: Yes",
        "\tAdvertised link modes:  " + "\n\t                        ".join(names),
    ]
    lines += ["\tAdvertised pause frame use: Symmetric", "\tAdvertised auto-negotiation: Yes"]
    lines += [
        f"\tSpeed: {speed}Mb/s",
        f"\tDuplex: {duplex}",
        "\tAuto-negotiation: on",
        "\tPort: FIBRE" if speed > 1000 else "\tPort: Twisted Pair",
    ]
    lines += [
        "\tPHYAD: 0",
        "\tTransceiver: internal",
        "\tSupports Wake-on: g",
        "\tWake-on: d",
        "\tLink detected: yes",
        "",
    ]
    return "\n".join(lines)


def sysctl(receive, send, request=212992):
    """Buffers of the kernel [bytes]."""
    return (
        f"net.core.rmem_max = {request}\nnet.core.wmem_max = {request}\n"
        f"net.ipv4.tcp_rmem = 4096\t131072\t{receive}\nnet.ipv4.tcp_wmem = 4096\t16384\t{send}\n"
        "net.ipv4.tcp_congestion_control = cubic\nnet.ipv4.tcp_window_scaling = 1\nnet.core.default_qdisc = fq_codel\n"
    )


LSCPU = """\
Architecture:            x86_64
  CPU op-mode(s):        32-bit, 64-bit
  Address sizes:         46 bits physical, 48 bits virtual
  Byte Order:            Little Endian
CPU(s):                  32
  On-line CPU(s) list:   0-31
Vendor ID:               GenuineIntel
  Model name:            Intel(R) Xeon(R) Gold 6134 CPU @ 3.20GHz
    CPU family:          6
    Model:               85
    Thread(s) per core:  2
    Core(s) per socket:  8
    Socket(s):           2
    Stepping:            4
    CPU max MHz:         3700.0000
    CPU min MHz:         1200.0000
NUMA:
  NUMA node(s):          2
  NUMA node0 CPU(s):     0-7,16-23
  NUMA node1 CPU(s):     8-15,24-31
"""


def nuttcp(rate, seconds=10, *, command, rtt_ms=0.4, tx=12, rx=24, resent=0):
    """A run of nuttcp 8."""
    amount = rate * seconds / 8 / MIB
    return (
        f"dtn01$ {command}\n"
        f"{amount:10.4f} MB / {seconds:6.2f} sec = {rate / 1e6:10.4f} Mbps"
        f" {tx} %TX {rx} %RX {resent} retrans {rtt_ms:.2f} msRTT\n"
    )


def dd(source, target, size, rate, options=""):
    """GNU dd: bytes, and bytes per second."""
    count = int(size / MIB)
    size = count * MIB
    speed = f"{rate / 1e9:.1f} GB/s" if rate >= 1e9 else f"{rate / 1e6:.0f} MB/s"
    return (
        f"[root@store01 ~]# dd if={source} of={target} bs=1M count={count}{' ' + options if options else ''}\n"
        f"{count}+0 records in\n{count}+0 records out\n"
        f"{size} bytes ({size / 1e9:.0f} GB, {size / (1 << 30):.0f} GiB) copied, {size / rate:.5g} s, {speed}\n"
    )


def mpstat(core, busy_soft=99.0, cores=8):
    """Mpstat -P ALL 5 1, with one core in soft interrupts."""
    lines = [f"Linux 5.14.0-362.el9.x86_64 (dtn02) \t03/12/2024 \t_x86_64_\t({cores} CPU)", ""]
    head = "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle"
    for stamp in ("09:31:05 AM", "Average:   "):
        lines.append(f"{'09:31:00 AM' if stamp[0] == '0' else stamp}  {head}")
        mean = (busy_soft + 1.1 * (cores - 1)) / cores
        rows = [("all", 0.2, 0.6, mean - 0.8)]
        rows += [(str(one), 0.1, 0.9, busy_soft) if one == core else (str(one), 0.2, 0.7, 0.2) for one in range(cores)]
        for name, user, system, most in rows:
            soft = min(most, 100 - user - system)
            idle = 100 - user - system - soft
            shares = (user, 0.0, system, 0.0, 0.0, soft, 0.0, 0.0, 0.0, idle)
            lines.append(f"{stamp}  {name:>3}" + "".join(f"{share:8.2f}" for share in shares))
        lines.append("")
    return "\n".join(lines)


def syslog(lines=20_000):
    """A syslog that has nothing to do with a transfer."""
    texts = (
        "systemd[1]: Started Session {n} of user root.",
        "CRON[{n}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
        "dbus-daemon[812]: [system] Successfully activated service 'org.freedesktop.PackageKit'",
        "postfix/smtpd[{n}]: connect from mail{n}.example.net[192.0.2.{b}]",
        "sshd[{n}]: Accepted publickey for ops from 192.0.2.{b} port 5{n} ssh2: ED25519 SHA256:xxxx",
    )
    stamps = (f"Mar 12 {one // 1200 % 24:02d}:{one // 20 % 60:02d}:{one * 3 % 60:02d}" for one in range(lines))
    return "".join(
        f"{stamp} mgmt03 {texts[number % 5].format(n=1000 + number % 8000, b=number % 250)}\n"
        for number, stamp in enumerate(stamps)
    )


def ramp(steady, seconds, start=(0.3,)):
    """Rates of each second: a start, then a steady rate with a little scatter."""
    rates = [steady * share for share in start]
    return rates + [steady * (1 + 0.003 * ((number * 5) % 7 - 3) / 3) for number in range(seconds - len(start))]
