"""cpupower, tuned-adm, TCP settings of Windows, mfiutil: facts, and the findings that they lead to."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry


@pytest.fixture
def read(samples):
    def read(path):
        found = registry.read(Document("a.txt", (samples / path).read_bytes()))
        assert found.problems == []
        return [{"format": one.facts.format, **one.facts.values} for one in found.captured]

    return read


def test_cpupower_has_a_policy_for_each_processor(read):
    [found] = read("cpupower/frequency-info.txt")
    assert (found["format"], found["n_cpus"]) == ("cpupower", 2)
    assert found["cpus"]["cpu0"] == {
        "driver": "acpi-cpufreq",
        "governor": "powersave",
        "cpu_max_hz": 3.2e9,
        "min_hz": 1.2e9,
        "max_hz": 2.4e9,
    }
    assert found["cpus"]["cpu1"]["governor"] == "performance"


def test_tuned_tells_the_profile(read):
    [found] = read("tuned/list.txt")
    assert (found["profile"], found["running"]) == ("network-throughput", True)
    assert found["profiles"] == ["balanced", "network-throughput", "throughput-performance"]
    found = registry.read(Document("a.txt", b"$ tuned-adm active\nNo current active profile.\n")).captured[0]
    assert found.facts.values["profile"] is None


def test_netsh_and_power_shell_tell_the_level_of_the_receive_window(read):
    [found] = read("windows_tcp/netsh.txt")
    assert (found["autotuning"], found["receive_side_scaling"], found["initial_rto_ms"]) == (
        "highlyrestricted",
        True,
        1000,
    )
    assert (found["ecn"], found["timestamps"], found["pacing"]) == (False, True, "off")
    [found] = read("windows_tcp/settings.txt")
    assert (found["format"], found["autotuning"]) == ("get-nettcpsetting", "normal")
    assert [(one["name"], one["congestion_control"], one["min_rto_ms"]) for one in found["settings"]] == [
        ("Datacenter", "dctcp", 20),
        ("Internet", "cubic", 300),
    ]


def test_netsh_in_german():
    text = (
        "Globale TCP-Parameter\n----------------------\n"
        "Skalierungsstatus der Empfangsseite          : aktiviert\nEmpf. Fenster Auto-Tuningstufe      : disabled\n"
    )
    [found] = registry.read(Document("a.txt", text.encode())).captured
    assert found.facts.values["autotuning"] == "disabled"


def test_mfiutil_lists_adapter_volumes_and_drives(read):
    found = read("mfiutil/show.txt")
    assert [one["controller"] for one in found] == ["PERC H700 Integrated", None, None]
    assert found[0]["memory_bytes"] == 512 << 20
    assert [(one["id"], one["level"], one["strip_bytes"], one["state"]) for one in found[1]["volumes"]] == [
        (0, "raid1", 65536, "OPTIMAL"),
        (1, "raid5", 262144, "DEGRADED"),
    ]
    assert found[2]["n_drives"] == 3
    assert found[2]["drives"][2] == {
        "id": 4,
        "enclosure": 32,
        "slot": 4,
        "model": "ATA WDC WD2003FYYS-0",
        "size_bytes": 1863 << 30,
        "state": "UNCONFIGURED GOOD",
        "interface": "SATA",
    }


def test_mfiutil_names_the_device_and_no_enclosure():
    text = "/dev/mfi1 Physical Drives:\n 20 ( 7451G) ONLINE <HGST HUH728080AL A7JD serial=0000004> SATA S20\n"
    [found] = registry.read(Document("a.txt", text.encode())).captured
    [drive] = found.facts.values["drives"]
    assert (drive["id"], drive["slot"], drive["enclosure"], drive["size_bytes"]) == (20, 20, None, 7451 << 30)


def test_system_profiler_without_its_first_line():
    text = (
        "# Output of system_profiler\n#  Hardware Overview:\n#\n#  Model Name: Mac Pro\n"
        "#  Model Identifier: MacPro3,1\n"
        "#  Processor Speed: 2,8 GHz\n#  Number Of Processors: 1\n#  Total Number Of Cores: 4\n#  Memory: 8 GB\n"
    )
    [found] = [one.facts.values for one in registry.read(Document("a.txt", text.encode())).captured]
    assert (found["section"], found["product"], found["cores"], found["sockets"]) == ("Hardware", "MacPro3,1", 4, 1)
    assert (found["mhz"], found["memory_bytes"]) == (2800.0, 8 << 30)


def test_system_profiler_tells_hardware_links_and_volumes(read):
    hardware, ethernet, storage = read("system_profiler/all.txt")
    assert (hardware["product"], hardware["cpu_model"], hardware["cores"]) == ("Macmini9,1", "Apple M1", 8)
    assert hardware["memory_bytes"] == 16 << 30
    assert ethernet["parts"] == [{"name": "Ethernet 10Gb", "device": "en0", "speed_bps": 1e10}]
    assert storage["parts"] == [
        {
            "name": "Data",
            "free_bytes": 102_400_000_000,
            "size_bytes": 494_384_795_648,
            "mount_point": "/System/Volumes/Data",
            "file_system": "APFS",
            "device": "disk3s5",
        }
    ]


def test_systeminfo_tells_system_sockets_memory_and_cards(read):
    [facts] = read("systeminfo/list.txt")
    assert (facts["host_name"], facts["os"], facts["product"]) == (
        "MOVER7",
        "Microsoft Windows Server 2022 Standard",
        "Mover 700",
    )
    assert (facts["sockets"], facts["mhz"]) == (2, 2893)
    assert (facts["memory_bytes"], facts["memory_available_bytes"]) == (261731 << 20, 203118 << 20)
    assert facts["cards"] == ["Mellanox ConnectX-6 Dx Adapter", "Intel(R) I350 Gigabit Network Connection"]


@pytest.mark.parametrize(
    ("memory", "expected"), [("6.143 MB", 6143 << 20), ("6\u202f143 MB", 6143 << 20), ("6,1 GB", None)]
)
def test_memory_of_systeminfo_with_the_mark_of_the_region(memory, expected):
    text = f"Host Name:                 BOX\nOS Name:                   Windows\nTotal Physical Memory:     {memory}\n"
    found = registry.read(Document("a.txt", text.encode()))
    assert found.captured[0].facts.values.get("memory_bytes") == expected
    assert [problem["kind"] for problem in found.problems] == ([] if expected else ["malformed"])
