"""The rules by which a reading without wrapping replaces the plain one, for captures and counters."""

import base64
from pathlib import Path

import pytest

from hecn_analysis.counters import registry as counters
from hecn_analysis.counters.clock import Clock
from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry as inventory

TESTS = Path(__file__).parents[1]
HEAD = "From: me@there.example\nSubject: counters\nMIME-Version: 1.0\nContent-Type: text/plain\n"


def facts(text):
    return [(one.facts.format, one.facts.values) for one in inventory.read(Document("a", text.encode())).captured]


@pytest.mark.parametrize("mark", ["> ", "# ", "| "])
@pytest.mark.parametrize("sample", ["lsblk/tree.txt", "zpool/degraded.txt", "smartctl/sas.json"])
def test_a_mark_in_front_changes_no_fact(sample, mark):
    text = (TESTS / "inventory/samples" / sample).read_text()
    assert facts("".join(f"{mark}{line}\n" for line in text.splitlines())) == facts(text)


@pytest.mark.parametrize("sample", ["mrtg/port1.log", "cacti/0.8.csv"])
def test_a_file_that_a_mail_encodes_is_read(sample):
    text = (TESTS / "counters/samples" / sample).read_text()
    coded = base64.encodebytes(text.encode()).decode()
    mail = f"{HEAD}Content-Transfer-Encoding: base64\n\n{coded}\n"
    [plain], [found] = (counters.read(Document("a", each.encode()), Clock()) for each in (text, mail))
    assert plain.rates
    assert [row["time"] for row in found.rates] == [row["time"] for row in plain.rates]
    assert found.facts["cleaned"] == "mail"
