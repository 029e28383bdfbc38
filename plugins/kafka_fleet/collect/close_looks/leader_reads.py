"""What may be read of partitions, from their leaders, densely: takes a plan, gives high watermarks and stable offsets.

ListOffsets for the latest offset gives a consumer's bound: the high watermark, and read committed the last stable
offset. All leaders are asked side by side, both requests of a reading one behind the other on one connection.
"""

import time
from collections.abc import Awaitable
from typing import Any, NamedTuple

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.future import Future
from kafka.protocol.consumer import IsolationLevel, ListOffsetsRequest, OffsetSpec

from kafka_fleet.collect.admin.bootstrap import usable_servers
from kafka_fleet.collect.admin.bounded_client import admin_client
from kafka_fleet.collect.admin.faults import FAULTS, sentence
from kafka_fleet.collect.close_looks.broker_look import GIVEN_UP, READ_S, WHOLE, Place, Plan, Taken

CONNECT_S = 5.0
MOST_BYTES = 2**20  # of an answer: to 64 partitions it has some 5 KB, the brokers of a large cluster take 100
# sixteen looks ask a leader two things each, and none waits for another's answer
CLIENT = {"receive_message_max_bytes": MOST_BYTES, "max_in_flight_requests_per_connection": 64}
LEVELS = {
    "high_watermark": IsolationLevel.READ_UNCOMMITTED,
    "last_stable_offset": IsolationLevel.READ_COMMITTED,
}


class _Answer(NamedTuple):
    sent: float
    back: float
    offsets: dict[Place, int]


class Leaders:
    """A connection to a cluster's brokers for the looks of one sweep; several may use it at once."""

    def __init__(self, servers: list[str], settings: dict[str, Any]) -> None:
        self._client: KafkaAdminClient | None = None
        self.fault: str | None = None
        try:
            self._client = admin_client(usable_servers(servers)[0], settings, CONNECT_S, None, **CLIENT)
        except (*FAULTS, AssertionError) as error:
            self.fault = f"leaders: {sentence(error)}"

    def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            self._client.close()

    def connect(self, plan: Plan) -> None:
        """As FromLeaders."""
        self.read(plan, None)

    def read(self, plan: Plan, taken: Taken | None) -> list[str]:
        """As FromLeaders; taken: None for one answer of each that is not kept. Never raises for the far side."""
        if self._client is None:
            return [self.fault or "leaders: not connected"]
        try:
            found: list[str] = self._client._manager.run(_all, self._client, plan, taken)
        except FAULTS as error:
            return [f"leaders: {sentence(error)}"]
        return found


async def _all(client: KafkaAdminClient, plan: Plan, taken: Taken | None) -> list[str]:
    found = []
    for begun in [client._manager.call_soon(_Leader(client, plan, *one).read, taken) for one in plan.leaders.items()]:
        told = await begun
        if told is not None:
            found.append(told)
    return found


class _Leader:
    """One leader of one look."""

    def __init__(self, client: KafkaAdminClient, plan: Plan, broker: int, places: list[Place]) -> None:
        self._client, self._plan = client, plan
        self._broker, self._places = broker, places
        self._levels = {name: level for name, level in LEVELS.items() if name in plan.look.partitions}
        self._fault: str | None = None
        self._unanswered = 0

    async def read(self, taken: Taken | None) -> str | None:
        """Take its readings, a sentence where it lacks some; without `taken` one answer that is not kept."""
        done = failed = 0
        for slot in range(self._plan.slots if taken is not None else 1):
            early = taken.wait(slot) if taken is not None else 0.0
            if early is None:
                continue
            await self._client._net.sleep(early)
            asked = [self._ask(level) for level in self._levels.values()]
            answers = [await one for one in asked]
            if taken is not None:
                for name, answer in zip(self._levels, answers, strict=True):
                    if answer is not None:
                        self._take(taken, slot, name, answer)
            if None not in answers:
                done, failed = done + 1, 0
                continue
            failed += 1
            if failed == GIVEN_UP:
                break
        what = [f"{done} of {self._plan.slots} readings"] if done < WHOLE * self._plan.slots else []
        what += [f"{self._unanswered:,} values not answered for"] if self._unanswered else []
        why = [self._fault] if self._fault else []
        return f"leader {self._broker}: {', '.join(what + why)}" if what else None

    def _ask(self, level: IsolationLevel) -> Awaitable[_Answer | None]:
        """Send one request now; to be awaited: its answer, None where there is none in time."""
        sent, back = time.monotonic(), list[float]()
        future = self._send(level)
        future.add_callback(lambda _answer: back.append(time.monotonic()))

        async def answered() -> _Answer | None:
            try:
                answer = await self._client._manager.wait_for(future, READ_S * 1000)
                offsets = {
                    (topic.name, one.partition_index): one.offset
                    for topic in answer.topics
                    for one in topic.partitions
                    if one.error_code == 0 and one.offset >= 0
                }
            except FAULTS as error:
                self._fault = self._fault or sentence(error)
                return None
            return _Answer(sent, back[0], offsets)

        return answered()

    def _send(self, level: IsolationLevel) -> Any:
        made = ListOffsetsRequest.ListOffsetsTopic
        topics: dict[str, list[Any]] = {}
        for topic, partition in self._places:
            place = made.ListOffsetsPartition(partition_index=partition, timestamp=OffsetSpec.LATEST)
            topics.setdefault(topic, []).append(place)
        request = ListOffsetsRequest(
            isolation_level=level.value,
            topics=[made(name=topic, partitions=some) for topic, some in topics.items()],
            min_version=max(1, ListOffsetsRequest.min_version_for_isolation_level(level.value)),
        )
        try:
            return self._client._manager.send(request, node_id=self._broker, request_timeout_ms=int(READ_S * 1000))
        except errors.KafkaError as error:  # a broker that the client has not heard of
            return Future().failure(error)

    def _take(self, taken: Taken, slot: int, name: str, answer: _Answer) -> None:
        for place in self._places:
            self._unanswered += place not in answer.offsets
            taken.add(slot, answer.sent, answer.back, name, place, answer.offsets.get(place))
