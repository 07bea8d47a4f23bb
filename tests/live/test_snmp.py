"""Polling of agents: real ones of net-snmp on loopback, and some that answer nonsense, nothing, or too late."""

import asyncio
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from pysnmp.hlapi.v3arch import asyncio as snmp

from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.live.snmp import Agent, Credentials, agents, poll, watch

KEYS = {"user": "watcher", "authentication_key": "authpass1", "privacy_key": "privpass1"}
VERSIONS = {
    "1": Credentials("1", "seldom"),
    "2c": Credentials("2c", "seldom"),
    "3": Credentials("3", **KEYS),
}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Port of an agent of this machine."""
    if shutil.which("snmpd") is None:
        pytest.skip("snmpd (package snmpd) is not installed")
    folder = tmp_path_factory.mktemp("snmpd")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    (folder / "snmpd.conf").write_text(
        f"agentaddress udp:127.0.0.1:{number}\nrocommunity seldom 127.0.0.1\nsysName agent-under-test\n"
        'createUser watcher SHA "authpass1" AES "privpass1"\nrouser watcher priv\n'
    )
    daemon = subprocess.Popen(
        ["snmpd", "-f", "-Ln", "-C", "-c", str(folder / "snmpd.conf")],
        env={**os.environ, "SNMP_PERSISTENT_DIR": str(folder)},
    )
    try:
        for _ in range(50):
            if len(asyncio.run(poll([Agent("127.0.0.1", number, VERSIONS["2c"])], timeout_s=0.3, retries=0)).samples):
                break
            time.sleep(0.2)
        yield number
    finally:
        daemon.terminate()
        daemon.wait()


@pytest.fixture
def silent():
    """Port of a socket that never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        sink.bind(("127.0.0.1", 0))
        yield sink.getsockname()[1]


AGENT = Path(__file__).parents[1] / "faults" / "agent.py"


@pytest.fixture
def broken(request):
    """Ports of a good agent and of a broken one."""
    spec = importlib.util.spec_from_file_location("agent", AGENT)
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    sockets = [agent.listening(), agent.listening()]
    for (listening, _), mischief in zip(sockets, ("", request.param), strict=True):
        threading.Thread(target=agent.serve, args=(listening, mischief), daemon=True).start()
    return [number for _, number in sockets]


def read(*asked, **patience):
    return asyncio.run(poll(list(asked), **{"timeout_s": 5.0, "retries": 1} | patience))


@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_says_what_the_kernel_counted(port, version):
    found = read(Agent("127.0.0.1", port, VERSIONS[version]))
    assert found.problems.empty
    row = found.samples[found.samples["interface"] == "lo"].iloc[0]
    assert row["host"] == "agent-under-test"
    assert row["source_file"] == f"snmp://127.0.0.1:{port}"
    assert row["counter_bits"] == (32 if version == "1" else 64)
    assert abs(row["time"].timestamp() - time.time()) < 10
    assert row["uptime_s"] > 0
    assert row["up"]
    lines = Path("/proc/net/dev").read_text().splitlines()
    kernel = {line.split(":")[0].strip(): line.split(":")[1].split() for line in lines if ":" in line}
    assert set(found.samples["interface"]) == set(kernel)
    now = int(kernel["lo"][0])
    read_then = row["in_octets"]
    assert read_then <= now or version == "1"  # of version 1, what is left of 32 bits
    assert (now - read_then) % 2**32 < 2**31


def test_an_agent_that_refuses_or_is_silent_is_told_and_the_others_are_read(port, silent):
    found = read(
        Agent("127.0.0.1", port, Credentials("2c", "wrong-and-secret")),
        Agent("127.0.0.1", port, VERSIONS["2c"]),
        Agent("127.0.0.1", silent, VERSIONS["2c"]),
        Agent("127.0.0.1", port, Credentials("3", **{**KEYS, "privacy_key": "another-secret"})),
        timeout_s=0.3,
        retries=0,
    )
    assert found.samples["source_file"].unique().tolist() == [f"snmp://127.0.0.1:{port}"]
    assert sorted(found.problems["source_file"]) == sorted(
        [f"snmp://127.0.0.1:{silent}", *[f"snmp://127.0.0.1:{port}"] * 2]
    )
    said = " ".join(found.problems["message"])
    assert "secret" not in said
    assert "check the address, the credentials" in said


