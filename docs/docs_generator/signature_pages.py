"""Pages of the signatures: takes the folders of sql/signatures/, gives blocks, an index and a page where none is."""

from docs_generator.markdown import block, code, escape, table
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.signatures import Signature, load_signatures

FOLDER = "docs/signatures"
HEADINGS = {
    "causes": "",
    "advisories": "## Known issues that it shows",
    "thresholds": "## Thresholds\n\nEach can be set per cluster in the fleet file, and the letter prints it.",
    "look-alikes": "## What looks alike",
    "inputs": "## What it needs",
    "evidence": "## Evidence and where it is read",
}


def _shown_by(signature: Signature) -> list[Advisory]:
    found = load_advisories().values()
    return [one for one in found if one.signature is not None and one.signature.id == signature.id]


def _causes(signature: Signature) -> str:
    return table(["Cause", "What happens"], [[code(name), escape(text)] for name, text in signature.causes.items()])


def _advisories(signature: Signature) -> str:
    rows = [
        [f"[{one.id}](../advisories/{one.id}.md)", escape(one.title), ", ".join(map(code, one.signature.causes))]
        for one in _shown_by(signature)
        if one.signature is not None
    ]
    if not rows:
        return "No known issue names this signature; every detection is a `look_alike` of its own."
    return table(["Issue", "What it is", "Shown by the cause"], rows)


def _thresholds(signature: Signature) -> str:
    rows = [
        [f"`{name}`", f"{one.value:g} {one.unit}", f"{one.minimum:g} to {one.maximum:g}", escape(one.reason)]
        for name, one in signature.thresholds.items()
    ]
    return table(["Threshold", "Value", "Allowed", "Why"], rows)


def _look_alikes(signature: Signature) -> str:
    rows = [[escape(one.name), escape(one.separated_by)] for one in signature.look_alikes]
    return table(["Looks alike", "What separates it"], rows)


def _inputs(signature: Signature) -> str:
    return "\n".join(f"- {code(name)}: {escape(need.about)}" for name, need in signature.needs.items())


def _evidence(signature: Signature) -> str:
    rows = []
    for one in signature.evidence:
        beside = ", ".join(dict.fromkeys(code(name) for name in one.threshold.values()))
        rows.append([escape(one.metric), escape(one.unit), beside, code(one.mbean)])
    return table(["Line of evidence", "Unit", "Compared with", "Read from"], rows)


def signature_blocks(signature: Signature) -> dict[str, str]:
    """Content of every generated block of its page, by name, in the order of a new page."""
    return {
        "causes": _causes(signature),
        "advisories": _advisories(signature),
        "thresholds": _thresholds(signature),
        "look-alikes": _look_alikes(signature),
        "inputs": _inputs(signature),
        "evidence": _evidence(signature),
    }


def new_page(signature: Signature) -> str:
    """A page for a signature that nobody has written one for: all blocks, between which prose can be put."""
    parts = [f"# {signature.id}", escape(f"{signature.title}. {signature.symptom}")]
    for name, content in signature_blocks(signature).items():
        parts += [part for part in (HEADINGS[name], block(name, content)) if part]
    return "\n\n".join(parts) + "\n"


def readme_table() -> str:
    """One row per installed signature for the README: id with its page, the symptom, its causes."""
    rows = [
        [f"[`{one.id}`]({FOLDER}/{one.id}.md)", one.title, ", ".join(f"`{cause}`" for cause in one.causes)]
        for one in load_signatures().values()
    ]
    return table(["Signature", "The symptom", "Causes it tells apart"], rows)


def signature_index() -> str:
    """The index of the pages: symptom, causes, and how many known issues each shows."""
    rows = []
    for one in load_signatures().values():
        issues = ", ".join(f"[{other.id}](../advisories/{other.id}.md)" for other in _shown_by(one)) or "none"
        causes = ", ".join(code(cause) for cause in one.causes)
        rows.append([f"[`{one.id}`]({one.id}.md)", escape(one.title), causes, issues])
    about = (
        "A signature is a symptom that is measured whatever release runs. Each is a folder in `sql/signatures/`. Its "
        "page here has the statistic, and tables that are generated from the folder. [Verdicts](../verdicts.md) says "
        "how a symptom becomes a verdict."
    )
    head = ["Signature", "The symptom", "Causes it tells apart", "Known issues that it shows"]
    note = "<!-- generated from sql/signatures by docs/generate.py: do not edit -->"
    return f"{note}\n\n# Signatures\n\n{about}\n\n{table(head, rows)}\n"
