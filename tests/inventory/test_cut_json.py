"""JSON that breaks off, whichever reader asks for it."""

import pytest

LSMEM = """\
{
   "memory": [
      {"range": "0x0000000000000000-0x000000007fffffff", "size": "2G", "state": "online", "block": "0-15"},
      {"range": "0x0000000100000000-0x000000027fff
"""
IP_LINK = '[{"ifname":"lo","mtu":65536,"operstate":"UNKNOWN","flags":["LOOPBACK","UP"]},{"ifname":"eth0","mt\n'
CUT = "truncated: found the end inside the JSON, expected its closing brackets"


@pytest.mark.parametrize(
    ("text", "line", "name", "value"),
    [(LSMEM, 4, "memory_online_bytes", 2 << 30), (IP_LINK, 1, "n", 2)],
)
def test_what_is_complete_is_read_and_the_end_is_reported(facts, text, line, name, value):
    assert facts(text, text=True, problems=[f"{line}: {CUT}"])[name] == value


def test_a_list_that_is_none_holds_nothing(facts):
    assert facts('{"memory": null, "range": ""}\n', text=True)["memory_online_bytes"] is None
