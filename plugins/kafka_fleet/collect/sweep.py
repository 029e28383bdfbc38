"""One sweep of one cluster: takes its fleet entry, lands one committed sweep of raw tables, gives a coverage summary.

Brokers are read in parallel, one request in flight each; the admin protocol and the hosts at the same time. Whatever
fails becomes an outcome in the landed rows, so that a cluster that never answered still leaves its declaration.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from ipaddress import IPv6Address
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

from kafka_fleet import __version__
from kafka_fleet.collect import unseen_topics
from kafka_fleet.collect.admin import AdminSweep, sweep_admin
from kafka_fleet.collect.hosts import sweep_host
from kafka_fleet.collect.jolokia import BrokerSweep, sweep_broker
from kafka_fleet.collect.results import ClockRanBack, SweepResult
from kafka_fleet.collect.rows import Rows
from kafka_fleet.collect.topic_errors import topic_errors
from kafka_fleet.collect.transport import Credentials, Limits
from kafka_fleet.credentials import CredentialsError, Resolver, http_credentials, kafka_settings
from kafka_fleet.endpoints import literal_address, url_problem
from kafka_fleet.inventory import Cluster
from kafka_fleet.store.landing import Landing, sweeps_around
from kafka_fleet.store.latest import Overlapped, advance, latest
from kafka_fleet.store.schemas import raw_schemas
from kafka_fleet.store.tables import Item, with_columns

PARALLEL = 16
CLUSTER_S = 240.0  # brokers and hosts that answer never and are many must not hold the sweep until the next is due
NAMED_S = 2.0  # of a sweep, that brokers wait until the sweep's own connections to Kafka have said who they are
ASK_AGAIN_S = 5.0  # for topics that agents show and Kafka does not
NO_ENDPOINT = "no Jolokia endpoint is declared for it"


def _in_url(host: str) -> str:
    """An advertised host as the host of a URL, and nothing but that: `evil/x?` must not become path and query."""
    return f"[{host}]" if isinstance(literal_address(host), IPv6Address) else quote(host, safe="")


def endpoints(cluster: Cluster, hosts: dict[int, str]) -> dict[int, str | None]:
    """Jolokia URL per broker id: the declared one, else the template over the advertised host, else None."""
    declared = {**cluster.jolokia.brokers, **cluster.jolokia.controllers}
    template = cluster.jolokia.url_template
    found: dict[int, str | None] = {}
    for broker in sorted({*declared, *hosts}):
        url = declared.get(broker)
        if url is None and template is not None and broker in hosts:
            host = hosts[broker]
            url = template.replace("{host}", _in_url(host))
        found[broker] = url
    return found


def _failed(kind: str, detail: str) -> BrokerSweep:
    return BrokerSweep("failed", kind, detail, None, 0.0, 0, Rows(), [], None)


def _sweep_broker(
    url: str | None, credentials: Credentials, limits: Limits, end: float, ready: Callable[[], object] = lambda: None
) -> BrokerSweep:
    if url is None:
        return _failed("no_endpoint", NO_ENDPOINT)
    within = _within(limits, end)
    if within is None:
        return _failed("timeout", f"not asked: the cluster's other brokers took all of {CLUSTER_S:g} s")
    problem = url_problem(url)  # an advertised host comes from the cluster: it is checked as the fleet file is
    return _failed("forbidden", problem) if problem else sweep_broker(url, credentials, within, ready)


def _own(broker: int, one: BrokerSweep) -> BrokerSweep:
    """What was read, or a failure where the agent is another broker's: its values would be judged as this one's."""
    if not one.node_ids or broker in one.node_ids:
        return one
    others = ", ".join(map(str, sorted(one.node_ids)))
    return _failed(
        "other_broker",
        f"the agent at its URL is that of broker {others}, so nothing read there is stored: URLs are exchanged in the "
        "fleet file, or one URL (a load balancer) leads to several brokers",
    )


def _within(limits: Limits, end: float) -> Limits | None:
    """The limits of one read that is to be over at `end`; None when it has come."""
    left = end - time.monotonic()
    return limits._replace(deadline_s=min(limits.deadline_s, left)) if left > 0 else None


def _sweep_host(broker: int, url: str, limits: Limits, end: float) -> dict[str, Any]:
    within = _within(limits, end)
    if within is not None:
        return sweep_host(broker, url, within)
    late = f"timeout: not asked: the cluster's other endpoints took all of {CLUSTER_S:g} s"
    return {"broker": broker, "outcome": "failed", "detail": late}


def _admin(cluster: Cluster, resolver: Resolver, limits: Limits, named: Event) -> AdminSweep:
    """named: is set once the sweep's connections to all brokers stand, and at the end in any case."""
    try:
        settings = kafka_settings(cluster.kafka_connection, resolver)
        return sweep_admin(list(cluster.bootstrap_servers), settings, limits.deadline_s, named.set)
    except CredentialsError as error:
        return AdminSweep("failed", str(error), ["every admin table"], None, None, {})
    finally:
        named.set()


