"""Devices of FreeBSD, distances of GPUs, RDMA devices, links of mlxlink, adapters of Windows."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import read_inventory, registry


def test_pciconf_has_the_links_in_use_and_at_most(facts):
    found = facts("pciconf/pciconf-lvc.txt")
    assert found["n_devices"] == 3
    bridge, card, drive = found["devices"]
    assert (bridge["class_code"], bridge.get("lnksta_width")) == ("0600", None)
    assert (card["address"], card["os_device"], card["class_code"]) == ("0000:82:00.0", "ix0", "0200")
    assert card["name"] == "Intel Corporation 82599ES 10-Gigabit SFI/SFP+ Network Connection"
    link = (
        "lnksta_width",
        "lnkcap_width",
        "lnksta_gtps",
        "lnkcap_gtps",
        "max_payload",
        "max_payload_cap",
        "max_read_req",
    )
    assert [card[name] for name in link] == [4, 8, 5.0, 5.0, 256, 512, 512]
    assert (drive["driver"], drive["lnksta_width"], drive.get("lnksta_gtps")) == (None, 4, None)


def test_a_host_of_freebsd_has_its_card_and_a_link_that_lost_lanes(samples):
    (host,) = read_inventory(samples / "pciconf").hosts
    found = [(one.check, one.place) for one in host.findings.findings]
    assert any(check == "link-width" and "82:00.0" in place for check, place in found), found


def test_distances_between_gpus_and_cards(facts):
    found = facts("gpu_topology/two-gpus.txt")
    assert found["distances"]["GPU0"] == {"GPU0": "X", "GPU1": "NV12", "NIC0": "PXB", "NIC1": "SYS"}
    assert found["nics"] == {"NIC0": "mlx5_0", "NIC1": "mlx5_3"}
    first, second = found["gpus"]
    assert (first["numa_node"], second["numa_node"], len(first["cpus"])) == (0, 1, 64)


def test_rdma_devices_and_their_interfaces(facts):
    pairs = facts("ibdev2netdev/pairs.txt")["pairs"]
    assert [(one["device"], one["interface"], one["up"]) for one in pairs] == [
        ("mlx5_0", "ens1f0np0", True),
        ("mlx5_1", "ens1f1np1", False),
        ("mlx5_2", "ib0", True),
    ]
    (pair,) = facts("ibdev2netdev/verbose.txt")["pairs"]
    assert (pair["device"], pair["address"], pair["interface"]) == ("mlx5_0", "0000:81:00.0", "ens8np0")


def test_a_link_of_mlxlink_with_its_errors(facts):
    found = facts("mlxlink/port.txt")
    assert (found["speed_bps"], found["supported_max_bps"], found["enabled_max_bps"]) == (25e9, 100e9, 100e9)
    assert (found["effective_errors"], found["effective_ber"], found["link_downs"]) == (12, 3e-15, 2)
    assert "group" not in found


def test_adapters_of_windows(facts):
    first, second = facts("windows_adapters/table.txt")["adapters"]
    assert (first["name"], first["speed_bps"], first["up"]) == ("Ethernet 2", 10e9, True)
    assert (second["name"], second["speed_bps"], second["up"]) == ("Wi-Fi", None, False)
    (only,) = facts("windows_adapters/list.txt")["adapters"]
    assert (only["speed_bps"], only["duplex"], only["mtu"], only["up"]) == (1e8, "half", 1500, True)


def test_adapters_of_older_windows(facts):
    adapters = facts("wmic_nic/table.txt")["adapters"]
    assert [(one["name"], one["description"], one["speed_bps"]) for one in adapters] == [
        ("Ethernet 2", "Intel(R) Ethernet Controller X710 for 10GbE", 10e9),
        ("Ethernet", "Realtek PCIe GbE Family Controller", 1e9),
        ("Wi-Fi", "Example Wireless Adapter", None),
    ]
    first, second = facts("wmic_nic/list.txt")["adapters"]
    assert (first["description"], first["speed_bps"]) == ("Intel(R) Ethernet Controller X710 for 10GbE", 10e9)
    assert (second["description"], second["speed_bps"]) == ("Realtek PCIe GbE Family Controller", None)


def test_the_last_speed_of_a_cut_table_is_left_out(tmp_path):
    (tmp_path / "a.txt").write_text("Name           Speed\nFirst adapter  1000000000\nSecond adapter 1000000")
    found = read_inventory(tmp_path / "a.txt")
    assert [one["speed_bps"] for one in found.sources[0]["adapters"]] == [1e9, None]
    assert found.problems["kind"].tolist() == ["truncated"]


def test_modules_of_memory_are_no_adapters(tmp_path):
    (tmp_path / "a.txt").write_text("Name             Speed\nPhysical Memory  3200\nPhysical Memory  3200\n")
    assert not read_inventory(tmp_path / "a.txt").sources


@pytest.mark.parametrize(
    ("path", "damage", "line"),
    [
        ("pciconf/pciconf-lvc.txt", ("class=0x020000", "class=O"), 6),
        ("gpu_topology/two-gpus.txt", ("NV12\tPXB", "NV12\tPX8"), 2),
        ("ibdev2netdev/pairs.txt", ("ens1f1np1 (Down)", "ens1f1np1 (Dow"), 2),
        ("mlxlink/port.txt", (": 12\n", ": l2\n"), 26),
        ("windows_adapters/table.txt", ("10 Gbps", "10 Gbp"), 3),
        ("wmic_nic/table.txt", ("1000000000 ", "1O00000000 "), 3),
    ],
)
def test_a_damaged_line_is_a_problem(samples, tmp_path, path, damage, line):
    text = (samples / path).read_text()
    assert damage[0] in text
    (tmp_path / "a.txt").write_text(text.replace(*damage, 1))
    problems = read_inventory(tmp_path / "a.txt").problems
    assert problems[["line", "kind"]].to_numpy().tolist() == [[line, "malformed"]]


def test_devices_and_ports_of_devlink(facts):
    found = facts("devlink/info.txt")
    assert found["devices"] == [
        {
            "address": "0000:81:00.0",
            "driver": "mlx5_core",
            "running": {"fw.version": "16.35.2000", "fw": "16.35.2000"},
        },
        {
            "address": "0000:c1:00.1",
            "driver": "ice",
            "running": {"fw.mgmt": "6.2.9", "fw.app.name": "ICE OS Default Package"},
        },
    ]
    ports = facts("devlink/ports.txt")["ports"]
    assert [(one["address"], one["interface"], one["flavour"], one["rdma_device"]) for one in ports] == [
        ("0000:81:00.0", "ens8np0", "physical", None),
        ("0000:81:00.0", "ens8npf0vf0", "pcivf", None),
        (None, "ens9np1", "physical", None),
        ("0000:21:00.0", None, None, "mlx4_0"),
    ]


def test_disks_in_the_slots_of_sesutil(facts, samples):
    found = facts("sesutil/show.txt")
    assert [(one["name"], one["id"], one["n_slots"]) for one in found["enclosures"]] == [
        ("ses1", "50000d166a000080", 3),
        ("ses2", "0", 1),
    ]
    assert [tuple(disk.values()) for one in found["enclosures"] for disk in one["drives"]] == [
        ("Slot 01", "da12", "ACME RUST 8000", "8T"),
        (None, "da13", "ACME RUST 8000", "8T,  Swapped"),
        ("Slot 00", "ada0", "FLASHY 960", "960G"),
    ]
    text = (samples / "sesutil" / "show.txt").read_text()
    expected = "slot, device, model, identity and status below their heads"
    said = f"3: malformed: found 'Slot 01 da12 ACME RUST', expected {expected}; left out"
    lines = text.splitlines()
    lines[2] = "Slot 01 da12 ACME RUST"
    assert facts("\n".join(lines) + "\n\nwords below\n", text=True, problems=[said])["n_drives"] == 2


def test_addresses_of_windows_adapters_that_somebody_masked():
    text = (
        "Name       InterfaceDescription               ifIndex Status       MacAddress             LinkSpeed\n"
        "----       --------------------               ------- ------       ----------             ---------\n"
        "Storage    Mellanox ConnectX-5 Adapter              7 Up           EC-**-**-**-**-1F       100 Gbps\n"
        "Spare      Intel(R) I210 Gigabit Adapter           12 Disconnected XX-XX-XX-XX-XX-XX          0 bps\n"
    )
    [found] = registry.read(Document("a.txt", text.encode())).captured
    adapters = found.facts.values["adapters"]
    assert [(one["name"], one["speed_bps"], one["up"]) for one in adapters] == [
        ("Storage", 1e11, True),
        ("Spare", None, False),
    ]
    assert found.facts.problems == []
