"""Requests that 4.x refuses: takes refused_requests.yaml, says which versions of a request a release does not answer.

Brokers count such requests by client library from 3.7 on (KIP-896), and by version alone before.
"""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.base.yaml import load_yaml
from kafka_fleet.knowledge.pack import knowledge_folder, per_pack
from kafka_fleet.knowledge.releases import Release, comparable_release, parse_release
from kafka_fleet.knowledge.vendors import vendor_build

FOUR = Release((4, 0, 0))
COUNTED_FROM = Release((3, 7, 0))  # DeprecatedRequestsPerSec is there from here on


class Refused(BaseModel):
    """Versions of one request, from 0 to `up_to`. restored: the release from which on they are answered again.

    api: the request's name in Kafka's protocol; None: as the MBean has it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    up_to: int = Field(ge=0)
    api: str | None = None
    restored: str | None = None
    sent_by: Literal["clients", "brokers"] = "clients"

    def by(self, target: Release) -> bool:
        """Whether a release refuses them."""
        again = parse_release(self.restored)
        return target >= FOUR and (again is None or target < again)


@per_pack
def refused_requests() -> Mapping[str, Refused]:
    """Every entry of the file by the name of its request."""
    content = load_yaml(knowledge_folder() / "refused_requests.yaml")
    return {str(name): Refused.model_validate(one) for name, one in content.items()}


def refused(request: str | None, version: str | None, target: Release) -> bool:
    """Whether a release refuses what a client sent: a request and its version, as the brokers' MBeans name them."""
    known = refused_requests().get(request or "")
    if known is None or known.sent_by == "brokers" or not re.fullmatch("[0-9]{1,5}", version or ""):
        return False
    return int(version or 0) <= known.up_to and known.by(target)


def for_good() -> dict[str, Refused]:
    """What clients send and every release from 4.0 on refuses, by the name of the request."""
    found = refused_requests().items()
    return {name: one for name, one in found if one.sent_by == "clients" and one.restored is None}


def counts_clients(text: str) -> bool | None:
    """Whether brokers of a release count these requests by client library; None for a build that is not known."""
    release = comparable_release(text)
    if release is not None:
        return release >= COUNTED_FROM
    build = vendor_build(text)
    return None if build is None else build.line >= COUNTED_FROM.line


def is_four(text: str) -> bool:
    """Whether a release is 4.0 or later, so that it refuses them already."""
    release = comparable_release(text)
    if release is not None:
        return release >= FOUR
    build = vendor_build(text)
    return build is not None and build.line >= FOUR.line
