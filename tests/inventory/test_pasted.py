"""Outputs as people hand them on: quoted, indented, wrapped, beside prose, and tables of others that look alike."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry

DETAIL = """/dev/md4:
           Version : 1.2
        Raid Level : raid6
        Array Size : 3906764800 (3.64 TiB 4.00 TB)
     Used Dev Size : 976691200 (931.45 GiB 1000.13 GB)
      Raid Devices : 6
     Total Devices : 6

             State : clean
    Active Devices : 6
        Chunk Size : 512K
"""


def read(text):
    found = registry.read(Document("mail.txt", text.encode()))
    return [{"format": one.facts.format, **one.facts.values} for one in found.captured], found.problems


def quoted(mark):
    return "You wrote:\n" + "".join(f"{mark}{line}\n" for line in DETAIL.split("\n")) + "\nThat is fine.\n"


@pytest.mark.parametrize(
    "text",
    [
        DETAIL,
        quoted("> "),
        quoted(">> "),
        quoted("> > "),
        quoted("    "),
        quoted("\t"),
        DETAIL.replace(" ", "\u00a0"),
        DETAIL.replace("        ", "\u00a0 \u00a0 \u00a0 \u00a0 "),
        DETAIL.replace("\n", "\r\n"),
    ],
    ids=["plain", "quoted", "twice", "apart", "indented", "tab", "unbreakable", "half", "crlf"],
)
def test_what_mail_and_pages_put_in_changes_nothing(text):
    [array], problems = read(text)
    assert array["format"] == "mdadm-detail"
    assert (array["device"], array["level"], array["n_raid_devices"]) == ("/dev/md4", "raid6", 6)
    assert (array["size_bytes"], array["chunk_bytes"]) == (3906764800 * 1024, 512 * 1024)
    assert problems == []


def test_lines_keep_their_numbers():
    found = registry.read(Document("mail.txt", quoted("> ").encode()))
    assert [one.output.first for one in found.captured] == [2]


def test_a_lone_mark_is_a_prompt():
    found = registry.read(Document("a.txt", f"> mdadm --detail /dev/md4\n{DETAIL}".encode()))
    assert [one.output.command for one in found.captured] == [("mdadm", "--detail", "/dev/md4")]


def test_arrays_whose_lines_a_mail_has_broken():
    [found], _ = read(
        "# cat /proc/mdstat\n\nmd3 : active raid6 sdf1[5] sde1[4] sdd1[3]\nsdc1[2] sdb1[1](F) sda1[0]\n"
        "      400000 blocks super 1.2 level 6, 512k chunk, algorithm 2\n[6/5] [U_UUUU]\n"
        "      [==>..................]  recovery = 12.5% (50000/400000)\nfinish=4.5min speed=2000K/sec\n"
        "md1 : active raid1 sdh[1] sdg[0]\n      100 blocks [2/2] [UU]\n"
    )
    first, second = found["arrays"]
    assert first["members"] == ["sda1", "sdb1", "sdc1", "sdd1", "sde1", "sdf1"]
    assert (first["failed"], first["n_configured"], first["n_working"]) == (["sdb1"], 6, 5)
    assert first["sync"] == {
        "action": "recovery",
        "fraction": 0.125,
        "finish_s": 270,
        "speed_bytes_per_s": 2000 * 1024,
    }
    assert (second["name"], second["size_bytes"], second["n_working"]) == ("md1", 102400, 2)


def test_memory_in_two_columns():
    [found], problems = read(
        "MemTotal:       64000 kB    MemFree:        1000 kB\nBuffers:  20 kB  Cached:   300 kB\nHugePages_Total: 4\n"
    )
    assert (found["mem_total_bytes"], found["mem_free_bytes"]) == (65536000, 1024000)
    assert (found["buffers_bytes"], found["cached_bytes"], found["hugepages_total"]) == (20480, 307200, 4)
    assert problems == []


@pytest.mark.parametrize(
    "table",
    [
        "NAME      TYPE SIZE USED PRIO\n/swapfile file   4G   0B   -2\n",
        "NAME   UUID      TYPE      DEVICE\neth0   d92ece08  ethernet  eth0\n",
        "NAME   SIZE  ALLOC   FREE  HEALTH\ntank  10T  2T  8T  ONLINE\n",
    ],
    ids=["swapon", "nmcli", "zpool list"],
)
def test_tables_of_others_are_no_disks(table):
    assert [facts for facts in read(table)[0] if facts["format"] == "lsblk"] == []


def test_the_list_of_disks_ends_with_a_blank_line():
    [found], _ = read(
        "$ lsblk\nNAME   MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n"
        "sda      8:0    0  10G  0 disk\n`-sda1   8:1    0  10G  0 part /\n"
        "\nBoth are disks that I bought in 2019, and NAME is not one.\n"
    )
    assert [one["name"] for one in found["devices"]] == ["sda", "sda1"]
    assert found["mounts"] == {"/": "sda1"}


def test_disks_by_the_name_of_the_kernel():
    [found], _ = read("KNAME   MODEL          ROTA       SIZE\nnvme0n1 Fast Disk 3       0 1000204886016\n")
    assert found["disks"] == {"nvme0n1": 1000204886016}
    assert found["devices"][0]["model"] == "Fast Disk 3"


def test_proc_version_names_no_host():
    [found], _ = read("Linux version 6.1.0-9-amd64 (me@build-arm64) (gcc-12 12.2.0) #1 SMP Debian 6.1.27-1\n")
    assert found == {"format": "uname", "os": "Linux", "host_name": None, "kernel": "6.1.0-9-amd64", "machine": None}


def test_a_kernel_before_prose_is_read_after_its_command():
    text = "$ uname -a\nLinux dtn7 6.1.0-9-amd64 #1 SMP Debian 6.1.27-1\nx86_64 GNU/Linux\n\nIt runs\nfor\na year.\n"
    [found], problems = read(text)
    assert (found["host_name"], found["kernel"]) == ("dtn7", "6.1.0-9-amd64")
    assert problems == []


def test_paths_in_what_a_program_says_are_no_settings():
    assert (
        read("mdadm: looking\n/sys/devices/pci0000:00/0000:00:0e.0/a:b c\n/sys/devices/pci0000:00/usb2/x:y\n")[0] == []
    )


def test_a_cache_of_the_controller_is_no_volume():
    [found], _ = read(
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nName                :bulk\n"
        "RAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3\nSize                : 2.0 TB\n"
        "State               : Optimal\nNumber Of Drives    : 7\nSpan Depth          : 1\n\n"
        "CacheCade Virtual Drive: 1 (Target Id: 1)\nVirtual Drive Type: CacheCade\nName:fast\nSize:512.0 GB\n"
    )
    assert [(one["name"], one["size_bytes"]) for one in found["volumes"]] == [("bulk", 2 << 40)]
    assert (found["n_volumes"], found["n_drives"]) == (1, None)


def test_what_an_output_does_not_count_is_missing():
    [found], _ = read("Adapter 0: No Virtual Drive Configured.\n")
    assert (found["n_volumes"], found["n_drives"]) == (0, None)
    [found], _ = read(
        "Controllers found: 1\nLogical device Task:\n   Logical device                 : 0\n   Status : In Progress\n"
    )
    assert (found["n_volumes"], found["n_drives"]) == (None, None)
    [found], _ = read(
        "LSI Corporation SAS2 IR Configuration Utility.\nBackground command progress status for controller 0...\n"
        "IR Volume 1\n  Volume ID     : 79\n  Volume state  : Degraded\n"
        "SAS2IRCU: Command STATUS Completed Successfully.\n"
    )
    assert found["n_drives"] is None
    assert found["volumes"] == [{"id": 1, "level": None, "size_bytes": None, "state": "Degraded", "n_drives": None}]


def test_a_shelf_of_its_own_and_newer_controllers():
    [found], _ = read("MSA1500 CS in BACKUP\n\n   array A\n\n      logicaldrive 3 (2.0 TB, RAID 6 (ADG), OK)\n")
    assert found["controller"] == "MSA1500 CS"
    [volume] = found["volumes"]
    assert (volume["id"], volume["level"], volume["size_bytes"]) == (3, "raid6", 2 << 40)
    [found], _ = read(
        "HPE SR932i-p Gen10+ in Slot 3 (sn: X)\n\n   Array A\n\n      logicaldrive 1 (1.0 TB, RAID 1, OK)\n"
    )
    assert (found["controller"], found["controllers"][0]["slot"]) == ("SR932i-p Gen10+", 3)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (
            "system type     : Big Box\nprocessor       : 0\ncpu model       : R9000 V1.0\nBogoMIPS  : 70\n",
            "R9000 V1.0",
        ),
        ("cpu                     : Alpha\ncpu model               : EV6\ncpus detected           : 2\n", "Alpha"),
    ],
)
def test_processors_with_wide_labels(text, model):
    [found], _ = read(text)
    assert found["model"] == model


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
    found, [problem] = read("$ sudo lspci -vvv | grep -E 'LnkCap:|LnkSta:'\n" + lines)
    assert (found, problem["kind"]) == ([], "unrecognised")


def test_what_stands_between_the_lines_of_a_card_is_no_part_of_them():
    text = CARD.replace("\n        NUMA", "\npcilib: sysfs_read_vpd: read failed: Input/output error\n        NUMA")
    [found], _ = read(text + "04:00.0 VGA compatible controller: Maker Eye\nThat one is old.\n")
    assert [one["name"] for one in found["devices"]] == ["Maker Inc. Fast Card for 25GbE", "Maker Eye"]
    assert found["devices"][0]["subsystem_name"] == "Maker Inc. Fast Card, two ports"


def test_blocks_of_a_page_with_margins_of_their_own():
    nodes = "available: 1 nodes (0)\nnode 0 cpus: 0 1\nnode 0 size: 900 MB\nnode distances:\nnode   0\n  0:  10"
    tabbed = "".join(f"\t{line}\n" for line in nodes.splitlines())
    found, _ = read(f"Hi,\n\n  I did so:\n\n{tabbed}\n  and then so:\n\n{tabbed}")
    assert [(one["format"], one["numa_nodes"]) for one in found] == [("numactl-H", 1)] * 2


def test_a_disk_is_not_named_by_the_command_of_another_program():
    text = "smartctl 7.2 2020-12-30 r5155\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     Disk 9\n"
    assert [one["device"] for one in read(f"# mdadm -D /dev/md0\n{text}")[0]] == [None]
    assert [one["device"] for one in read(f"# smartctl -i /dev/sdc\n{text}")[0]] == ["/dev/sdc"]


def test_a_class_that_ends_in_hexadecimal_letters_is_one_class():
    [lspci], _ = read("00:01.1 IDE interface: Intel Corporation 82371SB PIIX3 IDE (prog-if 80 [Master])\n")
    assert (lspci["devices"][0]["class"], lspci["devices"][0]["class_code"]) == ("IDE interface", None)
    [numeric], _ = read("00:01.1 0101: 8086:7010\n00:1f.2 Class 0106: 8086:2922\n")
    assert [one["class_code"] for one in numeric["devices"]] == ["0101", "0106"]


LSHW = """box
    description: Computer
    product: Box 1
  *-core
       description: Motherboard
     *-cpu:0 DISABLED
          description: CPU [empty]
          physical id: 4
          slot: CPU 1
     *-cpu:1
          description: CPU
          product: Series 5
          slot: P0
     *-cpu:2
          product: Maker Model 5 @ 2 GHz
          bus info: cpu@0
     *-network:0
          description: Ethernet interface
          logical name: eth0
          size: 10Gbit/s
          configuration: autonegotiation=on driver=ixgbe firmware=1.2 03/04/15 port=twisted pair speed=10Gbit/s
     *-network:1
          description: Ethernet interface
          logical name: eth1
          configuration: driver=igb link=yes speed=100Mbit/s
