"""How to silence an issue or a symptom, in Markdown: acknowledgement, threshold and environment with its own id."""

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.report.silencing import Silence, silence_issue, silence_symptom


def _words(found: Silence) -> str:
    parts = [
        "**Acknowledge it**: an entry of the list in `acknowledgements.yaml`, beside the fleet file, or the form on "
        "the cluster's page. The finding stays there, and is reopened when it is not any more as it was.",
        f"```yaml\n{found.entry}\n```",
    ]
    if found.thresholds:
        page = f"../reference/signatures/{found.signature}.md"
        parts += [
            f"**Raise a [threshold]({page})** of the cluster in the fleet file, where such figures are normal. It "
            "decides for every issue that this symptom shows.",
            f"```yaml\n{found.thresholds}\n```",
        ]
    else:
        parts.append("**Threshold**: there is none; release and settings decide.")
    parts.append(f"**Environment** of the cluster in the fleet file: {found.environment}.")
    return "\n\n".join(parts)


def silence_of_symptom(signature: Signature) -> str:
    """Of a signature."""
    return _words(silence_symptom(signature))


def silence_of_issue(advisory: Advisory) -> str:
    """Of a known issue."""
    shown = advisory.signature
    return _words(silence_issue(advisory, load_signatures()[shown.id] if shown else None))
