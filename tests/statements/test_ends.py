"""Whose a line is, in files with outputs of both ends."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import read

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
        (f"{CLIENT}{LARGE}", [""]),  # one host may have copied what it was sent
        (f"# the sender and the receiver\n{LARGE}", [""]),
        (LARGE, [""]),
    ],
)
def test_headings_and_prompts_tell_the_end(text, expected):
    assert ends(text) == expected


def test_the_name_of_the_file_counts_more():
    assert ends(f"### sender\n{LARGE}", "sysctl-receiver.txt") == ["receiver"]
