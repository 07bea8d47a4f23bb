"""Declared parameters: what is given is checked and converted before any kernel starts; exact words of each refusal."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.briefs import parameters


@pytest.fixture(scope="module")
def declaration(notebooks):
    return parameters.read_declaration(notebooks / "declarations" / "10_small.yaml")


def test_defaults_reach_the_notebook_in_si(declaration):
    assert parameters.defaults(declaration) == {
        "rtt": 0.08,
        "label": "plain",
        "cases": 3,
        "share": 0.05,
        "scale": 1.5,
        "fail": False,
        "mode": "lan",
    }


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("rtt", "20 ms", 0.02),
        ("rtt", "0.02", 0.02),
        ("rtt", 0.02, 0.02),
        ("cases", "7", 7),
        ("share", "50 %", 0.5),
        ("scale", "-2", -2.0),
        ("fail", "yes", True),
        ("fail", False, False),
        ("label", "80 ms", "80 ms"),
        ("mode", "wan", "wan"),
    ],
)
def test_given_values_are_converted(declaration, name, given, value):
    checked = parameters.check(declaration, {name: given})[name]
    assert checked == value
    assert type(checked) is type(value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"rt": 1},
            "found parameter 'rt', expected one of rtt, share, label, cases, scale, fail, mode; did you mean 'rtt'?",
        ),
        ({"rtt": "80 Gb/s"}, "found parameter rtt: '80 Gb/s', expected a time such as '80 ms' or '30 s'"),
        ({"rtt": "3 s"}, "found parameter rtt: '3 s', expected a value from 0 s to 2 s"),
        ({"rtt": -1.0}, "found parameter rtt: -1.0, expected a value from 0 s to 2 s"),
        ({"cases": "2.5"}, "found parameter cases: '2.5', expected a whole number"),
        ({"cases": True}, "found parameter cases: True, expected a whole number"),
        ({"cases": 0}, "found parameter cases: 0, expected a value from 1 to 40"),
        ({"scale": "fast"}, "found parameter scale: 'fast', expected a number"),
        ({"scale": "nan"}, "found parameter scale: 'nan', expected a number"),
        ({"fail": "perhaps"}, "found parameter fail: 'perhaps', expected true or false"),
        ({"mode": "wann"}, "found parameter mode: 'wann', expected one of wan, lan; did you mean 'wan'?"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(declaration, given, message):
    with pytest.raises(InputError) as refused:
        parameters.check(declaration, given)
    assert str(refused.value) == message


def test_notebook_without_parameters_says_so():
    with pytest.raises(InputError, match="expected none: 'T' takes no parameters"):
        parameters.check(parameters.Declaration(title="T", question="?"), {"rtt": 1})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "  rtt: {tipe: time, default: 1 s, help: x}",
            "4: found unknown key 'parameters.rtt.tipe', expected one of type,",
        ),
        ("  rtt: {type: time, default: 1 s, help: x}", "4: found parameters.rtt.unit: None, expected 's', in which it"),
        ("  rtt: {type: text, unit: s, default: 1 s, help: x}", "4: found parameters.rtt.unit: 's', expected none"),
        (
            "  rtt: {type: time, unit: s, default: 1 Gb, help: x}",
            "4: found default of parameter rtt: '1 Gb', expected a time such as",
        ),
        (
            "  rtt: {type: time, unit: s, default: 3 s, range: [0 s, 2 s], help: x}",
            "4: found default of parameter rtt: '3 s', expected a value from 0 s to 2 s",
        ),
    ],
)
def test_mistake_in_a_declaration_is_named_with_file_and_line(tmp_path, line, message):
    path = tmp_path / "x.yaml"
    path.write_text(f"title: T\nquestion: Q?\nparameters:\n{line}\n")
    with pytest.raises(InputError) as refused:
        parameters.read_declaration(path)
    assert str(refused.value).startswith(f"{path}:{message}")
