"""What is secret in a log goes no further."""

import pytest

import hecn_analysis as hecn
from hecn_analysis import tables
from hecn_analysis.secrets import hidden


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("http://bob:hunter2@dtn/x", "http://bob:…@dtn/x"),
        ("sftp://bob@dtn/x", "sftp://bob@dtn/x"),
        ("GET /x?access_token=abc.def&n=2", "GET /x?access_token=…&n=2"),
        ("password: hunter2, user: bob", "password: …, user: bob"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer …"),
        ("$ snmpbulkwalk -v 2c -c s3cr3t sw1 ifX", "$ snmpbulkwalk -v 2c -c … sw1 ifX"),
        ("$ snmpget -v3 -u me -A authkey1 -X privkey1 sw1", "$ snmpget -v3 -u me -A … -X … sw1"),
        ("Target[a]: -2:s3cr3t@router", "Target[a]: -2:…@router"),
        ("found '1.5 Gbits/sec', expected a rate", "found '1.5 Gbits/sec', expected a rate"),
        ("12:30:45 me@host: tokens 5", "12:30:45 me@host: tokens 5"),
        ("iperf3 -c host -A 2,3", "iperf3 -c host -A 2,3"),
    ],
)
def test_secrets_are_left_out_and_nothing_else(text, left):
    assert hidden(text) == left


def test_a_message_that_quotes_a_line_does_not_quote_its_password(tmp_path):
    (tmp_path / "a.log").write_text("ftp://me:hunter2@host and nothing that a reader knows\n")
    for read in (hecn.read, hecn.read_counters, hecn.read_inventory):
        text = read(tmp_path).problems.to_csv()
        assert "unrecognised" in text
        assert "hunter2" not in text


def test_labels_quote_the_log():
    assert {name for table in tables.COLUMNS.values() for name, column in table.items() if column.quotes} == {
        "label",
        "message",
    }


def test_long_lines_take_no_time():
    for piece in ("a", "-c ", "snmp ", "1:", "://a:", "token=", " "):
        hidden(piece * (1_000_000 // len(piece)))
