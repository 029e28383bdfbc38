"""What is told of committed offsets, a second time: takes the oracles, gives detections and coverage per cluster.

Written from the words of evidence and bounds in both signature.yaml; which subjects come first is left to the SQL.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from support.oracles.commits_oracle import CommitsOracle, Row
from support.oracles.growth_oracle import GrowthOracle
from support.oracles.rewind_oracle import MB, RewindOracle, total

Told = dict[tuple[str, str], Row]  # cluster, cause -> strength, subjects, bounds, values
STALE = "stale_load", "stale_leader"
NAMED = {
    "partition_growth": {"group": 6, "topic": 4, "partition": 9},
    "offset_rewind": {"broker": 4, "group": 6, "topic": 4, "partition": 5},
}


def reported(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """By cluster and cause what is proven, or all that is suspected if nothing is."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        found[row["cluster"], row["cause"]].append(row)
    proven = {key: [row for row in rows if row["strength"] == "conclusive"] for key, rows in found.items()}
    return {key: proven[key] or rows for key, rows in found.items()}


def growth(oracle: GrowthOracle) -> Told:
    """Detections of partition_growth."""
    rows, told = list(oracle.skipping()), {}
    for (cluster, cause), named in reported(rows).items():
        events = [event for row in named for event in row["rows"]]
        groups = {row["group_id"] for row in named}
        places = {(cluster, row["group_id"], row["topic"]) for row in named}
        theirs = [one for one in oracle.steps if (one["cluster"], one["group_id"], one["topic"]) in places]
        paces = [one["records"] / one["seconds"] for one in theirs if one["records"] > 0]
        others = {row["group_id"] for row in rows if (row["cluster"], row["cause"]) == (cluster, cause)} - groups
        times = [(e["to_sweep"] - e["from_sweep"]).total_seconds() for e in events if e["from_sweep"] is not None]
        at_least, at_most = (sum(row[name] for row in named) for name in ("at_least", "at_most"))
        new, old = _java(oracle, cluster)
        expired = cause == "offsets_expired"
        told[cluster, cause] = {
            "strength": named[0]["strength"],
            "subjects": {f"group {group}" for group in groups} | {f"topic {row['topic']}" for row in named}
            | {f"partition {e['topic']}-{e['partition']}" for e in events},
            "bounds": {"skipped_at_least": at_least, "skipped_at_most": at_most,
                       "by_partition": sorted(_bound(row, event) for row in named for event in row["rows"])},
            "values": {
                "skipped_at_least": at_least, "skipped_at_most": at_most,
                "there_before": sum(row["there_before"] for row in named),
                "unexplained": total(row["unexplained"] for row in named),
                "fastest": max(paces, default=None), "seconds": max(times, default=None),
                "partitions_added": max(oracle.added(e) for e in events) if cause == "growth" else None,
                "suspected_groups": len(others) or None, "with_duration": new, "without_duration": old,
                "offset_expirations": _most(
                    oracle.sum_of_ends("offset_expirations", cluster, e["before_sweep"], e["to_sweep"]) for e in events
                ) if expired else None,
                "retention_minutes": _retention(oracle, cluster) if expired else None,
            },
        }  # fmt: skip
    return told


def _bound(row: Row, event: Row) -> str:
    """The bounds of one partition, as the letter has them."""
    there = event["there_before"] if row["reset_policy"] == "latest" else 0
    least = max(0, there, row["not_read"] - (row["at_most"] - event["at_most"]))
    return f"group {row['group_id']} {event['topic']}-{event['partition']}: {least:,} to {event['at_most']:,}"


