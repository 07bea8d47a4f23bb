"""What iostat, fio, hdparm and dd say of disks."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.disks import find


def said(text, name="a.txt"):
    return {one.name: (one.value, one.line) for one in find(Document(name, text.encode()))}


IOSTAT = """\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.00    0.00    1.00    0.00    0.00   98.00

Device            r/s     w/s     rMB/s     wMB/s   rrqm/s   wrqm/s  aqu-sz  %util
sda              1.00    1.00      0.01      0.01     0.00     0.00    0.00  99.00

Device            r/s     w/s     rMB/s     wMB/s   rrqm/s   wrqm/s  aqu-sz  %util
sda              1.00    1.00      0.01      0.01     0.00     0.00    0.00   2.00
sdb              1.00  400.00      0.00    100.00     0.00     0.00   30.00  97.50

Device            r/s     w/s     rMB/s     wMB/s   rrqm/s   wrqm/s  aqu-sz  %util
sda              0.00    0.00      0.00      0.00     0.00     0.00    0.00   0.00
sdb              0.00    0.00      0.00      0.00     0.00     0.00    0.00   1.00
"""


def test_the_busiest_disk_while_it_works():
    found = said(IOSTAT, "iostat-receiver.txt")
    assert found["disk.utilisation"] == (0.975, 9)
    assert found["disk.writing_bps"] == (pytest.approx(100 * 2**20 * 8), 9)


def test_json():
    text = """\
{"avg-cpu":  {"user": 25.42, "idle": 33.70},
"disk": [
{"disk_device": "sda", "r/s": 6.83, "rkB/s": 1000.00, "wkB/s": 0.00, "util": 88.00},
{"disk_device": "sdb", "r/s": 0.00, "rkB/s": 0.00, "wkB/s": 0.00, "util": 1.00}
]}
"""
    assert said(text) == {"disk.utilisation": (0.88, 3), "disk.reading_bps": (1000 * 1024 * 8, 3)}


def test_older_iostat_with_commas_and_sar():
    old = "Device:  tps  MB_read/s  MB_wrtn/s  MB_read  MB_wrtn\nsda  29,5  2,00  0,50  158  51\n"
    sar = "10:00:01  DEV  tps  rkB/s  wkB/s  aqu-sz  %util\n10:00:02  sda  9.0  1000.0  0.0  1.0  80.0\n"
    assert said(old)["disk.reading_bps"][0] == pytest.approx(2 * 2**20 * 8)
    assert said(sar)["disk.utilisation"] == (0.8, 2)


FIO = """\
  read: IOPS=7, BW=7810KiB/s (7997kB/s)(26.0MiB/3409msec)
   READ: bw=7810KiB/s (7997kB/s), 7810KiB/s-7810KiB/s (7997kB/s-7997kB/s), io=26.0MiB
"""
HDPARM = """\
/dev/sda:
 Timing cached reads:   658 MB in  2.00 seconds = 328.26 MB/sec
 Timing buffered disk reads: 180 MB in  3.03 seconds =  59.49 MB/sec
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIO, {"disk.read_bps": (pytest.approx(7997e3 * 8), 2)}),
        (
            "  write: IOPS=100, BW=100MiB/s (105MB/s)(1GiB/9msec)\n",
            {"disk.write_bps": (pytest.approx(105e6 * 8), 1)},
        ),
        (
            "  WRITE: io=1024.0MB, aggrb=52000KB/s, minb=52000KB/s, maxb=52000KB/s, mint=1msec, maxt=1msec\n",
            {"disk.write_bps": (pytest.approx(52000 * 1024 * 8), 1)},
        ),
        (
            "x: (g=0): rw=randread, bs=(R) 4096B-4096B\n   READ: bw=10.0MiB/s (10.5MB/s), io=1MiB\n",
            {},
        ),
        (
            '{"jobs": [{"read": {"bw_bytes": 0}, "write": {\n"bw_bytes" : 1000\n}}, {"write": {"bw_bytes": 500}}]}',
            {"disk.write_bps": (12000, 2)},
        ),
        (HDPARM, {"disk.read_bps": (pytest.approx(59.49 * 2**20 * 8), 3)}),
    ],
)
def test_tests_of_disks(text, expected):
    assert said(text) == expected


WRITE = "$ dd if=/dev/zero of=/data/x bs=1M count=954 conv=fdatasync\n"
READ = "dd if=/data/x of=/dev/null bs=1M\n"
BSD = "1000000000 bytes transferred in 8.0 secs (1 bytes/sec)\n"
COPIED = "1000000000 bytes (1.0 GB, 954 MiB) copied, 8 s, 125 MB/s\n"
FAST = "10000000000 bytes (10 GB) copied, 1 s, 10 GB/s\n"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (WRITE + COPIED, "dd.txt", {"disk.write_bps": (1e9, 2)}),
        (READ + COPIED, "dd.txt", {"disk.read_bps": (1e9, 2)}),
        (READ + BSD, "a.txt", {"disk.read_bps": (1e9, 2)}),
        (COPIED, "dd-write.txt", {"disk.write_bps": (1e9, 1)}),
        (COPIED, "dd.txt", {}),
        (READ + FAST, "dd.txt", {}),  # the page cache
        ("dd if=/data/x bs=1M | nuttcp -t host\n" + COPIED, "dd.txt", {}),
        ("dd if=/data/x of=/mnt/y bs=1M\n" + COPIED, "dd.txt", {}),
    ],
)  # fmt: skip
def test_dd(text, name, expected):
    assert {key: value for key, value in said(text, name).items() if key.startswith("disk.")} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dd if=/data/x of=/dev/null bs=1M iflag=direct\n", {"asked.direct": (1.0, 1)}),
        ("dd if=/dev/zero of=/data/x bs=1M conv=fdatasync\n", {"asked.direct": (1.0, 1)}),
        ("dd if=/dev/zero of=/data/x bs=1M\n", {"asked.direct": (0.0, 1)}),
        ("dd if=/data/x bs=1M | nuttcp -t host\n", {}),
        ("$ fio --name=a --rw=read --size=4g\n", {"asked.direct": (0.0, 1)}),
        ("$ fio --name=a --rw=read --size=4g --direct=1\n", {"asked.direct": (1.0, 1)}),
        ("fio-3.28\n", {}),
        ("MemTotal:       16384000 kB\n", {"host.memory_bytes": (16384000 * 1024, 1)}),
        ("Mem:           128Gi       3.1Gi\n", {"host.memory_bytes": (128 * 2**30, 1)}),
        ("$ free -g\n   total  used\nMem:    31     4\n", {"host.memory_bytes": (31 * 2**30, 3)}),
        ("# free -mw\n   total  used\nMem:    7950     4\n", {"host.memory_bytes": (7950 * 2**20, 3)}),
        ("$ free\n   total  used\nMem:    7950112     4\n", {"host.memory_bytes": (7950112 * 2**10, 3)}),
        ("Mem:       131072000     3100000\n", {}),  # in which unit, the line does not say
    ],
)
def test_past_the_page_cache_or_not(text, expected):
    assert said(text, "a.txt") == expected


@pytest.mark.parametrize(
    "text", ["", "Device %util\n", "Device %util\nsda x\n", '"bw_bytes"', "READ: bw=\n", "disk reads:\n"]
)
def test_fragments_say_nothing(text):
    assert said(text) == {}
