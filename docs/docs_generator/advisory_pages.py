"""One page per known issue and their index: takes the advisory files, gives whole pages of Markdown."""

from docs_generator import mechanism_files
from docs_generator.markdown import code, escape, table
from docs_generator.preconditions import precondition
from docs_generator.releases import affected_short, affected_table
from docs_generator.silence_words import silence_of_issue
from docs_generator.sources import linked, own_link
from docs_generator.verdict_words import verdict_rows
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.releases import catalogue

FOLDER = "docs/advisories"
NOTE = "<!-- generated from plugins/kafka_fleet/knowledge/issues by docs/generate.py: do not edit -->"


def _shown(advisory: Advisory) -> str:
    """Signature and causes as a sentence with a link."""
    shown = advisory.signature
    if shown is None:
        return "No measured symptom shows it, so it is never `confirmed`: release and preconditions decide."
    causes = " or ".join(code(cause) for cause in shown.causes)
    where = " on a broker that runs an affected release" if shown.where == "affected_broker" else ""
    return f"[`{shown.id}`](../signatures/{shown.id}.md) with the cause {causes}{where}."


def _preconditions(advisory: Advisory) -> str:
    if not advisory.preconditions:
        return "None: the release decides alone."
    return table(["What must be so", "Required", "Read from"], [precondition(one) for one in advisory.preconditions])


def _releases(advisory: Advisory) -> list[str]:
    text = [affected_table(advisory)]
    if advisory.affected is not None and not advisory.affected.never_released:
        text += [
            "",
            f'"Go to" is `upgrade_to` for the newest affected release of a line, by the releases known on '
            f"{catalogue().as_of}, with nothing known of the cluster. A letter leaves out what the cluster's settings "
            "rule out, so it can name a smaller release.",
        ]
    return text


def advisory_page(advisory: Advisory) -> str:
    """The whole page of one issue."""
    record = own_link(advisory.id)
    facts = [
        ["Severity", advisory.severity],
        ["Category", escape(advisory.category)],
        ["Components", ", ".join(advisory.components)],
        ["Upgraded", advisory.upgrade_component],
        ["Confidence in the ranges", advisory.confidence],
        *([["Record", record]] if record else []),
    ]
    picture = mechanism_files.shown(advisory.id, advisory.signature.id if advisory.signature else None)
    parts = [
        NOTE,
        f"# {escape(advisory.id)}",
        f"**{escape(advisory.title)}.**",
        escape(advisory.summary),
        table(["", ""], facts),
        f"## Why it happens\n\n{escape(advisory.mechanism)}",
        *([picture] if picture else []),
        "## Releases\n\n" + "\n".join(_releases(advisory)),
        f"## Preconditions\n\n{_preconditions(advisory)}",
        f"## What shows it\n\n{_shown(advisory)}",
        "## What each verdict means here\n\n" + table(["Verdict", "Here it means"], verdict_rows(advisory)),
        f"## What to do\n\nUntil the upgrade: {escape(advisory.workaround)}\n\n"
        f"The upgrade: {escape(advisory.why_upgrade)}",
        f"## How to silence it\n\n{silence_of_issue(advisory)}",
        *([f"## Notes\n\n{escape(advisory.notes)}"] if advisory.notes else []),
        "## Sources\n\n" + "\n".join(f"- {linked(one)}" for one in advisory.sources),
        "[All known issues](README.md) · [what a verdict is](../verdicts.md)",
    ]
    return "\n\n".join(parts) + "\n"


def advisory_index() -> str:
    """The index of all pages."""
    rows = []
    for one in load_advisories().values():
        shown = f"[`{one.signature.id}`](../signatures/{one.signature.id}.md)" if one.signature else ""
        rows.append(
            [f"[{one.id}]({one.id}.md)", escape(one.title), ", ".join(one.components), one.severity,
             affected_short(one), shown]
        )  # fmt: skip
    head = ["Issue", "Title", "Components", "Severity", "Affected releases", "Signature"]
    about = (
        f"{len(rows)} issues, each a file in `plugins/kafka_fleet/knowledge/issues/`. The pages are generated from "
        "them. Affected are releases of the table of published ones, by number. An issue without a signature rests "
        "on release and settings alone. [Verdicts](../verdicts.md) says what a finding claims."
    )
    return f"{NOTE}\n\n# Known issues\n\n{about}\n\n{table(head, rows)}\n"
