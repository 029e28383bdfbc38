"""How to silence a finding: takes an issue or a symptom, gives the entry, the command and the settings with its own id.

An acknowledgement hides nothing: the finding stays on the page and says until when it is accepted. A threshold changes
what is detected. An environment changes what it weighs.
"""

from dataclasses import dataclass

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.knowledge.thresholds import Threshold
from kafka_fleet.report.priority import weighed

_MOST = 3  # thresholds that are named
_ENTRY = """- cluster: payments-eu
{named}
  reason: Upgrade is planned for January, change 4711.
  owner: oncall@example.org
  acknowledged: 2026-11-21
  expires: 2027-01-31
  verdict: {verdict}"""


@dataclass(frozen=True)
class Silence:
    """What to write where. entry: of acknowledgements.yaml. thresholds: of the fleet file, empty where none decides."""

    entry: str
    command: str
    thresholds: str
    signature: str
    environment: str


def _entry(named: str, verdict: str) -> str:
    return _ENTRY.format(named=named, verdict=verdict)


def _command(key: str) -> str:
    return (
        "kafka-fleet acknowledge --fleet fleet.yaml --home /var/lib/kafka-fleet --date 2026-11-21 \\\n"
        f'  --cluster payments-eu --finding "{key}" --reason "Upgrade is planned for January, change 4711." \\\n'
        "  --owner oncall@example.org --expires 2027-01-31"
    )


def decisive(signature: Signature, causes: tuple[str, ...]) -> dict[str, Threshold]:
    """The thresholds that these causes' evidence is compared with, the first of each line first."""
    names = dict.fromkeys(
        row.threshold[cause] for row in signature.evidence for cause in causes if cause in row.threshold
    )
    return {name: signature.thresholds[name] for name in names}


def _plain(value: float) -> str:
    """A number as one writes it in the file: 1000000, never 1e+06."""
    return str(int(value)) if value == int(value) else f"{value:.12f}".rstrip("0")


def _thresholds(signature: Signature, causes: tuple[str, ...]) -> str:
    found = list(decisive(signature, causes).items())[:_MOST]
    lines = [
        f"    {name}: {_plain(one.value)}   # as shipped, in {one.unit}; "
        f"allowed {_plain(one.minimum)} to {_plain(one.maximum)}"
        for name, one in found
    ]
    return "\n".join(["thresholds:", f"  {signature.id}:", *lines]) if lines else ""


def _environment(severity: str) -> str:
    """What it weighs where."""
    staging, development = weighed(severity, "staging"), weighed(severity, "development")
    if severity == staging == development:
        return f"severity {severity}, whatever the environment"
    return f"severity {severity} in production, weighs {staging} in staging and {development} in development"


def silence_issue(advisory: Advisory, signature: Signature | None) -> Silence:
    """Of a known issue. signature: that which shows it."""
    shown = advisory.signature
    return Silence(
        entry=_entry(f"  advisory: {advisory.id}", "confirmed" if shown else "exposed"),
        command=_command(advisory.id),
        thresholds=_thresholds(signature, tuple(shown.causes)) if signature and shown else "",
        signature=signature.id if signature else "",
        environment=_environment(advisory.severity),
    )


def silence_symptom(signature: Signature) -> Silence:
    """Of a symptom that no known issue explains, by its first cause; its thresholds serve all that it shows."""
    cause = next(iter(signature.causes))
    words = signature.owner_words.get(cause)
    return Silence(
        entry=_entry(f"  signature: {signature.id}\n  cause: {cause}", "look_alike"),
        command=_command(f"symptom {signature.id} ({cause})"),
        thresholds=_thresholds(signature, tuple(signature.causes)),
        signature=signature.id,
        environment=f"with the cause {cause} {_environment(words.severity if words else 'info')}",
    )
