"""Compressed files and archives."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import stat
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hecn_analysis import read_counters, read_inventory
from hecn_analysis.cli import output
from hecn_analysis.files import streams
from hecn_analysis.logs import read

SUMMARY = b" 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"
COMPRESS = {"gzip": gzip.compress, "bzip2": lambda data: bz2.compress(data, 1), "xz": lzma.compress}
GO_ON = "the rest is left out; if the file is genuine, unpack it and give the result, which has no such limit"
UNRECOGNISED = "found no output of a tool that a reader knows"
GOOD = {
    "parse": (SUMMARY, read, "runs"),
    "counters": (b"IF-MIB::ifHCInOctets.1 = Counter64: 12\n", read_counters, "samples"),
    "inventory": (b"MemTotal: 16 kB\nMemFree: 12 kB\nBuffers: 0 kB\nCached: 0 kB\n", read_inventory, "sources"),
}


@pytest.fixture
def parsed(tmp_path, monkeypatch):
    """Names of the files with runs, and what the problems say, of a file with the given bytes."""
    monkeypatch.chdir(tmp_path)

    def parse(content, name="a"):
        Path(name).write_bytes(content)
        reading = read(name)
        said = [f"{row.source_file}: {row.kind}: {row.message}" for row in reading.problems.itertuples()]
        unrecognised = f": unrecognised: {UNRECOGNISED}"  # what was expected stands in the tests of all files
        said = [text.split(",")[0] if unrecognised in text else text for text in said]
        return reading.runs.source_file.tolist(), said

    return parse


def tar(members, form=tarfile.GNU_FORMAT):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


class Pipe(io.RawIOBase):
    """A file that cannot go back, so that a zip archive has its lengths behind its members."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data)
        return len(data)


def zipped(members, method=zipfile.ZIP_DEFLATED, buffer=None):
    buffer = buffer or io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.content if isinstance(buffer, Pipe) else buffer.getvalue()


