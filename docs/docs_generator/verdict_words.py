"""What each verdict means for one known issue: takes an advisory, gives a row per verdict that it can have."""

from docs_generator.markdown import code
from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.report.formatting import VERDICTS


def _carrier(advisory: Advisory) -> str:
    """Who has the release that counts."""
    if advisory.affected is None:
        return ""
    if set(advisory.components) <= CLIENT:
        return "a client of an affected release was connected"
    if set(advisory.components) & CLIENT:
        return "a broker or a connected client runs an affected release"
    if set(advisory.components) <= {"controller"}:
        return "a controller runs an affected release"
    return "a broker runs an affected release"


def _exposed(advisory: Advisory) -> str:
    """When a cluster is exposed, as a clause."""
    required = [one for one in advisory.preconditions if one.kind == "required"]
    conditions = "every required precondition holds" if len(required) > 1 else "the required precondition holds"
    parts = [part for part in (_carrier(advisory), conditions if required else "") if part]
    told = any(one.kind == "shown_by_symptom" and one.test for one in advisory.preconditions)
    return " and ".join(parts) + (", and the owner declares nothing that rules it out" if told else "")


def _spared(advisory: Advisory) -> str:
    """When it is not, as a clause."""
    parts = []
    if advisory.affected is not None:
        clients = set(advisory.components) <= CLIENT
        parts.append("no client of an affected release was connected" if clients else "no affected release runs")
    if any(one.kind == "required" for one in advisory.preconditions):
        parts.append("a required precondition does not hold")
    if any(one.kind == "shown_by_symptom" and one.test for one in advisory.preconditions):
        parts.append("the owner declares what rules it out")
    return " or ".join(parts)


def _unread(advisory: Advisory) -> str:
    parts = ["a vendor's build, or a release that was not read"] if advisory.affected is not None else []
    if any(one.kind == "required" for one in advisory.preconditions):
        parts.append("a precondition that could not be read")
    return "; ".join(parts)


def verdict_rows(advisory: Advisory) -> list[list[str]]:
    """Verdict and meaning, in the letter's order. confirmed and look_alike need a signature."""
    if advisory.affected is not None and advisory.affected.never_released:
        return [
            [code("unknown"), "A vendor's build, or a release that was not read: it may have it."],
            [code("not_affected"), "Every release that Apache published."],
        ]
    shown, exposed, spared = advisory.signature, _exposed(advisory), _spared(advisory)
    begin = exposed[:1].upper() + exposed[1:]
    meanings = {
        "exposed": f"{begin}. No symptom is looked for.",
        "unknown": f"Could not be decided: {_unread(advisory)}. The finding names it.",
        "not_affected": f"{spared[:1].upper()}{spared[1:]}.",
    }
    if shown is not None:
        symptom = f"{code(shown.id)} with {' or '.join(code(cause) for cause in shown.causes)}"
        meanings |= {
            "confirmed": f"{begin}, and {symptom} was measured, conclusively.",
            "look_alike": f"{symptom} was measured, but {spared}; or it was measured conclusively on a build that "
            "cannot be compared.",
            "exposed": f"{begin}; {symptom} was not measured, or only suggestively, or could not be looked for.",
        }
    return [[code(name), meanings[name]] for name in VERDICTS if name in meanings]
