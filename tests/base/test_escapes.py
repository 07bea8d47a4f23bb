"""Text that comes from files does not change how the text around it is displayed, on a terminal or on a page."""

import pytest

from hecn_analysis.base.bidi import escape_bidi, printable
from hecn_analysis.base.html_text import html_text


def test_direction_marks_and_terminal_sequences_are_escaped():
    assert escape_bidi("eth0 \u202egnp.exe") == "eth0 \\u202egnp.exe"
    assert printable("eth0\x1b[2J") == "eth0\\x1b[2J"


@pytest.mark.parametrize("escape", [escape_bidi, printable, html_text])
def test_letters_of_any_language_stay(escape):
    assert escape("Münster 東京") == "Münster 東京"


def test_html_is_escaped_in_a_page():
    assert html_text("<b> \u202egnp.exe") == "&lt;b&gt; \\u202egnp.exe"
