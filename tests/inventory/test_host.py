"""Hosts made of what was captured."""

import pytest
import yaml

import hecn_analysis as hecn
from hecn_analysis.base.places import data_dir, models_dir
from hecn_analysis.hardware import Host
from hecn_analysis.inventory import captured as builder
from hecn_analysis.inventory import read_inventory


def server(samples):
    inventory = read_inventory(samples / "server")
    assert inventory.problems.empty
    [found] = inventory.hosts
    return found


def test_a_folder_is_a_host(samples):
    found = server(samples)
    host = found.host
    assert isinstance(host, Host)
    assert found.name == host.name == "dtn1"
    assert host.source.startswith("captured: dmidecode.txt, lscpu.txt")
    assert (host.cpu.part, host.cpu.sockets, host.cpu.cores) == ("intel-xeon-gold-6148", 2, 40)
    assert (host.memory.channels.value, host.memory.transfers.value, host.memory.size.value) == (
        12,
        2666e6,
        12 * 32 * 2**30,
    )
    assert (host.congestion_control, host.tcp_rmem_max.value, host.kernel) == ("htcp", 134217728, "5.14")


def test_links_count_as_they_are_trained(samples):
    host = server(samples).host
    assert list(host.slots) == ["3b:00", "b1:00", "b2:00"]
    card = host.slots["3b:00"]
    assert (card.gen, card.lanes, card.max_payload.value, card.max_read_request.value, card.node) == (
        3,
        8,
        256,
        4096,
        0,
    )
    assert (card.nic.ports, card.nic.port_rate.value, card.nic.lanes) == (2, 100e9, 16)


def test_drives_behind_a_switch_share_its_uplink(samples):
    host = server(samples).host
    assert (host.bridges["af:00"].kind, host.bridges["af:00"].lanes, host.bridges["af:00"].node) == ("switch", 8, 1)
    assert [host.slots[name].behind for name in ("b1:00", "b2:00")] == ["af:00", "af:00"]
    array = host.arrays["md0"]
    assert (array.level, array.disks, array.disk.part, array.slots) == (0, 2, "intel-p4510-4tb", ["b1:00", "b2:00"])


def test_interrupts_say_which_cores_serve_the_card(samples):
    assert server(samples).host.nic_cores == [0]


def test_a_captured_host_is_predicted(samples):
    found = server(samples)
    keys = {
        "sender": found.description,
        "receiver": "ideal",
        "tool": "nuttcp",
        "path.rate": "100Gb/s",
        "path.rtt": "1ms",
    }
    prediction = hecn.predict({**keys, "path.mtu": 9000})
    assert prediction.bottleneck == "sender.slot.3b:00"
    assert 45e9 < prediction.throughput_bps < 56e9


def test_unknown_devices_are_kept(captured):
    inventory = captured(lspci="05:00.0 Network controller: Acme Corp Device 9999\n06:00.0 Gadget: Acme Corp Thing\n")
    [host] = inventory.hosts
    assert [device["name"] for device in host.facts["devices"]] == ["Acme Corp Device 9999", "Acme Corp Thing"]
    assert host.host.slots == {}


