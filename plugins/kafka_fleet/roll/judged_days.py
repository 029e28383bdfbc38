"""What judged days know of rolls: takes a home and a cluster, gives the newest report and the last roll."""

from collections.abc import Iterator
from pathlib import Path

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.published import Published
from kafka_fleet.roll.over_midnight import whole_rolls
from kafka_fleet.roll.readiness import Known

LOOK_BACK = 60  # judged days in which the last roll is looked for


def reports_of(home: Path, cluster: str, first: str = "", last: str = "9999-12-31") -> Iterator[ClusterReport]:
    """Reports of the cluster, of the newest judged day first; days that have none of it are passed over.

    Raises Damaged for a document that cannot be read.
    """
    published = Published(home)
    for ds in [one for one in published.days() if first <= one <= last][:LOOK_BACK]:
        if published.day_summary(ds, cluster) is None:
            continue
        yield published.cluster_report(ds, cluster)


def known_of(home: Path, cluster: str) -> Known:
    """The newest report, and the rolls of the newest day that shows any."""
    newest: ClusterReport | None = None
    source = Published(home)
    for report in reports_of(home, cluster):
        newest = newest or report
        if report.rolls:
            return Known(newest, whole_rolls(lambda ds: source.known_rolls(ds, cluster), report.ds) or report.rolls)
    return Known(newest, (), newest is not None)
