"""Members of groups that are no consumers: takes a cluster, joins with bytes of another protocol and stays.

No process is needed: a member is in its group until its session ends, and that is longer than a scenario.
"""

import struct

from kafka.admin import KafkaAdminClient
from kafka.protocol.consumer.group import JoinGroupRequest, SyncGroupRequest

from fleet_demo.cluster import Cluster

SESSION_MS = 30 * 60 * 1000
URL = b"http://127.0.0.1:8083/"
WORKER = struct.pack(">hh", 0, len(URL)) + URL + struct.pack(">q", -1)  # of Kafka Connect, version 0
NO_UTF8 = struct.pack(">hih", 0, 1, 1) + b"\xff" + struct.pack(">ii", 0, -1)
CONNECT, HOSTILE = "connect-sinks", "hostile"  # groups


def join(cluster: Cluster, group: str, kind: str, carried: bytes) -> None:
    """Become the only member and leader of a group, and assign these bytes to itself. AssertionError when refused."""
    client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id=f"foreign-{group}")
    try:
        broker = client._manager.run(client._find_coordinator_ids, [group])[group]
        about = {"group_id": group, "group_instance_id": None, "protocol_type": kind}
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=carried)
        times = {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": 10_000}
        member = ""
        for _with_and_without_an_id in range(2):
            request = JoinGroupRequest(**about, **times, member_id=member, protocols=[protocol], reason=None)
            joined = client._manager.run(client._manager.send, request, broker)
            member = joined.member_id
        assert joined.error_code == 0, joined
        taken = SyncGroupRequest.SyncGroupRequestAssignment(member_id=member, assignment=carried)
        own = {"member_id": member, "generation_id": joined.generation_id, "protocol_name": "range"}
        synced = client._manager.run(
            client._manager.send, SyncGroupRequest(**about, **own, assignments=[taken]), broker
        )
        assert synced.error_code == 0, synced
    finally:
        client.close()


def join_all(cluster: Cluster) -> None:
    """One group of Kafka Connect, and one of consumers whose member carries what is no text."""
    join(cluster, CONNECT, "connect", WORKER)
    join(cluster, HOSTILE, "consumer", NO_UTF8)
