"""A source beside the fleet file: takes its clusters and the file, gives what is new, what differs and what is gone."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kafka_fleet.base.text import one_line
from kafka_fleet.discover.block_lines import Defaults, scalar
from kafka_fleet.discover.blocks import Block, block, marker
from kafka_fleet.discover.fleet_text import FleetText, Listed
from kafka_fleet.discover.found import Agents, Found, Listener, Wanted, chosen, environment_of, owners_of
from kafka_fleet.discover.ids import new_ids


class Difference(NamedTuple):
    """A key of which file and source say something else; a text is empty where it is not there."""

    key: str
    file: str
    source: str


class Comparison(NamedTuple):
    """What a source knows beside a fleet file. gone: entries of this source that it no longer has.

    others: entries that are not of this source; left: lines of `discover` above comments, whose clusters are gone.
    """

    new: list[Block]
    waiting: list[Block]
    differing: list[tuple[Listed, Found, list[Difference]]]
    same: list[Listed]
    gone: list[Listed]
    others: list[Listed]
    left: list[str]


def _servers(entry: dict[str, Any]) -> set[str]:
    found = entry.get("bootstrap_servers")
    return {one for one in found if isinstance(one, str)} if isinstance(found, list) else set()


def _matched(found: Found, own: str, name: str, fleet: FleetText) -> Listed | None:
    """The file's entry of a cluster: the one made of it, else one without origin that has its id or an address."""
    if (made := next((one for one in fleet.listed if one.origin == own), None)) is not None:
        return made
    addresses = {server for listener in found.listeners for server in listener.servers}
    free = [one for one in fleet.listed if one.origin is None]
    by_id = next((one for one in free if one.id == name), None)
    return by_id or next((one for one in free if _servers(one.raw) & addresses), None)


def _nearest(listeners: Sequence[Listener], there: set[str], wanted: Wanted) -> Listener | None:
    """The listener whose addresses the file has; where it has none of them, the one that would be proposed."""
    shared = [one for one in listeners if there & set(one.servers)]
    return max(shared, key=lambda one: len(there & set(one.servers)), default=chosen(listeners, wanted))


def _agents(entry: dict[str, Any], agents: Agents) -> Iterable[Difference]:
    if any(isinstance(entry.get(kind), dict) for kind in ("jolokia", "metrics") if kind != agents.kind):
        return
    there = entry.get(agents.kind)
    there = there if isinstance(there, dict) else {}
    for key in ("url_template", "brokers", "controllers"):
        said = getattr(agents, key)
        if said and there.get(key) != said:
            now = there.get(key)
            yield Difference(f"{agents.kind}.{key}", _plain(now), _plain(dict(said) if key != "url_template" else said))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{one_line(str(key), 20)}: {scalar(str(url))}" for key, url in value.items())
    return "" if value is None else scalar(str(value))


def differences(found: Found, entry: dict[str, Any], wanted: Wanted) -> list[Difference]:
    """What the source knows and the file says otherwise."""
    told = []
    environment, mails = environment_of(found.labels)[0], owners_of(found.labels)[0]
    if environment and entry.get("environment") != environment:
        told.append(Difference("environment", one_line(str(entry.get("environment", "")), 60), environment))
    owners = [str(one) for one in entry["owners"]] if isinstance(entry.get("owners"), list) else []
    if mails and set(owners) != set(mails):
        told.append(Difference("owners", scalar(owners) if owners else "", scalar(mails)))
    there = _servers(entry)
    listener = _nearest(found.listeners, there, wanted)
    if listener is not None and listener.servers and set(listener.servers) != there:
        told.append(Difference("bootstrap_servers", scalar(sorted(there)), scalar(sorted(listener.servers))))
    secured = listener is not None and listener.security not in (None, "PLAINTEXT")
    if listener is not None and secured and not entry.get("kafka_connection"):
        told.append(Difference("kafka_connection", "", f"a connection: listener {listener.words()} asks for it"))
    return [*told, *(_agents(entry, found.agents) if found.agents else ())]


def has_no_address_of(entry: dict[str, Any], found: Found) -> bool:
    """Whether file and source name no address in common: they may be two clusters of one name."""
    known = {server for listener in found.listeners for server in listener.servers}
    return bool(known) and not known & _servers(entry)


def compare(
    clusters: Sequence[Found], fleet: FleetText, label: str, prefix: str, wanted: Wanted, defaults: Defaults
) -> Comparison:
    """Each cluster of the source beside the file. label: the source, with its prefix."""
    result = Comparison([], [], [], [], [], [], [])
    matched: dict[str, Found] = {}
    new: list[Found] = []
    for one, name in zip(clusters, new_ids(clusters, prefix, ()), strict=True):
        entry = _matched(one, marker(label, one.origin), name, fleet)
        if entry is None or entry.id in matched:
            new.append(one)
            continue
        matched[entry.id] = one
        if told := differences(one, entry.raw, wanted):
            result.differing.append((entry, one, told))
        else:
            result.same.append(entry)
    waiting = [one for one in new if marker(label, one.origin) in fleet.markers]
    new = [one for one in new if one not in waiting]
    taken = {one.id for one in fleet.listed}
    for one in waiting:
        result.waiting.append(block(one, new_ids([one], prefix, ())[0], label, wanted, defaults))
    for one, name in zip(new, new_ids(new, prefix, taken | fleet.waiting), strict=True):
        result.new.append(block(one, name, label, wanted, defaults))
    scopes = tuple(f"# discover {label}: {one.scope}" for one in clusters)
    known = {marker(label, one.origin) for one in clusters} | {entry.origin for entry in fleet.listed}
    result.left.extend(sorted(one for one in fleet.markers if one.startswith(scopes) and one not in known))
    for entry in fleet.listed:
        if entry.id not in matched:
            of_this = entry.origin is not None and entry.origin.startswith(scopes)
            (result.gone if of_this else result.others).append(entry)
    return result
