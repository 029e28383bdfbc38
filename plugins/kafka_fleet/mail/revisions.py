"""The mails composed for a day: takes the outbox's list and a letter for some owners, gives which mail is whose.

The last mails of the list that tell the same findings are the day's letter. They are several where owners know
different things of earlier days, so that what changed is not the same for all; each owner is in one of them.
"""

from collections.abc import Callable, Sequence

from kafka_fleet.documents.outbox import Mail, Recipient
from kafka_fleet.mail.outbox import latest_mails

Draft = Callable[[int, str | None], Mail]  # takes how many mails read the same before, and the Message-ID it revises


def current_mails(
    mails: list[Mail], draft: Draft, digest: str, findings_digest: str, owners: Sequence[str]
) -> list[tuple[Mail, list[str]]]:
    """The mails that hold for these owners, and whose each is; new ones are appended to `mails`.

    digest: of the letter as it reads for them. Wording alone is no reason for a second mail: a mail that was, or may
    have been, delivered is never modified. A mail that reached nobody is replaced.
    """
    while mails and not mails[-1].reached_somebody and mails[-1].findings_digest != findings_digest:
        mails.pop()  # nobody has it
    same = latest_mails(mails) if mails and mails[-1].findings_digest == findings_digest else []
    whose: dict[str, Mail] = {}
    for owner in dict.fromkeys(owners):
        own = next((mail for mail in same if owner in mail.recipients), None)
        if own is not None and not own.reached_somebody and own.digest != digest:
            del own.recipients[owner]
            own = None
        if own is not None:
            whose[owner] = own
    mails[:] = [mail for mail in mails if mail.recipients]
    rest = [owner for owner in dict.fromkeys(owners) if owner not in whose]
    if rest:
        mail = next((mail for mail in same if mail.recipients and mail.digest == digest), None)
        if mail is None:
            had = [one.message_id for one in mails if any(_may_have(one, owner) for owner in rest)]
            mail = draft(sum(one.digest == digest for one in mails), had[-1] if had else None)
            mails.append(mail)
        for owner in rest:
            mail.recipients[owner] = _new(mails, mail, owner)
            whose[owner] = mail
    return [(mail, mine) for mail in mails if (mine := [one for one, its in whose.items() if its is mail])]


def _may_have(mail: Mail, address: str) -> bool:
    return address in mail.recipients and mail.recipients[address].may_have


def _new(mails: Sequence[Mail], mail: Mail, address: str) -> Recipient:
    """Where a recipient of a mail begins. mails: of the day.

    Findings that came back are news for those who were sent others in between, and for them only.
    """
    had = [one for one in mails if one is not mail and _may_have(one, address)]
    if had and had[-1].findings_digest == mail.findings_digest and had[-1].recipients[address].state == "sent":
        return Recipient("known", reason=f"has the same findings by {had[-1].message_id}")
    return Recipient()
