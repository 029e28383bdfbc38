"""Options of the JVM that is a job's driver: takes how many raw rows a day has, gives what its environment holds."""

import sys
from pathlib import Path

SMALL_DAY = 2_000_000  # raw rows: a smaller day is judged before the JVM's optimizing compiler has paid for itself
# without that compiler the JVM keeps 48 MB of code, which the queries of a day outgrow: it then interprets the rest;
# each time that its classes outgrow what it begins with, 21 MB of them, it collects the whole heap; what a query makes
# is dead when it ends, so that young objects have a third of 1 GiB from the first on
SMALL_DAY_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -XX:NewSize=340m"
)
# classes as scripts/class-archive left them: Spark starts in half of the time; without them it reads its jars
SMALL_DAY_JVM += f" -XX:SharedArchiveFile={Path(sys.prefix) / 'spark.jsa'} -Xlog:cds=off -Xlog:cds+dynamic=off"


def driver_environment(rows: int) -> dict[str, str]:
    """Variables for a spark-submit on this machine; those that are set already are to win."""
    return {"SPARK_SUBMIT_OPTS": SMALL_DAY_JVM} if rows < SMALL_DAY else {}
