"""What mpstat, sar, vmstat, top and control groups say of processors."""

import math

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.processors import find


def said(text, name="mpstat.txt"):
    return {one.name: one for one in find(Document(name, text.encode()))}


MPSTAT = """\
Linux 6.1.0 (alpha) \t02/03/26 \t_x86_64_\t(2 CPU)

10:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:02 AM  all    1.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   98.00
10:00:02 AM    0    1.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   98.00
10:00:02 AM    1    1.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   98.00

10:00:02 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:03 AM  all    2.00    0.00   30.00   10.00    0.00   20.00    5.00    0.00    0.00   33.00
10:00:03 AM    0    2.00    0.00   10.00   20.00    0.00    0.00    5.00    0.00    0.00   63.00
10:00:03 AM    1    2.00    0.00   52.00    0.00    0.00   40.00    5.00    0.00    0.00    1.00

10:00:03 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:04 AM  all    2.00    0.00   30.00   10.00    0.00   20.00    5.00    0.00    0.00   33.00
10:00:04 AM    0    2.00    0.00   54.00    0.00    0.00   42.00    2.00    0.00    0.00    0.00
10:00:04 AM    1    2.00    0.00   10.00   20.00    0.00    0.00    8.00    0.00    0.00   60.00

Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:       0    2.00    0.00   30.00    6.67    0.00   14.00    4.00    0.00    0.00   43.33
"""


def test_the_busiest_core_while_the_machine_works():
    found = said(MPSTAT, "mpstat-receiver.txt")
    assert (found["cpu.busiest"].value, found["cpu.busiest"].line) == (0.99, 11)  # idle seconds are left out
    assert found["cpu.busiest"].says.split()[2] == "1"
    assert found["cpu.softirq"].value == 0.4
    assert found["cpu.iowait"].value == 0.1
    assert found["cpu.steal"].value == 0.05
    assert found["cpu.cores"].value == 2
    assert {one.end for one in found.values()} == {"receiver"}


def test_commas_and_averages_alone():
    text = """\
10:00:02     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Durchschn.:  all   40,00    0,00   10,00    0,00    0,00    0,00    0,00    0,00    0,00   50,00
Durchschn.:    3   90,00    0,00    8,50    0,00    0,00    0,00    0,00    0,00    0,00    1,50
"""
    assert said(text)["cpu.busiest"].value == pytest.approx(0.985)


def test_json():
    text = """\
{"sysstat": {"hosts": [{"statistics": [{"timestamp": "10:00:01", "cpu-load": [
{"cpu": "all", "usr": 30.00, "sys": 20.00, "iowait": 4.00, "soft": 1.00, "steal": 0.00, "idle": 45.00},
{"cpu": "0", "usr": 60.00, "sys": 36.00, "iowait": 0.00, "soft": 2.00, "steal": 0.00, "idle": 2.00},
{"cpu": "1", "usr": 0.00, "sys": 4.00, "iowait": 8.00, "soft": 0.00, "steal": 0.00, "idle": 88.00}]}]}]}}
"""
    found = said(text, "mpstat.json")
    assert (found["cpu.busiest"].value, found["cpu.busiest"].line) == (0.98, 3)
    assert (found["cpu.softirq"].value, found["cpu.iowait"].value) == (0.02, 0.04)


@pytest.mark.parametrize(("cpus", "idle", "expected"), [(8, "50.00", None), (1, "50.00", 0.5), (8, "2.00", 0.98)])
def test_the_mean_of_all_cores_tells_of_one_only_where_it_must(cpus, idle, expected):
    text = f"""\
Linux 5.4.0 (alpha) \t02/03/26 \t_x86_64_\t({cpus} CPU)

10:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle
10:00:11        all     12.84      0.00     15.73      0.00      0.00     {idle}
"""
    found = said(text, "sar.txt")
    assert (found["cpu.busiest"].value if expected else found.get("cpu.busiest")) == expected


def test_vmstat_without_its_first_row():
    text = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
 3  0      0 227425  10080 116830    0    0     7     1  133  295 90  8  2  0  0 2026-02-03 11:38:02
 0  4      0 227425  10080 116830    0    0 90007     1  133  295  2  8 40 50  0 2026-02-03 11:38:07
