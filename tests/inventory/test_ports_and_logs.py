"""ifconfig, mii-tool, InfiniBand ports, kernel lines, settings of mlxconfig, ZFS data sets, pieces of lspci."""

import pytest

from hecn_analysis.inventory import read_inventory
from tests.inventory.pasted import read

PIECE = (
    "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"
    "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)\n"
)


@pytest.fixture
def facts(samples):
    def read_sample(name):
        return read((samples / name).read_text())[0]

    return read_sample


def test_ifconfig_gives_the_rate_of_an_active_link_only(facts):
    [found] = facts("ifconfig/freebsd.txt")
    first, second, third = found["interfaces"]
    assert (first["mtu"], first["speed_bps"], first["duplex"], first["driver"]) == (9000, 40e9, "full", "ix")
    assert (second["speed_bps"], second["status"], second["up"]) == (None, "no carrier", False)
    assert third["loopback"]


def test_ifconfig_of_linux_has_no_rate(facts):
    [found] = facts("ifconfig/linux.txt")
    assert (found["interfaces"][0]["mtu"], found["interfaces"][0]["speed_bps"]) == (8996, None)


def test_mii_tool_ports(facts):
    [found] = facts("mii_tool/ports.txt")
    ports = [(each["name"], each["speed_bps"], each["duplex"], each["autoneg"]) for each in found["interfaces"]]
    assert ports == [("eth1", 1e9, "full", True), ("eth2", 1e8, "half", None), ("eth3", None, None, None)]


def test_ports_of_a_fabric_count_the_extended_speed(facts):
    first, second = (found["ports"][0] for found in facts("port_info/ports.txt"))
    assert (first["port"], first["width"], first["signal_bps"]) == (3, 4, 4 * 25.78125e9)
    assert (second["state"], second["signal_bps"]) == ("Down", None)


def test_a_slot_that_came_up_is_no_port():
    _, problems = read("[ 0.1] brcm-pcie 1000120000.pcie: link up, 5.0 GT/s PCIe x1\n")
    assert [each["kind"] for each in problems] == ["unrecognised"]


def test_kernel_lines_of_links_and_slots(facts):
    [found] = facts("kernel_log/dmesg.txt")
    links = {each["name"]: (each["speed_bps"], each["downs"], each["duplex"]) for each in found["links"]}
    assert links == {
        "ens9": (None, 0, None),
        "eth5": (1e9, 1, None),
        "eth6": (1e8, 0, "half"),
        "eth8": (1e9, 0, "full"),
    }
    limited, bus = found["slots"]
    assert (limited["lnksta_gtps"], limited["lnksta_width"]) == (8.0, 8)
    assert (limited["lnkcap_gtps"], limited["lnkcap_width"]) == (16.0, 16)
    assert (bus["address"], bus["lnksta_width"]) == ("0000:05:00.0", 4)


def test_settings_of_a_card_are_the_current_ones(facts):
    [found] = facts("mlxconfig/query.txt")
    assert found["settings"] == {"LINK_TYPE_P1": "ETH", "ADVANCED_PCI_SETTINGS": "True", "MAX_ACC_OUT_READ": "44"}
    assert found["device"] == "0000:3b:00.0"


def test_properties_and_sizes_of_data_sets(facts):
    [found] = facts("zfs_get/get.txt")
    [data] = found["datasets"]
    assert (data["recordsize_bytes"], data["sync"], data["compression"]) == (1 << 20, "disabled", "zstd")
    [listed] = facts("zfs_get/list.txt")
    assert [each["avail_bytes"] for each in listed["datasets"]] == [6 << 40, 6 << 40]


def test_a_property_that_is_no_size_is_named():
    _, problems = read("NAME PROPERTY    VALUE SOURCE\np    recordsize  lots  local\n")
    assert [(each["line"], each["kind"]) for each in problems] == [(2, "malformed")]


def test_a_piece_of_lspci_says_of_one_link_only():
    [found], _ = read(PIECE)
    assert (found["lnkcap_width"], found["lnksta_gtps"], found["max_read_req"]) == (16, 8.0, 512)
    _, problems = read(PIECE + PIECE)
    assert [(each["line"], each["kind"]) for each in problems] == [(1, "ambiguous"), (7, "ambiguous")]


def test_bold_values_that_are_off_count():
    [found], _ = read("Pause parameters for eth7:\nAutonegotiate:  off\nRX:    on\n**TX:    off**\n")
    assert found["tx"] is False


