"""The sustained write rate of drives bounds predictions and purchases."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.planning.purchase.cheapest import purchase
from hecn_analysis.prediction import predict

KEYS = {"receiver": "ideal", "tool": "dd-write", "receiver.arrays.one": {"disk": "samsung-970-evo-plus-1tb"}}


def test_drives_with_a_fast_cache_state_what_they_go_on_writing():
    """The sources of consumer drives say that writes beyond the cache are slower, and nothing else says so."""
    disks = parts("disks")
    cached = [disk for disk in disks.values() if "fast cache" in disk.source]
    assert cached
    for disk in [*cached, disks["samsung-860-evo-1tb"], disks["samsung-870-evo-1tb"], disks["crucial-mx500-1tb"]]:
        assert disk.sustained_write_rate.value < disk.write_rate.value
        assert disk.sustained_write_rate.spread > 0
        assert disk.sustained_write_rate.source


def test_the_sustained_rate_bounds_writes_and_not_reads():
    written = predict(load_scenario(KEYS))
    assert written.throughput_bps == pytest.approx(1700e6 * 8, rel=0.01)
    assert any(one.name.endswith("sustained_write_rate") and one.basis == "assumed" for one in written.assumptions)
    read = {"sender": "ideal", "tool": "dd-read", "sender.arrays.one": {"disk": "samsung-970-evo-plus-1tb"}}
    assert predict(load_scenario(read)).throughput_bps == pytest.approx(3500e6 * 8, rel=0.01)


def test_a_sustained_rate_above_the_burst_rate_cannot_be():
    with pytest.raises(InputError, match=r"a sustained_write_rate of 32.0 Gb/s, expected at most the write_rate"):
        load_scenario(KEYS, {"receiver.arrays.one.disk.sustained_write_rate": "4 GB/s"})


@pytest.mark.slow
def test_a_purchase_is_proved_by_what_its_drives_go_on_writing(capsys):
    found = purchase("40 Gb/s", path="sc11-100ge", assume_prices=True)
    arrays = found.prediction.scenario.receiver.arrays.values()
    written = sum(array.disks * array.disk.lasting_write_rate.value for array in arrays)
    assert written >= 40e9
    for drive in found.drives():
        assert drive["sustained_write_bps"] <= drive["write_bps"]
        assert drive["source"]
    ordered = ["--target", "40Gb/s", "--path", "sc11-100ge", "--assume-prices"]
    assert main(["purchase", *ordered]) == 0
    assert "sustains writes of" in capsys.readouterr().out
