"""ethtool: link, driver, offloads, rings, coalescing, channels, pause, module."""


def test_the_speed_is_what_runs_and_the_modes_are_what_could(facts):
    found = facts("ethtool/settings.txt")
    assert (found["format"], found["interface"], found["speed_bps"]) == ("ethtool", "ens1f0", 25 * 10**9)
    assert (found["supported_max_bps"], found["advertised_max_bps"]) == (100 * 10**9, 25 * 10**9)
    assert (found["duplex"], found["port"], found["autoneg"]) == ("full", "Direct Attach Copper", True)
    assert found["link_detected"] is True


def test_unknown_is_missing(facts):
    found = facts("ethtool/down.txt")
    assert (found["speed_bps"], found["duplex"], found["supported_max_bps"]) == (None, None, None)
    assert (found["autoneg"], found["link_detected"]) == (False, False)


def test_the_driver_has_its_interface_from_the_command_line(facts):
    found = facts("ethtool/driver.txt")
    assert (found["interface"], found["driver"], found["bus_info"]) == ("ens1f0", "mlx5_core", "0000:af:00.0")
    assert found["firmware_version"] == "22.36.1010 (MT_0000000359)"


def test_features_of_old_versions(facts):
    found = facts("ethtool/features-old.txt")
    assert (found["format"], found["interface"]) == ("ethtool-k", "eth2")
    assert found["features"]["tcp-segmentation-offload"] is False
    assert found["features"]["large-receive-offload"] is True
    assert (found["fixed"], found["requested"]) == (["ntuple-filters"], {"generic-receive-offload": True})


def test_rings_coalescing_channels_and_pause(facts):
    rings = facts("ethtool/rings.txt")
    assert (rings["rx"], rings["rx_max"], rings["rx_mini"], rings["rx_jumbo"]) == (1024, 8192, None, 0)
    coalescing = facts("ethtool/coalescing.txt")
    assert (coalescing["adaptive_rx"], coalescing["adaptive_tx"]) == (True, None)
    assert (coalescing["rx_usecs"], coalescing["tx_usecs"], coalescing["stats_block_usecs"]) == (8, 16, None)
    channels = facts("ethtool/channels.txt")
    assert (channels["combined"], channels["combined_max"], channels["rx"]) == (16, 63, None)
    pause = facts("ethtool/pause.txt")
    assert (pause["autoneg"], pause["rx"], pause["tx"]) == (False, True, False)


def test_a_cable(facts):
    found = facts("ethtool/module.txt")
    assert (found["format"], found["identifier"], found["part"]) == ("ethtool-m", "QSFP28", "C3M-100")
    assert (found["nominal_baud"], found["length_copper_m"]) == (25.5e9, 3)


def test_a_speed_that_is_none_is_told(facts):
    said = ["2: malformed: Speed: found 'fast', expected a rate in Mb/s; left out"]
    assert facts("Settings for eth0:\n\tSpeed: fast\n", text=True, problems=said)["speed_bps"] is None
