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
        (r"Target[a]: \eth0:s3cr3t@router + /192.0.2.1:s3@r2", r"Target[a]: \eth0:…@router + /192.0.2.1:…@r2"),
        ("username=>'u',authpassword=>'a',privkey=>'b'", "username=>'u',authpassword=>'…',privkey=>'…'"),
        ("http://bob:hun/t@er2@dtn/x", "http://bob:…@dtn/x"),
        ("found 'http://bob:hunt'", "found 'http://bob:…'"),  # cut off where lines are
        ("http://dtn:8080/x and 'http://dtn:80'", "http://dtn:8080/x and 'http://dtn:80'"),
        ("https://b/x?X-Amz-Signature=a&sig=b&n=2", "https://b/x?X-Amz-Signature=…&sig=…&n=2"),
        ('{"password": "hunter2", "_auth-token":"t"}', '{"password": "…", "_auth-token":"…"}'),
        ("AWS_SECRET_ACCESS_KEY=abc aws s3 cp", "AWS_SECRET_ACCESS_KEY=… aws s3 cp"),
        ("ASPERA_SCP_PASS=abc ascp f me@h:", "ASPERA_SCP_PASS=… ascp f me@h:"),
        ("wget --http-password hunter2 x", "wget --http-password … x"),
        ("curl -u me:hunter2 x", "curl -u me:… x"),
        ("curl -H 'X-Api-Key: abc' x", "curl -H 'X-Api-Key: …' x"),
        ("lftp -u me,hunter2 dtn", "lftp -u me,… dtn"),
        ("sshpass -phunter2 scp a b:", "sshpass -p… scp a b:"),
        ("ncftpget -u me -p hunter2 dtn . f", "ncftpget -u me -p … dtn . f"),
        ("---> PASS hunter2", "---> PASS …"),
        ("machine dtn login me password hunter2", "machine dtn login me password …"),
        ("Cookie: sid=abc; x=1", "Cookie: …"),
        ("Bearer abcdefgh", "Bearer …"),
        ("found 'eyJhbGciOi.eyJzdWIi.c2ln'", "found '…'"),
        ("clone https://ghp_abcdefgh1@github.com/a", "clone https://…@github.com/a"),
        ("rocommunity s3cr3t 10.0.0.0/8", "rocommunity … 10.0.0.0/8"),
        ("snmp-server community s3cr3t RO", "snmp-server community … RO"),
        ("com2sec notConfigUser default s3cr3t", "com2sec notConfigUser default …"),
        ("trap2sink 192.0.2.1 s3cr3t 162", "trap2sink 192.0.2.1 … 162"),
        ("createUser me SHA abc AES def", "createUser me …"),
        ("community: s3cr3t", "community: …"),
        ("found '1.5 Gbits/sec', expected a rate", "found '1.5 Gbits/sec', expected a rate"),
        ("12:30:45 me@host: tokens 5", "12:30:45 me@host: tokens 5"),
        ("iperf3 -c host -A 2,3", "iperf3 -c host -A 2,3"),
        ("iperf -u -b 1g -c host", "iperf -u -b 1g -c host"),
        ("pass 3 of 4, PASS 2, a community of users", "pass 3 of 4, PASS 2, a community of users"),
        ("key 'lanez', expected one of gen, lanes", "key 'lanez', expected one of gen, lanes"),
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
