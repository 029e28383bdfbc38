"""Who upgrades what to which release: takes an advisory or a day's findings, gives a target or a plan in two steps."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.facts import ClusterFacts
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release
from kafka_fleet.knowledge.vendors import lines_with, vendor_build
from kafka_fleet.upgrade.context import UpgradeContext, ids, java_releases
from kafka_fleet.upgrade.old_protocol import old_protocol
from kafka_fleet.upgrade.plan_types import Judged, Plan, Step
from kafka_fleet.upgrade.steps import BRIDGE, client_floor, client_steps, steps
from kafka_fleet.upgrade.targets import affects_release, candidates, choose_release, family


@dataclass(frozen=True)
class Target:
    """A release to go to, or None and why there is none."""

    release: str | None
    why: str


def upgrade_to(
    advisory: Advisory,
    current: Sequence[str | None],
    advisories: Mapping[str, Advisory],
    facts: ClusterFacts | None = None,
    fleet: str | None = None,
    on: dt.date | None = None,
) -> Target:
    """The target of one finding. `current`: release texts of the fleet that carries the fault, from the lowest counted.

    fleet: `server` or `client` where the advisory touches both. on: the day whose published releases count. None with a
    sentence for unknown builds, where nothing is affected, and where no published release fixes it.
    """
    side = fleet or family(advisory)
    if advisory.affected is None or side not in advisory.families:
        return Target(None, "No release decides this; follow the workaround.")
    if not current:
        return Target(None, "No release was read, so none can be compared.")
    releases = [comparable_release(text) for text in current]
    known = [release for release in releases if release is not None]
    if len(known) < len(releases):
        odd = next(text for text, release in zip(current, releases, strict=True) if release is None)
        return Target(
            None, _of_vendor(odd, [advisory], side, advisories, facts, on) if odd else "A release was not read."
        )
    if not any(affects_release(advisory, release) for release in known):
        return Target(None, "The release in use does not have it.")
    release, clean = choose_release([advisory], known, side, advisories, facts, on)
    if release is None or not clean:
        return Target(None, no_target([advisory], known, side, on))
    return Target(str(release), f"{release} {_serves(release, on)} with the fix that opens nothing as bad of its kind.")


def _serves(release: Release, on: dt.date | None) -> str:
    """What kind of a target it is, the first half of a sentence."""
    if catalogue().supported(release, on):
        return "is the newest patch of the smallest supported line"
    if release.line == BRIDGE:
        return "is the newest patch of the line that leads to 4.x, the smallest"
    return "is of a line without support; it is the newest patch of the smallest line"


def no_target(must: Sequence[Advisory], current: Sequence[Release], fleet: str, on: dt.date | None) -> str:
    """Why no release is named, one sentence."""
    fixed = [r for r in candidates(current, fleet, on) if not any(affects_release(a, r) for a in must)]
    if not fixed:
        return "No published release has the fix."
    return (
        "No published release is good: every one with the fix opens something at least as bad, or a security hole that "
        "the release in use has closed."
    )


def _of_vendor(
    text: str,
    must: Sequence[Advisory],
    fleet: str,
    advisories: Mapping[str, Advisory],
    facts: ClusterFacts | None,
    on: dt.date | None,
) -> str:
    """What can be said of the upgrade of a build that is not Apache's."""
    build = vendor_build(text)
    if build is None:
        return f"{text} is an unknown build; ask its vendor."
    target = choose_release(must, [build.base or build.rest[0]], fleet, advisories, facts, on)[0] if must else None
    start = f"{text} is {build.vendor}, {build.floor}; {build.vendor} names the upgrade"
    if target is None:
        return f"{start}."
    own = lines_with(build.vendor, target)
    named = f", and {own} is its first line built on Apache {target.line_text} or later" if own else ""
    return f"{start}; of Apache's releases, {target} closes {', '.join(ids(must))}{named}."


def _step(scene: UpgradeContext, target: Release, why: str, must: Sequence[Advisory]) -> Step:
    if scene.fleet == "server":
        only_controllers = bool(must) and all("broker" not in a.components for a in must)
        component = "controller" if only_controllers else "broker"
        done, floor = steps(scene.low, target, scene.facts, scene.on), client_floor(target)
    else:
        component = must[0].upgrade_component if must else "client"
        closes = ids(must) or scene.outcome(target)["closes"]
        done, floor = client_steps(component, target, closes, scene.facts), None
    return {
        "component": component,
        "release": str(target),
        **scene.outcome(target),
        "steps": done,
        "client_floor": floor,
        "why": why,
    }


def _now(scene: UpgradeContext) -> Step | None:
    """The smallest release that fixes everything confirmed that any release fixes."""
    must = scene.must()
    target, clean = scene.choose(must) if must else (None, False)
    if target is None:
        return None
    text = f"{target} {_serves(target, scene.on)} that closes {', '.join(ids(must))}"
    text += " and opens nothing as bad of its kind" if clean else " but what it opens is as bad"
    new = ids(scene.opens(target))
    return _step(scene, target, f"{text}; new with it: {', '.join(new)}." if new else f"{text}.", must)