"""


def test_sockets_of_lshw_are_counted_once_and_cards_have_driver_and_speed():
    [lshw], _ = read(LSHW)
    assert (lshw["n_cpus"], lshw["cpu_model"]) == (1, "Maker Model 5 @ 2 GHz")
    assert [(one["logicalname"], one["driver"], one["speed_bps"]) for one in lshw["networks"]] == [
        ("eth0", "ixgbe", 1e10),
        ("eth1", "igb", 1e8),
    ]


def test_what_is_quoted_again_is_counted_once():
    bond = "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n\n"
    slaves = "".join(f"Slave Interface: eth{n}\nMII Status: up\nSpeed: 1000 Mbps\n\n" for n in (0, 1))
    [found], _ = read(bond + slaves + "both are in:\n\nSlave Interface: eth0\nSlave Interface: eth1\n")
    assert [(one["name"], one["speed_bps"]) for one in found["slaves"]] == [("eth0", 10**9), ("eth1", 10**9)]
    drive = "Enclosure Device ID: 12\nSlot Number: 0\n"
    rest = "Raw Size: 1.819 TB [0xe8e088b0 Sectors]\nFirmware state: Online, Spun Up\nDevice Speed: 6.0Gb/s\n"
    [found], _ = read(f"{drive}{rest}\nSo it is\n\n{drive}")
    assert (found["n_drives"], found["drives"][0]["size_bytes"]) == (1, 0xE8E088B0 * 512)


def test_tables_of_storcli_alone_say_nothing_of_the_number_of_controllers():
    rule = "-" * 62 + "\n"
    table = f"{rule}DG/VD TYPE   State Access Consist Cache Cac sCC     Size Name\n{rule}"
    [found], _ = read(f"{table}0/0   RAID10 Optl  RW     No      NRWTD -   ON  1.744 TB\n{rule}")
    assert (found["n_controllers"], [one["level"] for one in found["volumes"]]) == (None, ["raid10"])


def test_the_list_of_sas3ircu_names_the_controller():
    text = """Avago Technologies SAS3 IR Configuration Utility.
