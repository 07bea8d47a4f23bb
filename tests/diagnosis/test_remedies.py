"""Changes that follow from a verdict: their texts, numbers and order, and cases with a measured remedy."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest
import yaml

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis import remedies
from hecn_analysis.diagnosis.known import Known, quantities
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.limits.framing import goodput_bps
from tests.diagnosis import everyday as e

FILE = places.models_dir() / "remedies.yaml"
CLASSES = [
    *("window-tool", "window-host", "loss", "link", "shaper", "buffer-small", "start-up", "paced", "shared"),
    *("cpu-sender", "cpu-receiver", "disk-read", "disk-write", "receiver-app", "slot", "nic", "mtu", "duplex"),
    *("latency-protocol", "tool", "offload", "wifi", "udp", "other"),
]
WITHOUT = {"link", "paced", "other"}
NOTHING_KNOWN = Known(measured_bps=1e8)
FULL = Known(
    measured_bps=3.2e9,
    measured_low_bps=3.1e9,
    measured_high_bps=3.3e9,
    line_bps=10e9,
    line_basis="stated",
    rtt_s=0.08,
    mtu=9000,
    streams=1,
    tool="iperf3",
    duration_s=30,
    tcp_rmem_max=2**25,
    tcp_wmem_max=2**25,
    sender="dtn01.example.org",
    receiver="192.0.2.7",
    interface="eth0",
)  # fmt: skip
EXTREME = (
    Known(measured_bps=1e-3, rtt_s=1e-7, mtu=68),
    Known(measured_bps=1e15, rtt_s=900.0, mtu=0, line_bps=1e3, line_basis="stated"),
    Known(measured_bps=5e6, mtu=math.nan, line_bps=1e12, line_basis="port", rtt_s=math.inf, transfer_bytes=1),
    Known(measured_bps=5e6, streams=0, duration_s=0.0, limits={"loss": math.inf, "nic": 2e7}, sender_cpu_share=1e-9),
)


def schema_keys():
    """Keys of a scenario by the schemas of its parts."""
    ends = {"sender": "host", "receiver": "host", "path": "path", "tool": "tool"}
    schemas = {kind: json.loads((places.models_dir() / f"{kind}.schema.json").read_text()) for kind in ends.values()}
    return {f"{end}.{key}" for end, kind in ends.items() for key in schemas[kind]["properties"]}


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_has_changes_or_says_why_not(name):
    changes = remedies.changes({name: 1.0}, NOTHING_KNOWN)
    assert (remedies.nothing(name) is not None) == (name in WITHOUT) == (changes == ())


def test_the_file_has_the_classes_and_no_others():
    assert list(yaml.safe_load(FILE.read_text(encoding="utf-8"))) == [
        *CLASSES[: CLASSES.index("nic")],
        "slot-usb",
        *CLASSES[CLASSES.index("nic") :],
        "tiny",
        "damage",
        "shared-disk",
        "page-cache",
        "interrupts",
        "full-core",
        "one-thread",
    ]


@pytest.mark.parametrize("known", [NOTHING_KNOWN, FULL, *EXTREME])
@pytest.mark.parametrize("name", CLASSES)
def test_texts_are_filled_and_numbers_are_finite(name, known):
    for change in remedies.changes({name: 0.7, "other": 0.3}, known):
        for text in (change.what, change.command, change.check, change.source):
            assert text
            assert not re.search(r"[{}]|\bNone\b|\bnan\b|\binf\b", text), text
        assert known.measured_bps * 0.8 <= change.low_bps <= change.throughput_bps <= change.high_bps < math.inf
        assert 0 < change.probability <= 0.7
        for value in change.settings.values():
            assert not isinstance(value, str) or "{" not in value
            assert isinstance(value, bool | str) or (math.isfinite(value) and value >= 0)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - WITHOUT))
def test_texts_fit_the_lines_of_a_terminal(name):
    for change in remedies.changes({name: 1.0}, FULL):
        assert len(change.what) <= 110
        assert max(len(change.command), len(change.check)) <= 205


def test_settings_are_keys_of_a_scenario():
    keys = {
        key
        for entry in yaml.safe_load(FILE.read_text(encoding="utf-8")).values()
        for change in entry.get("changes", ())
        for key in change["settings"]
    }
    assert keys <= schema_keys()


def test_every_quantity_is_used():
    assert set(re.findall(r"\{(\w+)\}", FILE.read_text(encoding="utf-8"))) == set(quantities(FULL, 9e9))


def test_quantities_are_written_as_people_read_them():
    given = quantities(FULL, 9e9)
    assert (given["window_text"], given["bdp_text"], given["autotuned"]) == ("256 MiB", "100 MB", "32 MiB")
    assert FULL.goodput_bps == pytest.approx(9.9e9, rel=0.001)
    assert Known(measured_bps=1e8, line_bps=1e9).goodput_bps is None  # of no basis


def test_a_window_holds_twice_the_bandwidth_delay_product():
    (change, *_) = remedies.changes({"window-host": 0.9}, FULL)
    window = change.settings["receiver.tcp_rmem_max"]
    assert window >= 2 * 10e9 * 0.08 / 8
    assert window.bit_count() == 1
    assert f"net.ipv4.tcp_rmem='4096 131072 {window}'" in change.command
    assert change.settings["sender.tcp_wmem_max"] == window


def test_a_window_is_larger_than_the_present_one_and_no_larger_than_the_kernel_takes():
    short = Known(measured_bps=1e8, line_bps=1e9, line_basis="stated", rtt_s=0.001, tcp_rmem_max=2**26, tcp_wmem_max=0)
    assert quantities(short, 9e8)["window"] == 2**27
    assert quantities(Known(measured_bps=1e11, rtt_s=60.0), 1e11)["window"] == 2**30


@pytest.mark.parametrize("name", sorted(set(CLASSES) - WITHOUT))
@pytest.mark.parametrize("basis", ["stated", "port"])
def test_a_gain_never_exceeds_the_line(name, basis):
    known = Known(measured_bps=9e8, line_bps=1e9, line_basis=basis, supported_bps=1e9, rtt_s=0.01)
    for change in remedies.changes({name: 1.0}, known):
        assert change.high_bps <= 1.02 * goodput_bps(1e9, 1500)


def test_a_port_at_the_wrong_speed_bounds_no_gain_of_mending_it():
    known = Known(measured_bps=9.4e6, line_bps=1e7, line_basis="port", supported_bps=1e9)
    mended = remedies.changes({"duplex": 1.0}, known)[0]
    assert 9.4e7 < mended.high_bps <= 1.02 * goodput_bps(1e9, 1500)
    assert remedies.changes({"loss": 1.0}, known)[0].high_bps <= 1e7


def test_a_line_below_the_measured_rate_is_not_that_line():
    known = Known(measured_bps=9e8, line_bps=1e8, line_basis="port")
    assert known.goodput_bps is None
    assert remedies.changes({"loss": 1.0}, known)[0].throughput_bps > 9e8


def test_other_limits_stay():
    known = Known(measured_bps=1e8, line_bps=1e9, line_basis="stated", limits={"disk-write": 4e8, "loss": 1.1e8})
    first = remedies.changes({"loss": 0.9, "disk-write": 0.1}, known)[0]
    assert first.throughput_bps == pytest.approx(4e8, rel=0.03)
    assert remedies.changes({"disk-write": 1.0}, known)[0].throughput_bps == pytest.approx(9e8, rel=0.1)


def test_windows_that_stay_limit_and_windows_that_open_do_not():
    known = Known(measured_bps=1e8, line_bps=1e9, line_basis="stated", streams=1, limits={"window-host": 3e8})
    left_to_kernel, asked, streams = remedies.changes({"window-tool": 1.0}, known)
    assert left_to_kernel.throughput_bps == pytest.approx(3e8, rel=0.03)
    assert asked.throughput_bps > 8e8
    assert streams.settings == {"tool.streams": 8}
    assert streams.throughput_bps == pytest.approx(8e8, rel=0.01)


@pytest.mark.parametrize(("tool", "options"), [("iperf3", "iperf3 -P 8"), ("nuttcp", "nuttcp -N8")])
def test_options_are_those_of_the_tool(tool, options):
    known = Known(measured_bps=1e8, streams=1, tool=tool)
    assert options in {change.command for change in remedies.changes({"window-host": 1.0}, known)}


def test_the_likeliest_is_first_and_likely_classes_come_before_alternatives():
    found = remedies.changes({"cpu-sender": 0.45, "loss": 0.35, "disk-read": 0.16, "window-tool": 0.04}, FULL)
    firsts = [next(iter(change.settings)) for change in found]
    assert firsts[0] == "sender.cpu_share"
    assert set(firsts[1:3]) == {"path.loss", "sender.read_rate"}
    assert "tool.window" not in firsts
    assert len(found) == 6


@pytest.mark.parametrize("name", ["link", "paced"])
def test_healthy_runs_get_no_change(name):
    assert remedies.changes({name: 0.7, "loss": 0.3}, FULL) == ()
    doubtful = remedies.changes({name: 0.45, "shaper": 0.4, "loss": 0.15}, FULL)
    assert "path.rate" in doubtful[0].settings


def test_nothing_without_causes():
    assert remedies.changes({}, FULL) == ()
    assert remedies.changes({"loss": math.nan, "nic": -1.0}, FULL) == ()
    assert remedies.changes({"a class of tomorrow": 1.0}, FULL) == ()


@pytest.mark.parametrize("measured", [None, 0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", sorted(set(CLASSES) - WITHOUT))
def test_without_a_rate_there_are_changes_but_no_gains(name, measured):
    for change in remedies.changes({name: 1.0}, Known(measured_bps=measured)):
        assert (change.throughput_bps, change.low_bps, change.high_bps) == (None, None, None)
        assert not change.settings.keys() & {"path.rate", "path.queue", "tool.pace", "tool.bytes", "sender.read_rate"}
        assert "Mb/s" not in change.what


def test_without_a_rate_the_line_is_what_a_change_gives():
    change = remedies.changes({"duplex": 1.0}, Known(line_bps=1e9, line_basis="stated"))[0]
    assert 0.6e9 < change.low_bps < change.throughput_bps < change.high_bps < 1e9
    assert change.settings["path.rate"] == 1e9


def test_a_change_for_two_causes_is_listed_once():
    alike = [
        change
        for change in remedies.changes({"loss": 0.5, "buffer-small": 0.5}, FULL)
        if change.settings == {"sender.congestion_control": "bbr"}
    ]
    assert sum(change.probability for change in alike) == pytest.approx(0.5 * 0.8 + 0.5 * 0.6)


@pytest.mark.parametrize("name", ["x; rm -rf ~", "$(reboot)", "-oProxyCommand=x", "a\nb", ""])
def test_a_name_that_is_none_never_stands_in_a_command(name):
    known = Known(measured_bps=1e8, sender=name, receiver=name, interface=name, tool=name)
    for change in remedies.changes({"loss": 1.0}, known):
        assert not name or name not in change.what + change.command + change.check
        assert "HOST" in change.command or "the sender" in change.command or "the tool" in change.command


@pytest.mark.parametrize(("tool", "own"), [("rclone", "rclone --transfers 8"), ("globus", "start globus 8 times")])
def test_a_tool_gets_its_own_command(tool, own):
    changes = remedies.changes({"latency-protocol": 1.0}, Known(measured_bps=1e8, tool=tool))
    assert next(change for change in changes if change.what == "8 transfers at once").command.startswith(own)


def test_a_quota_is_counted_from_its_share():
    known = Known(measured_bps=1.6e9, sender_cpu_share=0.1)
    tenfold = remedies.changes({"cpu-sender": 1.0}, known)[0]
    assert 4 < tenfold.throughput_bps / known.measured_bps < 10
    assert tenfold.high_bps / tenfold.low_bps < 4


def test_udp_ends_its_loss_not_its_limit():
    known = Known(measured_bps=95.5e6, line_bps=100e6, line_basis="stated", protocol="udp")
    (change,) = remedies.changes({"udp": 1.0}, known)
    assert change.settings == {"tool.pace": 90_000_000}
    assert change.low_bps <= 89e6 <= change.high_bps < known.measured_bps


def test_ten_times_the_data_takes_longer_by_nine_times_at_the_line():
    known = Known(measured_bps=11.5e6, line_bps=50e6, line_basis="stated", rtt_s=0.1, transfer_bytes=2**20)
    change = remedies.changes({"start-up": 1.0}, known)[0]
    assert change.settings == {"tool.bytes": 10 * 2**20}
    before = 8 * 2**20 / 11.5e6
    assert change.throughput_bps == pytest.approx(80 * 2**20 / (before + 9 * 8 * 2**20 / 47e6), rel=0.05)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("      after: line\n", "      after: lines\n", "window-tool.changes.0.after"),
        ("  gain: 2.7\n", "  gain: -1\n", "window-tool.gain"),
        ('      check: "ss', '      chek: "ss', "window-tool.changes.0.chek"),
    ],
)  # fmt: skip
def test_damage_names_the_file_and_the_key(tmp_path, monkeypatch, old, new, message):
    copy = Path(shutil.copy(FILE, tmp_path))
    text = copy.read_text(encoding="utf-8")
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(places, "models_dir", lambda: tmp_path)
    remedies._classes.cache_clear()
    try:
        with pytest.raises(InputError, match=re.escape("remedies.yaml:")) as error:
            remedies.changes({"loss": 1.0}, NOTHING_KNOWN)
    finally:
        remedies._classes.cache_clear()
    assert message in str(error.value)


def known_of(truth):
    """What a good reader would know of a case: the line where the folder states it, the RTT unless evidence is poor."""
    line = truth["rate_bps"] if truth["line_in_folder"] else None
    amount = truth["remedy"]["settings"].get("tool.bytes")
    return Known(
        measured_bps=truth["before_bps"],
        measured_low_bps=min(truth["before_runs"]),
        measured_high_bps=max(truth["before_runs"]),
        line_bps=line,
        line_basis="none" if line is None else "stated",
        rtt_s=None if truth["evidence"] == "poor" else truth["rtt_s"] or None,
        mtu=truth["mtu"],
        streams=truth["streams"],
        tool=truth["tool"].split()[0],
        transfer_bytes=amount and amount / 10,
    )


def test_measured_remedies_are_among_the_first_two_and_inside_the_interval(corpus):
    truths = [json.loads(path.read_text()) for path in sorted((corpus / "verdict").glob("*/truth.json"))]
    truths = [truth for truth in truths if truth["remedy"] and truth["after_bps"] > 1.05 * truth["before_bps"]]
    if not truths:
        pytest.skip("the corpus has no cases with a remedy")
    rivals = ("window-host", "loss", "disk-write")
    first_two, inside, widths = [], [], []
    for truth in truths:
        causes = dict.fromkeys([name for name in rivals if name != truth["cause"]][:2], 0.05)
        found = remedies.changes({truth["cause"]: 0.9, **causes}, known_of(truth))
        keys = truth["remedy"]["settings"].keys()
        hits = [change for change in found if keys & change.settings.keys()]
        first_two.append(any(keys & change.settings.keys() for change in found[:2]))
        inside.append(hits != [] and hits[0].low_bps <= truth["after_bps"] <= hits[0].high_bps)
        widths += [math.log(hits[0].high_bps / hits[0].low_bps)] if hits else []
    width = math.exp(sum(widths) / len(widths))
    print(f"{len(truths)} remedies: {sum(inside)} inside intervals whose ends differ by a factor of {width:.2f}")
    assert sum(first_two) >= 0.85 * len(truths)
    assert sum(inside) >= 0.85 * len(truths)
    assert width < 4.5


def test_without_a_rate_no_text_holds_a_number_that_follows_from_one(monkeypatch):
    def texts():
        told = [change for name in CLASSES for change in remedies.changes({name: 0.9, "other": 0.1}, Known())]
        return [(change.what, change.command, change.check, dict(change.settings)) for change in told]

    before = texts()
    monkeypatch.setattr("hecn_analysis.diagnosis.known._ASSUMED_BPS", 7e9)
    assert texts() == before
    assert before


@pytest.mark.parametrize(
    ("tool", "limits", "is_proposed"),
    [("dd", {}, True), ("rsync", {}, False), ("dd", {"disk-write": 1.1e9}, False), ("dd", {"disk-write": 4e9}, True)],
    ids=["dd", "no option", "a slow disk", "a fast disk"],
)
def test_direct_requests_are_proposed_only_where_they_can_help(tool, limits, is_proposed):
    told = remedies.changes({"disk-write": 0.9}, Known(measured_bps=1e9, tool=tool, limits=limits))
    assert any(change.settings.get("tool.io") == "direct" for change in told) == is_proposed


@pytest.mark.parametrize(
    ("gbps", "sender", "first", "is_of_sender"),
    [(33, 9, "jumbo frames", False), (33, 99, "jumbo frames", True), (4, 50, "give the transfer on 10.30.0.12", True)],
    ids=["idle sender", "busy sender", "slow core"],
)
def test_a_full_core_at_a_high_rate_gets_larger_packets(tmp_path, gbps, sender, first, is_of_sender):
    text = e.iperf3_json([gbps * 1e9] * 10, cpu=(sender, 99.5), rtt=0.0001)
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    told = diagnose(tmp_path)[0].changes
    of_receiver = [one for one in told if not one.settings.keys() & {"sender.cpu_share"}]
    assert of_receiver[0].what.startswith(first)
    assert (len(of_receiver) < len(told)) == is_of_sender


@pytest.mark.parametrize(("mtu", "first"), [(1500, "jumbo frames"), (9000, "several processes")])
def test_jumbo_frames_are_proposed_where_there_are_none(mtu, first):
    told = remedies.changes(
        {"cpu-receiver": 0.9}, Known(measured_bps=4e10, mtu=mtu), entries={"cpu-receiver": "full-core"}
    )
    assert told[0].what.startswith(first)
