"""Metrics endpoints of a cluster's brokers: they serve the texts that a test gives, and a sweep reads them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from support.builders.metric_answers import ENOUGH, answered
from support.builders.swept_clusters import cluster, run
from support.servers.jolokia_simulator import Agent, agent


@contextmanager
def endpoints(*texts: bytes) -> Iterator[dict[int, str]]:
    """One endpoint for each text; gives their URLs by broker id."""
    with ExitStack() as stack:
        urls = {}
        for broker, text in enumerate(texts, start=1):
            one = Agent()
            one.wire = lambda handler, text=text: answered(handler, text)
            urls[broker] = stack.enter_context(agent(one)).url
        yield urls


def swept(home: Path, urls: dict[int, str], **more: Any) -> Any:
    """The result of a sweep of these brokers, and a function that gives the rows of a table."""
    return run(home, cluster(None, metrics={"brokers": urls, **more}), ENOUGH)
