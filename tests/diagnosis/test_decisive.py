"""Small folders in which one piece of evidence decides: the cause, and what is advised and what is not."""

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis.observed import folder

PORT = """\
Settings for ens3:
\tSpeed: 10000Mb/s
\tDuplex: Full
NIC statistics:
     rx_packets: {packets}
     tx_packets: 31190222
     rx_bytes: 118230019211
     rx_errors: {damaged}
     rx_crc_errors: {damaged}
"""


def test_damaged_frames_are_a_loss_that_repair_ends(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, {"ethtool.txt": PORT.format(packets=79_312_044, damaged=31_207)}))
    assert verdict.causes[0].kind == "loss"
    assert verdict.causes[0].probability > 0.6
    assert "rx_crc_errors: 31207" in verdict.causes[0].evidence[0].says
    assert "cable" in verdict.changes[0].command
    assert not any("bbr" in change.command or "streams" in change.what for change in verdict.changes)


@pytest.mark.parametrize("damaged", [0, 300])
def test_few_damaged_frames_decide_nothing(tmp_path, damaged):
    (verdict,) = diagnose(folder(tmp_path, {"ethtool.txt": PORT.format(packets=79_312_044, damaged=damaged)}))
    assert max(cause.probability for cause in verdict.causes) < 0.5
