"""Topics that Kafka does not tell of: takes what Metadata and the brokers' agents show, gives a sentence of what lacks.

Metadata leaves out topics that the user may not describe, without an error, and gives others with an error in their
place. What reads topics from Metadata alone must not take these for topics that are not there.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa
from kafka import errors

from kafka_fleet.collect.admin.bisect_batches import BATCH
from kafka_fleet.collect.admin.faults import FAULTS, sentence

SOME_TOPICS = "some_topics"  # what a sweep lacks then; `topics` is all of them
OF_KRAFT = "__cluster_metadata"  # a log that agents show as one of a topic
_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_NO_MORE = (errors.UnknownTopicOrPartitionError.errno, errors.InvalidTopicError.errno)  # or never: no topic is named so
_SETTLES = (0, errors.LeaderNotAvailableError.errno)


def with_error(topics: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The entries of Metadata that have an error in the place of partitions."""
    return [topic for topic in topics if topic["error_code"]]


def topic_error_sentence(refused: Iterable[Mapping[str, Any]]) -> str | None:
    """What is missing for entries with an error: how many of which error, the most frequent three, each with a name."""
    named: dict[str, list[str]] = defaultdict(list)
    for topic in refused:
        named[sentence(errors.for_code(topic["error_code"])())].append(str(topic["name"]))
    parts = [f"{_topics(names)}: {why}" for why, names in sorted(named.items(), key=lambda one: -len(one[1]))[:3]]
    return ", ".join(parts) or None


def left_out(shown: set[str], known: set[str], ask: Callable[[list[str]], Mapping[str, int]]) -> str | None:
    """What is missing for topics of which brokers have replicas and Metadata says nothing; None where nothing is.

    shown: by agents. known: by Metadata, with or without an error. ask: error codes of these topics by name, now: one
    that was made or deleted between the two reads is not missing; where nobody answers it is. Of BATCH they are asked.
    """
    names = sorted(shown - known - {OF_KRAFT})
    if not names:
        return None
    try:
        codes = ask(names[:BATCH])
    except FAULTS:
        codes = {}
    lacking = [name for name in names if codes.get(name) not in (*_SETTLES, *_NO_MORE)]
    if not lacking:
        return None
    return f"brokers have replicas of {_topics(lacking)} that Metadata leaves out, is Describe allowed on all topics?"


def topics_of(partitions: Iterable[Mapping[str, Any] | pa.Table]) -> set[str]:
    """Topics of the rows of the raw table `partitions`."""
    found: set[str] = set()
    for rows in partitions:
        found |= set(rows["topic"].unique().to_pylist()) if isinstance(rows, pa.Table) else {rows["topic"]}
    return found


def _topics(names: list[str]) -> str:
    legal = next((name for name in sorted(names) if _LEGAL.fullmatch(name)), None)
    count = "1 topic" if len(names) == 1 else f"{len(names):,} topics"
    return count if legal is None else f"{count} such as {legal[:80]}"
