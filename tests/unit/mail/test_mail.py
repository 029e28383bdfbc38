"""Delivery of one letter over real sockets: parts, headers, refusals, a server that is slow, down or strict."""

import socket
import ssl
import subprocess
from types import SimpleNamespace

import pytest

from kafka_fleet.mail.delivery import from_airflow_connection, from_environment
from kafka_fleet.mail.smtp_settings import SmtpSettings, SmtpSettingsError
from support.builders.sent_letters import CLUSTER, DAY, HTML, NOON, OWNER, SECOND, TEXT, send, states
from support.inspection.canaries import hits
from support.servers.mail_server import mail_server, plain


def test_both_twins_and_the_headers_arrive(tmp_path, box, smtp):
    result = send(tmp_path, smtp, owners=[OWNER, SECOND])
    assert result.ok
    assert result.sent == box.recipients == [OWNER, SECOND]
    message = box.received[0][1]
    assert message.get_content_type() == "multipart/alternative"
    text, html = message.iter_parts()
    assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    assert text.get_content().replace("\r\n", "\n") == TEXT
    assert html.get_content().rstrip("\r\n").replace("\r\n", "\n") == HTML.replace("\r\n", "\n")
    assert message["To"] == f"{OWNER}, {SECOND}"
    assert message["From"] == "Kafka Fleet <fleet@example.org>"
    assert message["Subject"] == "payments-eu: 1 known bug"
    assert message["Message-ID"] == result.message_id
    assert result.message_id.startswith(f"<{CLUSTER}.{DAY}.")
    assert result.message_id.endswith("@kafka-fleet-health.invalid>")
    assert message["Date"].datetime == NOON
    assert message["List-Id"] == "Kafka Fleet Health <payments-eu.kafka-fleet-health.invalid>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert box.raw[0] == box.raw[1]


def test_the_wire_form_is_short_seven_bit_lines(tmp_path, box, smtp):
    send(tmp_path, smtp, html="<p>" + "ü" * 20_000 + "</p>")
    assert max(len(line) for line in box.raw[0].split(b"\r\n")) <= 998
    assert box.raw[0].isascii()


@pytest.mark.fault(54)
@pytest.mark.parametrize(
    "subject",
    [
        "a\r\nBcc: spy@example.org",
        "a\nBcc: spy@example.org",
        "a\r\n\r\nbody",
        "a\x00b\x85c\u2028Bcc: d\u202e",
        "x" * 5000,
    ],
)
def test_a_hostile_subject_stays_one_header(tmp_path, box, smtp, subject):
    assert send(tmp_path, smtp, subject=subject).ok
    message = box.received[0][1]
    assert message.get_all("Bcc") is None
    assert len(message.get_all("Subject")) == 1
    assert len(message["Subject"]) <= 200
    assert not set(message["Subject"]) & set("\r\n\x00\x85\u2028\u202e")


@pytest.mark.fault(54)
@pytest.mark.parametrize("address", ["a@b\r\nRCPT TO:<x@y>", "a b@example.org", "<a@example.org>", "ü@example.org", ""])
def test_an_address_that_is_none_never_reaches_the_server(tmp_path, box, smtp, address):
    result = send(tmp_path, smtp, owners=[address, OWNER])
    assert box.recipients == [OWNER]
    assert list(result.refused) == [address]
    assert box.received[0][1]["To"] == OWNER


@pytest.mark.fault(51)
@pytest.mark.parametrize(("answer", "state"), [("550 no such user", "refused"), ("451 greylisted", "due")])
def test_one_recipient_turned_down_is_isolated(tmp_path, box, smtp, answer, state):
    box.answers[OWNER] = answer
    result = send(tmp_path, smtp, owners=[OWNER, SECOND])
    assert result.sent == [SECOND]
    assert answer in (result.refused | result.deferred)[OWNER]
    assert result.retryable is (state == "due")
    assert states(tmp_path) == {OWNER: state, SECOND: "sent"}
    box.answers.clear()
    assert send(tmp_path, smtp, owners=[OWNER, SECOND]).ok
    assert box.recipients == [SECOND, OWNER]


