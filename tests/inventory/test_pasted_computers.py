"""Processors, memory and whole computers as people paste them: cut, wrapped and with notes."""

import pytest

from tests.inventory.pasted import read


def test_memory_in_two_columns():
    [found], problems = read(
        "MemTotal:       64000 kB    MemFree:        1000 kB\nBuffers:  20 kB  Cached:   300 kB\nHugePages_Total: 4\n"
    )
    assert (found["mem_total_bytes"], found["mem_free_bytes"]) == (65536000, 1024000)
    assert (found["buffers_bytes"], found["cached_bytes"], found["hugepages_total"]) == (20480, 307200, 4)
    assert problems == []


def test_proc_version_names_no_host():
    [found], _ = read("Linux version 6.1.0-9-amd64 (me@build-arm64) (gcc-12 12.2.0) #1 SMP Debian 6.1.27-1\n")
    assert found == {"format": "uname", "os": "Linux", "host_name": None, "kernel": "6.1.0-9-amd64", "machine": None}


def test_a_kernel_before_prose_is_read_after_its_command():
    text = "$ uname -a\nLinux dtn7 6.1.0-9-amd64 #1 SMP Debian 6.1.27-1\nx86_64 GNU/Linux\n\nIt runs\nfor\na year.\n"
    [found], problems = read(text)
    assert (found["host_name"], found["kernel"]) == ("dtn7", "6.1.0-9-amd64")
    assert problems == []


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


def test_lists_of_a_processor_that_mail_has_broken():
    text = (
        "processor\t: 0\nmodel name\t: Maker CPU @ 1.50GHz\nflags\t\t: fpu vme\nhypervisor lahf_lm\nbogomips\t: 3000\n"
    )
    [cpu], problems = read(text)
    assert (cpu["virtual"], problems) == (True, [])


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


def test_cards_of_lshw_below_another_output():
    card = "  *-network{}\n       description: Ethernet interface\n       logical name: {}\n"
    qdisc = "qdisc noqueue 0: dev lo root refcnt 2\n"
    found, problems = read(f"$ tc qdisc\n{qdisc}\n{card.format(':0', 'eth0')}{card.format(':1', 'eth1')}")
    assert [one["format"] for one in found] == ["tc-s-qdisc", "lshw-text"]
    assert [card["logicalname"] for card in found[1]["networks"]] == ["eth0", "eth1"]
    assert problems == []


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


def test_a_remark_behind_the_size_of_a_cache():
    [facts], _ = read(
        "CPU(s):  8\nThread(s) per core:  2\nSocket(s):  1\nL1d cache:  32K # of data\nL2 cache:  1024K\n"
    )
    assert (facts["l1d_bytes"], facts["l2_bytes"]) == (32768, 1024 * 1024)


def test_dmidecode_without_handles():
    record = "Memory Device\n\tSize: 8192 MB\n\tType: DDR3\n\tSpeed: 1600 MT/s\n\tConfigured Clock Speed: 1066 MT/s\n"
    for before in ("", "$ dmidecode -qt 17\n", "MemTotal: 1000 kB\nMemFree: 10 kB\n"):
        facts = read(f"{before}{record}\n{record}")[0][-1]
        assert (facts["n_dimms"], facts["memory_bytes"], facts["configured_mtps"]) == (2, 2**34, 1066)


def test_memory_whose_first_handle_stands_above_what_was_cut():
    module = (
        "Memory Device\n\tSize: 16384 MB\n\tForm Factor: DIMM\n\tLocator: DIMM_A{}\n\tType: DDR3\n\tSpeed: 1600 MHz\n\n"
    )
    handle = "Handle 0x110{}, DMI type 17, 34 bytes\n"
    found, _ = read("herboard\n\tUse: System Memory\n\n" + "".join(handle.format(n) + module.format(n) for n in (1, 2)))
    assert [one["memory_bytes"] for one in found if one.get("memory_bytes")] == [32 << 30]
