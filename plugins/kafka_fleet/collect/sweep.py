"""One sweep of one cluster: takes its fleet entry, lands one committed sweep of raw tables, gives a coverage summary.

Brokers are read in parallel, one request in flight each; the admin protocol and the hosts at the same time. Whatever
fails becomes an outcome in the landed rows, so that a cluster that never answered still leaves its declaration.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

from kafka_fleet.base.addresses import url_problem
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from kafka_fleet.collect.admin.quorum import undeclared_controllers, with_replicas
from kafka_fleet.collect.admin.transaction_sweep import OPEN
from kafka_fleet.collect.agent_urls import endpoints, host_in_url
from kafka_fleet.collect.asked_after_brokers import with_late, with_unseen
from kafka_fleet.collect.certificate_rows import certificate_rows
from kafka_fleet.collect.client_metrics import sweep_clients
from kafka_fleet.collect.close_looks.sweep_context import Sweeping
from kafka_fleet.collect.close_looks.sweep_looks import take_looks
from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.hosts import sweep_host
from kafka_fleet.collect.jolokia.client import BrokerSweep, sweep_broker
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.collect.log_marks.sweep_marks import TABLE, MarkSweep, unread_from
from kafka_fleet.collect.metrics.client import sweep_metrics
from kafka_fleet.collect.sweep_result import ClockRanBack, SweepResult
from kafka_fleet.collect.sweep_rows import broker_tables, declaration, sweep_row
from kafka_fleet.config.credentials import Credentials, CredentialsError, Resolver, http_credentials, kafka_settings
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.store.raw.landing import Landing, sweeps_around
from kafka_fleet.store.raw.latest_sweep import Overlapped, advance_latest, latest

Listed: TypeAlias = "dict[str, list[dict[str, Any]]]"  # brokers and topics, as Metadata has them

PARALLEL = 16
CLUSTER_S = 240.0  # brokers and hosts that answer never and are many must not hold the sweep until the next is due
NAMED_S = 2.0  # of a sweep, that brokers wait until the sweep's own connections to Kafka have said who they are
NO_AGENT = ("unreachable", "timeout", "dns", "forbidden")
NO_ENDPOINT = {
    "jolokia": "no Jolokia endpoint is declared for it",
    "metrics": "no metrics endpoint is declared for it",
    None: "neither a Jolokia agent nor a metrics endpoint is declared for the cluster",
}


def _failed(kind: str, detail: str) -> BrokerSweep:
    return BrokerSweep("failed", kind, detail, None, 0.0, 0, Rows(), [], None)


def _no_endpoint(cluster: Cluster) -> BrokerSweep:
    return _failed("no_endpoint", NO_ENDPOINT[cluster.read_by])


def _sweep_broker(
    cluster: Cluster,
    url: str | None,
    credentials: Credentials,
    limits: Limits,
    end: float,
    ready: Callable[[], object] = lambda: None,
    certificates: Certificates | None = None,
) -> BrokerSweep:
    if url is None:
        return _no_endpoint(cluster)
    within = _within(limits, end)
    if within is None:
        return _failed("timeout", f"not asked: the cluster's other brokers took all of {CLUSTER_S:g} s")
    problem = url_problem(url)  # an advertised host comes from the cluster: it is checked as the fleet file is
    if problem:
        return _failed("forbidden", problem)
    read = sweep_metrics if cluster.read_by == "metrics" else sweep_broker
    return read(url, credentials, within, ready, certificates)


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


def _admin(
    cluster: Cluster,
    resolver: Resolver,
    limits: Limits,
    named: Event,
    listed: Future[Listed],
    certificates: Certificates,
) -> AdminSweep:
    """named: is set once the sweep's connections to all brokers stand, and at the end in any case; so is listed."""
    found = AdminSweep("failed", None, ["every admin table"], None, None, {})
    try:
        settings = kafka_settings(cluster.kafka_connection, resolver)
        certificates.tls = "SSL" in settings.get("security_protocol", "PLAINTEXT")
        servers = list(cluster.bootstrap_servers)
        found = sweep_admin(servers, settings, limits.deadline_s, named.set, listed.set_result, certificates)
    except CredentialsError as error:
        found = found._replace(detail=str(error))
    finally:
        named.set()
        if not listed.done():
            listed.set_result(found.tables)
    return found


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
        credentials = http_credentials(cluster.agents.connection, resolver)
    except CredentialsError as error:
        credentials, fault = Credentials(), _failed("credentials", str(error))
    begun, named = time.monotonic(), Event()
    end = begun + CLUSTER_S

    def ready() -> None:
        named.wait(max(0.0, begun + NAMED_S - time.monotonic()))

    shown = Certificates(), Certificates()  # by Kafka's listeners, by agents
    known = {**cluster.agents.brokers, **cluster.agents.controllers}
    listing: Future[Listed] = Future()
    sweeping = Sweeping(home, cluster, resolver, credentials, limits, started, begun, end)
    with (
        Landing(home, cluster.id, started) as landing,
        ThreadPoolExecutor(1) as aside,
        ThreadPoolExecutor(PARALLEL) as pool,
    ):
        around = pool.submit(sweeps_around, home, cluster.id, started)
        admin_future = pool.submit(_admin, cluster, resolver, limits, named, listing, shown[0])
        early: dict[int, Future[BrokerSweep]] = {}
        if fault is None:
            early = {
                b: pool.submit(_sweep_broker, cluster, url, credentials, limits, end, ready, shown[1])
                for b, url in known.items()
            }
        landing.store({"declarations": [declaration(cluster)]})
        described = listing.result()
        listed = {row["broker"]: row for row in described.get("brokers", [])}
        hosts_of = {b: row["host"] for b, row in listed.items()}
        urls = endpoints(cluster, hosts_of)
        late = {
            b: pool.submit(_sweep_broker, cluster, u, credentials, limits, end, ready, shown[1])
            for b, u in urls.items()
            if b not in early and fault is None
        }
        # behind all brokers: hosts that do not answer take no time of theirs
        hosts = [pool.submit(_sweep_host, b, url, limits, end) for b, url in cluster.node_exporter.items()]
        futures = {**early, **late}
        marks = MarkSweep(cluster, resolver, unread_from(home, cluster), lambda: _within(limits, end), host_in_url)
        pushing = pool.submit(sweep_clients.sweep_clients, cluster, resolver, lambda: _within(limits, end))
        marked = [pool.submit(marks.rows, *one) for one in marks.brokers(hosts_of, with_replicas(described)).items()]
        looking = aside.submit(take_looks, sweeping, futures, urls, described.get("topics", []), around)
        admin = admin_future.result()
        # while brokers answer: the rows of brokers are made of both
        landing.store({name: rows for name, rows in admin.tables.items() if name not in ("brokers", OPEN)})
        controllers = undeclared_controllers(admin.tables, urls) if cluster.agents.url_template else {}
        urls = urls | {b: url for b, url in endpoints(cluster, controllers).items() if b in controllers}
        joined = {
            b: pool.submit(_sweep_broker, cluster, urls[b], credentials, limits, end, ready, shown[1])
            for b in controllers
            if fault is None
        }
        asked = futures | joined
        swept = {b: (_own(b, asked[b].result()) if b in asked else fault or _no_endpoint(cluster)) for b in urls}
        # nobody said that there is an agent: the signature tells of voters that were not read
        swept = {b: one for b, one in swept.items() if b not in joined or one.kind not in NO_AGENT}
        tables = broker_tables(cluster, listed, urls, swept, controllers)
        asked_of = {b: url for b, url in urls.items() if b in swept}
        tables["certificates"] = list(certificate_rows(*shown, listed, list(cluster.bootstrap_servers), asked_of))
        tables["hosts"] = [future.result() for future in hosts]
        tables[TABLE] = [row for future in marked for row in future.result()]
        pushed = pushing.result()
        tables[sweep_clients.TABLE] = list(pushed.rows)
        admin = with_unseen(admin, tables, cluster, resolver, _within(limits, end))
        admin, tables[OPEN] = with_late(admin, tables, cluster, resolver, _within(limits, end))
        looks = looking.result()
        tables |= looks
        ended = datetime.now(UTC)
        tables["sweeps"] = [{**sweep_row(admin, pushed), "ended_at": ended}]
        reads = [admin.outcome, *(one.outcome for one in swept.values()), *(row["outcome"] for row in tables["hosts"])]

        def settle() -> None:
            later = around.result().after
            if later and latest(home, cluster.id) == last:  # nobody stored it while this sweep ran
                raise ClockRanBack(
                    f"{cluster.id}: a sweep of {later} is stored, and the clock says {started:%Y%m%dT%H%M%SZ}: "
                    "it was set back, or was ahead then; nothing is stored before that time"
                )
            if any(outcome != "failed" for outcome in reads):  # what read nothing can be in nobody's way
                advance_latest(home, cluster.id, last, landing.sweep)

        manifest, overtaken = None, None
        try:
            manifest = landing.commit(tables, lambda: around.result().before, settle)
        except Overlapped as error:
            overtaken = str(error)
            landing.discard()
    outcomes = [(b, s.outcome, s.kind, s.detail) for b, s in swept.items()]
    values = sum(s.rows.values for s in swept.values())
    seconds = (ended - started).total_seconds()
    made = tuple((row["broker"], row["outcome"]) for row in looks.get("looks", []) if isinstance(row, dict))
    return SweepResult(cluster.id, manifest, admin, outcomes, values, seconds, overtaken, made, pushed.detail)
