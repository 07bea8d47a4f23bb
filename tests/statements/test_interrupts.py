"""Which cores take packets in."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.interrupts import find

HEAD = "           CPU0       CPU1       CPU2       CPU3\n"


def softnet(*dropped):
    return "".join(f"0001a2b3 {count:08x} 00000002" + " 00000000" * 8 + "\n" for count in dropped)


def said(text):
    return {one.name: (one.value, one.line) for one in find(Document("a.txt", text.encode()))}


@pytest.mark.parametrize(
    ("text", "dropped", "line"),
    [
        (softnet(0, 0, 255, 1), 256, 3),  # hexadecimal ff and 1
        (softnet(0, 0), 0, 2),
        ("$ cat softnet_stat\n" + softnet(5, 100) + "$ later\n" + softnet(5, 130), 30, 6),
        (softnet(500, 9) + "-\n" + softnet(3, 0), 3, 4),  # started again in between
    ],
)
def test_packets_that_cores_dropped(text, dropped, line):
    assert said(text) == {"cpu.softnet_dropped": (dropped, line)}


def queue(name, *counts):
    return f" 90: {'  '.join(map(str, counts))}  PCI-MSI 524288-edge      {name}\n"


@pytest.mark.parametrize(
    ("rows", "share"),
    [
        (queue("eth4-TxRx-0", 0, 0, 900_000, 0) + queue("eth4-TxRx-1", 0, 0, 100_000, 0), 1.0),
        (queue("mlx5_comp0@pci:0000", 300_000, 100_000, 0, 0), 0.75),
        (queue("eth0", 0, 100, 0, 0), None),  # too few to tell
        (queue("nvme0q1", 900_000, 0, 0, 0), None),
    ],
)
def test_interrupts_of_cards(rows, share):
    assert said(HEAD + rows) == ({} if share is None else {"cpu.interrupts": (share, 2)})


def test_of_two_cores_nothing_is_told():
    assert not said("           CPU0       CPU1\n" + queue("eth0", 900_000, 0))
