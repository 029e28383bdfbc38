"""Homes of generated clusters through the real facts and signatures, in one Spark session per process."""

import atexit
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from fleet_spark.facts import write_facts
from fleet_spark.session import DEFAULTS, FIXED
from fleet_spark.signatures import Measured, run_signatures
from fleet_spark.tables import Day
from fleetgen.shape import DS
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.paths import sql_dir
from kafka_fleet.store.generations import claim


@cache
def spark() -> SparkSession:
    """A session with the settings of the jobs, on two cores of this machine."""
    builder = SparkSession.builder.master("local[2]").appName("fleetgen").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.memory", "3g")
    for key, value in (DEFAULTS | FIXED).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    atexit.register(session.stop)
    return session


def analyse(
    home: Path, clusters: list[str], signatures: Sequence[str] = (), session: SparkSession | None = None
) -> list[dict[str, Any]]:
    """Facts and signatures, all or the named ones: one dict per cluster and signature, as signatures.json has them."""
    began = time.monotonic()
    day = Day(session or spark(), home, DS, claim(home, DS), sql_dir())
    write_facts(day, [])
    print(f"facts: {time.monotonic() - began:.0f} s", flush=True)
    measured: dict[str, dict[str, Measured]] = {name: {} for name in clusters}
    for name, signature in load_signatures(sql_dir()).items():
        if not signatures or name in signatures:
            began = time.monotonic()
            for cluster, found in run_signatures(day.spark, [signature], {name: {} for name in clusters}).items():
                measured[cluster] |= found
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return [
        {
            "cluster": cluster,
            "signature": name,
            "state": one.result.state,
            "missing": list(one.result.missing),
            "detections": [
                {
                    "cause": d.cause,
                    "strength": d.strength,
                    "subjects": list(d.subjects),
                    "evidence": list(d.evidence),
                    "bounds": d.bounds,
                }
                for d in one.result.detections
            ],
        }
        for cluster, found in measured.items()
        for name, one in found.items()
    ]
