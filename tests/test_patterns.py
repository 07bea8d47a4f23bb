"""All regular expressions of the package: their time grows with the text, and not faster; `make redos` tries more.

What is compared is the time for a text with that for a shorter one, by the same pattern: no number of seconds counts.
"""

import re

import pytest

from fuzz import patterns


@pytest.fixture(scope="module")
def collected():
    return patterns.collect()


def test_patterns_are_collected_wherever_they_stand(collected):
    places = {found.place for found in collected}
    assert len(collected) > 900
    assert {
        "base.units._QUANTITY",  # of a module
        "inventory.computer.lscpu._KNOWN",  # in a mapping
        "logs.paths.ping._STATISTICS",
        "models.cues.notes-offload",
    } <= places
    assert any(re.fullmatch(r"counters\.graphs\.prtg_rows:\d+", place) for place in places)  # inside a function
    by_place = {found.place: found for found in collected}
    assert by_place["base.units._QUANTITY"].methods == {"fullmatch"}
    assert by_place["logs.paths.ping._STATISTICS"].longest == patterns.LONGEST_OF_LOGS


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"^\s*(a)?\s*$", "match"),
        (r"(?P<name>\w+)=", "search"),
        (r"x(?P<value>.+?)\s*$", "match"),
        (r"<[^>]*>", "sub"),
        (r"(?m)^\s*Time", "search"),  # blank lines
    ],
)
def test_a_pattern_that_grows_is_found(pattern, method):
    found = patterns.Found(re.compile(pattern), "here", frozenset({method}), patterns.LONGEST)
    assert patterns.grows(found) is not None
    assert patterns.worst(found) is not None


@pytest.mark.parametrize(("pattern", "method"), [(r"^\s*+(a)?\s*$", "match"), (r"(?<!\w)(?P<name>\w++)=", "search")])
def test_the_same_without_steps_back_is_not(pattern, method):
    assert patterns.grows(patterns.Found(re.compile(pattern), "here", frozenset({method}), patterns.LONGEST)) is None


def test_no_pattern_grows_faster_than_the_text(collected):
    assert [(found.place, grown) for found in collected if (grown := patterns.grows(found)) is not None] == []
