"""The settings of the documents with several hosts or copies, against the documents' own figures."""

import pandas as pd
import pytest

from hecn_analysis.base import places
from hecn_analysis.hardware.description import Library
from hecn_analysis.logs import read
from hecn_analysis.sites import predict_site

FIGURES = pd.read_csv(places.data_dir() / "documents.csv", comment="#").set_index("id")["value"]

#: Site, its figure in documents.csv, and how far the central prediction may be from it.
MEASURED = {
    "a-plus-plus-transmit": ("aplusplus-12x10ge-tx", 0.16),
    "a-plus-plus-receive": ("aplusplus-12x10ge-rx", 0.05),
    "sc12-eight-copies": ("sc12-b2b-115g", 0.01),
    "sc13-two-waves": ("sc13-wan-91g", 0.08),
}


@pytest.mark.parametrize("name", Library(places.models_dir()).names("sites"))
@pytest.mark.slow
def test_every_shipped_site_is_predicted(name):
    result = predict_site(name)
    assert 0 < result.low_bps <= result.throughput_bps <= result.high_bps
    if name in MEASURED:
        figure, within = MEASURED[name]
        assert result.low_bps <= FIGURES[figure] <= result.high_bps
        assert result.throughput_bps == pytest.approx(FIGURES[figure], rel=within)


def test_twelve_ports_fill_the_eight_waves():
    """The document's 80 Gb/s are of line rate: 9000-byte packets carry 99 % of it as payload."""
    result = predict_site("sc10-twelve-ports")
    assert result.bottleneck == "waves.link"
    assert result.throughput_bps == pytest.approx(FIGURES["sc10-nlr-filled"] * 8948 / 9038, rel=0.01)


def test_each_wave_holds_back_its_own_copies():
    result = predict_site("sc13-two-waves")
    assert {(each.name.split()[0], each.bottleneck) for each in result.transfers} == {
        ("north", "north.link"),
        ("south", "south.link"),
    }


def test_each_pair_of_the_cluster_reaches_what_one_does():
    result = predict_site("thunderhead-cluster")
    assert len(result.transfers) == 16
    for each in result.transfers:
        assert each.throughput_bps == pytest.approx(FIGURES["thunderhead-1ge-uni"], rel=0.002)
        assert each.low_bps < FIGURES["thunderhead-1ge-uni"] < each.high_bps


def test_a_card_sends_and_receives_at_once():
    """Six streams each way to two workstations: 75.1 Gb/s measured, 42.4 out and 32.7 back."""
    runs = read(places.data_dir() / "logs" / "hotlava-6x10ge.txt").runs
    measured = runs.throughput_bps[18:30].sum()
    result = predict_site("hotlava-both-ways")
    assert result.throughput_bps == pytest.approx(measured, rel=0.03)
    assert result.low_bps < measured < result.high_bps
    assert result.bottleneck == "hotlava.cpu.core2"
