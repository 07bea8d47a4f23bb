"""The contract of readers, tested on every sample log."""

import json
import random
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base import tables
from hecn_analysis.files.source import Line, Lines, Source, find
from hecn_analysis.logs import read, registry, spread
from hecn_analysis.logs.contract import Run, RunFindings

# folder of a sample -> module of its reader if the names differ; None: the sample needs several readers
OWNERS = {"owping": "owamp", "twping": "owamp", "neighbours": None, "session": None}
TABLES = ("runs", "streams", "intervals", "problems")
REPORTS = ("b-systems-", "c-systems-nutt", "hotlava-")


def owner(sample):
    if sample.name.startswith(REPORTS):
        return "nuttscp"
    if sample.name.startswith("c-systems-dd"):
        return "dd"
    return OWNERS.get(sample.parent.name, sample.parent.name.replace("-", "_"))


def module(reader):
    return reader.__module__.rpartition(".")[2]


@cache
def reading(sample):
    """Return the reading of a sample, shared by all its tests."""
    return read(sample)


def rows_of(path):
    """Return the rows of a file, without the tables that are made of them."""
    return spread.read_group(list(find(path)), intervals=True)


def test_tables_have_the_documented_columns_and_dtypes(sample):
    for table in TABLES:
        frame = getattr(reading(sample), table)
        assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
            column.name: column.dtype for column in tables.COLUMNS[table].values()
        }


def test_runs_are_numbered_in_the_order_of_the_file_and_lie_inside_it(sample):
    result = reading(sample)
    runs, lines = result.runs, len(sample.read_bytes().splitlines())
    assert runs.run.tolist() == list(range(len(runs)))
    assert runs.line_first.is_monotonic_increasing
    assert (runs.line_first >= 1).all()
    assert (runs.line_last >= runs.line_first).all()
    assert (runs.line_last <= lines).all()
    assert result.problems.line.dropna().between(1, lines).all()
    assert set(result.intervals.run) | set(result.streams.run) <= set(runs.run)
    merged = result.intervals.merge(runs, on=["source_file", "run"])
    assert merged.line.between(merged.line_first, merged.line_last).all()
    assert set(runs.tool) <= set(registry.TOOLS)
    assert (runs.source_file == str(sample)).all()
    assert (runs.content_hash.str.len() == 64).all()


def is_read_by(readers, sample):
    """Return whether some readers find anything in a sample."""
    findings = RunFindings(str(sample))
    registry.read(Source(sample).lines(), findings, readers=readers)
    return bool(findings.runs or findings.problems)


def test_only_its_own_reader_finds_runs_in_a_sample(sample):
    modules = {"neighbours": [], "session": ["dd", "nuttcp"]}.get(sample.parent.name, [owner(sample)])
    own = [reader for reader in registry.READERS if module(reader) in modules]
    assert {module(reader) for reader in own if is_read_by([reader], sample)} == set(modules)
    assert not is_read_by([reader for reader in registry.READERS if reader not in own], sample)


def test_line_ends_and_encoding_of_a_sample_do_not_matter(sample, tmp_path):
    """Change each sample in one way only: bytes become lines before a reader gets them."""
    text = sample.read_bytes()
    path = tmp_path / sample.name
    path.write_bytes(text)
    expected = read(path)
    decoded = text.decode()
    variants = [
        text.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + text,
        decoded.encode("utf-16"),
        b"\xfe\xff" + decoded.encode("utf-16-be"),
        "".join(f"\x1b[32m{line}\x1b[0m\n" for line in decoded.split("\n")[:-1]).encode(),
    ]
    if "\r" in decoded:
        variants = variants[1:4]
    path.write_bytes(variants[len(text) % len(variants)])
    found = read(path)
    pd.testing.assert_frame_equal(found.runs.drop(columns="content_hash"), expected.runs.drop(columns="content_hash"))
    pd.testing.assert_frame_equal(found.intervals, expected.intervals)
    pd.testing.assert_frame_equal(found.problems, expected.problems)


