"""YAML with lines: what is wrong is said with file, line and the nearest key."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Host, yaml_file


def fault(text, model=Host):
    def load():
        document = yaml_file.parse(text, "h.yaml")
        yaml_file.validate(model, document.values, lambda path: ("h.yaml", document.line(path)))

    with pytest.raises(InputError) as caught:
        load()
    return str(caught.value)


def test_values_and_lines_of_keys():
    document = yaml_file.parse("name: x\nslots:\n  a:\n    gen: 3\n  b: {gen: 4}\n", "h.yaml")
    assert document.values["slots"]["b"] == {"gen": 4}
    assert document.line(("slots", "a", "gen")) == 4
    assert document.line(("slots", "b", "lanes")) == 5  # not written: the line of what it would stand in


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name: x\nslotz: {}\n",
            "h.yaml:2: found unknown key 'slotz', expected one of name, title, source, example, year,",
        ),
        (
            "name: x\nslots:\n  a: {gen: 2, lanes: 3}\n",
            "h.yaml:3: found slots.a.lanes: 3, expected 1, 2, 4, 8, 12, 16 or 32",
        ),
        (
            "name: x\nslots:\n  a: {lanes: 8}\n",
            "h.yaml:3: found slots.a: a PCIe slot without gen or lanes, expected both",
        ),
        (
            "name: x\ncongestion_control: cubik\n",
            "h.yaml:2: found congestion_control: 'cubik', expected 'reno', 'cubic',",
        ),
        ("name: x\ntcp_rmem_max: -1 MB\n", "h.yaml:2: found tcp_rmem_max: '-1 MB', expected at least 0 B"),
        ("title: x\n", "h.yaml:1: found no key 'name', expected a value for it"),
        ("name: x\nname: y\n", "h.yaml:2: found key 'name' twice, expected it once (first on line 1)"),
        (
            "name: x\nslots:\n  - {gen: 2}\n",
            "h.yaml:2: found slots: [{'gen': 2}], expected a mapping of keys to values; give each entry a name: slots:",
        ),
        ("- a\n- b\n", "h.yaml:1: found a sequence, expected a mapping of keys to values"),
        ("", "h.yaml:1: found an empty document, expected a mapping of keys to values"),
        (
            "name: x\nread_rate: {value: 1 GB/s, basis: guessed}\n",
            "h.yaml:2: found read_rate.basis: 'guessed', expected 'specification', 'documented',",
        ),
        ("name: x\nread_rate: 10 Gbit\n", "h.yaml:2: found read_rate: '10 Gbit', expected a rate such as"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message):
    assert fault(text).startswith(message)


def test_the_nearest_key_is_named():
    assert fault("name: x\nslotz: {}\n").endswith("did you mean 'slots'?")
    assert fault("name: x\nslots:\n  a: {gen: 2, lanez: 8}\n").endswith("did you mean 'lanes'?")


def test_text_that_is_not_yaml_is_said_with_its_line():
    assert fault("name: x\nslots: [1, 2\n").startswith("h.yaml:")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: \x00"])
def test_bytes_that_are_no_text_are_an_input_error(tmp_path, content):
    path = tmp_path / "h.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"h\.yaml"):
        yaml_file.load(path)


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml: found No such file or directory"):
        yaml_file.load(tmp_path / "none.yaml")


NINE = ", ".join(["*a{}"] * 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: " + "[" * 100_000, "x.yaml:1: found more than 50 levels, expected a description"),
        ("a: 1\nb: " + "{c: " * 60 + "1" + "}" * 60, "x.yaml:2: found more than 50 levels, expected a description"),
        (
            "\n".join(["a0: &a0 [1]", *(f"a{n}: &a{n} [{NINE.replace('{}', str(n - 1))}]" for n in range(1, 12))]),
            "x.yaml: found aliases that repeat each other, expected at most 1000000 values",
        ),
        ("a: &a [*a]", "x.yaml: found aliases that repeat each other, expected at most 1000000 values"),
        *(
            (
                f"a: 1\nb: [{number}]",
                f"x.yaml:2: found a number of {len(number)} characters, expected one of at most 100",
            )
            for number in ("9" * 400, "1" + ":1" * 200_000, "1" + ":1" * 200_000 + ".5", f"0x{'f' * 5000}")
        ),
        (f"{'9' * 400}: 1", "x.yaml:1: found a number of 400 characters, expected one of at most 100"),
    ],
    ids=[
        *("open brackets", "nested mappings", "aliases of aliases", "its own alias"),
        *("digits", "base 60", "base 60 with a fraction", "base 16", "a key of digits"),
    ],
)
def test_text_that_is_there_to_do_harm_is_refused(text, message):
    with pytest.raises(InputError) as caught:
        yaml_file.parse(text, "x.yaml")
    assert str(caught.value) == message


def test_aliases_that_people_use_are_read():
    assert yaml_file.parse("a: &a {b: 1}\nc: *a", "x").values == {"a": {"b": 1}, "c": {"b": 1}}
