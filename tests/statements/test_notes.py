"""What people's notes say of the circuit and of the distance."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.notes import find


def said(text, name="path"):
    return [one.value for one in find(Document("notes.txt", text.encode())) if one.name.startswith(name)]


@pytest.mark.parametrize(
    ("note", "mbps"),
    [
        ("circuit: 200 Mb/s", 200),
        ("circuit_rate=200Mb/s", 200),
        ("Contracted bandwidth: 80 Mb/s", 80),
        ("bandwidth of the link is 10G", 10000),
        ("We lease a 1,000 Mbit/s line.", 1000),
        ("leased line 155.5 Mbps", 155.5),
        ("Committed rate (CIR) 45Mbps", 45),
        ("10GbE WAN link between A and B", 10000),
        ("fibre access 500/500 Mbit/s", 500),
        ("OC-12 circuit between the labs", 622.08),
        ("T3 line to the city", 44.736),
        ("Two hosts on the same gigabit LAN", 1000),
        ("Gigabit LAN, tested with -w 1M at 30 % load", 1000),
        ("We get 20 Mb/s on a 200 Mb/s circuit", 200),
        ("On the 200 Mb/s circuit we get 20 Mb/s", 200),
        ("The link of 1 Gbit/s only gives us 300 Mbit/s", 1000),
        ("The circuit is rated 10 Gb/s and the NICs are 25 Gb/s", 10000),
        ("> the internet line is 250 Mb/s, yet nothing exceeds 90 Mb/s", 250),
    ],
)
def test_the_rate_of_a_circuit(note, mbps):
    assert said(note, "path.rate") == [pytest.approx(mbps * 1e6)]


@pytest.mark.parametrize(
    "note",
    [
        "Measured bandwidth: 35 Mbit/s",
        "speed test on this line: 95 Mbit/s",
        "the bandwidth has been tested to be at 300mb/s",
        "DSL 50/10 Mbit",
        "the line does 20 MB/s",
        "two hosts with 10G NICs, a 100 Gb/s card and a 1 Gb/s SFP port on the link",
        "Link speed shown: 65 Mb/s",
        "[    4.10] eth0: NIC Link is Up 1000 Mbps Full Duplex",
        "       size: 1Gbit/s capacity: 1Gbit/s link=yes",
        "04:00.0 Fibre Channel: QLogic 4Gb link controller",
        "I211 Gigabit Network Connection",
        "Home upgraded to gigabit (D-Link DGE-530T)",
        "we copied a 10G file over the link",
        '{"circuit": "200 Mb/s"}',
        "nothing here",
    ],
)
def test_other_rates_are_not(note):
    assert said(note) == []


def test_long_files_are_no_notes():
    assert said("circuit: 200 Mb/s\n" + "x\n" * 5000) == []


@pytest.mark.parametrize(
    ("note", "seconds"),
    [
        ("RTT ~ 50 ms", 0.05),
        ("round-trip time: 80.5ms", 0.0805),
        ("the other side is 3 ms away", 0.003),
        ("latency is about 250 us", 250e-6),
        ("a 1Gbps uplink and 40 ms latency", 0.04),
        ("200ms 延迟的节点只有 10MB/s", 0.2),
        ("die Latenz liegt bei 35 ms", 0.035),
        ("2.1 Gb/s over 65 ms on a 40 Gb/s circuit", 0.065),
        ("700 Mbit/s across a 30-ms path", 0.03),
    ],
)
def test_the_distance(note, seconds):
    assert said(note, "path.rtt_idle_s") == [pytest.approx(seconds)]


def test_the_distance_during_a_transfer_is_another():
    assert said("the ping is 400 ms during the copy", "path.rtt_loaded_s") == [0.4]
    assert said("one-way latency 20 ms") == []
    assert said("it takes over 80 ms") == []


def test_the_line_is_quoted():
    (found,) = find(Document("notes.txt", b"Sites:\n# circuit: 200 Mb/s, Ethernet\n"))
    assert (found.line, found.says) == (2, "circuit: 200 Mb/s")


@pytest.mark.parametrize(
    ("note", "ends"),
    [
        ("dtn01 -> dtn02 (192.0.2.1 -> 192.0.2.2)", ["dtn01", "dtn02"]),
        ("# Path: north --> south.", ["north", "south"]),
        ("mover1 → mover2", ["mover1", "mover2"]),
        ("a.example.org -> b.example.org, 40 ms", ["a.example.org", "b.example.org"]),
        ("host1 -> switch -> host2", []),
        ("the rate went 10 -> 20 by a change of the window", []),
        ("p->next = x", []),
    ],
)
def test_an_arrow_between_two_names_says_who_sends(note, ends):
    assert [one.value for one in find(Document("notes.txt", note.encode())) if one.end] == ends


@pytest.mark.parametrize(
    ("note", "mbps", "megabytes"),
    [
        ("We get 300 Mbit/s over the 1 Gbit/s link, TCP window size 2 MB", [300], [2]),
        ("It runs at about 4.2 Gb/s, with 64 MiB socket buffers", [4200], [64]),
        ("It got 300 Mbit/s, then 400 Mbit/s", [], []),  # which of them, nobody says
        ("We need 300 Mbit/s; the file has 2 MB", [], []),
        ("It only got 10G", [], []),
    ],
)
def test_what_a_transfer_reached_and_its_buffers(note, mbps, megabytes):
    assert said(note, "told.rate") == [pytest.approx(rate * 1e6) for rate in mbps]
    assert said(note, "told.buffer") == [pytest.approx(size * 1e6) for size in megabytes]
