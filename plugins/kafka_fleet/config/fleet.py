"""The fleet file: takes its path, gives the valid clusters and every error at once (fleet.example.yaml).

A broken cluster entry costs only itself; only a file that cannot be parsed stops everything (FleetFileError).
"""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from kafka_fleet.base.validation_errors import closest, counted_location, field_location, instead_of, unknown_name
from kafka_fleet.base.yaml import FleetFileError, parse_yaml, read_text
from kafka_fleet.base.yaml_lines import YamlLines
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.client_metrics import ClientMetrics
from kafka_fleet.config.field_types import BrokerId, ConnectionId, Email, Number, Server, Slug, Strict, Template, Url
from kafka_fleet.config.log_marks import LogMarks
from kafka_fleet.config.validation import Mistake, entry_mistakes, model_mistakes
from kafka_fleet.domain import Environment

_KEYS = ("version", "clusters")
Scalar = Any  # text, number or boolean: fleet_sentences says so in one sentence, a union would in four


class Agents(Strict):
    """Where each broker's JVM answers: one URL per broker id and/or a template over the advertised host."""

    brokers: dict[BrokerId, Url] = Field(default_factory=dict)
    url_template: Template | None = None
    controllers: dict[BrokerId, Url] = Field(default_factory=dict)
    connection: ConnectionId | None = None


class Jolokia(Agents):
    """The brokers' Jolokia agents."""


class Metrics(Agents):
    """The brokers' metrics endpoints: the JMX exporter, or what shows the same in Prometheus' text format."""


class DeclaredProducers(BaseModel):
    """Producers that an owner declares: library, version range, listener, and their settings as further keys.

    client_ids: the client.id of each, by which metrics of clients are known to be theirs; null: not said.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    software: str
    version: str | None = None
    listener: str | None = None
    client_ids: list[Annotated[str, Field(min_length=1, max_length=255)]] | None = Field(default=None, max_length=1000)

    @model_serializer(mode="wrap")
    def _as_before(self, usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without client_ids it is what earlier versions stored."""
        plain: dict[str, Any] = usual(self)
        return {name: value for name, value in plain.items() if name != "client_ids" or value is not None}


class ClientConfigs(Strict):
    """What the owner declares of clients that the brokers cannot show."""

    groups: dict[str, dict[str, Scalar]] = Field(default_factory=dict)
    producers: list[DeclaredProducers] = Field(default_factory=list)


class Looks(Strict):
    """How many close looks one sweep of the cluster may make, and how long one takes, in s; None: as its check says."""

    brokers: int = Field(default=3, strict=True, ge=0, le=16)
    seconds: int | None = Field(default=None, strict=True, ge=1, le=20)


class Cluster(Strict):
    """One cluster of the fleet file."""

    id: Slug
    environment: Environment
    owners: list[Email] = Field(min_length=1)
    bootstrap_servers: list[Server] = Field(min_length=1)
    kafka_connection: ConnectionId | None = None
    jolokia: Jolokia | None = None
    metrics: Metrics | None = None
    node_exporter: dict[BrokerId, Url] = Field(default_factory=dict)
    client_configs: ClientConfigs = Field(default_factory=ClientConfigs)
    thresholds: dict[str, dict[str, Number]] = Field(default_factory=dict)
    looks: Looks = Field(default_factory=Looks)
    log_marks: LogMarks | None = None
    client_metrics: ClientMetrics | None = None
    notify: list[Channel] = Field(default_factory=list)

    @property
    def agents(self) -> Agents:
        """What brokers are read by beside the Kafka protocol; without any URL where the protocol is all there is."""
        return self.jolokia or self.metrics or Agents()

    @property
    def read_by(self) -> Literal["jolokia", "metrics"] | None:
        """What answers at the URLs of `agents`; None: nothing is declared."""
        if self.jolokia is not None:
            return "jolokia"
        return "metrics" if self.metrics is not None else None

    def declaration(self) -> str:
        """This entry as canonical JSON. It holds connection ids and no credentials, so it may be stored.

        Without what earlier versions did not know it is what they stored.
        """
        left_out = {name for name in ("notify", "client_metrics") if not getattr(self, name)}
        return json.dumps(self.model_dump(mode="json", exclude=left_out), sort_keys=True)


