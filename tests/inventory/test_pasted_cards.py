"""Network cards, their links and interrupts as people paste them: cut, wrapped and with notes."""

import pytest

from tests.inventory.pasted import read

CARD = """03:00.0 Ethernet controller: Maker Inc. Fast Card for 25GbE (rev 02)
        Subsystem: Maker Inc. Fast Card, two ports
        NUMA node: 1
        Capabilities: [a0] Express (v2) Endpoint, MSI 00
                DevCap: MaxPayload 2048 bytes, PhantFunc 0, Latency L0s <512ns, L1 <64us
                DevCtl: CorrErr+ NonFatalErr+ FatalErr+ UnsupReq+
                        RlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop- FLReset-
                        MaxPayload 256 bytes, MaxReadReq 512 bytes
                LnkCap: Port #0, Speed 8GT/s, Width x8, ASPM L1, Exit Latency L0s <2us, L1 <16us
                LnkSta: Speed 8GT/s, Width x4, TrErr- Train- SlotClk+
        Kernel driver in use: fast
"""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: "".join(f"{line.strip()}\n" for line in text.splitlines()),
        lambda text: (
            text.replace("for 25GbE", "for\n25GbE").replace("Width x4", "Width\nx4").replace("512 b", "512\nb")
        ),
        lambda text: "".join(f"> {line.strip()}\n" for line in text.replace("L0s <2us", "\nL0s <2us").splitlines()),
    ],
    ids=["plain", "no margin", "broken", "all of it"],
)
def test_cards_in_a_mail(change):
    [found], _ = read("I have\n\n" + change(CARD) + "\nin the machine.\n")
    [card] = found["devices"]
    assert found["format"] == "lspci-vvv"
    assert card["name"] == "Maker Inc. Fast Card for 25GbE"
    assert (card["numa_node"], card["max_payload_cap"], card["driver"]) == (1, 2048, "fast")
    assert (card["max_payload"], card["max_read_req"]) == (256, 512)
    assert (card["lnkcap_gtps"], card["lnkcap_width"], card["lnksta_width"]) == (8, 8, 4)


def test_the_links_of_a_card_alone():
    lines = "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1\n\t\tLnkSta:\tSpeed 16GT/s, Width x4 (downgraded)\n"
    [found], _ = read("$ sudo lspci -vvv -s 0000:c3:00.0 | grep -E 'LnkCap:|LnkSta:'\n" + lines)
    [card] = found["devices"]
    assert (card["address"], card["lnkcap_width"], card["lnksta_width"]) == ("0000:c3:00.0", 16, 4)
    [part], [problem] = read("$ sudo lspci -vvv | grep -E 'LnkCap:|LnkSta:'\n" + lines)
    assert (part["address"], part["lnkcap_width"], problem["kind"]) == (None, 16, "ambiguous")


def test_what_stands_between_the_lines_of_a_card_is_no_part_of_them():
    text = CARD.replace("\n        NUMA", "\npcilib: sysfs_read_vpd: read failed: Input/output error\n        NUMA")
    [found], _ = read(text + "04:00.0 VGA compatible controller: Maker Eye\nThat one is old.\n")
    assert [one["name"] for one in found["devices"]] == ["Maker Inc. Fast Card for 25GbE", "Maker Eye"]
    assert found["devices"][0]["subsystem_name"] == "Maker Inc. Fast Card, two ports"


def test_a_class_that_ends_in_hexadecimal_letters_is_one_class():
    [lspci], _ = read("00:01.1 IDE interface: Intel Corporation 82371SB PIIX3 IDE (prog-if 80 [Master])\n")
    assert (lspci["devices"][0]["class"], lspci["devices"][0]["class_code"]) == ("IDE interface", None)
    [numeric], _ = read("00:01.1 0101: 8086:7010\n00:1f.2 Class 0106: 8086:2922\n")
    assert [one["class_code"] for one in numeric["devices"]] == ["0101", "0106"]


def test_rows_of_ip_link_that_lost_their_line_feeds_are_told_apart():
    flags = "<BROADCAST,MULTICAST,UP,LOWER_UP>"
    first, second = (
        f"2: enp3s0: {flags} mtu 1500 qdisc fq_codel state UP",
        f"3: enp1s0: {flags} mtu 9000 qdisc mq state UP",
    )
    text = f"{first} group default {second}\n"
    [found], _ = read(text)
    assert [(one["name"], one["mtu"], one["qdisc"]) for one in found["interfaces"]] == [
        ("enp3s0", 1500, "fq_codel"),
        ("enp1s0", 9000, "mq"),
    ]
    [port], _ = read(f"3: tap0: {flags} mtu 1500 master br0 state forwarding priority 32 cost 2\n")
    assert port["interfaces"][0]["state"] is None


def test_interrupts_whose_actions_mail_has_put_on_lines_of_their_own():
    head, rows = "           CPU0       CPU1\n", "  4:   49385470   71684295     GIC-0  20 Level\narch_timer\n"
    [table], problems = read(f"{head}{rows}  6:          3          0     GIC-0  39 Level\neth0-tx\n\nBest regards\n")
    assert problems == []
    assert {irq: one["actions"] for irq, one in table["irqs"].items()} == {"4": "arch_timer", "6": "eth0-tx"}


def test_the_kernel_naming_the_driver_is_no_bond():
    found, _ = read("Ethernet Channel Bonding Driver: v3.7.1 (April 27, 2011)\ntun: Universal device driver, 1.6\n")
    assert found == []


def test_pairs_of_ibdev2netdev_in_columns_and_with_notes():
    [facts], problems = read(
        "mlx5_0   port  1  ==>  ibp26s0        (Down)  # CX-7\nmlx5_10  port  1  ==>  eth0  (Up)\n"
    )
    assert [(one["device"], one["interface"], one["up"]) for one in facts["pairs"]] == [
        ("mlx5_0", "ibp26s0", False),
        ("mlx5_10", "eth0", True),
    ]
    assert problems == []
