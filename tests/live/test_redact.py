"""What tells whose machine it is leaves a capture, the same thing the same way in every file; the rest stays."""

import json
import re

import pytest

from hecn_analysis.live.redact import Redactor

SECRETS = {
    "serial": "ZA1B2C3D",
    "service tag": "7XKQ1Z3",
    "mac": "3c:ec:ef:12:34:56",
    "wwn": "5000c500a1b2c3d4",
    "uuid": "4c4c4544-0046-4810-8057-b3c04f385a31",
    "host": "dtn7",
    "domain": "physics.example.edu",
    "address": "10.20.30.41",
    "address 6": "fd12:3456::41",
}

FILES = {
    "uname.txt": "$ uname -a\nLinux dtn7.physics.example.edu 6.1.0-21-amd64 #1 SMP Debian 6.1.90-1 x86_64 GNU/Linux\n",
    "sysctl.txt": "kernel.hostname = dtn7\nkernel.domainname = physics.example.edu\nvm.swappiness = 10\n",
    "ip-link.txt": "2: enx3cecef123456: <UP> mtu 9000\n    link/ether 3c:ec:ef:12:34:56 brd ff:ff:ff:ff:ff:ff\n"
    "    inet 10.20.30.41/24 inet6 fd12:3456::41/64 inet 127.0.0.1/8 inet6 ::1/128\n",
    "bonding.txt": "Permanent HW addr: 3C:EC:EF:12:34:56\nPeer: 3c-ec-ef-12-34-56\n",
    "dmidecode.txt": "System Information\n\tSerial Number: 7XKQ1Z3\n\tUUID: 4C4C4544-0046-4810-8057-B3C04F385A31\n"
    "\tAsset Tag: Not Specified\nMemory Device\n\tSize: 16 GB\n\tSerial Number: 7XKQ1Z3\n",
    "smartctl-sda.txt": "Serial Number:    ZA1B2C3D\nLU WWN Device Id: 5 000c50 0a1b2c3d4\n"
    "Firmware Version: 10.20.30.41\n",
    "smartctl-sda.json": '{"serial_number": "ZA1B2C3D",\n "wwn": {"naa": 5, "oui": 3152, "id": 2712847316},\n'
    ' "rotation_rate": 7200}\n',
    "storcli.json": '{"Controllers": [{"SN": "ZA1B2C3D", "WWN": "5000C500A1B2C3D4",\n'
    '"Inquiry Data": "5a 41 31", "Size": "3.637 TB"}]}\n',
    "by-id.txt": "ata-ST4000NM0035_ZA1B2C3D -> sda\nwwn-0x5000c500a1b2c3d4 -> sda\n",
    "lstopo.xml": '<info name="HostName" value="dtn7"/>\n<info name="DMIProductSerial" value="7XKQ1Z3"/>\n'
    '<info name="DMIProductUUID" value="4c4c4544-0046-4810-8057-b3c04f385a31"/>\n'
    '<info name="cpuset" value="0xffffffffffffffff"/>\n',
    "mdadm-md0.txt": "Name : dtn7:0  (local to host dtn7)\nUUID : 57219006:b1527c59:de32536d:bb88a27f\n",
    "lspci.txt": "04:00.0 Ethernet controller\n\t\tRead-only fields:\n\t\t\t[SN] Serial number: ZA1B2C3D\n"
    "\t\t\t[V0] Vendor specific: FFV1.2\n"
    "\tCapabilities: [140 v1] Device Serial Number 3c-ec-ef-ff-ff-12-34-56\n\tMemory at 00000000fe800000 (64-bit)\n",
}


def redacted(files, hosts=()):
    redactor = Redactor(hosts)
    for text in files.values():
        redactor.learn(text)
    return {name: redactor.clean(text) for name, text in files.items()}


