"""ip link, bonds, InfiniBand, queues, sysctl and sysfs."""


def test_ip_link(facts):
    lo, first, second, vlan = facts("ip_link/link.txt")["interfaces"]
    assert lo["loopback"] is True
    assert (first["mtu"], first["state"], first["master"], first["lower_up"]) == (9000, "UP", "bond0", True)
    assert (second["up"], second["lower_up"], second["state"]) == (True, False, "DOWN")
    assert (vlan["name"], vlan["below"], vlan["kind"]) == ("bond0.7", "bond0", "vlan")
    eth0, br0 = facts("ip_link/link.json")["interfaces"]
    assert (eth0["mtu"], eth0["qdisc"], eth0["up"]) == (1500, "fq", True)
    assert (br0["mtu"], br0["kind"], br0["up"]) == (None, "bridge", False)


def test_a_bond_with_a_port_that_is_down(facts):
    found = facts("bonding/bond0.txt")
    assert (found["mode"], found["hash_policy"], found["lacp_rate"]) == ("802.3ad", "layer3+4", "slow")
    assert (found["active_aggregator"], found["active_ports"]) == (2, 1)
    assert [(one["name"], one["speed_bps"], one["aggregator"]) for one in found["slaves"]] == [
        ("ens1f0", 100 * 10**9, 2),
        ("ens1f1", None, 1),
    ]


def test_infiniband(facts):
    found = facts("ibstat/two.txt")
    assert (found["format"], found["n_cas"]) == ("ibstat", 2)
    assert [(ca["name"], ca["state"], ca["rate_bps"], ca["link_layer"]) for ca in found["cas"]] == [
        ("mlx5_0", "Active", 200 * 10**9, "InfiniBand"),
        ("mlx5_1", "Down", 40 * 10**9, "Ethernet"),
    ]
    status = facts("ibstat/status.txt")
    assert status["format"] == "ibstatus"
    [port] = status["cas"][0]["ports"]
    assert (port["state"], port["rate_bps"], port["width"], port["speed"]) == ("Active", 100 * 10**9, 4, "EDR")


def test_queues(facts):
    root, child, netem = facts("tc_qdisc/shaped.txt")["qdiscs"]
    assert (root["dev"], root["kind"], root["dropped"], root["sent_packets"]) == ("ens1f0", "mq", 42, 6543210)
    assert (child["parent"], child["root"], child["limit"]) == (":1", False, 10000)
    assert (netem["rate_bps"], netem["delay_s"], netem["limit"]) == (10**10, 0.04, 50000)


def test_sysctl_of_linux(facts):
    said = ["5: malformed: net.core.wmem_max: found 'many', expected a number; left out"]
    found = facts("sysctl/linux.txt", problems=said)
    assert (found["os"], found["kernel"], found["tcp_rmem"]) == (
        "Linux",
        "5.14.0-362.el9.x86_64",
        [4096, 131072, 6291456],
    )
    assert (found["rmem_max"], found["wmem_max"]) == (212992, None)
    assert (found["window_scaling"], found["sack"], found["default_qdisc"]) == (False, True, "fq")
    assert found["available_congestion_control"] == ["reno", "cubic", "bbr"]


def test_sysctl_of_freebsd_and_macos(facts):
    free = facts("sysctl/freebsd.txt")
    assert (free["os"], free["maxsockbuf"], free["tcp_recvbuf_max"]) == ("FreeBSD", 2097152, 2097152)
    assert (free["timestamps"], free["window_scaling"], free["cpus"]) == (True, True, 16)
    assert free["available_congestion_control"] == ["cubic", "newreno"]
    assert (free["cpu_model"], free["memory_bytes"]) == ("Processor of ours", 64 << 30)
    mac = facts("sysctl/macos.txt")
    assert (mac["os"], mac["cores"], mac["cpus"], mac["memory_bytes"]) == ("Darwin", 8, 10, 32 << 30)
    assert (mac["cpu_model"], mac["tcp_recvbuf_max"]) == ("Processor of ours M9", 4194304)


def test_sysfs(facts):
    found = facts("sysfs/settings.txt")
    assert found["devices"] == [
        {
            "address": "0000:c1:00.0",
            "parent": "0000:00:03.1",
            "numa_node": 1,
            "lnksta_gtps": 8.0,
            "lnksta_width": 8,
            "lnkcap_gtps": 16.0,
            "lnkcap_width": 16,
        }
    ]
    assert found["net"] == {
        "ens1f0": {"bus_info": "0000:c1:00.0", "mtu": 9000, "speed_bps": 100 * 10**9, "state": "up"}
    }
    assert found["arrays"]["md0"]["stripe_cache_size"] == 256
    assert found["block"]["nvme0n1"] == {"pci": "0000:01:00.0", "scheduler": "none", "rotational": False}
    assert found["cpus"]["policy0"]["governor"] == "powersave"
    assert found["interrupts"] == {"42": [0, 1, 2, 3, 8]}


def test_a_bond_of_which_one_port_works_at_a_time(facts):
    text = (
        "Ethernet Channel Bonding Driver: v5.14.0\n\nBonding Mode: fault-tolerance (active-backup)\n"
        "Primary Slave: None\nCurrently Active Slave: {active}\nMII Status: up\nMII Polling Interval (ms): 100\n\n"
        "Slave Interface: eth0\nMII Status: up\nSpeed: 10000 Mbps\nDuplex: full\nLink Failure Count: 1\n"
    )
    found = facts(text.format(active="eth0"), text=True)
    assert (found["mode"], found["active_slave"]) == ("active-backup", "eth0")
    assert facts(text.format(active="None"), text=True)["active_slave"] is None