def test_several_folders_are_several_hosts(tmp_path):
    for name, total in (("a", 16000000), ("b", 32000000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "meminfo").write_text(f"MemTotal:  {total} kB\nMemFree:  1000 kB\n")
    assert [host.name for host in read_inventory(tmp_path).hosts] == ["a", "b"]


CPU = "Architecture: x86_64\nCPU(s): 4\nThread(s) per core: 1\nCore(s) per socket: 4\nSocket(s): 1\nModel name: {}\n"


def test_two_processors_in_one_folder_are_two_hosts(captured):
    inventory = captured(
        n1=CPU.format("AMD EPYC 7402P 24-Core Processor"), n2=CPU.format("AMD EPYC 7742 64-Core Processor")
    )
    assert [(host.name, host.host.cpu.part) for host in inventory.hosts] == [
        ("n1", "amd-epyc-7402p"),
        ("n2", "amd-epyc-7742"),
    ]
    [problem] = inventory.problems.to_dict("records")
    assert problem["kind"] == "ambiguous"
    assert "found another lscpu than in" in problem["message"]


@pytest.mark.parametrize("name", ["{host}-{what}", "{what}_{host}"])
def test_names_that_begin_or_end_alike_keep_a_host_together(captured, name):
    models = {"n1": "AMD EPYC 7402P 24-Core Processor", "n2": "AMD EPYC 7742 64-Core Processor"}
    files = {name.format(host=host, what="lscpu"): CPU.format(model) for host, model in models.items()}
    files |= {name.format(host=host, what="mem"): "MemTotal: 100 kB\nMemFree: 10 kB\n" for host in models}
    assert [(host.name, len(host.source_files)) for host in captured(**files).hosts] == [("n1", 2), ("n2", 2)]


def test_what_contradicts_itself_is_left_out_of_the_host(captured):
    text = "Personalities : [raid6]\nmd0 : active raid6 sda[0] sdb[1]\n      9000 blocks level 6, 64k chunk [2/2]\n"
    inventory = captured(mdstat=text)
    [host] = inventory.hosts
    assert host.host.arrays == {}
    assert [row["kind"] for row in inventory.problems.to_dict("records")] == ["inconsistent"]


def test_raid_of_one_disk_is_a_disk(captured):
    text = "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\n"
    level = "RAID Level          : Primary-0, Secondary-0, RAID Level Qualifier-0\n"
    [host] = captured(megacli=f"{text}{level}Size                : 931.0 GB\nNumber Of Drives    : 1\n").hosts
    [array] = host.host.arrays.values()
    assert (array.level, array.disks) == (None, 1)


def test_a_guest_without_a_clock_has_that_of_another(captured):
    [host] = captured(lscpu=CPU.format("Acme 1") + "Hypervisor vendor: KVM\n").hosts
    assert host.machine.virtual is True
    assert (host.host.cpu.clock.basis, host.host.cpu.clock.value) == ("assumed", 2.6e9)


def test_a_processor_that_nobody_knows_has_the_prior(captured):
    [host] = captured(lscpu=CPU.format("Acme 1 @ 2.00GHz") + "CPU max MHz: 3000.0\n").hosts
    assert (host.host.cpu.part, host.host.cpu.clock.value) == ("generic-server-cpu", 2.5e9)
    assert host.host.cpu.clock.source == "captured: 2000 to 3000 MHz"


def test_our_own_machine_loads_and_is_a_guest():
    [host] = read_inventory(data_dir() / "inventory" / "virtual-machine").hosts
    assert host.machine.virtual is True
    assert host.host.cpu.send_cost.basis == "assumed"
    assert host.host.source.startswith(builder.CAPTURED)


def test_hosts_from_documents_are_not_captured():
    for path in sorted((models_dir() / "hosts").glob("*.yaml")):
        assert not path.read_text().partition("source:")[2].lstrip(' "').startswith(builder.CAPTURED)


MODULE = (
    "Handle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 16384 MB\n\tLocator: {}\n"
    "\tType: DDR4\n\tSpeed: 2666 MT/s\n\n"
)
LSCPU = (
    "$ lscpu\nArchitecture: x86_64\nCPU(s): 40\nThread(s) per core: 1\nCore(s) per socket: 20\nSocket(s): 2\n"
    "Model name: {}\n"
)


@pytest.mark.parametrize(
    ("locators", "processor", "expected"),
    [
        (
            [f"P{n % 2}_Node0_Channel{n // 2}_Dimm0" for n in range(12)],
            "Some CPU",
            (12, "documented", "captured: channels"),
        ),
        (
            [f"DIMM {n}" for n in range(16)],
            "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz",
            (12, "specification", "channels of "),
        ),
        ([f"DIMM {n}" for n in range(16)], "Some CPU", (12, "assumed", "as usual for DDR4")),
        ([f"DIMM {n}" for n in range(4)], "Some CPU", (4, "assumed", "captured: 4 modules, a channel each")),
    ],
    ids=["firmware", "processor", "kind of memory", "few modules"],
)
def test_channels_of_memory_say_where_they_are_known_from(tmp_path, locators, processor, expected):
    modules = "".join(MODULE.format(locator) for locator in locators)
    (tmp_path / "dmidecode.txt").write_text(f"# dmidecode 3.3\nSMBIOS 3.2 present.\n\n{modules}")
    (tmp_path / "lscpu.txt").write_text(LSCPU.format(processor))
    [found] = read_inventory(tmp_path).hosts
    channels = found.host.memory.channels
    value, basis, source = expected
    assert (channels.value, channels.basis) == (value, basis)
    assert channels.source.startswith(source)
    rest = {"receiver": "ideal", "path": "lan-10ge", "tool": "iperf3"}
    assumed = {one.name: one for one in hecn.predict({"sender": found.description, **rest}).assumptions}
    assert assumed["sender.memory.channels"].basis == basis


def test_sockets_of_a_virtual_machine_have_no_memory_channels_of_their_own(tmp_path):
    processor = LSCPU.format("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz")
    for kind, hypervisor, expected in (("metal", "", 12), ("virtual", "Hypervisor vendor: KVM\n", 6)):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "lscpu.txt").write_text(processor + hypervisor)
        [found] = read_inventory(tmp_path / kind).hosts
        channels = found.host.memory.channels
        assert (channels.value, channels.basis) == (expected, "assumed" if hypervisor else "specification")


def test_captured_hosts_are_told_apart_from_those_of_documents(samples, tmp_path):
    found = server(samples)
    assert (found.host.origin, found.label, found.host.label) == ("captured", "dtn1 (captured)", "dtn1 (captured)")
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(found.description))
    rest = {"path": "lan-10ge", "tool": "iperf3"}
    prediction = hecn.predict({"sender": str(tmp_path / "mine.yaml"), "receiver": "a++", **rest})
    assert str(prediction).startswith("iperf3 mine (captured) to a++ over lan-10ge: ")
    scenario = prediction.scenario
    assert (scenario.sender.origin, scenario.receiver.origin) == ("captured", "bill of materials")
    assert hecn.load_scenario({"sender": "ideal", "receiver": "ideal", **rest}).sender.origin == "description"
