"""On demand: stored days go in, and when each finding would first have fired by today's rules comes out."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Param, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException

from fleet_airflow.assets import RAW
from fleet_airflow.settings import APPLICATION, NAMES, RETRY_DELAY, fleet_file, home, home_text, say_why
from fleet_airflow.spark_submit import CONNECTION, FleetSparkSubmit

log = logging.getLogger(__name__)
_DAY = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}


@dag(
    dag_id="fleet_replay",
    description="Judges stored days by today's rules, beside what is published of them",
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    params={
        "first": Param("2026-01-01", **_DAY, description="The first day, YYYY-MM-DD"),
        "last": Param("2026-12-31", **_DAY, description="The last day; days without a stored sweep are left out"),
        "signatures": Param(None, **NAMES, description="Signatures; empty: all, or those of the advisories"),
        "advisories": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "pattern": "^[A-Z0-9][A-Za-z0-9._-]*$"},
            description="Advisories, such as KAFKA-14334; empty: all",
        ),
    },
    default_args={
        "owner": "kafka-platform",
        "retries": 1,
        "retry_delay": RETRY_DELAY,
        "execution_timeout": timedelta(minutes=30),
        "on_failure_callback": say_why,
    },
    tags=["kafka", "fleet", "history"],
    doc_md="""
### When would a new rule first have fired?
plan → replay (one spark-submit over all days, connection `spark_default`) → tell.

* Trigger it after a signature or an advisory was added or changed, with `first`, `last` and, to spare time, its name.
* Nothing that is published moves: what comes out is in `replays/rNNNN/` below the home. The log of `tell` has a line
  for each finding; `timelines.json` has every day of it, and the first day on which it was published.
* A day that cannot be judged fails `replay` at its end, and costs no other day; a retry goes on where it was.
* To judge days anew *and* publish them, backfill `fleet_health` instead.
""",
)
def fleet_replay() -> None:
    """A replay."""

    @task(multiple_outputs=True)
    def plan() -> dict[str, Any]:
        """The days that are stored, the rules to judge by, and a folder of its own for what comes out."""
        from kafka_fleet.base.errors import UsageError
        from kafka_fleet.documents.replays import claim_replay, days_to_replay, replay_rules
        from kafka_fleet.store.bucket import address
        from kafka_fleet.store.knowledge_packs import use_chosen

        params = get_current_context()["params"]
        asked = {name: params[name] or [] for name in ("signatures", "advisories")}
        try:
            pack = use_chosen(home())
            signatures, only = replay_rules(asked["signatures"], asked["advisories"])
            days = days_to_replay(home(), params["first"], params["last"])
        except UsageError as error:
            raise AirflowFailException(str(error)) from error
        results = claim_replay(home(), {"days": days, **asked})
        arguments = ["replay", "--home", home_text(), "--results", address(results), "--days", ",".join(days)]
        arguments += ["--fleet", fleet_file(), "--knowledge", pack.handle]
        arguments += ["--signatures", ",".join(signatures)] if signatures else []
        log.info("%d days, into %s", len(days), results.name)
        return {"days": days, "name": results.name, "signatures": signatures, "only": only, "arguments": arguments}

    @task
    def tell(found: dict[str, Any]) -> None:
        """A line for each finding, and the whole beside the replay."""
        from kafka_fleet.documents.replays import store_replay, timelines_of
        from kafka_fleet.store.home import Home
        from kafka_fleet.store.home_beside import Replay

        results = Home(home()).replay(found["name"])
        for row in store_replay(home(), results, timelines_of(results, found), found):
            fired = f"first fired {row['first_fired']}" if row["first_fired"] else "never fired"
            published = f"published since {row['published_first']}" if row["published_first"] else "not published"
            after = f"; after the upgrade: {row['after_upgrade']}" if row["after_upgrade"] else ""
            log.info("%s: %s (%s): %s, %s%s", row["cluster"], row["finding"], row["worst"], fired, published, after)
        log.info("%s", Replay(results).timelines)

    planned = plan()
    submitted = FleetSparkSubmit(
        task_id="replay",
        application=str(APPLICATION),
        application_args=planned["arguments"],
        conn_id=CONNECTION,
        name="kafka-fleet-replay",
        inlets=[RAW],
        execution_timeout=timedelta(hours=12),
    )
    planned >> submitted >> tell(planned)


DAG = fleet_replay()