def test_nonsense_is_no_counter(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as liar:
        liar.bind(("127.0.0.1", 0))
        liar.settimeout(3)

        def answer():
            try:
                while True:
                    request, address = liar.recvfrom(65536)
                    liar.sendto(b"\x30\x82\xff\xff" + request[::-1], address)
            except OSError:
                return

        thread = threading.Thread(target=answer)
        thread.start()
        found = read(Agent("127.0.0.1", liar.getsockname()[1]), Agent("127.0.0.1", port, VERSIONS["2c"]),
                     timeout_s=0.4, retries=0)  # fmt: skip
        liar.close()
        thread.join()
    assert len(found.problems) == 1
    assert not found.samples.empty


def test_many_agents_take_no_longer_than_the_slowest(port, silent):
    asked = [Agent("127.0.0.1", silent)] * 40 + [Agent("127.0.0.1", port, VERSIONS["2c"])]
    found = read(*asked, timeout_s=0.5, retries=0)
    assert len(found.problems) == 40
    assert not found.samples.empty


@pytest.mark.parametrize(
    ("broken", "kind", "message"),
    [
        ("all ones", "inconsistent", "ifHCInUcastPkts: found 18446744073709551615, all bits set"),
        ("all ones of 32 bits", "inconsistent", "ifHCInUcastPkts: found 4294967295, all bits set"),
        ("negative", "inconsistent", "in_octets: found -1, expected a whole number of at least 0; 3 such values left"),
        ("floats", "malformed", "ifHCInOctets: found Opaque, expected a number; left out"),
        ("wrong types", "malformed", "ifName: found Counter64, expected OctetString of at most 255 octets; left out"),
        ("huge numbers", "unreadable", "found rows out of order"),
        ("long texts", "malformed", "ifName: found 300 octets, expected OctetString of at most 255 octets; left out"),
        ("backwards", "unreadable", "found an agent without counters of interfaces"),
        ("texts", "unreadable", "found rows out of order"),
        ("an error", "unreadable", "found the answer "),
        ("nothing", "unreadable", "found Empty SNMP response message, expected counters of interfaces"),
        ("deep", "unreadable", "found no answer"),
        ("another address", "unreadable", "found an answer from 127.0.0.1:"),
        ("drip", "unreadable", "found an agent whose answers were incomplete after 6 s"),
    ],
    indirect=["broken"],
)
def test_a_broken_agent_is_a_problem_of_its_own(broken, kind, message):
    good, bad = broken
    found = read(Agent("127.0.0.1", bad), Agent("127.0.0.1", good), timeout_s=0.7, retries=0, deadline_s=6.0)
    problems = found.problems
    assert set(problems["source_file"]) == {f"snmp://127.0.0.1:{bad}"}
    assert any(row.kind == kind and row.message.startswith(message) for row in problems.itertuples()), problems.message
    rows = found.samples[found.samples["source_file"] == f"snmp://127.0.0.1:{good}"]
    assert rows["interface"].tolist() == ["port1", "port2", "port3"]
    assert rows[["in_octets", "in_packets"]].notna().all(axis=None)


FLOOD = """
import os, socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as agent:
    agent.bind(("127.0.0.1", 0))
    print(agent.getsockname()[1], flush=True)
    _, asker = agent.recvfrom(65536)
    noise, end = os.urandom(60), time.monotonic() + 30
    while time.monotonic() < end:
        agent.sendto(noise, asker)
"""


@pytest.mark.parametrize("broken", [""], indirect=True)
def test_an_agent_that_floods_takes_no_answers_from_the_others(broken):
    with subprocess.Popen([sys.executable, "-c", FLOOD], stdout=subprocess.PIPE, text=True) as flooding:
        try:
            bad = int(flooding.stdout.readline())
            asked = [Agent("127.0.0.1", number) for number in (bad, *broken)]
            found = read(*asked, timeout_s=1.0, retries=1, deadline_s=20.0)
        finally:
            flooding.kill()
    assert found.problems["source_file"].tolist() == [f"snmp://127.0.0.1:{bad}"]
    assert len(found.samples) == 6


@pytest.mark.parametrize("broken", [""], indirect=True)
def test_more_agents_than_sockets_are_read(broken, monkeypatch):
    monkeypatch.setattr("hecn_analysis.live.snmp._SOCKETS", 2)
    found = read(*(Agent("127.0.0.1", number) for number in broken * 3))
    assert found.problems.empty
    assert len(found.samples) == 18


def test_an_answer_that_comes_when_the_round_ends_is_dropped(silent, monkeypatch, caplog):
    close = snmp.SnmpEngine.close_dispatcher

    def arrive_and_close(engine):
        late = engine.transport_dispatcher._callback_function
        asyncio.get_running_loop().call_soon(late, object(), ("127.0.0.1", silent), b"late")
        close(engine)

    monkeypatch.setattr(snmp.SnmpEngine, "close_dispatcher", arrive_and_close)
    found = read(Agent("127.0.0.1", silent), timeout_s=0.1, retries=0)
    assert len(found.problems) == 1
    assert not caplog.records


@pytest.mark.parametrize("broken", ["no name"], indirect=True)
def test_an_agent_may_hide_its_name_and_uptime(broken):
    found = read(*(Agent("127.0.0.1", number) for number in broken))
    assert found.problems.empty
    assert found.samples["host"].isna().sum() == 3
    assert found.samples["uptime_s"].isna().sum() == 3


@pytest.mark.parametrize("broken", ["drip"], indirect=True)
def test_rounds_end_in_time_and_are_archived(broken, tmp_path, capsys):
    good, bad = broken
    asked = ["snmp", "poll", f"127.0.0.1:{bad}", f"127.0.0.1:{good}", "--interval", "4s", "--timeout", "0.5s"]
    assert main([*asked, "--rounds", "2", "--archive", str(tmp_path / "archive")]) == 1
    samples = Archive(tmp_path / "archive").table("samples")
    rows = samples[samples["source_file"] == f"snmp://127.0.0.1:{good}"]
    assert rows["interface"].value_counts().to_dict() == {"port1": 2, "port2": 2, "port3": 2}
    first, second = sorted(rows["time"].unique())
    assert 1 < (second - first).total_seconds() < 10
    said = capsys.readouterr().err
    assert said.count(f"snmp://127.0.0.1:{bad}: unreadable: found an agent whose answers were incomplete after") == 2


@pytest.mark.parametrize("broken", ["silent"], indirect=True)
def test_slow_agents_do_not_hold_up_the_others(broken):
    good, bad = broken
    asked = [*[Agent("127.0.0.1", bad)] * 130, Agent("127.0.0.1", good)]
    found = read(*asked, timeout_s=4.0, retries=0, deadline_s=8.0)
    assert len(found.problems) == 130
    assert len(found.samples) == 3


def test_rounds_come_at_their_moments(port):
    rounds = []
    asyncio.run(watch([Agent("127.0.0.1", port, VERSIONS["2c"])], rounds.append, interval_s=1.5, rounds=3))
    times = [found.samples["time"].min().timestamp() for found in rounds]
    assert len(times) == 3
    assert all(later - earlier > 1.0 for earlier, later in pairwise(times))


def test_credentials_are_shown_by_nothing():
    shown = repr(
        Agent("s", 161, Credentials("3", community="c0", user="u0", authentication_key="k0", privacy_key="p0"))
    )
    assert not any(secret in shown for secret in ("c0", "u0", "k0", "p0"))


def test_credentials_of_a_file_go_to_their_hosts(tmp_path):
    file = tmp_path / "snmp.yaml"
    file.write_text("version: '3'\nuser: w\nhosts: {old: {version: 2c, community: c}}\n")
    with pytest.raises(InputError, match=r"other users can read.*run chmod 600"):
        agents(["s"], credentials=file)
    file.chmod(0o600)
    new, old = agents(["s", "old:1161"], credentials=file)
    assert (new.credentials.version, new.credentials.user, new.port) == ("3", "w", 161)
    assert (old.credentials.version, old.credentials.community, old.name) == ("2c", "c", "old:1161")
    file.write_text("comunity: very-secret\n")
    with pytest.raises(InputError, match="did you mean 'community'") as fault:
        agents(["s"], credentials=file)
    assert "very-secret" not in str(fault.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 3\nuser: u\nauthentication: very-secret", "an unknown authentication, expected one of md5, sha,"),
        ("version: 3\nuser: u\nprivacy: very-secret", "an unknown privacy, expected one of des,"),
        ("version: very-secret", "an unknown version, expected"),
        ("very-secret: community", "an unknown key, expected"),
        ("hosts: {s: very-secret}", "'hosts' that is not a mapping, expected"),
        ("hosts: [very-secret]", "'hosts' that is not a mapping, expected"),
        ("hosts: {s: {privacy: very-secret}}", "an unknown privacy, expected"),
        ("community: 0123", 'community that is not text, expected text in quotes: community: "…"'),
        ("community: {a: very-secret}", "community that is not text, expected"),
        ("community:", "community that is not text, expected"),
        ("community: very-secret-€", "community that SNMP does not allow, expected"),
        (f"version: 3\nuser: {'very-secret' * 3}", "user that SNMP does not allow, expected 1 to 32 characters"),
        ("version: 3\nuser: u\nauthentication_key: secret", "authentication_key that SNMP does not allow, expected 8"),
        ("version: 3\nuser: u\nprivacy_key: very-secret", "a privacy_key without an authentication_key"),
    ],
)
def test_what_is_wrong_with_credentials_is_said_without_them(tmp_path, text, message):
    file = tmp_path / "snmp.yaml"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InputError) as fault:
        agents(["s"], credentials=file)
    assert f"found {message}" in str(fault.value)
    assert "secret" not in str(fault.value)


