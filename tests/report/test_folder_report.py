"""Reports of folders that nobody has described: what is read, what is known, what is concluded, and what is not."""

import gzip
import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.files import streams
from hecn_analysis.files.opening import File
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.report import causes, expected, known, ports, steps
from hecn_analysis.runs.alike import groups, with_conditions

BEFORE = data_dir() / "transfers" / "before"


@pytest.fixture(scope="module")
def before():
    return read_folder(BEFORE)


@pytest.fixture(scope="module")
def kinds(before):
    return expected.expectations(before)


def facts_of(one):
    return {fact.key: (fact.words, fact.basis) for fact in one.facts}


def test_a_mixed_folder_is_read_by_all_readers_and_what_nobody_knows_is_named(before):
    kinds = before.sources.groupby("kind")["source_file"].nunique()
    assert set(kinds.index) == {"runs of a tool", "counters of ports", "captured on a host"}
    assert before.refused[["file", "kind"]].to_numpy().tolist() == [["notes.txt", "unrecognised"]]
    assert before.damaged.empty
    assert {"iperf3-1.json", "nuttcp.txt", "sar.txt", "here/lscpu.txt"} <= set(before.sources["file"])


def test_a_log_is_not_read_again_to_say_which_command_reads_it(monkeypatch):
    hint = "hecn_analysis.ingest.reading.other_command_hint"
    monkeypatch.setattr(hint, lambda *_: pytest.fail("all readers are asked anyway"))
    found = read_folder(data_dir() / "logs" / "c-systems-dd.txt")
    assert found.counters.problems["kind"].tolist() == found.inventory.problems["kind"].tolist() == ["unrecognised"]
    assert str(found) == "1 file read, 0 not, 2 runs"


def test_each_file_is_opened_once(monkeypatch):
    opened = []
    open_file = File.open
    monkeypatch.setattr(File, "open", lambda file: opened.append(file.name) or open_file(file))
    found = read_folder(BEFORE)
    assert sorted(opened) == sorted(str(path) for path in BEFORE.rglob("*") if path.is_file())
    assert len(found.runs) > 0
    assert len(found.counters.rates) > 0
    assert len(found.inventory.hosts) > 0


def test_one_file_may_hold_runs_counters_and_outputs(tmp_path):
    ticket = tmp_path / "ticket.txt"
    ticket.write_text(
        "$ dd if=a of=b\n1000000 bytes (1.0 MB) copied, 0.5 s, 2.0 MB/s\n"
        "IF-MIB::ifHCInOctets.1 = Counter64: 1000\n$ cat /proc/meminfo\nMemTotal: 16777216 kB\nMemFree: 1 kB\n"
    )
    kinds = read_folder(ticket).sources["kind"]
    assert sorted(kinds) == ["captured on a host", "counters of ports", "runs of a tool"]


def test_counters_that_grow_too_much_when_unpacked_are_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "FREE_WHOLE", 300_000)
    walk = b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n" * 40_000
    (tmp_path / "walk.txt.gz").write_bytes(gzip.compress(walk))
    found = read_folder(tmp_path)
    assert found.counters.problems["message"].str.contains("grow to more than 200 times").tolist().count(True) == 1
    assert not found.reading.problems["message"].str.contains("grow to more").any()


def test_the_command_says_where_files_are_damaged(tmp_path, monkeypatch, capsys):
    made = SimpleNamespace(html=None, remarks=(), error=None)
    log = tmp_path / "dd.txt"

    def make(_names, _target, parameters, **_):
        read_folder(parameters["folder"])  # as the notebook does
        return [made]

    monkeypatch.setattr("hecn_analysis.briefs.make_briefs", make)
    log.write_text("1+0 records in\n1+0 records out\n")
    assert main(["report", str(log), "-o", str(tmp_path / "report")]) == 1
    assert f"hecn: {log}:2: truncated: found the records in and out and no report" in capsys.readouterr().err


def test_repeats_of_a_test_are_one_kind_whatever_their_files_are_called(before):
    table = groups(before.runs)
    assert dict(zip(table["tool"], table["runs"], strict=True)) == {"iperf3": 6, "nuttcp": 6, "ping": 0, "tc": 0}


def test_the_line_is_assumed_where_no_file_says_its_rate_and_the_verdict_says_so(kinds):
    for one in kinds:
        assert facts_of(one) == {
            "path.rate": ("10.0 Mb/s", "assumed"),
            "path.mtu": ("1500 B", "captured"),
            "path.rtt": ("58.0 µs", "logged"),
            "sender": ("as captured", "captured"),
            "receiver": ("no limit", "assumed"),
        }
        assert one.verdict == "as expected (assumed limit)"
        assert "if the line rate is 10.0 Mb/s, which the folder does not confirm" in one.why
        best = causes.candidates(one)[0]
        assert (best.kind, best.probability > 0.9) == ("link", True)


def test_the_next_test_is_the_one_that_tells_what_was_assumed(before, kinds):
    assert steps.next_tests(before, kinds)["how"].tolist() == ["ethtool INTERFACE"]


def test_the_finding_does_not_claim_what_no_file_says(before, kinds):
    said = steps.finding(before, kinds)
    assert said.startswith("12 runs of 2 kinds; most are iperf3 tcp send")
    assert "the capacity of an assumed line of" in said


def test_a_captured_speed_goes_before_an_assumed_one(tmp_path):
    shutil.copytree(data_dir() / "inventory" / "virtual-machine", tmp_path / "x" / "host")
    port = tmp_path / "x" / "host" / "ethtool-eth0.txt"
    port.write_text(port.read_text().replace("Speed: Unknown!", "Speed: 1000Mb/s"))
    shutil.copy(BEFORE / "nuttcp.txt", tmp_path / "x")
    folder = read_folder(tmp_path / "x")
    one = expected.expectations(folder)[0]
    assert facts_of(one)["path.rate"] == ("1.00 Gb/s", "captured")
    assert one.verdict == "below"
    assert causes.candidates(one)[0].name == causes.OTHER
    assert "the folder does not show the bottleneck" in steps.finding(folder, [one])


