"""What captures of simulated connections say of them: the cause is known, and both ends' captures must name it."""

import gzip

import pytest
import zstandard

from hecn_analysis import captures
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.statements.statement import NAMES
from tests.captures.conversation import ACK, PUSH, Conversation, pcap, pcapng, tcp

PLACES = (0, 0.5, 1)
VANTAGE = {0: "sender", 0.5: "between", 1: "receiver"}


def only(tmp_path, content, name="a.pcap"):
    path = tmp_path / name
    path.write_bytes(content)
    (capture,) = captures.read_capture(path)
    return capture


def direction(tmp_path, conversation, **form):
    capture = only(tmp_path, pcap(conversation.in_order(), **form))
    assert capture.problems == ()
    assert {statement.name for statement in capture.statements} <= set(NAMES)
    return capture.directions[0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("stamped", [True, False])
def test_a_full_window_is_seen_from_every_place(tmp_path, place, stamped):
    conversation = Conversation(place=place, stamped=stamped)
    conversation.window_limited(40)
    found = direction(tmp_path, conversation)
    assert found.vantage == VANTAGE[place]
    assert 0.95 < found.window_limited <= found.window_nearly
    assert found.rate_bps == pytest.approx(65536 * 8 / 0.05, rel=0.05)
    assert found.rtt_min_s == pytest.approx(0.05, rel=0.02)
    assert found.rtt_s == pytest.approx(0.05, rel=0.02)
    assert found.handshake_rtt_s == pytest.approx(0.05, rel=1e-3)
    assert (found.mss_bytes, found.window_scaling, found.sack) == (1460, True, True)
    assert (found.window_max_bytes, found.retransmits, found.idle) == (65536, 0, 0.0)
    assert found.ramp_s == pytest.approx(0.1, abs=0.01)
    assert 60_000 < found.flight_low_bytes <= found.flight_high_bytes <= 65536


def test_the_sentence_names_the_packets_and_the_share(tmp_path):
    conversation = Conversation()
    conversation.window_limited(40)
    capture = only(tmp_path, pcap(conversation.in_order()))
    (full,) = (one for one in capture.statements if one.name == "socket.rwnd_limited")
    assert (full.line, full.end) == (1, "sender")
    nearly = capture.directions[0].window_nearly
    assert full.says == (
        f"10.0.0.1:40000 > 10.0.0.2:5001: the receiver's window was full "
        f"{100 * full.value:.1f} % of the time, and nine tenths full {100 * nearly:.1f} %"
    )
    assert full.source_file == str(tmp_path / "a.pcap")


def test_without_the_handshake_the_scale_is_unknown_and_nothing_is_said_of_the_window(tmp_path):
    conversation = Conversation()
    conversation.window_limited(40)
    conversation.packets = conversation.packets[3:]
    found = direction(tmp_path, conversation)
    assert (found.window_limited, found.window_max_bytes, found.window_scaling, found.mss_bytes) == (None,) * 4
    assert found.rtt_s == pytest.approx(0.05, rel=0.01)  # from timestamps


def test_a_missing_window_scale_shows(tmp_path):
    conversation = Conversation(scaled=False, window=65535, rtt_s=0.1)
    conversation.window_limited(20)
    capture = only(tmp_path, pcap(conversation.in_order()))
    assert capture.directions[0].window_limited > 0.95
    assert "without window scaling: 64 KiB at most" in " ".join(one.says for one in capture.statements)


@pytest.mark.parametrize("place", PLACES)
def test_losses_are_counted_at_both_ends(tmp_path, place):
    conversation = Conversation(place=place, window=1 << 20)
    for _ in range(20):
        missing = conversation.burst(20, lost=(7,))
        conversation.now += conversation.rtt_s
        conversation.again(missing, 0.01)
    found = direction(tmp_path, conversation)
    assert (found.retransmits, found.timeouts, found.reordered) == (20, 0, 0.0)
    assert found.retransmitted == pytest.approx(1 / 21 if place == 0 else 1 / 20)
    assert found.duplicate_acks == 20 * (11 if place == 1 else 12)
    assert (found.window_limited, found.black_hole_bytes, found.missed) == (0.0, None, 0.0)


@pytest.mark.parametrize("place", PLACES)
def test_pauses_before_segments_sent_again_are_timeouts(tmp_path, place):
    conversation = Conversation(place=place, window=1 << 20)
    for _ in range(10):
        missing = conversation.burst(10, lost=(8,))
        conversation.again(missing, 0.4)
    found = direction(tmp_path, conversation)
    assert (found.retransmits, found.timeouts) == (10, 10)
    assert found.stalled > 0.8


@pytest.mark.parametrize("place", PLACES)
def test_a_program_that_pauses_is_not_a_window(tmp_path, place):
    conversation = Conversation(place=place, window=1 << 20)
    for _ in range(20):
        conversation.burst(5)
        conversation.now += 0.5
    found = direction(tmp_path, conversation)
    assert found.idle == pytest.approx(0.9, abs=0.02)
    assert (found.window_limited, found.retransmits, found.stalled) == (0.0, 0, 0.0)


def writes(conversation, pauses, *, segments=40, short=600):
    """Bursts that end with a short segment; each next one comes when a share of the burst is acknowledged."""
    for share in pauses:
        conversation.burst(segments)
        at = conversation.now + segments * 1e-4
        conversation.sent(at, conversation.seq, ACK | PUSH, short)
        conversation.seq += short
        conversation.answered(at + conversation.rtt_s / 2, conversation.seq)
        conversation.now += conversation.rtt_s + share * segments * 1e-4


def test_pauses_that_end_at_the_same_share_of_the_flight_are_the_send_buffers(tmp_path):
    conversation = Conversation(window=1 << 22)
    writes(conversation, [0.34] * 20, segments=400)
    found = direction(tmp_path, conversation)
    assert found.buffer_limited > 0.1
    assert found.idle == 0
    assert found.window_limited < 0.1
    assert found.flight_high_bytes == pytest.approx(400 * 1448, rel=0.05)


def test_pauses_that_end_anywhere_are_the_programs(tmp_path):
    conversation = Conversation(window=1 << 22)
    writes(conversation, [0.1, 0.9, 0.5, 0.3, 0.7] * 4, segments=400)
    found = direction(tmp_path, conversation)
    assert found.buffer_limited == 0
    assert found.idle > 0.1
    assert found.small == pytest.approx(1 / 401)


def test_segments_that_come_late_but_soon_are_reordered(tmp_path):
    conversation = Conversation(place=1, window=1 << 20)
    for _ in range(10):
        conversation.burst(10)
        conversation.now += 0.05
    data = [at for at, (_, packet) in enumerate(conversation.packets) if len(packet) > 1000]
    for at in data[3::10]:
        (early, one), (late, other) = conversation.packets[at], conversation.packets[at + 2]
        conversation.packets[at], conversation.packets[at + 2] = (late, one), (early, other)
    found = direction(tmp_path, conversation)
    assert (found.retransmits, found.reordered) == (0, 0.1)


def test_a_closed_window_counts_as_the_receivers_pause(tmp_path):
    conversation = Conversation(window=1 << 16)
    for _ in range(10):
        conversation.burst(5)
        conversation.answered(conversation.now + 0.03, conversation.seq, window=0)
        conversation.now += 0.4
        conversation.answered(conversation.now, conversation.seq)
        conversation.now += 0.1
    found = direction(tmp_path, conversation)
    assert found.zero_windows == 10
    assert found.zero_window == pytest.approx(0.7, abs=0.1)
    assert found.window_limited >= found.zero_window
    assert found.idle < 0.2


@pytest.mark.parametrize(("hosts", "size"), [(4, 1500), (16, 1520)])
def test_full_segments_that_never_arrive_are_a_black_hole(tmp_path, hosts, size):
    ends = tuple(bytes(hosts - 1) + bytes([last]) for last in (1, 2))
    conversation = Conversation(window=1 << 20, hosts=ends)
    conversation.sent(conversation.now, conversation.seq, ACK | PUSH, 100)
    conversation.seq += 100
    conversation.answered(conversation.now + 0.025, conversation.seq)
    conversation.now += 0.05
    missing = conversation.burst(10, lost=range(10))
    for number in range(4):
        conversation.again(missing, 0.3 * 2**number, acked=False)
    capture = only(tmp_path, pcap(conversation.in_order()))
    found = capture.directions[0]
    assert (found.black_hole_bytes, found.timeouts, found.own_mss_bytes) == (size, 4, 1460)
    said = {one.name: one for one in capture.statements}
    assert said["path.black_hole_bytes"].value == size
    assert said["port.mtu_bytes"].value == size


def test_losses_that_are_mended_are_no_black_hole(tmp_path):
    conversation = Conversation(window=1 << 20)
    missing = conversation.burst(10, lost=(0,))
    for number in range(4):
        conversation.again(missing, 0.3 * 2**number, acked=number == 3)
    assert direction(tmp_path, conversation).black_hole_bytes is None


def test_what_the_capture_dropped_is_told_apart_from_losses(tmp_path):
    conversation = Conversation(window=1 << 20)
    for _ in range(10):
        conversation.burst(10)
        conversation.now += 0.05
    data = [at for at, (_, packet) in enumerate(conversation.packets) if len(packet) > 1000]
    for at in reversed(data[5::10]):
        del conversation.packets[at]
    found = direction(tmp_path, conversation)
    assert found.missed == pytest.approx(0.1)
    assert found.retransmits == 0


def test_both_directions_of_an_exchange_are_measured(tmp_path):
    conversation = Conversation(window=1 << 20)
    conversation.burst(50)
    there = conversation.in_order()
    back = [
        (
            1000.5 + n / 1000,
            tcp(
                (5001, 40000), 7001 + n * 1000, conversation.seq, ACK, 512, payload=1000, hosts=conversation.hosts[::-1]
            ),
        )
        for n in range(30)
    ]
    capture = only(tmp_path, pcap([*there, *back]))
    assert [one.ends for one in capture.directions] == [
        "10.0.0.1:40000 > 10.0.0.2:5001",
        "10.0.0.2:5001 > 10.0.0.1:40000",
    ]
    assert [one.bytes for one in capture.directions] == [50 * 1448, 30_000]
    assert capture.connections == 1
    assert [one.value for one in capture.statements if one.name == "socket.connections"] == [2]


def test_the_course_shows_rate_flight_and_window(tmp_path):
    conversation = Conversation()
    conversation.window_limited(40)
    course = direction(tmp_path, conversation).course
    assert len(course.time_s) == len(course.rate_bps) == len(course.window_bytes) == 20
    assert course.rate_bps.mean() == pytest.approx(10.3e6, rel=0.05)
    assert set(course.window_bytes) == {65536.0}
    assert course.flight_bytes[:-1].min() > 60_000
    assert course.retransmits.sum() == 0


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.pcap.gz", gzip.compress), ("a.pcap.zst", zstandard.compress), ("a", bytes), ("a.pcapng", None)],
)
def test_a_folder_lists_its_captures(tmp_path, name, pack):
    conversation = Conversation()
    conversation.window_limited(5)
    packets = conversation.in_order()
    (tmp_path / name).write_bytes(pcapng(packets) if pack is None else pack(pcap(packets, snaplen=96)))
    folder = read_folder(tmp_path)
    (source,) = folder.sources.to_dict("records")
    assert (source["file"], source["kind"], source["format"]) == (
        *(name, "packet capture", "pcap" if pack else "pcapng"),
    )
    assert source["holds"] == f"{len(packets)} packets, 1 TCP connection with data"
    assert len(folder.refused) == len(folder.damaged) == 0
    assert str(folder) == "1 file read, 0 not, 1 packet capture"
    assert "socket.rwnd_limited" in {one.name for one in folder.statements}
    assert captures.statements(tmp_path) == list(folder.statements)


