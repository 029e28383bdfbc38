"""Storms of connections: after a restart, after leaders moved, by a deployment, and by clients that fail to log in."""

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.connections import connect
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Clients, Event, Spec

STORM = 2  # the broker that is stormed
SWEEP = 10  # the sweep that sees it


def _base(seed: int) -> Spec:
    spec = uneventful(seed, ("2.4.1", "2.8.2", "3.1.2", "3.4.1"), brokers=3)
    spec.clients, spec.backlog, spec.return_s = [Clients("apache-kafka-java", "2.8.2", 10)], 50, 0.0
    return spec


def _restart(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Clients of a broker, twice its backlog, come back at once after a restart; the kernel counts overflows."""
    spec = _base(seed)
    spec.host_metrics = True
    spec.clients[0].connections = 2 * spec.backlog
    back = spec.at(SWEEP) - DAY - 20.0
    spec.events += [
        (back - 60.0, events.restart(STORM, 60.0 - 8.0, startup_s=8.0)),
        (back + 1, lambda model: _overflow(model, STORM, 2 * round(k * thresholds["min_overflows"] / 2))),
    ]
    return spec


def _overflow(model: Model, broker: int, overflows: int) -> None:
    """The kernel counts half of them as overflows and half as SYN cookies."""
    for name in ("listen_overflows", "syncookies_sent"):
        model.brokers[broker].host[name] += overflows // 2


def _crowd(count: int, overflows: int, broker: int) -> Event:
    """New connections that stay, and what the kernel counts of those that found no place."""

    def happens(model: Model) -> None:
        model.spec.clients.append(Clients("apache-kafka-java", "2.8.2", 0))
        connect(model, model.brokers[broker], "PLAINTEXT", "apache-kafka-java", "2.8.2", count)
        _overflow(model, broker, overflows)

    return happens


def _leader_move(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A third of the leaders move to a broker and twice its backlog of clients follows; the kernel counts overflows."""
    spec = _base(seed)
    spec.host_metrics = True

    def move(model: Model) -> None:
        for log in model.logs.values():
            if STORM in log.isr and log.leader == log.replicas[0]:
                events.move_leader(model, log, STORM)

    at = spec.at(SWEEP) - DAY - 300.0
    overflows = 2 * round(k * thresholds["min_overflows"] / 2)
    spec.events += [(at, move), (at + 1, _crowd(2 * spec.backlog, overflows, STORM))]
    return spec


def _deploy(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A fleet of clients starts at once, twice the backlog; the kernel counts overflows."""
    spec = _base(seed)
    spec.host_metrics = True
    overflows = 2 * round(k * thresholds["min_overflows"] / 2)
    spec.events.append((spec.at(SWEEP) - DAY - 300.0, _crowd(2 * spec.backlog, overflows, STORM)))
    return spec


def _auth_failures(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Clients with a wrong password fail so many authentications within one interval."""
    spec = _base(seed)
    many = round(k * thresholds["min_failed"])
    spec.events.append((spec.at(SWEEP) - DAY - 600.0, harm.auth_failures(STORM, many, 300.0)))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    kernel = "overflows and SYN cookies of the interval = k x min_overflows, twice the backlog connects"
    return [
        Fault("reconnect_storm", "restart", kernel, _restart),
        Fault("reconnect_storm", "leader_move", kernel, _leader_move),
        Fault("reconnect_storm", "deploy", kernel, _deploy),
        Fault(
            "reconnect_storm", "auth_failures", "failed authentications of an interval = k x min_failed", _auth_failures
        ),
    ]
