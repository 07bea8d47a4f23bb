"""Two network namespaces with a pair of virtual Ethernet devices between them, made by the tests and gone with them."""

import os
import secrets
import shutil
import subprocess
from pathlib import Path

import pytest

from hecn_analysis.live.places import Place


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


@pytest.fixture(scope="session")
def namespaces():
    """Places of two namespaces, 10.77.0.1 and 10.77.0.2."""
    if shutil.which("ip") is None:
        pytest.skip("ip is not installed (Debian, Ubuntu: apt install iproute2)")
    tag = secrets.token_hex(3)
    names = [f"hecn-{tag}-{end}" for end in "ab"]
    made = ip("netns", "add", names[0], check=False)
    if made.returncode:
        pytest.skip(f"network namespaces are not permitted here: {made.stderr.strip()}")
    try:
        ip("netns", "add", names[1])
        devices = [f"v{tag}{end}" for end in "ab"]
        ip("link", "add", devices[0], "netns", names[0], "type", "veth", "peer", "name", devices[1], "netns", names[1])
        for number, (name, device) in enumerate(zip(names, devices, strict=True), 1):
            ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", device)
            ip("-n", name, "link", "set", device, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield tuple(Place("netns", name) for name in names)
    finally:
        for name in names:
            ip("netns", "del", name, check=False)


@pytest.fixture
def shape(namespaces):
    """Puts a queueing discipline on the sender's device; one that this kernel has not skips the test."""
    sender = namespaces[0].name
    device = ip("-n", sender, "-o", "link", "show", "type", "veth").stdout.split()[1].partition("@")[0]

    def put(*words):
        done = subprocess.run(
            ["ip", "netns", "exec", sender, "tc", "qdisc", "replace", "dev", device, "root", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"tc {words[0]} is not to be had here: {done.stderr.strip()}")

    yield put
    subprocess.run(["ip", "netns", "exec", sender, "tc", "qdisc", "del", "dev", device, "root"], check=False)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Makes a program of that name, a script of sh, which is found before the real one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def make(name, text):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)

    return make


def words_of_processes(place=""):
    """Command lines of the processes that run, of those alone in whose environment a place is named."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place and os.fsencode(place) not in path.with_name("environ").read_bytes():
                continue
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found
