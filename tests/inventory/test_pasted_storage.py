"""Disks, arrays, pools and controllers as people paste them: cut, wrapped, beside tables of others that look alike."""

import pytest

from tests.inventory.pasted import DETAIL, read


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


def test_a_whole_row_below_a_blank_line_belongs_to_the_list_of_disks():
    [found], _ = read(
        "------------- lsblk ----------------\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nvda  252:0    0   5G  0 disk\n"
        "\nvdb  252:16   0 100M  0 disk /mnt/vdb\n\nsdz is not in it.\n"
    )
    assert found["disks"] == {"vda": 5 * 1024**3, "vdb": 100 * 1024**2}
    assert found["mounts"] == {"/mnt/vdb": "vdb"}


def test_arrays_between_sentences_without_the_line_of_personalities():
    [first, second], _ = read(
        "The card is slow. See below.\nmd0 : active raid1 sdb1[1] sda1[0]\n      975872 blocks super 1.2 [2/2] [UU]\n\n"
        "md3 : active raid5 sdc6[2] sdb6[1] sda6[0]\n      7118330880 blocks level 5, 512k chunk [3/2] [UU_]\n\n"
        "And without its cache:\nmd3 : active raid5 sdc6[2] sdb6[1] sda6[0]\n      7118330880 blocks [3/3] [UUU]\n"
    )
    assert [(one["name"], one["n_working"]) for one in first["arrays"]] == [("md0", 2), ("md3", 2)]
    assert [(one["name"], one["n_working"]) for one in second["arrays"]] == [("md3", 3)]


def test_what_an_ata_disk_says_of_itself_without_its_margins():
    [found], _ = read(
        "/dev/sdc:\n\nATA device, with non-removable media\nModel Number:       WDC WD30EZRX-00D8PB0\nConfiguration:\n"
        "LBA48  user addressable sectors: 5860533168\nLogical  Sector size:                   512 bytes\n"
        "Physical Sector size:                  4096 bytes\nNominal Media Rotation Rate: 5400\n"
        "*    Gen3 signaling speed (6.0Gb/s)\n"
    )
    assert (found["size_bytes"], found["rpm"], found["physical_sector"]) == (5860533168 * 512, 5400, 4096)
    assert found["link_max_bps"] == 6e9


def test_disks_by_the_name_of_the_kernel():
    [found], _ = read("KNAME   MODEL          ROTA       SIZE\nnvme0n1 Fast Disk 3       0 1000204886016\n")
    assert found["disks"] == {"nvme0n1": 1000204886016}
    assert found["devices"][0]["model"] == "Fast Disk 3"


def test_a_cache_of_the_controller_is_no_volume():
    [found], _ = read(
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nName                :bulk\n"
        "RAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3\nSize                : 2.0 TB\n"
        "State               : Optimal\nNumber Of Drives    : 7\nSpan Depth          : 1\n\n"
        "CacheCade Virtual Drive: 1 (Target Id: 1)\nVirtual Drive Type: CacheCade\nName:fast\nSize:512.0 GB\n"
    )
    assert [(one["name"], one["size_bytes"]) for one in found["volumes"]] == [("bulk", 2 << 40)]
    assert (found["n_volumes"], found["n_drives"]) == (1, None)


def test_a_shelf_of_its_own_and_newer_controllers():
    [found], _ = read("MSA1500 CS in BACKUP\n\n   array A\n\n      logicaldrive 3 (2.0 TB, RAID 6 (ADG), OK)\n")
    assert found["controller"] == "MSA1500 CS"
    [volume] = found["volumes"]
    assert (volume["id"], volume["level"], volume["size_bytes"]) == (3, "raid6", 2 << 40)
    [found], _ = read(
        "HPE SR932i-p Gen10+ in Slot 3 (sn: X)\n\n   Array A\n\n      logicaldrive 1 (1.0 TB, RAID 1, OK)\n"
    )
    assert (found["controller"], found["controllers"][0]["slot"]) == ("SR932i-p Gen10+", 3)


def test_a_disk_is_not_named_by_the_command_of_another_program():
    text = "smartctl 7.2 2020-12-30 r5155\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     Disk 9\n"
    assert [one["device"] for one in read(f"# mdadm -D /dev/md0\n{text}")[0]] == [None]
    assert [one["device"] for one in read(f"# smartctl -i /dev/sdc\n{text}")[0]] == ["/dev/sdc"]


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


def test_lines_below_a_table_of_disks_are_no_mounts():
    text = (
        "> NAME   MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS\n> sda      8:0    0   100G  0 disk\n"
        "> `-sda1   8:1    0    99G  0 part\n> /data\n> sdb      8:16   0    90G  0 disk\n"
        "> :: [ 10:00:00 ] :: [   PASS   ] :: Command 'lsblk' (Expected 0, got 0)\n"
    )
    [facts], _ = read(text)
    assert facts["mounts"] == {"/data": "sda1"}


def test_an_identifier_is_no_model():
    [facts], _ = read("# lsscsi -U\n[N:0:1:1]    disk    eui.002538b1b448b46a    /dev/nvme0n1\n")
    assert [(one["model"], one["node"]) for one in facts["devices"]] == [(None, "/dev/nvme0n1")]


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


@pytest.mark.parametrize(("sign", "size"), [("*", 3000592982016), ("~", None)])
def test_a_size_whose_thousands_have_a_strange_sign(sign, size):
    capacity = sign.join(("3", "000", "592", "982", "016"))
    [found], _ = read(
        f"Device Model:     WDC WD30EFRX\nFirmware Version: 80.00A80\nUser Capacity:    {capacity} bytes [3,00 TB]\n"
    )
    assert found["size_bytes"] == size


def test_a_pool_without_any_margin():
    [found], _ = read(
        "pool: big\nstate: DEGRADED\nconfig:\n\nNAME STATE READ WRITE CKSUM\nbig DEGRADED 0 0 0\n"
        "raidz2-0 DEGRADED 0 0 0\n"
        "replacing-0 DEGRADED 0 0 0\nda1 OFFLINE 0 0 0\nda2 ONLINE 0 0 0\nda3 ONLINE 0 0 0\n"
    )
    assert found["pools"][0]["groups"] == [
        {"level": "raidz2", "state": "DEGRADED", "disks": ["da1", "da2", "da3"], "failed": ["da1"]}
    ]
