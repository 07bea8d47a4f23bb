"""Findings of small hosts: what is found, its limit, its fix; and what could not be checked."""

import json
import re
from pathlib import Path

import pytest

from hecn_analysis import limits
from hecn_analysis.cli import main
from hecn_analysis.hardware import load_scenario
from hecn_analysis.inventory.checks import findings

LINK = """\
{address} {kind}: {name}
{bus}\tCapabilities: [40] Express (v2) {type}, MSI 00
\t\tDevCap:\tMaxPayload {cap} bytes, PhantFunc 0
\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq+
\t\t\tMaxPayload {payload} bytes, MaxReadReq {request} bytes
\t\tLnkCap:\tPort #0, Speed {can}GT/s, Width x{wide}, ASPM L1
\t\tLnkSta:\tSpeed {does}GT/s, Width x{lanes}, TrErr- Train-
{node}
"""


def device(address, *, kind="Ethernet controller", name="Acme 100 GbE", can=8, does=8, wide=16, lanes=16, **more):
    """One device as lspci -vvv prints it."""
    bus, node = more.pop("bus", None), more.pop("node", None)
    return LINK.format(
        **({"cap": 512, "payload": 256, "request": 512, "type": "Endpoint"} | more),
        address=address,
        kind=kind,
        name=name,
        can=can,
        does=does,
        wide=wide,
        lanes=lanes,
        bus=f"\tBus: primary=00, secondary={bus}, subordinate={bus}, sec-latency=0\n" if bus else "",
        node="" if node is None else f"\tNUMA node: {node}\n",
    )


def port(address, bus, **more):
    """A root port above a bus."""
    return device(address, kind="PCI bridge", name="Acme Root Port", bus=bus, type="Root Port (Slot+)", **more)


def ethtool(name, speed=100_000, most=100_000, link="yes"):
    return (
        f"Settings for {name}:\n\tSupported link modes:   {most}baseCR4/Full\n\tSpeed: {speed}Mb/s\n\tDuplex: Full\n"
        f"\tPort: FIBRE\n\tLink detected: {link}\n"
    )


def driver(name, address):
    return f"$ ethtool -i {name}\ndriver: acme\nversion: 1\nbus-info: {address}\n"


def found(inventory, *, path=None):
    [host] = inventory.hosts
    checked = host.findings if path is None else host.findings.on_path(path)
    return {finding.check: finding for finding in checked.findings}, {
        one.check: one.missing for one in checked.unchecked
    }


