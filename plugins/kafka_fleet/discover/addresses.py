"""Addresses of a source: takes a cluster, gives it without those that a fleet file would refuse, and says how many.

What is refused is not shown: text before an @ may be a password.
"""

from collections.abc import Mapping, Sequence

from kafka_fleet.base.addresses import server_problem, url_problem
from kafka_fleet.discover.found import Agents, Found


def _usable(servers: Sequence[str], said: list[str]) -> list[str]:
    kept = [one for one in dict.fromkeys(servers) if server_problem(one) is None]
    refused = {problem for one in servers if (problem := server_problem(one)) is not None}
    said += [f"an address is left out: it {problem}" for problem in sorted(refused)]
    return kept


def _urls(urls: Mapping[int, str], said: list[str]) -> dict[int, str]:
    refused = {number: problem for number, url in urls.items() if (problem := url_problem(url)) is not None}
    said += [f"the URL of node {number} is left out: it {problem}" for number, problem in refused.items()]
    return {number: url for number, url in urls.items() if number not in refused}


def with_usable_addresses(found: Found) -> Found:
    """The cluster with addresses and URLs that pass the checks of the fleet file."""
    said: list[str] = []
    listeners = [one._replace(servers=_usable(one.servers, said)) for one in found.listeners]
    agents = found.agents
    if agents is not None:
        brokers, controllers = _urls(agents.brokers, said), _urls(agents.controllers, said)
        agents = Agents(agents.kind, agents.url_template, brokers, controllers, agents.login)
        if not brokers and agents.url_template is None:
            agents = None
    return found._replace(listeners=listeners, agents=agents, notes=[*found.notes, *dict.fromkeys(said)])
