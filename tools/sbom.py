"""The bill of materials of what `make setup` installs: CycloneDX JSON of `requirements.lock`, with hashes and licences.

Run as ``python -m tools.sbom dist/sbom.cdx.json`` (`make sbom`). The same lock and environment give the same file: its
serial number is made of the lock, and it has no time. Licences are those that the installed packages state; a package
of another system is listed without one, and `main` says so.
"""

from __future__ import annotations

import sys
import tomllib
import uuid
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hecn_analysis.files import whole
from tools.locked import ROOT, RUNTIME, Locked, read

_LONGEST = 60  # characters; what is longer is the text of a licence and no name


def licence_of(about: metadata.PackageMetadata) -> DisjunctiveLicense | LicenseExpression | None:
    """Licence that a package states: an expression of SPDX, else a name, else the classifiers.

    Parameters
    ----------
    about
        Its metadata.
    """
    if expression := about.get("License-Expression"):
        return LicenseExpression(expression)
    name = (about.get("License") or "").strip().partition("\n")[0]
    if not name or len(name) > _LONGEST or name == "UNKNOWN":
        classifiers = about.get_all("Classifier") or []
        name = ", ".join(line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: "))
    return DisjunctiveLicense(name=name) if name else None


def component(package: Locked) -> Component:
    """A locked package, with what is installed of it here."""
    page = f"https://pypi.org/project/{package.name}/{package.version}/"
    made = Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{package.name}@{package.version}",
        purl=PackageURL("pypi", name=package.name, version=package.version),
        external_references=[
            ExternalReference(
                type=ExternalReferenceType.DISTRIBUTION,
                url=XsUri(page),
                comment="SHA-256 of its files, of which one is installed",
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in package.sha256],
            )
        ],
        properties=[Property(name="hecn:installed-where", value=package.marker)] if package.marker else [],
    )
    if (found := installed(package)) is not None and (licence := licence_of(found.metadata)) is not None:
        made.licenses.add(licence)
    return made


def installed(package: Locked) -> metadata.Distribution | None:
    """The package as it is installed here, maybe in the version for another Python; None where it is not."""
    try:
        return metadata.distribution(package.name)
    except metadata.PackageNotFoundError:
        return None


def needs(requirements: Iterable[str]) -> set[str]:
    """Names of the packages that are needed here, without extras."""
    pins = map(Requirement, requirements)
    return {canonicalize_name(pin.name) for pin in pins if pin.marker is None or pin.marker.evaluate({"extra": ""})}


def bill(lock: Path = RUNTIME) -> Bom:
    """The bill of materials of a lock.

    Parameters
    ----------
    lock
        Lock file of what the project needs to run.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = read(lock)
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, lock.read_text(encoding="utf-8")))
    bom.metadata.timestamp = None  # type: ignore[assignment]  # the same lock gives the same file
    root = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        bom_ref=project["name"],
        licenses=[LicenseExpression(project["license"])],
    )
    bom.metadata.component = root
    made = {package: component(package) for package in packages}
    bom.components.update(made.values())
    here = {
        package.name: made[package]
        for package in packages
        if (found := installed(package)) is not None and found.version == package.version
    }
    bom.register_dependency(root, [here[name] for name in needs(project["dependencies"]) & here.keys()])
    for name, one in here.items():
        wanted = needs(metadata.distribution(name).requires or []) & here.keys()
        bom.register_dependency(one, [here[other] for other in wanted])
    return bom


def main(arguments: list[str]) -> int:
    """Write the bill into the named file, and say what it has no licence of."""
    path = Path(arguments[0])
    bom = bill()
    whole.make_folder(path.parent)
    whole.write(path, JsonV1Dot6(bom).output_as_string(indent=2) + "\n")
    without = sorted(f"{one.name} {one.version}" for one in bom.components if not one.licenses)
    print(f"{path}: {len(bom.components)} packages")
    if without:
        print(f"no licence is known here of: {', '.join(without)} (not installed, or not stated)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
