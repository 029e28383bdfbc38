"""Every day: a day's stored sweeps go in; facts, findings, one letter per cluster and the mails come out."""

import logging
import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Asset, CronDataIntervalTimetable, Param, TriggerRule, dag, get_current_context, task
from airflow.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowSkipException,
)

import fleet_metrics
from fleet_choice import day_of, selected
from fleet_deadline import alerts
from fleet_mail import MAIL_RETRIES, MAIL_RETRY_DELAY, digest_one, mail_one, settle
from fleet_settings import (
    APPLICATION,
    LABEL,
    NAMES,
    RETRY_DELAY,
    batches,
    fleet,
    home,
    home_text,
    keep_raw_days,
    say_why,
)
from fleet_submit import CONNECTION, FleetSparkSubmit

log = logging.getLogger(__name__)


def this_plan() -> dict[str, Any]:
    """What `coverage` of this run settled; pulled, since an argument would make every task its direct successor."""
    plan: dict[str, Any] = get_current_context()["ti"].xcom_pull(task_ids="coverage")
    return plan


def spark(task_id: str, arguments: Any) -> FleetSparkSubmit:
    """One spark-submit. At most one of its kind runs at a time, over all runs: a backfill must not start ten JVMs."""
    return FleetSparkSubmit(
        task_id=task_id,
        application=str(APPLICATION),
        application_args=arguments,
        conn_id=CONNECTION,
        name=f"kafka-fleet-{task_id}",
        max_active_tis_per_dag=1,
        execution_timeout=timedelta(hours=4),
    )


