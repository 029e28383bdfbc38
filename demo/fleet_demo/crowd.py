"""In come a bootstrap address, a topic and a number; that many consumer groups read the topic until this process ends.

Fifty Java consumers would need gigabytes. Here each group is one thread of one small process, and every one of them
keeps a fetch open at the broker all the time (fetch.max.wait.ms 500), exactly like a real group that waits for records.
"""

from __future__ import annotations

import sys
import threading
import time

from kafka import KafkaConsumer

JOIN_S = 20  # on a starved machine kafka-python 3.0.12 now and then waits for ever for its group's coordinator


def joined(bootstrap: str, topic: str, group: str, **settings: object) -> KafkaConsumer:
    """A consumer that has its partitions; one that does not get them in time is given up for another.

    settings: of kafka-python, which win over those here.
    """
    of_group = {"group_id": group, "client_id": group, **settings}
    while True:
        consumer = KafkaConsumer(
            topic,
            bootstrap_servers=bootstrap.split(","),
            **of_group,
            auto_offset_reset="latest",
            fetch_max_wait_ms=500,
            fetch_min_bytes=1,
            enable_auto_commit=True,
        )
        deadline = time.monotonic() + JOIN_S
        while time.monotonic() < deadline:
            consumer.poll(timeout_ms=500)
            if consumer.assignment():
                return consumer
        consumer.close(autocommit=False, timeout_ms=1_000)


def read_for_ever(bootstrap: str, topic: str, group: str, ready: threading.Semaphore) -> None:
    """Join a group, then poll without end; records are thrown away."""
    consumer = joined(bootstrap, topic, group)
    ready.release()
    while True:
        consumer.poll(timeout_ms=2_000)


def main(bootstrap: str, topic: str, prefix: str, groups: int) -> None:
    """Start the groups one after the other and print "ready" when the last one reads."""
    ready = threading.Semaphore(0)
    threads = []
    for number in range(1, groups + 1):
        arguments = (bootstrap, topic, f"{prefix}-{number}", ready)
        threads.append(threading.Thread(target=read_for_ever, args=arguments, daemon=True))
        threads[-1].start()
        ready.acquire()  # all at once they starve each other and none gets its partitions
    print("ready", flush=True)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
