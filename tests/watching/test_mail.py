"""A mail tells each change once; logins are sent encrypted only, and shown nowhere."""

import ssl
from dataclasses import replace

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.watching import mail as mail_module
from hecn_analysis.watching.mail import Mail
from hecn_analysis.watching.status import statuses
from tests.certificates import write_certificates
from tests.watching.servers import mailbox
from tests.watching.test_status import series_of_hours

SECRET = "CANARY7x9"  # noqa: S105 (one that is planted)


@pytest.fixture(scope="module")
def judged():
    """A series that dropped in its last three results, from a host whose name would add a header."""
    dropped = replace(series_of_hours(250, drop_at=247), source="a\nBcc: x@example.net")
    return statuses([dropped])


@pytest.fixture
def logins(tmp_path):
    """A file with a login of this machine."""
    file = tmp_path / "logins"
    file.touch(mode=0o600)
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    return file


def test_a_change_is_mailed_once_and_names_add_no_header(judged, archive):
    with mailbox() as (port, mails, commands):
        assert Mail("net@example.net", f"smtp://127.0.0.1:{port}", archive).tell(judged) == []
        assert Mail("net@example.net", f"smtp://127.0.0.1:{port}", archive).tell(judged) == []  # as after a restart
    (mail,) = mails
    assert (mail["To"], mail["From"], mail["Bcc"]) == ("net@example.net", "net@example.net", None)
    (change,) = judged[0].changes
    line = f"a Bcc: x@example.net to b1, iperf3 tcp send: {judged[0].says}"
    assert mail["Subject"] == f"hecn watch: {line}"[:150]
    assert mail.get_content().splitlines()[0] == line
    assert f" since {change['time'][:16].replace('T', ' ')}" in line
    assert not any(command.startswith("AUTH") for command in commands)
    assert archive.units()["source"].tolist() == [f"mail to net@example.net by 127.0.0.1:{port}"]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"AUTH": "535 no"}, "it refuses the login (535); check its user and password in the file of --credentials"),
        ({"EHLO": "250 mail"}, "it takes no login; use its other port, or leave it out of --credentials"),
        ({"RCPT": "550 who?"}, "it refuses the recipient: 550 who?; check the address"),
        ({"MAIL": "530 log in"}, "it answers 530 log in; it may want a login (--credentials)"),
        ({"DATA": "451 later"}, "it answers 451 later; it may want a login (--credentials)"),
    ],
)
def test_a_server_that_does_not_take_it_is_named_once_and_tried_again(judged, archive, logins, answers, words):
    given = dict(answers)
    with mailbox(given) as (port, mails, _):
        mail = Mail("net@example.net", f"smtp://127.0.0.1:{port}", archive, logins=logins)
        remark = f"mail to net@example.net by 127.0.0.1:{port}: {words}; its changes wait"
        assert mail.tell(judged) == [remark]
        mail._backoff.again_s = 0.0
        assert mail.tell(judged) == []  # said once
        given.clear()
        mail._backoff.again_s = 0.0
        assert mail.tell(judged) == []
    assert len(mails) == 1
    assert SECRET not in remark + repr(vars(mail)["name"])


def test_a_password_is_not_sent_without_encryption(judged, archive, logins, monkeypatch):
    monkeypatch.setattr(mail_module, "_LOOPBACK", ())
    with mailbox() as (port, mails, commands):
        (remark,) = Mail("net@example.net", f"smtp://127.0.0.1:{port}", archive, logins=logins).tell(judged)
    assert "it offers no encryption, so the password is not sent; use smtps:// or its other port" in remark
    assert mails == []
    assert not any(command.startswith("AUTH") for command in commands)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Folder of an authority, and of a certificate of this machine that it signed."""
    folder = tmp_path_factory.mktemp("authority")
    write_certificates(folder)
    return folder


@pytest.fixture
def tls(authority, monkeypatch):
    """The side of a server, which counts as one of another machine."""
    monkeypatch.setattr(mail_module, "_LOOPBACK", ())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "node.pem", authority / "node.key")
    return context


@pytest.fixture
def mail(archive, logins):
    """Make a mail with a login, for a scheme and a port."""
    return lambda scheme, port: Mail("net@example.net", f"{scheme}://127.0.0.1:{port}", archive, logins=logins)


@pytest.fixture
def is_trusted(authority, monkeypatch):
    """The authority is one that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    return True


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_an_encrypted_connection_carries_login_and_mail(judged, mail, tls, is_trusted, scheme):
    assert is_trusted
    before = ["EHLO", "STARTTLS"] if scheme == "smtp" else []
    with mailbox(tls=tls, is_encrypted=scheme == "smtps") as (port, mails, commands):
        assert mail(scheme, port).tell(judged) == []
    words = [command.split()[0].upper() for command in commands]
    assert [word for word in words if word != "QUIT"] == [*before, "EHLO", "AUTH", "MAIL", "RCPT", "DATA"]
    assert len(mails) == 1


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_certificate_of_an_unknown_authority_is_named_and_gets_no_login(judged, mail, tls, scheme):
    with mailbox(tls=tls, is_encrypted=scheme == "smtps") as (port, mails, commands):
        (remark,) = mail(scheme, port).tell(judged)
    assert "no encrypted connection (" in remark
    assert "name the authority of its certificate in SSL_CERT_FILE, or use the server of this machine" in remark
    assert mails == []
    assert not any(command.startswith("AUTH") for command in commands)


def test_a_server_that_is_away_is_named(judged, archive):
    with mailbox() as (port, *_):
        pass
    (remark,) = Mail("net@example.net", f"smtp://127.0.0.1:{port}", archive).tell(judged)
    assert remark.endswith("no answer of a mail server (Connection refused); check its name and port; its changes wait")


@pytest.mark.parametrize(
    ("recipient", "server", "words"),
    [
        ("net", "smtp://h", "found --mail 'net', expected one address, such as net-admin@example.net"),
        ("a@b\nBcc: c@d", "smtp://h", "expected one address"),
        ("a@b", "http://h", "found a mail server that is no address, expected a server such as smtp://"),
        ("a@b", f"smtp://me:{SECRET}@h", "found a login in the address of the mail server h, expected"),
        ("a@b", f"smtp://me:{SECRET}@h:x", "found a mail server that is no address"),
    ],
)
def test_wrong_addresses_are_refused_and_not_shown(archive, recipient, server, words):
    with pytest.raises(InputError) as error:
        Mail(recipient, server, archive)
    assert words in str(error.value)
    assert SECRET not in str(error.value)
