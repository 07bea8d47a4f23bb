"""SNMP agents as a source of a watch: a real one on loopback, and the judgment of their ports."""

import os
import re
import shutil
import socket
import subprocess
import time

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.live.snmp import Agent, Credentials
from hecn_analysis.watching.measures import UTILISATION
from hecn_analysis.watching.polls import Polls, agents_of
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.watch import judge

FIRST_S = 1_700_000_000 // 3600 * 3600
SECRET = "CANARY7x9"  # noqa: S105 - searched for in what is shown


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    """Address of an agent of this machine that knows one community."""
    if shutil.which("snmpd") is None:
        pytest.skip("snmpd (package snmpd) is not installed")
    folder = tmp_path_factory.mktemp("snmpd")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "snmpd.conf").write_text(
        f"agentaddress udp:127.0.0.1:{port}\nrocommunity {SECRET} 127.0.0.1\nsysName agent\n"
    )
    environment = {**os.environ, "SNMP_PERSISTENT_DIR": str(folder)}
    daemon = subprocess.Popen(["snmpd", "-f", "-Ln", "-C", "-c", str(folder / "snmpd.conf")], env=environment)
    time.sleep(0.5)
    yield f"127.0.0.1:{port}"
    daemon.terminate()
    daemon.wait()


def _watch(place, agent):
    return main(["watch", f"snmp://{agent}", "--archive", str(place / "A"), "-o", str(place / "OUT"), "--once"])


def test_an_agent_is_polled_and_its_community_not_shown(agent, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("HECN_SNMP_COMMUNITY", SECRET)
    assert [_watch(tmp_path, agent) for _ in range(2)] == [0, 0]
    printed = capfd.readouterr()
    assert re.match(r"0 files, \d+ readings? of ports added; ", printed.out)
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert SECRET not in printed.out + printed.err
    assert SECRET.encode() not in written


def test_a_wrong_community_is_named_once(agent, tmp_path, capfd, monkeypatch, archive):
    monkeypatch.setenv("HECN_SNMP_COMMUNITY", "CANARYwrong")
    assert _watch(tmp_path, agent) == 1
    said = capfd.readouterr().err
    assert f"snmp://{agent}: " in said
    assert "check its address, its credentials, and that it runs" in said
    assert "CANARY" not in said
    host, port = agent.split(":")
    polls = Polls([Agent(host, int(port), Credentials("2c", "CANARYwrong"))], archive)
    assert [len(polls.take().remarks) for _ in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (f"snmp://{SECRET}@sw1", "found a login in the address snmp://…@sw1, expected snmp://sw1; a community is read"),
        ("snmp://", "found the address snmp://…, expected the address of an agent, such as snmp://sw1"),
        ("snmp://sw1/ifTable", "found the address snmp://sw1…, expected the address of an agent"),
        ("snmp://sw1:99999", "found agent 'sw1:99999', expected an address such as 'switch1' or"),
    ],
)
def test_addresses_that_are_none_are_refused(address, words):
    with pytest.raises(InputError) as error:
        agents_of([address])
    assert str(error.value).startswith(words)
    assert SECRET not in str(error.value)


def _polled(archive, *, hours=250, drop_at=240, full_at=None, wrap=False):
    """Readings of a port each 10 min; it falls from 10 Gb/s to 1 Gb/s, or fills up."""
    chance = np.random.default_rng(1)
    octets, rows = 2**64 - 2**45 if wrap else 0, []
    for number in range(6 * hours):
        hour = number // 6
        speed = 1e9 if hour >= drop_at else 10e9
        load = 0.97 if full_at is not None and hour >= full_at else 0.03 * np.exp(0.05 * chance.standard_normal())
        octets += int(load * 10e9 / 8 * 600 * (0.5 if hour >= drop_at else 1))
        rows.append(
            {
                "source_file": "snmp://sw1",
                "host": "sw1",
                "interface": "xe-0/0/1",
                "index": 1,
                "time": pd.Timestamp(FIRST_S + 600 * number, unit="s", tz="UTC"),
                "in_octets": octets % 2**64,
                "out_octets": 0,
                "counter_bits": 64,
                "speed_bps": speed,
                "uptime_s": 1e6 + 600.0 * number,
            }
        )
    archive.add("polls", {"samples": tables.make("samples", rows)}, source="test")
    return archive


def _state(archive, measure):
    (status,) = (
        each for each in judge(archive)[0] if (each.series.direction, each.series.measure.name) == ("in", measure)
    )
    return status


def test_utilisation_is_a_series_with_its_own_judgment_and_names_the_speed(archive):
    _polled(archive)
    traffic, utilisation = _state(archive, "rate"), _state(archive, "utilisation")
    assert (traffic.state, utilisation.state) == ("worse", "worse")
    assert utilisation.last == pytest.approx(0.15, rel=0.2)
    assert utilisation.says.startswith("fuller by ")
    sentences = [reason.partition(" (")[0] for reason in traffic.changes[-1]["reasons"]]
    assert "the speed of the port fell from 10.0 Gb/s to 1.00 Gb/s" in sentences
    assert not any("utilisation" in sentence for sentence in sentences)
    assert [each.series.direction for each in judge(archive)[0] if each.state == "worse"] == ["in", "in"]


def test_a_full_port_is_a_state_of_its_own(archive):
    status = _state(_polled(archive, drop_at=10**6, full_at=245), "utilisation")
    assert (status.state, status.says) == ("full", "97.00 % of the speed of the port on average over an hour")


def test_how_idle_a_port_is_does_not_matter():
    assert UTILISATION.compared(0.0, 1) == UTILISATION.compared(1e-4, 1) == UTILISATION.compared(1e-3, 1)


def test_a_wrap_of_64_bits_is_no_reset(archive):
    known = {each.measure.name: len(each.runs) for each in series_of(_polled(archive, wrap=True))[0][:2]}
    assert known["utilisation"] >= 248


def test_ports_without_a_speed_have_traffic_only(archive):
    times = [pd.Timestamp(FIRST_S + 600 * number, unit="s", tz="UTC") for number in range(60)]
    shared = {"source_file": "snmp://sw1", "host": "sw1", "interface": "p", "counter_bits": 64}
    rows = [{**shared, "time": time, "in_octets": 10**6 * place} for place, time in enumerate(times)]
    archive.add("polls", {"samples": tables.make("samples", rows)}, source="test")
    assert {each.measure.name for each in series_of(archive)[0]} == {"rate"}
