"""How a file is cut into the outputs that it holds."""

from functools import partial
from itertools import pairwise

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.ingest.other_command import other_command_hint
from hecn_analysis.inventory import outputs, read_inventory, registry

MEMINFO = "MemTotal:       16000000 kB\nMemFree:         8000000 kB\nMemAvailable:    9000000 kB\n"
NODES = "available: 1 nodes (0)\nnode 0 cpus: 0 1\nnode 0 size: 8000 MB\nnode distances:\nnode   0\n  0:  10\n"


def formats(text):
    found = registry.read(Document("capture.txt", text.encode()))
    return [(one.facts.format, one.output.first) for one in found.captured], found.problems


@pytest.mark.parametrize(
    "between",
    [
        "[root@dtn1 ~]# {}\n",
        "me@dtn1:~$ sudo {}\n",
        "# {}\n",
        "+ {}\n",
        "### {} ###\n",
        "Command: {}\n",
        "\n",
    ],
)
def test_outputs_one_after_another_are_apart(between):
    found, problems = formats(between.format("cat /proc/meminfo") + MEMINFO + between.format("numactl -H") + NODES)
    assert [name for name, _ in found] == ["meminfo", "numactl-H"]
    assert problems == []


def test_marks_of_head_and_tail_name_the_file():
    found, _ = formats(f"==> /proc/meminfo <==\n{MEMINFO}\n==> /proc/other <==\nx\n")
    assert found == [("meminfo", 2)]


def test_a_line_knows_its_number_in_the_file():
    found, problems = formats(f"words\n\n{MEMINFO}Cached: much\n")
    assert found == [("meminfo", 3)]
    assert [(one["line"], one["kind"]) for one in problems] == [(6, "malformed")]


def test_a_known_command_without_its_output_is_told():
    found, [problem] = formats(f"# lspci -vvv\nbash: lspci: command not found\n# cat /proc/meminfo\n{MEMINFO}")
    assert found == [("meminfo", 4)]
    assert problem["line"] == 2
    assert problem["message"] == (
        "found 'bash: lspci: command not found' after the command 'lspci -vvv', expected its output; left out"
    )


def test_commands_of_others_between_are_nobodys_business():
    assert formats(f"[a@b ~]$ ls\nfoo bar\n[a@b ~]$ cat /proc/meminfo\n{MEMINFO}[a@b ~]$ exit\n") == (
        [("meminfo", 4)],
        [],
    )


def test_the_first_line_of_dmidecode_is_no_prompt():
    assert outputs.command("# dmidecode 3.3", {"dmidecode"}) is None
    assert outputs.command("# dmidecode -t memory", {"dmidecode"}) == ("dmidecode", "-t", "memory")


def test_a_log_is_for_another_command(tmp_path):
    (tmp_path / "a.log").write_text(
        "nuttcp -T10 b\n 1185.3125 MB /  10.04 sec =  990.1193 Mbps 12 %TX 30 %RX 0 retrans 0.21 msRTT\n"
    )
    (tmp_path / "b.txt").write_text("Dear all,\n")
    hint = partial(other_command_hint, command="inventory")
    first, second = read_inventory(tmp_path, hint=hint).problems["message"]
    assert first.endswith("; it holds the log of a tool, which 'hecn parse' reads")
    assert second == (
        "found 'Dear all,' first, expected the output of a command such as lspci -vvv, lscpu, dmidecode or ethtool"
    )


def test_a_missing_file_is_a_problem(tmp_path):
    [problem] = read_inventory([tmp_path / "absent"]).problems.to_dict("records")
    assert problem["kind"] == "unreadable"


def test_files_in_an_archive_are_of_one_host(tmp_path):
    import tarfile  # noqa: PLC0415

    folder = tmp_path / "sosreport-n7" / "proc"
    folder.mkdir(parents=True)
    (folder / "meminfo").write_text(MEMINFO)
    (folder.parent / "sos_commands" / "numa").mkdir(parents=True)
    (folder.parent / "sos_commands" / "numa" / "numactl_-H").write_text(NODES)
    (folder.parent / "sos_commands" / "numa" / "other").write_text("what nobody reads\n")
    with tarfile.open(tmp_path / "n7.tar.gz", "w:gz") as archive:
        archive.add(folder.parent, "sosreport-n7")
    inventory = read_inventory(tmp_path / "n7.tar.gz")
    assert inventory.problems.empty
    [host] = inventory.hosts
    assert host.name == "sosreport-n7"
    assert len(host.source_files) == 2


