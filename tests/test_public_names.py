"""What `import hecn_analysis` gives, and that it gives it without loading anything."""

import re
import subprocess
import sys

import pytest

import hecn_analysis as hecn


@pytest.mark.parametrize("name", hecn.__all__)
def test_every_public_name_is_there(name):
    assert getattr(hecn, name) is getattr(hecn, name)
    assert name in dir(hecn)


def test_every_public_name_is_explained_in_the_documentation(root):
    table = (root / "docs" / "api.md").read_text()
    assert [name for name in hecn.__all__ if not re.search(rf"`hecn\.{name}[`(.]", table)] == []


def test_functions_are_functions_and_limits_its_room():
    assert callable(hecn.predict)
    assert callable(hecn.read)
    assert hecn.limits.pcie(gen=2, lanes=16, max_payload=128)["tmt_bps"] / 1e9 == pytest.approx(53.8947, abs=5e-5)


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'hecn_analysis' has no attribute 'predcit'"):
        hecn.predcit  # noqa: B018


def test_import_loads_only_the_package_itself():
    code = "import sys; before = set(sys.modules); import hecn_analysis; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert {module.partition(".")[0] for module in done.stdout.split()} <= {
        "hecn_analysis",
        "typing",
        "importlib",
        "collections",
    } | set(sys.stdlib_module_names)
    assert [module for module in done.stdout.split() if module.startswith("hecn_analysis")] == ["hecn_analysis"]
