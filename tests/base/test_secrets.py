"""What is secret in a log goes no further."""

import contextlib
import re
import shlex

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base import tables
from hecn_analysis.base.secrets import hidden
from hecn_analysis.cli import COMMANDS, build_parser, main


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
        ('{"password": "two words", "n": 1}', '{"password": "…", "n": 1}'),
        ("--password 'two words' x", "--password '…' x"),
        ("curl -u 'me:two words' x", "curl -u 'me:…' x"),
        ("sshpass -p 'two words' ssh", "sshpass -p … ssh"),
        ("snmpget -v3 -u me -A \"two words\" -X 'a b' sw1", "snmpget -v3 -u me -A … -X … sw1"),
        ("community_string = s3cr3t", "community_string = …"),
        ('Authorization: Digest username="me", response="abc"', "Authorization: Digest …"),
        ("https://0123456789abcdefghij@github.com/a", "https://…@github.com/a"),
        ("https://bob@dtn/x", "https://bob@dtn/x"),
        ("http://influx/query?u=me&p=abc&q=x", "http://influx/query?u=me&p=…&q=x"),
        ("ascp -QT -W abc f me@h:", "ascp -QT -W … f me@h:"),
        ("machine dtn password hunter2 login me", "machine dtn password … login me"),
        ("cfgmaker --global 'x' s3cr3t@sw1", "cfgmaker --global 'x' s3cr3t@sw1"),  # what a shell joined is not told
        ("cfgmaker --ifref=nr s3cr3t@sw1", "cfgmaker --ifref=nr …@sw1"),
        ("username me password 7 0822455D0A16", "username me password 7 …"),
        ("enable secret 5 $1$abc", "enable secret 5 …"),
        ("tacacs-server key 7 0822", "tacacs-server key 7 …"),
        ("radius-server host 192.0.2.1 key abc", "radius-server host 192.0.2.1 key …"),
        ("snmp-server host 192.0.2.1 traps version 2c s3cr3t bgp", "snmp-server host 192.0.2.1 traps version 2c … bgp"),
        ("snmp-server user me all v3 auth sha abc priv aes 128 def", "snmp-server user me all v3 auth sha …"),
        ('authentication-key "$9$abc";', 'authentication-key "…";'),
        ("    community s3cr3t {", "    community … {"),
        ("a community of users, key 5 of 7, secret 7 words", "a community of users, key 5 of 7, secret 7 words"),
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


def test_labels_and_statements_quote_the_log():
    assert {name for table in tables.COLUMNS.values() for name, column in table.items() if column.quotes} == {
        "label",
        "message",
        "value",
        "says",
    }


# every command

SECRET = "CANARY7x9"  # noqa: S105 (one that is planted)

#: Lines of sessions and settings with secrets, as people leave them in logs.
LINES = f"""\
$ snmpbulkwalk -v3 -l authPriv -u me -A {SECRET} -X {SECRET} sw1 ifXTable
$ snmpwalk -v2c -c {SECRET} sw1 ifTable
$ IPERF3_PASSWORD={SECRET} iperf3 -c dtn --username me
$ curl -u me:{SECRET} -H 'Authorization: Bearer {SECRET}' https://dtn/x?token={SECRET}
$ lftp -u me,{SECRET} sftp://dtn
ftp://me:{SECRET}@dtn/x
password: {SECRET}
---> PASS {SECRET}
rocommunity {SECRET} 10.0.0.0/8
Target[a]: 2:{SECRET}@router
"""
PERFSONAR = f"""\
{{"test": {{"type": "throughput", "spec": {{"dest": "https://me:{SECRET}@dtn", "_auth-token": "{SECRET}"}}}},
 "archives": [{{"archiver": "esmond", "data": {{"url": "https://me:{SECRET}@ma/", "_auth-token": "{SECRET}"}}}}],
 "result": {{"succeeded": false, "error": "cannot reach https://me:{SECRET}@dtn/"}}}}
"""


