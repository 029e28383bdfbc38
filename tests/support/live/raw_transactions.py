"""A transactional producer of single requests on a real broker: takes a cluster, makes what no client library allows.

A late batch is one that a producer had sent before its transaction ended and that arrives after it (KIP-890).
"""

import time
from types import TracebackType
from typing import Any, Self

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.metadata import CoordinatorType
from kafka.protocol.producer import AddPartitionsToTxnRequest, EndTxnRequest, InitProducerIdRequest, ProduceRequest
from kafka.record.default_records import DefaultRecordBatchBuilder

from fleet_demo.cluster import Cluster, ClusterError

LOADING = (14, 15, 16, 51)  # the coordinator is not there yet, loads, or ends the last transaction


class RawProducer:
    """One transactional id of a cluster of one broker, which coordinates and leads everything."""

    def __init__(self, cluster: Cluster, transactional_id: str, timeout_ms: int) -> None:
        self._client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
        self._broker = cluster.broker_ids[0]
        self.transactional_id, self.producer_id, self.epoch = transactional_id, -1, -1
        self._sequences: dict[tuple[str, int], int] = {}
        self._await_coordinator()
        begun = self._ask(lambda: InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=timeout_ms, max_version=2
        ))  # fmt: skip
        self.producer_id, self.epoch = begun.producer_id, begun.producer_epoch

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def _await_coordinator(self) -> None:
        """The first that asks for a coordinator makes the broker make the topic that coordinators keep."""
        until = time.monotonic() + 60
        while True:
            try:
                names = [self.transactional_id]
                self._client._manager.run(self._client._find_coordinator_ids, names, CoordinatorType.TRANSACTION)
                return
            except errors.CoordinatorNotAvailableError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.3)

    def _send(self, request: Any) -> Any:
        return self._client._manager.run(self._client._manager.send, request, self._broker)

    def _ask(self, make: Any, code: Any = lambda answer: answer.error_code) -> Any:
        until = time.monotonic() + 60
        while code(answer := self._send(make())) in LOADING:
            if time.monotonic() > until:
                raise ClusterError(f"{self.transactional_id}: {errors.for_code(code(answer)).__name__} for a minute")
            time.sleep(0.3)
        if code(answer):
            raise errors.for_code(code(answer))()
        return answer

    def add(self, topic: str, partition: int = 0) -> None:
        """Make the partition part of the ongoing transaction, which begins with the first one."""
        made = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic
        self._ask(
            lambda: AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=self.transactional_id,
                v3_and_below_producer_id=self.producer_id,
                v3_and_below_producer_epoch=self.epoch,
                v3_and_below_topics=[made(name=topic, partitions=[partition])],
                max_version=3,
            ),
            lambda answer: answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code,
        )

    def write(self, topic: str, partition: int = 0, seconds_ago: float = 0.0) -> int:
        """One record of the transaction, of that time by its producer; its offset. Raises what the leader answers."""
        sequence = self._sequences.get((topic, partition), 0)
        batch = DefaultRecordBatchBuilder(2, 0, True, self.producer_id, self.epoch, sequence, 16384)
        batch.append(0, int((time.time() - seconds_ago) * 1000), b"key", b"record", [])
        made = ProduceRequest.TopicProduceData
        place = made.PartitionProduceData(index=partition, records=bytes(batch.build()))
        answer = self._send(
            ProduceRequest(
                transactional_id=self.transactional_id,
                acks=-1,
                timeout_ms=10_000,
                topic_data=[made(name=topic, partition_data=[place])],
                min_version=3,
                max_version=9,
            )
        )
        told = answer.responses[0].partition_responses[0]
        if told.error_code:
            raise errors.for_code(told.error_code)()
        self._sequences[(topic, partition)] = sequence + 1
        return int(told.base_offset)

    def decide(self, committed: bool) -> None:
        """Tell the coordinator to commit or abort the ongoing transaction."""
        self._ask(lambda: EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            committed=committed,
            max_version=3,
        ))  # fmt: skip

    def end(self, committed: bool) -> None:
        """Commit or abort the ongoing transaction, and wait until its markers are written."""
        self.decide(committed)
        self.await_markers()

    def await_markers(self) -> None:
        """Wait until a transaction that was decided has ended on all partitions. Raises ClusterError after a minute."""
        until = time.monotonic() + 60
        name = self.transactional_id
        while not self._client.describe_transactions([name])[name].state.value.startswith("Complete"):
            if time.monotonic() > until:
                raise ClusterError(f"{self.transactional_id}: its markers are not written after a minute")
            time.sleep(0.1)