Version 17.00.00.00 (2018.04.02)

         Adapter      Vendor  Device                       SubSys  SubSys
 Index    Type          ID      ID    Pci Address          Ven ID  Dev ID
 -----  ------------  ------  ------  -----------------    ------  ------
   0     SAS3008       1000h   97h    00h:41h:00h:00h      1000h   3090h
SAS3IRCU: Utility Completed Successfully.
"""
    [found], _ = read(text)
    assert (found["controller"], found["pci"]) == ("SAS3008", "0000:41:00.0")


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


@pytest.mark.parametrize(
    ("state", "labels"),
    [
        ("DEAKTIVIERT", ("Beschreibung", "Produkt", "Bus-Informationen", "Logischer Name", "Größe", "Konfiguration")),
        ("DÉSACTIVÉ", ("description", "produit", "information bus", "nom logique", "taille", "configuration")),
        ("DESACTIVADO", ("descripción", "producto", "información del bus", "nombre lógico", "tamaño", "configuración")),
        ("ОТКЛЮЧЕНО", ("описание", "продукт", "сведения о шине", "логическое имя", "размер", "конфигурация")),
        ("無効", ("詳細", "製品", "バス情報", "論理名", "サイズ", "設定")),
    ],
    ids=["german", "french", "spanish", "russian", "japanese"],
)
def test_lshw_in_the_language_of_the_user(state, labels):
    values = ("Card", "RTL8111", "pci@0000:03:00.0", "enp3s0", "1Gbit/s", "driver=r8169 speed=1Gbit/s")
    rows = "".join(f"       {label}: {value}\n" for label, value in zip(labels, values, strict=True))
    [lshw], problems = read(f"  *-network {state}\n{rows}")
    assert problems == []
    assert lshw["networks"] == [
        {
            "logicalname": "enp3s0",
            "businfo": "pci@0000:03:00.0",
            "product": "RTL8111",
            "driver": "r8169",
            "speed_bps": 1e9,
        }
    ]


def test_lines_of_lsblk_that_mail_has_broken():
    text = """NAME                                          MAJ:MIN RM   SIZE RO