@pytest.fixture(scope="module")
def planted(root, tmp_path_factory):
    """A folder with a secret in each kind of file that commands read, beside what makes them work."""
    folder = tmp_path_factory.mktemp("planted")
    for name, copied in {
        "runs.csv": "docs/examples/measured.csv",
        "mapping.yaml": "docs/examples/measured.yaml",
        "port1.log": "data/counters/session/port1.log",
        "cpuinfo.txt": "data/inventory/virtual-machine/cpuinfo.txt",
    }.items():
        (folder / name).write_bytes((root / copied).read_bytes())
    logs = folder / "logs"
    logs.mkdir()
    result = " 1178.1250 MB /  10.00 sec =  988.2643 Mbps 2 %TX 4 %RX 0 retrans 0.11 msRTT\n"
    (logs / "nuttcp.txt").write_text("".join(f"{line}\n{result}" for line in LINES.splitlines()))
    (logs / "dd.txt").write_text(
        "".join(f"{line}\n1073741824 bytes copied, x s, 1.1 GB/s\n" for line in LINES.splitlines())
    )
    (logs / "pscheduler.json").write_text(PERFSONAR)
    for number, line in enumerate(LINES.splitlines()):
        (logs / f"settings{number}").write_text(f"{line}\n{LINES}")
    (folder / "snmpd.conf").write_text(f"createUser me SHA {SECRET} AES {SECRET}\ncom2sec x default {SECRET}\n")
    (folder / "mrtg.cfg").write_text(
        f"Target[a]: 2:{SECRET}@router\nMaxBytes[a]: x\nSnmpOptions[a]: authkey=>'{SECRET}'\n"
    )
    (folder / "cmdline").write_text(f"root=/dev/vda api_key={SECRET}\n")
    (folder / "bad.yaml").write_text(
        f"sender: b\nreceiver: b\npath: 'https://me:{SECRET}@dtn/'\ntool: {{password: {SECRET}}}\n"
    )
    (folder / "bad-mapping.yaml").write_text(f"measured: 'https://me:{SECRET}@dtn/'\nsender: b\n")
    (folder / "snmp.yaml").write_text(f"version: 2c\ncommunity: {SECRET}\n")
    (folder / "snmp.yaml").chmod(0o600)
    (folder / "bad-snmp.yaml").write_text(f"comunity: {SECRET}\n")
    (folder / "bad-snmp.yaml").chmod(0o600)
    return folder


#: Each command with what it can be given of that. {at} is the folder; reports and briefs are in tests/browser.
CALLS = {
    "diagnose": ["{at}"],
    "parse": ["{at} --table runs", "{at} --table problems", "{at} --table streams"],
    "counters": ["{at} --table sources", "{at} --table problems", "{at} --table interfaces"],
    "traffic": ["{at}"],
    "forecast": ["{at}"],
    "reconcile": ["{at}/logs {at}"],
    "service-levels": ["{at}/logs {at}", "{at}/logs {at} --level {at}/bad.yaml"],
    "inventory": ["{at} --table problems", "{at} --table sources", "{at} --table findings"],
    "limits": ["pcie --gen https://me:" + SECRET + "@dtn --lanes 8"],
    "predict": [
        "{at}/bad.yaml",
        "{at}/bad.yaml --by 2d",
        "{at}/bad.yaml --without-each",
        "--sender b --by https://me:" + SECRET + "@dtn",
        "--cases {at}/runs.csv",
        "--cases {at}/logs/settings1",
    ],
    "whatif": ["{at}/bad.yaml"],
    "advise": ["{at}/bad.yaml", "{at}"],
    "purchase": ["--path {at}/bad.yaml", "--site {at}/bad.yaml --target 1Gb/s"],
    "app": ["{at}/bad.yaml --port 1 --no-browser"],
    "roadmap": ["{at}/bad.yaml"],
    "matrix": ["plan {at}/bad.yaml", "status {at}/bad.yaml {at}/logs"],
    "calibrate": ["{at}/logs --sender b --receiver {at}/bad.yaml"],
    "validate": ["{at}/runs.csv --mapping {at}/bad-mapping.yaml", "{at}/logs/settings2 --mapping {at}/mapping.yaml"],
    "measure": ["{at}/bad.yaml --dry-run", "--settle {at}/logs --dry-run"],
    "capture": ["--script"],
    "snmp": [
        "poll 127.0.0.1:1 --rounds 1 --timeout 10ms --retries 0",
        "poll 127.0.0.1:1 --rounds 1 --timeout 10ms --retries 0 --credentials {at}/snmp.yaml",
        "poll 127.0.0.1:1 --rounds 1 --credentials {at}/bad-snmp.yaml",
    ],
    "archive": ["add {into} {at}", "query {into} 'select * from problems'", "query {into} 'select * from runs'"],
    "watch": [
        "{at} --archive {into} -o {into}-out --once",
        f"{{at}} --archive {{into}} -o {{into}}-out --once --webhook https://me:{SECRET}@dtn:x/{SECRET}",
        *(
            f"{address}://me:{SECRET}@dtn{path} --archive {{into}} -o {{into}}-out --once"
            for address, path in (
                ("ftp", "/esmond/"),
                ("https", f"/x?token={SECRET}"),
                ("http", f":x/esmond/{SECRET}@"),
            )
        ),
    ],
    "report": ["{at}/nothing"],
    "plot": ["{at}/logs -o {into}.html"],
    "compare": ["{at}/logs {at}/logs"],
    "brief": ["--list", "what_if -p sender={at}/bad.yaml rtt=https://me:" + SECRET + "@dtn"],
    "hosts": ["https://me:" + SECRET + "@dtn"],
    "paths": ["https://me:" + SECRET + "@dtn"],
    "tools": ["https://me:" + SECRET + "@dtn"],
    "parts": ["https://me:" + SECRET + "@dtn"],
    "doctor": ["--format json"],
    "completion": ["bash"],
}


