"""MegaCli, storcli, arcconf, tw_cli, cli64, ssacli and sas2ircu: volumes, drives, controllers."""

import pytest

TIB, GIB, MIB = 1 << 40, 1 << 30, 1 << 20


def test_megacli_has_levels_by_primary_and_secondary_and_drives_by_span(facts):
    found = facts("megacli/ldpdinfo.txt")
    first, second = found["volumes"]
    assert (first["level"], first["n_drives"], first["state"]) == ("raid6", 8, "Degraded")
    assert first["size_bytes"] == pytest.approx(21.829 * TIB, rel=1e-9)
    assert (first["strip_bytes"], first["cache"], first["read_policy"]) == (256 * 1024, "WriteThrough", "ReadAhead")
    assert (second["level"], second["n_drives"], second["strip_bytes"]) == ("raid10", 6, 65536)
    sata, sas = found["drives"]
    assert (sata["enclosure"], sata["slot"], sata["model"]) == (252, 3, "MAKER DISK4000-HDD")
    assert (sata["size_bytes"], sata["link_bps"], sata["link_max_bps"]) == (0x1D1C0BEB0 * 512, 3e9, 6e9)
    assert (sas["model"], sas["state"], sas["link_bps"]) == ("ST3300657SS", "Failed", None)
    assert (found["n_volumes"], found["n_drives"], found["n_degraded"], found["n_failed_disks"]) == (2, 2, 1, 1)


def test_megacli_tells_of_its_adapter(facts):
    found = facts("megacli/adapter.txt")
    assert (found["controller"], found["memory_bytes"]) == ("Controller of ours 9000-8i", 1024 * MIB)
    assert (found["n_virtual_drives"], found["n_degraded"], found["n_disks"], found["n_failed_disks"]) == (3, 1, 9, 1)


def test_storcli_as_json_and_as_tables(facts):
    found = facts("storcli/show-all.json")
    assert (found["format"], found["n_controllers"], found["pci"]) == ("storcli-json", 1, "0000:0a:00.1")
    assert (found["driver"], found["interface"], found["memory_bytes"]) == ("megaraid_sas", "SAS-12G", 2 * GIB)
    [volume] = found["volumes"]
    assert (volume["id"], volume["level"], volume["cache"]) == ("0/239", "raid10", "NRWBD")
    assert volume["size_bytes"] == pytest.approx(1.745 * TIB, rel=1e-9)
    tables = facts("storcli/tables.txt")
    assert (tables["format"], tables["controller"], tables["pci"]) == (
        "storcli",
        "Controller of ours 9460-16i",
        "0000:5e:00.0",
    )
    [volume] = tables["volumes"]
    assert (volume["id"], volume["state"], volume["cache"], volume["name"]) == ("0/0", "Dgrd", "RWTD", "bulk")
    assert [(drive["slot"], drive["group"], drive["model"]) for drive in tables["drives"]] == [
        ("134:0", "0", "MAKER DISK10T"),
        ("134:1", None, "MAKER DISK10T"),
    ]


def test_storcli_lists_controllers(facts):
    text = (
        "-------------------------------------------------------------------------------\n"
        "Ctl Model              Ports PDs DGs DNOpt VDs VNOpt BBU sPR DS  EHS ASOs Hlth\n"
        "-------------------------------------------------------------------------------\n"
        "  0 Ours3108               8   0   0     0   0     0 N/A On  1&2 Y      3 Opt\n"
        "  1 Ours9361-8i            8   2   1     0   1     0 Opt On  1&2 Y      2 Opt\n"
    )
    found = facts(text, text=True)
    assert (found["n_controllers"], found["controller"]) == (2, "Ours3108")


def test_storcli_that_breaks_off_gives_what_is_there(facts):
    text = '{\n"Controllers":[\n{"Command Status" : {"Controller" : 0},\n"Response Data" : {"Basics" : {"Model" : "C"},'
    said = ["4: truncated: found the end inside the JSON, expected its closing brackets"]
    assert facts(text, text=True, problems=said)["controller"] in ("C", None)


def test_arcconf(facts):
    found = facts("arcconf/getconfig.txt")
    assert (found["controller"], found["memory_bytes"]) == ("Controller of ours 8405", 1024 * MIB)
    assert found["pci"] == "0000:3b:00.0"
    [volume] = found["volumes"]
    assert (volume["level"], volume["state"], volume["n_segments"]) == ("raid6", "Degraded", 4)
    assert (volume["size_bytes"], volume["strip_bytes"], volume["cache"]) == (7629814 * MIB, 256 * 1024, "Off")
    [drive] = found["drives"]
    assert (drive["model"], drive["size_bytes"], drive["link_bps"]) == ("DISK2000", 1907729 * MIB, 6e9)


