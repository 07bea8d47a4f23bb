"""Formats of captures, and damaged captures: the reader keeps what is whole, names the rest, and never raises."""

import random
import struct
import zlib

import numpy as np
import pytest

from hecn_analysis import captures
from hecn_analysis.captures.connections import address, read_headers
from hecn_analysis.captures.headers import Flow
from hecn_analysis.files.capture_forms import capture_form
from hecn_analysis.ingest.folder import read_folder
from tests.captures.conversation import Conversation, block, ethernet, pcap, pcapng


@pytest.fixture(scope="module")
def packets():
    conversation = Conversation()
    conversation.window_limited(3)
    return conversation.in_order()


def headers(content, piece=1 << 20):
    return read_headers(iter([content[at : at + piece] for at in range(0, len(content), piece)]))


def same(one, other):
    assert one.flows == other.flows
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other.columns[name], err_msg=name)


def test_captures_are_told_by_their_first_bytes(packets):
    for content in (pcap(packets), pcap(packets, order=">", nano=True), pcapng(packets), pcapng(packets, order=">")):
        assert capture_form(content)
    for content in (b"", b"a log\n", b"\xd4\xc3\xb2", b"\n\r\r\n" + bytes(8)):
        assert capture_form(content) is None


def test_ends_are_written_as_tcpdump_does():
    four = Flow(bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), 40000, 5001)
    assert address(four) == "10.0.0.1:40000 > 10.0.0.2:5001"
    assert address(Flow(bytes(15) + b"\x01", bytes(16), 1, 2)) == "[::1]:1 > [::]:2"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nano", [False, True])
def test_all_forms_of_pcap_say_the_same(packets, order, nano):
    rounded = [(round(time_s, 3), packet) for time_s, packet in packets]
    found = headers(pcap(rounded, order=order, nano=nano))
    assert (found.n_packets, found.n_tcp, found.n_udp, found.problems) == (len(packets), len(packets), 0, [])
    same(found, headers(pcap(rounded)))
    assert found.columns["time_ns"][0] == 1000 * 10**9


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("resolution", [None, 3, 6, 9, 12])
def test_all_forms_of_pcapng_say_the_same(packets, order, resolution):
    rounded = [(round(time_s, 3), packet) for time_s, packet in packets]
    found = headers(pcapng(rounded, order=order, resolution=resolution))
    assert (found.n_packets, found.problems) == (len(packets), [])
    same(found, headers(pcap(rounded)))


def test_a_clock_in_powers_of_two_and_with_an_offset(packets):
    head = block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack("<HHB3x", 9, 1, 0x80 | 10) + struct.pack("<HHq", 14, 8, 5) + bytes(4)
    head += block("<", 1, struct.pack("<HHI", 1, 0, 0) + options)
    data = ethernet(packets[0][1])
    head += block("<", 6, struct.pack("<IIIII", 0, 0, 1536, len(data), len(data)) + data)
    assert headers(head).columns["time_ns"].tolist() == [6_500_000_000]


def test_simple_obsolete_and_unknown_blocks(packets):
    data = ethernet(packets[3][1])
    others = [
        block("<", 0x0BAD, b"unknown"),
        block("<", 4, bytes(8)),
        block("<", 5, bytes(20)),
        block("<", 3, struct.pack("<I", len(data)) + data),
        block("<", 2, struct.pack("<HHIIII", 0, 0, 0, 7, len(data), len(data)) + data),
    ]
    found = headers(pcapng(packets[:4], others=others))
    assert (found.n_packets, found.n_tcp, found.problems) == (12, 12, [])
    assert found.columns["number"].tolist() == list(range(1, 13))


def test_sections_of_both_byte_orders_and_two_interfaces(packets):
    raw = block(">", 1, struct.pack(">HHI", 101, 0, 0))
    data = packets[0][1]
    second = block(">", 6, struct.pack(">IIIII", 1, 0, 5, len(data), len(data)) + data)
    missing = block(">", 6, struct.pack(">IIIII", 9, 0, 5, len(data), len(data)) + data)
    found = headers(pcapng(packets) + pcapng(packets, order=">") + raw + second + missing)
    assert (found.n_tcp, found.problems) == (2 * len(packets) + 1, [])


def cooked(packet):
    return bytes(14) + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet


