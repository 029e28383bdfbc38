"""Sentences for mistakes in the fleet file: takes pydantic's errors and the raw entry, gives (field, what is allowed).

One sentence per mistake. A value is shown only when it can hold no secret, and never on more than one line.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from kafka_fleet.base.validation_errors import (
    HIDDEN,
    closest,
    did_you_mean,
    field_location,
    instead_of,
    redacted_value,
    unknown_name,
    without_misspelled,
)
from kafka_fleet.domain import Environment
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.declared_clients import SOFTWARE, version_in
from kafka_fleet.knowledge.releases import catalogue
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.schema.config_names import allowed

_BROKER_ID = "must be a broker id, a whole number of 0 to 2147483647"
_TYPES = {
    "missing": "is required",
    "too_short": "needs at least one entry",
    "string_type": "must be text, in quotes where YAML would read something else",
    "int_type": _BROKER_ID,
    "int_parsing": _BROKER_ID,
    "greater_than_equal": _BROKER_ID,
    "less_than_equal": _BROKER_ID,
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "literal_error": "must be production, staging or development",
}
_PATTERNS = {
    "tenant": "must be a tenant id of at most 150 letters, digits and !-_.*'()|",
    "id": "must be a slug of a-z, 0-9 and inner hyphens, at most 63 characters",
    "owners": "must be an e-mail address",
    "kafka_connection": "must be a connection id of letters, digits, dots, hyphens and underscores",
    "connection": "must be a connection id of letters, digits, dots, hyphens and underscores",
}


_PLACES = ("brokers", "url_template")  # of agents; one of them is there
_AGENTS = (*_PLACES, "controllers", "connection")
_SOURCES = ("loki", "textfile")  # of log marks
_LIKE = 0.87  # how like a declared library has to be to a known one, to be taken for a slip: others have other names


class Mistake(NamedTuple):
    """Where in the entry, and the sentence."""

    location: tuple[Any, ...]
    problem: str


def _keys_at(model: Any, location: tuple[Any, ...]) -> list[str]:
    for part in location:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:  # of what may be left out, the model that it is otherwise
            model = next((one for one in get_args(field.annotation) if hasattr(one, "model_fields")), field.annotation)
    return list(getattr(model, "model_fields", {}) or ["none"])


def _unknown_key(name: str, known: list[str]) -> str:
    text = unknown_name("unknown key", name, known)
    if re.search(r"pass|user|login|secret|token|cred", name, re.IGNORECASE):
        return f"{text}. Credentials are not in this file: name a connection"
    return text


def _sentence(fault: Any, model: type[BaseModel]) -> str:
    kind, location, value = fault["type"], fault["loc"], fault["input"]
    names = [part for part in location if isinstance(part, str)]
    if kind in ("extra_forbidden", "invalid_key"):
        return _unknown_key(str(location[-1]), _keys_at(model, location[:-1]))
    if kind in ("model_type", "model_attributes_type"):
        return f"must be a mapping with the keys {', '.join(_keys_at(model, location))}{instead_of(value)}"
    text = _TYPES.get(kind)
    if kind == "string_pattern_mismatch":
        text = _PATTERNS.get(names[-1])
    if kind in ("missing", "too_short"):
        return str(text)
    if names[:1] == ["notify"] and kind == "string_pattern_mismatch":
        return f"{text}; {HIDDEN}"  # the address of a channel is one
    if text is not None:
        meant = did_you_mean(value, get_args(Environment)) if kind == "literal_error" else ""
        return f"{text}{instead_of(value, mail=names[0] == 'owners')}{meant}"
    return f"{fault['msg'].removeprefix('Value error, ')} ({redacted_value(value)})"


def model_mistakes(error: ValidationError, model: type[BaseModel]) -> Iterator[Mistake]:
    """What pydantic found: types, unknown keys, single values. A key that is misspelled is not also missing."""
    by_broker: dict[tuple[Any, ...], list[str]] = {}  # keys that are ids of brokers, where `brokers` takes them
    for fault in without_misspelled(error.errors(), lambda place: _keys_at(model, place)):
        place = fault["loc"][:-1]
        unknown = fault["type"] in ("extra_forbidden", "invalid_key")
        if unknown and _is_broker(fault["loc"][-1]) and "brokers" in _keys_at(model, place):
            by_broker.setdefault(place, []).append(f"{fault['loc'][-1]}: …")
        else:
            yield Mistake(fault["loc"], _sentence(fault, model))
    for place, ids in by_broker.items():
        shown = ", ".join([*ids[:3], "…"] if len(ids) > 3 else ids)
        yield Mistake(place, f"has URLs by broker id; write brokers: {{{shown}}} under {place[-1]}")


def _is_broker(key: Any) -> bool:
    return isinstance(key, int) or (isinstance(key, str) and re.fullmatch(r"[0-9]{1,10}", key) is not None)


def _mapping(entry: Any, *names: str) -> dict[Any, Any]:
    for name in names:
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry if isinstance(entry, dict) else {}


def _agents(entry: Any, section: str) -> Iterator[Mistake]:
    agents = _mapping(entry, section)
    brokers, controllers = _mapping(agents, "brokers"), _mapping(agents, "controllers")
    if isinstance(entry, dict) and isinstance(entry.get(section), dict):
        given = agents.get("brokers") or agents.get("url_template") is not None
        misspelled = any(_is_broker(key) or closest(key, _PLACES) for key in agents if key not in _AGENTS)
        if not given and not misspelled:
            yield Mistake((section,), "needs brokers (id: URL) or url_template")
        if section == "metrics" and isinstance(entry.get("jolokia"), dict):
            yield Mistake((section,), "is beside jolokia; one of them is enough, and Jolokia tells more")
    for broker in controllers:
        if broker in brokers:
            yield Mistake((section, "controllers", broker), "is in brokers already; list each process once")
    seen: dict[str, Any] = {}
    for part, urls in (("brokers", brokers), ("controllers", controllers)):
        for broker, url in urls.items():
            if isinstance(url, str) and seen.setdefault(url, broker) != broker:
                text = f"has the URL of {field_location((seen[url],))}; each has its own"
                yield Mistake((section, part, broker), text)


def _log_marks(entry: Any) -> Iterator[Mistake]:
    marks, textfile = _mapping(entry, "log_marks"), _mapping(entry, "log_marks", "textfile")
    given = [name for name in _SOURCES if marks.get(name) is not None]
    misspelled = any(closest(key, _SOURCES) for key in marks if key not in _SOURCES)
    if isinstance(entry, dict) and isinstance(entry.get("log_marks"), dict) and len(given) != 1 and not misspelled:
        yield Mistake(
            ("log_marks",), "has loki and textfile; one of them is enough" if given else "needs loki or textfile"
        )
    served = textfile.get("brokers") or textfile.get("url_template") is not None or any(map(_is_broker, textfile))
    if isinstance(marks.get("textfile"), dict) and not served:
        yield Mistake(("log_marks", "textfile"), "needs brokers (id: URL) or url_template")


def _settings(where: tuple[Any, ...], settings: dict[Any, Any]) -> Iterator[Mistake]:
    known = allowed("client")
    for name, value in settings.items():
        if name not in known:
            yield Mistake((*where, name), unknown_name("unknown client setting", name, sorted(known)))
        elif not isinstance(value, str | int | float):
            yield Mistake((*where, name), f"must be text, a number, true or false{instead_of(value)}")


def _clients(entry: Any) -> Iterator[Mistake]:
    for group, settings in _mapping(entry, "client_configs", "groups").items():
        if isinstance(settings, dict):
            yield from _settings(("client_configs", "groups", group), settings)
    producers = _mapping(entry, "client_configs").get("producers")
    for number, producer in enumerate(producers if isinstance(producers, list) else []):
        if isinstance(producer, dict):
            where = ("client_configs", "producers", number)
            named = ("software", "version", "listener", "client_ids")
            own = {name: v for name, v in producer.items() if name not in named}
            yield from _settings(where, own)
            version, software = producer.get("version"), producer.get("software")
            if isinstance(software, str) and software not in SOFTWARE and (meant := closest(software, SOFTWARE, _LIKE)):
                yield Mistake((*where, "software"), f"is no known library; did you mean {meant}?")
            if isinstance(version, str) and isinstance(software, str) and software in SOFTWARE:
                try:
                    version_in(version, next(iter(catalogue().announced)))
                except ValueError:
                    text = "must be a version or range such as 3.2.3, <2.1 or >=2.4,<3.3"
                    yield Mistake((*where, "version"), f"{text}{instead_of(version)}")


def _thresholds(entry: Any) -> Iterator[Mistake]:
    checks = {name: one.thresholds for name, one in load_signatures().items()}
    checks |= {name: one.thresholds for name, one in load_conditions().items() if one.thresholds}
    for check, values in _mapping(entry, "thresholds").items():
        if check not in checks:
            yield Mistake(("thresholds", check), unknown_name("no such signature or condition", check, checks))
            continue
        declared = checks[check]
        for name, value in values.items() if isinstance(values, dict) else ():
            where = ("thresholds", check, name)
            if name not in declared:
                yield Mistake(where, unknown_name("not declared there", name, declared))
            elif isinstance(value, int | float) and not isinstance(value, bool):
                low, high = declared[name].minimum, declared[name].maximum
                if abs(value) < float("inf") and not low <= value <= high:
                    yield Mistake(where, f"must be {low:g} to {high:g}{instead_of(value)}")


def entry_mistakes(entry: Any) -> Iterator[Mistake]:
    """What is wrong between the fields of an entry, or against the catalogues of settings and signatures."""
    yield from _agents(entry, "jolokia")
    yield from _agents(entry, "metrics")
    yield from _log_marks(entry)
    yield from _clients(entry)
    yield from _thresholds(entry)