def test_there_are_calls_of_every_command():
    assert list(CALLS) == list(COMMANDS)


TABLES = ("diagnose", "parse", "inventory")  # in all forms; the others are written by the same functions


@pytest.mark.parametrize(
    ("command", "form"),
    [(name, form) for name in CALLS for form in (("text", "csv") if name in TABLES else ()) + ("json",)],
)
@pytest.mark.slow
def test_no_command_says_a_secret(command, form, planted, tmp_path, monkeypatch, capfd):  # noqa: PLR0917 (fixtures)
    """Neither in its output, nor in what it says beside it, nor in a traceback, nor in what it writes."""
    for variable in ("COMMUNITY", "USER", "AUTHENTICATION_KEY", "PRIVACY_KEY"):
        monkeypatch.setenv(f"HECN_SNMP_{variable}", SECRET)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HECN_DEBUG", "1" if form == "json" else "")
    said = ""
    for call in CALLS[command]:
        words = shlex.split(call.format(at=planted, into=tmp_path / "archive"))
        formless = command in {"app", "report", "watch", "completion", "limits"} or words[0] == "add"
        with contextlib.suppress(SystemExit):
            main([command, *words, *([] if formless else ["--format", form])])
        out, err = capfd.readouterr()
        assert SECRET not in out, call
        assert SECRET not in err, call
        said += out + err
    assert said
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    for path in tmp_path.rglob("*.parquet"):
        assert SECRET not in pd.read_parquet(path).to_csv(), path


def test_no_secret_is_an_argument():
    """What is typed into a command line is seen by all users of the machine."""
    arguments = [argument for parser in all_parsers(build_parser()) for argument in parser.arguments]
    options = [option for argument in arguments for option in argument.option_strings]
    assert len(options) > 100
    assert [one for one in options if re.search(r"communit|password|secret|token|-key|auth|priv", one)] == []


def all_parsers(parser):
    yield parser
    for below in parser.subcommands.values():
        yield from all_parsers(below)


def test_long_lines_take_no_time():
    pieces = (
        "a",
        "-c ",
        "snmp ",
        "1:",
        "://a:",
        "token=",
        " ",
        "ascp a ",
        "snmp-server user ",
        "cfgmaker -a ",
        "password='",
    )
    for piece in (*pieces, "snmp-server host a ", "radius-server a ", "key 5 ", "-u '", "?u=a&p="):
        hidden(piece * (1_000_000 // len(piece)))
