"""Room on the volumes of log directories: one row per directory that tells it, none where a broker does not."""

from typing import Any

import pytest
from kafka import errors

from kafka_fleet.collect.admin.disks import MOST, read_disks
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.admin_sweeps import swept

OF = {"error_code": 0, "log_dir": "/data", "topics": [], "total_bytes": 1000, "usable_bytes": 400}


class Answers:
    """An admin client whose brokers answer DescribeLogDirs with these directories, or raise."""

    def __init__(self, of: dict[int, Any]) -> None:
        self.of = of

    def describe_log_dirs(self, topic_partitions: dict[str, Any], brokers: list[int]) -> list[dict[str, Any]]:
        (broker,) = brokers
        if isinstance(self.of[broker], Exception):
            raise self.of[broker]
        return [{"broker": broker, "log_dirs": self.of[broker]}]


def read(of: dict[int, Any]) -> list[dict[str, Any]]:
    client: Any = Answers(of)
    return read_disks(client, list(of), lambda: None)


def test_each_directory_that_tells_its_volume_is_a_row() -> None:
    rows = read({2: [OF, {**OF, "log_dir": "/more", "usable_bytes": 0}], 1: [OF]})
    assert [(one["broker"], one["log_dir"], one["usable_bytes"]) for one in rows] == [
        (1, "/data", 400), (2, "/data", 400), (2, "/more", 0),
    ]  # fmt: skip
    assert set(rows[0]) == set(raw_schemas()["disks"].names) - {"cluster", "sweep_at"}


@pytest.mark.parametrize(
    "answer",
    [
        [],  # not allowed: the library gives the directories alone, and there are none
        [{**OF, "error_code": 56}],  # the directory is offline
        [{**OF, "total_bytes": -1, "usable_bytes": -1}],  # 3.2
        [{key: value for key, value in OF.items() if not key.endswith("_bytes")}],
        errors.IncompatibleBrokerVersion("1.1"),
    ],
)
def test_what_a_broker_does_not_tell_is_no_row(answer: Any) -> None:
    assert [one["broker"] for one in read({1: answer, 2: [OF]})] == [2]


def test_directories_are_bounded_and_a_broker_that_does_not_answer_is_a_fault() -> None:
    assert len(read({1: [OF] * (MOST + 50)})) == MOST
    with pytest.raises(errors.KafkaTimeoutError):
        read({1: errors.KafkaTimeoutError("late")})


def test_a_sweep_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    found = swept(monkeypatch)
    assert found.outcome == "ok"
    assert {(one["log_dir"], one["total_bytes"], one["usable_bytes"]) for one in found.tables["disks"]} == {
        ("/data", 1000, 400)
    }
