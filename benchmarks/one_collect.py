"""One `kafka-fleet collect` in a process of its own, for `benchmarks.collect_simulated`: prints time and peak memory.

The Kafka admin protocol is the part that is not real here: instead of kafka-python's answers, rows of the same shape
and number (every broker, every partition of the metadata) are handed over: landing them counts, the wire does not.
"""

import contextlib
import io
import json
import resource
import sys
import time
from typing import Any

from kafka_fleet.cli import main as cli
from kafka_fleet.collect import sweep
from kafka_fleet.collect.admin.client import AdminSweep


def admin_sweep(brokers: int, topics: int, partitions: int, replication: int) -> AdminSweep:
    """What the admin protocol would give of a cluster like the simulator's."""
    listed = [{"broker": b, "host": "127.0.0.1", "port": 9092, "rack": "abc"[b % 3]} for b in range(1, brokers + 1)]
    rows: list[dict[str, Any]] = []
    for topic in range(topics):
        for partition in range(partitions):
            assigned = [(topic + partition + place) % brokers + 1 for place in range(replication)]
            rows.append(
                {
                    "topic": f"orders-{topic:04d}",
                    "topic_id": None,
                    "partition": partition,
                    "leader": assigned[0],
                    "replicas": assigned,
                    "isr": assigned,
                    "internal": False,
                }
            )
    return AdminSweep("ok", None, [], "benchmark", 1, {"brokers": listed, "topics": rows})


def main() -> int:
    """Arguments: fleet file, home, brokers, topics, partitions per topic, replication factor."""
    fleet, home, *sizes = sys.argv[1:]
    numbers = [int(size) for size in sizes]
    setattr(sweep, "sweep_admin", lambda *_arguments: admin_sweep(*numbers))  # noqa: B010 - a stand-in, for mypy too
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = cli.main(["collect", "--fleet", fleet, "--home", home])
    wall = time.perf_counter() - started
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "code": code,
                "wall_s": wall,
                "cpu_s": usage.ru_utime + usage.ru_stime,
                "peak_mib": usage.ru_maxrss / 1024,
                "said": said.getvalue().splitlines()[-3:],
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