def flat(conversation, rounds, *, pairs=8, late=0.0, gap_s=1e-5):
    """So many pairs of segments in each round trip, whatever the window; `late` of their distance after an ACK."""
    step = conversation.rtt_s / (pairs + late)
    for number in range(rounds * pairs):
        at = conversation.now + number * step
        for place in range(2):
            conversation.sent(at + place * gap_s, conversation.seq, ACK, conversation.segment)
            conversation.seq += conversation.segment
        conversation.answered(at + conversation.rtt_s / 2, conversation.seq)


def test_a_flat_flight_far_below_the_window_that_waits_for_acknowledgements_is_the_send_buffers(tmp_path):
    conversation = Conversation(window=1 << 20)
    flat(conversation, 60)
    found = direction(tmp_path, conversation)
    assert found.flight_high_bytes == 16 * 1448
    assert found.buffer_limited > 0.8
    assert (found.idle, found.window_limited) == (0, 0)
    capture = only(tmp_path, pcap(conversation.in_order()))
    (said,) = (one for one in capture.statements if one.name == "socket.sndbuf_limited")
    assert said.value == found.buffer_limited
    assert "23.2 kB in flight at most, whatever the window allowed" in said.says


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"late": 0.5}, "a program or a pace sends between the acknowledgements"),
        ({"gap_s": 0.05 / 16}, "the port sends no faster than that"),
        ({"pairs": 22}, "the flight is more than 0.7 of the window"),
    ],
)
def test_a_flat_flight_that_something_else_holds_is_not_the_send_buffers(tmp_path, more, why):
    conversation = Conversation(window=1 << 16)
    flat(conversation, 60, **more)
    assert direction(tmp_path, conversation).buffer_limited == 0, why