def words(length):
    """Text that does not compress well, in lines that are too long for a log."""
    return random.Random(length).randbytes(length // 2).hex(" ", 5000).replace(" ", "\n").encode() + b"\n"  # noqa: S311


@pytest.mark.parametrize("kind", COMPRESS)
def test_compression_is_known_by_content_and_the_hash_is_that_of_the_stored_bytes(kind, tmp_path):
    stored = COMPRESS[kind](b"prose\n" + SUMMARY)
    (tmp_path / "a.log").write_bytes(stored)
    reading = read(tmp_path / "a.log")
    assert reading.runs.source_file.tolist() == [str(tmp_path / "a.log")]
    assert reading.runs.line_first.tolist() == [2]
    assert reading.runs.throughput_bps.tolist() == [9898537600.0]
    assert reading.runs.content_hash.tolist() == [hashlib.sha256(stored).hexdigest()]
    assert reading.problems.empty


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("padding", [0, 4, 5000])
def test_frames_one_after_another_are_one_text(kind, padding, parsed):
    whole = COMPRESS[kind](SUMMARY[:20]) + COMPRESS[kind](b"") + COMPRESS[kind](SUMMARY[20:])
    assert parsed(whole + b"\0" * padding) == (["a"], [])


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_follows_compressed_data_is_named(kind, parsed):
    assert parsed(COMPRESS[kind](SUMMARY) + b"more") == (
        ["a"],
        [f"a: unreadable: found other data after the end of the {kind} data; left out"],
    )


@pytest.mark.parametrize("kind", COMPRESS)
def test_cut_compressed_data_give_their_good_part(kind, parsed):
    stored = COMPRESS[kind](SUMMARY + words(400_000))
    files, problems = parsed(stored[: len(stored) * 9 // 10])
    assert files == ["a"]
    assert problems == [f"a: truncated: found truncated {kind} data; the readable part is read"]


@pytest.mark.parametrize("kind", COMPRESS)
def test_damaged_compressed_data_give_what_is_before_the_damage(kind, parsed):
    stored = bytearray(COMPRESS[kind](SUMMARY + words(400_000)))
    middle = len(stored) * 9 // 10
    stored[middle : middle + 500] = b"\xff" * 500
    files, problems = parsed(bytes(stored))
    assert files == ["a"]
    assert problems == [f"a: unreadable: found damaged {kind} data; what comes before the damage is read"]


def test_a_gzip_file_with_a_wrong_checksum_is_read(parsed):
    stored = gzip.compress(SUMMARY)
    assert parsed(stored[:-8] + b"abcd" + stored[-4:]) == (
        ["a"],
        ["a: unreadable: found gzip data that differ from their checksum; read as they are"],
    )


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_cut_header_of_gzip_is_a_problem(cut, parsed):
    plain = gzip.compress(SUMMARY)
    stored = plain[:3] + bytes([2 + 4 + 8 + 16]) + plain[4:10] + b"\3\0abcname\0comment\0xx" + plain[10:]
    assert parsed(stored) == (["a"], [])
    files, problems = parsed(stored[:cut])
    assert files == []
    assert problems == [
        f"a: unrecognised: {UNRECOGNISED}"
        if cut < 3
        else "a: truncated: found truncated gzip data; the readable part is read"
    ]


def test_zstd_is_read(parsed):
    frame = zstandard.ZstdCompressor().compress(SUMMARY + words(400_000))
    assert parsed(frame) == (["a"], [])
    assert parsed(b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + frame + frame) == (["a", "a"], [])
    assert parsed(frame[:-1000]) == (["a"], ["a: truncated: found truncated zstd data; the readable part is read"])


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("wrap", [bytes, *COMPRESS.values()])
def test_members_of_tar_archives_are_named_by_archive_and_member(form, wrap, parsed):
    long = "d" * 90 + "/" + "e" * 90
    members = {"b.log": SUMMARY, "a/é.log": SUMMARY * 2, long: gzip.compress(SUMMARY), "empty": b"", "x": b"prose"}
    files, problems = parsed(wrap(tar(members, form)))
    assert files == ["a!b.log", "a!a/é.log", "a!a/é.log", f"a!{long}"]
    assert problems == [f"a!{name}: unrecognised: {UNRECOGNISED}" for name in ("empty", "x")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_members_of_zip_archives_are_named_by_archive_and_member(method, parsed):
    members = {"d/": b"", "b.log": SUMMARY, "a/é.log": SUMMARY * 2, "c.gz": gzip.compress(SUMMARY), "x": b"prose"}
    files, problems = parsed(zipped(members, method))
    assert files == ["a!b.log", "a!a/é.log", "a!a/é.log", "a!c.gz"]
    assert problems == [f"a!x: unrecognised: {UNRECOGNISED}"]


def test_a_zip_archive_from_a_pipe_has_its_lengths_behind_the_members(parsed):
    members = {"b.log": SUMMARY, "x": words(100_000) + SUMMARY}
    assert parsed(zipped(members, buffer=Pipe())) == (["a!b.log", "a!x"], [])
    assert parsed(zipped(members, zipfile.ZIP_STORED, Pipe())) == (
        [],
        [
            "a: unreadable: found a member without its length in front of it in a zip archive: b.log; left out",
            "a: unreadable: found no way to the members behind that one; left out",
            "a: unrecognised: found an archive without files, expected one with logs",
        ],
    )


def test_a_zip_archive_with_64_bit_lengths_is_read(parsed):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("b.log", "c.log"):
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(SUMMARY)
    assert parsed(buffer.getvalue()) == (["a!b.log", "a!c.log"], [])


def test_members_that_cannot_be_unpacked_are_named(parsed):
    stored = bytearray(zipped({"b.log": SUMMARY, "c.log": SUMMARY, "d.log": SUMMARY}))
    stored[6] |= 1
    second = stored.index(b"PK\3\4", 4)
    stored[second + 8] = 14
    assert parsed(bytes(stored)) == (
        ["a!d.log"],
        [
            "a: unreadable: found an encrypted member in a zip archive: b.log; left out",
            "a: unreadable: found a member packed with method 14 in a zip archive: c.log; left out",
        ],
    )


def test_a_member_of_zip_that_differs_from_its_checksum_is_named_and_read(parsed):
    stored = bytearray(zipped({"b.log": SUMMARY, "c.log": SUMMARY}))
    stored[14] ^= 1
    assert parsed(bytes(stored)) == (
        ["a!b.log", "a!c.log"],
        ["a!b.log: unreadable: found a member of a zip archive that differs from its checksum; read as it is"],
    )


def test_hashes_of_members_are_those_of_their_stored_bytes(tmp_path):
    inner = gzip.compress(SUMMARY)
    expected = [hashlib.sha256(content).hexdigest() for content in (SUMMARY, inner)]
    for make in (tar, zipped):
        (tmp_path / "a").write_bytes(make({"b": SUMMARY, "c": inner}))
        assert read(tmp_path / "a").runs.content_hash.tolist() == expected


@pytest.mark.parametrize("make", [tar, zipped])
def test_a_cut_archive_gives_the_members_before_the_cut(make, parsed):
    stored = make({"b.log": SUMMARY, "c.log": SUMMARY + words(200_000), "d.log": SUMMARY})
    files, problems = parsed(stored[:50_000])
    assert files == ["a!b.log", "a!c.log"]
    kind = "tar" if make is tar else "zip"
    assert problems == [
        "a!c.log: truncated: found a member that ends with its truncated archive; the readable part is read",
        f"a: truncated: found a truncated {kind} archive; the readable part is read",
    ]
    whole = stored.rindex(b"PK\1\2") if make is zipped else len(stored.rstrip(b"\0")) // 512 * 512 + 512
    assert parsed(stored[:whole]) == (
        ["a!b.log", "a!c.log", "a!d.log"],
        [f"a: truncated: found a truncated {kind} archive; the readable part is read"],
    )


def test_a_cut_compressed_archive_says_once_that_it_is_cut(parsed):
    stored = gzip.compress(tar({"b.log": SUMMARY, "c.log": SUMMARY + words(200_000)}))
    assert parsed(stored[:30_000]) == (
        ["a!b.log", "a!c.log"],
        [
            "a!c.log: truncated: found a member that ends with its truncated archive; the readable part is read",
            "a: truncated: found truncated gzip data; the readable part is read",
        ],
    )


def test_a_damaged_header_costs_one_member(parsed):
    stored = bytearray(tar({"b.log": SUMMARY, "c.log": SUMMARY, "d.log": SUMMARY}))
    stored[1024 + 5] ^= 1
    assert parsed(bytes(stored)) == (
        ["a!b.log", "a!d.log"],
        ["a: unreadable: found a damaged header in a tar archive; read on at the next good one"],
    )
    stored = zipped({"b.log": SUMMARY, "c.log": SUMMARY})
    assert parsed(stored.replace(b"PK\3\4", b"PK\3\5").replace(b"PK\3\5", b"PK\3\4", 1)) == (
        ["a!b.log"],
        ["a: unreadable: found damaged data between the members of a zip archive; left out from there on"],
    )


def test_archives_in_archives_are_read_two_deep(parsed):
    inner = zipped({"c.log": SUMMARY})
    assert parsed(gzip.compress(tar({"b.zip": inner, "d.log": SUMMARY}))) == (["a!b.zip!c.log", "a!d.log"], [])
    assert parsed(zipped({"e": tar({"b.zip": inner, "d.log": SUMMARY})})) == (
        ["a!e!d.log"],
        ["a!e!b.zip: unreadable: found an archive in archives more than 2 deep; left out"],
    )


def test_compression_is_undone_twice(parsed):
    assert parsed(gzip.compress(bz2.compress(SUMMARY))) == (["a"], [])
    assert parsed(gzip.compress(bz2.compress(lzma.compress(SUMMARY)))) == (
        [],
        ["a: unreadable: found data that are compressed more than 2 times over; left out"],
    )


@pytest.mark.slow
def test_what_grows_too_much_is_left_off_and_memory_stays_small(parsed, monkeypatch):
    monkeypatch.setattr(streams, "FREE_BY_LINES", 1 << 20)
    line = b"0" * 9_999 + b"\n"
    for kind, compress in COMPRESS.items():
        bomb = compress(SUMMARY + line * 5_000)
        tracemalloc.start()
        found = parsed(bomb)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        message = (
            "a: unreadable: found compressed data that grow to more than 200 times their size, "
            f"expected that or at most 1.05 MB; {GO_ON}"
        )
        assert found == (["a"], [message]), kind
        assert peak < 40 << 20
    files, problems = parsed(zipped({"b": SUMMARY + line * 5_000, "c": SUMMARY}))
    assert files == ["a!b"]
    assert len(problems) == 1


@pytest.mark.parametrize("unit", [b"\n", b"0", SUMMARY], ids=["blank", "one line", "valid"])
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress, lambda data: zipped({"b": data})])
@pytest.mark.parametrize("reader", GOOD)
@pytest.mark.slow
def test_a_bomb_is_named_with_the_way_on_and_the_file_beside_it_is_read(reader, pack, unit, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "FREE_BY_LINES", 200_000)
    monkeypatch.setattr(streams, "FREE_WHOLE", 200_000)
    (tmp_path / "a").write_bytes(pack(unit * (1_200_000 // len(unit))))
    good, read_them, table = GOOD[reader]
    (tmp_path / "b").write_bytes(good)
    found = read_them(tmp_path)
    assert GO_ON in "".join(found.problems[found.problems.source_file.str.startswith(str(tmp_path / "a"))].message)
    rows = getattr(found, table)
    assert str(tmp_path / "b") in [
        row["source_file"] for row in (rows if reader == "inventory" else output.records(rows))
    ]


def test_runs_that_compressed_data_give_are_bounded_and_plain_ones_are_not(parsed, monkeypatch):
    monkeypatch.setattr(streams, "_RESULTS", 100)
    stored = gzip.compress(SUMMARY * 20_000)
    files, (problem,) = parsed(stored)
    assert 100 < len(files) < 20_000
    assert problem.startswith(f"a: unreadable: found {len(files)} runs and problems in ")
    assert problem.endswith(f"; {GO_ON}")
    files, problems = parsed(SUMMARY * 1_000)
    assert (len(files), problems) == (1_000, [])
    files, problems = parsed(tar({str(number): gzip.compress(SUMMARY * 400) for number in range(9)}))
    assert 400 < len(files) < 9 * 400
    assert len(problems) == 1


def test_logs_that_hardly_differ_are_no_bombs_however_long(parsed, monkeypatch):
    monkeypatch.setattr(streams, "FREE_BY_LINES", 100_000)
    lines = (
        f"[  5] {at:>6}.00-{at + 1}.00 sec  1.09 GBytes  9.41 Gbits/sec    0   1.52 MBytes\n" for at in range(20_000)
    )
    start = b"Connecting to host a, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    stored = lzma.compress(start + "".join(lines).encode(), preset=2)
    assert len(stored) * 50 < 20_000 * 80
    files, problems = parsed(stored)
    assert files == ["a"]
    assert not any(GO_ON in text for text in problems)


def test_members_are_counted(parsed, monkeypatch):
    monkeypatch.setattr(streams, "_MEMBERS", 3)
    assert parsed(tar({str(number): SUMMARY for number in range(5)})) == (
        ["a!0", "a!1", "a!2"],
        ["a: unreadable: found more members in an archive than 3; the rest is left out"],
    )


def test_names_that_point_elsewhere_and_links_lead_nowhere(parsed, tmp_path):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("../../up.log", "/etc/absolute.log"):
            entry = tarfile.TarInfo(name)
            entry.size = len(SUMMARY)
            archive.addfile(entry, io.BytesIO(SUMMARY))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            entry = tarfile.TarInfo("link")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    assert parsed(buffer.getvalue()) == (["a!../../up.log", "a!/etc/absolute.log"], [])
    assert parsed(zipped({"../up.log": SUMMARY})) == (["a!../up.log"], [])
    assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208 - names
    assert not (tmp_path.parent.parent / "up.log").exists()


def test_an_archive_without_files_is_unrecognised(parsed):
    empty = "a: unrecognised: found an archive without files, expected one with logs"
    assert parsed(zipped({})) == ([], [empty])
    assert parsed(zipped({"d/": b""})) == ([], [empty])
    assert parsed(gzip.compress(b"")) == ([], [f"a: unrecognised: {UNRECOGNISED}"])


def test_a_named_pipe_may_be_compressed(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    child = os.fork()
    if not child:
        (tmp_path / "pipe").write_bytes(gzip.compress(tar({"b.log": SUMMARY})))
        os._exit(0)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert read(tmp_path / "pipe").runs.source_file.tolist() == [f"{tmp_path / 'pipe'}!b.log"]
    os.waitpid(child, 0)


PACKED = [
    gzip.compress(SUMMARY),
    bz2.compress(SUMMARY),
    lzma.compress(SUMMARY),
    tar({"b.log": SUMMARY, "c" * 150: gzip.compress(SUMMARY)}, tarfile.PAX_FORMAT),
    zipped({"b.log": SUMMARY, "c.tar": tar({"d.log": SUMMARY})}),
    zipped({"b.log": SUMMARY, "c.log": SUMMARY}, buffer=Pipe()),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.sampled_from(PACKED),
    changes=st.lists(st.tuples(st.integers(0, 20_000), st.binary(min_size=1, max_size=8)), max_size=6),
    end=st.integers(0, 20_000),
)
def test_damage_is_never_an_error(content, changes, end, parsed):
    damaged = bytearray(content)
    for at, value in changes:
        start = at % len(damaged)
        damaged[start : start + len(value)] = value
    files, problems = parsed(bytes(damaged[: end or None]))
    assert files or problems
