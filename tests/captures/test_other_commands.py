"""A packet capture given to a command for text: what it is, and which command reads it."""

import gzip

import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.cli import main
from hecn_analysis.ingest.filling import add_files
from tests.captures.conversation import Conversation, pcap, pcapng

CAPTURE = "found a packet capture ({}), expected text; 'hecn diagnose FILE' reads packet captures"


@pytest.fixture(scope="module")
def packets():
    conversation = Conversation()
    conversation.window_limited(5)
    return conversation.in_order()


@pytest.mark.parametrize("command", ["parse", "counters", "inventory"])
def test_a_command_for_text_says_which_command_reads_a_capture(tmp_path, capsys, packets, command):
    (tmp_path / "a.pcap").write_bytes(pcap(packets))
    (tmp_path / "b.pcap.gz").write_bytes(gzip.compress(pcapng(packets)))
    (tmp_path / "c").write_bytes(pcap(packets, order=">", nano=True))
    assert main([command, str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[:3] == [
        f"hecn: {tmp_path / name}: unrecognised: {CAPTURE.format(form)}"
        for name, form in (("a.pcap", "pcap"), ("b.pcap.gz", "pcapng"), ("c", "pcap"))
    ]
    assert said[3].endswith("3 problems in 3 files: 3 unrecognised")


@pytest.mark.parametrize("command", ["parse", "counters", "inventory"])
def test_no_reader_is_asked_about_the_payload_of_packets(tmp_path, capsys, packets, command):
    text = (
        b"\n$ dd if=a of=b\n1000000 bytes (1.0 MB) copied, 0.5 s, 2.0 MB/s\n"
        b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n$ cat /proc/meminfo\nMemTotal: 16777216 kB\nMemFree: 1 kB\n"
    )
    (tmp_path / "a.pcap").write_bytes(pcap(packets) + text)
    assert main([command, str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert CAPTURE.format("pcap") in output.err
    assert ": 1 unrecognised" in output.err


def test_a_capture_is_not_added_to_an_archive(tmp_path, packets):
    (tmp_path / "a.pcap").write_bytes(pcap(packets))
    added, known, problems = add_files(Archive(tmp_path / "archive"), [tmp_path / "a.pcap"])
    assert (added, known) == (0, 0)
    assert problems["message"].tolist() == [CAPTURE.format("pcap")]
