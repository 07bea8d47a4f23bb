"""The built wheel, installed away from the checkout: it must hold all that the command needs.

The environment made here sees the dependencies of the one that runs the tests, but not its editable install, so nothing
of the checkout can be imported by accident. Building and installing use no network.
"""

import json
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import numpy as np
import pytest
import yaml


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=root, check=True)
    (built,) = folder.glob("*.whl")
    return built


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
    return Path(installed("python", "-c", "from hecn_analysis import places; print(places.data_dir().parent)").strip())


def test_wheel_is_the_same_each_time_it_is_built(wheel, root, tmp_path):
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=root, check=True)
    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()


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
    declarations = [yaml.safe_load(path.read_text()) for path in (root / "notebooks").glob("*.yaml")]
    names = {declaration["brief"] for declaration in declarations if declaration.get("brief")}
    assert len(names) >= 2
    listed = installed("hecn", "brief", "--list")
    assert {line.partition(":")[0] for line in listed.splitlines() if not line.startswith(" ")} == names


def test_installed_library_says_what_it_offers(installed):
    names = installed("python", "-c", "import hecn_analysis as hecn; print(*dir(hecn))").split()
    assert {"read", "predict", "load_scenario", "limits"} <= set(names)
