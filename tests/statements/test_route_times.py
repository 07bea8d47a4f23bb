"""When a route was traced, as ``date`` printed it above or in front of the trace."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.routes import find

TRACE = """\
traceroute to far.example.net (198.51.100.9), 30 hops max, 60 byte packets
 1  192.0.2.1  0.412 ms  0.390 ms  0.371 ms
 2  198.51.100.9  9.871 ms  9.855 ms  9.839 ms
"""
NOON = 1772971449  # 2026-03-08 12:04:09 UTC


def traced(text):
    return [one.value for one in find(Document("trace.txt", text.encode())) if one.name == "path.traced_s"]


@pytest.mark.parametrize(
    "above",
    [
        "Sun Mar  8 12:04:09 UTC 2026",
        "Sun Mar  8 07:04:09 AM EST 2026",
        "Sun 8 Mar 13:04:09 CET 2026",
        "2026-03-08 17:34:09 +05:30",
    ],
)
@pytest.mark.parametrize("end", ["\n", " "])
def test_the_zone_counts(above, end):
    assert traced(above + end + TRACE) == [NOON]


@pytest.mark.parametrize("above", ["2026-03-08 12:04:09", "Sun Mar  8 12:04:09 CST 2026", "Sun Mar  8 12:04:09 2026"])
def test_a_time_of_unknown_zone_is_none(above):
    assert traced(f"{above}\n{TRACE}") == []
