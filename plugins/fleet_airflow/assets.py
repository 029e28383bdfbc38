"""What the DAGs read and write as Airflow's assets: its graph shows them, and other DAGs are scheduled by them.

fleet://raw        sweeps; an event of each mapped task of fleet_collect that landed some, with `clusters`
fleet://marts      fact tables of a day
fleet://findings   verdicts of a day
fleet://reports    letters and page of a day, as readers follow them from now on
Events of a day have `ds` and `generation` as their extra.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from airflow.sdk import Asset

RAW, MARTS, FINDINGS, REPORTS = (Asset(f"fleet://{name}") for name in ("raw", "marts", "findings", "reports"))


def note_event(context: Mapping[str, Any], assets: Iterable[Asset], **extra: Any) -> None:
    """Give the event that Airflow makes of each of these outlets, once the task has succeeded, this extra."""
    for asset in assets:
        context["outlet_events"][asset].extra = extra
