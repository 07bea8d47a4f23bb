"""``hecn doctor``."""

import json

from hecn_analysis.cli import main


def rows(capsys):
    assert main(["doctor", "--format", "json"]) == 0
    return {row["part"]: row for row in json.loads(capsys.readouterr().out)}


def test_missing_programs_are_named_with_package_and_use(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("hecn_analysis.live.programs.FOLDERS", ())
    found = rows(capsys)
    assert found["nuttcp"]["installed"] == "missing"
    assert found["nuttcp"]["gives"].endswith(": apt install nuttcp")
    assert found["Chromium"]["installed"] == "missing"


def test_program_on_the_path_is_found_and_not_run(tmp_path, monkeypatch, capsys):
    program = tmp_path / "iperf3"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = rows(capsys)
    assert found["iperf3"]["installed"] == str(program)
    assert "apt install" not in found["iperf3"]["gives"]
    assert not (tmp_path / "ran").exists()
