"""House keeping: what is written down twice must agree, and the set-up must fail with advice.

pyproject.toml, environment.yml and the locks declare the same packages; the version stands in the changelog; what the
documents tell people to type exists.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = (
    *("requirements-bootstrap.lock", "requirements.lock", "requirements-dev.lock", "requirements-fuzz.lock"),
    *("requirements-mutation.lock", "requirements-oldest.lock"),
)
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if not {"generated", "_build"} & set(path.parts)),
]


def declared(*groups):
    """Bounds by package name: of the project itself for "project", else of a dependency group."""
    lines = [
        line
        for group in groups
        for line in (PROJECT["project"]["dependencies"] if group == "project" else PROJECT["dependency-groups"][group])
    ]
    return {canonicalize_name(r.name): r.specifier for r in map(Requirement, lines)}


def locked(name):
    """Pins of a lock by package name: a set of (version, marker), since one lock serves several Python versions."""
    pins = {}
    for line in (ROOT / name).read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            pin = Requirement(line.removesuffix("\\"))
            (exactly,) = pin.specifier
            assert exactly.operator == "==", line
            pins.setdefault(canonicalize_name(pin.name), set()).add((Version(exactly.version), str(pin.marker or "")))
    return pins


def test_conda_and_pip_users_get_the_same_packages_with_the_same_bounds():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (from_pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert "--editable ." in from_pip
    lines = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    lines += [entry for entry in from_pip if not entry.startswith("-")]
    conda = {canonicalize_name(r.name): r.specifier for r in map(Requirement, lines)}
    assert conda.pop("python") == Requirement(f"python{PROJECT['project']['requires-python']}").specifier
    del conda["pip"]
    assert conda == declared("project", "test")


def test_packages_that_users_were_promised_are_there():
    assert {"jupyterlab", "numpy", "pandas", "plotly", "scipy", "papermill", "nbval"} <= set(
        declared("project", "test")
    )


@pytest.mark.parametrize("name", LOCKS)
def test_lock_has_a_hash_for_every_package_and_no_place(name):
    text = (ROOT / name).read_text()
    assert not re.search(r"://|@ |--(extra-)?index|--find-links|/home/|/root/|/tmp/", text)
    entries = re.split(r"\n(?=\S)", text)
    without = [entry for entry in entries if not entry.startswith("#") and "--hash=sha256:" not in entry]
    assert without == []


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("requirements-bootstrap.lock", ["bootstrap"]),
        ("requirements.lock", ["project", "build"]),
        ("requirements-dev.lock", ["test", "lint", "docs", "bench", "audit"]),
        ("requirements-fuzz.lock", ["fuzz"]),
        ("requirements-mutation.lock", ["mutation"]),
        ("requirements-oldest.lock", ["project", "build", "test"]),
    ],
)
def test_lock_holds_what_pyproject_asks_for(name, groups):
    pins = locked(name)
    for package, bounds in declared(*groups).items():
        assert package in pins, f"{package} is not in {name}: run `make lock`"
        for version, _ in pins[package]:
            assert version in bounds, f"{package} {version} in {name} is not {bounds}: run `make lock`"


def test_tools_and_package_are_locked_to_one_version_of_what_they_share():
    runtime, tools = locked("requirements.lock"), locked("requirements-dev.lock")
    versions = {name: ({v for v, _ in runtime[name]}, {v for v, _ in tools[name]}) for name in runtime.keys() & tools}
    assert {name: both for name, both in versions.items() if not both[1] <= both[0]} == {}


def test_lower_bounds_are_the_versions_that_the_oldest_run_tests():
    pins = locked("requirements-oldest.lock")
    for package, bounds in declared("project", "build", "test").items():
        (bound,) = (Version(b.version) for b in bounds if b.operator == ">=")
        assert {version for version, _ in pins[package]} == {bound}, package


def test_version_is_the_installed_one_and_stands_in_the_changelog():
    version = PROJECT["project"]["version"]
    assert metadata.version("hecn-analysis") == version
    headings = re.findall(r"^## \[?([^]\s]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert version in headings
    assert headings == sorted(headings, key=lambda h: Version("999" if h == "Unreleased" else h), reverse=True)


def test_every_command_is_in_the_readme():
    out = subprocess.run([sys.executable, "-m", "hecn_analysis", "--help"], capture_output=True, text=True, check=True)
    commands = re.findall(
        r"^    ([\w-]+)(?: |$)", out.stdout.partition("commands:")[2].partition("\n\n")[0], re.MULTILINE
    )
    assert len(commands) >= 5
    readme = (ROOT / "README.md").read_text()
    assert [command for command in commands if f"hecn {command}" not in readme] == []


@pytest.mark.slow  # a dozen processes; the outputs of the commands are held by tests/cli/golden
def test_sessions_of_the_readme_show_what_the_commands_print():
    """HECN_UPDATE_GOLDEN=1 writes what they print now into the README."""
    path = ROOT / "README.md"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(found):
        shell = ["bash", "-o", "pipefail", "-c", found["command"]]
        result = subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return "\n".join([f"$ {found['command']}", *(line.rstrip() for line in result.stdout.splitlines()), ""])

    command = re.compile(r"^\$ (?P<command>hecn .*)\n(?:(?!\$ |```).*\n)*", re.MULTILINE)
    readme = path.read_text()
    assert len(command.findall(readme)) >= 2
    now = command.sub(run, readme)
    if os.environ.get("HECN_UPDATE_GOLDEN"):
        path.write_text(now)
    assert now.splitlines() == path.read_text().splitlines()


def test_example_of_the_library_in_the_readme_runs():
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)


def test_make_targets_that_documents_name_exist_and_all_are_explained():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    explained = set(re.findall(r"^([a-z-]+):.*## \S", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets == explained
    for document in DOCUMENTS:
        code = re.findall(r"`[^`\n]+`|^(?:```|~~~)(?s:.*?)^(?:```|~~~)", document.read_text(), re.MULTILINE)
        named = {
            word for text in code for word in re.findall(r"(?:^|[`$] ?|&& )make ([a-z][a-z-]*)", text, re.MULTILINE)
        }
        assert named <= targets, document
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    assert [target for target in sorted(targets) if f"make {target}" not in contributing] == []


def anchors(text):
    """What a link can name in a document: its headings, as GitHub and MyST write them, and explicit targets."""
    prose = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ +(.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings} | set(
        re.findall(r"^\((\S+)\)=$", prose, re.MULTILINE)
    )


def linked():
    """Documents and notebooks with the text that holds links: of notebooks that of their cells in Markdown."""
    for document in (*DOCUMENTS, ROOT / "SECURITY.md", ROOT / "data" / "README.md"):
        yield document, document.read_text()
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(notebook.read_text())["cells"]
        yield notebook, "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def test_links_between_documents_lead_somewhere():
    lost = []
    for document, text in linked():
        for link in re.findall(r"\]\(([^)\s]+)", text):
            place, _, anchor = link.partition("#")
            made = "generated/" in link  # by `make docs`, which checks these
            if made or re.match(r"[a-z]+:", link):
                continue
            path = document.parent / place if place else document
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path.read_text())):
                lost.append(f"{document.name}: {link}")
    assert lost == []


def test_kernel_of_the_notebooks_is_the_python_that_runs_here(tmp_path, monkeypatch):
    """Also where the user has a kernel of that name: the tests and the briefs must not run in a stranger's Python."""
    from jupyter_client.manager import KernelManager  # noqa: PLC0415 slow, and only this test needs it

    theirs = tmp_path / ".local/share/jupyter/kernels/python3"
    theirs.mkdir(parents=True)
    (theirs / "kernel.json").write_text('{"argv": ["/bin/false"], "display_name": "theirs", "language": "python"}')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    command = KernelManager(kernel_name="python3").format_kernel_cmd()
    assert command[:3] == [sys.executable, "-m", "ipykernel_launcher"]