class FleetError(NamedTuple):
    """One fault of the fleet file. cluster: its id, `entry 2`, or `-`; line: None where no file was read."""

    file: str
    cluster: str
    field: str
    problem: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        whose = "" if self.cluster == "-" else f"cluster {self.cluster}"
        return ": ".join(part for part in (place, whose, self.field, self.problem) if part)


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


def _name(entry: Any) -> str | None:
    name = entry.get("id") if isinstance(entry, dict) else None
    return name if isinstance(name, str) and re.fullmatch(r"[a-z0-9-]{1,63}", name) else None


def _entry(entry: Any) -> tuple[Cluster | None, list[Mistake]]:
    cluster: Cluster | None = None
    mistakes: list[Mistake] = []
    try:
        cluster = Cluster.model_validate(entry)
    except ValidationError as error:
        mistakes += model_mistakes(error, Cluster)
    mistakes += entry_mistakes(entry)
    return (None if mistakes else cluster), mistakes


def _clusters_listed(content: Any, file: str) -> list[Any]:
    """The entries. Raises FleetFileError when it is no fleet file at all."""
    wanted = "must be a mapping with version: 1 and a list of clusters"
    if not isinstance(content, dict):
        raise FleetFileError(file, f"{wanted}{instead_of(content)}")
    if "clusters" not in content:
        slip = next((field_location((key,)) for key in content if closest(key, ["clusters"])), None)
        raise FleetFileError(file, f"{wanted}; it has no key clusters{f', but {slip}' if slip else ''}")
    if not isinstance(content["clusters"], list):
        raise FleetFileError(file, f"clusters: must be a list{instead_of(content['clusters'])}")
    if "version" not in content:
        raise FleetFileError(file, "version: is missing; it must be 1")
    if content["version"] != 1 or isinstance(content["version"], bool):
        raise FleetFileError(file, f"version: must be 1{instead_of(content['version'])}")
    return content["clusters"]


def parse_fleet(content: Any, file: str, lines: YamlLines | None = None) -> Fleet:
    """Validate the parsed YAML of a fleet file. Raises FleetFileError when it is no fleet file at all.

    lines: of the file, for the errors; None where it was read from none.
    """
    entries = _clusters_listed(content, file)

    def fault(label: str, entry: Any, place: tuple[Any, ...], mistake: Mistake) -> FleetError:
        line = lines.line((*place, *mistake.location)) if lines is not None else None
        return FleetError(file, label, counted_location(entry, mistake.location), mistake.problem, line)

    keys = [key for key in content if key not in _KEYS]
    mistakes = [Mistake((key,), unknown_name("unknown key", key, _KEYS)) for key in keys]
    mistakes += [] if entries else [Mistake(("clusters",), "needs at least one entry")]
    errors = [fault("-", content, (), one) for one in mistakes]
    clusters: list[Cluster] = []
    taken: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        name = _name(entry)
        cluster, found = _entry(entry)
        if name in taken:
            found.append(Mistake(("id",), f"{name} is used by an earlier entry; ids are unique"))
        elif cluster is not None:
            clusters.append(cluster)
        label = name if name and name not in taken else f"entry {number}"
        errors += [fault(label, entry, ("clusters", number - 1), one) for one in found]
        if name:
            taken.add(name)
    return Fleet(clusters, errors)


def load_fleet(path: str | Path) -> Fleet:
    """Read and validate a fleet file. Raises FleetFileError with one sentence when it cannot be parsed."""
    text = read_text(Path(path))
    return parse_fleet(parse_yaml(text, Path(path)), str(path), YamlLines(text))
