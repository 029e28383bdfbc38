"""Room on the volumes of log directories: takes an admin client and brokers, gives rows of `disks`.

DescribeLogDirs of Kafka 3.3 and later tells size and free space of the volume that a directory is on (KIP-827). No
partition is asked for, so an answer has some tens of bytes.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient

MOST = 100  # log directories of one broker
Rows = list[dict[str, Any]]


def read_disks(client: KafkaAdminClient, brokers: Collection[int], in_time: Callable[[], None]) -> Rows:
    """One row per broker and log directory; none of brokers before 3.3, or that refuse the request.

    Raises kafka.errors.KafkaError where a broker does not answer, and what `in_time` raises.
    """
    rows: Rows = []
    for broker in sorted(brokers):
        in_time()
        try:
            (answer,) = client.describe_log_dirs(topic_partitions={}, brokers=[broker])
        except errors.IncompatibleBrokerVersion:
            continue
        at = datetime.now(UTC)
        rows += [
            {
                "broker": broker,
                "read_at": at,
                "log_dir": one["log_dir"],
                "total_bytes": one["total_bytes"],
                "usable_bytes": one["usable_bytes"],
            }
            for one in answer["log_dirs"][:MOST]
            # a directory that is offline has an error; an older broker says nothing of its volume
            if not one["error_code"] and one.get("total_bytes", -1) > 0 and one.get("usable_bytes", -1) >= 0
        ]
    return rows