def make_venv(tmp_path, pythons, **environment):
    """Run tools/make-venv where only the given programs exist; `pythons` are shell scripts by name."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in ("sh", "grep", "rm"):
        (programs / tool).symlink_to(shutil.which(tool))
    for name, script in pythons.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    result = subprocess.run(
        ["sh", ROOT / "tools/make-venv", "venv", "unused.lock"],
        cwd=tmp_path,
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert not (tmp_path / "venv").exists()
    return result.stderr


TOO_OLD = "exit 1"
WITHOUT_VENV = 'case "$2" in *ensurepip*) exit 1;; *print*) echo python3.12;; esac'
BROKEN_VENV = 'if [ "$2" = venv ]; then mkdir "$3"; echo "disk full" >&2; exit 1; fi'


def test_no_suitable_python_is_said_in_one_line(tmp_path):
    assert make_venv(tmp_path, {"python3": TOO_OLD}) == (
        "make: no Python 3.11, 3.12 or 3.13 found: install one, or name it, "
        "e.g. make PYTHON=/opt/python3.12/bin/python3 …\n"
    )


def test_missing_venv_module_names_the_package_to_install(tmp_path):
    assert make_venv(tmp_path, {"python3.13": TOO_OLD, "python3": WITHOUT_VENV}) == (
        "make: python3.12 cannot make virtual environments: install the package python3.12-venv "
        "(Debian, Ubuntu: apt install python3.12-venv), then try again\n"
    )


def test_python_that_was_asked_for_and_does_not_fit_is_named(tmp_path):
    assert make_venv(tmp_path, {"python3": WITHOUT_VENV, "python2": TOO_OLD}, PYTHON="python2") == (
        "make: PYTHON=python2 is not a working Python 3.11, 3.12 or 3.13\n"
    )


def test_failed_venv_leaves_no_half_made_folder(tmp_path):
    script = BROKEN_VENV.replace("mkdir", shutil.which("mkdir"))
    assert make_venv(tmp_path, {"python3": script}) == "disk full\nmake: python3 -m venv failed (see above)\n"
