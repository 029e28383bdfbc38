"""A group of Kafka Connect and a hostile one on a real broker: members, and no fault to any other group."""

import pytest

from support.live import offsets
from support.live.foreign import CONNECT, HOSTILE
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("offsets")]


def test_they_are_members_and_only_an_assignment_that_is_no_text_is_missing(measured: Measured) -> None:
    for cluster in (offsets.NAME, offsets.DECLARED):
        sweeps = measured.raw("sweeps", cluster)
        assert len(sweeps) == 5
        assert {row["admin_outcome"] for row in sweeps} == {"partial"}
        assert {tuple(row["admin_missing"]) for row in sweeps} == {("group_assignments",)}
        said = "group_assignments: which partitions 1 member of a consumer group has cannot be read"
        assert {row["admin_detail"] for row in sweeps} == {said}
        for group in (CONNECT, HOSTILE):
            members = [row for row in measured.raw("group_members", cluster) if row["group_id"] == group]
            assert {row["client_id"] for row in members} == {f"foreign-{group}"}
            assert len(members) == len(sweeps)


def test_the_groups_beside_them_have_their_assignments_and_offsets(measured: Measured) -> None:
    for table in ("group_assignments", "group_offsets"):
        found = {row["group_id"] for row in measured.raw(table, offsets.NAME)}
        assert found == {offsets.LATE, offsets.EARLY}
    for signature in ("offset_rewind", "partition_growth"):
        assert measured.state(offsets.NAME, signature)["missing"] == []
