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
from hecn_analysis.diagnosis.result import AS_EXPECTED, BELOW, UNDETERMINED
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.files import streams
from hecn_analysis.files.opening import File
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.report import ports, tables
from hecn_analysis.report.finding import finding, key_figures
from hecn_analysis.runs.alike import groups, with_conditions

BEFORE = data_dir() / "transfers" / "before"


@pytest.fixture(scope="module")
def before():
    return read_folder(BEFORE)


@pytest.fixture(scope="module")
def verdicts(before):
    return of_folder(before)


def labels(folder):
    return [one.label for one in key_figures(folder, of_folder(folder))]


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


@pytest.mark.slow
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


def test_what_nothing_bounds_has_no_expected_rate(before, verdicts):
    assert [one.expected_bps for one in verdicts] == [None, None]
    assert labels(before) == ["Runs", "Median", "Likeliest cause"]
    assert "; expected " not in finding(before, verdicts)


def test_the_finding_names_the_runs_the_cause_and_how_sure_that_is(before, verdicts):
    said = finding(before, verdicts)
    assert said.startswith("12 runs of 2 kinds; the slowest: nuttcp tcp send, 6 s, RTT below 5 ms: 9.39 Mb/s (")
    assert verdicts[0].finding in said.lower()
    assert f"{100 * verdicts[0].causes[0].probability:.0f} %" in said


def test_causes_quote_lines_that_stand_in_the_files(before, verdicts):
    rows = tables.causes_table(before, verdicts)
    quoted = rows[rows["place"] != ""]
    assert len(quoted) > 3
    for place in quoted["place"]:
        name, _, line = place.rpartition(":")
        assert 1 <= int(line) <= len((BEFORE / name).read_text().splitlines())
    first = rows[rows["class"].notna()].iloc[0]
    assert (first["class"], first["probability"]) == (verdicts[0].causes[0].kind, verdicts[0].causes[0].probability)


def test_each_question_is_asked_once_and_the_most_telling_first(verdicts):
    rows = tables.questions_table(verdicts)
    assert rows["what"].is_unique
    assert rows["bits"].is_monotonic_decreasing
    assert rows["what"].str.contains("rate of the circuit").any()


def test_a_line_that_a_note_states_is_a_fact_with_its_place_and_bounds_what_is_expected(tmp_path):
    shutil.copy(BEFORE / "nuttcp.txt", tmp_path)
    (tmp_path / "notes.txt").write_text("from the lab\ncircuit: 10 Mb/s\n")
    folder = read_folder(tmp_path)
    verdicts = of_folder(folder)
    facts = tables.facts_table(folder, verdicts)
    assert ["Circuit", "10.0 Mb/s", "notes.txt:2", "circuit: 10 Mb/s"] in facts.to_numpy().tolist()
    assert verdicts[0].verdict == AS_EXPECTED
    assert verdicts[0].causes[0].kind == "link"
    assert labels(folder)[:3] == ["Runs", "Median", "Expected"]
    assert "; expected " in finding(folder, verdicts)
    assert folder.refused.empty
    assert "lines about a transfer" in set(folder.sources["kind"])


def test_a_captured_speed_bounds_what_is_expected(tmp_path):
    shutil.copytree(data_dir() / "inventory" / "virtual-machine", tmp_path / "x" / "host")
    port = tmp_path / "x" / "host" / "ethtool-eth0.txt"
    port.write_text(port.read_text().replace("Speed: Unknown!", "Speed: 10Mb/s"))
    shutil.copy(BEFORE / "nuttcp.txt", tmp_path / "x")
    folder = read_folder(tmp_path / "x")
    verdicts = of_folder(folder)
    facts = tables.facts_table(folder, verdicts).set_index("name")
    assert facts.loc["Slowest port", "place"].startswith("host/ethtool-eth0.txt:")
    assert verdicts[0].expected_bps < 10e6
    # A port of today at 10 Mb/s is hardly meant to be one
    assert (verdicts[0].verdict, [cause.kind for cause in verdicts[0].causes[:2]]) == (BELOW, ["duplex", "link"])
    assert "negotiation" in verdicts[0].changes[0].what


@pytest.mark.slow
def test_each_kind_is_judged_by_itself_and_ports_are_compared_with_runs():
    folder = read_folder(data_dir() / "counters" / "session")
    verdicts = of_folder(folder)
    rows = tables.verdict_table(verdicts)
    assert rows["condition"].is_unique
    assert rows["runs"].sum() == folder.runs["rate_bps"].notna().sum()
    table = ports.port_table(folder)
    assert {"switch port1", "switch port2"} <= set(table["port"])
    assert "agrees" in set(ports.agreement(folder)["verdict"])


