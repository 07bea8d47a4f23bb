"""What switches, routers and firewalls print of their ports: values, findings, several readings, damage."""

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters, registry
from hecn_analysis.counters.clock import Clock
from hecn_analysis.files.documents import Document
from hecn_analysis.statements.switch_ports import find

COUNTS = (
    "in_octets",
    "out_octets",
    "in_packets",
    "out_packets",
    "in_errors",
    "out_errors",
    "in_discards",
    "out_discards",
)
#: Of each sample: its format, a port, its counters in the order of COUNTS; speed, duplex and MTU.
PORTS = {
    "ios": (
        "cisco-ios",
        "GigabitEthernet1/0/1",
        (6120441290, 241880023114, 81220145, 164022871, 2207, 0, 18, 48211),
        (1e8, "half", 9198),
    ),
    "xr": (
        "cisco-xr",
        "TenGigE0/0/0/3",
        (1450220113490, 88120455120776, 1820044512, 58220014402, 3, 0, 12, 771204),
        (1e10, "full", 9114),
    ),
    "eos": (
        "arista-eos",
        "Ethernet7/1",
        (730122004511230, 3112004511200, 81220544120, 40122004411, 44, 0, 9, 1204),
        (1e11, "full", 9214),
    ),
    "fastiron": (
        "brocade",
        "GigabitEthernet1/1/3",
        (3300120441, 112004412200, 5120440, 81204410, 41, 0, None, None),
        (1e8, "half", 1500),
    ),
    "nxos": (
        "cisco-nxos",
        "Ethernet1/7",
        (551200441200, 341200441200555, 7120441216, 38120448122, 71, 0, 5, 512044),
        (1e10, "full", 9216),
    ),
    "asa": (
        "cisco-asa",
        "GigabitEthernet0/0",
        (61200441200, 8120044120, 81204411, 51204410, 88, 0, None, None),
        (1e8, "half", 1500),
    ),
    "junos": (
        "junos",
        "xe-0/0/1",
        (812004412200, 51200441200331, 9120044120, 7120044120, 29, 0, 3, 712044),
        (1e10, None, 9192),
    ),
    "junos-plain": ("junos", "ge-0/0/5.0", (None, None, 5120441, 81204410, None, None, None, None), (None, None, 1500)),
    "comware": (
        "comware",
        "GigabitEthernet1/0/9",
        (61204412, 112044120031, 512044, 81204412, 0, 0, None, None),
        (1e8, "half", None),
    ),
    "comware-5": (
        "comware",
        "GigabitEthernet1/0/3",
        (81204412, 91204412, 612044, 712044, 0, 0, None, None),
        (1e9, "full", None),
    ),
    "vrp": (
        "huawei-vrp",
        "GigabitEthernet0/0/4",
        (812044120, 131204412000, 5120441, 91204412, 91, 0, 2, 41204),
        (1e8, "half", None),
    ),
    "aos-cx": (
        "aruba-aoscx",
        "1/1/7",
        (712004412005512, 512004412200, 81200441200, 5120044120, 12, 0, 0, 7120),
        (1e10, "full", 9198),
    ),
    "procurve": (
        "procurve",
        "7",
        (3120441200, 812044120031, 21212532, 561265616, 121, None, 4, 7120),
        (None, None, None),
    ),
    "procurve-table": ("port-tables", "1", (None, None, None, None, 0, None, None, 7120), (1e8, "half", None)),
    "gaia": (
        "checkpoint-gaia",
        "eth1",
        (712044120310, 81204412031, 612044120, 91204412, 3, 0, 8120, 12),
        (1e9, "full", 1500),
    ),
    "fortios": ("fortios", "wan1", (None,) * 8, (1e8, "half", None)),
    "fortios-nic": (
        "fortios",
        "port1",
        (91204412031, 7120441203, 81204412, 61204412, None, None, None, None),
        (1e9, "full", None),
    ),
    "routeros": (
        "routeros",
        "ether1",
        (81204412031, 712044120310, 91204412, 612044120, 12, 0, 0, 8123),
        (None, None, None),
    ),
    "routeros-monitor": ("routeros", "ether1", (None,) * 8, (1e8, "half", 1500)),
    "counters": (
        "port-tables",
        "Gi1/0/1",
        (81204412031, 612044120310, 71216576, 512165765, 80, 0, None, 81204),
        (None, None, None),
    ),
    "aos": (
        "alcatel-aos",
        "1/7",
        (6120441290, 241880023114, 8123528, 164022890, 41, 0, 2, 4821),
        (1e8, "half", None),
    ),
    "summary": (
        "port-tables",
        "GigabitEthernet1/0/1",
        (None, None, None, None, None, None, 12, 81204),
        (None, None, None),
    ),
    "status": ("port-tables", "Gi1/0/1", (None,) * 8, (1e8, "half", None)),
}


def source_of(samples, name):
    """What the sample holds, and its ports by name."""
    (source,) = read_counters(samples / "switches" / f"{name}.txt", time_zone="UTC").sources
    return source, {port["name"]: port for port in source["interfaces"]}


