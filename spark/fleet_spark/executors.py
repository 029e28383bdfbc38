"""A job on a cluster that gets no executor ends in minutes, with a sentence: Spark itself would wait without an end.

Spark says again and again that a "job has not accepted any resources" and goes on waiting, whether a cluster is full
for a while or its executors can never reach the driver. Here a thread looks at what waits, and for how long.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from types import FrameType, TracebackType
from urllib.parse import urlsplit

from py4j.protocol import Py4JError
from pyspark.core.context import SparkContext

from kafka_fleet.base.errors import UsageError
from kafka_fleet.settings import Settings, read_settings, variable

WAIT = variable("spark_wait_seconds")
# executors start in seconds on a cluster that stands, in some minutes on machines made for them
DEFAULT_WAIT: float = Settings.model_fields["spark_wait_seconds"].default
_LOOK = 1.0  # seconds between two looks
_GRACE = 60.0  # seconds for the job to leave its block, with every query cancelled
_WAKE = signal.SIGUSR1


def wait_seconds(environment: Mapping[str, str]) -> float:
    """How long a job may be without an executor. Raises SystemExit with a sentence for what is no number above 0."""
    try:
        return read_settings("spark_wait_seconds", environ=environment).spark_wait_seconds
    except UsageError as error:
        raise SystemExit(str(error)) from error


class ExecutorWatch:
    """For the length of a block: ends it by SystemExit with a sentence when the cluster does no work for it.

    SystemExit, since no code that catches what a query raises may take a cluster's failure for that of a query. The
    block must be run by the main thread, to which alone a signal can be brought.
    """

    def __init__(self, master: str, seconds: float) -> None:
        self._master, self._seconds = master, seconds
        self._context: SparkContext | None = None
        self._since = time.monotonic()  # when the wait began that goes on
        self._seen = 0  # most executors at a time
        self._sentence = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="executors", daemon=True)

    def started(self, context: SparkContext) -> None:
        """Spark has started; until it has, the wait is for the master."""
        self._since = time.monotonic()
        self._context = context

    @property
    def ended(self) -> bool:
        """Whether it has ended the block.

        The main thread was then woken in the middle of a call to the JVM, and may make no other: it would wait for that
        one, or take its answer. The JVM stops Spark when this process has ended.
        """
        return bool(self._sentence)

    def __enter__(self) -> "ExecutorWatch":
        self._before = signal.signal(_WAKE, self._leave)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        signal.signal(_WAKE, self._before)
        if self._sentence:
            raise SystemExit(self._sentence) from None
        if error is not None and not isinstance(error, SystemExit) and (lost := self._lost()):
            raise SystemExit(f"{lost} {_first_line(error)}") from error

    def _leave(self, _signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(self._sentence)

    def _watch(self) -> None:
        while not self._over.wait(_LOOK):
            try:
                if not self._waits():
                    self._since = time.monotonic()
            except (Py4JError, OSError):
                return  # the JVM is gone: the job's own next call says so
            if time.monotonic() - self._since >= self._seconds:
                self._end()
                return

    def _waits(self) -> bool:
        """Whether Spark has not started yet, or has work and no executor at all."""
        if self._context is None:
            return True
        tracker = self._context.statusTracker()
        executors = len(tracker.getExecutorInfos()) - 1  # one of them is the driver
        self._seen = max(self._seen, executors)
        return executors < 1 and len(tracker.getActiveStageIds()) > 0

    def _end(self) -> None:
        """Wake the main thread, and cancel what other threads of the job wait for, until the block is left."""
        self._sentence = self._said()
        signal.pthread_kill(threading.main_thread().ident or 0, _WAKE)
        begin = time.monotonic()
        while not self._over.is_set():
            if time.monotonic() - begin > _GRACE:
                print(self._sentence, file=sys.stderr, flush=True)
                os._exit(1)
            if self._context is not None:
                self._context.cancelAllJobs()
            self._over.wait(_LOOK)

    def _said(self) -> str:
        if self._context is None:
            return (
                f"Spark did not start on {self._master} within {self._seconds:.0f} s: {_reached(self._master)}. A "
                f"cluster that needs longer: {WAIT}."
            )
        conf = self._context.getConf()
        driver = f"{conf.get('spark.driver.host')}:{conf.get('spark.driver.port')}"
        seen = f"the {self._seen} it had are gone" if self._seen else "none ever reached the driver"
        return (
            f"{self._master} gave this job no executor for {self._seconds:.0f} s ({seen}). Check that it has workers "
            f"with cores and memory that are free (spark.executor.memory, spark.executor.cores), that they can open "
            f"connections to the driver at {driver} (spark.driver.host, spark.driver.port, "
            f"spark.driver.blockManager.port), and the executors' logs on the workers. A cluster that is full for "
            f"longer: {WAIT}."
        )

    def _lost(self) -> str:
        """The sentence for a job whose Spark never began or has stopped by itself; empty when it runs."""
        if self._context is None:
            return f"Spark could not be started on {self._master}: {_reached(self._master)}."
        try:
            stopped = self._context._jsc.sc().isStopped()
        except (Py4JError, OSError, AttributeError):
            return ""
        return f"{self._master} ended this job's Spark." if stopped else ""


def _reached(master: str) -> str:
    """What a connection to the first master of a standalone cluster says."""
    place = urlsplit(master.split(",")[0])
    if place.scheme != "spark" or not place.hostname:
        return "its resource manager did not answer"
    where = f"{place.hostname}:{place.port or 7077}"
    try:
        socket.create_connection((place.hostname, place.port or 7077), 5).close()
    except OSError as error:
        return f"{where} takes no connection from the driver's host ({error.strerror or error})"
    return (
        f"{where} takes connections (is it Spark's master of this release, with the same spark.authenticate.secret, "
        f"and do executors come if spark.scheduler.minRegisteredResourcesRatio waits for them?)"
    )


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no reason given'}"
