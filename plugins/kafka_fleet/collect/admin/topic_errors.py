"""Topics by name: takes bootstrap servers and names, gives what Metadata says of each of them, now."""

from typing import Any

from kafka import errors

from kafka_fleet.collect.admin.bootstrap import connected_client, usable_servers

CREATES_NOT = (0, 11)  # from this version on, Metadata can ask not to create the topic


def topic_errors(
    bootstrap_servers: list[str], settings: dict[str, Any], deadline_s: float, names: list[str]
) -> dict[str, int]:
    """The error code of each of these topics that Metadata tells of when it is asked for them; 0 is none.

    Raises what FAULTS holds, also for brokers so old that they would create a topic that is asked for.
    """
    client = connected_client(usable_servers(bootstrap_servers)[0], settings, deadline_s)
    try:
        if (client._manager.broker_version or ()) < CREATES_NOT:
            raise errors.IncompatibleBrokerVersion("Metadata creates topics")
        answer = client._manager.run(client._get_cluster_metadata, names)
        return {topic["name"]: topic["error_code"] for topic in answer["topics"]}
    finally:
        client.close()