def test_counters_name_the_line_and_jumbo_frames_are_concluded_from_rates_that_do_not_fit():
    folder = read_folder(data_dir() / "counters" / "session")
    kinds = expected.expectations(folder)
    assert {facts_of(one)["path.rate"] for one in kinds if one.facts} == {("400 Mb/s", "counted")}
    assert {facts_of(one)["path.mtu"][1] for one in kinds if one.facts} == {"assumed", "concluded"}
    assert [one.verdict for one in kinds if one.group["protocol"] == "udp"] == ["not compared"]
    table = ports.port_table(folder)
    assert {"switch port1", "switch port2"} <= set(table["port"])
    assert "agrees" in set(ports.agreement(folder)["verdict"])


@pytest.mark.parametrize(
    ("measured", "share", "kind"),
    [(31.6e9, 0.99, "cpu"), (8e9, 0.3, "other"), (9.4e9, 0.2, "link")],
)
def test_what_holds_back_is_what_says_that_rate(measured, share, kind, tmp_path):
    amount, rate = f"{measured / 8 * 10 / 2**20:.4f} MB / 10.00 sec", f"{measured / 1e6:.4f} Mbps"
    (tmp_path / "log.txt").write_text(f"{amount} = {rate} {share * 100:.0f} %TX 20 %RX 0.05 msRTT\n")
    folder = read_folder(tmp_path)
    [one] = expected.expectations(folder)
    assert causes.candidates(one)[0].kind == kind
    assert sum(each.probability for each in causes.candidates(one)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("rate", "line"), [(9.41e9, 10e9), (9.99e9, 25e9), (3e9, 10e9), (2.3e9, 2.5e9), (94e6, 100e6), (5e12, 800e9)]
)
def test_the_next_usual_line_carries_the_run(rate, line):
    assert known.next_rate(rate) == line


def test_pings_of_several_paths_say_no_round_trip_time(tmp_path):
    for name, ms in (("a", 0.2), ("b", 80.0)):
        rows = "".join(f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=64 time={ms} ms\n" for n in (1, 2))
        (tmp_path / name).write_text(
            f"PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n{rows}\n--- 192.0.2.1 ping statistics ---\n"
            "2 packets transmitted, 2 received, 0% packet loss, time 1001ms\n"
            f"rtt min/avg/max/mdev = {ms}/{ms}/{ms}/0.0 ms\n"
        )
    (tmp_path / "c").write_text("1178.1250 MB /  10.00 sec =  988.2643 Mbps 2 %TX 4 %RX 0 retrans\n")
    [one] = expected.expectations(read_folder(tmp_path))
    assert facts_of(one)["path.rtt"] == ("not known", "assumed")


def test_a_folder_without_anything_known_has_a_finding_and_no_more(tmp_path):
    (tmp_path / "a <b>.txt").write_text("hello")
    folder = read_folder(tmp_path)
    assert folder.is_empty
    kinds = expected.expectations(folder)
    assert kinds == []
    assert steps.finding(folder, kinds).startswith("No file could be read. The one file in it")
    assert len(steps.next_tests(folder, kinds)) == 1
    assert ports.port_table(folder).empty
    assert ports.agreement(folder).empty
    assert expected.table(kinds).empty
    assert causes.causes_table(kinds).empty


def test_hosts_alone_and_ports_alone_have_findings():
    hosts = read_folder(data_dir() / "inventory")
    assert steps.finding(hosts, []).startswith("One captured host")
    folder = read_folder(data_dir() / "counters" / "session" / "walks.txt.gz")
    assert steps.finding(folder, []).startswith("No runs; ")


def test_damage_is_counted_and_the_rest_is_read(tmp_path):
    whole = (BEFORE / "iperf3-1.json").read_bytes()
    (tmp_path / "cut.json").write_bytes(whole[:3000])
    (tmp_path / "whole.json").write_bytes(whole)
    folder = read_folder(tmp_path)
    assert folder.damaged["kind"].tolist() == ["truncated"]
    assert folder.runs["rate_bps"].notna().sum() == 1


@pytest.mark.parametrize("make", [lambda path: path / "nothing", lambda path: path])
def test_nothing_there_is_one_line(make, tmp_path):
    with pytest.raises(InputError, match=r"^(found nothing at|.*found an empty folder)"):
        read_folder(make(tmp_path))


def test_classes_of_distance_do_not_chain():
    runs = hecn.read(BEFORE / "nuttcp.txt").runs
    many = pd.concat([runs.iloc[[0]].assign(rtt_s=rtt) for rtt in np.geomspace(0.01, 0.3, 40)], ignore_index=True)
    distances = with_conditions(many)["distance"]
    assert distances.nunique() >= 4
    for _, part in many["rtt_s"].groupby(distances):
        assert part.max() <= max(2 * part.min(), part.min() + 0.005)


def test_a_long_unknown_text_is_refused_with_what_was_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("hecn_analysis.files.documents.LOOKED_AT", 1 << 20)
    (tmp_path / "syslog").write_text("Nov 23 10:00:00 dtn1 cron[1]: hello\n" * 60_000)
    (tmp_path / "note").write_text("hello\n")
    why = read_folder(tmp_path).refused.set_index("file")["why"]
    assert why["note"] == "no log of a tool, no counters and no captured output that is known here"
    assert why["syslog"].startswith("no log of a tool; in its first ")
