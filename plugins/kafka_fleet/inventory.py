"""The fleet file: takes its path, gives the valid clusters and every error at once (contract 4.1).

A broken cluster entry costs only itself; only a file that cannot be parsed stops everything (FleetFileError).
"""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.config_names import allowed
from kafka_fleet.endpoints import server_problem, url_problem
from kafka_fleet.fleet_yaml import FleetFileError, load_yaml
from kafka_fleet.knowledge.signatures import load_signatures

Scalar = str | int | float | bool


def _checked(problem: Any) -> AfterValidator:
    def check(value: str) -> str:
        found = problem(value)
        if found:
            raise ValueError(found)
        return value

    return AfterValidator(check)


def _configs_problem(value: dict[str, Scalar]) -> dict[str, Scalar]:
    unknown = sorted(set(value) - allowed("client"))
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not a client setting that may be declared (see config_names.yaml)")
    return value


Url = Annotated[str, _checked(url_problem)]
Server = Annotated[str, _checked(server_problem)]
Email = Annotated[str, Field(pattern=r"^[^@\s<>,;:\"\\]{1,64}@[A-Za-z0-9.-]{1,190}$")]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
ConnectionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,200}$")]
BrokerId = Annotated[int, Field(ge=0, le=2**31 - 1)]
Configs = Annotated[dict[str, Scalar], AfterValidator(_configs_problem)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Jolokia(_Strict):
    """Where the brokers' Jolokia agents answer: one URL per broker id and/or a template over the advertised host."""

    brokers: dict[BrokerId, Url] = Field(default_factory=dict)
    url_template: str | None = None
    controllers: dict[BrokerId, Url] = Field(default_factory=dict)
    connection: ConnectionId | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> "Jolokia":
        if not self.brokers and self.url_template is None:
            raise ValueError("needs brokers (id: URL) or url_template")
        if self.url_template is not None:
            if self.url_template.count("{host}") != 1 or re.search(r"[{}]", self.url_template.replace("{host}", "")):
                raise ValueError("url_template must contain {host} once and no other braces")
            found = url_problem(self.url_template.replace("{host}", "host.example.org"))
            if found:
                raise ValueError(f"url_template {found}")
        return self


class DeclaredProducers(BaseModel):
    """Producers that an owner declares: library, version range, listener, and their settings."""

    model_config = ConfigDict(extra="allow", frozen=True)
    software: str
    version: str | None = None
    listener: str | None = None

    @model_validator(mode="after")
    def _settings(self) -> "DeclaredProducers":
        _configs_problem(dict(self.__pydantic_extra__ or {}))
        return self


class ClientConfigs(_Strict):
    """What the owner declares of clients that the brokers cannot show."""

    groups: dict[str, Configs] = Field(default_factory=dict)
    producers: list[DeclaredProducers] = Field(default_factory=list)


class Cluster(_Strict):
    """One cluster of the fleet file."""

    id: Slug
    environment: Literal["production", "staging", "development"]
    owners: list[Email] = Field(min_length=1)
    bootstrap_servers: list[Server] = Field(min_length=1)
    kafka_connection: ConnectionId | None = None
    jolokia: Jolokia
    node_exporter: dict[BrokerId, Url] = Field(default_factory=dict)
    client_configs: ClientConfigs = Field(default_factory=ClientConfigs)
    thresholds: dict[str, dict[str, float]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known_thresholds(self) -> "Cluster":
        signatures = load_signatures()
        for signature, values in self.thresholds.items():
            if signature not in signatures:
                raise ValueError(f"thresholds.{signature}: no such signature; allowed: {', '.join(signatures)}")
            declared = signatures[signature].thresholds
            for name, value in values.items():
                if name not in declared:
                    raise ValueError(f"thresholds.{signature}.{name}: not declared; allowed: {', '.join(declared)}")
                low, high = declared[name].minimum, declared[name].maximum
                if not low <= value <= high:
                    raise ValueError(f"thresholds.{signature}.{name}: {value:g} is outside {low:g} to {high:g}")
        return self

    def declaration(self) -> str:
        """This entry as canonical JSON. It holds connection ids and no credentials, so it may be stored."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True)


class FleetError(NamedTuple):
    """One fault of the fleet file."""

    file: str
    cluster: str
    field: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}: cluster {self.cluster}: {self.field}: {self.problem}"


class Fleet(NamedTuple):
    """The valid clusters in file order, and one error per fault."""

    clusters: list[Cluster]
    errors: list[FleetError]

    @property
    def invalid(self) -> dict[str, str]:
        """Sentence per entry that is not run, keyed by its id where that is usable, else by its place."""
        sentences: dict[str, str] = {}
        for error in self.errors:
            if error.cluster != "-":
                text = f"{error.field}: {error.problem}"
                sentences[error.cluster] = f"{sentences[error.cluster]}; {text}" if error.cluster in sentences else text
        return sentences


_TYPES = {
    "missing": "is required",
    "extra_forbidden": "unknown key; allowed: {allowed}",
    "too_short": "needs at least one entry",
}
_PATTERNS = {
    "id": "must be a slug of a-z, 0-9 and inner hyphens, at most 63 characters",
    "owners": "must be e-mail addresses",
}


def _allowed_keys(location: tuple[Any, ...]) -> str:
    model: Any = Cluster
    for part in location[:-1]:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:
            model = field.annotation
    return ", ".join(getattr(model, "model_fields", {}) or ["none"])


def _sentence(fault: Any) -> str:
    kind, location = fault["type"], fault["loc"]
    if kind in _TYPES:
        return _TYPES[kind].format(allowed=_allowed_keys(location))
    if kind == "string_pattern_mismatch" and location and location[0] in _PATTERNS:
        return f"{_PATTERNS[location[0]]}, not {_shown(fault['input'])}"
    message = fault["msg"].removeprefix("Value error, ")
    return (
        message
        if kind == "value_error" and isinstance(fault["input"], dict)
        else f"{message} ({_shown(fault['input'])})"
    )


def _shown(value: Any) -> str:
    text = repr(value)
    if re.search(r"//[^/\s]*@|password|secret|jaas", text, re.IGNORECASE):
        return "the value is not shown, it may hold a secret"
    return text if len(text) <= 80 else text[:77] + "..."


def _label(entry: Any, place: int) -> str:
    name = entry.get("id") if isinstance(entry, dict) else None
    return name if isinstance(name, str) and re.fullmatch(r"[a-z0-9-]{1,63}", name) else f"entry {place}"


def parse_fleet(content: Any, file: str) -> Fleet:
    """Validate the parsed YAML of a fleet file. Raises FleetFileError when it is no fleet file at all."""
    if not isinstance(content, dict) or not isinstance(content.get("clusters"), list):
        raise FleetFileError(f"{file}: must be a mapping with version: 1 and a list of clusters")
    if content.get("version") != 1 or isinstance(content.get("version"), bool):
        raise FleetFileError(f"{file}: version: must be 1, not {_shown(content.get('version'))}")
    errors = [
        FleetError(file, "-", str(key), "unknown key; allowed: version, clusters")
        for key in content
        if key not in ("version", "clusters")
    ]
    if not content["clusters"]:
        errors.append(FleetError(file, "-", "clusters", "needs at least one entry"))
    clusters: dict[str, Cluster] = {}
    for place, entry in enumerate(content["clusters"], start=1):
        label = _label(entry, place)
        try:
            cluster = Cluster.model_validate(entry)
        except ValidationError as error:
            for fault in error.errors():
                where = ".".join(str(part) for part in fault["loc"]) or "entry"
                errors.append(FleetError(file, label, where, _sentence(fault)))
            continue
        if cluster.id in clusters:
            errors.append(
                FleetError(file, f"entry {place}", "id", f"{cluster.id} is used by an earlier entry; ids are unique")
            )
        else:
            clusters[cluster.id] = cluster
    return Fleet(list(clusters.values()), errors)


def load_fleet(path: str | Path) -> Fleet:
    """Read and validate a fleet file. Raises FleetFileError with one sentence when it cannot be parsed."""
    return parse_fleet(load_yaml(Path(path)), str(path))