TYPE  MOUNTPOINT
sda                                             8:0    0 223.6G  0 disk
├─sda2                                          8:2    0   700M  0
part  /boot/efi
└─sda4                                          8:4    0   162G  0 part
"""
    [lsblk], _ = read(text)
    assert list(lsblk["disks"]) == ["sda"]
    assert {one["name"]: one["type"] for one in lsblk["devices"]} == {"sda": "disk", "sda2": "part", "sda4": "part"}


def test_interrupts_whose_actions_mail_has_put_on_lines_of_their_own():
    head, rows = "           CPU0       CPU1\n", "  4:   49385470   71684295     GIC-0  20 Level\narch_timer\n"
    [table], problems = read(f"{head}{rows}  6:          3          0     GIC-0  39 Level\neth0-tx\n\nBest regards\n")
    assert problems == []
    assert {irq: one["actions"] for irq, one in table["irqs"].items()} == {"4": "arch_timer", "6": "eth0-tx"}


def test_the_kernel_naming_the_driver_is_no_bond():
    found, _ = read("Ethernet Channel Bonding Driver: v3.7.1 (April 27, 2011)\ntun: Universal device driver, 1.6\n")
    assert found == []


def test_lists_of_a_processor_that_mail_has_broken():
    text = (
        "processor\t: 0\nmodel name\t: Maker CPU @ 1.50GHz\nflags\t\t: fpu vme\nhypervisor lahf_lm\nbogomips\t: 3000\n"
    )
    [cpu], problems = read(text)
    assert (cpu["virtual"], problems) == (True, [])


def test_tables_whose_margins_or_blanks_are_gone():
    rows = "NAME    STATE     READ WRITE CKSUM\ntank    ONLINE       0     0\n0\n  sdc   ONLINE       0     0     0\n"
    [zpool], _ = read(f"  pool: tank\n state: ONLINE\nconfig:\n\n{rows}\nerrors: No known data errors\n")
    assert zpool["pools"][0]["groups"] == [{"level": "disk", "state": "ONLINE", "disks": ["sdc"], "failed": []}]
    [ibstat], _ = read("CA 'mlx5_0'\nCA type: MT4115\nPort 1:\nState: Active\nRate: 100\nLink layer: InfiniBand\n")
    assert (ibstat["cas"][0]["type"], ibstat["cas"][0]["rate_bps"]) == ("MT4115", 100 * 10**9)
    head = "Node SN Model Namespace Usage Format FW Rev\n"
    [nvme], _ = read(f"{head}/dev/nvme0n1 8c64404c Maker SSD 9 1 14,86 TB / 14,86 TB 4 KiB + 0 B 5.10.0\n")
    assert [(one["model"], one["size_bytes"], one["sector_bytes"]) for one in nvme["devices"]] == [
        ("Maker SSD 9", 14_860_000_000_000, 4096)
    ]


def test_columns_of_lsblk_that_moved_are_read_in_their_order():
    text = """NAME              MAJ:MIN   RM    SIZE      RO   TYPE     MOUNTPOINTS