"""
    found = said(text, "vmstat.txt")
    assert (found["cpu.iowait"].value, found["cpu.iowait"].line) == (0.5, 4)
    assert "cpu.busiest" not in found


TOP = """\
top - 10:00:33 up  1:25,  0 user,  load average: 1.53, 0.91, 1.74
%Cpu(s):100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
 1602 root      20   0    8748   4336   3272 R  66.7   0.0   0:00.21 iperf3
 1603 root      20   0    8748   4336   3272 R  80.0   0.0   0:00.21 backup-job
    1 root      20   0   46100  14704   6328 S   0.7   0.1   0:59.88 init
"""


def test_top_tells_the_tool_from_others():
    found = said(TOP, "top.txt")
    assert found["cpu.tool"].value == pytest.approx(0.667)
    assert found["cpu.others"].value == pytest.approx(0.8)
    assert "backup-job" in found["cpu.others"].says
    assert "cpu.busiest" not in found  # the first screen sees a moment only


def test_pidstat_and_ps():
    pidstat = """\
10:00:01 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
10:00:02 AM     0      1234   10.00   85.00    0.00    0.00   95.00     1  nuttcp
"""
    ps = """\
USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root        1234 97.5  0.0   8748  4336 ?        Rs   10:00   0:10 /usr/bin/ssh host cat file
"""
    assert said(pidstat)["cpu.tool"].value == 0.95
    assert said(ps)["cpu.tool"].value == 0.975


@pytest.mark.parametrize(
    ("name", "text", "cores"),
    [
        ("cpu.max-sender.txt", "20000 100000\n", 0.2),
        ("cpu.max", "max 100000\n", math.inf),
        ("a.txt", "cpu.cfs_period_us=20000\ncpu.cfs_quota_us=30000\n", 1.5),
        ("a.txt", "cpu.cfs_period_us=20000\ncpu.cfs_quota_us=-1\n", math.inf),
        ("iperf3.service", "[Service]\nCPUQuota=40%\n", 0.4),
        ("a.txt", "CPUQuotaPerSecUSec=250ms\n", 0.25),
        ("a.txt", "CPUQuotaPerSecUSec=infinity\n", None),
        ("run.sh", "docker run --cpus=1.5 image iperf3 -s\n", 1.5),
        ("inspect.json", '            "NanoCpus": 500000000,\n', 0.5),
    ],
)
def test_quotas(name, text, cores):
    found = said(text, name)
    assert (found["cpu.quota"].value if cores else found.get("cpu.quota")) == cores


def test_how_often_the_quota_stopped_the_process():
    found = said("usage_usec 5\nnr_periods 400\nnr_throttled 300\nthrottled_usec 9\n", "cpu.stat-sender.txt")
    assert (found["cpu.throttled"].value, found["cpu.throttled"].end) == (0.75, "sender")


def test_cores():
    assert said("CPU(s):              16\nOn-line CPU(s) list: 0-15\n", "lscpu.txt")["cpu.cores"].value == 16
    assert said("$ nproc\n8\n", "nproc.txt")["cpu.cores"].value == 8


@pytest.mark.parametrize(
    "text", ["", "CPU %idle\n", "PID %CPU COMMAND\n1\n", "nr_periods 3\n", "id wa us sy\nx\n", "%idle CPU\n1 2\n"]
)
def test_fragments_say_nothing(text):
    assert said(text) == {}


BESIDE = """10:11:13     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:11:14     all   25.00    0.00   12.50    0.00    0.00   12.50    0.00    0.00    0.00   50.00
10:11:14       0   99.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00
10:11:14       1    0.00    0.00   24.00    0.00    1.00   30.00    0.00    0.00    0.00   45.00
10:11:14       2   50.00    0.00   20.00    0.00    0.00    0.00    0.00    0.00    0.00   30.00
"""


def test_a_program_on_one_core_does_not_hide_the_core_that_takes_packets_in():
    found = said(BESIDE)
    assert (found["cpu.busiest"].value, found["cpu.busiest"].line) == (1.0, 3)
    assert (found["cpu.kernel"].value, found["cpu.kernel"].line) == (0.55, 4)
    assert (found["cpu.softirq"].value, found["cpu.softirq"].line) == (0.3, 4)


def test_of_a_core_that_mostly_runs_a_program_the_part_of_the_kernel_counts():
    alone = "\n".join(line for line in BESIDE.splitlines() if line.split()[1] != "1")
    assert said(alone)["cpu.kernel"].value == 0.2
