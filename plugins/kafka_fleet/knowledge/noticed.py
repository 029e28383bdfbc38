"""What an owner notices: a short sentence of a catalogue file, by which the index of symptoms is made."""

from typing import Annotated

from pydantic import Field

Noticed = Annotated[str, Field(min_length=12, max_length=140, pattern=r"^[A-Z].*\.$")]