@dag(
    dag_id="fleet_health",
    description="Judges one stored day and mails each cluster's owner one letter",
    schedule=CronDataIntervalTimetable("@daily", timezone="UTC"),
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
        "on_failure_callback": say_why,
    },
    tags=["kafka", "fleet", "report"],
    doc_md="""
### Judge a day, write the letters, mail them
coverage → compact → facts → judge (these two by spark-submit, connection `spark_default`) → letters → render → publish
→ mail, digest.

* **The day** is the parameter `ds`, else the date of the run's logical date. Judging a day again replaces it and
  sends no second mail; a letter with other findings goes out as "Revised: ...". Where nothing changed since the last
  letter none goes out, but for a heartbeat every `KAFKA_FLEET_HEARTBEAT_DAYS` (7).
* **Backfill** re-judges stored days and never measures. Days that ran already are skipped unless you say
  `airflow backfill create --dag-id fleet_health --from-date … --to-date … --reprocess-behavior completed`.
  Backfills and manual runs mail nobody unless `notify` is `always`.
* **Red `render` or `mail`**: only that cluster; its log ends in the reason. Clear it to try again.
* **Late**: a run that has not ended six hours after midnight is told to `KAFKA_FLEET_PLATFORM_OWNERS`, by mail.
* `spark_default` must be given as JSON: `{"conn_type": "spark", "host": "local[*]"}`; without it Airflow assumes
  YARN. Mail uses `smtp_default` with the extra `from_email`.
""",
)
def fleet_health() -> None:
    """The daily chain."""

    @task(multiple_outputs=True)
    def coverage() -> dict[str, Any]:
        """What is stored of the day, and a generation of its own for this run. Holds no secrets."""
        from kafka_fleet.knowledge.signatures import load_signatures
        from kafka_fleet.store.generations import claim, note_run
        from kafka_fleet.store.manifests import manifests

        context = get_current_context()
        params = context["params"]
        ds = day_of(params["ds"], context.get("logical_date"))
        whole, damaged = manifests(home(), ds)
        if not whole:
            raise AirflowFailException(f"{ds} has no stored sweep; a day cannot be measured afterwards")
        declared = [cluster.id for cluster in fleet().clusters]
        known = sorted({manifest.cluster for manifest in whole} | set(declared))
        clusters = selected(params["clusters"], known, "cluster")
        signatures = selected(params["signatures"], sorted(load_signatures()), "signature")
        counts = Counter(manifest.cluster for manifest in whole)
        fleet_metrics.day(ds, {cluster: counts[cluster] for cluster in clusters})
        for cluster in clusters:
            bad = "; ".join(f"{item.sweep}: {item.reason}" for item in damaged if item.cluster == cluster)
            log.info("%s: %d sweeps%s", cluster, counts[cluster], f"; damaged: {bad}" if bad else "")
        generation = claim(home(), ds)
        note_run(home(), ds, generation, context["dag_run"].dag_id, context["dag_run"].run_id)
        common = ["--home", home_text(), "--ds", ds, "--generation", generation]
        # what the other signatures read is not computed: a new signature is replayed over stored days for its own cost
        common += ["--signatures", ",".join(signatures)] if params["signatures"] else []
        return {
            "ds": ds,
            "generation": generation,
            "clusters": clusters,
            "facts_arguments": ["facts", *common],
            "judge_arguments": ["judge", *common, "--fleet", os.environ["KAFKA_FLEET_FILE"]],
        }

    @task
    def compact() -> None:
        """Raw of a day that has ended in few files: opening many costs Spark more than their rows."""
        from kafka_fleet.store.compaction import compact_finished

        for line in compact_finished(home(), this_plan()["ds"]):
            log.info("%s", line)

    @task
    def letters() -> list[list[str]]:
        """Every cluster that the judge has a dossier of; a run for some clusters still publishes the whole day."""
        plan = this_plan()
        folder = home() / f"findings/ds={plan['ds']}/{plan['generation']}/clusters"
        judged = sorted(path.stem for path in folder.glob("*.json"))
        absent = sorted(set(plan["clusters"]) - set(judged))
        if absent:
            raise AirflowFailException(f"the judge left no dossier of {', '.join(absent)}")
        return batches(judged)

    @task(map_index_template=LABEL)
    def render(clusters: list[str]) -> None:
        """A letter for each cluster, HTML and text, into this run's generation."""
        from kafka_fleet.report.render import write_letter

        plan, folder = this_plan(), home()
        failed: dict[str, Exception] = {}
        for cluster in clusters:
            try:
                write_letter(folder, plan["ds"], plan["generation"], cluster)
            except Exception as error:  # one letter's trouble is told and must not cost its neighbours theirs
                log.exception("%s: its letter could not be written", cluster)
                failed[cluster] = error
            else:
                log.info("%s: letter of %s written", cluster, plan["ds"])
        if failed:
            raise AirflowException("; ".join(f"{cluster}: {error}" for cluster, error in failed.items()))

    # a letter that failed must not hold the others back
    @task(trigger_rule=TriggerRule.ALL_DONE_MIN_ONE_SUCCESS, outlets=[Asset("fleet://reports")])
    def publish() -> None:
        """Readers follow the new generation from here on, all at once."""
        from kafka_fleet.page.published import Published
        from kafka_fleet.report.render import publish as publish_reports

        plan = this_plan()
        publish_reports(home(), plan["ds"], plan["generation"])
        fleet_metrics.published(Published(home()).summary(plan["ds"]) or {})
        log.info("%s: %s is published", plan["ds"], plan["generation"])

    # all its upstreams must have succeeded: what is not published is not mailed
    @task(map_index_template=LABEL, retries=MAIL_RETRIES, retry_delay=MAIL_RETRY_DELAY)
    def mail(clusters: list[str]) -> None:
        """Each cluster's letter to its owners, by the outbox; who has it already gets no second one from a retry."""
        from kafka_fleet.report.digest import digest_owners

        plan, owners = this_plan(), {entry.id: entry.owners for entry in fleet().clusters}
        digests = digest_owners(owners)
        single = {name: [one for one in own if one not in digests] for name, own in owners.items()}
        settle([mail_one(cluster, single.get(cluster), plan) for cluster in clusters])

    @task(retries=MAIL_RETRIES, retry_delay=MAIL_RETRY_DELAY)
    def digest() -> None:
        """One mail for each owner of KAFKA_FLEET_DIGESTS, with all their clusters, instead of a letter for each."""
        from kafka_fleet.report.digest import digest_owners

        digests = digest_owners({entry.id: entry.owners for entry in fleet().clusters})
        if not digests:
            raise AirflowSkipException("nobody gets a digest: KAFKA_FLEET_DIGESTS names none")
        settle([digest_one(owner, clusters, this_plan()) for owner, clusters in digests.items()])

    @task
    def tidy() -> None:
        """Files of raw whose rows were written again more than a day ago go; old raw, too, where that is set."""
        from kafka_fleet.store.compaction import tidy as tidy_raw

        for line in tidy_raw(home()):
            log.info("%s", line)
        days = keep_raw_days()
        if days is not None:
            from kafka_fleet.retention_command import lines
            from kafka_fleet.store.retention import carry_out, plan

            what = plan(home(), days)
            for line in (*lines(what, home()), *carry_out(home(), what)):
                log.info("%s", line)

    plan = coverage()
    facts, judge = spark("facts", plan["facts_arguments"]), spark("judge", plan["judge_arguments"])
    facts.trigger_rule = TriggerRule.ALL_DONE_MIN_ONE_SUCCESS  # many small files cost time, and no day its letters
    listed = letters()
    plan >> compact() >> facts >> judge >> listed
    published = publish()
    render.expand(clusters=listed) >> published >> mail.expand(clusters=listed)
    published >> [digest(), tidy()]


fleet_health()
