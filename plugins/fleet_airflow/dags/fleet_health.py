"""Every day: a day's stored sweeps go in; facts, findings, one letter per cluster and the mails come out."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Param, TriggerRule, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException

from fleet_airflow import metrics
from fleet_airflow.alerts import Untold, run_failed, tell_of_kept_raw, tell_owners
from fleet_airflow.assets import FINDINGS, MARTS, RAW, REPORTS, note_event
from fleet_airflow.deadline import alerts
from fleet_airflow.last_sweep import JudgeDayBeforeAgain, LastSweepIsIn
from fleet_airflow.mailing import (
    MAIL_RETRIES,
    MAIL_RETRY_DELAY,
    digest_one,
    finish_mail_task,
    mail_one,
    note_all_mailed,
)
from fleet_airflow.run_plan import owners_of, settle_plan, this_plan
from fleet_airflow.settings import (
    APPLICATION,
    LABEL,
    NAMES,
    RETRY_DELAY,
    acknowledged,
    batches,
    home,
    keep_raw_days,
    missed_days,
    say_why,
)
from fleet_airflow.spark_submit import CONNECTION, FleetSparkSubmit
from fleet_airflow.timetable import DailyWithMissedDays

log = logging.getLogger(__name__)


def spark(task_id: str, plan: Any) -> FleetSparkSubmit:
    """One spark-submit. At most one of its kind runs at a time, over all runs: a backfill must not start ten JVMs."""
    return FleetSparkSubmit(
        task_id=task_id,
        application=str(APPLICATION),
        application_args=plan["arguments"],
        rows=plan["rows"],
        day=plan["day"],
        inlets=[RAW],
        outlets=[MARTS, FINDINGS],
        conn_id=CONNECTION,
        name=f"kafka-fleet-{task_id}",
        max_active_tis_per_dag=1,
        execution_timeout=timedelta(hours=4),
    )


@dag(
    dag_id="fleet_health",
    description="Judges one stored day and mails each cluster's owner one letter",
    schedule=DailyWithMissedDays(missed_days()),
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    deadline=alerts(),
    max_active_runs=1,
    params={
        "ds": Param(None, type=["null", "string"], format="date", description="The day; empty: the run's own day"),
        "clusters": Param(
            None,
            **NAMES,
            description="Clusters whose owners get mail; empty: all. The whole day is judged in any case",
        ),
        "signatures": Param(None, **NAMES, description="Signatures; empty: all"),
        "notify": Param("auto", enum=["auto", "always", "never"], description="auto: mail for scheduled runs only"),
    },
    default_args={
        "owner": "kafka-platform",
        "retries": 1,
        "retry_delay": RETRY_DELAY,
        "execution_timeout": timedelta(minutes=30),
        "on_failure_callback": [say_why, run_failed],
    },
    tags=["kafka", "fleet", "report"],
    doc_md="""
### Judge a day, write the letters, mail them
collected → coverage → compact → analyze (one spark-submit, connection `spark_default`) → letters → render → publish →
mail, digest → mailed.

* **What is under way in `analyze`** stands in the state store of its task instance, as `under_way`: the latest line on
  facts or on judgement.

* **The day** is the parameter `ds`, else the date of the run's logical date. Judging a day again replaces it and
  sends no second mail; a letter with other findings goes out as "Revised: ...". Where nothing changed since the last
  letter none goes out, but for a heartbeat every `KAFKA_FLEET_HEARTBEAT_DAYS` (7).
* **Backfill** re-judges stored days and never measures. Days that ran already are skipped unless you say
  `airflow backfill create --dag-id fleet_health --from-date … --to-date … --reprocess-behavior completed`.
  Backfills and manual runs mail nobody unless `notify` is `always`.
* **Red `render` or `mail`**: only that cluster; its log ends in the reason. Clear it to try again.
* **Missed days** (scheduler down, DAG paused) are judged when it runs again, oldest first, up to
  `KAFKA_FLEET_MISSED_DAYS` (14). The letter of the newest day names them; they get none of their own.
* **Told to `KAFKA_FLEET_PLATFORM_OWNERS`**, by mail and once: a scheduled run that fails; a day whose letters are not
  out six hours after midnight; clusters that a day is judged without; old raw that stays since its day is not judged.
* `spark_default` must be given as JSON: `{"conn_type": "spark", "host": "local[*]"}`; without it Airflow assumes
  YARN. Mail uses `smtp_default` with the extra `from_email`.
