"""Packet captures made in memory: a connection is simulated, and its packets are written as pcap or pcapng."""

import struct
from dataclasses import dataclass, field

CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16


def tcp(ports, seq, ack, flags, window, *, options=b"", payload=0, hosts=(CLIENT, SERVER)):
    """Packet of IP and TCP, its data zeros."""
    options += b"\x01" * (-len(options) % 4)
    offset = 20 + len(options)
    head = struct.pack(
        ">HHIIBBHHH", *ports, seq % 2**32, ack % 2**32, offset // 4 << 4, flags, min(window, 65535), 0, 0
    )
    body = head + options + bytes(payload)
    if len(hosts[0]) == 16:
        return struct.pack(">IHBB", 6 << 28, len(body), 6, 64) + hosts[0] + hosts[1] + body
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 1, 0, 64, 6, 0) + hosts[0] + hosts[1] + body


def stamps(own, echo):
    return b"\x01\x01\x08\x0a" + struct.pack(">II", own, echo)


def ethernet(packet, tag=b""):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return bytes(6) + bytes(6) + tag + kind + packet


def pcap(packets, *, order="<", nano=False, link=1, snaplen=262144, frame=ethernet):
    """File of packets (time in seconds, packet of IP)."""
    out = [struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link)]
    for time_s, packet in packets:
        data = frame(packet)
        whole, part = divmod(round(time_s * (1e9 if nano else 1e6)), 10**9 if nano else 10**6)
        out += [struct.pack(order + "IIII", whole, part, len(data[:snaplen]), len(data)), data[:snaplen]]
    return b"".join(out)


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def pcapng(packets, *, order="<", resolution=None, others=(), snaplen=262144):
    """The same as a pcapng with one interface; `others` are blocks between the packets."""
    options = b"" if resolution is None else struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
    section = struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
    out = [block(order, 0x0A0D0D0A, section), block(order, 1, struct.pack(order + "HHI", 1, 0, snaplen) + options)]
    ticks = 10 ** (6 if resolution is None else resolution)
    for time_s, packet in packets:
        data = ethernet(packet)
        high, low = divmod(round(time_s * ticks), 2**32)
        head = struct.pack(order + "IIIII", 0, high, low, len(data[:snaplen]), len(data))
        out += [block(order, 6, head + data[:snaplen]), *others]
    return b"".join(out)


@dataclass
class Conversation:
    """A sender, the client, and a receiver with a path between them.

    Parameters
    ----------
    rtt_s
        Round-trip time.
    place
        Where the capture is made: 0 at the sender, 1 at the receiver.
    window
        The receiver's window in bytes, offered with a scale of 7 unless `scaled` is false.
    """

    rtt_s: float = 0.05
    place: float = 0.0
    window: int = 65536
    mss: int = 1460
    scaled: bool = True
    stamped: bool = True
    hosts: tuple = (CLIENT, SERVER)
    seq: int = 2**32 - 5000  # wraps soon
    packets: list = field(default_factory=list)

    def __post_init__(self):
        self.ports = (40000, 5001)
        self.ack_seq = 7000
        self.shift = 7 if self.scaled else 0
        self.segment = self.mss - 12 * self.stamped
        options = struct.pack(">BBH", 2, 4, self.mss) + b"\x04\x02" + (b"\x03\x03\x07" if self.scaled else b"")
        start = 1000.0
        half = self.rtt_s / 2
        options += stamps(1, 0) if self.stamped else b""
        self.sent(start, self.seq, SYN, options=options, plain=True)
        self.answered(start + half, self.seq + 1, SYN | ACK, options=options, plain=True)
        self.seq += 1
        self.ack_seq += 1
        self.sent(start + 2 * half, self.seq, ACK)
        self.now = start + 2 * half

    def sent(self, time_s, seq, flags=ACK, payload=0, *, options=b"", plain=False):
        """Note a packet that leaves the sender at a time."""
        if self.stamped and not plain:
            options = stamps(int(time_s * 1000), self.newest(time_s)) + options
        packet = tcp(self.ports, seq, self.ack_seq, flags, 512, options=options, payload=payload, hosts=self.hosts)
        self.packets.append((time_s + self.place * self.rtt_s / 2, packet))

    def answered(self, time_s, ack, flags=ACK, *, window=None, options=b"", plain=False):
        """Note a packet that leaves the receiver at a time."""
        if self.stamped and not plain:
            options = stamps(int(time_s * 1000), 1) + options
        offered = self.window if window is None else window
        offered = min(offered, 65535) if flags & SYN else offered >> self.shift
        packet = tcp(self.ports[::-1], self.ack_seq, ack, flags, offered, options=options, hosts=self.hosts[::-1])
        self.packets.append((time_s + (1 - self.place) * self.rtt_s / 2, packet))

    def newest(self, time_s):
        """Timestamp of the acknowledgement that reached the sender last."""
        return int((time_s - self.rtt_s / 2) * 1000 + 1e-6)

    def window_limited(self, rounds):
        """A window a round trip, each segment sent when the one before the window is acknowledged."""
        count = self.window // self.segment
        step = self.rtt_s / count / 2  # the other half of the round trip the sender waits
        for _ in range(rounds):
            for number in range(count):
                at = self.now + number * step
                self.sent(at, self.seq, ACK, self.segment)
                self.seq += self.segment
                self.answered(at + self.rtt_s / 2, self.seq)
            self.now += self.rtt_s

    def burst(self, count, *, lost=()):
        """Some segments at once; those that get lost are not acknowledged, nor seen behind the loss."""
        missing = None
        for number in range(count):
            at = self.now + number * 1e-4
            if number not in lost or self.place == 0:
                self.sent(at, self.seq, ACK, self.segment)
            if number in lost:
                missing = self.seq if missing is None else missing
            else:
                self.answered(at + self.rtt_s / 2, (self.seq + self.segment) if missing is None else missing)
            self.seq += self.segment
        return missing

    def again(self, seq, after_s, *, acked=True):
        """A segment sent once more, after a time."""
        self.now += after_s
        self.sent(self.now, seq, ACK, self.segment)
        if acked:
            self.answered(self.now + self.rtt_s / 2, self.seq)
            self.now += self.rtt_s

    def in_order(self):
        """Packets in the order in which they pass the capture."""
        return sorted(self.packets, key=lambda packet: packet[0])
