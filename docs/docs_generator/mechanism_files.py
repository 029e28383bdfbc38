"""The pictures of mechanisms: takes mechanism.yaml of the signatures, gives SVG files, and the line that shows one."""

from docs_generator.markdown import escape
from kafka_fleet.knowledge.mechanisms import load_mechanisms
from kafka_fleet.report.mechanism_picture import mechanism_svg

FOLDER = "docs/mechanisms"


def mechanism_files() -> dict[str, str]:
    """Text of every picture by its path."""
    return {f"{FOLDER}/{name}.svg": mechanism_svg(name, one) for name, one in load_mechanisms().items()}


def shown(signature: str) -> str:
    """The picture of a signature on a page one folder below docs/; empty where it has none."""
    one = load_mechanisms().get(signature)
    return f"![{escape(one.about)}](../mechanisms/{signature}.svg)" if one else ""
