"""Outputs as people hand them on: quoted, indented, wrapped, and beside prose."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry
from tests.inventory.pasted import DETAIL, read


def quoted(mark):
    return "You wrote:\n" + "".join(f"{mark}{line}\n" for line in DETAIL.split("\n")) + "\nThat is fine.\n"


@pytest.mark.parametrize(
    "text",
    [
        DETAIL,
        quoted("> "),
        quoted(">> "),
        quoted("> > "),
        quoted("    "),
        quoted("\t"),
        DETAIL.replace(" ", "\u00a0"),
        DETAIL.replace("        ", "\u00a0 \u00a0 \u00a0 \u00a0 "),
        DETAIL.replace("\n", "\r\n"),
    ],
    ids=["plain", "quoted", "twice", "apart", "indented", "tab", "unbreakable", "half", "crlf"],
)
def test_what_mail_and_pages_put_in_changes_nothing(text):
    [array], problems = read(text)
    assert array["format"] == "mdadm-detail"
    assert (array["device"], array["level"], array["n_raid_devices"]) == ("/dev/md4", "raid6", 6)
    assert (array["size_bytes"], array["chunk_bytes"]) == (3906764800 * 1024, 512 * 1024)
    assert problems == []


def test_lines_keep_their_numbers():
    found = registry.read(Document("mail.txt", quoted("> ").encode()))
    assert [one.output.first for one in found.captured] == [2]


def test_a_lone_mark_is_a_prompt():
    found = registry.read(Document("a.txt", f"> mdadm --detail /dev/md4\n{DETAIL}".encode()))
    assert [one.output.command for one in found.captured] == [("mdadm", "--detail", "/dev/md4")]


def test_paths_in_what_a_program_says_are_no_settings():
    assert (
        read("mdadm: looking\n/sys/devices/pci0000:00/0000:00:0e.0/a:b c\n/sys/devices/pci0000:00/usb2/x:y\n")[0] == []
    )


def test_what_an_output_does_not_count_is_missing():
    [found], _ = read("Adapter 0: No Virtual Drive Configured.\n")
    assert (found["n_volumes"], found["n_drives"]) == (0, None)
    [found], _ = read(
        "Controllers found: 1\nLogical device Task:\n   Logical device                 : 0\n   Status : In Progress\n"
    )
    assert (found["n_volumes"], found["n_drives"]) == (None, None)
    [found], _ = read(
        "LSI Corporation SAS2 IR Configuration Utility.\nBackground command progress status for controller 0...\n"
        "IR Volume 1\n  Volume ID     : 79\n  Volume state  : Degraded\n"
        "SAS2IRCU: Command STATUS Completed Successfully.\n"
    )
    assert found["n_drives"] is None
    assert found["volumes"] == [{"id": 1, "level": None, "size_bytes": None, "state": "Degraded", "n_drives": None}]


def test_blocks_of_a_page_with_margins_of_their_own():
    nodes = "available: 1 nodes (0)\nnode 0 cpus: 0 1\nnode 0 size: 900 MB\nnode distances:\nnode   0\n  0:  10"
    tabbed = "".join(f"\t{line}\n" for line in nodes.splitlines())
    found, _ = read(f"Hi,\n\n  I did so:\n\n{tabbed}\n  and then so:\n\n{tabbed}")
    assert [(one["format"], one["numa_nodes"]) for one in found] == [("numactl-H", 1)] * 2


def test_all_devices_of_a_list_in_the_margin_of_a_note_are_read():
    names = [
        "00:00.0 PCI bridge: A",
        "01:00.0 PCI bridge: B",
        "02:01.0 PCI bridge: C",
        "06:00.0 Ethernet controller: D",
    ]
    [facts], _ = read("Tested:\n\n  $ lspci\n" + "".join(f"  {name} Ltd. Device 3670\n" for name in names))
    assert [one["address"][5:] for one in facts["devices"]] == [name.split()[0] for name in names]


def test_bold_over_several_lines():
    [facts], _ = read("CPU(s):  8\nThread(s) per core:  2\nSocket(s):  1\n**L2 cache:  1024K\nL3 cache:  8192K**\n")
    assert (facts["l2_bytes"], facts["l3_bytes"]) == (2**20, 2**23)


def test_a_line_outside_all_outputs_is_named():
    text = "MemTotal: 16777216 kB\nMemFree: 1024 kB\n\nAnd it has\n\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"
    found = registry.read(Document("a.txt", text.encode()))
    assert [(problem["line"], problem["kind"]) for problem in found.problems] == [(6, "unrecognised")]
    assert found.problems[0]["message"] == (
        "found 'model name\\t: AMD EPYC 7763 64-Core Processor', "
        "expected the output of /proc/cpuinfo around it; not read"
    )