def test_a_full_core_that_the_tool_reports_is_the_cause_and_is_quoted(tmp_path):
    measured, share = 31.6e9, 0.99
    amount, rate = f"{measured / 8 * 10 / 2**20:.4f} MB / 10.00 sec", f"{measured / 1e6:.4f} Mbps"
    (tmp_path / "log.txt").write_text(f"{amount} = {rate} {share * 100:.0f} %TX 20 %RX 0.05 msRTT\n")
    folder = read_folder(tmp_path)
    verdicts = of_folder(folder)
    [one] = verdicts
    assert one.causes[0].kind == "cpu-sender"
    assert sum(cause.probability for cause in one.causes) == pytest.approx(1)
    rows = tables.causes_table(folder, verdicts)
    assert rows.iloc[0][["class", "place"]].tolist() == ["cpu-sender", "log.txt:1"]
    assert "99 % of a core" in rows.iloc[0]["says"]
    assert (tables.changes_table(verdicts)["throughput_bps"] > measured).all()
    assert "First change: " in finding(folder, verdicts)


def ping(ms, lost=0):
    return (
        "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n\n--- 192.0.2.1 ping statistics ---\n"
        f"100 packets transmitted, {100 - lost} received, {lost}% packet loss, time 9904ms\n"
        f"rtt min/avg/max/mdev = {ms}/{ms}/{ms}/0.0 ms\n"
    )


def test_pings_alone_say_distance_and_losses(tmp_path):
    (tmp_path / "ping.txt").write_text(ping(88.1, lost=10))
    folder = read_folder(tmp_path)
    verdicts = of_folder(folder)
    said = finding(folder, verdicts)
    assert said.startswith("ping: an RTT of 88.1 ms, 10.00 % of the packets lost.")
    assert "ackets are lost on the path" in said
    assert verdicts[0].causes[0].kind == "loss"
    causes = tables.causes_table(folder, verdicts)
    assert causes.iloc[0]["place"] == "ping.txt:4"
    assert tables.probes_table(folder)["path_rtt_s"].tolist() == [0.0881]
    assert tables.measured_table(verdicts).empty


def test_disks_alone_have_a_verdict_and_no_expected_rate():
    folder = read_folder(data_dir() / "logs" / "c-systems-dd.txt")
    verdicts = of_folder(folder)
    assert finding(folder, verdicts).startswith("2 runs of 2 kinds; the slowest: dd write, 69 GB: 2.56 GB/s (1 run)")
    assert [one.causes[0].kind for one in verdicts] == ["disk-write", "disk-read"]
    assert "Expected" not in labels(folder)
    measured = tables.measured_table(verdicts)
    assert measured["rtt_s"].isna().all()


def test_an_aborted_run_is_told(tmp_path):
    (tmp_path / "log.txt").write_text("iperf3: error - unable to connect to server: Connection refused\n")
    folder = read_folder(tmp_path)
    said = finding(folder, of_folder(folder))
    assert said.startswith(("The one run was aborted.", "No file could be read."))


def test_a_folder_without_anything_known_has_a_finding_and_no_more(tmp_path):
    (tmp_path / "a <b>.txt").write_text("hello")
    folder = read_folder(tmp_path)
    assert folder.is_empty
    verdicts = of_folder(folder)
    assert [one.verdict for one in verdicts] == [UNDETERMINED]
    assert finding(folder, verdicts).startswith("No file could be read. The one file in it")
    assert labels(folder) == ["Files read"]
    assert ports.port_table(folder).empty
    assert ports.agreement(folder).empty
    assert tables.causes_table(folder, verdicts).empty
    assert tables.changes_table(verdicts).empty
    assert tables.facts_table(folder, verdicts).empty
    assert len(tables.questions_table(verdicts)) >= 1


def test_hosts_alone_and_ports_alone_have_findings():
    hosts = read_folder(data_dir() / "inventory")
    assert finding(hosts, of_folder(hosts)).startswith("One captured host")
    folder = read_folder(data_dir() / "counters" / "samples" / "bwm-ng" / "rate.csv")
    assert finding(folder, of_folder(folder)).startswith("No runs; ")


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


@pytest.mark.slow
def test_a_long_unknown_text_is_refused_with_what_was_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("hecn_analysis.files.documents.LOOKED_AT", 1 << 20)
    (tmp_path / "syslog").write_text("Nov 23 10:00:00 dtn1 cron[1]: hello\n" * 60_000)
    (tmp_path / "note").write_text("hello\n")
    why = read_folder(tmp_path).refused.set_index("file")["why"]
    assert why["note"] == "no log of a tool, no counters and no captured output that is known here"
    assert why["syslog"].startswith("no log of a tool; in its first ")
