"""A mail for the wire: takes a mail of the outbox, gives the bytes of its MIME message (RFC 5322, RFC 2045)."""

from email.message import EmailMessage
from email.policy import SMTP

from kafka_fleet.base.text import ADDRESS
from kafka_fleet.documents.outbox import Mail


def compose(mail: Mail, cluster: str) -> bytes:
    """Text and HTML twins, and what is attached. The same outbox entry gives the same bytes every time."""
    message = EmailMessage(policy=SMTP)
    message["From"] = mail.sender
    message["To"] = ", ".join(address for address in mail.recipients if ADDRESS.fullmatch(address))
    message["Subject"] = mail.subject
    message["Date"] = mail.date
    message["Message-ID"] = mail.message_id
    if mail.revises:
        message["In-Reply-To"] = message["References"] = mail.revises
    message["List-Id"] = f"Kafka Fleet Health <{cluster}.{mail.message_id.strip('<>').partition('@')[2]}>"
    if mail.importance != "normal":
        message["Importance"] = mail.importance
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: holiday notices do not answer it
    message.set_content(mail.text, subtype="plain", charset="utf-8", cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
    boundary = f"=_fleet_{mail.digest[:32]}"  # "=_" cannot occur in quoted-printable text
    message.set_boundary(boundary)
    for name, content in mail.attachments.items():
        subtype = name.rpartition(".")[2]
        message.add_attachment(content, subtype=subtype, charset="utf-8", cte="base64", filename=name)
    if mail.attachments:
        message.set_boundary(f"{boundary}_all")
    return message.as_bytes()
