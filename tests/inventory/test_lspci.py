"""lspci in its forms, and configuration space from bytes."""

import pytest

from hecn_analysis.inventory.computer import lspci, pci_config
from hecn_analysis.inventory.contract import Output

PLAIN = """\
00:00.0 Host bridge: Intel Corporation 5520 I/O Hub to ESI Port (rev 13)
02:00.0 3D controller: NVIDIA Corporation GP108M (rev a1)
0000:04:00.0 RAID bus controller: Broadcom / LSI MegaRAID SAS 2108 (rev 05)
10000:e1:00.0 Non-Volatile memory controller: Intel Corporation Device 0a54
"""
NUMBERS = "03:00.0 0200: 8086:10fb (rev 01)\n03:00.1 Class 0200: 8086:10fb\n"
RECORDS = """\
Slot:\t02:01.0
Class:\tEthernet controller [0200]
Vendor:\tIntel Corporation [8086]
Device:\t82545EM Gigabit Ethernet Controller [100f]
PhySlot:\t33
NUMANode:\t1

Slot:\t02:02.0
Class:\tUSB controller [0c03]
Vendor:\tVMware [15ad]
Device:\tUSB1.1 UHCI Controller [0774]
"""
QUOTED = '03:00.0 "Ethernet controller [0200]" "Intel Corporation [8086]" "82599ES [10fb]" -r01 "Intel [8086]" ""\n'
TREE = """\
-+-[0000:3a]-+-00.0-[3b]--+-00.0  Mellanox Technologies MT27800 Family [ConnectX-5]
 |           |            \\-00.1  Mellanox Technologies MT27800 Family [ConnectX-5]
 |           \\-05.0  Intel Corporation Sky Lake-E VT-d
 \\-[0000:00]-+-00.0  Intel Corporation Sky Lake-E DMI3 Registers
             \\-1f.0  Intel Corporation C621 Series Chipset LPC
"""
OLD = """\
01:00.0 Ethernet controller: MYRICOM Inc. Myri-10G
\tCapabilities: [5c] Express Endpoint IRQ 0
\t\tDevice: Supported: MaxPayload 4096 bytes, PhantFunc 0, ExtTag-
\t\tDevice: MaxPayload 128 bytes, MaxReadReq 512 bytes
\t\tLink: Supported Speed 2.5Gb/s, Width x8, ASPM L0s, Port 0
\t\tLink: Speed 2.5Gb/s, Width x4
"""


def read(text, form=None):
    output = Output("x", tuple(text.rstrip("\n").split("\n")))
    assert lspci.recognises(output)
    facts = lspci.read(output)
    assert form is None or facts.format == form
    return facts.values


def test_plain():
    facts = read(PLAIN, "lspci")
    assert [device["address"] for device in facts["devices"]] == [
        *("0000:00:00.0", "0000:02:00.0", "0000:04:00.0", "10000:e1:00.0")
    ]
    assert facts["raid"] == ["0000:04:00.0"]
    assert facts["nvme"] == ["10000:e1:00.0"]
    assert facts["devices"][2]["name"] == "Broadcom / LSI MegaRAID SAS 2108"


def test_numbers_only():
    facts = read(NUMBERS, "lspci")
    assert [(one["class_code"], one["vendor_device"]) for one in facts["devices"]] == [("0200", "8086:10fb")] * 2
    assert facts["ethernet"] == ["0000:03:00.0", "0000:03:00.1"]


def test_a_maker_that_nobody_knows():
    [device] = read("01:00.0 Processing accelerators: Device 1e52:b140\n", "lspci")["devices"]
    assert device["vendor_device"] == "1e52:b140"


def test_records_and_quotes():
    first, second = read(RECORDS, "lspci-nnmmv")["devices"]
    assert (first["vendor_device"], first["slot"], first["numa_node"]) == ("8086:100f", "33", 1)
    assert second["class_code"] == "0c03"
    assert read(RECORDS + "Driver:\tuhci_hcd\nModule:\tuhci_hcd\n", "lspci-vmmkn")["devices"][1]["driver"] == "uhci_hcd"
    [quoted] = read(QUOTED, "lspci-mm")["devices"]
    assert (quoted["class"], quoted["vendor_device"]) == ("Ethernet controller", "8086:10fb")


def test_tree():
    facts = read(TREE, "lspci-tv")
    assert facts["n_devices"] == 6
    assert facts["parent"] == {"0000:3b:00.0": "0000:3a:00.0", "0000:3b:00.1": "0000:3a:00.0"}


def test_old_words_for_links():
    [device] = read(OLD, "lspci-vvv")["devices"]
    wanted = {"max_payload_cap": 4096, "max_payload": 128, "max_read_req": 512, "lnkcap_width": 8, "lnksta_width": 4}
    assert wanted.items() <= device.items()
    assert device["lnksta_gtps"] == 2.5


