"""Copies beside a test of their path, on shares, over the channel of SSH, and advice of lines that name their cause."""

from __future__ import annotations

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.files.documents import Document
from hecn_analysis.statements import mounts
from tests.diagnosis import everyday as e
from tests.diagnosis.test_everyday import Case, check, some
from tests.diagnosis.test_verdict import folder

_SCP = """\
$ scp big.iso b.example:/tmp/
big.iso                                       100% 4096MB  38.1MB/s   01:47
"""
_GIGABIT = "$ iperf3 -c b.example\n" + e.iperf3([938e6] * 10, [3e6] * 10)
_DD = """\
# dd if=/dev/zero of=/mnt/nas/t bs=1M count=1000 conv=fsync
1000+0 records in
1000+0 records out
1048576000 bytes (1.0 GB, 1000 MiB) copied, 41.7 s, 25.1 MB/s
"""
_MOUNT = "10.30.0.12:/export on /mnt/nas type nfs4 (rw,relatime,vers=4.2,rsize=1048576,wsize=1048576,proto=tcp)\n"
_WINDOWS = "Receive Window Auto-Tuning Level    : disabled\n"
_USB = """\
My new USB 3 disk only gets 38 MB/s.
$ dd if=/dev/sdb of=/dev/null bs=1M count=2000 iflag=direct
2000+0 records in
2000+0 records out
2097152000 bytes (2.1 GB, 2.0 GiB) copied, 55.1 s, 38.1 MB/s
$ lsusb -t
/:  Bus 02.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/4p, 5000M
/:  Bus 01.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/8p, 480M
    |__ Port 2: Dev 5, If 0, Class=Mass Storage, Driver=usb-storage, 480M
"""

CASES = {
    "scp fills the channel of SSH": Case(
        files={"a.txt": _SCP, "iperf.txt": _GIGABIT, "ping.txt": e.ping("b.example", 0.0509)},
        which="scp",
        accept=some("latency-protocol"),
        says="0[.]97 of the 2 MiB that a channel",
    ),
    "a share is slower than the path to its server": Case(
        files={"a.txt": _DD + "# mount\n" + _MOUNT, "iperf.txt": _GIGABIT},
        which="on the share /mnt/nas",
        accept=some("disk-write", "latency-protocol"),
        least=0.55,
    ),
    "the path to the server of a share is fine": Case(
        files={"a.txt": _DD + "# mount\n" + _MOUNT.replace("rw,", "rw,sync,"), "iperf.txt": _GIGABIT},
        which="iperf3",
        accept=some("link"),
    ),
    "burst credits are spent": Case(
        files={"a.txt": e.iperf3([4.8e9] * 5 + [2.6e9] + [0.74e9] * 6, [2.2e6] * 5 + [0.9e6] + [0.3e6] * 6)},
        accept=some("shaper"),
        says="the rate falls once, to 6[.]5 times less",
    ),
    "a disk is slower than the network": Case(
        files={"dd.txt": _DD.replace("conv=fsync", "oflag=direct"), "iperf.txt": _GIGABIT},
        which="dd",
        accept=some("disk-write"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_copies(name, tmp_path):
    check(CASES[name], tmp_path)


def test_a_copy_gains_no_more_than_its_path_carries(tmp_path):
    folder(tmp_path, {"a.txt": _SCP, "iperf.txt": _GIGABIT, "ping.txt": e.ping("b.example", 0.0509)})
    verdict = diagnose(tmp_path)[0]
    assert verdict.kind.tool == "scp"
    assert verdict.measured_bps < verdict.changes[0].throughput_bps < 1.05 * 938e6


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (_WINDOWS, "netsh interface tcp set global autotuninglevel=normal"),
        (_USB, "480M is USB 2"),
    ],
)
def test_advice_is_that_of_the_line(text, command, tmp_path):
    slow = "$ iperf3 -c b.example -t 10\n" + e.iperf3([24e6] * 10, [64e3] * 10) if text is _WINDOWS else ""
    folder(tmp_path, {"a.txt": text, **({"iperf.txt": slow, "ping.txt": e.ping("b", 0.022)} if slow else {})})
    change = diagnose(tmp_path)[0].changes[0]
    assert command in change.command
    assert "LnkSta" not in change.check


@pytest.mark.parametrize(
    ("line", "at"),
    [
        (_MOUNT, "/mnt/nas"),
        ("nas:/export /mnt/nas nfs rw,relatime,vers=3 0 0\n", "/mnt/nas"),
        ("//srv/data /mnt/smb cifs credentials=/root/c,vers=3.0 0 0\n", "/mnt/smb"),
        ("//srv/data on /mnt/smb type cifs (rw)\n", "/mnt/smb"),
        ("/mnt/nas nas:/export nfs4 rw,relatime\n", "/mnt/nas"),
        ("nas:/export       11T  9,8T  1,2T  90% /mnt/nas\n", "/mnt/nas"),
        ("/mnt/nas from nas:/export\n Flags:\trw,vers=4.2\n", "/mnt/nas"),
        ("sudo mount -t nfs -o vers=3,nolock nas:/export /mnt/nas\n", "/mnt/nas"),
        ("[fd00::1]:/export on /mnt/six type nfs4 (rw)\n", "/mnt/six"),
        ("me@srv:/data on /home/me/srv type fuse.sshfs (rw)\n", "/home/me/srv"),
        ("/dev/sda1 on / type ext4 (rw)\n", None),
        ("see http://example.org/a on /b type x\n", None),
    ],
)
def test_mounts(line, at):
    found = [one.value for one in mounts.find(Document("a.txt", line.encode())) if one.name == "mount.share"]
    assert found == ([] if at is None else [at])
