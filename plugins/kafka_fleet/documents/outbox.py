"""The outbox's entries: a composed mail, and where each of its recipients stands. They change while it is sent."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from kafka_fleet.documents.document import Text

State = Literal["due", "claimed", "sent", "refused", "uncertain", "known"]
_EXACT = ConfigDict(extra="forbid")


@dataclass(config=_EXACT)
class Recipient:
    """Where one recipient stands. The time of its last change identifies a claim."""

    state: Annotated[State, Field(description="see [mails](../letters.md)")] = "due"
    claims: Annotated[int, Field(description="complete mails that went, or may have")] = 0
    at: Annotated[Text | None, Field(description="the last change, ISO 8601 in UTC; null: none yet")] = None
    reason: Annotated[Text, Field(description="what the mail server said, or why it is not sent")] = ""

    @property
    def may_have(self) -> bool:
        """Whether the mail has reached this recipient, or may have."""
        return bool(self.claims) or self.state in ("sent", "uncertain")


@dataclass(config=_EXACT)
class Mail:
    """One composed mail as it was, or will be, sent."""

    digest: Annotated[Text, Field(description="of subject, HTML and text")]
    findings_digest: Annotated[Text, Field(description="of the findings alone")]
    message_id: Annotated[Text, Field(description="the Message-ID; it is the same on every try")]
    date: Annotated[Text, Field(description="an RFC 5322 date")]
    sender: Annotated[Text, Field(description="address")]
    subject: Annotated[Text, Field(description="one line")]
    html: Annotated[Text, Field(description="the letter")]
    text: Annotated[Text, Field(description="the same as text")]
    revises: Annotated[
        Text | None, Field(description="Message-ID of the mail that somebody has and this one replaces")
    ] = None
    recipients: Annotated[dict[Text, Recipient], Field(description="by address")] = Field(default_factory=dict)
    told: Annotated[
        dict[str, dict[str, Any]] | None,
        Field(
            description="what its readers know after it: by finding's key a `ReportedFinding`; of a digest the same by "
            "cluster, and below the empty name `missing`, the clusters without a letter; null: an earlier version"
        ),
    ] = None
    attachments: Annotated[dict[Text, Text], Field(description="texts by file name, CSV or HTML")] = Field(
        default_factory=dict
    )
    importance: Annotated[Text, Field(description="high, normal or low (RFC 4021)")] = "normal"

    @property
    def reached_somebody(self) -> bool:
        """Whether any recipient has it, or may have it."""
        return any(person.may_have for person in self.recipients.values())


def parsed_mails(content: Any) -> list[Mail]:
    """The mails of a stored list. Raises ValueError where it is none."""
    return _MAILS.validate_python(content)


_MAILS = TypeAdapter(list[Mail])
