"""Cut, changed and hostile captures: nothing but problems, and quickly."""

import json
import random

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.base.tables import make
from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import read_inventory, registry
from hecn_analysis.inventory.captured import hosts

FILES = sorted(
    path
    for folder in (data_dir() / "inventory", data_dir().parent / "tests" / "inventory" / "samples")
    for path in folder.rglob("*")
    if path.is_file()
)
HOSTILE = [
    b"\x00",
    b"\xff\xfe",
    b"9" * 5000,
    b"-1",
    b"1e999",
    b"nan",
    b"$(reboot)",
    b"`reboot`",
    b"<!ENTITY",
    b"{" * 3000,
    b": ",
    b"\n\n",
    b"x99",
]


def read(content):
    found = registry.read(Document("x.txt", content))
    make("problems", found.problems)
    for host in hosts(found.captured):
        make("problems", host.problems)
        str(host.findings)
    return found


def damaged(content, random_source):
    """The content, cut or with some bytes changed."""
    kind = random_source.randrange(4)
    place = random_source.randrange(len(content) + 1)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + random_source.choice(HOSTILE) + content[place:]
    if kind == 2:
        return content[:place] + content[place + random_source.randrange(1, 40) :]
    lines = content.split(b"\n")
    random_source.shuffle(lines)
    return b"\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.slow
def test_nothing_in_a_damaged_file_raises(path):
    content = path.read_bytes()
    random_source = random.Random(path.name)  # noqa: S311 - the same damage each time
    for _ in range(10):
        read(damaged(content, random_source))


@pytest.mark.parametrize(
    "content",
    [
        b"{" * 200000,
        b"[" * 200000,
        b'{"lscpu": ' * 5000,
        b"00:00.0 Host bridge: X\n" * 50000,
        b"processor\t: 0\n" * 100000,
        b"available: 1 nodes (0)\n" * 50000,
        b"-[0000:00]-" + b"+-00.0-[01]-" * 20000,
        b"Handle 0x0001, DMI type 17, 34 bytes\nMemory Device\n\tSize: 1 GB\n" * 20000,
        b"CPU(s): 4\nSocket(s): 1\nCore(s) per socket: 4\nNUMA node0 CPU(s): 0-999999\n",
        b"<topology>" + b'<object type="Core">' * 20000,
        b" " * 1000000,
        b"# lspci\n" * 100000,
    ],
    ids=range(12),
)
@pytest.mark.slow
def test_a_hostile_file_comes_to_an_end(content):
    read(content)


def test_nothing_is_run(tmp_path):
    (tmp_path / "a.txt").write_text(
        f"$ touch {tmp_path}/ran\n# lspci; touch {tmp_path}/ran\n00:00.0 Host bridge: $(touch {tmp_path}/ran)\n"
    )
    read_inventory(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("other", [7, [None]], ids=["number", "list"])
@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".json" and path.stat().st_size < 2000])
def test_a_value_of_another_kind_stops_no_reader(path, other, with_another):
    for changed in with_another(json.loads(path.read_text()), other):
        read(json.dumps(changed).encode())