@pytest.mark.fault(51)
@pytest.mark.parametrize(("answer", "state"), [("554 looks like spam", "refused"), ("452 disk full", "due")])
def test_a_body_turned_down_is_known_not_to_be_sent(tmp_path, box, smtp, answer, state):
    box.on_data = lambda recipient: answer
    result = send(tmp_path, smtp)
    assert answer in result.summary()
    assert states(tmp_path) == {OWNER: state}
    box.on_data = lambda recipient: "250 kept"
    assert send(tmp_path, smtp).ok
    assert box.recipients == [OWNER]


@pytest.mark.fault(51)
def test_a_server_that_is_down_leaves_the_mail_due_and_a_retry_sends_it(tmp_path, box):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = send(tmp_path, plain(port))
    assert result.retryable
    assert f"127.0.0.1 port {port}" in (result.error or "")
    assert states(tmp_path) == {OWNER: "due"}
    with mail_server(box) as port:
        assert send(tmp_path, plain(port)).sent == [OWNER]


@pytest.fixture
def certificate(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context


def test_starttls_and_login(tmp_path, box, certificate, monkeypatch):
    path, context = certificate
    seen = []

    def authenticate(server, session, envelope, mechanism, data):
        from aiosmtpd.smtp import AuthResult

        seen.append((session.ssl is not None, data.login, data.password))
        return AuthResult(success=data.password == b"right", handled=False)

    options = {"tls_context": context, "require_starttls": True, "authenticator": authenticate, "auth_required": True}
    with mail_server(box, **options) as port:
        smtp = plain(port, starttls=True, user="fleet", password="right")
        strange = send(tmp_path, smtp)
        assert "certificate" in (strange.error or "")
        assert strange.permanent
        assert seen == []
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        wrong = send(tmp_path, plain(port, starttls=True, user="fleet", password="wr0ng-canary"))
        assert wrong.permanent
        assert "login" in (wrong.error or "")
        assert hits(["wr0ng-canary"], [tmp_path / "outbox"], {"result": repr(wrong)}) == []
        assert send(tmp_path, smtp).sent == [OWNER]
    assert seen[-1] == (True, b"fleet", b"right")


def test_a_server_without_starttls_is_not_spoken_to_in_the_clear(tmp_path, box, smtp):
    result = send(tmp_path, plain(smtp.port, starttls=True))
    assert result.permanent
    assert "STARTTLS" in (result.error or "")
    assert box.received == []


def test_the_airflow_connection_and_the_environment_give_the_same_settings():
    extra = {
        "from_email": "fleet@example.org",
        "disable_ssl": True,
        "disable_tls": "true",
        "timeout": 7,
        "retry_limit": 3,
    }
    connection = SimpleNamespace(host="mail.example.org", port=2525, login="u", password="p", extra_dejson=extra)
    settings = from_airflow_connection(connection)
    assert settings == SmtpSettings("mail.example.org", 2525, "fleet@example.org", "u", "p", False, False, 7)
    json = (
        '{"conn_type":"smtp","host":"mail.example.org","port":2525,"login":"u","password":"p","extra":'
        '{"from_email":"fleet@example.org","disable_ssl":true,"disable_tls":true,"timeout":7}}'
    )
    assert from_environment({"AIRFLOW_CONN_SMTP_DEFAULT": json}) == settings
    assert from_environment({"KAFKA_FLEET_SMTP": json, "AIRFLOW_CONN_SMTP_DEFAULT": "{}"}) == settings


def test_tls_is_the_default_and_the_port_follows_it():
    def ports(**extra):
        connection = SimpleNamespace(
            host="h", port=None, login="", password="", extra_dejson={"from_email": "a@b", **extra}
        )
        settings = from_airflow_connection(connection)
        return settings.ssl, settings.starttls, settings.port

    assert ports() == (True, False, 465)
    assert ports(disable_ssl=True) == (False, True, 587)
    assert ports(disable_ssl=True, disable_tls=True) == (False, False, 25)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "s3cret",
        '["s3cret"]',
        '{"host":"h","password":"s3cret"}',
        '{"host":"h","port":"s3cret","extra":{"from_email":"a@b"}}',
        '{"host":"h","extra":{"from_email":"a@b\\r\\nBcc: c@d"}}',
        '{"host":"h","extra":{"from_email":"a@b","timeout":-1}}',
        '{"host":"h","extra":{"from_email":"a@b"}',
    ],
)
def test_bad_settings_are_one_sentence_without_the_value(text):
    with pytest.raises(SmtpSettingsError) as caught:
        from_environment({"KAFKA_FLEET_SMTP": text})
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "s3cret" not in repr(plain(25, password="s3cret"))