def test_topology_and_details_of_drives_without_other_tables():
    [found], _ = read(
        "CLI Version = 008.0004\nController = 0\n\n"
        "DG Span Row EID:Slot PID Type  State Status BT Size PDC Secured FSpace\n"
        " 0 -    -   -        -   RAID6 -     -      N   2.0 TiB dflt N N\n"
        " 0 0    0   12:3     257 DRIVE Conf  Online N   1.0 TiB dflt N -\n"
    )
    assert found["drive_groups"] == [{"id": "0", "level": "raid6", "size_bytes": 2 << 40}]
    assert [(each["slot"], each["state"], each["size_bytes"]) for each in found["drives"]] == [
        ("12:3", "Online", 1 << 40)
    ]
    [found], _ = read(
        "Drive /c0/e9/s4 - Detailed Information :\n\nDrive /c0/e9/s4 Device attributes :\nModel Number = ABC123 \n"
        "Raw size = 3.0 TB [0x1 Sectors]\nLink Speed = 12.0Gb/s\n"
    )
    [drive] = found["drives"]
    assert (drive["slot"], drive["model"], drive["size_bytes"], drive["link_bps"]) == ("9:4", "ABC123", 3 << 40, 12e9)


def test_links_of_mlxlink_as_json():
    [found], _ = read(
        '{\n "result" : {"output" : {\n  "Operational Info" : {\n   "Physical state" : "LinkUp",\n'
        '   "Speed" : "100G",\n'
        '   "Width" : "4x"\n  },\n  "Supported Info" :\n {"Enabled Link Speed" : {"mask" : "0x1", "values" :\n'
        ' ["100G", "40G"]}}\n }}\n}\n'
    )
    assert (found["speed_bps"], found["enabled_max_bps"], found["width"]) == (1e11, 1e11, "4x")


def test_a_list_of_an_adapter_with_its_aliases():
    [found], _ = read(
        "ifAlias        : Ethernet 2\nInterfaceAlias : Ethernet 2\nifDesc         : Example 10G Adapter\n"
        "ifName         : ethernet_7\nStatus         : Up\nLinkSpeed      : 10 Gbps\n"
    )
    [adapter] = found["adapters"]
    assert (adapter["name"], adapter["speed_bps"], adapter["description"]) == (
        "Ethernet 2",
        1e10,
        "Example 10G Adapter",
    )


def test_rdma_devices_have_the_rate_of_all_lanes(facts, samples):
    [found] = facts("ibv_devinfo/verbose.txt")
    [device] = found["devices"]
    [port] = device["ports"]
    assert (device["name"], device["firmware"]) == ("mlx5_7", "20.31.1014")
    assert (port["mtu"], port["width"], port["rate_bps"], port["state"]) == (2048, 4, 2e11, "PORT_ACTIVE")
    bare = "\n".join(line.strip() for line in (samples / "ibv_devinfo/verbose.txt").read_text().splitlines())
    assert read(bare)[0][0]["devices"] == found["devices"]


def test_links_of_solaris(facts):
    [found] = facts("dladm/phys.txt")
    links = [(each["name"], each["speed_bps"], each["up"], each["device"]) for each in found["interfaces"]]
    assert links == [("net7", 25e9, True, "i40e7"), ("net8", None, False, "i40e8")]
    [old], _ = read("nxge5           link: up        speed: 1000  Mbps       duplex: half\n")
    assert [(each["name"], each["speed_bps"], each["duplex"]) for each in old["interfaces"]] == [("nxge5", 1e9, "half")]


def test_ports_of_an_esxi_host(facts):
    [found] = facts("esxcli_nic/list.txt")
    ports = [(each["name"], each["speed_bps"], each["mtu"], each["address"]) for each in found["interfaces"]]
    assert ports == [("vmnic4", 25e9, 9000, "0000:5e:00.0"), ("vmnic5", None, 1500, "0000:5e:00.1")]


def test_wear_and_heat_of_a_drive(facts):
    [found] = facts("nvme_smart_log/log.txt")
    assert (found["device"], found["temperature_c"], found["throttled_heavily"]) == ("/dev/nvme3n1", 41, 7)
    assert (found["read_bytes"], found["written_bytes"]) == (512 * 10**9, 2000 * 512000)


def test_mounts_with_the_sizes_of_nfs():
    [found], _ = read(
        "/dev/md5 /srv/data xfs rw,noatime,logbsize=256k 0 0\nproc /proc proc rw,nosuid 0 0\n"
        "nas9:/vol /mnt/nas nfs4 rw,vers=4.1,rsize=1048576,wsize=262144,proto=tcp 0 0\n"
    )
    assert [(each["mount"], each["rsize_bytes"], each["wsize_bytes"]) for each in found["mounts"]] == [
        ("/srv/data", None, None),
        ("/mnt/nas", 1048576, 262144),
    ]


def test_parts_that_a_person_states():
    [found], problems = read(
        "CPU: 2x Xeon Gold 6248\nRAM: 8x32GB DDR4\nNIC: ConnectX-5 in a x8 slot\nDisks: 12 x 4TB\n"
    )
    parts = [(part["line"], part["kind"], part.get("model") or part.get("size_bytes")) for part in found["parts"]]
    assert parts == [
        (1, "cpu", "Xeon Gold 6248"),
        (2, "memory", 32 << 30),
        (3, "nic", "ConnectX-5"),
        (3, "slot", None),
        (4, "disk", 4 * 10**12),
    ]
    assert [part.get("count") for part in found["parts"]] == [2, 8, None, None, 12]
    assert [each["kind"] for each in problems] == ["unrecognised"]


