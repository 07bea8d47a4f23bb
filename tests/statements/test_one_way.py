"""Loss and round-trip time of owping's probes."""

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.one_way import find

BLOCK = """--- owping statistics from [{}]:8915 to [{}]:9270 ---
SID:	c0000201
{} sent, {} lost (0.020%), 0 duplicates
one-way delay min/median/max = {}/{}/{} ms, (err=0.5 ms)
"""


def said(text):
    return [(one.name, one.value, one.host, one.line) for one in find(Document("owping.txt", text.encode()))]


def test_both_directions_give_the_rtt_without_the_difference_of_clocks():
    text = BLOCK.format("192.0.2.1", "192.0.2.2", 20000, 4, -3, -2.5, -2)
    text += BLOCK.format("192.0.2.2", "192.0.2.1", 20000, 0, 42, 42.5, 43)
    assert said(text) == [
        ("path.ping_loss_idle", 0.0002, "192.0.2.1 > 192.0.2.2", 3),
        ("path.ping_loss_idle", 0.0, "192.0.2.2 > 192.0.2.1", 7),
        ("path.rtt_idle_s", 0.04, "192.0.2.2 > 192.0.2.1", 8),
    ]


def test_few_probes_and_half_a_block_state_nothing():
    assert said(BLOCK.format("192.0.2.1", "192.0.2.2", 9, 1, 1, 1, 1)) == []
    assert said("5000 sent, 9 lost (0.18%), 0 duplicates\n") == []