def _with_unseen(
    admin: AdminSweep, tables: dict[str, list[Item]], cluster: Cluster, resolver: Resolver, limits: Limits | None
) -> AdminSweep:
    """The admin sweep, partial where brokers have replicas of topics that it does not tell of."""
    if "topics" not in admin.tables:
        return admin

    def ask(names: list[str]) -> dict[str, int]:
        if limits is None:
            raise TimeoutError
        settings = kafka_settings(cluster.kafka_connection, resolver)
        return topic_errors(list(cluster.bootstrap_servers), settings, min(ASK_AGAIN_S, limits.deadline_s), names)

    known = admin.refused.union(row["topic"] for row in admin.tables["topics"])
    shown = unseen_topics.topics_of(tables.get("partitions", []))
    return admin.without(unseen_topics.SOME_TOPICS, unseen_topics.left_out(shown, set(known), ask))


def sweep_cluster(cluster: Cluster, home: Path, resolver: Resolver, limits: Limits | None = None) -> SweepResult:
    """Sweep one cluster now and land it. Raises only when the landing itself fails (disk, permissions).

    A sweep that measured something is not stored when another one of the cluster was while it ran: the result says so.
    Raises ClockRanBack, and lands nothing, while the clock is before the cluster's last sweep: sweeps that change
    places would look like offsets that went back.
    """
    limits = limits or Limits()
    last = latest(home, cluster.id)  # before anything is read: what is stored from here on was read meanwhile
    started = datetime.now(UTC)
    fault: BrokerSweep | None = None
    try:
        credentials = http_credentials(cluster.jolokia.connection, resolver)
    except CredentialsError as error:
        credentials, fault = Credentials(), _failed("credentials", str(error))
    begun, named = time.monotonic(), Event()
    end = begun + CLUSTER_S

    def ready() -> None:
        named.wait(max(0.0, begun + NAMED_S - time.monotonic()))

    known = {**cluster.jolokia.brokers, **cluster.jolokia.controllers}
    with Landing(home, cluster.id, started) as landing, ThreadPoolExecutor(PARALLEL) as pool:
        around = pool.submit(sweeps_around, home, cluster.id, started)
        admin_future = pool.submit(_admin, cluster, resolver, limits, named)
        early: dict[int, Future[BrokerSweep]] = {}
        if fault is None:
            early = {b: pool.submit(_sweep_broker, url, credentials, limits, end, ready) for b, url in known.items()}
        landing.store({"declarations": [declaration(cluster)]})
        admin = admin_future.result()
        listed = {row["broker"]: row for row in admin.tables.get("brokers", [])}
        urls = endpoints(cluster, {b: row["host"] for b, row in listed.items()})
        late = {
            b: pool.submit(_sweep_broker, u, credentials, limits, end)
            for b, u in urls.items()
            if b not in early and fault is None
        }
        # behind all brokers: hosts that do not answer take no time of theirs
        hosts = [pool.submit(_sweep_host, b, url, limits, end) for b, url in cluster.node_exporter.items()]
        # while brokers answer: the rows of brokers are made of both
        landing.store({name: rows for name, rows in admin.tables.items() if name != "brokers"})
        futures = {**early, **late}
        swept = {
            b: (_own(b, futures[b].result()) if b in futures else fault or _failed("no_endpoint", NO_ENDPOINT))
            for b in urls
        }
        tables = broker_tables(cluster, listed, urls, swept)
        tables["hosts"] = [future.result() for future in hosts]
        admin = _with_unseen(admin, tables, cluster, resolver, _within(limits, end))
        ended = datetime.now(UTC)
        tables["sweeps"] = [{**_sweep(admin), "ended_at": ended}]
        reads = [admin.outcome, *(one.outcome for one in swept.values()), *(row["outcome"] for row in tables["hosts"])]

        def settle() -> None:
            later = around.result().after
            if later and latest(home, cluster.id) == last:  # nobody stored it while this sweep ran
                raise ClockRanBack(
                    f"{cluster.id}: a sweep of {later} is stored, and the clock says {started:%Y%m%dT%H%M%SZ}: "
                    "it was set back, or was ahead then; nothing is stored before that time"
                )
            if any(outcome != "failed" for outcome in reads):  # what read nothing can be in nobody's way
                advance(home, cluster.id, last, landing.sweep)

        manifest, overtaken = None, None
        try:
            manifest = landing.commit(tables, lambda: around.result().before, settle)
        except Overlapped as error:
            overtaken = str(error)
            landing.discard()
    outcomes = [(b, s.outcome, s.kind, s.detail) for b, s in swept.items()]
    values = sum(s.rows.values for s in swept.values())
    seconds = (ended - started).total_seconds()
    return SweepResult(cluster.id, manifest, admin, outcomes, values, seconds, overtaken)


