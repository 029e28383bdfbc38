"""The pages of catalogue files: the keys of each kind of file, and the parts that their values are made of."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from docs_generator.markdown import code, escape
from kafka_fleet.base.catalogue_faults import FROM_SQL
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.conditions import Condition
from kafka_fleet.knowledge.plots import Plot
from kafka_fleet.knowledge.signatures import Signature

PAGE = "docs/reference/catalogue_files.md"
PARTS = "docs/reference/catalogue_parts.md"
NOTE = "<!-- generated from the models in plugins/kafka_fleet/ by docs/generate.py: do not edit -->"
HEAD = """# Catalogue files

Every key of every YAML file that adds a check or a known issue, from the models that read them. Unknown keys are
refused; `kafka-fleet check --catalogues` reports all mistakes at once with file, line and key.
[CONTRIBUTING.md](../../CONTRIBUTING.md) says how to add one, [columns of queries](query_columns.md) what the SQL files
beside have to give.
"""
PARTS_HEAD = """# Parts of catalogue files

What the values of [catalogue files](catalogue_files.md) are made of.
"""
KINDS: list[tuple[str, str, type[BaseModel]]] = [
    ("A known issue", "`plugins/kafka_fleet/knowledge/issues/<ID>.yaml`", Advisory),
    ("A signature", "`sql/signatures/<id>/signature.yaml`", Signature),
    ("A condition", "`sql/conditions/<id>/condition.yaml`", Condition),
    ("A plot", "`sql/plots/<id>/plot.yaml`", Plot),
]
Schema = dict[str, Any]


def _type(schema: Schema, parts: Schema) -> str:
    """The type in words: text, number, one of the allowed words, the name of the part that it is made of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if "enum" in parts[name]:
            return " or ".join(map(code, parts[name]["enum"]))
        return f"[{name}](catalogue_parts.md#{name.lower()})"
    if "enum" in schema:
        return " or ".join(code(str(one)) for one in schema["enum"])
    for joined in ("anyOf", "oneOf"):
        if joined in schema:
            return " or ".join(dict.fromkeys(_type(one, parts) for one in schema[joined]))
    match schema.get("type"):
        case "array":
            return f"list of {_type(schema.get('items', {}), parts)}"
        case "object":
            return f"mapping of names to {_type(schema.get('additionalProperties') or {}, parts)}"
        case "string":
            return "text"
        case "integer":
            return "whole number"
        case "boolean":
            return "true or false"
        case None:
            return "text, number, true or false"
    return str(schema["type"])


def _limits(schema: Schema) -> list[str]:
    """What else is asked of the value."""
    words = {
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {}",
        "minProperties": "at least {}",
        "minimum": "at least {}",
        "maximum": "at most {}",
    }
    pattern = [f"matches {code(schema['pattern'])}"] if "pattern" in schema else []
    return [text.format(schema[key]) for key, text in words.items() if key in schema] + pattern


def _keys(schema: Schema, parts: Schema) -> str:
    """One line per key: whether it must be there, what its value is, and within which limits."""
    required = set(schema.get("required", ()))
    lines = []
    for name, one in schema.get("properties", {}).items():
        if not FROM_SQL.search(name):
            said = [_type(one, parts), *_limits(one)]
            lines.append(f"- {code(name)}{' (required)' if name in required else ''}: {'; '.join(said)}")
    return "\n".join(lines)


def _used(schema: Any) -> Iterator[str]:
    """Names of the parts that a schema refers to, in their order."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rpartition("/")[2]
        for name, one in schema.items():
            if not FROM_SQL.search(name):
                yield from _used(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _used(one)


def _described(name: str, schema: Schema, parts: Schema) -> str:
    about = escape((schema.get("description") or "").split("\n\n")[0])
    return f"## {name}\n\n{about}\n\n{_keys(schema, parts)}"


def _sections() -> tuple[list[str], list[str]]:
    """The kinds of file, and the parts that their keys refer to."""
    sections: list[str] = []
    parts: Schema = {}
    named: list[str] = []
    for title, path, model in KINDS:
        schema = model.model_json_schema(by_alias=True)
        own = schema.pop("$defs", {})
        parts |= own
        sections.append(f"## {title}\n\n{path}\n\n{_keys(schema, own)}")
        named += list(_used(schema))
    for name in named:  # grows while it is read: parts have parts
        named += [one for one in _used(parts[name]) if one not in named]
    described = [_described(name, parts[name], parts) for name in dict.fromkeys(named) if "properties" in parts[name]]
    return sections, described


def file_page() -> str:
    """The keys of each kind of file."""
    return "\n".join([NOTE, HEAD, "\n\n".join(_sections()[0]), ""])


def part_page() -> str:
    """The parts that keys refer to."""
    return "\n".join([NOTE, PARTS_HEAD, "\n\n".join(_sections()[1]), ""])
