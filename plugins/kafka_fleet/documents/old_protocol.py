"""Clients in the way of 4.x: what the brokers of a cluster counted on a day, as its plan has it."""

from pydantic import Field

from kafka_fleet.documents.document import Document, Text


class OldProtocol(Document):
    """Whether clients used what 4.0 refuses, by the brokers' own counts of the day."""

    answer: bool | None = Field(
        description="true: some did; false: every broker counted, and none did; null: not known"
    )
    sentence: Text = Field(description="the answer in words: the clients, or how long was measured, or why not")
    clients: list[Text] = Field(description="the clients, each with its requests and brokers; most requests first")
    missing: list[Text] = Field(description="what could not be measured, one sentence each")
