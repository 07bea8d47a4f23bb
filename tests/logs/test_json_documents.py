"""JSON documents of every kind of layout and with every kind of defect."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.files.source import Lines
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.registry import read
from hecn_analysis.parsing import json_parser
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_parts import Parts
from hecn_analysis.parsing.json_values import at, count, number

VALUE = {
    "title": 'a {b} "c" \\',
    "rows": [{"n": 1, "deep": [{"x": [1, 2.5, True, None]}]}, {"n": 2}],
    "end": {"sum": 3},
}


class Sample(DocumentReader):
    """A reader that makes a run of every document that has rows."""

    TOOLS = ("sample",)
    DOCUMENTS = (frozenset({"rows"}), frozenset({"first", "second"}))

    def take(self, document):
        self.findings.run(Run(document.first, document.last, {"tool": "sample", "label": json.dumps(document.value)}))
        return True


def documents(text):
    return [part for part in Parts(Lines.of(text)) if isinstance(part, JsonDocument)]


def words(text):
    return [part.text for part in Parts(Lines.of(text)) if not isinstance(part, JsonDocument)]


def findings_of(text):
    findings = RunFindings("a.log")
    read(Lines.of(text), findings, readers=[Sample])
    return findings


@pytest.mark.parametrize("indent", [None, 0, 1, 2, "\t"])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("Warning: slow\n", "\niperf Done.\n"), ("$ tool -J ", " bye")]
)
def test_every_layout_among_text(indent, before, after):
    text = json.dumps(VALUE, indent=indent)
    [document] = documents(before + text + after)
    assert document.value == VALUE
    assert (document.truncated, document.defects) == (False, [])
    assert document.first == 1 + before.count("\n")
    assert document.last == document.first + text.count("\n")
    assert " ".join(words(before + text + after)).split() == (before + after).split()


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("between", ["", "\n", "\n\n", ",\n", " "])
def test_several_documents_and_arrays_of_them(indent, between):
    text = between.join(json.dumps({**VALUE, "k": k}, indent=indent) for k in range(3))
    for whole in (text, f"[{text}]", f"[\n{text}\n]\n"):
        assert [document.value["k"] for document in documents(whole)] == [0, 1, 2]


def test_a_line_of_any_length():
    value = {"rows": [{"n": n} for n in range(100_000)]}
    assert documents(json.dumps(value))[0].value == value


@pytest.mark.parametrize(
    ("text", "value", "defects"),
    [
        (
            '{"a": nan, "b": -nan, "c": inf, "d": 1}',
            {"a": None, "b": None, "c": None, "d": 1},
            ["'nan'", "'-nan'", "'inf'"],
        ),
        ('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, ["'NaN'", "'-Infinity'"]),
        ('{"a": 1.5e9, "b": 1.e5, "c": +2, "d": .5, "e": 007}', {"a": 1.5e9, "b": 1e5, "c": 2, "d": 0.5, "e": 7}, []),
        ('{"a": 1.5e}', {"a": None}, ["'1.5e'"]),
        ('{"a": [1, 2,], "b": {"c": 1,},}', {"a": [1, 2], "b": {"c": 1}}, ["a comma before a closing bracket"]),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}, ["repeated keys ('a')"]),
        ('{"a": 1, "a": 3,}', {"a": 3}, ["a comma before a closing bracket", "repeated keys ('a')"]),
        ('{"a": "\\d",}', {"a": "\\d"}, ["an unknown escape in a text", "a comma before a closing bracket"]),
        ('{"a": 1e999}', {"a": float("inf")}, []),
    ],
)
def test_text_that_is_not_json(text, value, defects):
    for layout in (text, text.replace("{", "{\n  ").replace(",", ",\n  ").replace("}", "\n}")):
        [document] = documents(layout)
        assert (document.value, document.defects, document.truncated) == (value, defects, False)


def test_a_truncated_document_keeps_its_complete_parts():
    text = json.dumps(VALUE, indent=2)
    at_row = text.index('"n": 2')
    [document] = documents(text[:at_row])
    assert document.truncated
    assert document.value == {"title": VALUE["title"], "rows": VALUE["rows"][:1]}
    [document] = documents(json.dumps(VALUE)[:-27])
    assert document.value == {"title": VALUE["title"], "rows": [VALUE["rows"][0]]}


def test_a_number_at_the_end_of_a_truncated_file_is_not_read():
    assert documents('{"a": 12, "b": 34')[0].value == {"a": 12}
    assert documents('{"a": 12, "b": 34\n')[0].value == {"a": 12, "b": 34}


@pytest.mark.parametrize("indent", [0, 1, 4])
def test_a_document_or_text_after_a_truncated_document(indent):
    text = json.dumps(VALUE, indent=indent)
    cut = text[: text.index('"deep"')].rstrip()
    found = documents(f"{cut}\n{text}\n")
    assert found[-1].value == VALUE if indent else found[0].truncated
    assert words(f"{cut}\n[  5]   0.00-1.00   sec  1 MBytes\n$ exit\n")[-2:] == [
        "[  5]   0.00-1.00   sec  1 MBytes",
        "$ exit",
    ]


def test_lines_of_the_elements_of_an_array():
    text = '{\n  "a": [\n    {\n      "b": [1]\n    },\n    {\n      "b": [1]\n    }\n  ]%s\n}'
    for tail in ("", ","):
        [document] = documents("\n" + text % tail)
        assert document.lines("a") == [6, 9]
        assert document.lines("b") == document.lines("z") == []
        assert (document.first, document.last) == (2, 11)


@pytest.mark.parametrize(
    "text",
    [
        'int main() {\n  return "a";\n}\n',
        'struct s {\n  int a;\n};\nstruct s t = {\n  "text", 3\n};\n',
        "awk '{\"date\" | getline; print}' file",
        "find . -exec ls {} \\;",
        'f"{x}" and {"y"} and {\n\n\n',
        "server {\n    listen 80;\n}\n",
    ],
)
def test_text_with_brackets_is_text(text):
    assert documents(text) == []
    assert "\n".join(words(text)).split() == text.split()


def test_a_document_without_a_reader():
    other = json.dumps({"other": 1}, indent=1)
    parts = list(Parts(Lines.of(f'{other}\nlog {{"other": 2}} end\n{other[:-1]}'), lambda _: False))
    assert [part.text for part in parts] == ['log {"other": 2} end', "{", ' "other": 1']


def test_a_reader_gets_its_documents_and_their_defects_are_named_once():
    one = '{"rows": [], "x": nan}'
    findings = findings_of(f'{{"first": 1}}\n{one}\ntext\n{one}\n\n{one}\n{{"first": 1, "second": 2,')
    assert [(run.line_first, run.columns["label"]) for run in findings.runs] == [
        (2, '{"rows": [], "x": null}'),
        (4, '{"rows": [], "x": null}'),
        (7, '{"first": 1, "second": 2}'),
    ]
    assert [(problem["line"], problem["kind"], problem["message"]) for problem in findings.problems] == [
        (2, "malformed", "found 'nan', expected JSON; read as far as it has a meaning"),
        (6, "ambiguous", "found the same JSON document twice in a row, expected different ones; read once"),
        (7, "truncated", "found a truncated JSON document; the complete part is read"),
    ]


def test_steps_and_numbers():
    value = {"a": [{"b": 1}], "c": 1e400, "d": 10**400, "e": "5", "f": 5.0, "g": 5.5, "h": True}
    assert at(value, "a", 0, "b") == 1
    assert at(value, "a", -2, "b") is at(value, "a", "b") is at(value, 0) is None
    assert [number(value[key]) for key in "cdefgh"] == [None, None, None, 5.0, 5.5, None]
    assert [count(value[key]) for key in "cdefgh"] == [None, None, None, 5, None, None]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(['{"a":', "{", "}", "[", "]", ",", ":", '"', '"b"', "1", "nan", "\n", "  ", "\\", "x", "{\n"])
    )
)
def test_arbitrary_text_never_raises_and_is_never_lost(pieces):
    text = "".join(pieces)
    kept = sum(len(part.text.replace("\n", "")) for part in Parts(Lines.of(text)))
    assert kept <= len(text.replace("\n", ""))
    assert kept >= sum(character in "x\\" for character in text) - text.count('"') * len(text)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from([None, 0, 2]),
    st.sampled_from(["", ","]),
)
@pytest.mark.slow
def test_json_values_equal_those_of_the_standard_library(value, indent, comma):
    whole = {"key": value}
    text = json.dumps(whole, indent=indent)
    [document] = documents(text[:-1] + comma + "}")
    assert document.value == json.loads(text)


@pytest.mark.parametrize(
    "unit",
    [
        '{"a":',
        "{",
        '{"a" {',
        '{"',
        '{"a": [',
        "{\n",
        ' {\n "a":\n',
        '{\n"a": 1\n',
        '{"a": "\n',
        '{"a": {}, "b": 1x\n',
        "\\",
    ],
)
@pytest.mark.slow
def test_work_grows_with_the_length(unit, work):
    few, many = (
        work(lambda length=length: list(Parts(Lines.of(unit * (length // len(unit)))))) for length in (10_000, 100_000)
    )
    assert many < 12 * few + 100


def test_work_grows_with_the_length_of_steps(work):
    rng = random.Random(1)  # noqa: S311 - layouts, not secrets

    def text(lines):
        return "\n".join(" " * min(depth, 300) + rng.choice(["{", '"a": {', "{"]) for depth in range(lines))

    few, many = (work(lambda lines=lines: list(Parts(Lines.of(text(lines))))) for lines in (1_000, 10_000))
    assert many < 15 * few


def test_many_documents_on_a_line_are_scanned_once(monkeypatch):
    looked, real = [], json_parser._decoded_quickly
    monkeypatch.setattr(json_parser, "_decoded_quickly", lambda text: looked.append(len(text)) or real(text))
    line = '{"a": 1} ' * 200
    assert [part.value for part in Parts(Lines.of(line))] == [{"a": 1}] * 200
    assert sum(looked) <= len(line)
