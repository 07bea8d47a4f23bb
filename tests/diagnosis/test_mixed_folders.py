"""Folders whose files contradict each other, or are of other hosts: said, weighed, never fatal."""

import re

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

FULL = e.iperf3([941e6] * 10, [393e3] * 10, command="iperf3 -c files")
PLAIN = {"iperf3.txt": FULL, "ethtool.txt": e.ethtool(1000), "ping.txt": e.ping("10.30.0.12", 0.0003)}
JSON = e.iperf3_json([941e6] * 10)
LATER = JSON.replace("1710234847", "1710249247")


def prompted(host, command, output):
    return f"[root@{host} ~]# {command}\n{output}"


def captured(host):
    return {f"{host}/lscpu.txt": prompted(host, "lscpu", e.LSCPU)}


def folder(place, files):
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"ethtool-2.txt": e.ethtool(10000)}, "different speeds of eth0: 10.0 Gb/s (ethtool-2.txt:13), 1.00 Gb/s"),
        ({"notes.txt": "circuit: 1 Gb/s\n", "mail.txt": "The circuit is 2 Gb/s.\n"}, "different rates of the circuit"),
        (
            {"sysctl-receiver.txt": e.sysctl(6291456, 4194304), "sysctl-receiver-2.txt": e.sysctl(67108864, 67108864)},
            "different largest receive buffers (tcp_rmem) at the receiver: 67.1 MB",
        ),
        ({"a.json": JSON, "b.json": LATER}, "different clocks: a.json:16 and b.json:16 are one run, 4.00 h apart"),
        ({"print01/e.txt": prompted("print01", "ethtool eth0", e.ethtool(100))}, "no run names print01: its outputs"),
    ],
)
def test_what_contradicts_is_said(tmp_path, files, said):
    found = diagnose(folder(tmp_path, {**PLAIN, **files}))
    assert any(said in text for text in found.contradictions), found.contradictions
    assert found[0].causes[0].kind == "link"


def test_a_third_host_does_not_count(tmp_path):
    busy = {"print01/mpstat.txt": prompted("print01", "mpstat -P ALL 5 1", e.mpstat(1))}
    ends = captured("dtn01") | captured("files") | {"dtn01/iperf3.txt": prompted("dtn01", "iperf3 -c files", FULL)}
    found = diagnose(folder(tmp_path, {**ends, **captured("print01"), **busy}))
    assert any("no run names print01, and others are captured" in text for text in found.contradictions)
    assert found[0].causes[0].kind == "link"
    assert not any("mpstat" in line.source_file for line in found[0].causes[0].evidence)
    of_an_end = {"files/mpstat.txt": prompted("files", "mpstat -P ALL 5 1", e.mpstat(1))}
    assert diagnose(folder(tmp_path, of_an_end))[0].causes[0].kind == "cpu-receiver"


def test_the_logs_of_both_ends_are_one_run(tmp_path):
    ends = {"10.20.0.11": "10.30.0.12", "10.30.0.12": "10.20.0.11"}
    server = re.sub("|".join(map(re.escape, ends)), lambda found: ends[found[0]], JSON)
    server = server.replace('"connecting_to"', '"accepted_connection"')
    found = diagnose(folder(tmp_path, {"there.json": server, "here.json": JSON}))
    assert len(found) == 1
    assert len(found[0].kind.runs) == 1


def test_files_of_no_run_are_unused(tmp_path):
    others = {"minutes.txt": "- coffee\n- the printer is out of toner\n", "photo.jpg": bytes(range(256)) * 40}
    found = diagnose(folder(tmp_path, {**PLAIN, **others}))
    assert found.unused == ("minutes.txt", "photo.jpg")


def test_damaged_files_lose_nothing_beside_them(tmp_path):
    damaged = {
        "cut.json": JSON[:2500],
        "garbled.txt": b"\xff\xfe\x00\x01" + e.ethtool(100).encode("utf-16-le"),
        "huge.txt": f"net.ipv4.tcp_rmem = 4096 131072 {'9' * 40}\n",
        "negative.txt": "64 bytes from x: icmp_seq=1 ttl=57 time=-3 ms\n",
        "empty.txt": "",
    }
    found = diagnose(folder(tmp_path, {**PLAIN, **damaged}))
    assert found[0].measured_bps == pytest.approx(941e6, rel=0.01)
    assert found[0].causes[0].kind == "link"