def _java(oracle: CommitsOracle, cluster: str) -> tuple[float | None, float | None]:
    """Connections of Java clients from 4.0 on, and of older ones: of each release the most at any sweep."""
    held: dict[str, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
    for row in oracle.raw["client_software"]:
        if row["cluster"] == cluster and oracle.today(row["sweep_at"]) and row["connections"] > 0:
            held[row["software_version"]][row["sweep_at"]] += row["connections"]
    most = {version: max(sums.values()) for version, sums in held.items()}
    lines = {version: int(version.split(".")[0]) >= 4 for version in most}
    new, old = ([many for version, many in most.items() if lines[version] == since] for since in (True, False))
    return sum(new) if new else None, sum(old) if old else None


def _retention(oracle: CommitsOracle, cluster: str) -> int | None:
    """offsets.retention.minutes, the least of the brokers."""
    key = cluster, "offsets.retention.minutes", True
    rows = oracle.raw["broker_configs"]
    found = [r for r in rows if (r["cluster"], r["name"], oracle.today(r["sweep_at"])) == key]
    return min((int(row["value"]) for row in found), default=None)


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def rewind(oracle: RewindOracle) -> Told:
    """Detections of offset_rewind."""
    rows = [{**row, "strength": "conclusive" if row["sure"] else "suggestive"} for row in oracle.rewound()]
    rows += [
        {**row, "cause": "truncation", "strength": "conclusive" if row["sure"] else "suggestive"}
        for row in oracle.lost()
    ]
    rows += [
        {**row, "cause": "unclean_election", "records_lost": None, "led_in_isr": False,
         "strength": "conclusive" if row["proven"] and row["same_topic"] else "suggestive"}
        for row in oracle.unclean()
    ]  # fmt: skip
    rows += [{**row, "cause": "stale_load", "strength": "suggestive"} for row in oracle.unsafe()]
    told = {}
    for (cluster, cause), named in reported(rows).items():
        groups = [row for row in named if "group_id" in row]
        lost = [row for row in named if "records_lost" in row]
        unsafe = [row for row in named if "group_id" not in row and "records_lost" not in row]
        brokers = [row["broker"] for row in lost + unsafe]
        brokers += [row["coordinator"] for row in groups if cause in STALE and row["coordinator"] is not None]
        sums = {
            name: total(row[name] for row in groups)
            for name in ("records_back", "read_again_with_earliest", "skipped_with_latest")
        }
        held, back = (sum(row[name] for row in groups) for name in ("partitions_held", "partitions_back"))
        told[cluster, cause] = {
            "strength": named[0]["strength"],
            "subjects": {f"broker {broker}" for broker in brokers} | {f"group {row['group_id']}" for row in groups}
            | {f"topic {row['topic']}" for row in groups + lost} | ({"topic __consumer_offsets"} if unsafe else set())
            | {f"partition {row['topic']}-{row['partition']}" for row in lost},
            "bounds": {name: many for name, many in sums.items() if many is not None} or None,
            "values": {
                "records_back": sums["records_back"], "groups_back": len({row["group_id"] for row in groups}) or None,
                "share_back": back / held if held else None,
                "rewound_groups": _most(row["rewound_groups"] for row in groups) if cause in STALE else None,
                "records_lost": total(row["records_lost"] for row in lost),
                "outside_isr": len({(r["topic"], r["partition"]) for r in lost if r["led_in_isr"] is False}) or None,
                "unclean_elections": _most(row["unclean_elections"] for row in lost), **health(oracle, cluster),
            },
        }  # fmt: skip
    return told


def health(oracle: RewindOracle, cluster: str) -> Row:
    """The worst broker's gauges, and counts over all brokers."""
    spans = [span for span in oracle.health if span["cluster"] == cluster]
    ends = [(cluster, span["broker"], span["to_sweep"]) for span in spans]
    last = [oracle.metrics[end] for end in ends]
    sizes = [
        (oracle.offsets_log(*end), oracle.offsets_log(cluster, span["broker"], span["from_sweep"]))
        for end, span in zip(ends, spans, strict=True)
    ]
    commits = [(oracle.delta(span, "offset_commits"), span["seconds"]) for span in spans]
    known = [(many, seconds) for many, seconds in commits if many is not None]
    growths = [after - before for after, before in sizes if after is not None and before is not None]
    size, growth_bytes = _most(after for after, _before in sizes), _most(growths)
    idle = _most(row["cleaner_idle_ms"] for row in last)
    return {
        "cleaner_dead_threads": _most(row["cleaner_dead_threads"] for row in last),
        "uncleanable_partitions": _most(oracle.uncleanable(*end) for end in ends),
        "cleaner_idle_s": None if idle is None else idle / 1000,
        "offsets_log_mb": None if size is None else size / MB,
        "offsets_log_growth_mb": None if growth_bytes is None else growth_bytes / MB,
        "offsets_load_ms": _most(row["offsets_load_ms_max"] for row in last),
        "out_of_range": total(oracle.refused(span) for span in spans),
        "commits_per_s": sum(many for many, _s in known) / sum(s for _many, s in known) if known else None,
        "group_offsets": _most(row["group_offsets"] for row in last),
        "coordinated_groups": _most(row["groups"] for row in last),
    }


def covered(oracle: CommitsOracle, cluster: str, reads: int) -> bool:
    """Whether quiet means something: enough of the day between reads of offsets, enough brokers read so many times."""
    ats = [row["sweep_at"] for row in oracle.raw["sweeps"] if row["cluster"] == cluster]
    days = sorted(at for at in ats if oracle.today(at))
    offsets = [at for at in dict(oracle.sweeps_with("group_offsets")).get(cluster, []) if at in days]
    whole = (days[-1] - days[0]).total_seconds()
    share = (offsets[-1] - offsets[0]).total_seconds() / whole if offsets and whole else 0
    listed = {row["broker"] for row in oracle.raw["brokers"] if row["cluster"] == cluster and row["is_broker"]}
    spans = {span["broker"] for span in oracle.spans if span["cluster"] == cluster and span["kind"] == "sweeps"}
    once = {row["broker"] for row in oracle.raw["brokers"]
            if row["cluster"] == cluster and row["read_at"] is not None and oracle.today(row["sweep_at"])}  # fmt: skip
    read = spans if reads > 1 else once
    return min(share, len(read & listed) / len(listed)) >= oracle.limits["min_coverage"]


def plain(detection: Row, names: dict[str, str]) -> Row:
    """A measured detection in the form of these: evidence by the name of its value, subjects as told."""
    bounds = detection["bounds"]
    if bounds and "by_partition" in bounds:
        texts = re.split(r"; (?=group )", bounds["by_partition"])
        bounds = {**bounds, "by_partition": sorted(texts)}
    values = {names[line["metric"]]: line["value"] for line in detection["evidence"]}
    return {"strength": detection["strength"], "subjects": detection["subjects"], "bounds": bounds, "values": values}


def names_them(signature: str, told: list[str], subjects: set[str]) -> bool:
    """Whether as many subjects as are NAMED are named, each once, and of the others it is told how many there are."""
    named = [one for one in told if not one.startswith("and ")]
    counts = Counter(one.split(" ")[0] for one in subjects)
    most = NAMED[signature]
    rest = {f"and {many - most[kind]} more {kind}s" for kind, many in counts.items() if many > most[kind]}
    shown = {kind: min(many, most[kind]) for kind, many in counts.items()}
    right = Counter(one.split(" ")[0] for one in named) == shown and len(set(named)) == len(named)
    return right and set(named) <= subjects and sorted(rest) == sorted(set(told) - set(named))
