"""Whose a line is, in files with outputs of both ends."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import read
from hecn_analysis.statements.ends import by_names

LARGE, SMALL = "net.ipv4.tcp_rmem = 4096 131072 67108864\n", "net.ipv4.tcp_rmem = 4096 131072 6291456\n"
CLIENT, SERVER = "root@a:~# iperf3 -c b -t 10\n", "root@b:~# iperf3 -s\n"


def ends(text, name="all.txt"):
    found = read(Document(name, text.encode()))
    return [one.end for one in found if one.name == "kernel.receive_buffer_bytes"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"### sender\n{LARGE}### receiver\n{SMALL}", ["sender", "receiver"]),
        (f"== receiver ==\n{SMALL}== sender ==\n{LARGE}", ["receiver", "sender"]),
        (f"{CLIENT}root@a:~# sysctl net.ipv4.tcp_rmem\n{LARGE}{SERVER}{SMALL}", ["sender", "receiver"]),
        (f"{CLIENT}{LARGE}root@b:~# sysctl net.ipv4.tcp_rmem\n{SMALL}", ["sender", "receiver"]),  # of two, the other
        (f"root@a:~# iperf3 -c b -R\n{LARGE}root@b:~# sysctl -a\n{SMALL}", ["receiver", "sender"]),
        (f"[ops@b ~]$ sysctl -a\n{SMALL}[ops@a ~]$ iperf3 -c b\n{LARGE}", ["receiver", "sender"]),
        (f"{CLIENT}{LARGE}root@b:~# ls\n{SMALL}root@c:~# ls\n{SMALL}", ["sender", "", ""]),  # of three, nothing
        (f"On the sender:\n{LARGE}Same for the receiver:\n{SMALL}", ["sender", "receiver"]),
        (f"{CLIENT}{LARGE}", [""]),  # one host may have copied what it was sent
        (f"# the sender and the receiver\n{LARGE}", [""]),
        (LARGE, [""]),
    ],
)
def test_headings_and_prompts_tell_the_end(text, expected):
    assert ends(text) == expected


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("[root@mover2 ~]# sysctl -a\n", "receiver"),
        ("ops@mover2.example.net:~$ sysctl -a\n", "receiver"),
        ("Linux 6.1.0-9-amd64 (mover1) \t11/02/26 \t_x86_64_\t(8 CPU)\n", "sender"),
        ("Linux mover1 6.1.0-9-amd64 #1 SMP x86_64 GNU/Linux\n", "sender"),
        ("[root@mover3 ~]# sysctl -a\n", ""),
    ],
)
def test_the_host_above_tells_the_end(head, end):
    found = by_names(read(Document("all.txt", f"{head}{LARGE}".encode())), ["mover1"], ["mover2.example.net"])
    assert [one.end for one in found if one.name == "kernel.receive_buffer_bytes"] == [end]


def test_the_name_of_the_file_counts_more():
    assert ends(f"### sender\n{LARGE}", "sysctl-receiver.txt") == ["receiver"]


def named(*files, note="mover1 -> mover2"):
    """End of the buffer in each file of a folder with a note."""
    notes = read(Document("notes.txt", note.encode()))
    found = [one for name in files for one in read(Document(name, SMALL.encode()))]
    return [one.end for one in by_names([*notes, *found]) if one.name == "kernel.receive_buffer_bytes"]


def test_the_names_of_hosts_in_names_of_files_are_those_of_a_note():
    assert named("before/sysctl-mover1.txt", "before/sysctl-mover2.txt") == ["sender", "receiver"]
    assert named("MOVER2_sysctl.log", "sysctl-mover20.txt", "mover1-mover2.txt") == ["receiver", "", ""]
    assert named("sysctl-mover2.txt", note="circuit: 200 Mb/s") == [""]
    assert named("sysctl-mover2.txt", note="mover1 -> mover2\nmover2 -> mover1") == [""]  # both ways


def test_the_names_of_hosts_of_the_runs_count_as_well():
    found = read(Document("sysctl-b.txt", SMALL.encode()))
    assert {one.end for one in by_names(found, ["a"], ["b"])} == {"receiver"}
