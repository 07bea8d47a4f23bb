"""Transfers with a known cause, where HECN_CORPUS names the folder that holds them: what their files say is read."""

import json

import pytest

from hecn_analysis.files.documents import documents
from hecn_analysis.statements import read


@pytest.fixture(scope="module")
def cases(corpus):
    folders = sorted((corpus / "verdict").glob("[0-9]*"))
    if not folders:
        pytest.skip("HECN_CORPUS has no cases")
    return {
        folder.name: (
            json.loads((folder / "truth.json").read_text("utf-8")),
            [one for document in documents(folder / "before") for one in read(document)],
        )
        for folder in folders
    }


def names(statements, end=None):
    return {one.name for one in statements if end is None or one.end == end}


def test_rich_cases_tell_of_sockets_processors_distance_and_kernel(cases):
    for name, (truth, statements) in cases.items():
        if truth["evidence"] != "rich":
            continue
        assert {"path.rtt_idle_s", "path.rtt_loaded_s"} <= names(statements), name
        for end in ("sender", "receiver"):
            assert {"cpu.busiest", "kernel.receive_buffer_bytes", "kernel.send_buffer_bytes"} <= names(
                statements, end
            ), name
        if truth["cause"] not in {"udp", "start-up"}:  # no TCP, or gone before it was looked at
            assert {"socket.cwnd_bytes", "socket.rtt_s", "socket.retransmitted"} <= names(statements, "sender"), name


def test_notes_state_the_circuit_and_nothing_else_does(cases):
    for name, (truth, statements) in cases.items():
        rates = {one.value for one in statements if one.name == "path.rate_bps"}
        assert rates == ({truth["rate_bps"]} if truth["line_in_folder"] else set()), name


def test_a_receiver_that_is_slow_shows_in_what_the_sender_waits_for(cases):
    for name, (truth, statements) in cases.items():
        limited = [one.value for one in statements if one.name == "socket.rwnd_limited"]
        if limited and truth["cause"] == "loss":
            assert max(limited) < 0.2, name