def cooked_2(packet):
    return (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + bytes(18) + packet


TAG = b"\x81\x00\x00\x07"
LINKS = [
    (1, ethernet),
    (1, lambda packet: ethernet(packet, TAG)),
    (1, lambda packet: ethernet(packet, b"\x88\xa8\x00\x07" + TAG)),
    (113, cooked),
    (276, cooked_2),
    (101, bytes),
    (12, bytes),
    (0, lambda packet: b"\x02\0\0\0" + packet),
    (108, lambda packet: b"\0\0\0\x02" + packet),
]


@pytest.mark.parametrize(("link", "frame"), LINKS)
@pytest.mark.parametrize("hosts", [4, 16])
def test_every_link_type(link, frame, hosts):
    ends = tuple(bytes(hosts - 1) + bytes([last]) for last in (1, 2))
    conversation = Conversation(hosts=ends)
    conversation.window_limited(2)
    sent = conversation.in_order()
    found = headers(pcap(sent, link=link, frame=frame))
    assert found.n_tcp == len(sent)
    assert found.columns["payload"].sum() == 2 * (65536 // 1448) * 1448
    assert [len(ends.source) for ends in found.flows] == [hosts, hosts]
    same(found, headers(pcap(sent, snaplen=128, link=link, frame=frame)))


def test_a_handshake_whose_options_were_cut_offers_nothing(packets):
    assert len(headers(pcap(packets, snaplen=96)).handshakes) == 2
    assert headers(pcap(packets, snaplen=70)).handshakes == {}


def test_other_packets_are_counted_or_passed_over(packets):
    def ip(protocol, *, fragment=0, body=bytes(40)):
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 1, fragment, 64, protocol, 0)
        return head + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + body

    others = [ip(17), ip(17), ip(1), ip(6, fragment=100), b"\x00" * 60, ip(6, body=bytes(4))]
    found = headers(pcap([*packets, *((2000.0, packet) for packet in others)]))
    assert (found.n_packets, found.n_tcp, found.n_udp) == (len(packets) + 6, len(packets), 2)


def test_extension_headers_of_ipv6_are_skipped():
    conversation = Conversation(hosts=(bytes(15) + b"\x01", bytes(15) + b"\x02"))
    conversation.window_limited(1)

    def extended(packet):
        length = struct.unpack_from(">H", packet, 4)[0] + 16
        return ethernet(
            packet[:4]
            + struct.pack(">HB", length, 0)
            + packet[7:40]
            + b"\x3c\0"
            + bytes(6)
            + b"\x06\0"
            + bytes(6)
            + packet[40:]
        )

    sent = conversation.in_order()
    found = headers(pcap(sent, frame=extended))
    assert found.n_tcp == len(sent)
    assert found.columns["payload"].sum() == 65536 // 1448 * 1448


def test_pieces_of_any_size_give_the_same(packets):
    for content in (pcap(packets, snaplen=96), pcapng(packets)):
        for piece in (7, 100, 4096):
            same(headers(content), headers(content, piece))


@pytest.mark.parametrize("form", [pcap, pcapng])
def test_a_capture_that_breaks_off_is_read_up_to_there(tmp_path, packets, form):
    (tmp_path / "cut.pcap").write_bytes(form(packets)[:-30])
    folder = read_folder(tmp_path)
    (capture,) = folder.captures
    assert capture.packets == len(packets) - 1
    (problem,) = folder.damaged.to_dict("records")
    assert problem["kind"] == "truncated"
    assert problem["message"].endswith(
        "bytes of a packet at the end of the capture, expected all of it; it is left out"
    )
    assert folder.sources["remarks"].tolist() == [1]


def test_lengths_that_cannot_be_end_the_capture(packets):
    whole = pcap(packets[:5])
    found = headers(whole + struct.pack("<IIII", 1, 1, 2**31, 2**31) + bytes(100))
    assert found.n_packets == 5
    assert found.problems == [
        (
            "malformed",
            "found packet 6 with 2147483648 bytes, expected at most 16.8 MB; the rest of the capture is left out",
        )
    ]
    found = headers(pcapng(packets[:5]) + struct.pack("<II", 6, 2**31) + bytes(100))
    assert found.problems == [
        ("malformed", "found a block of 2147483648 bytes after packet 5; the rest of the capture is left out")
    ]
    assert found.n_packets == 5


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xd4\xc3\xb2\xa1", "found 4 bytes, expected a packet capture with its header"),
        (pcap([]), None),
        (pcapng([]), None),
        (pcap([], link=147), None),
    ],
)
def test_captures_without_packets(tmp_path, content, problem):
    (tmp_path / "a").write_bytes(content)
    (capture,) = captures.read_capture(tmp_path)
    assert (capture.packets, capture.directions, capture.statements) == (0, (), [])
    assert [message for _, message in capture.problems] == ([problem] if problem else [])


@pytest.mark.parametrize("content", [b"", b"\xd4\xc3", b"\x0a\x0d\x0d\x0a then text\n", b"\0" * 100])
def test_what_is_no_capture_is_left_to_others(tmp_path, content):
    (tmp_path / "a.pcap").write_bytes(content)
    folder = read_folder(tmp_path)
    assert folder.captures == ()
    assert folder.refused["file"].tolist() == ["a.pcap"]


def test_a_packed_capture_that_is_cut_is_read_up_to_there(tmp_path, packets):
    packed = zlib.compressobj(wbits=31)
    content = packed.compress(pcap(packets)) + packed.flush()
    (tmp_path / "a.pcap.gz").write_bytes(content[: len(content) // 2])
    (capture,) = captures.read_capture(tmp_path)
    assert 0 < capture.packets < len(packets)
    assert {kind for kind, _ in capture.problems} == {"truncated"}


@pytest.mark.slow
def test_damage_anywhere_never_raises(tmp_path):
    conversation = Conversation(window=1 << 18)
    for _ in range(6):
        missing = conversation.burst(12, lost=(3,))
        conversation.now += 0.05
        conversation.again(missing, 0.01)
    sent = conversation.in_order()
    samples = [pcap(sent, snaplen=80), pcap(sent, order=">", snaplen=80, link=113), pcapng(sent, snaplen=80)]
    rng = random.Random(20)  # noqa: S311
    path = tmp_path / "a.pcap"
    for number in range(600):
        content = bytearray(samples[number % 3])
        for _ in range(rng.choice((1, 4, 30, 300))):
            content[rng.randrange(4, len(content))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        if rng.random() < 0.3:
            at = rng.randrange(len(content))
            del content[at : at + rng.randrange(1, 50)]
        path.write_bytes(content)
        for capture in captures.read_capture(path):
            assert all(isinstance(one.value, float) and one.value >= 0 for one in capture.statements)
            assert all(np.isfinite(one.value) for one in capture.statements)
