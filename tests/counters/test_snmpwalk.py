"""snmpwalk in all forms of -O, of one agent; what agents and terminals make of it."""

import pandas as pd
import pytest

from hecn_analysis.cli import main
from hecn_analysis.counters import read_counters

COLUMNS = ["host", "interface", "index", "description", "mac_address", "speed_bps", "mtu", "up", "counter_bits"]
FORMS = (
    *(
        "full",
        "suffixes",
        "ucd",
        "brackets",
        "quick",
        "quick-equals",
        "enums-as-numbers",
        "ticks",
        "hex-with-text",
        "hex",
    ),
    *("rfc1213", "smi-only", "numeric"),
)


@pytest.fixture(scope="module")
def symbolic(samples):
    return read_counters(samples / "snmpwalk" / "symbolic.txt")


def test_the_agent(symbolic):
    rows = symbolic.interfaces.set_index("index")
    assert rows.interface.to_dict() == {1: "lo", 2: "ifb0", 3: "ifb1", 4: "eth0"}
    assert rows.mac_address[4] == "02:fc:00:00:00:01"
    assert rows.speed_bps[1] == 10e6
    assert pd.isna(rows.speed_bps[4])
    assert rows.up.to_dict() == {1: True, 2: False, 3: False, 4: True}
    assert rows.in_octets[1] == 616574446122
    assert set(rows.counter_bits) == {64}
    source = symbolic.sources[0]
    assert (source["format"], source["n_interfaces"], source["uptime_s"]) == ("snmpwalk", 4, 37.05)
    assert source["host"] == "edge1.example.net"
    assert symbolic.problems.empty


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form, samples, symbolic):
    counters = read_counters(samples / "snmpwalk" / f"{form}.txt")
    pd.testing.assert_frame_equal(counters.interfaces[COLUMNS], symbolic.interfaces[COLUMNS])
    assert counters.sources[0]["uptime_s"] == pytest.approx(37.05, abs=15)  # walked one after another
    assert (counters.samples.in_octets >= symbolic.samples.in_octets.astype("float64") * 0.999).all()
    assert counters.problems.empty


def test_counters_of_32_bits_alone(counters_of):
    counters = counters_of("""\
snmpwalk -v 1 -c public printer

IF-MIB::ifDescr.1 = STRING: eth0
IF-MIB::ifSpeed.1 = Gauge32: 4294967295
IF-MIB::ifInOctets.1 = Counter32: 4294967295
IF-MIB::ifInUcastPkts.1 = Counter32: 7
IF-MIB::ifInNUcastPkts.1 = Counter32: 3
IF-MIB::ifOutOctets.1 = Counter32: 1
IF-MIB::ifOperStatus.1 = INTEGER: unknown(4)
""")
    row = counters.samples.iloc[0]
    assert (row.counter_bits, row.in_octets, row.in_packets) == (32, 4294967295, 10)
    assert pd.isna(row.speed_bps)
    assert pd.isna(row.up)
    assert pd.isna(row.time)


def test_a_walk_repeated_is_a_series_with_the_times_before_it(counters_of):
    walk = """\
{date}
.1.3.6.1.2.1.1.3.0 = Timeticks: ({ticks}) 0:00:00.00
.1.3.6.1.2.1.1.5.0 = STRING: "sw1"
.1.3.6.1.2.1.31.1.1.1.1.7 = STRING: "Te1/7"
.1.3.6.1.2.1.31.1.1.1.6.7 = Counter64: {octets}
.1.3.6.1.2.1.31.1.1.1.10.7 = Counter64: 0
"""
    text = "".join(
        walk.format(date=date, ticks=100 * ticks, octets=octets)
        for date, ticks, octets in (
            ("2013-11-20T12:00:00Z", 1000, 0),
            ("Wed Nov 20 12:00:10 UTC 2013", 1010, 12_500_000_000),
            ("1384948820", 1020, 25_000_000_000),
        )
    )
    counters = counters_of(text)
    assert (
        counters.rates[["host", "interface", "interval_s", "in_bps"]].to_dict("records")
        == [{"host": "sw1", "interface": "Te1/7", "interval_s": 10.0, "in_bps": 10e9}] * 2
    )
    assert counters.sources[0]["n_samples"] == 3
    assert counters.interfaces.peak_in_bps.tolist() == [10e9]


def test_host_resources_have_units(recorded):
    source = read_counters(recorded / "snmpwalk" / "host-resources.txt").sources[0]
    assert source["format"] == "snmpwalk-hostres"
    assert source["memory_bytes"] == 25276514304
    assert (
        next(place for place in source["storage"] if place["descr"] == "Physical memory")["size_bytes"] == 25276514304
    )


