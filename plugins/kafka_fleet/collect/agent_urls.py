"""URLs of what is read in brokers' JVMs: takes a cluster's entry and the advertised hosts, gives a URL per broker."""

from ipaddress import IPv6Address
from urllib.parse import quote

from kafka_fleet.base.addresses import literal_address
from kafka_fleet.config.fleet import Cluster


def host_in_url(host: str) -> str:
    """An advertised host as the host of a URL, and nothing but that: `evil/x?` must not become path and query."""
    return f"[{host}]" if isinstance(literal_address(host), IPv6Address) else quote(host, safe="")


def endpoints(cluster: Cluster, hosts: dict[int, str]) -> dict[int, str | None]:
    """URL per broker id: the declared one, else the template over the advertised host, else None."""
    declared = {**cluster.agents.brokers, **cluster.agents.controllers}
    template = cluster.agents.url_template
    found: dict[int, str | None] = {}
    for broker in sorted({*declared, *hosts}):
        url = declared.get(broker)
        if url is None and template is not None and broker in hosts:
            url = template.replace("{host}", host_in_url(hosts[broker]))
        found[broker] = url
    return found
