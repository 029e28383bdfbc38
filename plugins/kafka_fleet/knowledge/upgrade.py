"""Who upgrades what to which release: takes an advisory or a day's findings, gives a target or a plan in two steps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.exposure import JAVA
from kafka_fleet.knowledge.facts import ClusterFacts
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release
from kafka_fleet.knowledge.targets import affects, candidates, choose, family, opened, possible
from kafka_fleet.knowledge.upgrade_steps import FOUR, client_floor, steps

Step = dict[str, Any]


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
) -> Target:
    """The target of one finding. `current`: release texts of the fleet that carries the fault, from the lowest counted.

    None with a sentence for unknown builds, where nothing is affected, and where no published release cures it.
    """
    if advisory.affected is None or family(advisory) == "none":
        return Target(None, "No release decides this; follow the workaround.")
    if not current:
        return Target(None, "No release was read, so none can be compared.")
    releases = [comparable_release(text) for text in current]
    known = [release for release in releases if release is not None]
    if len(known) < len(releases):
        odd = next(text for text, release in zip(current, releases, strict=True) if release is None)
        return Target(None, f"{odd} is an unknown build; ask its vendor." if odd else "A release was not read.")
    if not any(affects(advisory, release) for release in known):
        return Target(None, "The release in use does not have it.")
    release, clean = choose([advisory], known, family(advisory), advisories, facts)
    if release is None:
        return Target(None, "No published release has the fix.")
    if not clean:
        return Target(None, f"Every release with the fix, {release} and later, opens something at least as bad.")
    return Target(
        str(release), f"{release} is the smallest release with the fix that opens nothing as bad of its kind."
    )


def _why(target: Release, closed: Iterable[Advisory], clean: bool, new: Sequence[Advisory]) -> str:
    text = f"{target} is the smallest release that closes {', '.join(_ids(closed))}"
    text += " and opens nothing as bad of its kind" if clean else " but what it opens is as bad"
    return f"{text}; new with it: {', '.join(_ids(new))}." if new else f"{text}."


def _ids(advisories: Iterable[Advisory]) -> list[str]:
    return [a.id for a in sorted(advisories, key=lambda a: (a.rank, a.id))]


def _java(facts: ClusterFacts) -> list[Release]:
    texts = {c.version for c in facts.clients or () if c.software == JAVA and c.connections > 0}
    return sorted(release for text in texts if (release := comparable_release(text)) is not None)


@dataclass(frozen=True)
class _Scene:
    """The findings as advisories: what the cluster has, and the releases that its brokers run."""

    facts: ClusterFacts
    advisories: Mapping[str, Advisory]
    confirmed: tuple[Advisory, ...]
    present: tuple[Advisory, ...]
    current: tuple[Release, ...]

    def server_step(self, target: Release, why: str, must: Sequence[Advisory]) -> Step:
        low = min(self.current)
        closed = [a for a in self.present if "server" in a.families and self._cures(a, target)]
        only_controllers = bool(must) and all("broker" not in a.components for a in must)
        return {
            "component": "controller" if only_controllers else "broker",
            "release": str(target),
            "closes": _ids(closed),
            "leaves": _ids(a for a in self.present if a not in closed),
            "opens": _ids(opened(low, target, "server", self.advisories, self.facts)),
            "steps": steps(low, target, self.facts),
            "client_floor": client_floor(target),
            "why": why,
        }

    def _cures(self, advisory: Advisory, target: Release) -> bool:
        return any(affects(advisory, r) for r in self.current) and not affects(advisory, target)

    def client_step(self) -> Step | None:
        must = [a for a in self.confirmed if family(a) == "client" and a.affected is not None]
        current = [release for release in _java(self.facts) if any(affects(a, release) for a in must)]
        if not must or not current:
            return None
        release, clean = choose(must, current, "client", self.advisories, self.facts)
        if release is None:
            return None
        new = opened(min(current), release, "client", self.advisories, self.facts)
        ids = _ids(must)
        tail = [] if release < FOUR else ["See that every broker runs 2.1 or later before a client goes to 4.x."]
        return {
            "component": must[0].upgrade_component,
            "release": str(release),
            "closes": ids,
            "leaves": _ids(a for a in self.present if a not in must),
            "opens": _ids(new),
            "steps": [
                *tail,
                f"Raise the Java library of the {must[0].upgrade_component} fleet to {release} for {', '.join(ids)}.",
            ],
            "client_floor": None,
            "why": _why(release, must, clean, new),
        }


def _now(scene: _Scene) -> Step | None:
    must = [a for a in scene.confirmed if family(a) == "server" and any(affects(a, r) for r in scene.current)]
    curable = [a for a in must if any(not affects(a, r) for r in candidates(scene.current, "server"))]
    client = scene.client_step()
    if not curable:
        return client
    target, clean = choose(curable, scene.current, "server", scene.advisories, scene.facts)
    if target is None:
        return client
    new = opened(min(scene.current), target, "server", scene.advisories, scene.facts)
    step = scene.server_step(target, _why(target, curable, clean, new), curable)
    if client is not None:  # one step, two fleets: the brokers' release leads, the clients' is a sentence of its own
        step["steps"] += client["steps"]
        step["closes"] += client["closes"]
        step["leaves"] = [key for key in step["leaves"] if key not in client["closes"]]
        step["opens"] += [key for key in client["opens"] if key not in step["opens"]]
    return step


def _burden(scene: _Scene, target: Release) -> tuple[int, ...]:
    """What a release would leave: confirmed faults, then security by severity, then new faults of high severity."""
    confirmed = sum(family(a) == "server" and affects(a, target) for a in scene.confirmed)
    here = [
        a
        for a in scene.advisories.values()
        if family(a) == "server" and affects(a, target) and possible(a, scene.facts, min(scene.current), target)
    ]
    security = [sum(a.security and a.rank == rank for a in here) for rank in range(5)]
    new = sum(
        not a.security and a.rank <= 1
        for a in opened(min(scene.current), target, "server", scene.advisories, scene.facts)
    )
    return (confirmed, *security, new)


def _next(scene: _Scene, now: Step | None) -> Step | None:
    low = min(scene.current)
    supported = [r for r in candidates(scene.current, "server") if catalogue().supported(r)]
    if not supported:
        return None
    target = min(supported, key=lambda release: (_burden(scene, release), release))
    stays = catalogue().supported(low) and _burden(scene, low) <= _burden(scene, target)
    if (
        stays
        or target == low
        or (now is not None and now["component"] in ("broker", "controller") and now["release"] == str(target))
    ):
        return None
    left = [a for a in scene.advisories.values() if a.security and family(a) == "server" and affects(a, target)]
    left = [a for a in left if possible(a, scene.facts, min(scene.current), target)]
    tail = f"leaves {', '.join(_ids(left))} open" if left else "closes every security advisory known for brokers"
    return scene.server_step(
        target,
        f"{target} is the smallest supported release that {tail}."
        if not left
        else f"{target} is the supported release that leaves least: it {tail}.",
        [],
    )


def plan(
    facts: ClusterFacts, findings: Sequence[Mapping[str, Any]], advisories: Mapping[str, Advisory]
) -> dict[str, Any]:
    """`{"now": step|None, "next": step|None, "note": sentence|None}` from the day's findings of one cluster.

    findings: mappings with `advisory` (id or None) and `verdict`. Both steps count from what runs today, so either can
    be taken alone. `note` says why there is no plan, or what it rests on. Plain JSON-able data, same for equal input.
    """
    verdicts = {f["advisory"]: f["verdict"] for f in findings if f["advisory"] in advisories}
    texts = [(str(b), b.release) for b in facts.brokers]
    odd = sorted({text for _, text in texts if text is not None and comparable_release(text) is None})
    unread = [name for name, text in texts if text is None]
    known = [release for _, text in texts if (release := comparable_release(text)) is not None]
    if odd:
        return {
            "now": None,
            "next": None,
            "note": f"{', '.join(odd)} is an unknown build: its vendor names the upgrade.",
        }
    if not known:
        return {"now": None, "next": None, "note": "No broker release was read, so no upgrade can be planned."}
    scene = _Scene(
        facts,
        advisories,
        tuple(advisories[key] for key in sorted(verdicts) if verdicts[key] == "confirmed"),
        tuple(advisories[key] for key in sorted(verdicts) if verdicts[key] in ("confirmed", "exposed")),
        tuple(sorted(set(known))),
    )
    now = _now(scene)
    note = f"The release of {', '.join(unread)} was not read; the plan rests on the others." if unread else None
    return {"now": now, "next": _next(scene, now), "note": note}