def test_a_truncated_file_keeps_its_complete_rows(sample, tmp_path):
    content, whole = sample.read_bytes(), reading(sample)
    path = tmp_path / sample.name
    columns = ["tool", "throughput_bps", "bytes", "retransmits", "rtt_s"]
    for part in (2, 4, 6):
        left = content[: len(content) * part // 7]
        path.write_bytes(left)
        cut, lines = rows_of(path), left.count(b"\n")
        kept = whole.runs[whole.runs.line_last < lines]
        runs = tables.make("runs", [row for row, _ in zip(cut.runs, range(len(kept)), strict=False)])
        pd.testing.assert_frame_equal(runs[columns], kept[columns].reset_index(drop=True))
        assert sum(block.length for block in cut.intervals) >= (whole.intervals.line <= lines).sum() - 1
        assert len(cut.runs) + len(cut.problems) > 0


def test_a_sample_inside_a_session_gives_the_same_rows(sample, tmp_path):
    before = "me@there:~$ make\nmake: nothing to be done\nme@there:~$\n"
    content = sample.read_bytes()
    if not content.endswith(b"\n"):
        content += b"\n"
    (tmp_path / "a.log").write_bytes(before.encode() + content + b"me@there:~$ exit\nlogout\n")
    alone, session = reading(sample).runs, read(tmp_path / "a.log").runs
    columns = [name for name in alone if name not in {"source_file", "line_first", "line_last", "content_hash"}]
    pd.testing.assert_frame_equal(alone[columns], session[columns])
    assert (session.line_first - alone.line_first == 3).all()


def test_two_files_give_the_rows_of_each_file(samples):
    paths = [samples / "nuttcp" / "v8-streams.txt", samples / "dd" / "errors.txt"]
    both = read(paths)
    for table in TABLES:
        alone = pd.concat([getattr(read(path), table) for path in paths], ignore_index=True)
        pd.testing.assert_frame_equal(getattr(both, table), alone)


def mutated(content, seed):
    """Return a file with some bytes changed, and lines repeated, swapped or truncated."""
    rng = random.Random(seed)  # noqa: S311 - damage, not secrets
    lines = content.splitlines(keepends=True)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                line = bytearray(lines[at])
                line[rng.randrange(len(line))] = rng.choice(b"0123456789.+-/%=()O \t\xff\x00\r\n")
                lines[at] = bytes(line)
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                lines[at] = lines[at][: rng.randrange(len(lines[at]))]
            case 3:
                lines[at] = lines[at].replace(b".", b"9" * 40).replace(b" ", b"", rng.randrange(3))
            case 4:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other] or b"\n", lines[at] or b"\n"
        lines = [line or b"\n" for line in lines]
    return b"".join(lines)


def test_a_damaged_sample_never_raises(sample, tmp_path):
    """Four kinds of damage give rows such as can be, and the first of them tables; `make mutate` tries more."""
    path = tmp_path / "a.log"
    for seed in range(4):
        path.write_bytes(mutated(sample.read_bytes(), f"{sample.name} {seed}"))
        if seed == 0:
            found = read(path)
            assert len(found.runs) + len(found.problems) > 0
            assert (found.runs.throughput_bps.dropna() >= 0).all()
        part = rows_of(path)
        assert len(part.runs) + len(part.problems) > 0
        for table, rows in (("runs", part.runs), ("streams", part.streams), ("problems", part.problems)):
            assert [(row, faults) for row in rows if (faults := tables.faults(table, row))] == []


WORDS = st.sampled_from(
    [
        *(
            "nuttcp-t:",
            "nuttcp-r:",
            "v6.1.2:",
            "Error:",
            "socket",
            "12.3 MB",
            "/",
            "1.00 sec",
            "=",
            "98.7 Mbps",
            "9 %TX",
        ),
        *("% RX", "O", "0 retrans", "0.1 msRTT", "0.1 Tms RTT", "1=0+1", "KB-cwnd", "1 / 2 drop/pkt", "~%loss", "Tot:"),
        *("Trans:", "megabytes=1", "real_sec=1.0", "rate_Mbps=3", "tx_cpu=4", "retrans=x", "64-GB file", "File copy:"),
        *(
            "Aggregate throughput:",
            "(completed in",
            "1 seconds)",
            "30 second test",
            "1+0 records in",
            "1+0 records out",
        ),
        *("512 bytes", "(1.0 kB)", "copied,", "transferred", "1 s,", "5 kB/s", "dd:", "nuttcp", "$", "dd if=/dev/zero"),
        *("\r", "\x1b[31m", "\n", "\n", "\n", "1e309", "99999999999999999999"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.lists(WORDS, max_size=60).map(lambda words: " ".join(words).encode())))
def test_arbitrary_bytes_never_raise(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "a.log"
    path.write_bytes(content)
    result = read(path)
    assert len(result.runs) + len(result.problems) > 0


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=20).map(" ".join), max_size=20))
def test_every_reader_survives_every_line(texts):
    for reader in registry.READERS:
        findings = RunFindings("a.log")
        instance = reader(findings)
        for number, text in enumerate(texts, start=1):
            instance.feed(Line(number, text))
        instance.finish()


