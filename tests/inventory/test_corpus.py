"""Recorded outputs of other people's hosts, where HECN_CORPUS names the folder that holds them and their manifest."""

import csv
import json
import sys

import pytest

from hecn_analysis.inventory import read_inventory

#: What a host has no use for.
UNCHECKED = {
    *("note", "rel_tolerance", "abs_tolerance", "size_rel_tolerance", "size_tolerance", "format", "unit_hint", "truth"),
    *("n", "drive", "unassigned", "parent", "domains", "disk_names", "n_present", "fixed", "drive_size_bytes"),
    *("drive_link_bps", "drive_model", "serial", "power_on_hours", "irqs", "numa_ids", "os_devices"),
    *("max_strip_bytes", "controllers", "cas", "device_type", "mounts", "progress", "identifier"),
}
IDENTITY = ("address", "id", "name", "index", "device", "node", "hctl", "logicalname", "slot", "port", "dev")
#: Facts that the manifest has wrong: two network cards are not counted; lines "PhySlot:" are counted as "Slot:".
WRONG = {("lspci/plain-hp-g6.txt", "ethernet"), ("lspci/jc-nnmmv-vmware.txt", "n_devices")}


def differences(wanted, found, where, slack):
    if isinstance(wanted, dict):
        for name, value in wanted.items():
            if name not in UNCHECKED:
                below = found.get(name) if isinstance(found, dict) else None
                yield from differences(value, below, f"{where}.{name}", slack)
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        for one in wanted:
            name = next((key for key in IDENTITY if key in one), None)
            near = [other for other in found or () if name is None or other.get(name) == one[name]]
            faults = [list(differences(one, other, where, slack)) for other in near]
            yield from min(faults, key=len, default=[f"{where}: {one} is missing"])
    elif isinstance(wanted, float) or (isinstance(wanted, int) and not isinstance(wanted, bool)):
        number = isinstance(found, (int, float)) and not isinstance(found, bool)
        share = max(slack, 0 if isinstance(wanted, int) else 1e-4)
        if not number or abs(found - wanted) > share * abs(wanted) + 1e-9 * abs(wanted):
            yield f"{where}: {found!r}, expected {wanted!r}"
    elif wanted != found:
        yield f"{where}: {found!r}, expected {wanted!r}"


def test_facts_are_those_of_the_manifest(inventory_corpus):
    csv.field_size_limit(sys.maxsize)
    with (inventory_corpus / "manifest.csv").open(newline="") as file:
        rows = [(row["path"], row["format"], json.loads(row["expected_json"])) for row in csv.DictReader(file)]
    inventory = read_inventory([inventory_corpus / path for path, _, _ in rows])
    found = {one["source_file"]: one for one in inventory.sources}
    faults = []
    for path, form, wanted in rows:
        facts = found.get(str(inventory_corpus / path), {})
        slack = wanted.get("rel_tolerance") or wanted.get("size_rel_tolerance") or wanted.get("size_tolerance") or 0
        kept = {name: value for name, value in wanted.items() if (path, name) not in WRONG}
        faults += [f"{path}{fault}" for fault in differences(kept, facts, "", slack)]
        if facts.get("format") != form:
            faults.append(f"{path}: {facts.get('format')}, expected {form}")
    assert faults == []


@pytest.mark.parametrize("form", ["json", "csv", "text"])
def test_every_form_of_the_tables_can_be_written(inventory_corpus, form, tmp_path):
    from hecn_analysis.cli import main  # noqa: PLC0415

    for table in ("hosts", "sources", "problems"):
        target = tmp_path / f"{table}.{form}"
        assert main(["inventory", str(inventory_corpus), "--table", table, "--format", form, "-o", str(target)]) in {
            0,
            1,
        }
        assert target.read_text()