def test_tw_cli(facts):
    found = facts("tw_cli/show-all.txt")
    assert (found["model"], found["memory_bytes"], found["n_drives"]) == ("9690SA-8I", 448 * MIB, 3)
    assert (found["pcix_width_bits"], found["pcix_clock_hz"]) == (64, 133e6)
    raid, spare, jbod = found["volumes"]
    assert (raid["id"], raid["level"], raid["state"], raid["progress"]) == ("u0", "raid5", "REBUILDING", 0.12)
    assert (raid["size_bytes"], raid["strip_bytes"]) == (pytest.approx(1862.62 * GIB, rel=1e-9), 256 * 1024)
    assert [one["write_cache"] for one in (raid, spare, jbod)] == [False, None, True]
    assert [drive["size_bytes"] is None for drive in found["drives"]] == [False, False, True]
    drives = facts("tw_cli/drives.txt")
    assert (drives["model"], drives["drives"][0]["size_bytes"]) == ("9650SE-8LPML", 1465149168 * 512)


def test_areca(facts):
    disks = facts("areca/disks.txt")
    assert (disks["n_slots"], disks["n_present"]) == (3, 2)
    assert disks["disks"][1] == {
        "id": 2,
        "model": "MAKER DISK750",
        "usage": "HotSpare[Global]",
        "size_bytes": 750_200_000_000,
    }
    found = facts("areca/sets-and-volumes.txt")
    assert found["raidsets"] == [
        {
            "id": 1,
            "name": "Raid Set # 00",
            "n_disks": 7,
            "size_bytes": 5250 * 10**9,
            "free_bytes": 10_500_000_000,
            "state": "Rebuilding",
        }
    ]
    [volume] = found["volumes"]
    assert (volume["name"], volume["raidset"], volume["level"]) == ("volume one", "Raid Set # 00", "raid5")


def test_smart_arrays_in_detail_and_in_short(facts):
    found = facts("smart_array/detail.txt")
    assert (found["format"], found["controller"], found["pci"]) == ("ssacli", "Smart Array P999", "0000:5c:00.0")
    assert (found["pcie_gen"], found["pcie_width"], found["cache_bytes"]) == (3, 8, 4 * GIB)
    [volume] = found["volumes"]
    assert (volume["level"], volume["n_drives"], volume["strip_bytes"]) == ("raid6", 2, 256 * 1024)
    assert volume["size_bytes"] == pytest.approx(10.9 * TIB, rel=1e-9)
    drives = found["controllers"][0]["drives"]
    assert [drive["array"] for drive in drives] == ["A", "A", "A", None]
    assert (drives[0]["model"], drives[0]["link_bps"], drives[0]["size_bytes"]) == ("MAKER DISK4000", 12e9, 4 * 10**12)
    short = facts("smart_array/short.txt")
    assert (short["format"], short["volumes"][0]["level"]) == ("hpacucli", "raid6")
    assert (short["volumes"][0]["state"], short["volumes"][0]["n_drives"]) == ("Interim Recovery Mode", 2)


def test_sas3ircu(facts):
    found = facts("sas_ircu/display.txt")
    assert (found["controller"], found["pci_bus"], found["n_drives"]) == ("SAS3008", 94, 1)
    [volume] = found["volumes"]
    assert (volume["level"], volume["n_drives"], volume["state"]) == ("raid10", 4, "Degraded (DGD)")
    assert volume["size_bytes"] == 1906394 * MIB
    [drive] = found["drives"]
    assert (drive["size_bytes"], drive["sectors"]) == (953869 * MIB, 1953525167)


def test_arcconf_of_an_older_controller_tells_of_its_slot(facts):
    found = facts(
        """\
Controllers found: 1
----------------------------------------------------------------------
Controller information
----------------------------------------------------------------------
   Controller Status                        : Optimal
   Controller Model                         : Controller of ours 5805
   Installed memory                         : 512 MB
   Host bus type                            : PCIe
   Host bus speed                           : 5000 MHz
   Host bus link width                      : 8 bit/link(s)
----------------------------------------------------------------------
Logical device information
----------------------------------------------------------------------
Logical device number 0
   RAID level                               : 5
   Status of logical device                 : Optimal
   Size                                     : 5713910 MB
   Read-cache mode                          : Enabled
   Write-cache mode                         : Enabled (write-back)
""",
        text=True,
    )
    assert (found["pcie_lanes"], found["pcie_gtps"]) == (8, 5.0)
    [volume] = found["volumes"]
    assert (volume["level"], volume["read_cache"], volume["cache"]) == ("raid5", "Enabled", "Enabled (write-back)")


def test_tw_cli_of_pci_express(facts):
    text = (
        "/c0 Driver Version = 2.26.08.007-2.6.18RH\n/c0 Model = 9750-8i\n/c0 Available Memory = 488MB\n"
        "/c0 Controller Bus Type = PCIe\n/c0 Controller Bus Width = 8 lanes\n/c0 Controller Bus Speed = 5.0 Gbps/lane\n"
    )
    found = facts(text, text=True)
    assert (found["bus"], found["pcie_lanes"], found["pcie_gtps"]) == ("PCIe", 8, 5.0)
    assert "pcix_clock_hz" not in found
