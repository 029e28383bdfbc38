"""The index of what an owner notices: takes both catalogues, gives a whole page of Markdown."""

from docs_generator.markdown import code, escape, table
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.symptoms import Section, Seen, symptom_index

PAGE = "docs/symptoms.md"
NOTE = "<!-- generated from sql/signatures and knowledge/issues by docs/generate.py: do not edit -->"
ABOUT = """# What do you see?

Start from what you notice. What is measured has a signature, whose page has the statistic, the thresholds and how to
silence it; a letter says `confirmed` where an affected release shows it. Release and settings alone tell the rest.
The page *Fleet Health* has the same index under *What do you see?*."""


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
    return f"## {escape(section.title)}\n{link}\n\n{table(head, rows)}"


def _unmeasured(section: Section) -> str:
    rows = [["<br>".join(map(escape, one.noticed)), escape(one.happens), _issues(one)] for one in section.seen]
    return f"### {escape(section.title)}\n{table(['You see', 'It may be', 'Known issues'], rows)}"


def symptom_page() -> str:
    """The whole page."""
    sections = symptom_index(load_signatures(), load_advisories())
    parts = [NOTE, ABOUT, *(_measured(one) for one in sections if one.signature)]
    rest = [_unmeasured(one) for one in sections if not one.signature]
    if rest:
        parts += ["## What no symptom measures\n\nRelease and settings tell whether a cluster can have these.", *rest]
    return "\n\n".join(parts) + "\n"
