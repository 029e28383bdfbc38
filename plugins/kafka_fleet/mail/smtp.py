"""One conversation with the mail server: takes settings and a finished message, gives one outcome per recipient.

`smtplib.sendmail` hides how far a failed attempt got. The outbox must know it: a server that hung up before
the body was sent delivered nothing, one that hung up after it may have delivered. So the commands are sent singly.
"""

import re
import smtplib
import ssl
from collections.abc import Callable, Iterator
from email.utils import parseaddr
from types import TracebackType
from typing import Literal, NamedTuple, Self

from kafka_fleet.base.text import one_line
from kafka_fleet.mail.smtp_settings import SmtpSettings

Verdict = Literal["sent", "refused", "deferred", "unknown", "withdrawn"]


class SmtpUnavailable(ConnectionError):
    """No session could be opened, so nothing was sent. `permanent` is true where another try cannot help."""

    def __init__(self, sentence: str, permanent: bool) -> None:
        super().__init__(sentence)
        self.permanent = permanent


class Outcome(NamedTuple):
    """What became of one recipient: `unknown` means that the whole body left and no answer came back, `withdrawn` that
    its end was held back.
    """

    verdict: Verdict
    reason: str = ""


def _said(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return one_line(f"the mail server answered {code} {words}", 200)


class SmtpSession:
    """An open, authenticated session; use it as a context manager. Opening raises SmtpUnavailable."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._alive = True
        where = f"{settings.host} port {settings.port}"
        try:
            self._client = self._open(settings)
        except smtplib.SMTPAuthenticationError as error:
            raise SmtpUnavailable(f"{where}: the login was refused ({error.smtp_code})", permanent=True) from None
        except smtplib.SMTPNotSupportedError as error:
            raise SmtpUnavailable(f"{where}: {one_line(str(error), 200)}", permanent=True) from None
        except ssl.SSLCertVerificationError as error:
            raise SmtpUnavailable(
                f"{where}: certificate not accepted: {error.verify_message}", permanent=True
            ) from None
        except smtplib.SMTPResponseException as error:
            sentence = f"{where}: {_said(error.smtp_code, error.smtp_error)}"
            raise SmtpUnavailable(sentence, permanent=error.smtp_code >= 500) from None
        except TimeoutError:
            sentence = f"{where}: no answer within {settings.timeout:g} seconds"
            raise SmtpUnavailable(sentence, permanent=False) from None
        except (OSError, smtplib.SMTPException) as error:
            raise SmtpUnavailable(f"{where}: {one_line(str(error), 200)}", permanent=False) from None

    @staticmethod
    def _tls(settings: SmtpSettings) -> ssl.SSLContext:
        """Reads every certificate that the system trusts, which takes longer than a letter without TLS does."""
        context = ssl.create_default_context()
        if not settings.verify_certificates:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    @classmethod
    def _open(cls, settings: SmtpSettings) -> smtplib.SMTP:
        client: smtplib.SMTP
        if settings.ssl:
            client = smtplib.SMTP_SSL(
                settings.host, settings.port, timeout=settings.timeout, context=cls._tls(settings)
            )
        else:
            client = smtplib.SMTP(settings.host, settings.port, timeout=settings.timeout)
        try:
            client.ehlo_or_helo_if_needed()
            if settings.starttls and not settings.ssl:
                client.starttls(context=cls._tls(settings))  # raises where there is none: no silent downgrade
                client.ehlo()
            if settings.user:
                client.login(settings.user, settings.password or "")
        except BaseException:
            client.close()
            raise
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self._alive:
            try:
                self._client.quit()
            except (OSError, smtplib.SMTPException):
                self._client.close()  # what was accepted stays accepted
        else:
            self._client.close()

    def send(self, recipient: str, message: bytes, leaves: Callable[[], bool] = lambda: True) -> Outcome:
        """Offer one message to one recipient. A lost connection ends the session; later calls are `deferred`.

        leaves: asked when all but the closing dot is sent, without which nothing is delivered; where it is False the
        dot is not sent, and the session ends.
        """
        if not self._alive:
            return Outcome("deferred", "the connection to the mail server was lost before this recipient's turn")
        try:
            for command, expected in self._envelope(recipient):
                code, text = self._client.docmd(command)
                if code not in expected:
                    return self._turned_down(code, text)
            self._client.send(re.sub(rb"(?m)^\.", b"..", message))
        except (OSError, smtplib.SMTPException) as error:
            return self._lost("deferred", error)
        if not leaves():
            self._alive = False
            self._client.close()
            return Outcome("withdrawn")
        try:
            self._client.send(b".\r\n")
            code, text = self._client.getreply()
        except (OSError, smtplib.SMTPException) as error:
            return self._lost("unknown", error)
        return Outcome("sent") if code == 250 else self._turned_down(code, text)

    def _lost(self, verdict: Verdict, error: Exception) -> Outcome:
        self._alive = False
        why = "no answer in time" if isinstance(error, TimeoutError) else one_line(str(error))
        return Outcome(verdict, f"the connection to the mail server was lost: {why}")

    def _envelope(self, recipient: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield f"MAIL FROM:<{parseaddr(self._settings.from_email)[1]}>", (250,)
        yield f"RCPT TO:<{recipient}>", (250, 251)
        yield "DATA", (354,)

    def _turned_down(self, code: int, text: bytes) -> Outcome:
        try:
            self._client.rset()
        except (OSError, smtplib.SMTPException):
            self._alive = False  # it answered and hung up: the answer counts, the session is over
        return Outcome("refused" if code >= 500 else "deferred", _said(code, text))
