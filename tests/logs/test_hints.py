"""A line is skipped only if it contains no hint of a reader."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hecn_analysis.logs import registry
from hecn_analysis.logs.hints import BITS, Index

GROUPS = [*(reader.HINTS for reader in registry.READERS), ("{",), ("/秒", "é")]
WORDS = sorted({word for words in GROUPS for word in words})
NOISE = st.text(st.sampled_from("abe s:/0123.,-=Mbp秒é\x7f"), max_size=12)


@given(
    st.lists(
        st.tuples(NOISE, st.sampled_from([*WORDS, ""]), NOISE).map("".join),
        min_size=1,
        max_size=20,
    )
)
@example([""])
@example(["{", "", "x{"])
@pytest.mark.slow
def test_every_hint_is_detected(lines):
    marks = Index(GROUPS).marks(lines)
    assert len(marks) == len(lines)
    for line, mark in zip(lines, marks, strict=True):
        for number, words in enumerate(GROUPS):
            if any(word in line for word in words):
                assert mark >> number % BITS & 1, (line, words)


def test_a_word_of_up_to_nine_characters_is_not_taken_for_another():
    index = Index([["Session (", "1.2", "ab", "{"]])
    assert index.marks(["Session (", "Session [", "1.2", "1.3", "ab", "ba", "{", "}", "ession (x"]) == [
        *(1, 0, 1, 0, 1, 0, 1, 0, 0),
    ]


@given(st.lists(st.text(st.sampled_from(",+a é\x7f"), max_size=12), min_size=1, max_size=9))
@example(["", ",,,", ""])
def test_a_repeated_character_is_counted_line_by_line(lines):
    marks = Index([["a"], []], repeated=[(0, ",", 3), (1, "+", 2)]).marks(lines)
    assert marks == [("a" in line or line.count(",") >= 3) + 2 * (line.count("+") >= 2) for line in lines]


@given(st.lists(st.text(st.sampled_from("abcd "), max_size=6), min_size=1, max_size=9))
@pytest.mark.slow
def test_words_together_count_where_all_are_on_a_line(lines):
    marks = Index([["dd"], []], [(0, ("a", "b")), (0, ("a", "c")), (1, ("b", "c", "d"))]).marks(lines)
    for line, mark in zip(lines, marks, strict=True):
        first = "dd" in line or ("a" in line and ("b" in line or "c" in line))
        assert mark == first + 2 * ("b" in line and "c" in line and "d" in line), line
