"""Agents of Kafka nodes in Compose: takes the nodes and the listener that is used, gives how a sweep reads them."""

from kafka_fleet.discover.compose_services import Node
from kafka_fleet.discover.found import Agents, Listener
from kafka_fleet.discover.java_agents import java_agents


def agents_of(nodes: list[Node], best: Listener, notes: list[str]) -> Agents | None:
    """By published port where clients outside are meant, else by the brokers' names and one port for all."""
    found = {node.service: java_agents(node.jvm) for node in nodes}
    kinds = [agents[0].kind for node in nodes if "broker" in node.roles and (agents := found[node.service])]
    if not kinds:
        if any("JMX_PORT" in node.settings for node in nodes):
            notes.append("JMX_PORT is RMI, which is not read: attach Jolokia (docs/agent.md) or the JMX exporter")
        return None
    outside = best.brokers
    host = best.servers[0].rpartition(":")[0] if best.servers else "localhost"
    urls: dict[bool, dict[int, str]] = {True: {}, False: {}}
    templates, login = dict[str, None](), False
    for node in nodes:
        agent = next((one for one in found[node.service] if one.kind == kinds[0]), None)
        if agent is None:
            notes.append(f"service {node.service} has no {kinds[0]} agent")
            continue
        login = login or agent.login
        broker = "broker" in node.roles
        port = node.published.get(agent.port) if outside else agent.port
        if port is None or node.number is None:
            notes.append(
                f"service {node.service}: port {agent.port} of its agent is not published, or it has no node id"
            )
            continue
        urls[broker][node.number] = f"{agent.scheme}://{host if outside else node.service}:{port}{agent.path}"
        if broker and not outside:
            templates[f"{agent.scheme}://{{host}}:{port}{agent.path}"] = None
    if len(templates) == 1:
        return Agents(kinds[0], next(iter(templates)), {}, urls[False], login)
    return Agents(kinds[0], None, urls[True], urls[False], login) if urls[True] else None
