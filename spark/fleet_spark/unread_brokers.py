"""What a day did not read of a cluster's brokers: takes rows of broker_days, gives sentences.

What a metrics endpoint leaves out is left out by those of the other brokers as well, and is said once. A cluster that
the Kafka protocol alone tells of says so once, and not once per broker.
"""

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
PROTOCOL_ALONE = (
    "read over the Kafka protocol alone: the fleet file declares neither jolokia nor metrics, so releases, counters "
    "and latencies of brokers are not known"
)
LEFT_OUT = ("the metrics endpoint leaves out", "its rules are", "its metrics reporter is")  # as the collector says it
FEW_BROKERS = 8  # of a sentence
FEW_DETAILS = 3  # sentences on reads of one broker that failed or were not whole


def reads_of(broker: Json) -> int:
    """How many sweeps of the day read a broker, wholly or in part."""
    reads: int = broker["ok_reads"] + broker["partial_reads"] + broker["truncated_reads"]
    return reads


def unread_brokers(brokers: Sequence[Json], entry: Json) -> list[str]:
    """One sentence per broker and thing. entry: the cluster's, as the fleet file has it."""
    if brokers and entry and not entry.get("jolokia") and not entry.get("metrics"):
        return [PROTOCOL_ALONE]
    found: list[str] = []
    together: dict[str, list[int]] = {}
    for row in brokers:
        one = f"broker {row['broker']}"
        if reads_of(row) == 0:
            kinds = ", ".join(row["failure_kinds"]) or "no endpoint"
            over = "from its metrics endpoint" if entry.get("metrics") else "over Jolokia"
            found.append(f"{one}: nothing was read {over} ({kinds})")
            continue
        details = row["failure_details"]  # as many as there were counts of lost values in a day
        parts = [_parted(text) for text in details]
        for text in dict.fromkeys(rules for _other, rules in parts if rules):
            together.setdefault(text, []).append(row["broker"])
        others = list(dict.fromkeys(other for other, _rules in parts if other))
        found += [f"{one}, at times: {text}" for text in others[:FEW_DETAILS]]
        if len(others) > FEW_DETAILS:
            found.append(f"{one}: {len(others) - FEW_DETAILS} more such sentences")
    return [*found, *(f"{_named(some)}: {text}" for text, some in together.items())]


def _parted(text: str) -> tuple[str, str]:
    """What a sweep says of its own read, and after it what it says of the endpoint's rules; each may be empty."""
    at = min((at for one in LEFT_OUT if (at := f"; {text}".find(f"; {one}")) >= 0), default=len(text) + 2)
    return text[: max(at - 2, 0)], text[at:]


def _named(brokers: list[int]) -> str:
    if len(brokers) == 1:
        return f"broker {brokers[0]}"
    more = f" and {len(brokers) - FEW_BROKERS} more" if len(brokers) > FEW_BROKERS else ""
    return f"brokers {', '.join(map(str, brokers[:FEW_BROKERS]))}{more}"
