"""Samples of all readers behind what mails, pages and notes put around them."""

import base64
import html
import json
import quopri
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from hecn_analysis.counters import registry as counters
from hecn_analysis.counters.clock import Clock
from hecn_analysis.files.documents import Document
from hecn_analysis.files.source import Lines, decode
from hecn_analysis.inventory import registry as inventory
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.logs.second_reading import read_again
from hecn_analysis.parsing.cleaning import LAYERS, Text, cleaned
from hecn_analysis.parsing.prose import is_prose
from tests.samples import shortest_of_each_folder

Texts = Sequence[str]


def _front(mark: str) -> Callable[[Texts], str]:
    """Put a mark in front of every line, without blanks at the end of empty ones."""
    return lambda lines: "".join(
        f"{mark}{line}".rstrip(" ") + "\n" if not line else f"{mark}{line}\n" for line in lines
    )


def _around(before: str, after: str) -> Callable[[Texts], str]:
    return lambda lines: before + "".join(f"{line}\n" for line in lines) + after


def _each(change: Callable[[str], str]) -> Callable[[Texts], str]:
    return lambda lines: "".join(f"{change(line)}\n" for line in lines)


def _numbered(lines: Texts) -> str:
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, 1))


def _quoted_printable(lines: Texts) -> str:
    body = quopri.encodestring("".join(f"{line}\n" for line in lines).encode()).decode()
    head = "From: me@there.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    return f"{head}Content-Transfer-Encoding: quoted-printable\n\n{body}"


def _base64(lines: Texts) -> str:
    body = base64.encodebytes("".join(f"{line}\n" for line in lines).encode()).decode()
    head = (
        "From: me@there.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=xyz\n\nSee below.\n--xyz\n"
    )
    part = 'Content-Type: text/plain; charset=utf-8; name="a.log"\nContent-Transfer-Encoding: base64\n\n'
    return f"{head}{part}{body}\n--xyz--\n"


def _null(lines: Texts) -> str:
    return "".join(f"{character}\x00" for line in lines for character in f"{line}\n")


WRAPPINGS: dict[str, Callable[[Texts], str]] = {
    "one blank": _front(" "),
    "four blanks": _front("    "),
    "tab": _front("\t"),
    "number sign": _front("# "),
    "slashes": _front("// "),
    "star": _front(" * "),
    "bar": _front("| "),
    "quote": _front("> "),
    "stdout": _front("[STDOUT] "),
    "host": _front("node-17: "),
    "fence": _around("```console\n", "```\n"),
    "preformatted": _around("<pre>", "</pre>\n"),
    "line numbers": _numbered,
    "entities": lambda lines: _around("<html><body><pre>\n", "</pre></body></html>\n")([html.escape(x) for x in lines]),
    "breaks": _each(lambda line: f"{html.escape(line)}<br>"),
    "quoted-printable": _quoted_printable,
    "base64": _base64,
    "no-break blanks": _each(lambda line: line.replace(" ", "\u00a0")),
    "code lines": _each(lambda line: f"`{line}`" if line.strip() and "`" not in line else line),
    "full width": _each(lambda line: line.translate({ord("0") + n: 0xFF10 + n for n in range(10)})),
    "UTF-16": _null,
    "colours": _each(lambda line: f"\x1b[32m{line}\x1b[0m"),
    "bold lines": _each(lambda line: f"**{line}**" if line.strip() else line),
    "list": _front("- "),
    "numbered list": lambda lines: "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1)),
    "block marks": _around("[quote=me]\n{noformat}\n", "{noformat}\n[/quote]\n"),
    "Python's logging": _front("INFO:root:"),
    "rst": lambda lines: "Output::\n\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines),
}


SAMPLES = Path(__file__).parents[1] / "logs" / "samples"
MARKS = [
    "one blank",
    "tab",
    "slashes",
    "bar",
    "quote",
    "stdout",
    "fence",
    "preformatted",
    "entities",
    "UTF-16",
    "colours",
]
EVERY_LINE = ["bold lines", "list", "numbered list", "block marks", "Python's logging"]
# Known by a margin, or by a mark that a wrapping looks like: rows are lost or differ behind some wrappings.
EXCEPT = {"nccl-tests", "xdd", "diskspd", "juicefs", "ior", "iozone", "fio", "neighbours"}


@cache  # of a sample as it is, for every wrapping
def rows(text):
    lines = decode(text.encode())
    findings = RunFindings("a.log")
    registry.read(Lines.of(lines), findings)
    found = read_again(findings, Lines.of(lines))
    runs = sorted(found.runs, key=lambda run: (run.line_first, run.line_last))
    return [{name: value for name, value in run.columns.items() if name != "cleaned"} for run in runs]