def test_etherlike_mib(counters_of):
    counters = counters_of("""\
EtherLike-MIB::dot3StatsFCSErrors.3 = Counter32: 12
EtherLike-MIB::dot3StatsDuplexStatus.3 = INTEGER: fullDuplex(3)
EtherLike-MIB::dot3HCStatsFCSErrors.3 = Counter64: 4294967308
""")
    assert counters.sources[0]["interfaces"] == [{"name": None, "index": 3, "fcs_errors": 4294967308, "duplex": "full"}]


@pytest.mark.parametrize(
    "text",
    [
        "OID=.1.3.6.1.2.1.2.2.1.2.1, Type=OctetString, Value=eth0\nOID=.1.3.6.1.2.1.2.2.1.10.1, Type=Counter, Value=77",
        "   IF-MIB::ifDescr.1 = STRING: eth0\n   IF-MIB::ifInOctets.1 = Counter32: 77\n",
        "IF-MIB::ifDescr.1 = \nSTRING: eth0\nIF-MIB::ifInOctets.1 = Wrong Type (should be Counter32): Gauge32: 77\n",
        "ifDescr.1 = Hex-STRING: 65 74 68 \n30 00 \nifInOctets.1 = Counter32: 77\n",
        "interfaces.ifTable.ifEntry.ifDescr.1 = eth0\ninterfaces.ifTable.ifEntry.ifInOctets.1 = 77\n",
        'mib-2.2.2.1.2.1 = "eth0"\nmib-2.2.2.1.10.1 = 77\n',
        "IF-MIB::ifDescr.1 = STRING: eth0\r\nIF-MIB::ifInOctets.1 = Counter32: 77\r\n",
        'ifAlias.1 = STRING: "two\nlines = here"\nifDescr.1 = STRING: eth0\nifInOctets.1 = Counter32: 77',
    ],
)
def test_other_hands(text, counters_of):
    rows = counters_of(text).samples
    assert rows[["interface", "index", "in_octets"]].to_dict("records") == [
        {"interface": "eth0", "index": 1, "in_octets": 77}
    ]


def test_an_agent_that_stops_to_answer(counters_of, said):
    counters = counters_of("IF-MIB::ifInOctets.1 = Counter32: 5\nTimeout: No Response from 192.0.2.1\n")
    assert said(counters) == [
        "2: truncated: found 'Timeout: No Response from 192.0.2.1', expected variables up to the end of the tree"
    ]
    assert counters.samples.in_octets.tolist() == [5]


@pytest.mark.parametrize("text", ["net.ipv4.tcp_rmem = 4096 87380\n", "1.2.3.4 5\n1.2.3.5 6\n", "a.1 = 5\nb.2 = 6\n"])
def test_what_is_no_walk(text, counters_of):
    assert counters_of(text).problems.kind.tolist() == ["unrecognised"]


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("Hex-STRING: 07 DD 0B 14 0C 00 00 00 2B 01 00 ", "2013-11-20T11:00:00Z"),
        ("Hex-STRING: 07 DD 0B 14 0C 00 00 00 ", "2013-11-20T12:00:00Z"),  # RFC 2579: local time without its zone
        ("STRING: 2013-11-20,12:0:0.0,+1:0", "2013-11-20T11:00:00Z"),
        ("Hex-STRING: 07 DD 0B 14 0C ", None),
        ("Hex-STRING: 07 DD 0D 14 0C 00 00 00 ", None),  # the thirteenth month
    ],
)
def test_the_agents_own_clock_is_the_time(counters_of, value, time):
    counters = counters_of(
        f".1.3.6.1.2.1.25.1.2.0 = {value}\n"
        '.1.3.6.1.2.1.31.1.1.1.1.1 = STRING: "a"\n.1.3.6.1.2.1.31.1.1.1.6.1 = Counter64: 5\n'
    )
    assert counters.samples.in_octets.tolist() == [5]
    assert counters.samples.time.tolist() == [pd.NaT if time is None else pd.Timestamp(time)]


def test_processors_and_uptime_of_the_host(counters_of):
    (source,) = counters_of("""\
HOST-RESOURCES-MIB::hrSystemUptime.0 = Timeticks: (6000) 0:01:00.00
HOST-RESOURCES-MIB::hrProcessorLoad.196608 = INTEGER: 25
HOST-RESOURCES-MIB::hrProcessorLoad.196609 = INTEGER: 100
""").sources
    assert (source["host_uptime_s"], source["processor_busy_fractions"]) == (60, [0.25, 1.0])


