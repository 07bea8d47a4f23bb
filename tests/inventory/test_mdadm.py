"""mdadm --detail and --examine: counts, states of members, sizes whose unit is not printed."""


def test_an_array_that_is_rebuilt(facts):
    found = facts("mdadm/detail-raid10.txt")
    assert found["format"] == "mdadm-detail"
    assert (found["device"], found["level"], found["layout"]) == ("/dev/md/scratch", "raid10", "near=2")
    assert (found["size_bytes"], found["used_dev_bytes"]) == (15627788288 * 1024, 7813894144 * 1024)
    assert (found["chunk_bytes"], found["rebuild_fraction"]) == (1 << 20, 0.37)
    assert found["state"] == "active, degraded, recovering"
    assert (found["n_raid_devices"], found["n_active"], found["n_failed"], found["n_spare"]) == (4, 3, 1, 1)
    assert found["active_devices"] == ["/dev/nvme0n1", "/dev/nvme2n1", "/dev/nvme3n1"]
    assert (found["rebuilding_devices"], found["failed_devices"]) == (["/dev/nvme4n1"], ["/dev/nvme1n1"])
    assert len(found["members"]) == 5


def test_sectors_without_a_unit_are_known_by_the_size_for_people(facts):
    found = facts("mdadm/examine-old-sectors.txt")
    assert found["format"] == "mdadm-examine"
    assert found["avail_dev_bytes"] == 5860268976 * 512
    assert found["size_bytes"] == 35161612800 * 512
    assert (found["data_offset_bytes"], found["chunk_bytes"]) == (262144 * 512, 65536)
    assert (found["role"], found["array_state"]) == ("active 5", "AAAAA.AA")


def test_the_oldest_superblock_has_its_role_in_a_table(facts):
    found = facts("mdadm/examine-090.txt")
    assert (found["role"], found["metadata"], found["size_bytes"]) == ("active 1", "0.90.00", 976767872 * 1024)


def test_a_size_that_is_none_is_told(facts):
    text = "/dev/md0:\n  Raid Level : raid1\n  Array Size : plenty\n"
    said = ["3: malformed: Array Size: found 'plenty', expected a size; left out"]
    assert facts(text, text=True, problems=said)["size_bytes"] is None


def test_a_spare_and_what_the_command_says(facts):
    """A table that was cut out of the middle is known by the command above it."""
    found = facts(
        "$ mdadm --detail /dev/md0\n/dev/md0:\n        Raid Level : raid5\n     Spare Devices : 1\n\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       8        1        0      active sync   /dev/sda1\n"
        "       1       8       17        1      active sync   /dev/sdb1\n"
        "       2       8       33        -      spare   /dev/sdc1\n",
        text=True,
    )
    assert (found["level"], found["n_spare"], found["n_members_active"]) == ("raid5", 1, 2)
    assert (found["members"][2], found["spare_devices"]) == ("/dev/sdc1", ["/dev/sdc1"])
