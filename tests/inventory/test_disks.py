"""smartctl, nvme list, lsblk and lsscsi: sizes, sectors, links, names."""

from hecn_analysis.inventory import read_inventory


def test_smartctl_has_the_link_that_runs(facts):
    found = facts("smartctl/sata-slow-link.txt")
    assert (found["model"], found["size_bytes"], found["protocol"]) == ("MAKER SSD960", 960197124096, "ATA")
    assert (found["link_bps"], found["link_max_bps"]) == (3e9, 6e9)
    assert (found["ssd"], found["rpm"]) == (True, None)
    assert (found["logical_sector"], found["physical_sector"]) == (512, 4096)


def test_smartctl_of_nvme_with_blanks_in_numbers(facts):
    found = facts("smartctl/nvme.txt")
    assert (found["protocol"], found["size_bytes"], found["logical_sector"]) == ("NVMe", 3200631791616, 4096)


def test_smartctl_as_json(facts):
    found = facts("smartctl/sas.json")
    assert (found["format"], found["device"], found["model"]) == ("smartctl-json", "/dev/sdc", "MAKER DISK600")
    assert (found["rpm"], found["ssd"], found["size_bytes"]) == (10020, False, 600127266816)
    assert found["link_bps"] is None


def test_nvme_as_table_and_nested(facts):
    table = facts("nvme/table.txt")
    assert [(one["node"], one["size_bytes"], one["sector_bytes"]) for one in table["devices"]] == [
        ("/dev/nvme0n1", 3_200_000_000_000, 4096),
        ("/dev/nvme1n1", 960_200_000_000, 512),
    ]
    [device] = facts("nvme/nested.json")["devices"]
    assert device == {
        "node": "/dev/nvme0n1",
        "model": "MAKER NVME 3T2",
        "size_bytes": 3200631791616,
        "sector_bytes": 4096,
        "pci": "0000:c1:00.0",
        "transport": "pcie",
    }


def test_lsblk_lists_a_device_below_two_others_once(facts):
    found = facts("lsblk/tree.txt")
    assert list(found["disks"]) == ["sda", "sdb"]
    assert found["disks"]["sda"] == round(3.6 * (1 << 40))
    devices = {device["name"]: device for device in found["devices"]}
    assert devices["md0"]["below"] == ["sda2", "sdb1"]
    assert devices["vg0-a_long_name"]["below"] == ["md0"]
    assert (devices["vg0-a_long_name"]["type"], devices["sr0"]["type"]) == ("lvm", "rom")
    assert found["mounts"] == {"/boot": "sda1", "/data": "vg0-a_long_name"}


def test_lsblk_as_pairs_and_as_json(facts):
    pairs = facts("lsblk/pairs.txt")
    assert (pairs["disks"], pairs["rotational"]["nvme0n1"]) == ({"nvme0n1": 3200631791616}, False)
    assert pairs["physical_sector"]["nvme0n1"] == 4096
    tree = facts("lsblk/tree.json")
    assert tree["format"] == "lsblk-json"
    assert (tree["disks"], tree["mounts"]) == ({"sda": round(3.6 * (1 << 40))}, {"/data": "sda1"})
    assert tree["rotational"] == {"sda": True, "sda1": True}


def test_lsscsi(facts):
    disk, shelf, sas, nvme = facts("lsscsi/devices.txt")["devices"]
    assert (disk["vendor"], disk["model"], disk["node"]) == ("ATA", "MAKER SSD 960", "/dev/sda")
    assert (shelf["hctl"], shelf["type"], shelf["node"]) == ("0:0:10:0", "enclosu", None)
    assert (sas["transport"], sas["model"], sas["node"]) == ("sas:0x5000c50012345678", None, "/dev/sdb")
    assert (nvme["model"], nvme["node"]) == ("MAKER NVME 3T2", "/dev/nvme0n1")


def test_hdparm(facts):
    found = facts("hdparm/identify.txt")
    assert (found["format"], found["device"], found["model"]) == ("hdparm-I", "/dev/sdd", "MAKER SSD960")
    assert (found["size_bytes"], found["link_max_bps"]) == (1875385008 * 512, 6e9)
    assert (found["ssd"], found["rpm"], found["logical_sector"], found["physical_sector"]) == (True, None, 512, 4096)


def test_zpool(facts):
    tank, scratch = facts("zpool/degraded.txt")["pools"]
    assert (tank["name"], tank["state"], tank["progress"], tank["errors"]) == ("tank", "DEGRADED", 0.195, None)
    assert [(group["level"], len(group["disks"]), group["failed"]) for group in tank["groups"]] == [
        ("raidz2", 4, ["ata-MAKER_0002"]),
        ("raidz2", 1, []),
    ]
    assert [group["disks"] for group in scratch["groups"]] == [["nvme1n1"], ["nvme2n1"]]


