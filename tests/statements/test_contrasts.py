"""Comparisons in many wordings: how many are recognised, and which sentences are mistaken for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import contrasts, cues
from hecn_analysis.statements.speeds import speeds

WORDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("comparisons.yaml").read_text("utf-8"))


def found(text: str) -> Iterator[tuple[str, cues.Cue]]:
    """The entries of which a sentence has one."""
    for statement in cues.find(Document("notes.txt", text.encode())):
        yield str(statement.value), cues.entries()[str(statement.value)]


def speaks_for(text: str, classes: list[str]) -> bool:
    return any(cue.odds.get(name, 0) >= 2 for _, cue in found(text) for name in classes)


def told() -> dict[str, tuple[int, int]]:
    """For each group, how many sentences are recognised, and how many there are."""
    groups = WORDS["told"]
    return {
        name: (sum(speaks_for(text, group["classes"]) for text in group["sentences"]), len(group["sentences"]))
        for name, group in groups.items()
    }


def test_what_was_changed_is_recognised() -> None:
    assert told() == {
        "wireless": (17, 18),
        "switch": (17, 18),
        "cable": (17, 18),
        "card": (14, 18),
        "program": (18, 18),
        "local": (18, 18),
        "streams": (16, 18),
        "version": (18, 18),
        "direction": (15, 18),
        "host": (16, 18),
        "offload": (17, 17),
        "distance": (17, 17),
        "files": (14, 17),
        "memory": (15, 17),
        "tunnel": (16, 17),
        "time": (14, 17),
        "guest": (17, 17),
        "mtu": (16, 17),
        "shaper": (13, 17),
        "security": (16, 17),
    }


@pytest.mark.parametrize(
    ("name", "text", "outcomes"),
    [
        ("tunnel", "The PC is slow through the VPN. My laptop on the same cable without it gets 900 Mb/s.", {"slower"}),
        ("host", "Downloads on my PC reach 20 Mb/s. My laptop on the same cable gets 900 Mb/s.", {"slower"}),
        ("cable", "The old one gives 94 Mb/s, the new cable 940 Mb/s.", {"slower"}),
        ("wireless", "Wired I get 92 Mb/s and over the wireless link 94 Mb/s.", {"same"}),
        ("wireless", "After I went from wifi to the wired port it is fast.", {"slower"}),
        ("memory", "To a RAM disk I get 900 MB/s, to the disk 60 MB/s.", {"slower"}),
        ("memory", "A RAM disk is fast.", set()),
        ("distance", "From Berlin it is 400 Mb/s, from Tokyo 9 Mb/s.", {"slower"}),
        ("shaper", "关闭qos后速度很快", {"slower"}),
        ("wireless", "Is it slow over wireless and fast over a cable?", set()),
        ("wireless", "Somebody said that wireless is slow and a cable is fast.", set()),
    ],
)
def test_outcomes_of_a_comparison(name: str, text: str, outcomes: set[str]) -> None:
    assert {outcome for outcome, _ in contrasts.outcomes(contrasts.compared()[name], list(speeds([text])))} == outcomes


def test_what_was_changed_in_vain_is_recognised() -> None:
    names = {"cpu": ("notes-idle-cpu", "notes-all-idle")}
    right = {
        group: sum(any(name in names.get(group, (f"alike-{group}",)) for name, _ in found(text)) for text in texts)
        for group, texts in WORDS["in vain"].items()
    }
    assert right == {"cable": 14, "switch": 15, "card": 15, "disk": 14, "cpu": 13, "host": 15}


def test_what_was_changed_in_vain_is_not_a_comparison() -> None:
    texts = [text for group in WORDS["in vain"].values() for text in group]
    assert [text for text in texts if any(name.startswith("contrast-") for name, _ in found(text))] == []


@pytest.mark.parametrize("prefix", ["contrast-", "alike-"])
def test_sentences_that_tell_nothing(prefix: str) -> None:
    assert [text for text in WORDS["nothing"] if any(name.startswith(prefix) for name, _ in found(text))] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was the cable.", ["contrast-cable"]),
        ("I think it is the cable.", []),
        ("It is not the cable.", ["alike-cable"]),
        ("A new cable did not help, but another network card fixed it.", ["alike-cable", "contrast-card"]),
        ("It goes from 94 to 940 Mb/s with another cable.", ["contrast-cable"]),
        ("I replaced the cable: still 94 Mb/s instead of 940.", ["alike-cable"]),
    ],
)
def test_what_a_sentence_tells(text: str, expected: list[str]) -> None:
    assert sorted({name for name, _ in found(text) if name.startswith(("contrast-", "alike-"))}) == expected
