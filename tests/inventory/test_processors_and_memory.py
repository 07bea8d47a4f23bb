"""lscpu in languages, /proc/cpuinfo, memory, nodes, interrupts, firmware, lshw, hwloc."""

import json

import pytest

from hecn_analysis.inventory import read_inventory, registry
from hecn_analysis.inventory.computer import (
    cpuinfo,
    dmidecode,
    free,
    hwloc,
    interrupts,
    lscpu,
    lshw,
    lsmem,
    meminfo,
    numactl,
)
from hecn_analysis.inventory.contract import Output

GERMAN = """\
Architektur:                       x86_64
CPU Operationsmodus:               32-bit, 64-bit
CPU(s):                            16
Liste der Online-CPU(s):           0-15
Anbieterkennung:                   AuthenticAMD
Modellname:                        AMD EPYC 7232P 8-Core Processor
Thread(s) pro Kern:                2
Kern(e) pro Sockel:                8
Sockel:                            1
Maximale Taktfrequenz der CPU:     3200,0000
Minimale Taktfrequenz der CPU:     1500,0000
Virtualisierung:                   AMD-V
L3 Cache:                          32 MiB (2 Instanzen)
NUMA-Knoten:                       1
NUMA-Knoten0 CPU(s):               0-15
"""
FRENCH = """\
Architecture :                          x86_64
Processeur(s) :                         4
Liste de processeur(s) en ligne :       0-3
Thread(s) par cœur :                    1
Cœur(s) par socket :                    4
Socket(s) :                             1
Nœud(s) NUMA :                          1
Nom de modèle :                         Intel(R) Xeon(R) E-2124 CPU @ 3.30GHz
Vitesse maximale du processeur en MHz : 4300,0000
Constructeur d'hyperviseur :            KVM
Cache L3 :                              8 MiB (1 instance)
Nœud NUMA 0 de processeur(s) :          0-3
"""
JAPANESE = """\
アーキテクチャ:                       x86_64
CPU:                                  8
オンラインになっている CPU のリスト:  0-7
コアあたりのスレッド数:               2
ソケットあたりのコア数:               4
ソケット数:                           1
NUMA ノード数:                        1
モデル名:                             Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz
NUMA ノード 0 CPU:                    0-7
"""
KERNEL = """\
processor\t: 0
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz
cpu MHz\t\t: 1200.000
cache size\t: 20480 KB
physical id\t: 0
core id\t\t: {core}
cpu cores\t: 8
"""


def read(reader, text, **words):
    output = Output("x", tuple(text.rstrip("\n").split("\n")), **words)
    assert [one for one in registry.READERS if one.recognises(output)] == [reader]
    return reader.read(output)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            GERMAN,
            {"cpus": 16, "threads_per_core": 2, "cores_per_socket": 8, "sockets": 1, "cores": 8, "mhz_max": 3200.0}
            | {"l3_bytes": 32 << 20, "l3_instances": 2, "virtual": False, "model": "AMD EPYC 7232P 8-Core Processor"},
        ),
        (
            FRENCH,
            {"cpus": 4, "cores": 4, "sockets": 1, "numa_nodes": 1, "mhz_max": 4300.0, "hypervisor": "KVM"}
            | {"virtual": True, "numa_cpus": {"0": [0, 1, 2, 3]}},
        ),
        (
            JAPANESE,
            {"cpus": 8, "threads_per_core": 2, "cores_per_socket": 4, "sockets": 1, "cores": 4, "numa_nodes": 1},
        ),
    ],
)
def test_lscpu_in_other_languages(text, wanted):
    facts = read(lscpu, text)
    assert facts.format == "lscpu"
    assert wanted.items() <= facts.values.items()
    assert facts.problems == []


def test_lscpu_tables_and_json():
    table = read(
        lscpu, "CPU NODE SOCKET CORE ONLINE    MAXMHZ\n0      0      0    0 yes    3700,0000\n1   1 1 1 yes 3700,0\n"
    )
    assert (table.format, table.values["cpus"], table.values["sockets"]) == ("lscpu-e", 2, 2)
    parsed = read(lscpu, "# a remark\n# CPU,Core,Socket,Node,,L1d\n0,0,0,0,,0\n1,0,0,0,,0\n2,1,0,1,,1\n")
    assert (parsed.format, parsed.values["cores"], parsed.values["numa_cpus"]) == (
        "lscpu-p",
        2,
        {"0": [0, 1], "1": [2]},
    )
    fields = [
        {"field": line.partition(":")[0] + ":", "data": line.partition(":")[2].strip()} for line in GERMAN.splitlines()
    ]
    nested = {"lscpu": [{**fields[0], "children": fields[1:5]}, *fields[5:]]}
    assert read(lscpu, json.dumps(nested, indent=1)).values["cores"] == 8
    rows = {"cpus": [{"cpu": 0, "node": 0, "socket": 0, "core": 0}, {"cpu": 1, "node": 0, "socket": 0, "core": 1}]}
    assert read(lscpu, json.dumps(rows, indent=1)).values["cores"] == 2