@pytest.mark.parametrize("name", PORTS)
def test_a_port_has_the_values_of_its_output(samples, name):
    form, interface, counts, settings = PORTS[name]
    source, ports = source_of(samples, name)
    port = ports[interface]
    assert source["format"] == form
    assert tuple(port.get(count) for count in COUNTS) == counts
    assert (port.get("speed_bps"), port.get("duplex"), port.get("mtu")) == settings


def test_every_sample_is_in_the_table(samples):
    assert {path.stem for path in (samples / "switches").iterdir()} == set(PORTS)


@pytest.mark.parametrize(
    ("name", "interface", "rates"),
    [
        ("ios", "GigabitEthernet1/0/1", (3_529_000, 94_512_000, 300)),
        ("eos", "Ethernet7/1", (41.2e9, 310e6, 300)),
        ("nxos", "Ethernet1/7", (81_204_000, 7_812_044_000, 30)),
        ("asa", "GigabitEthernet0/0", (8 * 381_204, 8 * 51_204, 60)),
        ("junos-plain", "ge-0/0/5", (61_204, 93_120_440, None)),
        ("comware", "GigabitEthernet1/0/9", (8 * 1204, 8 * 11_204_412, 300)),
        ("vrp", "GigabitEthernet0/0/4", (812_044, 91_204_412, 300)),
        ("aos-cx", "1/1/7", (8120.44e6, 12.04e6, 300)),
        ("summary", "GigabitEthernet1/0/1", (6_120_000, 94_120_000, None)),
        ("procurve", "7", (8_120_440, 912_044_120, 300)),
    ],
)
def test_rates_are_bits_per_second_over_their_interval(samples, name, interface, rates):
    found = read_counters(samples / "switches" / f"{name}.txt", time_zone="UTC").rates
    (row,) = found[found.interface == interface].itertuples()
    assert (row.in_bps, row.out_bps) == pytest.approx(rates[:2])
    assert row.interval_s == rates[2] or (rates[2] is None and pd.isna(row.interval_s))


def test_the_speed_of_a_bundle_is_the_sum_of_its_members(samples):
    assert source_of(samples, "ios")[1]["Port-channel5"]["speed_bps"] == 2e9
    assert source_of(samples, "vrp")[1]["Eth-Trunk3"]["speed_bps"] == 1e10


def test_a_port_that_is_down_states_no_speed_that_it_does_not_have(samples):
    assert source_of(samples, "aos-cx")[1]["1/1/8"].get("speed_bps") is None
    assert source_of(samples, "ios")[1]["Vlan10"].get("speed_bps") is None
    assert [source_of(samples, "ios")[1][name]["up"] for name in ("TenGigabitEthernet1/1/1", "Vlan10")] == [True, False]


def test_the_prompt_names_the_device_and_ends_a_port(samples):
    ports = source_of(samples, "ios")[1]
    assert {port["host"] for port in ports.values()} == {"lab-sw1"}
    assert "in_octets" not in ports["Vlan10"]


def test_a_device_that_prints_its_clock_gives_the_time(samples):
    rows = read_counters(samples / "switches" / "vrp.txt").samples
    assert set(rows.time.dropna()) == {pd.Timestamp("2026-05-07 10:31:44", tz="UTC")}


@pytest.mark.parametrize(
    ("name", "place", "expected"),
    [
        ("ios", "GigabitEthernet1/0/1", {"port-duplex": 9, "port-slow": 9, "port-errors": 22, "port-drops": 14}),
        ("ios", "TenGigabitEthernet1/1/1", {}),
        ("eos", "Ethernet7/1", {}),
        ("nxos", "Ethernet1/7", {"port-slow": 28, "port-drops": 58}),
        ("counters", "Gi1/0/1", {"port-duplex": 17, "port-drops": 13}),
    ],
)
def test_findings_name_what_is_wrong_and_the_line(samples, name, place, expected):
    found = source_of(samples, name)[0]["findings"]
    assert {each["check"]: each["line"] for each in found if each["place"] == place} == expected
    assert all(each[word] for each in found for word in ("found", "expected", "fix", "source"))


def test_two_outputs_in_a_file_are_two_readings(samples, counters_of):
    text = (samples / "switches" / "xr.txt").read_text()
    later = text.replace("771204 total", "771300 total")
    rows = counters_of(text + later).samples
    assert rows.out_discards.tolist() == [771204, 771300]
    said = {one.name: one.value for one in find(Document("a.txt", (text + later).encode()))}
    assert (said["port.dropped"], said["port.errors"]) == (96, 0)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("ios", ("6120441290 bytes", "612x441290 bytes", 19, "packets input,")),
        ("nxos", ("551200441200 bytes", "5512004E1200 bytes", 45, "input packets ")),
        ("junos", ("812004412200              8120440", "812.0M              8120440", 16, "put  bytes")),
        ("comware", ("512044 packets, 61204412 bytes", "512044 packets, 61204 412 bytes", 41, "put (total):")),
        ("vrp", ("812044120 bytes", "81204\ufffd120 bytes", 20, "nput: ")),
    ],
)
def test_a_number_that_cannot_be_read_is_left_out_and_said(samples, counters_of, said, name, damage):
    text = (samples / "switches" / f"{name}.txt").read_text()
    before, after, line, word = damage
    assert before in text
    damaged = text.replace(before, after)
    counters = counters_of(damaged, time_zone="UTC")
    found = damaged.split("\n")[line - 1].strip()
    assert said(counters)[0] == f"{line}: malformed: found {found!r}, expected numbers at {word!r}; left out"
    port = counters.samples[counters.samples.interface == PORTS[name][1]].iloc[0]
    assert pd.isna(port.in_octets)
    assert port.out_octets == PORTS[name][2][1]


