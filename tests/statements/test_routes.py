"""Routes in the text of traceroute and mtr."""

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.routes import find


def test_hops_are_counted_from_one():
    text = "traceroute to 192.0.2.9\n 0  192.0.2.77  0.1 ms\n 1  192.0.2.1  0.3 ms\n 2  192.0.2.9  9.1 ms\n"
    (route,) = (told.value for told in find(Document("trace.txt", text.encode())) if told.name == "path.route")
    assert route == "192.0.2.1 192.0.2.9"