def test_kernel_counts_cores_not_names():
    facts = read(
        cpuinfo, "\n".join(KERNEL.format(core=core) for core in (0, 1, 0, 1)).replace(": 0\nvendor", ": 0\nvendor", 1)
    )
    assert facts.values["nominal_mhz"] == 2600
    assert (facts.values["sockets"], facts.values["cores"], facts.values["cpus"]) == (1, 2, 4)


def test_memory():
    facts = read(meminfo, "MemTotal:       16000000 kB\nMemFree:         8000000 kB\n")
    assert (facts.values["mem_total_bytes"], facts.values["mem_available_bytes"]) == (16384000000, None)
    facts = read(
        numactl, "available: 2 nodes (0,8)\nnode 0 cpus: 0 1\nnode 0 size: 10 MB\nnode 8 cpus:\nnode 8 size: 0 MB\n"
    )
    assert facts.values["node_cpus"] == {"0": [0, 1], "8": []}
    ranges = "RANGE                 SIZE  STATE\n0x0000000000000000-0x000000007fffffff    2G online\n"
    assert read(lsmem, ranges).values["memory_online_bytes"] == 2 << 30


@pytest.mark.parametrize(
    ("words", "rows", "total", "kinds"),
    [
        ((), ("16000000 8000000 4000000 1000 4000000 7000000", "0 0 0"), 16384000000, []),
        (("free", "-m"), ("15625 7812 3906 0 3906 6836", "0 0 0"), 15625 << 20, []),
        ((), ("15625 7813 3907 1 3906 6837", "0 0 0"), 15625 << 20, ["unit"]),
        ((), ("251 12 3 1 235 237", "3 0 3"), 251 << 30, ["unit"]),
        ((), ("16384000000 8192000000 4096000000 4096 4096000000 7168000000", "0 0 0"), 16384000000, ["unit"]),
        ((), ("15Gi 7.6Gi 3.8Gi 1.0Mi 3.8Gi 6.7Gi", "0B 0B 0B"), 15 << 30, []),
    ],
)
def test_free_tells_its_unit(words, rows, total, kinds):
    text = f"       total  used  free  shared  buff/cache   available\nMem: {rows[0]}\nSwap: {rows[1]}"
    facts = read(free, text, command=words)
    assert facts.values["mem_total_bytes"] == total
    assert [one["kind"] for one in facts.problems] == kinds


def test_old_free_has_buffers_apart():
    text = (
        "             total       used       free     shared    buffers     cached\n"
        "Mem:       8000000    7000000    1000000          0     200000    3000000\n"
        "-/+ buffers/cache:    3800000    4200000\nSwap:      2000000          0    2000000\n"
    )
    facts = read(free, text)
    assert (facts.values["buffers_bytes"], facts.values["swap_total_bytes"]) == (200000 << 10, 2000000 << 10)
    assert "mem_available_bytes" not in facts.values


def test_free_with_low_and_high_memory():
    head = "              total        used        free      shared  buff/cache   available\n"
    low = "Low:        16000000     8000000     8000000\nHigh:              0           0           0\n"
    facts = read(free, f"{head}Mem: 16000000 8000000 4000000 1000 4000000 7000000\n{low}Swap: 2000000 0 2000000\n")
    assert facts.values["swap_total_bytes"] == 2000000 << 10


def test_caches_in_bytes():
    facts = read(lscpu, "CPU(s): 2\nThread(s) per core: 1\nSocket(s): 1\nL3 cache: 28835840\n")
    assert facts.values["l3_bytes"] == 28835840


def test_interrupts():
    text = "        CPU0     CPU1\n  24:    10      5   PCI-MSI 5-edge      eth0-TxRx-0\n NMI:  1  2   Non-maskable\n"
    facts = read(interrupts, text)
    assert facts.values["irqs"] == {"24": {"counts": [10, 5], "actions": "eth0-TxRx-0"}}


def test_firmware(samples):
    facts = read(dmidecode, (samples / "server" / "dmidecode.txt").read_text())
    wanted = {"product": "Mover 2000", "n_dimms": 12, "n_slots": 24, "dimm_bytes": 32 << 30, "speed_mtps": 2666}
    assert wanted.items() <= facts.values.items()
    [slot] = facts.values["slots"]
    assert (slot["gen"], slot["width"], slot["room"], slot["in_use"]) == (3, 8, 16, True)
    assert facts.values["virtual"] is False


