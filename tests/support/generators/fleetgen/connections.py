"""Connections of clients and brokers: takes a model and a broker, changes what its processors hold and count."""

from typing import TYPE_CHECKING

from support.generators.fleetgen import noise
from support.generators.fleetgen.draws import poisson, split
from support.generators.fleetgen.shape import Clients
from support.generators.fleetgen.state import PROCESSORS, Broker

if TYPE_CHECKING:
    from support.generators.fleetgen.model import Model


def inter_broker(model: "Model") -> str:
    """Listener between brokers."""
    return "INTERNAL" if model.spec.own_listener else "PLAINTEXT"


def connect(model: "Model", broker: Broker, listener: str, software: str, version: str, count: int) -> None:
    """New connections, spread over the network processors."""
    for processor, many in enumerate(split(model.rng, count, [1.0] * PROCESSORS)):
        broker.sockets[listener, processor, software, version] += many
        broker.sockets_made[listener, processor] += many


def disconnect(broker: Broker, listener: str, software: str, version: str, count: int) -> int:
    """Close so many of a client's connections, or all there are. Gives how many were closed."""
    closed = 0
    for processor in range(PROCESSORS):
        key = listener, processor, software, version
        many = min(broker.sockets[key], count - closed)
        broker.sockets[key] -= many
        broker.sockets_closed[listener, processor] += many
        closed += many
    return closed


def join(model: "Model", broker: Broker, clients: bool = True) -> None:
    """A process that has come up: the other brokers, the controller's peers and, if asked, clients connect."""
    others = [b for b in model.brokers.values() if b.up and b.id != broker.id]
    connect(model, broker, inter_broker(model), "unknown", "unknown", len(others))
    connect(model, broker, inter_broker(model), "apache-kafka-java", model.spec.release, 1)
    if model.spec.kraft and broker.id in model.spec.brokers[:3]:
        connect(model, broker, "CONTROLLER", "apache-kafka-java", model.spec.release, len(others))
    for one in model.spec.clients if clients else ():
        connect(model, broker, "PLAINTEXT", one.software, one.version, one.connections)


def reconnect(model: "Model", clients: Clients, times: int = 1) -> None:
    """Every connection of a client library is closed and made anew at every broker."""
    for broker in (b for b in model.brokers.values() if b.up):
        for _ in range(times):
            gone = disconnect(broker, "PLAINTEXT", clients.software, clients.version, clients.connections)
            connect(model, broker, "PLAINTEXT", clients.software, clients.version, gone)


def churn(model: "Model", broker: Broker, seconds: float) -> None:
    """Idle connections end after ten minutes and come back when needed; each sweep's admin client comes and goes."""
    for one in model.spec.clients:
        many = poisson(model.rng, one.connections * 0.02 * seconds / 600)
        gone = disconnect(broker, "PLAINTEXT", one.software, one.version, many)
        connect(model, broker, "PLAINTEXT", one.software, one.version, gone)
    many = poisson(model.rng, noise.sweep_connections() * seconds / model.spec.every_s)
    connect(model, broker, "PLAINTEXT", "kafka-python", "3.0.12", many)
    disconnect(broker, "PLAINTEXT", "kafka-python", "3.0.12", many)
