"""Words for the circumstances of runs: which a text names, and how they are joined."""

import pytest

from hecn_analysis.runs.circumstances import CIRCUMSTANTIAL, joined, named


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Bi-directional test over the real WAN", ["simultaneous", "real path"]),
        ("both ways, delays by netem", ["simultaneous", "emulated path"]),
        ("b-systems to C-system, B-systems", ["B-systems", "C-systems"]),
        ("C-systems, emulated, simultaneous", ["simultaneous", "emulated path", "C-systems"]),
        ("one direction after the other in real time", []),
        ("sub-b-systems", []),
    ],
)
def test_a_text_names_each_circumstance_once_hosts_last(text, words):
    assert named(text) == words
    assert not words or any(part in text.lower() for part in CIRCUMSTANTIAL)


@pytest.mark.parametrize(
    ("words", "text"), [([], None), (["", ""], None), (["b", "", "a", "b"], "b, a"), (iter(["real path"]), "real path")]
)
def test_words_are_joined_each_once(words, text):
    assert joined(words) == text
