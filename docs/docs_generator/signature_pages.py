"""Pages of the signatures: takes the folders of sql/signatures/, gives blocks, an index and a page where none is.

Thresholds and lines of evidence, which are long, have a page of their own in docs/reference/signatures/.
"""

from docs_generator import mechanism_files
from docs_generator.markdown import block, code, escape, table
from docs_generator.silence_words import silence_of_symptom
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.signatures import Signature, load_signatures

FOLDER = "docs/signatures"
REFERENCE = "docs/reference/signatures"
NOTE = "<!-- generated from sql/signatures by docs/generate.py: do not edit -->"
HEADINGS = {
    "mechanism": "",
    "causes": "",
    "advisories": "## Known issues that it shows",
    "silence": "## How to silence it",
    "look-alikes": "## What looks alike",
    "inputs": "## What it needs",
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
    needs = "\n".join(f"- {code(name)}: {escape(need.about)}" for name, need in signature.needs.items())
    page = f"../reference/signatures/{signature.id}.md"
    return f"{needs}\n\n[Thresholds, and where each line of evidence is read]({page})"


def _evidence(signature: Signature) -> str:
    rows = []
    for one in signature.evidence:
        beside = ", ".join(dict.fromkeys(code(name) for name in one.threshold.values()))
        rows.append([escape(one.metric), escape(one.unit), beside, code(one.mbean)])
    return table(["Line of evidence", "Unit", "Compared with", "Read from"], rows)


def signature_blocks(signature: Signature) -> dict[str, str]:
    """Content of every generated block of its page, by name, in the order of a new page."""
    return {
        "mechanism": mechanism_files.shown(signature.id),
        "causes": _causes(signature),
        "advisories": _advisories(signature),
        "silence": silence_of_symptom(signature),
        "look-alikes": _look_alikes(signature),
        "inputs": _inputs(signature),
    }


def reference_page(signature: Signature) -> str:
    """Thresholds and lines of evidence, generated as a whole."""
    about = (
        f"Of the signature [`{signature.id}`](../../signatures/{signature.id}.md). Each threshold can be set per "
        "cluster in the fleet file, and letters print it beside the value."
    )
    parts = [
        NOTE,
        f"# Thresholds and evidence of {signature.id}",
        about,
        f"## Thresholds\n\n{_thresholds(signature)}",
        f"## Evidence and where it is read\n\n{_evidence(signature)}",
    ]
    return "\n\n".join(parts) + "\n"


def reference_index() -> str:
    """The index of those pages."""
    rows = [
        [f"[`{one.id}`]({one.id}.md)", f"{len(one.thresholds)}", f"{len(one.evidence)}"]
        for one in load_signatures().values()
    ]
    head = table(["Signature", "Thresholds", "Lines of evidence"], rows)
    return f"{NOTE}\n\n# Thresholds and evidence\n\nOf each [signature](../../signatures/README.md).\n\n{head}\n"


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
        "how a symptom becomes a verdict, [what do you see](../symptoms.md) which one to read."
    )
    head = ["Signature", "The symptom", "Causes it tells apart", "Known issues that it shows"]
    return f"{NOTE}\n\n# Signatures\n\n{about}\n\n{table(head, rows)}\n"
