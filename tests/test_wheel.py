"""What is handed out: the wheel, installed away from the checkout, must hold all that the command needs; the archive of
sources must hold all that the wheel is built of, and both must be the same each time they are built.

The environment made here sees the dependencies of the one that runs the tests, but not its editable install, so nothing
of the checkout can be imported by accident. Building and installing use no network.
"""

import json
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import numpy as np
import pytest
import yaml


def build(kind, root, folder):
    """Build a wheel or an archive of sources in a folder with sources; gives its file."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder], cwd=root, check=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    return build("wheel", root, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def sources(root, tmp_path_factory):
    return build("sdist", root, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of a fresh environment that holds the wheel, in an empty folder; gives its standard output."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin/python"
    (site,) = folder.glob("lib/python*/site-packages")
    # A path in a .pth file is searched for packages, its own .pth files (the editable install) are not obeyed.
    (site / "dependencies.pth").write_text(f"{Path(np.__file__).parent.parent}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(program, *arguments):
        command = [folder / "bin" / program, *arguments]
        result = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="module")
def shipped(installed):
    """Folder of the models, notebooks and sample data inside the installed package."""
    return Path(
        installed("python", "-c", "from hecn_analysis.base import places; print(places.data_dir().parent)").strip()
    )


def test_wheel_and_sources_are_the_same_each_time_they_are_built(wheel, sources, root, tmp_path):
    """And the wheel that is built of the archive of sources, by who has no checkout, is the same, too."""
    assert build("sdist", root, tmp_path / "again").read_bytes() == sources.read_bytes()
    with tarfile.open(sources) as archive:
        archive.extractall(tmp_path / "sources", filter="data")
    (unpacked,) = (tmp_path / "sources").iterdir()
    assert build("wheel", unpacked, tmp_path / "wheel").read_bytes() == wheel.read_bytes()


def test_sources_hold_what_is_not_ignored_and_nothing_else(sources, root):
    with tarfile.open(sources) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert files - {"PKG-INFO"} <= set(listed.split("\0"))
    assert {"pyproject.toml", "Makefile", "requirements.lock", "tests/test_wheel.py", "SECURITY.md"} <= files


def test_wheel_holds_the_package_and_its_data_and_nothing_else(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = HeaderParser().parsestr(
            archive.read(next(n for n in archive.namelist() if n.endswith("METADATA"))).decode()
        )
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    expected = {
        name if name.startswith("hecn_analysis/") else f"hecn_analysis/share/{name}"
        for name in tracked.split("\0")
        if name.startswith(("hecn_analysis/", "models/", "notebooks/", "data/"))
        and not name.startswith(("data/samples/", "data/counters/samples/", "data/record_", "data/generate_"))
    }
    assert expected - files == set()
    assert not any("data/samples" in name or "data/counters/samples" in name for name in files)
    assert {name.partition("/")[0] for name in files} == {"hecn_analysis"}
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = [
        f"{requirement}; extra == '{extra}'"
        for extra, requirements in project["optional-dependencies"].items()
        for requirement in requirements
    ]
    assert sorted(metadata.get_all("Requires-Dist")) == sorted([*project["dependencies"], *extras])
    assert metadata["License-File"] == "LICENSE"


def test_installed_package_is_not_the_checkout(shipped, root):
    assert shipped.parts[-2:] == ("hecn_analysis", "share")
    assert not shipped.is_relative_to(root)


def test_installed_command_reads_the_shipped_logs(installed, shipped):
    runs = json.loads(installed("hecn", "parse", shipped / "data" / "logs", "--format", "json"))
    assert {"nuttcp", "dd"} <= {run["tool"] for run in runs}
    assert all(Path(run["source_file"]).is_relative_to(shipped) for run in runs)


def test_installed_command_computes_a_limit(installed):
    out = installed("hecn", "limits", "pcie", "--gen=2", "--lanes=16", "--max-payload=128", "--format=json")
    assert json.loads(out)["tmt_bps"] == pytest.approx(53.8947e9, rel=1e-6)


def test_installed_command_predicts_from_shipped_models(installed, shipped):
    scenario = min((shipped / "models" / "scenarios").glob("*.yaml"))
    prediction = json.loads(installed("hecn", "predict", scenario, "--format", "json"))
    assert 0 < prediction["low_bps"] <= prediction["throughput_bps"] <= prediction["high_bps"]
    assert prediction["bottleneck"]


def test_installed_command_knows_the_shipped_briefs(installed, root):
    declarations = [yaml.safe_load(path.read_text()) for path in (root / "notebooks" / "declarations").glob("*.yaml")]
    names = {declaration["brief"] for declaration in declarations if declaration.get("brief")}
    assert len(names) >= 2
    listed = installed("hecn", "brief", "--list")
    assert {line.partition(":")[0] for line in listed.splitlines() if not line.startswith(" ")} == names


def test_installed_command_makes_a_report(installed, shipped, tmp_path):
    """Which is a brief: its notebook runs in a kernel of the environment that the command was installed in."""
    page = installed("hecn", "report", shipped / "data" / "logs" / "c-systems-nuttcp.txt", "--no-pdf", "-o", tmp_path)
    assert page == f"{tmp_path}/your_own_data.html\n"
    assert "nuttcp" in (tmp_path / "your_own_data.html").read_text()
    assert json.loads((tmp_path / "your_own_data.json").read_text())["error"] is None


def test_installed_command_finds_the_page_of_the_app(installed, shipped):
    assert "hecn app" in installed("hecn", "app", "--help")
    parts = {"view.js", "view.css", "page/what_if.ipynb"}
    assert [one for one in sorted(parts) if not (shipped.parent / "app" / one).is_file()] == []


def test_installed_library_says_what_it_offers(installed):
    names = installed("python", "-c", "import hecn_analysis as hecn; print(*dir(hecn))").split()
    assert {"read", "predict", "load_scenario", "limits"} <= set(names)
