"""A real mail server on a loopback socket: aiosmtpd, with the answers per recipient and per body that a test sets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

from kafka_fleet.mail.smtp_settings import SmtpSettings


class Mailbox:
    """Keeps what it accepts as (recipient, message); `answers` turns recipients down, `on_data` answers bodies."""

    def __init__(self) -> None:
        self.received: list[tuple[str, EmailMessage]] = []
        self.raw: list[bytes] = []
        self.answers: dict[str, str] = {}
        self.on_data: Callable[[str], str] = lambda recipient: "250 kept"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        (recipient,) = envelope.rcpt_tos
        answer = self.on_data(recipient)
        if answer.startswith("250"):
            self.raw.append(envelope.content)
            self.received.append((recipient, message_from_bytes(envelope.content, policy=policy.default)))
        return answer

    @property
    def recipients(self) -> list[str]:
        return [recipient for recipient, _message in self.received]


class _FreePort(Controller):
    """Controller that learns which port 0 became before it tries its own socket."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def mail_server(mailbox: Mailbox, port: int = 0, **options: Any) -> Iterator[int]:
    """Serve `mailbox` on 127.0.0.1; gives the port."""
    controller = _FreePort(mailbox, hostname="127.0.0.1", port=port, ready_timeout=30, **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def plain(port: int, **changes: Any) -> SmtpSettings:
    values = {
        "host": "127.0.0.1",
        "port": port,
        "from_email": "Kafka Fleet <fleet@example.org>",
        "ssl": False,
        "starttls": False,
        "timeout": 20,
    }
    return SmtpSettings(**{**values, **changes})
