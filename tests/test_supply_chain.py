"""What is installed and what is known against it: the bill of materials, and the look into databases of faults."""

import json
import re

import pytest

pytest.importorskip("cyclonedx", reason="of the group audit, which the oldest run has not")

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tools import audit, locked, sbom


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("dist") / "sbom.cdx.json"
    assert sbom.main([str(path)]) == 0
    return path


def test_bill_is_as_its_schema_says(written):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(written.read_text()) is None


def test_bill_has_every_package_of_the_lock_with_all_hashes(written, root):
    found = {
        (one["name"], one["version"]): {one["content"] for one in one["externalReferences"][0]["hashes"]}
        for one in json.loads(written.read_text())["components"]
    }
    text = (root / "requirements.lock").read_text()
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)(?:.*\\\n(?:    --hash=sha256:\w+(?: \\)?\n?)+)", text, re.MULTILINE)
    assert len(pins) > 100
    assert set(found) == set(pins)
    assert {one for hashes in found.values() for one in hashes} == set(re.findall(r"sha256:(\w{64})", text))


def test_bill_states_licences_of_what_is_installed(written):
    components = {one["name"]: one for one in json.loads(written.read_text())["components"]}
    assert "MIT" in json.dumps(components["plotly"]["licenses"])
    without = {name for name, one in components.items() if not one.get("licenses") and "properties" not in one}
    assert without <= {"pysnmp"}  # whose metadata states none


def test_bill_says_what_needs_what(written):
    bill = json.loads(written.read_text())
    assert bill["metadata"]["component"]["name"] == "hecn-analysis"
    needs = {one["ref"].partition("@")[0]: {other.partition("@")[0] for other in one.get("dependsOn", [])}
             for one in bill["dependencies"]}  # fmt: skip
    assert {"numpy", "pandas", "plotly", "pysnmp"} <= needs["hecn-analysis"]
    assert {"numpy", "python-dateutil"} <= needs["pandas"]


def test_bill_is_the_same_each_time_and_another_for_another_lock(written, root, tmp_path):
    sbom.main([str(tmp_path / "again.json")])
    assert (tmp_path / "again.json").read_bytes() == written.read_bytes()
    (tmp_path / "other.lock").write_text((root / "requirements.lock").read_text().replace("plotly==", "plotly==9"))
    assert sbom.bill(tmp_path / "other.lock").serial_number.urn != json.loads(written.read_text())["serialNumber"]


PACKAGES = [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "version": "2", "vulns": []}]
FAULT = {"name": "c", "version": "3", "vulns": [{"id": "CVE-1", "fix_versions": ["3.1"]}]}
SKIPPED = {"name": "d", "skip_reason": "not found: d (4)"}


@pytest.mark.parametrize(
    ("answers", "status", "words"),
    [
        ({"pypi": PACKAGES}, audit.CLEAN, "x.lock: 2 packages audited by pypi"),
        ({"pypi": [*PACKAGES, FAULT]}, audit.KNOWN, "x.lock: c 3: CVE-1, mended in 3.1"),
        ({"pypi": [*PACKAGES, SKIPPED]}, audit.UNKNOWN, "x.lock: NOT AUDITED: not found: d (4)"),
        ({"pypi": [SKIPPED], "osv": PACKAGES}, audit.CLEAN, "x.lock: 2 packages audited by osv"),
        ({"pypi": "no route", "osv": [FAULT]}, audit.KNOWN, "x.lock: c 3: CVE-1, mended in 3.1"),
        ({"pypi": [], "osv": []}, audit.UNKNOWN, "x.lock: 0 packages audited by pypi"),
        (
            {"pypi": [SKIPPED], "osv": "down"},
            audit.UNKNOWN,
            "x.lock: NOT AUDITED: no database could be had (pypi: not found: d (4), and so on for all 1; osv: down)",
        ),
    ],
)
def test_only_what_was_looked_up_passes(answers, status, words):
    found, lines = audit.audit(locked.ROOT / "x.lock", lambda _, service: answers[service])
    assert (found, words in lines) == (status, True)


def test_a_known_fault_outweighs_what_could_not_be_asked(capsys):
    answers = {"requirements.lock": [FAULT], "requirements-dev.lock": [SKIPPED]}
    assert audit.main(lambda lock, _: answers.get(lock.name, PACKAGES)) == audit.KNOWN
    assert capsys.readouterr().out.endswith("faults are known\n")


def test_an_audit_without_a_database_is_no_pass(capsys):
    assert audit.main(lambda _, __: "no route to the host") == audit.UNKNOWN
    out = capsys.readouterr().out
    assert out.count("NOT AUDITED: no database could be had") == len(audit.LOCKS)
    assert out.endswith("no pass: not all was audited\n")


def test_all_locks_are_audited_but_the_oldest():
    assert {*audit.LOCKS, "requirements-oldest.lock"} == {path.name for path in locked.ROOT.glob("requirements*.lock")}
