"""Days that were judged late: takes a home, a cluster and the day of its last letter, gives a sentence for each since.

They have no letter of their own: Airflow was down or the DAG paused when they ended. What was found is in reports/.
"""

from datetime import date
from pathlib import Path

from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.mail.last_sent import LOOK_BACK, days_before
from kafka_fleet.store.generations import current_generation, noted_run
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.manifests import sweep_times

SHOWN = 5  # findings


def late_days(home: Path, cluster: str, since: str, ds: str) -> tuple[str, ...]:
    """Sentences, the oldest day first, on the days between the last letter and this one. Raises ValueError."""
    between = list(days_before(ds, (date.fromisoformat(ds) - date.fromisoformat(since)).days - 1))
    found = [_sentence(home, cluster, one) for one in reversed(between[:LOOK_BACK])]
    return tuple(one for one in found if one)


def _sentence(home: Path, cluster: str, ds: str) -> str | None:
    generation = current_generation(Home(home).day(ds).findings)
    if generation is None:
        return f"{ds} was measured and is not judged." if sweep_times(home, ds, cluster) else None
    if not noted_run(home, ds, generation).get("late"):
        return None
    short = read_day_summary(home, ds, cluster, generation)
    if short is None:
        return f"{ds} was judged late, without this cluster."
    if not short.reached:
        return f"{ds} was judged late and had no letter: nothing was measured on it."
    keys = [row.key for row in short.rows if row.verdict == "confirmed"]
    more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
    what = f"confirmed on it: {', '.join(keys[:SHOWN])}{more}" if keys else "nothing was confirmed on it"
    return f"{ds} was judged late and had no letter; {what}."
