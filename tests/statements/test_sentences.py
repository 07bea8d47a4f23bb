"""Sentences that state something, and those that ask, guess, quote or tell what did not help."""

import re

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import cues, sentences


def found(text):
    return {statement.value for statement in cues.find(Document("question.txt", text.encode()))}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("Copies are slow. Could it be the switch or the cable?", "Copies are slow."),
        ("Transfers stop at 30 MB/s, is that normal?", "Transfers stop at 30 MB/s"),
        ("It might be the driver of the card. The rate is 3 MB/s.", "The rate is 3 MB/s."),
        ("Somebody in a forum suggested jumbo frames. The MTU is 1500.", "The MTU is 1500."),
        ("I tried another cable and another switch port without success.", ""),
        ("Replacing the card did not help. The port says 100 Mb/s.", "The port says 100 Mb/s."),
        ("The rate is 3 MB/s. It is not the cable, I checked.", "The rate is 3 MB/s."),
        ("It's not my driver but the port of the switch.", "but the port of the switch."),
        ("I could only reach 30 Mb/s over the tunnel.", "I could only reach 30 Mb/s over the tunnel."),
        ("Why is the copy over wifi so slow?", "Why is the copy over wifi so slow?"),
    ],
)
def test_only_what_is_stated_is_left(text, states):
    left = sentences.stated(text)
    assert len(left) == len(text)
    assert states in left
    assert re.search(r"cable|suggested|did not help|normal\?|driver", left) is None


@pytest.mark.parametrize(
    "line",
    [
        "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    300 KBytes",
        "\tSpeed: 1000Mb/s",
        "Jan  1 00:00:00 host kernel: could not be reached, is it up?",
        "rtt min/avg/max/mdev = 0.173/0.175/0.184/0.013 ms",
    ],
)
def test_lines_of_tools_stay(line):
    assert sentences.stated(line) == line


@pytest.mark.parametrize(
    ("states", "does_not", "cue"),
    [
        ("The copy over wifi is slow.", "Is the copy over wifi slow for you?", "notes-wireless"),
        ("We see heavy packet loss on this path.", "We see no heavy packet loss on this path.", "notes-loss"),
        ("We see heavy packet loss on this path.", "There might be heavy packet loss on this path.", "notes-loss"),
        ("The disks are busy, the array is resyncing.", "Somebody asked whether the array is resyncing.", None),
        (
            "Over the VPN the rate is 20 Mb/s.",
            "I read that over the VPN the rate is 20 Mb/s for most people.",
            "notes-tunnel",
        ),
    ],
)
def test_a_cue_counts_where_it_is_stated(states, does_not, cue):
    assert cue is None or cue in found(states)
    assert cue not in found(does_not)


def test_a_long_line_is_read_to_its_end():
    assert "notes-wireless" in found("The house has many rooms and thick walls. " * 40 + "The copy over wifi is slow.")


def test_a_denial_of_more_is_a_limit():
    assert "notes-94-mbit" in found("the downloads never exceed 93 Mbit/s on this machine")


@pytest.mark.parametrize(
    "text",
    [
        "If the MTU was wrong, large packets would hang on this path.",
        "If we had losses on the wifi, a ping would show them.",
        "My friend has WiFi at -80 dBm and packet loss all the time.",
        "Has anybody seen slow copies of many small files over wifi?",
    ],
)
def test_what_is_supposed_and_what_others_have_states_nothing(text):
    assert found(text) == set()


def test_a_greeting_is_not_quoted() -> None:
    text = "Hi everyone, our copies reach 3 MB/s."
    assert sentences.stated(text).strip() == "our copies reach 3 MB/s."
    assert sentences.stated("Hi-Fi is not what we transfer here.") == "Hi-Fi is not what we transfer here."
