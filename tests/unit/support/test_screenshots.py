"""The documentation's pictures: of which mail they are."""

import mailbox
from email.message import EmailMessage
from pathlib import Path

import pytest

from support.browser.screenshots import letter_of


def put(folder: Path, subject: str, html: str) -> None:
    message = EmailMessage()
    message["Subject"] = subject
    message.set_content("text")
    message.add_alternative(html, subtype="html")
    mailbox.Maildir(folder).add(message)


def test_the_picture_is_of_the_clusters_own_mail(tmp_path: Path) -> None:
    folder = tmp_path / "mailbox"
    for subject in ("orders-eu: nothing confirmed", "payments-eu: " + "consumer group billing reads late " * 4):
        put(folder, subject, f"<p>{subject}</p>")
    assert letter_of(folder, "payments-eu").startswith("<p>payments-eu: consumer group billing")
    with pytest.raises(LookupError, match="no mail about lost-eu"):
        letter_of(folder, "lost-eu")
