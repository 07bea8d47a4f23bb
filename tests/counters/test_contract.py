"""What every reader of counters owes, tried on every sample: ours, and those recorded from real programs."""

import itertools
import random
import re
from functools import cache

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import rooms
from hecn_analysis.base import tables
from hecn_analysis.counters import read_counters, read_document, registry
from hecn_analysis.counters.clock import Clock
from hecn_analysis.files.documents import Document

TABLES = ("samples", "interfaces", "rates", "problems")
FORMATS = {name for reader in registry.READERS for name in reader.FORMATS}


@cache
def reading(sample):
    """Counters of a sample, shared by all its tests."""
    return read_counters(sample, time_zone="UTC")


def test_formats_have_one_reader_each():
    names = [name for reader in registry.READERS for name in reader.FORMATS]
    assert len(names) == len(set(names))


def test_a_sample_is_of_one_format_and_is_read_without_a_bad_word(sample):
    counters = reading(sample)
    assert len(counters.sources) == 1
    assert counters.sources[0]["format"] in FORMATS
    assert counters.sources[0]["source_file"] == str(sample)
    assert not set(counters.problems.kind) & {"unrecognised", "truncated", "malformed"}


def test_samples_have_the_line_ends_that_their_program_wrote(samples):
    """Git would make them those of Unix, and nothing would try the others."""
    for name in ("prtg/excel-fr.csv", "rrdtool/graph.csv", "rrdtool/graph.tsv"):
        assert b"\r\n" in (samples / name).read_bytes(), name


def test_tables_have_the_documented_columns_and_dtypes(sample):
    counters = reading(sample)
    for table in TABLES:
        assert {name: str(dtype) for name, dtype in getattr(counters, table).dtypes.items()} == {
            column.name: column.dtype for column in tables.COLUMNS[table].values()
        }


def test_rates_of_an_interface_do_not_overlap(sample):
    rates = reading(sample).rates
    known = rates[rates.interval_s.notna() & rates.time.notna() & rates.in_bps.notna()]
    for _, own in known.groupby(["host", "interface", "index"], dropna=False):
        ends = own.time.sort_values()
        starts = ends - pd.to_timedelta(own.interval_s.loc[ends.index], unit="s")
        assert (starts.iloc[1:].to_numpy() >= (ends.iloc[:-1] - pd.Timedelta(seconds=2)).to_numpy()).all()


def test_nothing_depends_on_the_name_of_a_file(sample, tmp_path):
    other = tmp_path / "x"
    other.write_bytes(sample.read_bytes())
    one, two = reading(sample).sources, read_counters(other, time_zone="UTC").sources
    assert [source["format"] for source in one] == [source["format"] for source in two]


def mutated(content, seed):
    """A file with bytes changed, lines repeated, swapped or cut, or broken off."""
    rng = random.Random(seed)  # noqa: S311 - damage, not secrets
    lines = content.splitlines(keepends=True) or [b"\n"]
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                line = bytearray(lines[at])
                line[rng.randrange(len(line))] = rng.choice(b"0123456789.,;|+-/%=(){}[]<>\"' \t\xff\x00\r\n")
                lines[at] = bytes(line)
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                lines[at] = lines[at][: rng.randrange(len(lines[at]))]
            case 3:
                lines[at] = lines[at].replace(b".", b"9" * 40).replace(b" ", b"", rng.randrange(3))
            case 4:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 5:
                del lines[at + 1 :]
        lines = [line or b"\n" for line in lines]
    return b"".join(lines)


def test_a_damaged_sample_is_never_an_error(sample, tmp_path):
    """Three kinds of damage give rows such as can be, and the first of them tables; `make mutate` tries more."""
    contents = [mutated(sample.read_bytes()[: 1 << 15], f"{sample.name} {seed}") for seed in range(3)]
    path = tmp_path / "a"
    path.write_bytes(contents[0])
    counters = read_counters(path)
    assert len(counters.sources) + len(counters.problems) > 0
    assert (counters.rates.in_bps.dropna() >= 0).all()
    for content in contents:
        document = Document("a", content)
        assert [one for one in read_document(document, Clock(), hint=str) if one.format or one.problems]
        rooms.cells_of(document)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300))
def test_no_bytes_are_an_error(tmp_path, content):
    path = tmp_path / "a"
    path.write_bytes(content)
    counters = read_counters(path)
    assert len(counters.sources) + len(counters.problems) > 0


@pytest.mark.parametrize("reader", registry.READERS, ids=lambda reader: reader.__name__.rpartition(".")[2])
def test_long_lines_come_to_an_end_and_are_of_no_format(reader):
    """A pattern that tries all ways to split a line would not."""
    for unit in ("1", "1 ", "1.", "a", "a ", "a:", "1,", '"', " ", "\t", "<", "{", "1|", "if", "::", "=", "-"):
        assert not reader.recognises(Document("a", (unit * (6000 // len(unit)) + "\n").encode() * 4)), unit


def test_archives_are_read_member_by_member(samples, tmp_path):
    import tarfile  # noqa: PLC0415

    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(samples / "prtg" / "de.csv", "de.csv")
        archive.add(samples / "snmpwalk" / "numeric.txt", "walks/numeric.txt")
    counters = read_counters(tmp_path / "a.tar.gz")
    assert [source["source_file"].rpartition("!")[2] for source in counters.sources] == ["de.csv", "walks/numeric.txt"]


def test_what_a_reader_says_about_itself_is_complete():
    for reader in registry.READERS:
        assert reader.FORMATS
        assert reader.VERSIONS
        assert isinstance(reader.WHOLE, bool)
        assert "Units and traps" in (reader.__doc__ or ""), reader


def test_a_reader_is_not_asked_where_a_whole_format_is_known(samples):
    document = Document("a", (samples / "snmprec" / "switch.snmprec").read_bytes())
    assert [part.format for part in registry.read(document, Clock())] == ["snmprec"]


HUGE = ("net-dev.txt", "net-snmp.txt", "short.txt", "all.xml", "own.xml", "xport.xml", "xport.json", "graph.csv")


@pytest.mark.parametrize("number", ["9.9e+307", "9" * 400 + ".5", "9" * 5000, "\u00b2"])
@pytest.mark.parametrize("kind", [r"\d\.\d+e[+-]\d\d", r'(?<=[\s>,:"])\d+\.\d+', r'(?<=[\s>,:"])\d{2,}(?=[\s<,"])'])
def test_numbers_beyond_all_numbers_stop_no_reader(number, kind):
    found = [path for path in rooms.COUNTERS.paths if path.name in (*HUGE, "unnamed.json", "fetch-max.txt")]
    assert len(found) >= len(HUGE)
    for path in found:
        put = itertools.cycle((None, number, None))
        text = re.sub(kind, lambda digits, put=put: next(put) or digits[0], path.read_text(errors="replace")[:20_000])
        rooms.cells_of(Document("a.log", text.encode()))