@pytest.mark.parametrize("wrapping", MARKS)
def test_a_wrapping_does_not_change_the_rows(wrapping):
    compared = 0
    for sample in sorted(shortest_of_each_folder(SAMPLES.glob("*/*.txt"))):
        text = sample.read_text(errors="replace")
        if sample.parent.name in EXCEPT or "\r" in text or "\x1b" in text:
            continue
        lines = text.removesuffix("\n").split("\n")
        plain = rows("".join(f"{line}\n" for line in lines))
        assert rows(WRAPPINGS[wrapping](lines)) == plain, f"{sample.parent.name}/{sample.name}"
        compared += len(plain)
    assert compared > 100


def logged(content):
    """Runs of a log, and the number of problems."""
    found = RunFindings("a.log")
    lines = decode(content)
    registry.read(Lines.of(lines), found)
    found = read_again(found, Lines.of(lines))
    runs = sorted(found.runs, key=lambda run: (run.line_first, run.line_last))
    return [{name: value for name, value in run.columns.items() if name != "cleaned"} for run in runs], len(
        found.problems
    )


def counted(content):
    """Rows of counters, and the number of problems."""
    found = counters.read(Document("a", content), Clock())
    tables = [(each.samples, each.rates, list(each.interfaces.values())) for each in found]
    rows = [[without_places(row) for row in table] for each in tables for table in each]
    return [row for table in rows for row in table], sum(len(each.problems) for each in found)


def captured(content):
    """Facts of captured outputs, and the number of problems."""
    found = inventory.read(Document("a", content))
    return [(one.facts.format, one.facts.values) for one in found.captured], len(found.problems)


def without_places(value):
    if isinstance(value, dict):
        return {name: without_places(each) for name, each in value.items() if name not in {"line", "cleaned"}}
    return [without_places(each) for each in value] if isinstance(value, list) else value


def is_same_or_told(read, sample, wrapping):
    """Whether a wrapped sample gives the rows of the bare one, a problem more, or nothing at all."""
    lines = sample.read_text(errors="replace").removesuffix("\n").split("\n")
    rows, problems = read("".join(f"{line}\n" for line in lines).encode())
    behind, told = read(WRAPPINGS[wrapping](lines).encode())
    return behind == rows or told > problems or not behind


# "preformatted": the tag becomes the prompt of a switch in one sample of port tables.
READINGS = {
    "counters": (counted, [mark for mark in (*MARKS, *EVERY_LINE) if mark != "preformatted"]),
    "inventory": (captured, [mark for mark in (*MARKS, *EVERY_LINE) if mark != "fence"]),
}


def wrapped(room):
    _, marks = READINGS[room]
    samples = sorted((SAMPLES.parents[1] / room / "samples").rglob("*.*"))
    return [(sample, mark) for sample in samples if sample.is_file() for mark in marks]


@pytest.mark.parametrize("room", READINGS)
def test_each_sample_behind_one_wrapping_says_the_same_or_what_is_lost(room):
    read, marks = READINGS[room]
    tried = wrapped(room)[:: len(marks) + 1]
    assert len(tried) > 40
    assert [pair for pair in tried if not is_same_or_told(read, *pair)] == []


@pytest.mark.slow
@pytest.mark.parametrize("room", READINGS)
def test_every_sample_behind_every_wrapping_says_the_same_or_what_is_lost(room):
    read, _ = READINGS[room]
    assert [pair for pair in wrapped(room) if not is_same_or_told(read, *pair)] == []


def test_the_layers_that_came_off_are_named():
    text = "It says:\n\n1283.1875 MB /  10.00 sec = **1076.4544 Mbps** 39 %TX 45 %RX\n"
    findings = RunFindings("a.log")
    registry.read(Lines.of(text), findings)
    [run] = read_again(findings, Lines.of(text)).runs
    assert (run.line_first, run.columns["throughput_bps"], run.columns["cleaned"]) == (3, 1076454400, "markup")


def test_every_layer_leaves_plain_text_alone():
    plain = ["$ dd if=a of=b", "1+0 records in", "1+0 records out", "5000000 bytes copied, 2 s, 2.5 MB/s", ""]
    for _, clean in LAYERS:
        assert list(clean(Text.of(plain)).lines) == plain
    assert list(cleaned(Text.of([]))) == []


