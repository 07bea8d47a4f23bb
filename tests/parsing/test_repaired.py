"""The value of a text that breaks off, as counters are read: what holds something whole is kept."""

import pytest

from hecn_analysis.parsing.json_parser import repaired

WHOLE = '{"host": {"name": "a"}, "ports": [{"n": 1, "in": {"b": 5}}, {"n": 2, "in": {"b": 6}}]}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (WHOLE[:-1], {"host": {"name": "a"}, "ports": [{"n": 1, "in": {"b": 5}}, {"n": 2, "in": {"b": 6}}]}),
        (WHOLE[:-5], {"host": {"name": "a"}, "ports": [{"n": 1, "in": {"b": 5}}]}),
        (WHOLE[: WHOLE.index("5")], {"host": {"name": "a"}}),
        (WHOLE[: WHOLE.index("ports") + 3], {"host": {"name": "a"}}),
        ('[{"a": 1}, {"b": tr', [{"a": 1}]),
        ('[{"a": 1}, {"b": "\\', [{"a": 1}]),
    ],
)
def test_open_parts_are_left_out_unless_they_hold_a_closed_one(text, value):
    document, _ = repaired(f"x {text}", 2, 1)
    assert (document.value, document.truncated, document.defects) == (value, True, [])


def test_a_value_that_ends_is_read_with_its_defects():
    document, end = repaired('{"a": nan, "b": [1, 2,]} rest', 0, 1)
    assert (document.value, document.truncated, end) == ({"a": None, "b": [1, 2]}, False, 24)
    assert document.defects == ["'nan'", "a comma before a closing bracket"]


@pytest.mark.parametrize("text", ['{"a": 1', "[", '{"a": {"b": 1}, oops, "c": {}}', '{"a": {}} '[:1] + "]", "[" * 1000])
def test_a_text_without_a_whole_part_and_one_that_goes_on_after_damage_are_left(text):
    assert repaired(text, 0, 1) is None
