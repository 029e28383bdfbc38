"""What the Kafka protocol left unread: takes its coverage of a day, gives a phrase; empty where a sweep was whole."""

import re

from kafka_fleet.documents.cluster_report import ProtocolCoverage
from kafka_fleet.report.formatting import joined, plural
from kafka_fleet.report.sanitize import displayed

_ASSIGNED = "group_assignments"
_NAMED = 3  # kinds of what is missing
# table of a sweep, as a sentence on what was not answered begins with it -> what is missing
_WORDS = {
    "brokers": "brokers",
    "topics": "partitions and their replicas",
    "some_topics": "some topics",
    "features": "finalized features",
    "broker_configs": "settings of brokers",
    "topic_configs": "settings of topics",
    "groups": "consumer groups",
    "group_members": "members of groups",
    _ASSIGNED: "partitions of group members",
    "group_offsets": "committed offsets",
    "producers": "producer ids",
    "disks": "free disk space",
    "transaction_coordinators": "transactions of coordinators",
    "open_transactions": "open transactions",
    "quorum_replicas": "the quorum of controllers",
}
_TABLE = re.compile(r"(?:^|; )([a-z_]+): ")
_MEMBERS = re.compile(r"group_assignments: (?:which partitions )?([\d,]+) members?\b")


def protocol_gaps(admin: ProtocolCoverage) -> str:
    """`not read: which partitions 1 group member has; all else was`, or the first kinds of what is missing."""
    if admin.ok or not (admin.partial or admin.failed):
        return ""
    if not admin.partial:
        return "the Kafka protocol gave no whole answer"
    tables = list(dict.fromkeys(name for text in admin.failures for name in _TABLE.findall(text)))
    members = [int(found[1].replace(",", "")) for text in admin.failures if (found := _MEMBERS.match(text))]
    if tables == [_ASSIGNED] and members:
        most = max(members)
        have = "has" if most == 1 else "have"
        return f"not read: which partitions {plural(most, 'group member')} {have}; all else was"
    if not tables:
        return "the Kafka protocol gave no whole answer"
    rest = len(tables) - _NAMED
    named = [_WORDS.get(one, displayed(one.replace("_", " "), 40)) for one in tables[:_NAMED]]
    return f"not read in whole: {joined([*named, *([f'{rest} more'] if rest > 0 else [])])}"