@pytest.mark.parametrize("what", SECRETS)
def test_nothing_planted_is_left_in_any_file(what):
    found = redacted(FILES)
    secret = re.sub(r"[^0-9a-z]", "", SECRETS[what].lower())
    for name, text in found.items():
        kept = "\n".join(line for line in text.split("\n") if "Firmware Version" not in line)
        assert secret not in re.sub(r"[^0-9a-z]", "", kept.lower()), name


def test_the_same_thing_is_the_same_stand_in_in_every_form_and_file():
    found = redacted(FILES)
    (serial,) = set(re.findall(r"SERIAL-\d+", found["smartctl-sda.txt"]))
    assert json.loads(found["smartctl-sda.json"])["serial_number"] == serial
    assert found["by-id.txt"].startswith(f"ata-ST4000NM0035_{serial} -> sda\n")
    assert found["ip-link.txt"].count("02:00:00:00:00:01") == 1
    assert "enx020000000001" in found["ip-link.txt"]
    assert found["bonding.txt"] == "Permanent HW addr: 02:00:00:00:00:01\nPeer: 02-00-00-00-00-01\n"
    assert "5 000000 000000001" in found["smartctl-sda.txt"]
    assert json.loads(found["storcli.json"])["Controllers"][0]["WWN"] == "5000000000000001"
    assert "wwn-0x5000000000000001" in found["by-id.txt"]
    assert "Linux host-1 6.1.0" in found["uname.txt"]
    assert found["mdadm-md0.txt"].startswith("Name : host-1:0  (local to host host-1)")


def test_what_is_no_name_stays():
    found = redacted(FILES)
    assert "Asset Tag: Not Specified" in found["dmidecode.txt"]
    assert "Firmware Version: 10.20.30.41" in found["smartctl-sda.txt"]
    assert "brd ff:ff:ff:ff:ff:ff" in found["ip-link.txt"]
    assert "127.0.0.1/8" in found["ip-link.txt"]
    assert "::1/128" in found["ip-link.txt"]
    assert "0xffffffffffffffff" in found["lstopo.xml"]
    assert "[V0] Vendor specific: FFV1.2" in found["lspci.txt"]
    assert "Memory at 00000000fe800000" in found["lspci.txt"]
    assert json.loads(found["storcli.json"])["Controllers"][0]["Size"] == "3.637 TB"
    assert json.loads(found["smartctl-sda.json"])["rotation_rate"] == 7200


def test_two_things_stay_two():
    found = redacted(
        {"a": "Serial Number: AAA111\n00:1b:21:00:00:01\n", "b": "Serial Number: BBB222\n00:1b:21:00:00:02\n"}
    )
    assert found == {
        "a": "Serial Number: SERIAL-1\n02:00:00:00:00:01\n",
        "b": "Serial Number: SERIAL-2\n02:00:00:00:00:02\n",
    }


def test_a_host_name_that_is_a_word_takes_only_its_own_places():
    text = "Linux vm 6.18.0 #1\nkernel.hostname = vm\nvm.dirty_ratio = 20\n"
    assert (
        redacted({"a": text}, ["vm"])["a"] == "Linux host-1 6.18.0 #1\nkernel.hostname = host-1\nvm.dirty_ratio = 20\n"
    )


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Inquiry Data:      WD-WMATV1234567WDC WD1002FBYS-18A6B0", "WDC WD1002FBYS-18A6B0"),
        ("Inquiry Data: SEAGATE ST3600057SS     00086SL1ABCD", "SEAGATE ST3600057SS"),
    ],
)
def test_megacli_prints_serial_number_and_model_without_a_gap(line, kept):
    clean = redacted({"a": line})["a"]
    assert kept in clean
    assert "WMATV" not in clean
    assert "6SL1" not in clean


def test_a_second_time_changes_nothing():
    once = redacted(FILES)
    assert redacted(once) == once


@pytest.mark.parametrize(
    "text", ["", "Serial Number:", "x" * 100_000, ":" * 50_000, "serial " * 20_000, "0x5" * 30_000]
)
def test_odd_text_takes_no_time(text):
    assert isinstance(redacted({"a": text})["a"], str)