LSHW = """\
dtn1
    description: Rack Mount Chassis
    product: Mover 2000
  *-core
     *-memory
          description: System Memory
          size: 64GiB
        *-bank:0
             description: DIMM DDR4 Synchronous 2666 MHz
             size: 32GiB
             clock: 2666MHz (0.4ns)
        *-bank:1
             size: 32GiB
             clock: 2666MHz (0.4ns)
        *-bank:2
             description: [empty]
     *-cpu:0
          product: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz
     *-network:0
          description: Ethernet interface
          product: MT27800 Family [ConnectX-5]
          bus info: pci@0000:3b:00.0
          logical name: ens3f0
          size: 100Gbit/s
"""


def test_lshw():
    facts = read(lshw, LSHW)
    wanted = {"memory_bytes": 64 << 30, "n_dimms": 2, "n_slots": 3, "speed_mtps": 2666, "product": "Mover 2000"}
    assert wanted.items() <= facts.values.items()
    assert facts.values["networks"][0]["businfo"] == "pci@0000:3b:00.0"
    tree = {"id": "n", "class": "system", "claimed": True, "children": [{"id": "bank:0", "class": "memory", "size": 5}]}
    assert read(lshw, json.dumps([tree], indent=1)).values["memory_bytes"] == 5


OLD_XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology>
  <object type="Machine" os_index="0">
    <object type="NUMANode" os_index="0" local_memory="1000">
      <object type="Socket" os_index="0"><info name="CPUModel" value="X"/>
        <object type="Core" os_index="0"><object type="PU" os_index="0"/><object type="PU" os_index="1"/></object>
      </object>
      <object type="Bridge" bridge_pci="0000:[00-05]" pci_busid="0000:00:01.0">
        <object type="PCIDev" pci_busid="0000:05:00.0" pci_type="0200 [15b3:1017] [0:0] 00" pci_link_speed="15.75">
          <object type="OSDev" name="eth2"/>
        </object>
      </object>
    </object>
  </object>
</topology>
"""


def test_hwloc_xml():
    values = read(hwloc, OLD_XML).values
    assert (values["packages"], values["numa_nodes"], values["cores"], values["pus"]) == (1, 1, 1, 2)
    [device] = values["devices"]
    assert device["link_bytes_per_s"] == pytest.approx(15.75e9)
    assert (device["parent"], device["os_device"]) == ("0000:00:01.0", "eth2")


def test_entities_are_not_expanded():
    bomb = (
        '<?xml version="1.0"?>\n<!DOCTYPE topology [<!ENTITY a "aaaa">]>\n<topology><object type="&a;"/></topology>\n'
    )
    facts = read(hwloc, bomb)
    assert [one["kind"] for one in facts.problems] == ["malformed"]


def test_hwloc_console():
    text = (
        "Machine (16GB total)\n  Package L#0\n    NUMANode L#0 (P#0 16GB)\n    L3 L#0 (8192KB)\n"
        '      L2 L#0 (256KB) + Core L#0 + PU L#0 (P#0)\n  HostBridge\n    PCI 03:00.0 (Ethernet)\n      Net "eth0"\n'
    )
    values = read(hwloc, text).values
    assert (values["memory_bytes"], values["cores"], values["packages"]) == (16 << 30, 1, 1)
    assert values["devices"][0]["os_device"] == "eth0"


def test_memory_of_dmidecode_without_the_firmware(facts):
    """Boards list the memory of the firmware, too; it is no place for a module."""
    text = """\
# dmidecode 3.3
Getting SMBIOS data from sysfs.
SMBIOS 3.1.1 present.

Handle 0x0011, DMI type 17, 84 bytes
Memory Device
\tSize: 16 GB
\tLocator: DIMM_A1
\tType: DDR4
\tSpeed: 2666 MT/s

Handle 0x0012, DMI type 17, 84 bytes
Memory Device
\tSize: No Module Installed
\tLocator: DIMM_A2
\tType: Unknown

Handle 0x0013, DMI type 17, 84 bytes
Memory Device
\tSize: 16 MB
\tLocator: SYSTEM ROM
\tType: Flash
"""
    found = facts(text, text=True)
    assert (found["n_dimms"], found["n_slots"]) == (1, 2)
    assert [one["locator"] for one in found["empty"]] == ["DIMM_A2"]


def test_a_processor_whose_row_is_cut_is_named(tmp_path):
    path = tmp_path / "cores.txt"
    path.write_text("$ lscpu -e\nCPU NODE CORE ONLINE\n  0    0    0    yes\n  1    0    1    yes\n  2    0\n")
    inventory = read_inventory(path)
    assert inventory.sources[0]["cpus"] == 3
    assert [(row.line, row.kind) for row in inventory.problems.itertuples()] == [(5, "truncated")]
