"""The commands that report the hardware and settings of a host. All of them only read.

`capture` runs this list, and `script` writes it into the script for hosts without Python. The placeholders
``{interface}``, ``{disk}``, ``{md}``, ``{controller}`` (from 0) and ``{number}`` (from 1) take each value in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Command:
    """One command and the file for its output."""

    # name of the file. ``.txt`` files begin with the command line after a prompt; JSON and XML are as printed.
    file: str
    argv: tuple[str, ...]  # program and arguments
    programs: tuple[str, ...] = ()  # other names of the program; the first installed one is used
    each: str = ""  # placeholder that the command runs once for each value of; empty: none
    root: str = ""  # what root would add; empty: nothing
    # lines that match this are dropped (an extended regular expression that means the same to Python and grep)
    without: str = ""
    private: bool = False  # the output cannot be redacted (raw bytes), so a redacted capture omits it
    limit_s: float = 30.0  # time limit [s]


def _settings(inside: str, *names: str) -> tuple[str, ...]:
    """Command ``find`` that prints small files of the device tree, each line prefixed with its path."""
    wanted = [word for name in names for word in ("-o", "-name", name)][1:]
    return ("find", "/sys/devices", "-path", inside, "(", *wanted, ")", "-exec", "grep", "-sH", "", "{}", "+")


_PCI: Final = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "numa_node")
_QUEUE: Final = (
    *("scheduler", "nr_requests", "read_ahead_kb", "rotational", "max_sectors_kb", "max_hw_sectors_kb", "write_cache"),
    *("logical_block_size", "physical_block_size", "rq_affinity", "nomerges", "io_poll"),
)
_MD: Final = (
    *("level", "raid_disks", "chunk_size", "layout", "degraded", "array_state", "stripe_cache_size", "sync_action"),
    *("sync_speed_min", "sync_speed_max", "group_thread_cnt", "preread_bypass_threshold"),
)
_NET: Final = ("mtu", "speed", "duplex", "operstate", "tx_queue_len", "numa_node", "rps_cpus", "xps_cpus")
_FREQUENCY: Final = (
    *("scaling_governor", "scaling_driver", "scaling_min_freq", "scaling_max_freq", "scaling_cur_freq"),
    *("cpuinfo_min_freq", "cpuinfo_max_freq", "base_frequency", "energy_performance_preference"),
)

#: Keys of sysctl that are secret, identify the machine or change constantly, and trees irrelevant to transfers.
_NOT_SYSCTL: Final = (
    r"^(abi|crypto|debug|dev|fs|sunrpc|user)\.|stable_secret|fastopen_key|random\.(uuid|boot_id)|ns_last_pid"
)

_RAID: Final = "arrays, drives and caches of RAID controllers (storcli, perccli)"

COMMANDS: Final[tuple[Command, ...]] = (
    # the system
    Command("uname.txt", ("uname", "-a")),
    Command("os-release.txt", ("cat", "/etc/os-release")),
    # processors and memory
    Command("lscpu.txt", ("lscpu",)),
    Command("lscpu.json", ("lscpu", "-J")),
    Command("cpuinfo.txt", ("cat", "/proc/cpuinfo")),
    Command("meminfo.txt", ("cat", "/proc/meminfo")),
    Command("numactl-H.txt", ("numactl", "-H")),
    Command("lstopo.xml", ("lstopo-no-graphics", "--of", "xml"), programs=("lstopo", "hwloc-ls")),
    Command("lshw.json", ("lshw", "-json", "-quiet"), root="memory modules and slots (lshw)", limit_s=90),
    Command("dmidecode.txt", ("dmidecode",), root="memory modules and slots of the board (dmidecode)"),
    Command("cpufreq.txt", _settings("*/cpufreq/*", *_FREQUENCY)),
    # slots and cards
    Command("lspci-vvv-nn.txt", ("lspci", "-vvv", "-nn"), root="capability and state of card links (lspci)"),
    Command("lspci-tv.txt", ("lspci", "-tv")),
    Command("lspci-xxxx.txt", ("lspci", "-xxxx"), private=True),
    Command("pci-links.txt", _settings("*/pci*", *_PCI)),
    # storage
    Command(
        "lsblk.json",
        (
            *("lsblk", "-J", "-b", "-o"),
            "NAME,KNAME,TYPE,SIZE,ROTA,SCHED,RQ-SIZE,RA,PHY-SEC,LOG-SEC,MIN-IO,OPT-IO,DISC-MAX,TRAN,HCTL,VENDOR,MODEL,REV,FSTYPE,MOUNTPOINT,PKNAME",
        ),
    ),
    Command("lsscsi.txt", ("lsscsi",)),
    Command("nvme-list.json", ("nvme", "list", "-o", "json"), root="NVMe drives (nvme list)"),
    Command("mdstat.txt", ("cat", "/proc/mdstat")),
    Command("md.txt", _settings("*/md/*", *_MD)),
    Command("block-queues.txt", _settings("*/block/*/queue/*", *_QUEUE)),
    Command("mdadm-{md}.txt", ("mdadm", "--detail", "/dev/{md}"), each="md", root="software RAID (mdadm --detail)"),
    Command(
        "smartctl-{disk}.json",
        ("smartctl", "-j", "-a", "-n", "standby", "/dev/{disk}"),
        each="disk",
        root="models, links and health of disks (smartctl)",
    ),
    # RAID controllers
    Command(
        "storcli.json",
        ("storcli64", "/call", "show", "all", "J", "nolog"),
        programs=("storcli",),
        root=_RAID,
        limit_s=60,
    ),
    Command(
        "storcli-volumes.json",
        ("storcli64", "/call/vall", "show", "all", "J", "nolog"),
        programs=("storcli",),
        root=_RAID,
        limit_s=60,
    ),
    Command(
        "perccli.json",
        ("perccli64", "/call", "show", "all", "J", "nolog"),
        programs=("perccli",),
        root=_RAID,
        limit_s=60,
    ),
    Command(
        "perccli-volumes.json",
        ("perccli64", "/call/vall", "show", "all", "J", "nolog"),
        programs=("perccli",),
        root=_RAID,
        limit_s=60,
    ),
    Command("megacli-adapter.txt", ("MegaCli64", "-AdpAllInfo", "-aALL", "-NoLog"), programs=("MegaCli", "megacli")),
    Command(
        "megacli-volumes.txt", ("MegaCli64", "-LDInfo", "-Lall", "-aALL", "-NoLog"), programs=("MegaCli", "megacli")
    ),
    Command("megacli-drives.txt", ("MegaCli64", "-PDList", "-aALL", "-NoLog"), programs=("MegaCli", "megacli")),
    Command("ssacli.txt", ("ssacli", "ctrl", "all", "show", "config", "detail"), programs=("hpssacli", "hpacucli")),
    Command("arcconf-{number}.txt", ("arcconf", "GETCONFIG", "{number}"), each="number"),
    Command("tw_cli.txt", ("tw_cli", "info")),
    Command("tw_cli-c{controller}.txt", ("tw_cli", "/c{controller}", "show", "all"), each="controller"),
    Command("areca-raidsets.txt", ("cli64", "rsf", "info"), programs=("cli32",)),
    Command("areca-volumes.txt", ("cli64", "vsf", "info"), programs=("cli32",)),
    Command("areca-disks.txt", ("cli64", "disk", "info"), programs=("cli32",)),
    Command(
        "sas2ircu-{controller}.txt", ("sas2ircu", "{controller}", "display"), programs=("sas3ircu",), each="controller"
    ),
    # network
    Command("ip-link.json", ("ip", "-d", "-j", "link")),
    Command("ip-s-link.txt", ("ip", "-s", "-s", "link")),
    Command("net.txt", _settings("*/net/*", *_NET)),
    Command("ethtool-{interface}.txt", ("ethtool", "{interface}"), each="interface"),
    Command("ethtool-i-{interface}.txt", ("ethtool", "-i", "{interface}"), each="interface"),
    Command("ethtool-k-{interface}.txt", ("ethtool", "-k", "{interface}"), each="interface"),
    Command("ethtool-g-{interface}.txt", ("ethtool", "-g", "{interface}"), each="interface"),
    Command("ethtool-c-{interface}.txt", ("ethtool", "-c", "{interface}"), each="interface"),
    Command("ethtool-l-{interface}.txt", ("ethtool", "-l", "{interface}"), each="interface"),
    Command("ethtool-a-{interface}.txt", ("ethtool", "-a", "{interface}"), each="interface"),
    Command("ethtool-S-{interface}.txt", ("ethtool", "-S", "{interface}"), each="interface"),
    Command(
        "ethtool-m-{interface}.txt",
        ("ethtool", "-m", "{interface}"),
        each="interface",
        root="optics and cables (ethtool -m)",
    ),
    Command("bonding.txt", ("find", "/proc/net/bonding", "-type", "f", "-exec", "grep", "-sh", "", "{}", "+")),
    Command("ibstat.txt", ("ibstat",)),
    Command("tc-s-qdisc.txt", ("tc", "-s", "qdisc")),
    # settings of the kernel
    Command("sysctl.txt", ("sysctl", "-a"), without=_NOT_SYSCTL, root="some keys of sysctl"),
    Command("interrupts.txt", ("cat", "/proc/interrupts")),
    Command(
        "irq-affinity.txt",
        ("find", "/proc/irq", "-name", "smp_affinity_list", "-exec", "grep", "-sH", "", "{}", "+"),
    ),
    Command("softnet_stat.txt", ("cat", "/proc/net/softnet_stat")),
)