SMART = "smartctl 7.{} 2023-08-01 r1\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     MAKER {}\n"
BLOCKS = '{{\n   "blockdevices": [\n      {{"name": "{}", "type": "disk", "size": 1000}}\n   ]\n}}\n'
POOL = "  pool: {}\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\t{}  ONLINE  0 0 0\n\t  sda  ONLINE\n"


@pytest.mark.parametrize(
    ("one", "other", "fact"),
    [
        (SMART.format(4, "A1"), SMART.format(2, "B2"), "model"),
        (BLOCKS.format("sda"), BLOCKS.format("sdb"), "disks"),
        (POOL.format("tank", "tank"), POOL.format("tank", "tank").replace("sda", "sdb"), "pools"),
        ("processor\t: 0\nmodel name\t: A\n", "processor       : 0\nmodel name      : B\n", "model"),
        ("00:00.0 Host bridge: Maker One\n00:01.0 SATA controller: Maker A\n", "00:00.0 Host bridge: Two\n", "devices"),
    ],
    ids=["smartctl", "json", "zpool", "cpuinfo", "lspci"],
)
def test_the_output_of_two_hosts_in_a_row_is_two(one, other, fact):
    def values(text):
        return [found.facts.values[fact] for found in registry.read(Document("capture.txt", text.encode())).captured]

    assert values(one + other) == values(one) + values(other)
    assert len(values(one + other)) == 2


@pytest.mark.parametrize(
    "prompt", ["root@nas-4[/etc/sysctl.d]# sas2ircu 0 display | grep Model -A 1", "root@nas-4[~]# ", "[root@nas-4 ~]#"]
)
def test_a_prompt_ends_an_output_whatever_was_typed(prompt):
    found = registry.read(Document("a", f"{SMART.format(4, 'A1')}{prompt}\nModel Number: OTHER\n".encode()))
    assert [one.facts.values["model"] for one in found.captured] == ["MAKER A1"]


def test_outputs_in_a_row_without_prompts_are_those_of_each_alone(samples):
    alone = {}
    for path in sorted(samples.rglob("*")):
        if path.is_file() and path.stat().st_size < 30_000:
            document = Document(path.name, path.read_bytes())
            found = registry.read(document)
            if found.captured and not found.problems:
                facts = [(one.facts.format, one.facts.values) for one in found.captured]
                alone[facts[0][0]] = (document.content.rstrip(b"\n") + b"\n", facts)
    assert len(alone) > 50
    for order in (list(alone), list(reversed(alone)), sorted(alone, key=lambda name: name[::-1])):
        for one, other in pairwise(order):
            found = registry.read(Document("capture.txt", alone[one][0] + alone[other][0]))
            facts = [(each.facts.format, each.facts.values) for each in found.captured]
            assert facts == alone[one][1] + alone[other][1], (one, other)


def test_a_line_of_another_output_begins_none_where_its_reader_knows_nothing():
    array = "Personalities : [raid1]\nmd0 : active raid1 sda1[0] sdb1[1]\n      1000 blocks [2/2] [UU]\n"
    clock = "analyzing CPU 0:\n  driver: intel_pstate\n  hardware limits: 1.00 GHz - 3.00 GHz\n"
    found, _ = formats(array + clock + MEMINFO)
    assert found == [("mdstat", 1), ("cpupower", 4), ("meminfo", 7)]


def test_a_prompt_of_a_name_alone_ends_an_output_once_a_known_command_follows_it():
    listed = "NAME   SIZE  ALLOC   FREE   CAP  HEALTH  ALTROOT\ntank  10.0T   500G  9.5T    4%  ONLINE  -\n"
    text = (
        f"keep2 # zpool list\n{listed}keep2 # beadm list\nNAME  USED\ntank  500G\nkeep2 # cat /proc/meminfo\n{MEMINFO}"
    )
    assert formats(text) == ([("zpool-list", 2), ("meminfo", 8)], [])
    # A column of a table is no name of a host.
    assert outputs.command("used # of lscpu", {"lscpu"}) is None


def test_what_follows_a_blank_line_is_no_row_of_zpool_list():
    listed = "NAME   SIZE  ALLOC   FREE   CAP  HEALTH  ALTROOT\ntank  10.0T   500G  9.5T    4%  ONLINE  -\n"
    assert formats(f"# zpool list\n{listed}\nmost of it is free\n# beadm list\nNAME  USED\n") == (
        [("zpool-list", 2)],
        [],
    )
