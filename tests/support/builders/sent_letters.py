"""One letter of one day: takes a home and a mail server, sends it, gives the state of each recipient."""

from datetime import UTC, datetime, timedelta

from kafka_fleet.mail.delivery import deliver
from kafka_fleet.mail.outbox import Outbox

DAY, CLUSTER, OWNER, SECOND = "2026-11-20", "payments-eu", "oncall@example.org", "second@example.org"
HTML = "<!doctype html><html lang='en'><body><h1>1 known bug — {{ 7*7 }}</h1>\r\n.\r\n</body></html>"
TEXT = "payments-eu has 1 known bug — {{ 7*7 }}\n.\n.leading dot\n"
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def send(home, smtp, *, owners=(OWNER,), html=HTML, subject="payments-eu: 1 known bug", findings="f1", **more):
    more.setdefault("clock", lambda: NOON)
    return deliver(home, DAY, CLUSTER, html, TEXT, subject, owners, smtp, findings, **more)


def states(home):
    mail = Outbox(home, DAY, CLUSTER, timedelta(minutes=10)).read()[-1]
    return {address: recipient.state for address, recipient in mail.recipients.items()}
