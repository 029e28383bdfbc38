"""One mail for an owner of several clusters: takes their judged days, hands one digest to the outbox.

It has every cluster in one list, the most pressing first, and what changed of each since the last digest; the letters
of clusters with news are attached. Who gets digests is KAFKA_FLEET_DIGESTS: addresses with commas between them, or `*`
for everybody with two clusters and more. They get no single letters.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka_fleet.base.text import one_line
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.documents.summary import kept_reported
from kafka_fleet.domain import SEVERITIES, VERDICT_RANK
from kafka_fleet.mail.delivery import LEASE, DeliveryResult, deliver
from kafka_fleet.mail.dispatch import NONE, due_anyway
from kafka_fleet.mail.last_sent import last_report
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.mail.published_letter import JudgedDay, LetterError, mailed_generation, read_judged, unreadable
from kafka_fleet.mail.smtp_settings import SmtpSettings
from kafka_fleet.report.changes import Changes
from kafka_fleet.report.formatting import VERDICTS, plural
from kafka_fleet.report.letter import MAX_BYTES
from kafka_fleet.report.priority import importance, weighed
from kafka_fleet.report.sanitize import clean
from kafka_fleet.report.templating import inlined, plain, render
from kafka_fleet.settings import read_settings, variable

SETTING = variable("digests")
MOST_ATTACHED = 20  # letters; the others are named
MOST_ROWS = 150  # of the list of clusters
_PART = "<!--part-->"


@dataclass(frozen=True)
class Entry:
    """One cluster of the digest. said: the worst that was measured, in its owner's words, or empty.

    changes None: it has no letter, and `problem` says why.
    """

    cluster: str
    worst: str
    weight: str
    environment: str
    news: str
    said: str
    problem: str
    judged: JudgedDay | None
    changes: Changes | None

    @property
    def has_news(self) -> bool:
        """Whether its part is shown and its letter attached."""
        changes = self.changes
        return changes is not None and (
            bool(changes.changes or changes.unsure or changes.late) or changes.since is None
        )


def digest_owners(
    clusters: Mapping[str, Sequence[str]], environ: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Address -> clusters of everybody who gets a digest. clusters: owners by cluster, of the fleet file as it is."""
    wanted = set(read_settings("digests", environ=environ).digests)
    owned: dict[str, list[str]] = {}
    for cluster, owners in sorted(clusters.items()):
        for owner in owners:
            owned.setdefault(owner, []).append(cluster)
    everybody = "*" in wanted
    return {owner: own for owner, own in sorted(owned.items()) if owner in wanted or (everybody and len(own) > 1)}


def digest_name(owner: str) -> str:
    """What the digest of an owner is called in the outbox; no cluster id begins like that."""
    return f"_digest-{hashlib.sha256(owner.encode()).hexdigest()[:16]}"


def _entry(
    home: Path,
    ds: str,
    cluster: str,
    generation: str,
    acknowledged: Acknowledgements,
    told: Mapping[str, Any] | None,
    since: str | None,
    unsure: str | None = None,
) -> Entry:
    try:
        judged = read_judged(home, ds, cluster, generation, acknowledged)
        before = None if told is None else told.get(cluster)
        try:
            changes = judged.changes(before, since if before is not None else None, unsure)
        except (TypeError, KeyError, ValueError) as error:
            raise unreadable(cluster, ds, error) from error
    except LetterError as error:
        return Entry(cluster, "unknown", "critical", "", "no letter", "", clean(str(error), 300), None, None)
    pressing = judged.pressing
    news = "first letter" if changes.since is None else plural(len(changes.changes), "change")
    same = "told again" if unsure else "no change"
    return Entry(
        cluster,
        pressing.verdict if pressing else "not_affected",
        weighed(pressing.severity, judged.environment) if pressing else "info",
        judged.environment or "",
        news if changes.since is None or changes.changes else same,
        judged.said,
        {"not measured": "nothing was measured"}.get(judged.unjudged, judged.unjudged),
        judged,
        changes,
    )