def test_parts_of_zpool_status_name_the_pool_by_their_first_row(facts):
    [vault] = facts("zpool/configuration.txt")["pools"]
    assert (vault["name"], vault["state"], vault["errors"]) == ("vault", "DEGRADED", None)
    assert [(group["level"], len(group["disks"]), group["failed"]) for group in vault["groups"]] == [
        ("raidz2", 4, []),
        ("raidz2", 4, ["da6"]),
    ]
    assert vault["apart"] == [{"kind": "logs", "disks": ["nvd0"]}]
    [lake] = facts("zpool/begins-at-scan.txt")["pools"]
    assert (lake["name"], lake["state"], lake["scan"][:21]) == ("lake", "ONLINE", "scrub repaired 0B in ")
    assert [group["disks"] for group in lake["groups"]] == [["sda", "sdb"]]


def test_a_topology_of_storcli_without_its_head(facts):
    read = facts("storcli/drive-groups.txt")
    assert read["drive_groups"] == [{"id": "0", "level": "raid5", "size_bytes": round(10.914 * 2**40), "n_spans": 1}]
    assert [(drive["slot"], drive["state"], drive["size_bytes"]) for drive in read["drives"]] == [
        ("62:0", "Onln", round(5.457 * 2**40)),
        ("62:1", "Rbld", round(5.457 * 2**40)),
        ("62:2", "Onln", round(5.457 * 2**40)),
    ]


def test_smartctl_of_nvme_has_its_sizes_in_the_first_namespace(facts):
    """Controllers that manage no namespaces do not tell a capacity of all."""
    found = facts(
        """{"json_format_version": [1, 0], "smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"name": "/dev/nvme0", "type": "nvme", "protocol": "NVMe"}, "model_name": "MAKER NVME 1T",
        "nvme_namespaces": [{"id": 1, "size": {"blocks": 2000409264, "bytes": 1024209543168},
                             "formatted_lba_size": 512}]}""",
        text=True,
    )
    assert (found["size_bytes"], found["logical_sector"]) == (1024209543168, 512)


def test_a_pool_of_single_disks(facts):
    found = facts(
        "  pool: fast\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
        "\tfast        ONLINE       0     0     0\n\t  nvme0n1   ONLINE       0     0     0\n"
        "\t  nvme1n1   FAULTED      0     3     0  too many errors\n"
        "\tcache\n\t  nvme2n1   ONLINE       0     0     0\n\nerrors: No known data errors\n",
        text=True,
    )
    [pool] = found["pools"]
    assert [(group["level"], group["disks"], group["failed"]) for group in pool["groups"]] == [
        ("disk", ["nvme0n1"], []),
        ("disk", ["nvme1n1"], ["nvme1n1"]),
    ]


def test_pools_of_zpool_list(facts, samples, tmp_path):
    tank, scratch = facts("zpool_list/pools.txt")["pools"]
    assert (tank["name"], tank["full_fraction"], tank["fragmented_fraction"]) == ("tank", 0.88, 0.61)
    assert (tank["size_bytes"], tank["free_bytes"]) == (round(3.62 * 2**40), 423 * 2**30)
    assert (scratch["fragmented_fraction"], scratch["health"]) == (None, "DEGRADED")
    text = (samples / "zpool_list" / "pools.txt").read_text()
    (tmp_path / "a.txt").write_text(text.replace("928G", "9Z8G"))
    found = read_inventory(tmp_path / "a.txt")
    assert [pool["name"] for pool in found.sources[0]["pools"]] == ["tank"]
    assert found.problems["kind"].tolist() == ["malformed"]


def test_geom_disk_list(facts):
    found = facts("geom/disks.txt")
    names = ("node", "model", "size_bytes", "rpm", "ssd", "logical_sector", "physical_sector")
    assert (found["format"], found["n"]) == ("geom-disk", 2)
    assert [tuple(one[name] for name in names) for one in found["devices"]] == [
        ("ada0", "MAKER DISK 4000", 4000787030016, 7200, False, 512, 4096),
        ("nda0", "MAKER FLASH 1000", 1000204886016, None, True, 512, None),
    ]


def test_disks_of_geom_are_those_of_the_host(samples):
    [host] = read_inventory(samples / "geom").hosts
    assert {name: (one.size_bytes, one.ssd) for name, one in host.machine.disks.items()} == {
        "ada0": (4000787030016, False),
        "nda0": (1000204886016, True),
    }