nvme0n1          259:0            0    931.5G     0      disk
└─nvme0n1p1 259:1            0      600M      0      part     /boot/efi

                  /
# mount /dev/nvme0n1p1 /mnt
"""
    [lsblk], _ = read(text)
    assert lsblk["disks"] == {"nvme0n1": 1000190509056}
    assert [one["type"] for one in lsblk["devices"]] == ["disk", "part"]
    assert lsblk["mounts"] == {"/boot/efi": "nvme0n1p1"}


def test_the_bitmap_of_an_array_is_no_superblock():
    text = "        Filename : /dev/sdb1\n           Magic : 6d746962\n         Version : 4\n           State : OK\n"
    found, problems = read(f"$ mdadm -X /dev/sdb1\n{text}")
    assert (found, [problem["kind"] for problem in problems]) == ([], ["unrecognised"])


@pytest.mark.parametrize("note", ["  // with threads", "\t# eight", "   <-- here", "   ***<<<< look", " \t← eight"])
def test_a_note_behind_a_figure_is_left_out(note):
    [processor], problems = read(
        f"$ lscpu\nCPU(s):                  8{note}\nThread(s) per core:      2{note}\nCore(s) per socket:      4\n"
        f"Socket(s):               1\nNUMA node0 CPU(s):       0-7{note}\n"
    )
    assert (processor["cpus"], processor["cores"], processor["threads_per_core"]) == (8, 4, 2)
    assert processor["numa_cpus"] == {"0": list(range(8))}
    assert problems == []


def test_some_lines_of_lscpu_below_its_command():
    [processor], problems = read("$ lscpu | grep CPU.s\nCPU(s):         8\nNUMA node0 CPU(s):     0-7\n")
    assert (processor["cpus"], processor["numa_cpus"]["0"], problems) == (8, list(range(8)), [])


def test_processors_of_a_node_as_a_range():
    text = "available: 2 nodes (0-1)\nnode 0 cpus: 0-3,8\nnode 1 cpus: 4 5 6 7\nnode distances:\nnode   0   1\n"
    [nodes], problems = read(f"{text}  0:  10  21\n  1:  21  10\n")
    assert (nodes["node_cpus"], problems) == ({"0": [0, 1, 2, 3, 8], "1": [4, 5, 6, 7]}, [])


def test_rows_of_lsblk_that_somebody_left_out():
    head = "NAME    MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\n"
    [blocks], problems = read(f"{head}[...]\nsdb       8:16   0   10G  0 disk\n└─sdb1    8:17   0   10G  0 part\n")
    assert (blocks["disks"], problems) == ({"sdb": 10 << 30}, [])
    _, [problem] = read(head)
    assert problem["message"] == "found a head without rows below it, expected devices"


def test_a_disk_without_the_heading_of_smartctl():
    [disk], problems = read(
        "disks of the pool\n\nDevice Model:     MAKER M1\nSerial Number:    X\nFirmware Version: 3.A       ***<<< old\n"
        "User Capacity:    500,107,862,016 bytes [500 GB]\nSector Size:      512 bytes logical/physical\n"
    )
    assert (disk["format"], disk["model"], disk["size_bytes"]) == ("smartctl", "MAKER M1", 500107862016)
    assert problems == []


def test_the_rule_below_a_table_is_no_name():
    [raid], _ = read(
        "DG/VD TYPE   State Access Consist Cache Cac sCC     Size Name\n"
        "0/0   RAID10 Optl  RW     No      NRWTD -   ON  1.744 TB -----------------------\n"
    )
    assert [volume["name"] for volume in raid["volumes"]] == [None]


def test_groups_of_a_pool_below_members_that_somebody_left_out():
    [found], problems = read(
        "  pool: tank\n state: ONLINE\nconfig:\n\n       NAME        STATE     READ WRITE CKSUM\n"
        "       tank        ONLINE       0     0     0\n         mirror-0  ONLINE       0     0     0\n"
        "           sda     ONLINE       0     0     0\n           sdb     ONLINE       0     0     0\n[...]\n"
        "          mirror-9  ONLINE       0     0     0\n            sdy    ONLINE       0     0     0\n"
        "            sdz    ONLINE       0     0     0\n"
    )
    assert problems == []
    assert found["pools"][0]["is_partial"] is True
    assert [group["disks"] for group in found["pools"][0]["groups"]] == [["sda", "sdb"], ["sdy", "sdz"]]


def test_counts_of_lscpu_without_its_first_lines():
    [found], problems = read(
        "1) the machine\n\tThread(s) per core:  2\n\tCore(s) per socket:  8\n\tSocket(s):           2\n"
    )
    assert (found["sockets"], found["cores"], problems) == (2, 16, [])


def test_lscpu_as_a_table_of_markdown():
    rows = (
        "| Architecture:       | x86_64 |\n| CPU(s):             | {}     |\n| Thread(s) per core: | 2      |\n"
        "| Core(s) per socket: | 4      |\n"
    )
    found, problems = read((rows + "| Model name:         | A CPU  |\n").format(20) + rows.format(16))
    assert [(one["cpus"], one["threads_per_core"], one["model"]) for one in found] == [(20, 2, "A CPU"), (16, 2, None)]
    assert problems == []


def test_a_mount_that_shortened_cells_have_moved():
    [found], _ = read(
        "NAME   FSTYPE FSVER LABEL  UUID          FSAVAIL FSUSE% MOUNTPOINTS\nsda\n"
        "├─sda1 ext4   1.0          7b9059...    60.2G    42% /\n"
        "└─sda2 exfat  1.0   extra  AAFA-54B1   50.4G    58% /media/user/extra\n"
    )
    assert found["mounts"] == {"/": "sda1", "/media/user/extra": "sda2"}


def test_a_rule_is_no_end_of_a_name():
    [found], _ = read(f"$ lspci\n91:00.1 Ethernet controller: Maker With A Long Name Of Some Family\n{'-' * 40}\n")
    assert found["devices"][0]["name"] == "Maker With A Long Name Of Some Family"


def test_sizes_and_devices_that_are_none():
    [array, status], _ = read(
        f"{DETAIL.replace('976691200', str((1 << 64) - 1))}\nPersonalities : [raid1]\n"
        "md1 : active raid1 sdb1[1] sda1[0]\n      1000 blocks [2/2] [UU]\nunused devices: <none> --- Hopeful words\n"
    )
    assert array.get("used_dev_bytes") is None
    assert status["unused"] == []


def test_cards_of_lshw_below_another_output():
    card = "  *-network{}\n       description: Ethernet interface\n       logical name: {}\n"
    qdisc = "qdisc noqueue 0: dev lo root refcnt 2\n"
    found, problems = read(f"$ tc qdisc\n{qdisc}\n{card.format(':0', 'eth0')}{card.format(':1', 'eth1')}")
    assert [one["format"] for one in found] == ["tc-s-qdisc", "lshw-text"]
    assert [card["logicalname"] for card in found[1]["networks"]] == ["eth0", "eth1"]
    assert problems == []


def test_quoted_examine_is_read_without_its_quotes():
    lines = "# mdadm --examine /dev/sdc\n/dev/sdc:\n          Magic : a92b4efc\n     Raid Level : raid6\n"
    [found], _ = read("".join(f"> > {line}\n" for line in lines.splitlines()))
    assert (found["format"], found["level"]) == ("mdadm-examine", "raid6")


def test_a_note_behind_a_row_of_lsblk_is_no_mount():
    [found], _ = read(
        "NAME        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT\nsda           8:0    0     1T  0 disk # for the pool\n"
        "└─sda1        8:1    0     1G  0 part /boot\n"
    )
    assert found["mounts"] == {"/boot": "sda1"}


def test_the_log_of_the_kernel_is_no_output_of_dmidecode():
    found, _ = read("[    0.000000] SMBIOS 2.4 present.\n[    0.000000] DMI: Maker Board, BIOS 080014  07/26/2010\n")
    assert found == []


def test_processors_that_a_mail_broke_off_the_list_of_a_node():
    text = (
        "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2\n3 4\nnode 0 size: 2000 MB\nnode 0 free: 900 MB\n"
        "node 1 cpus: 5 6 7\n8 9 node 1 size: 1800 MB\nnode 1 free: 700 MB node distances:\n"
        "node   0   1\n  0:  10  21\n  1:  21  10\n"
    )
    [facts], problems = read(text)
    assert facts["node_cpus"] == {"0": [0, 1, 2, 3, 4], "1": [5, 6, 7, 8, 9]}
    assert facts["node_size_bytes"] == {"0": 2000 * 2**20, "1": 1800 * 2**20}
    assert facts["node_free_bytes"] == {"0": 900 * 2**20, "1": 700 * 2**20}
    assert (facts["distances"], problems) == ([[10, 21], [21, 10]], [])


def test_a_node_without_its_memory_beside_others_is_told():
    _, [problem] = read("available: 2 nodes (0-1)\nnode 0 cpus: 0\nnode 0 size: 2000 MB\nnode 1 cpus: 1\n")
    assert problem["message"] == "found the memory of 1 nodes, expected that of 2"


def test_lines_below_a_table_of_disks_are_no_mounts():
    text = (
        "> NAME   MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS\n> sda      8:0    0   100G  0 disk\n"
        "> `-sda1   8:1    0    99G  0 part\n> /data\n> sdb      8:16   0    90G  0 disk\n"
        "> :: [ 10:00:00 ] :: [   PASS   ] :: Command 'lsblk' (Expected 0, got 0)\n"
    )
    [facts], _ = read(text)
    assert facts["mounts"] == {"/data": "sda1"}


def test_all_devices_of_a_list_in_the_margin_of_a_note_are_read():
    names = [
        "00:00.0 PCI bridge: A",
        "01:00.0 PCI bridge: B",
        "02:01.0 PCI bridge: C",
        "06:00.0 Ethernet controller: D",
    ]
    [facts], _ = read("Tested:\n\n  $ lspci\n" + "".join(f"  {name} Ltd. Device 3670\n" for name in names))
    assert [one["address"][5:] for one in facts["devices"]] == [name.split()[0] for name in names]


def test_an_identifier_is_no_model():
    [facts], _ = read("# lsscsi -U\n[N:0:1:1]    disk    eui.002538b1b448b46a    /dev/nvme0n1\n")
    assert [(one["model"], one["node"]) for one in facts["devices"]] == [(None, "/dev/nvme0n1")]


def test_a_remark_behind_the_size_of_a_cache():
    [facts], _ = read(
        "CPU(s):  8\nThread(s) per core:  2\nSocket(s):  1\nL1d cache:  32K # of data\nL2 cache:  1024K\n"
    )
    assert (facts["l1d_bytes"], facts["l2_bytes"]) == (32768, 1024 * 1024)


def test_parts_of_outputs_without_their_headings():
    modes = "\tSupported link modes:   100baseT/Half 100baseT/Full\n\t                        1000baseT/Full\n"
    rest = "\tSupports auto-negotiation: Yes\n\tAdvertised link modes:  1000baseT/Full\n"
    disk = "User Capacity:    1,000,204,886,016 bytes [1.00 TB]\nSector Size:      512 bytes logical/physical\n"
    found, problems = read(f"My side:\n```\n\tSupported ports: [ TP ]\n{modes}{rest}```\nIts disk:\n```\n{disk}```\n")
    assert [one["format"] for one in found] == ["ethtool", "smartctl"]
    assert (found[0]["supported_max_bps"], found[0]["advertised_max_bps"]) == (10**9, 10**9)
    assert (found[1]["size_bytes"], found[1]["model"], problems) == (1_000_204_886_016, None, [])


def test_an_array_without_its_name():
    head = "    Number   Major   Minor   RaidDevice State\n"
    table = f"{head}       0     259        0        0      active sync   /dev/sda\n"
    [facts], _ = read(f"    Active Devices : 5\n   Working Devices : 6\n        Chunk Size : 512K\n\n{table}")
    assert (facts["n_active"], facts["n_working"], facts["active_devices"]) == (5, 6, ["/dev/sda"])


@pytest.mark.parametrize(
    "table",
    [
        (
            "Node             SN     Model            Namespace Usage                    Format           FW Rev\n"
            "---------------- ------ ---------------- --------- ------------------------ ---------------- ------\n"
            "nvme0n1          S1     MAKER DISK 1     1         1.00  TB /   1.00  TB    512   B +  0 B   F1\n"
        ),
        (
            "Node             SN     Model            Namespace Usage                    Format           FW Rev\n\n"
            "/dev/nvme0n1     S1     MAKER DISK 1                1.00  TB /   1.00  TB    512   B +  0 B   F1\n"
        ),
        (
            "    Node             Model            Version  Namepace Usage                    Format\n"
            "    ---------------- ---------------- -------- -------- ------------------------ ----------------\n"
            "    /dev/nvme0n1     MAKER DISK 1     1.1      1        1.00  TB /   1.00  TB    512   B +  0 B\n"
            "    /dev/nvme0n1p1   MAKER DISK 1     1.1      1        1.00  TB /   1.00  TB    512   B +  0 B\n"
        ),
    ],
    ids=["names", "no rule", "first version"],
)
def test_tables_of_nvme_list(table):
    [facts], problems = read(f"I see:\n\n{table}")
    assert [(one["node"], one["model"], one["size_bytes"], one["sector_bytes"]) for one in facts["devices"]] == [
        ("/dev/nvme0n1", "MAKER DISK 1", 10**12, 512)
    ]
    assert problems == []


def test_a_table_of_nvme_list_that_cannot_be_read_is_a_problem():
    [facts], [problem] = read("Node  SN  Model  Namespace Usage  Format  FW Rev\n/dev/nvme0n1 S1 MAKER DISK\n")
    assert (facts["n"], problem["line"], problem["kind"]) == (0, 2, "malformed")
    assert problem["message"] == ("found '/dev/nvme0n1 S1 MAKER DISK', expected cells below the heads; left out")


def test_dmidecode_without_handles():
    record = "Memory Device\n\tSize: 8192 MB\n\tType: DDR3\n\tSpeed: 1600 MT/s\n\tConfigured Clock Speed: 1066 MT/s\n"
    for before in ("", "$ dmidecode -qt 17\n", "MemTotal: 1000 kB\nMemFree: 10 kB\n"):
        facts = read(f"{before}{record}\n{record}")[0][-1]
        assert (facts["n_dimms"], facts["memory_bytes"], facts["configured_mtps"]) == (2, 2**34, 1066)


def test_bold_over_several_lines():
    [facts], _ = read("CPU(s):  8\nThread(s) per core:  2\nSocket(s):  1\n**L2 cache:  1024K\nL3 cache:  8192K**\n")
    assert (facts["l2_bytes"], facts["l3_bytes"]) == (2**20, 2**23)


def test_pairs_of_ibdev2netdev_in_columns_and_with_notes():
    [facts], problems = read(
        "mlx5_0   port  1  ==>  ibp26s0        (Down)  # CX-7\nmlx5_10  port  1  ==>  eth0  (Up)\n"
    )
    assert [(one["device"], one["interface"], one["up"]) for one in facts["pairs"]] == [
        ("mlx5_0", "ibp26s0", False),
        ("mlx5_10", "eth0", True),
    ]
    assert problems == []
