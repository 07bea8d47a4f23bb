"""ifconfig, mii-tool, InfiniBand ports, kernel lines, settings of mlxconfig, ZFS data sets, pieces of lspci."""

import pytest

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
    assert [(each["line"], each["kind"]) for each in problems] == [(7, "ambiguous")]


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