def declaration(cluster: Cluster) -> dict[str, Any]:
    """The row of the raw table `declarations`."""
    owners = [str(owner) for owner in cluster.owners]
    return {"environment": cluster.environment, "owners": owners, "declaration": cluster.declaration()}


def _sweep(admin: AdminSweep) -> dict[str, Any]:
    return {
        "kafka_cluster_id": admin.kafka_cluster_id,
        "controller": admin.controller,
        "admin_outcome": admin.outcome,
        "admin_detail": admin.detail,
        "admin_missing": admin.missing,
        "collector_version": __version__,
    }


def broker_tables(
    cluster: Cluster,
    listed: dict[int, dict[str, Any]],
    urls: dict[int, str | None],
    swept: dict[int, BrokerSweep],
) -> dict[str, list[Item]]:
    """The raw tables of brokers: what the admin protocol lists of each, and what was read from it."""
    tables: dict[str, list[Item]] = {}
    tables["brokers"] = [
        {
            **listed.get(broker, {"broker": broker}),
            "is_broker": broker not in cluster.jolokia.controllers,
            "jolokia_url": urls[broker],
            "read_at": one.read_at,
            "outcome": one.outcome,
            "kind": one.kind,
            "detail": one.detail,
            "seconds": one.seconds,
            "bytes": one.bytes,
            "values": one.rows.values,
            "unusable": one.rows.unusable,
            "missing": one.missing,
            "agent_clock_skew_s": one.agent_clock_skew_s,
        }
        for broker, one in swept.items()
    ]
    for broker, one in swept.items():
        source = {"broker": broker, "read_at": one.read_at}
        for name, rows in one.rows.items():
            found = tables.setdefault(name, [])
            if isinstance(rows, list):
                found.extend({**source, **row} for row in rows)
            else:
                found.append(with_columns(rows, source, raw_schemas()[name]))
    return tables
