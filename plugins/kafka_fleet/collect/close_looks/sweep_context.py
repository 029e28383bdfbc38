"""A sweep under way, as what runs beside its reads needs to know it."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.config.credentials import Credentials, Resolver
from kafka_fleet.config.fleet import Cluster


class Sweeping(NamedTuple):
    """The sweep that looks belong to. begun, end: monotonic, when it began and when it has to be over."""

    home: Path
    cluster: Cluster
    resolver: Resolver
    credentials: Credentials
    limits: Limits
    started: datetime
    begun: float
    end: float