def test_objects_that_the_agent_does_not_have(counters_of):
    counters = counters_of("""\
IF-MIB::ifDescr.1 = STRING: eth0
IF-MIB::ifInOctets.1 = Counter32: 77
IF-MIB::ifOutOctets.1 = No Such Object available on this agent at this OID
IF-MIB::ifAlias.1 = No Such Instance currently exists at this OID
""")
    assert counters.samples.in_octets.tolist() == [77]
    assert counters.samples.out_octets.isna().all()
    assert counters.interfaces.alias.isna().all()
    assert counters.problems.empty


def test_octets_in_quotes(counters_of):
    """snmpwalk -Oq prints them without their type."""
    counters = counters_of('IF-MIB::ifPhysAddress.1 "02 00 5E 00 53 01 "\nIF-MIB::ifInOctets.1 77\n')
    assert counters.interfaces.mac_address.tolist() == ["02:00:5e:00:53:01"]
    assert counters.samples.in_octets.tolist() == [77]


def test_a_date_without_a_zone_is_no_time(counters_of):
    counters = counters_of(
        "2013-11-20 12:00:00\nIF-MIB::ifDescr.1 = STRING: eth0\nIF-MIB::ifInOctets.1 = Counter32: 77\n"
    )
    assert counters.samples.time.isna().all()


def test_speeds_that_cannot_be_are_told_once(counters_of, said):
    counters = counters_of("".join(
        f"IF-MIB::ifType.{n} = INTEGER: ethernetCsmacd(6)\nIF-MIB::ifSpeed.{n} = Gauge32: 1000\n"
        f"IF-MIB::ifInOctets.{n} = Counter32: {n}\n" for n in (1, 2)
    ))  # fmt: skip
    assert counters.interfaces.speed_bps.isna().tolist() == [True, True]
    assert [line.partition(": ")[2] for line in said(counters)] == [
        "inconsistent: ifSpeed: found 1000 bit/s, expected the speed of an Ethernet interface; taken as not known"
    ]


COUNTERS = (
    *("ifHCInOctets", "ifHCOutOctets", "ifHCInUcastPkts", "ifHCInMulticastPkts", "ifHCOutBroadcastPkts", "ifInErrors"),
    *("ifOutDiscards", "ifHighSpeed", "ifSpeed", "ifMtu", "ifInOctets", "ifInNUcastPkts", "ifType", "ifOperStatus"),
)
RATES = [pytest.approx(8e6)] * 2
SOUND = ("ifHCInOctets", "ifHCOutOctets", "ifHCInUcastPkts", "ifHCOutUcastPkts")


@pytest.mark.parametrize("count", [2**32 - 1, 2**64 - 1])
@pytest.mark.slow
def test_all_ones_in_any_column_spoil_nothing_beside_them(tmp_path, capsys, count):
    """Broken agents answer counts whose bits are all set; the sum of several was more than a table holds."""
    walks = tmp_path / "walks"
    walks.mkdir()
    for column in COUNTERS:
        lines = []
        for reading in range(3):
            values = dict.fromkeys(SOUND, 10**9 + reading * 3 * 10**7)
            values[column] = count if reading == 1 else values.get(column, 5)
            lines += [f"{1795261200 + 30 * reading}", f"IF-MIB::ifName.1 = STRING: {column}"]
            lines += [f"IF-MIB::{name}.1 = Counter64: {value}" for name, value in values.items()]
        (walks / f"{column}.txt").write_text("\n".join(lines) + "\n")
    archive = tmp_path / "archive"
    assert main(["archive", "add", str(archive), str(walks)]) == 0
    for given in (walks, archive):
        assert main(["counters", str(given), "--format", "json"]) == 0
        assert main(["counters", str(given), "--table", "samples"]) == 0
        assert main(["traffic", str(given), "--table", "slots"]) == 0
    capsys.readouterr()
    counters = read_counters(walks)
    assert len(counters.samples) == 3 * len(COUNTERS)
    sound = counters.rates[~counters.rates["interface"].str.startswith("ifHC") | (count == 2**64 - 1)]
    of = sound.groupby("interface")
    assert of["in_bps"].apply(list).drop("ifHCInOctets", errors="ignore").map(lambda bps: bps == RATES).all()
    assert of["out_bps"].apply(list).drop("ifHCOutOctets", errors="ignore").map(lambda bps: bps == RATES).all()
    assert sound.loc[sound["interface"] == "ifHCInOctets", "in_bps"].isna().all()
    assert sound.loc[sound["interface"] == "ifHCOutOctets", "out_bps"].isna().all()


def test_variables_on_one_line(counters_of):
    text = (
        "IF-MIB::ifHCInOctets.1 = Counter64: 7\n"
        "IF-MIB::ifHCInOctets.2 = Counter64: 35IF-MIB::ifHCInOctets.3 = Counter64: 0\n"
    )
    assert counters_of(text).samples.in_octets.tolist() == [7, 35, 0]
