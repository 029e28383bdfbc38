"""What a run of fleet_health settles first: takes its context, gives the plan that all later tasks read."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from fleet_airflow import metrics
from fleet_airflow.params import day_of, selected
from fleet_airflow.settings import fleet, home, home_text

log = logging.getLogger(__name__)


def this_plan() -> dict[str, Any]:
    """What `coverage` of this run settled; pulled, since an argument would make every task its direct successor."""
    from kafka_fleet.store.knowledge_packs import use_named

    plan: dict[str, Any] = get_current_context()["ti"].xcom_pull(task_ids="coverage")
    use_named(home(), plan.get("knowledge"))  # whatever is chosen meanwhile, a run has one
    return plan


def run_type(context: Mapping[str, Any]) -> str:
    """scheduled, manual, backfill, operator_triggered, ..."""
    found = context["dag_run"].run_type
    return str(getattr(found, "value", found) or "")


def is_missed(kind: str, ds: str, now: datetime) -> bool:
    """Whether a scheduled run is for a day that another one has followed: it was missed, and is judged late.

    Its letters are not mailed. That of the newest day names it (kafka_fleet.mail.late_judgements).
    """
    return kind == "scheduled" and date.fromisoformat(ds) < now.date() - timedelta(days=1)


def settle_plan() -> dict[str, Any]:
    """What is stored of the day, a generation of its own for this run, and the fleet as it is now. Holds no secrets."""
    from kafka_fleet.base.errors import UsageError
    from kafka_fleet.knowledge.signatures import load_signatures
    from kafka_fleet.store.fleet_snapshot import keep_fleet
    from kafka_fleet.store.generations import claim_generation, note_run
    from kafka_fleet.store.knowledge_packs import use_chosen
    from kafka_fleet.store.raw.manifests import manifests

    context = get_current_context()
    params, run = context["params"], context["dag_run"]
    ds = day_of(params["ds"], context.get("logical_date"))
    whole, damaged = manifests(home(), ds)
    if not whole:
        _nothing_stored(ds)
    try:
        pack = use_chosen(home())
    except UsageError as error:
        raise AirflowFailException(str(error)) from error
    log.info("knowledge %s", pack)
    found = fleet()
    counts = Counter(manifest.cluster for manifest in whole)
    clusters = selected(params["clusters"], sorted({*counts, *(one.id for one in found.clusters)}), "cluster")
    signatures = selected(params["signatures"], sorted(load_signatures()), "signature")
    metrics.day(ds, {cluster: counts[cluster] for cluster in clusters})
    for cluster in clusters:
        bad = "; ".join(f"{item.sweep}: {item.reason}" for item in damaged if item.cluster == cluster)
        log.info("%s: %d sweeps%s", cluster, counts[cluster], f"; damaged: {bad}" if bad else "")
    kind = run_type(context)
    late = is_missed(kind, ds, datetime.now(UTC)) or (kind == "operator_triggered" and params["notify"] == "never")
    generation = claim_generation(home(), ds)
    keep_fleet(home(), ds, generation, found)
    note_run(home(), ds, generation, run.dag_id, run.run_id, late)
    common = ["--home", home_text(), "--ds", ds, "--generation", generation, "--knowledge", pack.handle]
    # what the other signatures read is not computed: a new signature is replayed over stored days for its own cost
    common += ["--signatures", ",".join(signatures)] if params["signatures"] else []
    return {
        "ds": ds,
        "generation": generation,
        "clusters": clusters,
        "late": late,
        "day": {"ds": ds, "generation": generation},
        "knowledge": pack.handle,
        "rows": sum(file.rows for one in whole for file in one.files.values()),
        "arguments": ["analyze", *common],  # the fleet is the one that this run has kept
    }


def _nothing_stored(ds: str) -> None:
    """Skip a day before the first sweep of all, as the first run after an installation is for; fail any other one."""
    from kafka_fleet.store.raw.days import stored_days

    if not [one for one in stored_days(home()) if one <= ds]:
        why = f"{ds} has no stored sweep, nor has any day before it: nothing was collected yet"
        log.warning("%s", why)
        raise AirflowSkipException(why)
    why = f"{ds} has no stored sweep; a day cannot be measured afterwards"
    log.error("%s", why)
    raise AirflowFailException(why)


def owners_of(plan: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Owners by cluster of the fleet as the run found it; of a cluster that is still in the fleet file, those of today.

    A wrong address is mended in the fleet file and the task cleared; an entry that left it, or broke, costs no letter.
    """
    from kafka_fleet.store.fleet_snapshot import kept_fleet

    kept = kept_fleet(home(), plan["ds"], plan["generation"])
    try:
        now = {entry.id: entry.owners for entry in fleet().clusters}
    except AirflowFailException as error:
        if kept is None:
            raise
        log.warning("%s; the owners are those of the fleet file as this run found it", error)
        now = {}
    if kept is None:  # a run that was begun by an earlier version
        return dict(now)
    return {entry.id: now.get(entry.id, entry.owners) for entry in kept.clusters}