def mail_digest(
    home: Path,
    ds: str,
    owner: str,
    clusters: Sequence[str],
    smtp: SmtpSettings | None,
    dry_run: bool = False,
    generation: str | None = None,
    acknowledged: Acknowledgements = NONE,
) -> DeliveryResult:
    """Mail one owner the digest of these clusters and day `ds`, unless it is there already or tells nothing new.

    Arguments as of dispatch.mail_letter. A cluster without a letter is named and costs no other its news. Raises
    LetterError where nothing is published, OutboxError.
    """
    generation = mailed_generation(home, ds, generation)
    name = digest_name(owner)
    first = [_entry(home, ds, cluster, generation, acknowledged, None, None) for cluster in clusters]
    parts = "\n".join(f"{one.cluster} {one.judged.digest if one.judged else one.problem}" for one in first)
    digest = hashlib.sha256(parts.encode()).hexdigest()
    box = Outbox(home, ds, name, LEASE)
    told, since, unsure = last_report(box, home, ds, digest, [owner])[owner]
    entries = [_entry(home, ds, cluster, generation, acknowledged, told, since, unsure) for cluster in clusters]
    entries.sort(
        key=lambda one: (one.judged is not None, -VERDICT_RANK[one.worst], SEVERITIES.index(one.weight), one.cluster)
    )
    news = [one for one in entries if one.has_news]
    missing = [one.cluster for one in entries if one.judged is None]
    known = (told or {}).get("", {}).get("missing", []) == missing
    if since and not unsure and not news and known and not due_anyway(box, ds, digest, since, owner):
        return DeliveryResult(name, ds, "", "", False, unchanged_since=since)
    now = {one.cluster: kept_reported(one.changes.told) for one in entries if one.changes is not None}
    kept = {cluster: rows for cluster, rows in (told or {}).items() if cluster in missing}
    html, text, files = compose_digest(ds, entries)
    worst = next((one for one in entries if one.judged), None)
    return deliver(
        home, ds, name, html, text, subject(ds, entries), [owner], smtp, digest, dry_run,
        told=kept | now | {"": {"missing": missing}}, attachments=files,
        importance=importance(worst.judged.pressing, worst.environment) if worst and worst.judged else "high",
    )  # fmt: skip


def subject(ds: str, entries: Sequence[Entry]) -> str:
    """How many clusters, the worst verdict, the number of changes, the day: one line."""
    worst = max((one.worst for one in entries if one.judged), key=VERDICT_RANK.__getitem__, default="unknown")
    changes = sum(len(one.changes.changes) for one in entries if one.changes)
    told = any(one.changes is not None and one.changes.since for one in entries)
    again = any(one.changes is not None and one.changes.unsure for one in entries)
    same = "told again" if again else "no change" if told else "first digest"
    news = plural(changes, "change") if changes else same
    return one_line(f"{plural(len(entries), 'cluster')}: {VERDICTS[worst].label.lower()}, {news} (Kafka, {ds})", 150)


def compose_digest(ds: str, entries: Sequence[Entry]) -> tuple[str, str, dict[str, str]]:
    """HTML of at most MAX_BYTES, text, and attachments: letters and evidence of the clusters with news.

    What does not fit is named: parts from the least pressing on, so that the list has always up to MOST_ROWS.
    """
    news = [
        (one, *one.judged.first_part(one.changes)) for one in entries if one.has_news and one.judged and one.changes
    ]
    files: dict[str, str] = {}
    for one, _html, _text in news[:MOST_ATTACHED]:
        if one.judged:
            files[f"{one.cluster}_{ds}.html"] = one.judged.html
            files |= one.judged.tables()
    shown = len(news)
    while True:
        values = {
            "ds": ds,
            "entries": entries[:MOST_ROWS],
            "more": max(0, len(entries) - MOST_ROWS),
            "news": [one.cluster for one, _html, _text in news[:shown]],
            "unshown": [one.cluster for one, _html, _text in news[shown:]],
            "unattached": [one.cluster for one, _html, _text in news[MOST_ATTACHED:]],
        }
        html = inlined(render("digest.html.j2", **values))
        for _one, part, _text in news[:shown]:
            html = html.replace(_PART, part, 1)
        if len(html.encode()) <= MAX_BYTES or not shown:
            break
        shown -= 1
    text = plain("digest.txt.j2", **values, parts=[part for _one, _html, part in news[:shown]])
    return html, text, files
