"""Names of a package load their modules on first use, and modules of a package are found."""

import pytest

import hecn_analysis
from hecn_analysis.base.first_use import lazy_getattr
from hecn_analysis.base.modules import modules_of
from hecn_analysis.base.units import parse


def test_a_name_is_loaded_and_stored(monkeypatch):
    monkeypatch.setattr(hecn_analysis, "parse", None, raising=False)
    load = lazy_getattr("hecn_analysis", {"parse": "base.units"})
    assert load("parse") is parse is hecn_analysis.parse
    with pytest.raises(AttributeError, match="'hecn_analysis' has no attribute 'nothing'"):
        load("nothing")


def test_modules_come_in_the_order_of_their_names():
    import hecn_analysis.limits  # noqa: PLC0415 - the package must be imported before it is searched

    names = [module.__name__ for module in modules_of(hecn_analysis.limits.__name__)]
    assert names == sorted(names)
    assert {"hecn_analysis.limits.bundle", "hecn_analysis.limits.storage.rotating_disk"} <= set(names)