""",
)
def fleet_health() -> None:
    """The daily chain."""

    @task(multiple_outputs=True, trigger_rule=TriggerRule.ALL_DONE)  # what only waits costs no day its letters
    def coverage() -> dict[str, Any]:
        """What is stored of the day, and a generation of its own for this run."""
        return settle_plan()

    @task
    def compact() -> None:
        """Raw of a day that has ended in few files: opening many costs Spark more than their rows."""
        from kafka_fleet.store.raw.compaction import compact_finished

        for line in compact_finished(home(), this_plan()["ds"]):
            log.info("%s", line)

    @task
    def letters() -> list[list[str]]:
        """Every cluster that the judge has a report of; a run for some clusters still publishes the whole day."""
        from kafka_fleet.store.home import Home

        plan = this_plan()
        folder = Home(home()).generation(plan["ds"], plan["generation"]).clusters
        judged = sorted(path.stem for path in folder.glob("*.json"))
        if not judged:
            raise AirflowFailException(f"the judge left no report of {', '.join(plan['clusters'])}")
        return batches(judged)

    @task(map_index_template=LABEL, inlets=[FINDINGS])
    def render(clusters: list[str]) -> None:
        """A letter for each cluster, HTML and text, into this run's generation."""
        from kafka_fleet.report.render import write_letter

        plan, folder = this_plan(), home()
        failed: dict[str, Exception] = {}
        for cluster in clusters:
            try:
                write_letter(folder, plan["ds"], plan["generation"], cluster)
            except Exception as error:  # log one letter's failure; the other letters still go out
                log.exception("%s: its letter could not be written", cluster)
                failed[cluster] = error
            else:
                log.info("%s: letter of %s written", cluster, plan["ds"])
        if failed:
            raise AirflowException("; ".join(f"{cluster}: {error}" for cluster, error in failed.items()))

    # a letter that failed must not hold the others back
    @task(trigger_rule=TriggerRule.ALL_DONE_MIN_ONE_SUCCESS, inlets=[FINDINGS], outlets=[REPORTS])
    def publish() -> None:
        """Readers follow the new generation from here on, all at once."""
        from kafka_fleet.documents.published import Published
        from kafka_fleet.report.render import publish as publish_reports

        plan = this_plan()
        publish_reports(home(), plan["ds"], plan["generation"], acknowledged().entries)
        metrics.published(Published(home()).summary(plan["ds"]) or {})
        note_event(get_current_context(), [REPORTS], **plan["day"])
        log.info("%s: %s is published", plan["ds"], plan["generation"])

    @task
    def tell_set_aside() -> None:
        """The platform's owners hear which clusters the day is judged without; the letters of the others go out."""
        from kafka_fleet.store.excluded_clusters import set_aside
        from kafka_fleet.store.home import Home

        plan = this_plan()
        ds, generation = plan["ds"], plan["generation"]
        found = set_aside(home(), ds, generation)
        metrics.set_aside(len(found))
        words: list[tuple[str, str, list[str]]] = []
        if found:
            lines = [f"{cluster}: {why}" for cluster, why in found.items()]
            words.append(("set-aside", f"{ds} is judged without {', '.join(found)}", lines))
        judged = {path.stem for path in Home(home()).generation(ds, generation).clusters.glob("*.json")}
        if absent := sorted(set(plan["clusters"]) - judged):
            words.append(("absent", f"the judge left no report of {', '.join(absent)}", []))
        untold = []
        for reason, title, lines in words:
            try:
                tell_owners(ds, reason, title, lines, about=title)
            except Untold as error:
                untold.append(str(error))
        if untold:
            raise Untold("; ".join(untold))

    # all its upstreams must have succeeded: what is not published is not mailed
    @task(map_index_template=LABEL, inlets=[REPORTS], retries=MAIL_RETRIES, retry_delay=MAIL_RETRY_DELAY)
    def mail(clusters: list[str]) -> None:
        """Each cluster's letter to its owners, by the outbox; who has it already gets no second one from a retry."""
        from kafka_fleet.mail.digest import digest_owners

        plan = this_plan()
        owners = owners_of(plan)
        digests = digest_owners(owners)
        single = {name: [one for one in own if one not in digests] for name, own in owners.items()}
        finish_mail_task([mail_one(cluster, single.get(cluster), plan) for cluster in clusters])

    @task(inlets=[REPORTS], retries=MAIL_RETRIES, retry_delay=MAIL_RETRY_DELAY)
    def digest() -> None:
        """One mail for each owner of KAFKA_FLEET_DIGESTS, with all their clusters, instead of a letter for each."""
        from kafka_fleet.mail.digest import digest_owners

        digests = digest_owners(owners_of(this_plan()))
        if not digests:
            raise AirflowSkipException("nobody gets a digest: KAFKA_FLEET_DIGESTS names none")
        finish_mail_task([digest_one(owner, clusters, this_plan()) for owner, clusters in digests.items()])

    @task(trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS)
    def mailed() -> None:
        """Remember that all mails of the day are out, for those who watch over the deadline."""
        note_all_mailed(this_plan())

    @task
    def tidy() -> None:
        """Files of raw whose rows were written again more than a day ago go; old raw, too, where that is set."""
        from kafka_fleet.cli.tidy import tidy_home

        tell_of_kept_raw(tidy_home(home(), keep_raw_days, lambda line: log.info("%s", line)))

    plan = coverage()
    analyze = spark("analyze", plan)
    analyze.trigger_rule = TriggerRule.ALL_DONE_MIN_ONE_SUCCESS  # many small files cost time, and no day its letters
    listed, published, digested = letters(), publish(), digest()
    LastSweepIsIn(task_id="collected") >> plan >> compact() >> analyze >> listed
    sent = mail.expand(clusters=listed)
    render.expand(clusters=listed) >> published >> sent
    published >> [digested, tell_set_aside(), tidy()]
    [published, sent, digested] >> mailed()
    plan >> JudgeDayBeforeAgain(task_id="late_sweeps", trigger_dag_id="fleet_health", skip_when_already_exists=True)


DAG = fleet_health()
