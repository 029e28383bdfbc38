"""One consumer group: takes what DescribeGroups and ListGroups say of it, adds its rows to the raw tables."""

from typing import Any

Rows = list[dict[str, Any]]


def take_group(group: str, about: dict[str, Any], listed: dict[str, Any], tables: dict[str, Rows]) -> None:
    """Add the rows of one group: itself, its members, and what each of them is assigned."""
    state = about.get("group_state") or listed.get("group_state")
    kind = about.get("protocol_type") or listed.get("protocol_type")
    tables["groups"].append({"group_id": group, "state": state, "protocol_type": kind})
    for member in about.get("members", []):
        name = member["member_id"]
        host = str(member["client_host"]).lstrip("/")
        tables["group_members"].append(
            {"group_id": group, "member_id": name, "client_id": member["client_id"], "client_host": host}
        )
        assignment = member.get("member_assignment")
        if kind != "consumer" or not isinstance(assignment, dict):
            continue  # Connect and others put bytes of their own there
        for topic in assignment.get("assigned_partitions", []):
            tables["group_assignments"] += [
                {"group_id": group, "member_id": name, "topic": topic["topic"], "partition": p}
                for p in topic["partitions"]
            ]