@pytest.mark.parametrize(
    "line",
    [
        "The receiving VM reported `16:28:42 INFO: throughput :68.91Gbps`. So fewer cores made more traffic?",
        "We saw 10 packets transmitted, 9 received, which is less than before.",
    ],
)
def test_a_sentence_that_quotes_a_result_is_prose(line):
    assert is_prose(line)


@pytest.mark.parametrize(
    "line",
    [
        "2147483648 bytes (2.1 GB) copied, 23.6472 seconds, `90.8 MB/s`",
        "iperf3: error - the server is busy running a test. try again later",
        "establish control: are you sure there is a netserver listening on 127.0.0.1 at port 12865?",
        "[  5]   0.00-10.00  sec  1.09 GBytes   939 Mbits/sec                  receiver",
    ],
)
def test_a_line_of_a_tool_is_no_prose(line):
    assert not is_prose(line)


ROWS = ["fio-3.33", "   READ: bw=100MiB/s (105MB/s), io=1000MiB (1049MB), run=10001-10001msec", "", "  lat: 3", "end"]


@pytest.mark.parametrize(
    ("layer", "wrapped"),
    [
        ("markup", [f"**{line}**" if line else "" for line in ROWS]),
        ("markup", [f"{line}\\" if line else "" for line in ROWS]),
        ("list marks", [f"- {line}" if line else "-" for line in ROWS]),
        ("line numbers", [f"{number}. {line}" for number, line in enumerate(ROWS, 9)]),
        ("change marks", [f"+{line}" for line in ROWS]),
        ("change marks", [f"-{line}" for line in ROWS]),
        ("table cells", [f"| {line} |" if line else "" for line in ROWS]),
        ("log prefixes", [f"INFO:root:{line}" for line in ROWS]),
        ("log prefixes", [f"2026-11-27 10:00:01,123 - root - INFO - {line}" for line in ROWS]),
        ("log prefixes", [f"2026-11-27T10:00:01.123Z {line}" for line in ROWS]),
        ("block marks", ["{code:title=a b}", *ROWS, "{code}"]),
        ("cells", ["host,output", f'n1,"{ROWS[0]}', *ROWS[1:], '"']),
        ("cells", ['"out": [', *(f"    {json.dumps(line)}," for line in ROWS), "]"]),
        ("margins", [f"  {line}" if line else "" for line in ROWS]),
    ],
)
def test_a_layer_of_every_line_comes_off_and_leaves_the_margins_of_the_output(layer, wrapped):
    steps = {step.layer: list(step.text.lines) for step in cleaned(Text.of(wrapped))}
    assert "\n".join(ROWS) in "\n".join(steps[layer])


def test_a_margin_of_the_output_stays_while_a_mark_of_every_line_comes_off():
    lines = ["/dev/sda:", "\tModel: A", "\t1 first", "\t2 second", "", "done"]
    first = next(cleaned(Text.of([f"{line}\\" if line else "" for line in lines])))
    assert (first.layer, list(first.text.lines)) == ("markup", lines)


def test_numbers_of_buses_are_no_line_numbers():
    buses = ["00:00.0 PCI bridge: A", "01:00.0 PCI bridge: B", "10:00.0 Ethernet controller: C", "11:00.0 Network: D"]
    assert list(cleaned(Text.of(buses))) == []


def test_a_padded_paragraph_is_not_joined():
    padded = Text.of(["name: a  ", "  size: 3  ", "", "flowed ", "text"])
    assert list(dict(LAYERS)["broken lines"](padded).lines) == [*padded.lines[:3], "flowed text"]


def test_returns_inside_an_encoded_line_show_several():
    text = Text.of(
        ["From: a@b.example", "Subject: x", "Content-Transfer-Encoding: quoted-printable", "", "1 %=0D2 %=0D"]
    )
    assert [line for line in dict(LAYERS)["mail"](text).lines if "%" in line] == ["1 %", "2 %"]


def test_a_cell_that_explains_another_stays_in_its_row():
    row = "| `iperf3: error - unable to connect to server` | Is the receiver listening there? |"
    assert list(dict(LAYERS)["table cells"](Text.of([row])).lines) == [row]


@pytest.mark.parametrize("wrapping", EVERY_LINE)
def test_some_logs_behind_marks_of_every_line_say_the_same_or_what_is_lost(wrapping):
    samples = sorted(SAMPLES.glob("*/*.txt"))[EVERY_LINE.index(wrapping) :: 17]
    assert [sample for sample in samples if not is_same_or_told(logged, sample, wrapping)] == []