@pytest.mark.parametrize(
    "unit", ["1", "1.", "1+", "1 Mbps ", "MB / ", "a ", "1 bytes (", "=1+1 retrans", "Tot: ", "1,"]
)
def test_long_lines_do_not_hang_a_reader(unit, reading_of):
    """A backtracking pattern would take hours."""
    reading = reading_of((unit * (3900 // len(unit)) + "\n") * 100)
    assert len(reading.problems) > 0


def test_impossible_intervals_are_left_out_with_a_problem():
    findings = RunFindings("a.log")
    run = Run(1, 9, {"tool": "nuttcp"})
    run.intervals = {"line": np.array([2.0, 3.0]), "bytes": np.array([1e19, 5.0]), "t_end_s": np.array([1.0, np.inf])}
    findings.run(run)
    assert findings.problems == [
        {"source_file": "a.log", "line": line, "kind": "inconsistent", "message": message}
        for line, message in (
            (2, "bytes: found 1e+19 in the intervals, expected a whole number of at least 0; 1 left out"),
            (3, "t_end_s: found inf in the intervals, expected a number of at least 0; 1 left out"),
        )
    ]
    assert findings.runs[0].intervals["bytes"].tolist()[1:] == [5.0]
    assert np.isnan(findings.runs[0].intervals["bytes"][0])


def test_a_prompt_ends_open_runs_before_the_next_command_is_read():
    class Open:
        """A reader of steps that hands over a run at its end."""

        TOOLS = ("open",)
        VERSIONS = "none"
        HINTS = ("step",)

        def __init__(self, findings):
            self.findings, self.steps = findings, []

        def feed(self, line):
            self.steps += [line.number] * (line.text == "step")
            return line.text == "step"

        def finish(self):
            ended.append((self.steps, self.findings.command.arguments))
            self.steps = []

    ended = []
    registry.read(Lines.of("step\n$ dd a\nstep\nstep\n$ dd b\n$ dd c\n"), RunFindings("a.log"), [Open])
    assert [(steps, words) for steps, words in ended if steps] == [([1], ()), ([3, 4], ("a",))]


def test_output_below_a_prompt_is_read_as_a_file_of_its_own(sample, tmp_path):
    """Read an interrupted run, and its command once more."""
    if sample.parent.name == "dd":  # only its command line names source and target
        return
    lines = sample.read_bytes().split(b"\n")
    half = len(lines) // 2
    prompt = b"me@there:~$ " + sample.parent.name.encode()
    (tmp_path / "a.log").write_bytes(b"\n".join([*lines[:half], prompt, *lines]))
    alone, below = reading(sample).runs, read(tmp_path / "a.log").runs
    below = below[below.line_first > half + 1].reset_index(drop=True)
    columns = ["tool", "label", "duration_s", "bytes", "throughput_bps", "retransmits", "rtt_avg_s", "error"]
    pd.testing.assert_frame_equal(below[columns], alone[columns])


WITH_JSON = [
    *("curl/variables", "fio/json-error", "flent/both-ways", "ior/json-3.3", "iperf3/bidirectional-json", "mtr/json"),
    *("ntttcp/sender-json", "perftest/results.json", "ping/json", "pscheduler/results", "pscheduler/throughput"),
    *("speedtest/ookla", "speedtest/speedtest-cli"),
]


@pytest.mark.parametrize("other", [7, [None]], ids=["number", "list"])
@pytest.mark.parametrize("name", WITH_JSON)
@pytest.mark.slow
def test_a_json_value_of_the_wrong_type_stops_no_reader(name, other, samples, with_another):
    text = (samples / f"{name}.txt").read_text()
    value = json.JSONDecoder().raw_decode(text, re.search(r'\{\s*"', text).start())[0]
    for changed in with_another(value, other):
        findings = RunFindings("a.json")
        registry.read(Lines.of(json.dumps(changed)), findings)
        findings.tables("")