def test_a_block_that_nobody_reads_is_named():
    text = "MemTotal: 16777216 kB\nMemFree: 1 kB\n\n```\nTX Queues:  4\nRX Queues:  4\nRing slots: 4096\n```\n"
    _, problems = read(text)
    assert [(each["line"], each["kind"]) for each in problems] == [(5, "unrecognised")]


def test_nodes_that_are_fewer_than_the_machine_has_memory():
    text = "Machine (250GB total)\n  NUMANode L#0 (P#0 62GB)\n    Package L#0 + L3 L#0 (35MB)\n"
    _, problems = read(text + "      L2 L#0 (256KB) + Core L#0\n        PU L#0 (P#0)\n")
    assert [(each["line"], each["kind"]) for each in problems] == [(1, "truncated")]


@pytest.mark.parametrize(
    ("text", "model"),
    [("Dual E5-2650v2", "E5-2650v2"), ("AMD EPYC 7451 24-Core", "EPYC 7451"), ("i7-9700K", "i7-9700K")],
)
def test_models_of_processors_end_where_other_words_begin(text, model):
    [found], _ = read(f"It has {text} in it.\n")
    assert [part["model"] for part in found["parts"]] == [model]


def test_a_number_that_is_no_count_of_disks():
    assert read("10 x 4 SSD 960GB\n")[0] == []


def host_of(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    [host] = read_inventory(path).hosts
    return host


def test_a_kernel_log_gives_the_slot_and_the_port_of_a_host(tmp_path):
    host = host_of(
        tmp_path,
        "$ dmesg | grep -i link\n"
        "[    2.10] ixgbe 0000:81:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link at "
        "0000:80:02.0 (capable of 31.504 Gb/s with 8.0 GT/s PCIe x4 link)\n"
        "[    6.44] ixgbe 0000:81:00.0 eth4: NIC Link is Up 10 Gbps, Flow Control: RX/TX\n"
        "[   99.10] ixgbe 0000:81:00.0 eth4: NIC Link is Down\n"
        "[  101.40] ixgbe 0000:81:00.0 eth4: NIC Link is Up 10 Gbps, Flow Control: RX/TX\n",
    )
    port = host.machine.interfaces["eth4"]
    assert (port.speed_bps, port.address, port.link_detected, port.facts["downs"]) == (10e9, "0000:81:00.0", True, 1)
    slot = host.host.slots["81:00"]
    assert (slot.lanes, slot.nic.lanes, slot.nic.port_rate.value) == (2, 4, 10e9)
    assert [finding.check for finding in host.findings.findings] == ["link-width"]
    assert "link-width" not in {each.check for each in host.findings.unchecked}


def test_ifconfig_gives_the_port_of_a_host(tmp_path):
    host = host_of(
        tmp_path,
        "$ ifconfig\nem0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 9000\n"
        "\tmedia: Ethernet autoselect (100baseTX <half-duplex>)\n\tstatus: active\n"
        "em1: flags=8843<UP,BROADCAST,SIMPLEX,MULTICAST> metric 0 mtu 1500\n"
        "\tmedia: Ethernet autoselect\n\tstatus: no carrier\n"
        "lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> metric 0 mtu 16384\n",
    )
    ports = {name: (port.speed_bps, port.duplex, port.link_detected) for name, port in host.machine.interfaces.items()}
    assert ports == {"em0": (1e8, "half", True), "em1": (None, None, False)}
    assert [(each.check, each.place) for each in host.findings.findings] == [
        ("half-duplex", "em0"),
        ("link-down", "em1"),
    ]
    assert host.findings.seen.mtu("em0") == 9000


def test_ethtool_counts_before_what_was_logged(tmp_path):
    host = host_of(
        tmp_path,
        "$ ethtool eth4\nSettings for eth4:\n\tSpeed: 25000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n"
        "$ dmesg | tail -1\n[  9.44] ixgbe 0000:81:00.0 eth4: NIC Link is Up 10 Gbps, Flow Control: RX/TX\n",
    )
    assert host.machine.interfaces["eth4"].speed_bps == 25e9


def test_hdparm_gives_a_disk_of_a_host(tmp_path):
    host = host_of(
        tmp_path,
        "$ hdparm -I /dev/sdq\n/dev/sdq:\n\nATA device, with non-removable media\n\tModel Number:       MAKER 4000\n"
        "\tNominal Media Rotation Rate: 7200\n\t   *\tGen3 signaling speed (6.0Gb/s)\n",
    )
    disk = host.machine.disks["sdq"]
    assert (disk.model, disk.facts["rpm"], disk.link_max_bps) == ("MAKER 4000", 7200, 6e9)


def test_a_word_in_the_name_of_a_file_is_no_interface(tmp_path):
    for name, interface in (("ethtool_i_mail.txt", None), ("ethtool_-i_eth7", "eth7")):
        path = tmp_path / name
        path.write_text("driver: atlantic\nversion: 2.0.4\nfirmware-version: 3.0.33\nbus-info: 0000:01:00.0\n")
        [source] = read_inventory(path).sources
        assert source["interface"] == interface
