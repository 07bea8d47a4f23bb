"""Parts of hosts with typed facts."""

from dataclasses import fields

import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.inventory import read_inventory
from hecn_analysis.inventory.parts.computer import Clocks, Cpu, Device, Interrupt, Kernel, Memory
from hecn_analysis.inventory.parts.network import Bond, Interface, Link, Queue, Slave
from hecn_analysis.inventory.parts.part import Part
from hecn_analysis.inventory.parts.storage import Controller, Disk, Pool, SoftwareArray, Volume


def raid(host):
    formats = host.findings.seen.formats
    return [one for name in formats for one in host.findings.seen.controllers(name) if "volumes" in one.facts]


def software_arrays(host):
    seen = host.findings.seen
    given = [*seen.facts("mdadm-detail"), *(one for facts in seen.facts("mdstat") for one in facts["arrays"])]
    given += [one for facts in seen.facts("sysfs") for one in facts["arrays"].values()]
    return map(SoftwareArray.of, given)


def _values(held):
    return held.values() if isinstance(held, dict) else held


def of(part, *formats, key=None):
    """Reads parts from outputs of formats: each output is one, or holds a list or a mapping of them."""

    def parts(host):
        outputs = list(host.findings.seen.facts(*formats))
        held = outputs if key is None else [one for facts in outputs for one in _values(facts[key])]
        return map(part.of, held)

    return parts


HELD = {
    Bond: of(Bond, "proc-net-bonding"),
    Clocks: of(Clocks, "sysfs", key="cpus"),
    Controller: raid,
    Cpu: lambda host: [host.machine.cpu],
    Device: lambda host: host.machine.devices.values(),
    Disk: lambda host: [*host.machine.disks.values(), *(drive for one in raid(host) for drive in one.drives)],
    Interrupt: lambda host: host.machine.interrupts.values(),
    Kernel: lambda host: [host.machine.kernel],
    Interface: lambda host: host.machine.interfaces.values(),
    Link: lambda host: host.findings.seen.links.values(),
    Memory: lambda host: [host.machine.memory],
    Pool: of(Pool, "zpool-status", key="pools"),
    Queue: of(Queue, "tc-s-qdisc", key="qdiscs"),
    Slave: lambda host: [slave for bond in of(Bond, "proc-net-bonding")(host) for slave in bond.slaves],
    SoftwareArray: software_arrays,
    Volume: lambda host: [volume for one in raid(host) for volume in (*one.volumes, *one.raidsets)],
}


PCI_X = """\
02:01.0 PCI bridge: Acme bridge
\tBus: primary=02, secondary=03, subordinate=03, sec-latency=64
\tCapabilities: [80] PCI-X bridge device
\t\tSecondary Status: 64bit+ 133MHz+ SCD- USC- SCO- SRD- Freq=133MHz
03:01.0 Ethernet controller: Acme PRO/10GbE
\tDeviceName: Onboard LAN
\tCapabilities: [e4] PCI-X non-bridge device
\t\tCommand: DPERE- ERO+ RBC=512 OST=8
\t\tStatus: Dev=03:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=4096 DMOST=8 DMCRS=64
"""
HWLOC = """\
Machine (16GB total)
  Package L#0
    NUMANode L#0 (P#0 16GB)
    L2 L#0 (256KB) + Core L#0 + PU L#0 (P#0)
  HostBridge
    PCI 03:00.0 (Ethernet)
      Net "eth0"
"""

CLOCKS = """\
/sys/devices/system/cpu/cpufreq/policy0/scaling_governor:powersave
/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq:2000000
"""
BOND = """\
$ cat /proc/net/bonding/bond0
Ethernet Channel Bonding Driver: v5.15.0
Bonding Mode: IEEE 802.3ad Dynamic link aggregation
MII Status: up
"""


@pytest.fixture(scope="module")
def hosts(samples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, text in (("lspci", PCI_X), ("lstopo", HWLOC), ("sys", CLOCKS), ("bond", BOND)):
        (folder / f"{name}.txt").write_text(text)
    return read_inventory([samples, data_dir() / "inventory", folder]).hosts


def test_every_kind_of_part_is_tried():
    assert set(HELD) == set(Part.__subclasses__())


@pytest.mark.parametrize("part", HELD)
def test_samples_give_every_field(hosts, part):
    parts = [one for host in hosts for one in HELD[part](host)]
    assert {type(one) for one in parts} == {part}
    never = [one.name for one in fields(part) if all(getattr(held, one.name) is None for held in parts)]
    assert never == []


def test_values_of_another_type_are_none():
    facts = {
        "speed_bps": True,
        "rx": 5.0,
        "tx": 10**400,
        "port": 7,
        "link_detected": 1,
        "features": [],
        "fixed": ["lro"],
    }
    port = Interface.of(facts)
    assert port == Interface(facts=facts, fixed=["lro"])
    assert Interface.of({"speed_bps": float("inf")}).speed_bps is None


@pytest.mark.parametrize(
    "objects",
    ['"rx-usecs":5,"features":1,"speed_bps":"fast"', f'"rx-max":1{"0" * 400},"rx":5,"tx-max":1{"0" * 400},"tx":9'],
)
def test_json_of_wrong_types_is_no_traceback(tmp_path, objects):
    (tmp_path / "ethtool.json").write_text(f'[{{"ifname":"eth0",{objects}}}]')
    [host] = read_inventory(tmp_path).hosts
    assert host.findings.findings == ()