def test_verbose(samples):
    text = (samples / "server" / "lspci-vvv.txt").read_text()
    devices = {one["address"]: one for one in read(text, "lspci-vvv")["devices"]}
    card = devices["0000:3b:00.0"]
    wanted = {"max_payload_cap": 512, "max_payload": 256, "max_read_req": 4096, "numa_node": 0, "slot": "3"}
    assert wanted.items() <= card.items()
    assert (card["lnkcap_width"], card["lnksta_width"], card["driver"]) == (16, 8, "mlx5_core")
    function = devices["0000:3b:00.2"]
    assert (function["lnksta_gtps"], function["lnksta_width"]) == (None, 0)
    assert devices["0000:af:00.0"]["express_type"] == "Upstream Port"


def test_what_root_would_see_is_said():
    text = "00:00.0 Host bridge: Intel Corporation Device 0d57\n\tFlags: fast devsel\n\tCapabilities: <access denied>\n"
    assert read(text, "lspci-vvv")["access_denied"] is True


def space(*capabilities, bridge=False):
    """Configuration space with capabilities one after another from 0x40 on."""
    content = bytearray(256)
    content[0:4], content[6], content[0x0A:0x0C] = bytes.fromhex("b315 1710"), 0x10, bytes([0, 2])
    content[0x0E], content[0x34] = int(bridge), 0x40
    place = 0x40
    for capability in capabilities:
        content[place : place + len(capability)] = capability
        following = place + (len(capability) + 3) // 4 * 4
        content[place + 1] = following if capability is not capabilities[-1] else 0
        place = following
    return bytes(content)


def express(link, status, *, control=0x5930, kind=0):
    words = [0x0002 | kind << 4, 0x8002, 0x0000, control, 0x0000, link, 0x0000, 0x0000, status]
    return bytes([0x10, 0]) + b"".join(word.to_bytes(2, "little") for word in words)


def test_configuration_space():
    facts = pci_config.decode(space(express(0x0103, 0x1083)))
    assert facts["vendor_device"] == "15b3:1017"
    assert (facts["lnkcap_gtps"], facts["lnkcap_width"]) == (8, 16)
    assert (facts["lnksta_gtps"], facts["lnksta_width"]) == (8, 8)
    assert (facts["max_payload_cap"], facts["max_payload"], facts["max_read_req"]) == (512, 256, 4096)


def test_integrated_endpoints_have_no_link():
    assert "lnkcap_gtps" not in pci_config.decode(space(express(0x0103, 0x1083, kind=9)))


def test_pci_x():
    device = bytes([0x07, 0]) + (0x2 << 2 | 0x1 << 4).to_bytes(2, "little") + (3 << 16 | 2 << 21).to_bytes(4, "little")
    facts = pci_config.decode(space(device))
    assert (facts["pcix_rbc"], facts["pcix_ost"], facts["pcix_dmmrbc"], facts["pcix_64bit"]) == (2048, 2, 2048, True)
    bridge = bytes([0x07, 0]) + (3 << 6 | 3).to_bytes(2, "little") + (3 << 16).to_bytes(4, "little")
    assert pci_config.decode(space(bridge, bridge=True))["pcix_secondary_freq_hz"] == 133e6


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 70, 80, 90, 255])
def test_cut_configuration_space(length):
    pci_config.decode(space(express(0x0103, 0x1083))[:length])


def test_capabilities_that_go_in_circles_end():
    content = bytearray(space(express(0x0103, 0x1083)))
    content[0x41] = 0x40
    assert pci_config.decode(bytes(content))["lnksta_width"] == 8


def test_a_gap_in_a_dump_is_told():
    text = "00:00.0 Host bridge: X\n00: 86 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n20: 00 00\n"
    facts = lspci.read(Output("x", tuple(text.split("\n"))))
    assert [(one["line"], one["kind"]) for one in facts.problems] == [(3, "truncated")]


def test_pci_x_in_words():
    """A bridge, and a card at its burst of 512 bytes."""
    text = (
        "02:00.0 PCI bridge: Acme Bridge\n\tBus: primary=02, secondary=03, subordinate=03, sec-latency=64\n"
        "\tCapabilities: [80] PCI-X bridge device\n"
        "\t\tSecondary Status: 64bit+ 133MHz+ SCD- USC- SCO- SRD- Freq=133MHz\n"
        "\t\tStatus: Dev=02:00.0 64bit+ 133MHz+ SCD- USC- SCO- SRD-\n\n"
        "03:01.0 Ethernet controller: Acme 10 GbE\n\tCapabilities: [e4] PCI-X non-bridge device\n"
        "\t\tCommand: DPERE- ERO+ RBC=512 OST=1\n"
        "\t\tStatus: Dev=03:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=2048 DMOST=1 DMCRS=16 RSCEM-\n"
    )
    bridge, card = read(text, "lspci-vvv")["devices"]
    assert (bridge["pcix_secondary_mode"], bridge["pcix_secondary_freq_hz"]) == ("pcix", 133e6)
    assert (bridge["pcix_secondary_64bit"], bridge["pcix_64bit"]) == (True, True)
    assert (card["pcix_rbc"], card["pcix_dmmrbc"], card["pcix_133mhz"]) == (512, 2048, True)
