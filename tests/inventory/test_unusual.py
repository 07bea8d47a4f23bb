"""Captures that are unusual but allowed: other architectures and versions, parts of a table, JSON with odd rows."""

import json

import pytest

from hecn_analysis.inventory.computer.pci_config import decode

CASES = {
    "a controller alone, whose table is in another output": (
        (
            "Controller Name         : ARC-1880IX-24\n"
            "Main Processor          : 800MHz\n"
            "nothing\n"
            "System Memory           : 1024MB/1333MHz/ECC\n"
        ),
        {"controller": "ARC-1880IX-24", "memory_bytes": 1073741824},
        [],
    ),
    "JSON with rows that are none": (
        (
            "{\n"
            '   "memory": [\n'
            '      {"range": "0x0000000000000000-0x000000007fffffff", "size": "2G", "state": "online"},\n'
            "      7,\n"
            '      {"range": "all"},\n'
            '      {"range": "0x0000000080000000-0x00000000ffffffff", "size": "2G", "state": "offline"}\n'
            "   ]\n"
            "}\n"
        ),
        {"memory_online_bytes": 2147483648, "memory_offline_bytes": 2147483648},
        [],
    ),
    "lsmem --summary=only": (
        "Memory block size:       128M\nTotal online memory:      16G\nTotal offline memory:      0B\n",
        {"block_bytes": 134217728, "memory_online_bytes": 17179869184, "memory_offline_bytes": 0},
        [],
    ),
    "totals that do not fit the rows, which are a part": (
        (
            "RANGE                                  SIZE  STATE REMOVABLE BLOCK\n"
            "0x0000000000000000-0x000000007fffffff    2G online       yes  0-15\n"
            "\n"
            "Memory block size:       128M\n"
            "Total online memory:       7G\n"
            "Total offline memory:      0B\n"
        ),
        {"memory_online_bytes": 7516192768, "memory_offline_bytes": 0},
        [],
    ),
    "a SAS disk": (
        (
            "smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)\n"
            "Copyright (C) 2002-22, Bruce Allen, Christian Franke, www.smartmontools.org\n"
            "\n"
            "=== START OF INFORMATION SECTION ===\n"
            "Vendor:               MAKER\n"
            "Product:              DISK600\n"
            "User Capacity:        600,127,266,816 bytes [600 GB]\n"
            "Logical block size:   512 bytes\n"
            "Physical block size:  4096 bytes\n"
            "Rotation Rate:        10520 rpm\n"
            "Transport protocol:   SAS (SPL-3)\n"
            "    negotiated logical link rate: phy enabled; 12 Gbps\n"
        ),
        {
            "model": "DISK600",
            "rpm": 10520,
            "ssd": False,
            "protocol": "SAS",
            "link_bps": 12000000000.0,
            "logical_sector": 512,
            "physical_sector": 4096,
        },
        [],
    ),
    "a disk as smartctl 5 tells of it": (
        (
            "smartctl version 5.38 [x86_64-redhat-linux-gnu] Copyright (C) 2002-8 Bruce Allen\n"
            "Home page is http://smartmontools.sourceforge.net/\n"
            "\n"
            "Device: MAKER    DISK300          Version: 0003\n"
            "User Capacity:        300,000,000,000 bytes\n"
            "Sector Size:      512 bytes logical/physical\n"
            "SATA Version is:  SATA 3.0, 6.0 Gb/s (current: 3.0 Gb/s)\n"
        ),
        {
            "vendor": "MAKER",
            "model": "DISK300",
            "protocol": "SCSI",
            "link_bps": 3000000000.0,
            "link_max_bps": 6000000000.0,
            "logical_sector": 512,
            "physical_sector": 512,
        },
        [],
    ),
    "JSON that breaks off": (
        (
            "{\n"
            '  "json_format_version": [1, 0],\n'
            '  "smartctl": {"version": [7, 3]},\n'
            '  "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},\n'
            '  "model_name": "MAKER SSD",\n'
            '  "rotation_rate": 0,\n'
            '  "user_capa'
        ),
        {"device": "/dev/sda", "model": "MAKER SSD", "ssd": True, "size_bytes": None},
        ["7: truncated: found the end inside the JSON, expected its closing brackets"],
    ),
    "processors of a mainframe": (
        (
            "vendor_id       : IBM/S390\n"
            "# processors    : 2\n"
            "bogomips per cpu: 3033.00\n"
            "processor 0: version = FF,  identification = 123456,  machine = 2964\n"
            "processor 1: version = FF,  identification = 123456,  machine = 2964\n"
        ),
        {"cpus": 2, "vendor": "IBM/S390", "cores": None},
        [],
    ),
    "processors of Power, and a line that is no field": (
        (
            "processor\t: 0\n"
            "cpu\t\t: POWER9, altivec supported\n"
            "clock\t\t: 2300.000000MHz\n"
            "\n"
            "processor\t: 1\n"
            "cpu\t\t: POWER9, altivec supported\n"
            "clock\t\t: 2300.000000MHz\n"
            "\n"
            "timebase\t: 512000000\n"
            "platform\t: PowerNV\n"
            "no field\n"
        ),
        {"cpus": 2, "mhz": 2300.0, "model": "POWER9, altivec supported"},
        ["11: malformed: found 'no field', expected 'name : value'; left out"],
    ),
    "processors that are only counted": (
        "cpu\t\t\t: Alpha\ncpu model\t\t: EV67\ncpus detected\t\t: 4\n",
        {"cpus": 4, "model": "Alpha"},
        [],
    ),
    "clusters in place of sockets, and a node that is no list": (
        (
            "Architecture:        aarch64\n"
            "CPU(s):              8\n"
            "On-line CPU(s) list: 0-7\n"
            "Thread(s) per core:  1\n"
            "Core(s) per cluster: 4\n"
            "Socket(s):           -\n"
            "Cluster(s):          2\n"
            "Vendor ID:           ARM\n"
            "Model name:          -\n"
            "NUMA node(s):        1\n"
            "NUMA node0 CPU(s):   x-y\n"
        ),
        {"cpus": 8, "sockets": None, "cores": 8, "numa_cpus": {}, "model": None},
        ["11: malformed: found 'NUMA node0 CPU(s):   x-y', expected a figure of lscpu; left out"],
    ),
    "sockets in books in drawers": (
        (
            "Architecture:        s390x\n"
            "CPU(s):              48\n"
            "On-line CPU(s) list: 0-47\n"
            "Thread(s) per core:  2\n"
            "Core(s) per socket:  6\n"
            "Socket(s) per book:  1\n"
            "Book(s) per drawer:  4\n"
            "Drawer(s):           1\n"
            "Vendor ID:           IBM/S390\n"
        ),
        {"cpus": 48, "sockets": 4, "cores": 24},
        [],
    ),
    "JSON with a row that is none": (
        (
            "{\n"
            '   "lscpu": [\n'
            "      3,\n"
            '      {"field":"Architecture:", "data":"x86_64"},\n'
            '      {"field":"CPU(s):", "data":"8", "children": [{"field":"On-line CPU(s) list:", "data":"0-7"}]},\n'
            '      {"field":"Socket(s):", "data":"2"}\n'
            "   ]\n"
            "}\n"
        ),
        {"cpus": 8, "sockets": 2, "cpus_online": 8},
        [],
    ),
    "processors of which one has no node": (
        (
            "{\n"
            '   "cpus": [\n'
            '      {"cpu": 0, "node": null, "socket": 0, "core": 0},\n'
            '      {"cpu": 1, "node": 0, "socket": 0, "core": 1}\n'
            "   ]\n"
            "}\n"
        ),
        {"cpus": 2, "cores": 2, "sockets": 1, "numa_cpus": {"0": [1]}},
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_unusual_is_read(facts, case):
    text, wanted, problems = CASES[case]
    found = facts(text, text=True, problems=problems)
    assert {name: found[name] for name in wanted} == wanted


def test_nvme_devices_of_subsystems_are_found_beside_rows_that_are_none(facts):
    space = {"NameSpace": "nvme0n1", "PhysicalSize": 512000, "SectorSize": 512}
    controller = {"ModelNumber": "MAKER NVME", "Transport": "pcie", "Namespaces": [4]}
    subsystem = {"Controllers": [controller], "Namespaces": [1, space]}
    devices = [5, {"Subsystems": [3, subsystem]}, {"Firmware": "1"}, {"DevicePath": "/dev/nvme1n1", "ModelNumber": " "}]
    found = facts(json.dumps({"Devices": devices}, indent=1), text=True)
    assert [(one["node"], one["model"], one["size_bytes"]) for one in found["devices"]] == [
        ("/dev/nvme0n1", "MAKER NVME", 512000),
        ("/dev/nvme1n1", None, None),
    ]


def space(kind=0, place=0x40, capability=(), *, listed=True):
    """Configuration space of 256 bytes with one capability."""
    content = bytearray(256)
    content[:4] = bytes.fromhex("8680c910")
    content[6] = 0x10 if listed else 0
    content[0x0E] = kind
    content[0x14 if kind == 2 else 0x34] = place
    content[place : place + len(capability)] = bytes(capability)[: 256 - place]
    return bytes(content)


def test_configuration_space_without_or_with_half_a_capability_has_what_is_there():
    express = [0x10, 0, 0x02, 0, 0x01, 0, 0, 0, 0x20, 0x20, 0, 0, 0x43, 0, 0, 0, 0, 0, 0x42, 0]
    whole = decode(space(capability=express))
    assert (whole["max_payload_cap"], whole["max_payload"], whole["max_read_req"]) == (256, 256, 512)
    assert (whole["lnkcap_width"], whole["lnksta_width"]) == (4, 4)
    header = {"vendor_device", "class_code", "subsystem"}
    assert decode(space(capability=express, listed=False)).keys() == header
    assert decode(space(place=0xF8, capability=express)).keys() == header  # it would end beyond the space
    assert decode(space(place=0xFC, capability=[0x07, 0])).keys() == header
    assert decode(space(capability=[0x01, 0])).keys() == header  # power management
    assert decode(space(kind=2, capability=express)).keys() == whole.keys() - {"subsystem"}  # a CardBus bridge
    inside = decode(space(capability=[0x10, 0, 0x92, *express[3:]]))  # of the root complex: it has no link
    assert inside["max_payload"] == 256
    assert "lnkcap_width" not in inside
    assert decode(b"\xff" * 64) == decode(b"\x86\x80") == {}