def on(path):
    return load_scenario({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path": path}).path


def test_a_wide_card_in_narrow_training(captured):
    text = port("00:02.0", "12", wide=16, lanes=4) + device("12:00.0", wide=16, lanes=4)
    finding = found(captured(lspci=text))[0]["link-width"]
    assert finding.place == "0000:12:00.0 Acme 100 GbE"
    assert (finding.found, finding.expected) == ("x4", "x16, which the card can do")
    assert finding.limit_bps == limits.pcie(gen=3, lanes=4, max_payload=256)["throughput_bps"]
    assert finding.fixed_bps == limits.pcie(gen=3, lanes=16, max_payload=256)["throughput_bps"]
    assert finding.fix.startswith("reseat the card")
    assert finding.verify == "lspci -vvv -s 0000:12:00.0 | grep -E 'LnkCap|LnkSta'"
    assert finding.scenario_settings == {"host.slots.12:00.lanes": 16}


def test_a_slot_that_is_wired_for_less_is_no_fault_of_the_training(captured):
    text = port("00:02.0", "12", wide=8, lanes=8) + device("12:00.0", wide=16, lanes=8)
    finding = found(captured(lspci=text))[0]["link-width"]
    assert finding.fix == "the slot is wired for x8: move the card to an x16 slot"


def test_a_card_of_generation_3_at_generation_2(captured):
    text = port("00:02.0", "12", can=8, does=5) + device("12:00.0", can=8, does=5)
    finding = found(captured(lspci=text))[0]["link-speed"]
    assert (finding.found, finding.expected) == (
        "generation 2 (5 GT/s)",
        "generation 3 (8 GT/s), which the card can do",
    )
    assert finding.limit_bps == limits.pcie(gen=2, lanes=16, max_payload=256)["throughput_bps"]
    assert finding.fix.startswith("BIOS: PCIe link speed")
    text = port("00:02.0", "12", can=5, does=5) + device("12:00.0", can=8, does=5)
    assert found(captured(lspci=text))[0]["link-speed"].fix.startswith("the slot is of generation 2")


def test_a_payload_of_128_where_all_up_to_the_root_can_do_256(captured):
    above = port("00:02.0", "12", cap=256, payload=128)
    finding = found(captured(lspci=above + device("12:00.0", cap=4096, payload=128)))[0]["max-payload"]
    assert finding.found == "128 bytes"
    assert finding.expected == "256 bytes, which the card and all 1 bridges up to the processor can do"
    assert "setpci -s 0000:00:02.0 CAP_EXP+8.w=0020:00e0; setpci -s 0000:12:00.0 CAP_EXP+8.w=0020:00e0" in finding.fix
    assert finding.limit_bps < finding.fixed_bps
    assert finding.scenario_settings == {"host.slots.12:00.max_payload": 256}


def test_a_bridge_between_that_can_only_do_128_is_right_as_it_is(captured):
    text = port("00:02.0", "11", cap=256, payload=128) + port("11:00.0", "12", cap=128, payload=128)
    assert "max-payload" not in found(captured(lspci=text + device("12:00.0", cap=4096, payload=128)))[0]


def test_a_card_whose_bridges_were_not_captured_is_told_as_not_checked(captured):
    given, missing = found(captured(lspci=device("12:00.0", cap=4096, payload=128)))
    assert "max-payload" not in given
    assert missing["max-payload"] == "lspci -vvv of the bridges too"


def test_small_read_requests(captured):
    finding = found(captured(lspci=port("00:02.0", "12") + device("12:00.0", request=128)))[0]["read-request"]
    assert finding.found == "MaxReadReq 128 bytes"
    assert finding.limit_bps < finding.fixed_bps


def test_two_ports_behind_one_link(captured):
    text = (
        port("00:02.0", "12", wide=8, lanes=8) + device("12:00.0", wide=8, lanes=8) + device("12:00.1", wide=8, lanes=8)
    )
    files = {
        "lspci": text,
        "a": ethtool("ens1f0"),
        "b": ethtool("ens1f1"),
        "ai": driver("ens1f0", "0000:12:00.0"),
        "bi": driver("ens1f1", "0000:12:00.1"),
    }
    finding = found(captured(**files))[0]["shared-uplink"]
    assert finding.found == "2 ports of 200 Gb/s together behind one generation 3 x8 link"
    assert finding.place.endswith("ens1f0, ens1f1")
    assert (finding.limit_bps, finding.fixed_bps) == (
        limits.pcie(gen=3, lanes=8, max_payload=256)["throughput_bps"],
        200e9,
    )


def test_network_and_storage_on_different_nodes(captured):
    disk = {"kind": "Non-Volatile memory controller", "name": "Acme NVMe"}
    text = device("12:00.0", node=0) + device("81:00.0", node=1, **disk)
    finding = found(captured(lspci=text))[0]["numa"]
    assert finding.found.startswith("network cards on node 0: 0000:12:00.0 Acme 100 GbE; storage on node 1")
    assert "numactl --cpunodebind=0 --membind=0" in finding.fix
    same = device("12:00.0", node=1) + device("81:00.0", node=1, **disk)
    assert "numa" not in found(captured(lspci=same))[0]


def test_short_bursts_of_pci_x(captured):
    text = (
        "03:01.0 Ethernet controller: Acme PRO/10GbE\n\tCapabilities: [e4] PCI-X non-bridge device\n"
        "\t\tCommand: DPERE- ERO+ RBC=512 OST=8\n"
        "\t\tStatus: Dev=03:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=4096 DMOST=8 DMCRS=64\n"
    )
    finding = found(captured(lspci=text))[0]["pcix-burst"]
    assert (finding.found, finding.expected) == (
        "bursts (MMRBC) of 512 bytes",
        "4096 bytes, which the card can do",
    )
    assert finding.limit_bps == limits.pcix(133.33e6, 64, 512)["throughput_bps"]
    assert finding.fix == "setpci -s 0000:03:01.0 CAP_PCIX+2.b=0c:0c"


def test_links_that_are_down_or_slow(captured):
    given = found(captured(a=ethtool("ens1f0", link="no"), b=ethtool("ens1f1", speed=25_000)))[0]
    assert (given["link-down"].place, given["link-down"].limit_bps) == ("ens1f0", 0.0)
    assert (given["link-slow"].found, given["link-slow"].expected) == (
        "25.0 Gb/s",
        "100 Gb/s, which the port can do",
    )
    assert given["link-slow"].limit_bps == limits.ethernet(rate=25e9, mtu=1500)["goodput_bps"]


def test_packets_of_1500_bytes_on_a_fast_port(captured):
    ip = "2: ens1f0: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP qlen 1000\n"
    finding = found(captured(a=ethtool("ens1f0"), ip=ip))[0]["mtu"]
    assert finding.limit_bps == limits.ethernet(rate=100e9, mtu=1500)["goodput_bps"]
    assert finding.scenario_settings == {"path.mtu": 9000}
    assert "mtu" not in found(captured(a=ethtool("ens1f0", 1000, 1000), ip=ip))[0]


def test_rings_offloads_and_lro(captured):
    rings = (
        "Ring parameters for ens1f0:\nPre-set maximums:\nRX:\t8192\nTX:\t8192\n"
        "Current hardware settings:\nRX:\t512\nTX:\t8192\n"
    )
    features = (
        "Features for ens1f0:\ntcp-segmentation-offload: off\ngeneric-receive-offload: on\n"
        "scatter-gather: off [fixed]\nlarge-receive-offload: on\n"
    )
    cpu = "Architecture: x86_64\nCPU(s): 4\nSocket(s): 1\nCore(s) per socket: 4\nCPU max MHz: 3000\n"
    others = "Pause parameters for ens1f0:\nAutonegotiate:\ton\nRX:\ton\nTX:\ton\n"
    channels = (
        "Channel parameters for ens1f0:\nPre-set maximums:\nRX:\t16\nTX:\t16\nOther:\t1\nCombined:\t16\n"
        "Current hardware settings:\nRX:\t16\nTX:\t16\nOther:\t1\nCombined:\t16\n"
    )
    inventory = captured(a=ethtool("ens1f0"), g=rings, k=features, cpu=cpu, l=channels, p=others)
    given = found(inventory)[0]
    assert (given["rings"].found, given["rings"].fix) == ("rx 512", "ethtool -G ens1f0 rx 8192")
    assert given["rings"].limit_bps == 512 * 1538 * 8 / 1e-3
    assert given["offloads"].found == "off: tcp-segmentation-offload"
    assert given["offloads"].fix == "ethtool -K ens1f0 tso on"
    assert given["offloads"].limit_bps < given["offloads"].fixed_bps
    assert given["lro"].scenario_settings == {"host.lro": False}
    assert "netem-enabled-WAN" in given["lro"].source
    assert "lro" not in found(inventory, path=on("back-to-back-10ge"))[0]
    assert "lro" in found(inventory, path=on("netem-80ms-10ge"))[0]


def test_interrupts_of_all_queues_on_one_processor(captured):
    def counts(spread):
        rows = [[9000, 3, 1, 0], [8000, 0, 2, 1]] if not spread else [[9000, 3, 1, 0], [0, 0, 2, 8000]]
        lines = [
            f" {42 + row}: {' '.join(f'{count:>9}' for count in each)}   IR-PCI-MSI 1-edge      ens1f0-TxRx-{row}"
            for row, each in enumerate(rows)
        ]
        return "           CPU0       CPU1       CPU2       CPU3\n" + "\n".join(lines) + "\n"

    finding = found(captured(a=ethtool("ens1f0"), i=counts(spread=False)))[0]["interrupts"]
    assert finding.found == "100 % of the interrupts of 2 queues on processor 0"
    assert "interrupts" not in found(captured(a=ethtool("ens1f0"), i=counts(spread=True)))[0]


SYSCTL = "kernel.ostype = Linux\nkernel.osrelease = 5.14.0\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n"


def test_buffers_below_what_the_path_needs(captured):
    inventory = captured(
        sysctl=SYSCTL + "net.ipv4.tcp_wmem = 4096\t16384\t536870912\nnet.ipv4.tcp_window_scaling = 0\n"
    )
    given, missing = found(inventory)
    assert "tcp-receive-buffer" not in given
    assert missing["tcp-receive-buffer"] == "a path (--path)"
    given, missing = found(inventory, path=on("netem-80ms-10ge"))
    assert "tcp-receive-buffer" not in missing
    assert "tcp-send-buffer" not in given
    finding = given["tcp-receive-buffer"]
    assert finding.limit_bps == pytest.approx(0.314e9, rel=0.01)
    assert finding.fix.startswith("sysctl -w net.ipv4.tcp_rmem='4096 131072 268435456'")
    assert finding.scenario_settings == {"host.tcp_rmem_max": 268435456}
    assert given["tcp-options"].limit_bps == 65_535 * 8 / on("netem-80ms-10ge").rtt.value
    assert "tcp-receive-buffer" not in found(inventory, path=on("back-to-back-10ge"))[0]


def test_what_mending_gains_is_predicted(captured):
    [host] = captured(sysctl=SYSCTL + "net.ipv4.tcp_wmem = 4096\t16384\t536870912\n").hosts
    checked = host.findings.on_path(on("netem-80ms-10ge"))
    [finding] = findings.predicted(checked.findings, host.description, "netem-80ms-10ge")
    assert finding.predicted_bps < 1e9
    assert finding.predicted_fixed_bps > 5 * finding.predicted_bps


def test_a_bond_with_an_idle_port_and_drops_on_the_way_out(samples, captured):
    bond = (samples / "bonding" / "bond0.txt").read_text()
    queues = (samples / "tc_qdisc" / "shaped.txt").read_text()
    given = found(captured(bond=bond, tc=queues))[0]
    assert given["bond"].found == "ens1f1 of 2 ports carry nothing"
    assert given["queue-drops"].found == "42 packets dropped before the cable, 0.00064 % of all"


def test_degraded_arrays_come_first(samples, captured):
    inventory = captured(
        mdstat=(samples / "mdstat" / "recovering.txt").read_text(),
        storcli=(samples / "storcli" / "tables.txt").read_text(),
        sysctl=SYSCTL,
    )
    [host] = inventory.hosts
    given = [finding for finding in host.findings.findings if finding.check == "degraded-array"]
    assert host.findings.findings[: len(given)] == tuple(given)
    assert [finding.place for finding in given] == [
        "md3, RAID 6",
        "Controller of ours 9460-16i 0, RAID 6",
    ] or given[0].found == "6 of 7 disks work, state 'active'"
    assert given[0].fix.startswith("mdadm --manage /dev/md3")


def test_a_pool_without_a_disk(samples, captured):
    finding = found(captured(zpool=(samples / "zpool" / "degraded.txt").read_text()))[0]["degraded-array"]
    assert (finding.place, finding.found) == ("ZFS pool tank", "state DEGRADED, ata-MAKER_0002 failed")
    assert finding.fix == "zpool replace tank ata-MAKER_0002 NEW_DISK"


def test_stripe_cache_chunk_governor_and_cap(samples, captured):
    mdstat = (
        "Personalities : [raid6]\nmd0 : active raid6 sdh[7] sdg[6] sdf[5] sde[4] sdd[3] sdc[2] sdb[1] sda[0]\n"
        "      23441682432 blocks super 1.2 level 6, 4096k chunk, algorithm 2 [8/8] [UUUUUUUU]\n"
    )
    given = found(captured(sysfs=(samples / "sysfs" / "settings.txt").read_text(), mdstat=mdstat))[0]
    finding = given["stripe-cache"]
    assert (finding.place, finding.found) == ("/dev/md0, RAID 6 of 8", "stripe_cache_size 256")
    assert finding.fix.startswith("echo 8192 > /sys/block/md0/md/stripe_cache_size")
    assert finding.limit_bps < finding.fixed_bps
    assert given["chunk"].found == "chunk 4.19 MB"
    assert given["governor"].found == "governor powersave of acpi-cpufreq"
    assert given["governor"].limit_bps == pytest.approx(given["governor"].fixed_bps * 1.2 / 3.2)


def test_disks_and_controllers(samples, captured):
    given = found(captured(megacli=(samples / "megacli" / "ldpdinfo.txt").read_text()))[0]
    assert given["controller-cache"].found == "cache WriteThrough"
    assert given["disk-link"].place == "slot 3, MAKER DISK4000-HDD"
    assert (given["disk-link"].limit_bps, given["disk-link"].fixed_bps) == (2.4e9, 4.8e9)
    assert given["degraded-array"].found == "state 'Degraded'"


def test_memory_channels_without_modules(captured):
    module = (
        "Handle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 16384 MB\n\tLocator: DIMM {}\n"
        "\tType: DDR4\n\tSpeed: 2666 MT/s\n\n"
    )
    cpu = (
        "Architecture: x86_64\nCPU(s): 40\nThread(s) per core: 1\nCore(s) per socket: 20\nSocket(s): 2\n"
        "Model name: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\n"
    )
    dmi = "# dmidecode 3.3\nSMBIOS 3.2 present.\n\n" + "".join(module.format(number) for number in range(4))
    finding = found(captured(dmi=dmi, cpu=cpu))[0]["memory-channels"]
    assert finding.found == "4 modules, which reach 4 channels at most"
    assert finding.expected == "a module in each of the 12 channels"
    assert finding.fixed_bps == pytest.approx(3 * finding.limit_bps)


def test_nothing_is_said_of_what_was_not_captured(captured):
    given, missing = found(captured(free="MemTotal: 1000 kB\nMemFree: 100 kB\n"))
    assert given == {}
    assert missing["link-width"] == "lspci -vvv (as root)"
    assert missing["mtu"] == "ethtool INTERFACE and ip link"
    assert set(missing) == {name for check in findings.CHECKS if check.needs for name in check.names}


def test_a_finding_says_all_in_a_line(captured):
    text = port("00:02.0", "12", lanes=4) + device("12:00.0", lanes=4)
    [host] = captured(lspci=text).hosts
    assert str(host.findings.findings[0]) == (
        "link-width: 0000:12:00.0 Acme 100 GbE: found x4, expected x16, which the card can do; "
        "at most 26.6 Gb/s, fixed 104 Gb/s"
    )
    assert host.findings.findings[0].to_dict()["check"] == "link-width"
    assert str(host.findings.unchecked[0]).startswith("shared-uplink: not checked, for the output of ")


def test_the_page_on_findings_has_all_checks():
    page = Path(__file__).parents[2] / "docs" / "howto" / "inventory-findings.md"
    if not page.is_file():
        pytest.skip("the pages are not here")
    headings = re.findall(r"^(?:`[a-z-]+`(?:, )?)+$", page.read_text(), re.MULTILINE)
    described = re.findall(r"`([a-z-]+)`", "\n".join(headings))
    assert sorted(described) == sorted(name for check in findings.CHECKS for name in check.names)


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_the_table_of_findings(form, samples, tmp_path, capsys):
    target = tmp_path / f"findings.{form}"
    status = main(["inventory", str(samples / "server"), "--path", "lan-10ge", "--format", form, "-o", str(target)])
    assert status == 0, capsys.readouterr().err
    written = target.read_text()
    assert "link-width" in written
    if form == "json":
        rows = json.loads(written)
        assert {row["host"] for row in rows} == {"dtn1"}
        assert {row["check"] for row in rows if row["missing"]} >= {"rings", "offloads"}
        wide = next(row for row in rows if row["check"] == "link-width")
        assert wide["scenario_settings"] == {"host.slots.3b:00.lanes": 16}
        assert wide["predicted_fixed_bps"] >= wide["predicted_bps"]


def test_an_unknown_path_is_told(samples, capsys):
    assert main(["inventory", str(samples / "server"), "--path", "nowhere"]) == 1
    assert "found path 'nowhere'" in capsys.readouterr().err


def test_a_narrow_link_that_is_enough_for_the_ports_is_told_last(captured):
    narrow = port("00:02.0", "12", lanes=4) + device("12:00.0", name="Acme Gigabit Ethernet", wide=8, lanes=4)
    slow = port("00:03.0", "13", lanes=4) + device("13:00.0", lanes=4)
    [host] = captured(lspci=narrow + slow).hosts
    given = [finding for finding in host.findings.findings if finding.check == "link-width"]
    assert [(finding.place[:12], finding.needs_bps) for finding in given] == [
        ("0000:13:00.0", 100e9),
        ("0000:12:00.0", 1e9),
    ]


def test_a_port_in_half_duplex(captured):
    text = ethtool("eth0", speed=100, most=1000).replace("Duplex: Full", "Duplex: Half")
    given = found(captured(ethtool=text))[0]
    assert given["half-duplex"].limit_bps == 50e6
    assert given["half-duplex"].fixed_bps > 90e6


def test_a_clock_that_is_capped(captured):
    cpu = "/sys/devices/system/cpu/cpufreq/policy0"
    given = found(
        captured(
            sysfs=f"{cpu}/scaling_governor:performance\n{cpu}/scaling_driver:intel_pstate\n"
            f"{cpu}/scaling_max_freq:1600000\n{cpu}/cpuinfo_max_freq:3200000\n"
        )
    )[0]
    assert "governor" not in given
    finding = given["clock-cap"]
    assert (finding.found, finding.scenario_settings) == ("at most 1.60 GHz", {"host.cpu.clock": 3.2e9})
    assert finding.limit_bps == pytest.approx(finding.fixed_bps / 2)


def test_buffers_of_freebsd(captured):
    text = (
        "kern.ostype: FreeBSD\nkern.osrelease: 14.1-RELEASE\nkern.ipc.maxsockbuf: 2097152\n"
        "net.inet.tcp.recvbuf_max: 2097152\nnet.inet.tcp.sendbuf_max: 536870912\n"
        "net.inet.tcp.rfc1323: 1\nnet.inet.tcp.cc.algorithm: cubic\n"
    )
    given = found(captured(sysctl=text), path=on("netem-80ms-10ge"))[0]
    finding = given["tcp-receive-buffer"]
    assert (finding.place, finding.found) == ("net.inet.tcp.recvbuf_max", "2097152 bytes at most")
    assert "tcp-send-buffer" not in given


def test_cpupower_shows_clocks_that_are_held_down(samples, captured):
    given = found(captured(cpupower=(samples / "cpupower" / "frequency-info.txt").read_text()))[0]
    assert given["governor"].found == "governor powersave of acpi-cpufreq"
    assert given["clock-cap"].found == "at most 2.40 GHz"


def test_a_receive_window_that_windows_may_not_grow(samples, captured):
    inventory = captured(netsh=(samples / "windows_tcp" / "netsh.txt").read_text())
    finding = found(inventory, path=on({"rate": "10Gb/s", "rtt": "40ms"}))[0]["autotuning"]
    assert finding.found == "auto-tuning level highlyrestricted, a window of 262140 bytes at most"
    assert finding.limit_bps == pytest.approx(8 * 262140 / 0.04)
    assert finding.fixed_bps == pytest.approx(8 * 65535 * 256 / 0.04)
    assert "autotuning" not in found(inventory, path=on({"rate": "10Mb/s", "rtt": "40ms"}))[0]
    assert found(inventory)[0]["autotuning"].limit_bps is None
