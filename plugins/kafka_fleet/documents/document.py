"""What stored documents have in common: they are read as they were written, by this version or an earlier one.

A member that a document lacks has the default of its field; one that no field names is kept, so that what is read and
written again has all that it had. Text may hold anything that JSON can carry, halves of surrogate pairs included.
"""

from collections.abc import Callable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, InstanceOf

Text = InstanceOf[str]
Number = int | float
SCHEMA_VERSION = 1


class Document(BaseModel):
    """A stored document, or a part of one."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def plain(self) -> dict[str, Any]:
        """As JSON: the members that it was made of, and no others."""
        return self.model_dump(by_alias=True, exclude_unset=True)

    def changed(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Self:
        """The document that `change` makes of this one's JSON."""
        return self.model_validate(change(self.plain()))