def test_a_number_that_cannot_be_read_is_not_taken_from_a_part_of_it(samples, counters_of):
    """Traffic that a firewall handled, or that is IPv6, stands below with the same words."""
    for name, before, after in (
        ("asa", "61200441200 bytes, 0 no", "6I200441200 bytes, 0 no"),
        ("junos", "812004412200              8120440", "812.0M              8120440"),
    ):
        text = (samples / "switches" / f"{name}.txt").read_text()
        rows = counters_of(text.replace(before, after)).samples
        assert pd.isna(rows.in_octets.iloc[0])


def rows_of(text):
    """Checked rows of a text, without the tables."""
    found = registry.read(Document("switch.txt", text.encode()), Clock.named("UTC"))
    for one in found:
        one.finish()
    return [row for one in found for row in one.samples]


@pytest.mark.slow  # every sample
@pytest.mark.parametrize("name", sorted(PORTS))
def test_a_file_that_is_cut_gives_no_other_numbers(samples, name):
    text = (samples / "switches" / f"{name}.txt").read_text()
    whole = rows_of(text)
    assert whole or not any(PORTS[name][2])
    for at in range(40, len(text), 37):
        for mine, other in zip(rows_of(text[:at]), whole, strict=False):
            for count in COUNTS:
                value = mine.get(count)
                assert value is None or value == other.get(count), (at, count)


def test_what_a_pager_leaves_hides_no_port(samples, counters_of):
    text = (samples / "switches" / "ios.txt").read_text()
    for mark in (
        " --More-- ",
        " --More--\x08\x08\x08\x08\x08\x08\x08\x08\x08        \x08\x08\x08\x08\x08\x08\x08\x08\x08",
    ):
        paged = text.replace("\nTenGigabit", f"\n{mark}TenGigabit").replace(
            "\n     9120044721", f"\n{mark}     9120044721"
        )
        pd.testing.assert_frame_equal(
            counters_of(paged).samples.drop(columns="source_file"),
            counters_of(text).samples.drop(columns="source_file"),
        )


def test_a_port_of_an_unknown_kind_gives_nothing_to_the_one_above(samples, counters_of):
    text = (samples / "switches" / "ios.txt").read_text()
    other = "pseudowire7 is up\n    MTU 1400 bytes, BW 10000 Kbit\n    9 packets input, 900 bytes\n"
    changed = text.replace("lab-sw1#show clock", other + "lab-sw1#show clock")
    assert counters_of(changed).samples.interface.tolist() == counters_of(text).samples.interface.tolist()


def test_statements_quote_the_port_that_carries_most():
    text = (
        "GigabitEthernet1/0/1 is up, line protocol is up (connected)\n"
        "  Full-duplex, 100Mb/s, media type is 10/100/1000BaseTX\n"
        "  5 minute input rate 1000 bits/sec, 1 packets/sec\n"
        "  5 minute output rate 95000000 bits/sec, 8000 packets/sec\n"
        "     10 packets input, 1000 bytes, 0 no buffer\n"
        "GigabitEthernet1/0/2 is up, line protocol is up (connected)\n"
        "  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX\n"
        "  5 minute output rate 2000 bits/sec, 1 packets/sec\n"
        "     99 packets input, 99000 bytes, 0 no buffer\n"
    )
    said = {one.name: (one.value, one.line) for one in find(Document("a.txt", text.encode()))}
    assert said == {
        "port.speed_bps": (1e8, 2),
        "port.load": (0.95, 4),
        "port.supported_bps": (1e9, 2),
        "port.duplex": ("full", 2),
    }


def test_the_traffic_of_a_port_of_mikrotik(counters_of):
    head = "[admin@CE2-3] > interface/monitor-traffic aggregate \n        rx-packets-per-second:         82\n"
    rates = (
        "           rx-bits-per-second:  993.1kbps\n        fp-rx-bits-per-second:       0bps\n"
        "           tx-bits-per-second:    2.7kbps\n"
    )
    counters = counters_of(head + rates)
    [row] = counters.rates.to_dict("records")
    assert (row["host"], row["interface"], row["in_bps"], row["out_bps"]) == ("CE2-3", "aggregate", 993100.0, 2700.0)
    assert counters.problems.empty
    counters = counters_of(head + rates.replace("993.1kbps", "993.1kbps  1.0Mbps"))
    assert (counters.rates.in_bps.isna().all(), counters.problems.kind.tolist()) == (True, ["malformed"])
