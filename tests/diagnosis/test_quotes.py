"""What a verdict quotes first, and how it writes shares."""

import re

from hecn_analysis.diagnosis.likelihood import evidence
from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

_RATES = [210e6, 96e6, 150e6, 71e6, 188e6, 93e6, 120e6, 160e6, 80e6, 130e6] * 2
_RESENT = [40, 22, 31, 17, 42, 20, 33, 37, 18, 26] * 2


def _lossy(folder):
    (folder / "iperf3.txt").write_text(e.iperf3(_RATES, [0.6 * e.MIB, 0.3 * e.MIB] * 10, _RESENT))
    (folder / "ping.txt").write_text("$ ping -c 10 dtn02.campus.example\n" + e.ping("dtn02.campus.example", 0.024, 10))
    return diagnose(folder)


def test_a_lossy_path_is_shown_by_its_retransmits(tmp_path):
    cause = _lossy(tmp_path)[0].causes[0]
    assert cause.kind == "loss"
    assert cause.evidence[0].says == "572 retransmits in 1 run (0.0026 of the packets are sent again)"


def test_shares_have_a_blank_before_the_per_cent_sign(tmp_path):
    text = str(_lossy(tmp_path))
    assert re.search(r"\(loss, \d\d %\)", text)
    assert re.search(r"scatters by \d\d\.\d %", text)
    assert re.search(r"\d%", text) is None
    assert evidence().signs["line_share"].says(0.994) == "the rate is 99 % of what TCP carries on the stated circuit"


def test_causes_quote_signs_that_there_are():
    table = evidence()
    assert all(set(cause.quotes) <= table.signs.keys() for cause in table.causes.values())
