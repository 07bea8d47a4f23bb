"""Ends of a transfer named by what was captured on them."""

import json
import tarfile

import pytest

from hecn_analysis.cli import main

PATH = ["--receiver", "ideal", "--tool", "nuttcp", "--set", "path.rate=100Gb/s", "path.rtt=1ms", "path.mtu=9000"]


@pytest.fixture
def server(root):
    return root / "tests" / "inventory" / "samples" / "server"


def predicted(words, capsys):
    assert main(["predict", *words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_folder_and_an_archive_are_the_same_host(server, tmp_path, capsys):
    folder = predicted(["--sender", str(server), *PATH], capsys)
    with tarfile.open(tmp_path / "dtn1.tar.gz", "w:gz") as archive:
        archive.add(server, "dtn1")
    packed = predicted(["--sender", str(tmp_path / "dtn1.tar.gz"), *PATH], capsys)
    assert folder["sentence"].startswith("nuttcp dtn1 (captured) to ideal")
    assert packed["throughput_bps"] == folder["throughput_bps"]
    assert folder["bottleneck"] == "sender.slot.3b:00"


def test_a_setting_goes_over_what_was_captured(server, capsys):
    narrow = predicted(["--sender", str(server), *PATH, "sender.slots.3b:00.lanes=4"], capsys)
    assert 20e9 < narrow["throughput_bps"] < 30e9


def test_a_setting_without_effect_is_said(server, capsys):
    assert main(["predict", "--sender", str(server), *PATH, "sender.tcp_rmem_max=1MiB"]) == 0
    assert "sender.tcp_rmem_max has no effect: the sender receives no data" in "".join(capsys.readouterr())
    assert main(["predict", "--sender", str(server), *PATH]) == 0
    assert "has no effect" not in "".join(capsys.readouterr())


def test_two_hosts_are_no_end(server, tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lscpu.txt").write_text((server / "lscpu.txt").read_text().replace("dtn1", name))
    assert main(["predict", "--sender", str(tmp_path), *PATH]) == 1
    assert capsys.readouterr().err == (
        f"hecn: {tmp_path}: found 2 hosts (a, b), expected the captured output of one host (hecn capture)\n"
    )


def test_the_description_of_a_host_predicts_as_its_folder(server, tmp_path, capsys):
    assert main(["inventory", str(server), "-o", str(tmp_path / "host.yaml")]) == 0
    folder = predicted(["--sender", str(server), *PATH], capsys)
    written = predicted(["--sender", str(tmp_path / "host.yaml"), *PATH], capsys)
    assert written["throughput_bps"] == folder["throughput_bps"]
    assert written["low_bps"] == folder["low_bps"]
