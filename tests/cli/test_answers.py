"""What short commands answer: a rate below TCP's limit, and a purchase without a path."""

import pytest

from hecn_analysis.cli import main
from hecn_analysis.cli.whatif import with_unit


def test_a_rate_below_the_limit_is_explained_by_a_window_or_a_loss(capsys):
    assert main(["limits", "tcp", "--rtt=80ms", "--rate=10Gb/s", "--mtu=9000", "--measured=3.2Gb/s"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("3.20 Gb/s over 80.0 ms is 32.0 MB in flight. A window of that size would explain it, or, ")
    lost = float(last.partition("one packet in ")[2].partition(" ")[0].replace(",", ""))
    assert main(["limits", "tcp", "--rtt=80ms", "--mtu=9000", f"--loss={1 / lost}", "--format=csv"]) == 0
    names, values = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert float(dict(zip(names, values, strict=True))["loss_limit_bps"]) == pytest.approx(3.2e9, rel=0.05)


@pytest.mark.parametrize("stated", ["--window=32MiB", "--loss=1e-6"])
def test_where_window_or_loss_is_stated_none_is_guessed(stated, capsys):
    assert main(["limits", "tcp", "--rtt=80ms", "--rate=10Gb/s", stated, "--measured=0.2Gb/s"]) == 0
    assert "would explain" not in capsys.readouterr().out


def test_a_purchase_without_a_path_names_the_one_it_takes(capsys):
    assert main(["purchase", "--target=9Gb/s", "--between=memory", "--assume-prices"]) == 0
    out, err = capsys.readouterr()
    assert "over lan-10ge" in out
    assert "path not given: lan-10ge assumed" in err


def test_a_target_of_a_line_s_own_rate_says_what_the_line_carries(capsys):
    assert main(["purchase", "--target=10Gb/s", "--between=memory"]) == 0
    out, err = capsys.readouterr()
    assert (
        "hecn: parts with a published price do not reach 10Gb/s: those with an assumed price are bought, too\n" in err
    )
    assert "sender to receiver over lan-25ge" in out
    assert "hecn: 10GE carries at most 9.90 Gb/s of data: to fill it, give a target of 9.5Gb/s\n" in err


def test_a_purchase_beyond_all_local_paths_asks_for_one(capsys):
    assert main(["purchase", "--target=900Gb/s", "--assume-prices"]) == 1
    assert capsys.readouterr().err == "hecn: found a target of 900Gb/s, expected at most 396 Gb/s, or --path NAME\n"


@pytest.mark.parametrize(
    ("words", "remark"),
    [
        ("limits tcp --rtt 80 --rate 10Gb/s", "--rtt=80 is read as 80.0 s"),
        ("limits tcp --rtt 80ms --window 64", "--window=64 is read as 64 B"),
        ("limits tcp --rtt 80ms --window 64M", "--window=64M is read as 67108864 B"),
        ("limits tcp --rtt 80ms --rate 10Gb/s --measured 3.2", "--measured=3.2 is read as 3.20 b/s"),
        ("limits buffer --ingress 10 --egress 1 --buffer 512KiB --burst 64KiB", "--ingress=10 is read as 10.0 b/s"),
    ],
)
def test_a_number_without_a_unit_is_read_with_a_warning(words, remark, capsys):
    assert main(words.split()) == 0
    assert f"hecn: {remark}: write the unit if you mean another\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", ["tcp --rtt 0.08s --mtu 9000 --window 65536", "pcie --gen 3 --lanes 8 --max-payload 256"]
)
def test_sizes_and_counts_need_no_unit(words, capsys):
    assert main(["limits", *words.split()]) == 0
    assert capsys.readouterr().err == ""


WALK = """\
SNMPv2-MIB::sysName.0 = STRING: core
IF-MIB::ifName.1 = STRING: Te1/1
IF-MIB::ifHCInOctets.1 = Counter64: {octets}
IF-MIB::ifHCOutOctets.1 = Counter64: 7
"""


def test_walks_without_a_time_say_what_they_lack_instead_of_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, octets in (("one.txt", 1000), ("two.txt", 3000)):
        (tmp_path / name).write_text(WALK.format(octets=octets))
    assert main(["traffic", "one.txt", "two.txt"]) == 1
    told = (
        "hecn: found no time in the readings, expected one for each, since a rate is octets over time: "
        "write the output of 'date' above each walk, or poll with 'hecn snmp poll'\n"
    )
    assert capsys.readouterr() == ("", told)
    for name, time in (("one.txt", "10:00:00"), ("two.txt", "10:05:00")):
        (tmp_path / name).write_text(f"Fri Nov 20 {time} UTC 2026\n" + (tmp_path / name).read_text())
    assert main(["traffic", "one.txt"]) == 1
    assert capsys.readouterr().err == (
        "hecn: 1 reading, but no two of one port at different times: a rate takes two, such as two walks some minutes "
        "apart\n"
    )
    assert main(["traffic", "one.txt", "two.txt", "--format=csv"]) == 0
    assert capsys.readouterr().err == (
        "hecn: found 1 slot, expected at least 20: with fewer, the 95th percentile is the peak; give a longer time, or "
        "a shorter --slot\n"
    )


def test_slots_shorter_than_the_averages_are_named_as_why_no_percentile_follows(capsys):
    assert main(["traffic", "data/counters/session/port1.log", "--slot=1s"]) == 0
    assert capsys.readouterr().err.endswith(
        "hecn: no 95th percentile: the averages are longer than a slot; --table bounds has bounds of it\n"
    )


def test_a_path_is_told_the_buffers_to_set_on_each_system(capsys):
    freebsd = "net.inet.tcp.recvbuf_max=268435456 net.inet.tcp.sendbuf_max=268435456"
    assert main(["limits", "tcp", "--rtt", "80ms", "--rate", "10Gb/s"]) == 0
    assert capsys.readouterr().out.splitlines()[5:] == [
        "",
        "Window to set: at least 100 MB, the BDP.",
        "About half of a Linux buffer is window: allow 256 MiB on both hosts, and let the kernel tune (no -w).",
        "  Linux    sysctl -w net.ipv4.tcp_rmem='4096 131072 268435456' net.ipv4.tcp_wmem='4096 65536 268435456'",
        f"  FreeBSD  sysctl kern.ipc.maxsockbuf=536870912 {freebsd}",
        "  Windows  netsh int tcp set global autotuninglevel=experimental (up to 1 GiB; normal ends at 16 MiB)",
        "On Linux, a program that sets its own window (iperf3 -w) needs net.core.rmem_max and wmem_max of 268435456.",
        "",
        "Loss that CUBIC tolerates at the full rate: one packet in 30,000,000.",
    ]


def test_a_window_is_told_the_streams_that_fill_the_line(capsys):
    assert main(["limits", "tcp", "--rtt", "120ms", "--rate", "10Gb/s", "--window", "16MiB"]) == 0
    assert "Windows of 16.8 MB fill the line with 9 streams. Or:\nWindow to set: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("2ms --rate 1Gb/s", "  Linux    the defaults suffice: buffers of up to 6 MiB (tcp_rmem) and 4 MiB (tcp_wmem)"),
        ("80ms --rate 400Gb/s", "No window is larger than 1 GiB (RFC 7323): use 4 streams or more."),
        (
            "80ms --rate 400Gb/s --streams 4",
            "Window to set of each of 4 streams: at least 1.00 GB, its share of the BDP.",
        ),
        ("80ms --rate 400Gb/s --streams 4", "  Linux    sysctl -w net.ipv4.tcp_rmem='4096 131072 2147483647' "),
    ],
)
def test_the_window_to_set_follows_from_the_share_of_each_stream(words, told, capsys):
    assert main(["limits", "tcp", "--rtt", *words.split()]) == 0
    assert any(line.startswith(told) for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("words", ["", "--rate 10Gb/s --window 128MiB", "--rate 10Gb/s --loss 1e-5"])
def test_no_window_is_named_without_a_rate_with_enough_of_it_or_on_a_lossy_path(words, capsys):
    assert main(["limits", "tcp", "--rtt=80ms", *words.split()]) == 0
    told = capsys.readouterr().out
    assert told.startswith("throughput")
    assert "indow" not in told.replace("window_limit", "")


HOST = "nic=100g slot=gen3x8 disks=8x990pro"


def test_a_prediction_held_by_one_process_says_what_more_of_them_would_reach(capsys):
    assert main(["predict", "--host", HOST]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("More processes")]
    most = "50.6 Gb/s: the slot of the receiver's network card (PCIe 3.0 x8)"
    assert told == [f"More processes, each on its own core (--set tool.processes=N), would allow at most {most}."]
    assert main(["predict", "--host", HOST, "--set", "tool.processes=8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("gridftp (8 processes) sender to receiver: 50.6 Gb/s")
    assert "More processes" not in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "nic=100g slots=gen3x8"], "did you mean 'slot'?"),
        (["--host", "nic=100g disk=8x990pro"], "did you mean 'disks'?"),
        (["--set", "path.rtt", "80ms"], "expected KEY=VALUE without a blank, such as path.rtt=VALUE"),
        (
            ["data/transfers/before"],
            "of a folder of logs, hecn diagnose finds the limit, and hecn app opens the scenario",
        ),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(words, told, capsys):
    assert main(["predict", *words]) == 1
    assert capsys.readouterr().err.endswith(f"{told}\n")


def test_a_host_in_words_replaces_the_hosts_of_a_scenario(capsys):
    assert main(["predict", "hotlava-transmit", "--host", "nic=100g slot=gen3x8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("nuttcp (6 processes) sender to receiver over back-to-back-6x10ge: ")
    assert "limited by the slot of the receiver's network card (PCIe 3.0 x8)" in out
    assert "x16" not in out


def test_the_first_look_of_a_folder_says_where_the_measured_rate_stands(capsys):
    assert main(["app", "data/transfers/over_time", "--check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Measured: 14.0 Mb/s."
    assert main(["app", "hotlava-transmit", "--check"]) == 0
    assert "Measured" not in capsys.readouterr().out


def test_values_of_a_range_are_shown_with_their_unit():
    row = {"path.rtt": 0.0028854, "tool.request": 65536, "path.rate": 1e9, "tool.streams": 2, "throughput_bps": 1e9}
    shown = [with_unit(name, value) for name, value in row.items()]
    assert shown == ["2.89 ms", "65.5 kB", "1.00 Gb/s", 2, 1e9]


def test_the_time_of_a_fixed_amount_is_told(capsys):
    words = ["--sender=ideal", "--receiver=ideal", "--set", "path.rate=10Gb/s", "path.rtt=20ms", "path.loss=0"]
    assert main(["predict", *words, "tool.bytes=40TB", "tool.processes=2"]) == 0
    assert "\n80.0 TB take 18.9 h (90 % of single runs between " in capsys.readouterr().out
    assert main(["predict", *words, "tool.duration=10s"]) == 0
    assert " take " not in capsys.readouterr().out


def test_rates_of_disks_are_told_in_bytes_and_bits(capsys):
    assert main(["limits", "raid", "--level=6", "--disks=12", "--disk-rate=250MB/s", "--op=read"]) == 0
    assert capsys.readouterr().out == "throughput  2.50000 GB/s (20.0000 Gb/s)\n"


def test_an_amount_at_a_measured_rate_has_its_time(capsys):
    assert main(["limits", "tcp", "--rtt", "62ms", "--rate", "10Gb/s", "--bytes", "40TB", "--measured", "3.1Gb/s"]) == 0
    assert capsys.readouterr().out.endswith("\n40.0 TB at 3.10 Gb/s take 28.7 h.\n")


def test_a_third_set_to_compare_is_one_too_many(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "monday", "tuesday", "wednesday"])
    assert capsys.readouterr().err.startswith("hecn compare: unexpected argument 'wednesday' after A and B (see: ")


def test_half_the_name_of_an_option_suggests_the_whole_names(capsys):
    with pytest.raises(SystemExit):
        main(["limits", "lag", "--links", "2", "--rate", "10Gb/s", "--flows", "4"])
    assert "unknown option '--rate'; did you mean '--link-rate' or '--flow-rate'?" in capsys.readouterr().err
