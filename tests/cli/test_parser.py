"""Words that are wrong, and what is said to them."""

import argparse

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli.parser import Parser, settings


@pytest.fixture
def parser():
    parser = Parser(prog="tool")
    commands = parser.add_subparsers(dest="command")
    filled = []

    def fill(below):
        filled.append(below.prog)
        below.add_argument("files", nargs="*")
        below.add_argument("--rate", required=True)
        below.add_argument("--how", choices=["read", "write"])

    for name in ("one", "two"):
        commands.add_parser(name, fill=fill)
    parser.filled = filled
    return parser


def test_only_the_chosen_command_is_filled_in(parser):
    assert parser.parse_args(["two", "--rate", "1"]).rate == "1"
    assert parser.filled == ["tool two"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bogus", "one"], "tool: unknown option '--bogus' (see: tool --help)"),
        (["twoo"], "tool: unknown command 'twoo'; did you mean 'two'? (see: tool --help)"),
        (["xyz"], "tool: unknown command 'xyz'; known: one, two (see: tool --help)"),
        (["one", "--rates", "1"], "tool one: unknown option '--rates'; did you mean '--rate'? (see: tool one --help)"),
        (["one", "--rates=1"], "tool one: unknown option '--rates'; did you mean '--rate'? (see: tool one --help)"),
        (["one", "--ra", "1"], "tool one: unknown option '--ra'; did you mean '--rate'? (see: tool one --help)"),
        (["one", "--rate", "1", "-x"], "tool one: unexpected argument '-x' (see: tool one --help)"),
        (
            ["one", "--rate", "1", "--how", "red"],
            "tool one: unknown how 'red'; did you mean 'read'? (see: tool one --help)",
        ),
        (["one"], "tool one: the following arguments are required: --rate (see: tool one --help)"),
        (["one", "--rate"], "tool one: argument --rate: expected one argument (see: tool one --help)"),
    ],
)
def test_wrong_words_get_one_line_and_status_2(parser, words, said, capsys):
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(words)
    assert exit_.value.code == 2
    assert capsys.readouterr() == ("", f"{said}\n")


@pytest.mark.parametrize("value", ["-80ms", "-1", "-.5", "-80 ms"])
def test_a_negative_value_is_a_value(parser, value):
    assert parser.parse_args(["one", "--rate", value]).rate == value


def test_what_follows_two_dashes_is_no_option(parser):
    assert parser.parse_args(["one", "--rate", "1", "--", "--odd-name"]).files == ["--odd-name"]


def test_subcommands_and_arguments_are_there_to_be_looked_at(parser):
    assert list(parser.subcommands) == ["one", "two"]
    below = parser.subcommands["one"]
    assert [action.dest for action in below.arguments] == ["help", "files", "rate", "how"]
    assert below.subcommands == {}
    assert all(isinstance(action, argparse.Action) for action in below.arguments)


def test_settings_keep_what_follows_the_first_equals_sign():
    assert settings(["a.b = 80ms", "note=x=y", "empty="]) == ({"a.b": "80ms", "note": "x=y", "empty": ""}, [])


def test_a_key_set_twice_is_refused():
    with pytest.raises(InputError, match=r"^found path\.rtt set twice, expected one value for each key$"):
        settings(["path.rtt=1ms", "path.rtt =2ms"])
