"""What an exposure is: state, reasons, and who has it; takes several of one advisory, gives the one that counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from kafka_fleet.domain import ExposureState
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.facts import ClientSoftware
from kafka_fleet.knowledge.releases import comparable_release, parse_release
from kafka_fleet.knowledge.vendors import Build, vendor_build


@dataclass(frozen=True)
class Exposure:
    """State, one sentence per reason, ids and releases of affected brokers, fleets and releases of affected clients.

    fleets: client libraries in range; where the state is unknown, those that may have it; of a declaration, always its
    own.
    """

    state: ExposureState
    reasons: tuple[str, ...]
    brokers: tuple[int, ...] = ()
    releases: tuple[str, ...] = ()
    fleets: tuple[ClientSoftware, ...] = ()
    client_releases: tuple[str, ...] = ()

    @property
    def listeners(self) -> tuple[str, ...]:
        """Where the fleets are; "" is every listener."""
        return tuple(dict.fromkeys(fleet.listener for fleet in self.fleets))


def _worst_first(fleet: ClientSoftware) -> tuple[float, float, str, str]:
    return -(fleet.share or 0.0), -fleet.connections, fleet.version, fleet.listener


def _sorted(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts), key=lambda text: (parse_release(text), text)))


def join_exposures(parts: Iterable[Exposure]) -> Exposure:
    """Any exposed wins and keeps its own reasons; then unknown; then not_exposed."""
    found = list(parts)
    for state in ("exposed", "unknown", "not_exposed"):
        same = [part for part in found if part.state == state]
        if same:
            reasons = tuple(dict.fromkeys(reason for part in same for reason in part.reasons))
            brokers = sorted({broker for part in same for broker in part.brokers})
            fleets = sorted({fleet for part in same for fleet in part.fleets}, key=_worst_first)
            releases = _sorted(r for part in same for r in part.releases)
            clients = _sorted(r for part in same for r in part.client_releases)
            return Exposure(state, reasons, tuple(brokers), releases, tuple(fleets), clients)
    return Exposure("unknown", ("no broker was read",))


def in_range(advisory: Advisory, text: str | None, who: str) -> tuple[bool | None, str]:
    """Whether a release text is affected (None: not read, or an unknown build), and the sentence."""
    if advisory.affected is None:
        return True, f"{who} has it in any release"
    if text is None:
        return None, f"the release of {who} was not read"
    release = comparable_release(text)
    if release is None and (build := vendor_build(text)) is not None:
        return _in_build(advisory, build, who)
    if release is None:
        return None, f"{who} runs {text}, an unknown build that cannot be compared"
    inside = release in advisory.affected.releases
    return inside, f"{who} runs {text}, {'an affected' if inside else 'a'} release{'' if inside else ' without it'}"


def _in_build(advisory: Advisory, build: Build, who: str) -> tuple[bool | None, str]:
    """The same for a vendor's build, which has at least what its Apache release has.

    No release of its line from there on affected: not affected. All of them: affected like these where the vendor's
    own fixes were compared, unless one of them fixes it or it is a security matter, which no commit names.
    """
    start, affected = f"{who} runs {build.text}, {build.floor}", advisory.affected
    hit = [release in affected.releases for release in build.rest] if affected else []
    if not any(hit):
        return False, f"{start}, without it"
    if advisory.id in build.carries:
        return None, f"{start}; some builds of its line mend it, and {build.vendor} says which"
    if not all(hit):
        return None, f"{start}; a later release of that line mends it, and whether this build does is not known"
    if advisory.security or not build.compared:
        return None, f"{start}, which has it; {build.vendor} says whether this build mends it"
    return True, f"{start}, an affected release; no release of that line mends it"