@pytest.mark.parametrize("host", ["very-secret@switch1", "very-secret@[::1]", "s:²", "a b", "a\nb", "\udcff", ""])
def test_an_agent_is_an_address_alone(host):
    with pytest.raises(InputError, match="agent ") as fault:
        agents([host], environment={})
    assert "secret" not in str(fault.value)


def test_credentials_of_the_environment():
    (agent,) = agents(["s"], environment={"HECN_SNMP_COMMUNITY": "c", "HECN_SNMP_VERSION": "1"})
    assert (agent.credentials.version, agent.credentials.community) == ("1", "c")
    with pytest.raises(InputError, match="an unknown version, expected one of 1, 2c, 3"):
        agents(["s"], environment={"HECN_SNMP_VERSION": "4"})
    with pytest.raises(InputError, match="agent 's:x'"):
        agents(["s:x"], environment={})


def test_the_command_fills_an_archive(port, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HECN_SNMP_COMMUNITY", "seldom")
    folder = tmp_path / "archive"
    asked = ["snmp", "poll", f"127.0.0.1:{port}", "--rounds", "2", "--interval", "0.5s", "--archive", str(folder)]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert "seldom" not in said.err + said.out
    samples = Archive(folder).table("samples")
    assert (samples[samples["interface"] == "lo"].shape[0]) == 2
    assert main(["snmp", "poll", f"127.0.0.1:{port}"]) == 1  # a table needs an end