def test_a_flight_that_grows_or_loses_is_not_the_send_buffers(tmp_path):
    growing = Conversation(window=1 << 20)
    for pairs in range(8, 40):
        flat(growing, 1, pairs=pairs)
        growing.now += growing.rtt_s
    assert direction(tmp_path, growing).buffer_limited == 0
    losing = Conversation(window=1 << 20)
    flat(losing, 60)
    losing.now += 60 * losing.rtt_s
    losing.again(losing.seq - losing.segment, 0.05)
    assert direction(tmp_path, losing).buffer_limited == 0


def small(conversation, length):
    """A small segment that arrives and is acknowledged up to the hole, if there is one."""
    conversation.sent(conversation.now, conversation.seq, ACK | PUSH, length)
    conversation.seq += length
    conversation.now += conversation.rtt_s


def test_full_segments_of_which_none_arrives_are_a_black_hole_at_the_receiver_too(tmp_path):
    conversation = Conversation(place=1, window=1 << 20)
    small(conversation, 100)
    hole = conversation.seq
    conversation.answered(conversation.now, hole)
    conversation.burst(10, lost=range(10))  # nothing of these is seen here
    conversation.packets = [one for one in conversation.packets if len(one[1]) < 1000]
    for _ in range(3):
        small(conversation, 200)
        conversation.answered(conversation.now, hole)
        conversation.now += 0.2
    capture = only(tmp_path, pcap(conversation.in_order()))
    assert (capture.directions[0].vantage, capture.directions[0].black_hole_bytes) == ("receiver", 1500)
    (said,) = (one for one in capture.statements if one.name == "path.black_hole_bytes")
    assert said.says.endswith("packets of 1500 bytes never arrived: only smaller ones get through")


def test_a_hole_between_full_segments_or_one_that_is_acknowledged_is_no_black_hole(tmp_path):
    for length, acknowledged in ((1448, False), (200, True)):
        conversation = Conversation(place=1, window=1 << 20)
        small(conversation, length)
        hole = conversation.seq
        conversation.seq += 14480
        for _ in range(3):
            small(conversation, length)
            conversation.answered(conversation.now, conversation.seq if acknowledged else hole)
            conversation.now += 0.2
        assert direction(tmp_path, conversation).black_hole_bytes is None
