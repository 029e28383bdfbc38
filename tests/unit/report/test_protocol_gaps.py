"""What the Kafka protocol left unread, as a letter says it: how little or how much."""

import pytest

from kafka_fleet.documents.cluster_report import ProtocolCoverage
from kafka_fleet.report.protocol_gaps import protocol_gaps

ONE = "group_assignments: which partitions 1 member of a consumer group has cannot be read"
OLD = "group_assignments: 1,204 members of consumer groups tell none that can be read"


@pytest.mark.parametrize(
    ("ok", "partial", "failures", "said"),
    [
        (1, 4, [ONE], ""),
        (0, 0, ["UnrecognizedBrokerVersion"], "the Kafka protocol gave no whole answer"),
        (0, 5, [ONE], "not read: which partitions 1 group member has; all else was"),
        (0, 5, [OLD, ONE], "not read: which partitions 1,204 group members have; all else was"),
        (0, 5, [f"{ONE}; topic_configs: x"], "not read in whole: partitions of group members and settings of topics"),
        (0, 5, ["a_table: x", "topics: y"], "not read in whole: a table and partitions and their replicas"),
        (0, 5, ["features: a; groups: b; group_offsets: c; producers: d"],
         "not read in whole: finalized features, consumer groups, committed offsets and 1 more"),
        (0, 5, ["a sentence without a table"], "the Kafka protocol gave no whole answer"),
    ],
)  # fmt: skip
def test_what_was_not_read_is_named(ok: int, partial: int, failures: list[str], said: str) -> None:
    failed = 0 if ok else max(partial, 5)
    admin = ProtocolCoverage(ok=ok, partial=partial, failed=failed, failures=failures)
    assert protocol_gaps(admin) == said