def _next(scene: UpgradeContext, now: Step | None) -> Step | None:
    """The supported harmless release that leaves least, None where the fleet is there or the first step leads."""
    known = catalogue()
    newest = [r for r in scene.candidates() if r == known.latest_patch(r.line, scene.on)]
    supported = [r for r in newest if known.supported(r, scene.on) and scene.harmless(r)]
    if not supported:
        return None
    target = min(supported, key=lambda release: (scene.burden(release), release))
    stays = known.supported(scene.low, scene.on) and scene.burden(scene.low) <= scene.burden(target)
    if stays or target == scene.low or (now is not None and now["release"] == str(target)):
        return None
    left = [a for a in scene.here(target) if a.security]
    who = "brokers" if scene.fleet == "server" else "clients"
    why = (
        f"{target} is the supported release that leaves least: it leaves {', '.join(ids(left))} open."
        if left
        else f"{target} is the smallest supported release that closes every security advisory known for {who}."
    )
    return _step(scene, target, why, [])


def _with_clients(step: Step, client: Step) -> Step:
    """One step, two fleets: the brokers' release leads, the clients' is a sentence of its own."""
    closes = [*step["closes"], *(key for key in client["closes"] if key not in step["closes"])]
    return {
        **step,
        "closes": closes,
        "leaves": [key for key in step["leaves"] if key not in closes],
        "opens": [*step["opens"], *(key for key in client["opens"] if key not in step["opens"])],
        "steps": [*step["steps"], *client["steps"]],
    }


def _clients(
    make: Callable[[str, tuple[Release, ...]], UpgradeContext], facts: ClusterFacts
) -> tuple[Step | None, Step | None, UpgradeContext | None]:
    """The clients' first and next step. The first counts only the fleets that carry what is confirmed."""
    java = java_releases(facts)
    if not java:
        return None, None, None
    everyone = make("client", java)
    hit = tuple(r for r in java if any(affects_release(a, r) for a in everyone.must()))
    now = _now(make("client", hit)) if hit else None
    after = _next(everyone, now) if any(everyone.cures(a, everyone.candidates()[-1]) for a in _own(everyone)) else None
    return now, after, everyone


def _own(scene: UpgradeContext) -> list[Advisory]:
    return [a for a in scene.present if scene.candidates() and family(a) == scene.fleet]


def plan(
    facts: ClusterFacts,
    findings: Sequence[Judged],
    advisories: Mapping[str, Advisory],
    on: dt.date | None = None,
) -> Plan:
    """The plan of one cluster from the findings of one day (default: the day of the release table).

    `{"now": step|None, "next": step|None, "clients": step|None, "candidates": {"server": [row], "client": [row]},
    "note": sentence|None}`. now, next: for brokers, counted from what runs today, so either can be taken alone; client
    fleets that carry what is confirmed are part of now. clients: the supported client library. candidates: per release
    what it closes, leaves and opens. Plain JSON data.
    """
    verdicts = {f.advisory: f.verdict for f in findings if f.advisory is not None and f.advisory in advisories}
    confirmed = tuple(advisories[key] for key in sorted(verdicts) if verdicts[key] == "confirmed")
    present = tuple(advisories[key] for key in sorted(verdicts) if verdicts[key] in ("confirmed", "exposed"))

    def make(fleet: str, current: tuple[Release, ...]) -> UpgradeContext:
        return UpgradeContext(fleet, facts, advisories, confirmed, present, current, on)

    client, later, clients = _clients(make, facts)
    texts = [(str(b), b.release) for b in facts.brokers]
    odd = sorted({text for _, text in texts if text is not None and comparable_release(text) is None})
    unread = [name for name, text in texts if text is None]
    known = {release for _, text in texts if (release := comparable_release(text)) is not None}
    now, after, note, servers = client, None, None, None
    if odd:
        must = [a for a in confirmed if "server" in a.families]
        note = " ".join(_of_vendor(text, must, "server", advisories, facts, on) for text in odd)
    elif not known:
        note = "No broker release was read, so no upgrade can be planned."
    else:
        note = f"The release of {', '.join(unread)} was not read; the plan rests on the others." if unread else None
        servers = make("server", tuple(sorted(known)))
        own = _now(servers)
        after = _next(servers, own)
        if servers.must() and own is None:
            said = f"{', '.join(ids(servers.must()))}: {no_target(servers.must(), servers.current, 'server', on)}"
            note = f"{note} {said}" if note else said
        now = _with_clients(own, client) if own is not None and client is not None else own or client
    named = [step["release"] for step in (now, after, client, later) if step is not None]
    return {
        "now": now,
        "next": after,
        "clients": later,
        "candidates": {
            "server": servers.table(named) if servers else [],
            "client": clients.table(named) if clients else [],
        },
        "note": note,
        "old_protocol": old_protocol(facts) if servers is not None and servers.low < FOUR else None,
    }
