"""The index of what an owner notices: takes both catalogues, gives a page of what is measured, and one of the rest."""

from docs_generator.markdown import code, escape, table
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.symptoms import Section, Seen, symptom_index

PAGE, UNMEASURED = "docs/symptoms.md", "docs/unmeasured_symptoms.md"
NOTE = "<!-- generated from sql/signatures and knowledge/issues by docs/generate.py: do not edit -->"
ABOUT = """# What do you see?

Start from what you notice. What is measured has a signature, whose page has the statistic, the thresholds and how to
silence it; a letter says `confirmed` where an affected release shows it. Of [the rest](unmeasured_symptoms.md) release
and settings alone tell.
The page *Fleet Health* has the same index under *What do you see?*."""

UNMEASURED_ABOUT = """# What no symptom measures

What an owner may notice of known issues that no [measured symptom](symptoms.md) shows. Release and settings tell
whether a cluster can have these."""


def _issues(seen: Seen) -> str:
    return ", ".join(f"[{key}](advisories/{key}.md)" for key in seen.issues) or "none known"


def _measured(section: Section) -> str:
    rows = [
        ["<br>".join(map(escape, one.noticed)), f"{code(one.cause or '')}: {escape(one.happens)}", _issues(one),
         escape(one.proved)]
        for one in section.seen
    ]  # fmt: skip
    link = f"Measured by [`{section.signature}`](signatures/{section.signature}.md)."
    head = ["You see", "It may be", "Known issues", "Proved by"]
    return f"## {escape(section.title)}\n\n{link}\n\n{table(head, rows)}"


def _unmeasured(section: Section) -> str:
    rows = [["<br>".join(map(escape, one.noticed)), escape(one.happens), _issues(one)] for one in section.seen]
    return f"## {escape(section.title)}\n\n{table(['You see', 'It may be', 'Known issues'], rows)}"


def symptom_pages() -> dict[str, str]:
    """The text of both pages, by their path."""
    sections = symptom_index(load_signatures(), load_advisories())
    measured = [NOTE, ABOUT, *(_measured(one) for one in sections if one.signature)]
    rest = [NOTE, UNMEASURED_ABOUT, *(_unmeasured(one) for one in sections if not one.signature)]
    return {PAGE: "\n\n".join(measured) + "\n", UNMEASURED: "\n\n".join(rest) + "\n"}
