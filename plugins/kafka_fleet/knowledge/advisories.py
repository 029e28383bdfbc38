"""Known issues: takes the folder `issues/`, gives one validated model per file, or every fault at once.

Adding a bug is adding one file; nothing registers it. The file is named after the id.
"""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.base.catalogue_faults import FaultAt, fault, model_faults
from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.domain import SEVERITIES, Severity, Strength
from kafka_fleet.knowledge.mechanisms import Mechanism, Step, issue_mechanism
from kafka_fleet.knowledge.noticed import Noticed
from kafka_fleet.knowledge.pack import knowledge_folder, per_pack
from kafka_fleet.knowledge.preconditions import Precondition
from kafka_fleet.knowledge.ranges import Affected, parse_affected

Component = Literal[
    "broker", "controller", "client-producer", "client-consumer", "client", "streams", "connect", "host", "topic"
]
Category = Literal[
    "data-integrity",
    "data-loss",
    "latency",
    "memory-leak",
    "observability",
    "operations",
    "performance",
    "security",
    "skew",
    "stuck-replication",
    "unavailability",
]


# who can bring it about: whoever reaches a listener, whoever may log in, whoever has rights of an administrator
Reach = Literal["anyone", "login", "privileged"]

SERVER = frozenset({"broker", "controller"})
CLIENT = frozenset({"client-producer", "client-consumer", "client", "streams", "connect"})

Sentence = Annotated[str, Field(min_length=12, pattern=r"[.!]$")]


Frame = Annotated[str, Field(pattern=r"^(kafka|org\.apache\.kafka)\.[\w.$]+\.[\w$]+$", max_length=200)]


class AdvisoryError(ValueError):
    """Advisory files are not valid; the text names file and field of every fault, one per line."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AffectedReleases(_Strict):
    """Which Apache releases have it, as texts; `releases` is the set. Semantics: see ranges.py.

    never_released: the fault came and went while a release was made, so no published one has it.
    """

    introduced: str | None = None
    fixed: list[str] = []
    ranges: list[str] = []
    lines_without_fix: list[str] = []
    never_released: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> "AffectedReleases":
        _ = self.releases
        return self

    @cached_property
    def releases(self) -> Affected:
        """The set of affected releases."""
        return parse_affected(self.introduced, self.fixed, self.ranges, self.lines_without_fix, self.never_released)


class ShownBy(_Strict):
    """The signature and those of its causes that show this issue.

    where `affected_broker`: the broker that shows the symptom is the one with the bug, so in a half-rolled cluster a
    symptom on upgraded brokers only does not confirm it.
    strength: the most that the symptom says of this issue. `suggestive` where releases that are affected show the same
    for want of something else, and a precondition that nothing measures decides.
    proven_by: the value without which a conclusive detection proves its cause and not this issue; null: none is needed.
    A detection with that of another issue alone does not point to this one.
    cycle: class.method of what its threads are in, all of which have to be on the stacks of one circle of threads that
    wait for each other: without such a circle a detection proves its cause and not this issue. Empty: none is needed.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    causes: list[str] = Field(min_length=1)
    where: Literal["affected_broker", "anywhere"] = "anywhere"
    strength: Strength = "conclusive"
    proven_by: str | None = None
    cycle: list[Frame] = []


class Advisory(_Strict):
    """One known issue in own sentences. `affected: null` means that no release decides (a setting, an operation).

    reach: of a security issue, who can bring it about. partitions_per_broker: from about so many on it was seen; null:
    at any size. Both weigh an exposure and decide none.
    noticed_as: what an owner sees of it, where no signature's causes say it already.
    picture: steps of its mechanism, 3 to 10, where no signature's picture shows it; see mechanisms.ACTORS.
    """

    id: str = Field(pattern=r"^(KAFKA-[1-9]\d*|CVE-\d{4}-\d{4,}|KIP-[1-9]\d*|[A-Z]+-[A-Z0-9.-]+)$")
    title: str = Field(min_length=10, max_length=140)
    components: list[Component] = Field(min_length=1)
    severity: Severity
    category: Category
    summary: Sentence
    noticed_as: list[Noticed] = []
    mechanism: Sentence
    picture: list[Step] = []
    affected: AffectedReleases | None
    preconditions: list[Precondition] = []
    signature: ShownBy | None
    workaround: Sentence
    why_upgrade: Sentence
    upgrade_component: Component
    reach: Reach | None = None
    partitions_per_broker: int | None = Field(default=None, ge=1)
    sources: list[str] = Field(min_length=1)
    confidence: Literal["high", "medium", "low"]
    notes: str | None = None

    @model_validator(mode="after")
    def _coherent(self) -> "Advisory":
        if self.upgrade_component not in self.components:
            text = f"upgrade_component {self.upgrade_component} is not among components"
            raise FaultAt(("upgrade_component",), text)
        for name, values in (
            ("components", self.components),
            ("preconditions", [p.id for p in self.preconditions]),
            ("signature.causes", self.signature.causes if self.signature else []),
        ):
            if len(set(values)) != len(values):
                raise ValueError(f"{name} repeats an entry")
        try:
            _ = self.drawn
        except ValueError as error:
            raise FaultAt(("picture",), str(error)) from error
        return self

    @cached_property
    def drawn(self) -> Mechanism | None:
        """The picture of its own mechanism; None where it has none. Raises ValueError."""
        return issue_mechanism(self.title, self.picture) if self.picture else None

    @property
    def security(self) -> bool:
        """Whether it is a security matter, which upgrade targets weigh apart from faults in operation."""
        return self.category == "security"

    @property
    def setting(self) -> bool:
        """Whether it is a trap in the owner's own settings: no upgrade brings it, so no target opens it."""
        return self.id.startswith("CFG-")

    @cached_property
    def families(self) -> frozenset[str]:
        """`server` and/or `client`: which fleet an upgrade would have to touch. Empty for host and topic."""
        parts = set(self.components)
        return frozenset(name for name, family in (("server", SERVER), ("client", CLIENT)) if parts & family)

    @cached_property
    def rank(self) -> int:
        """0 is critical, 4 is info: sorts worst first."""
        return SEVERITIES.index(self.severity)


def _faults(file: Path, content: Any) -> tuple[Advisory | None, list[str]]:
    try:
        advisory = Advisory.model_validate(content)
    except ValidationError as error:
        return None, model_faults(file, content, Advisory, error, file.name)
    if advisory.id != file.stem:
        return None, [fault(file, ("id",), f"{advisory.id} differs from the file name", file.name)]
    return advisory, []


def _unreadable(file: Path, error: FleetFileError) -> str:
    """The fault with the file's own name."""
    return f"{file.name}{str(error).removeprefix(str(file))}"


def _faults_of_names(files: list[Path], contents: dict[Path, Any]) -> list[str]:
    """Files that nobody would load, and two files for one issue, however either spells it."""
    faults = [f"{file.name}: file: an advisory file ends in .yaml" for file in files if file.suffix != ".yaml"]
    seen: dict[str, Path] = {}
    for file in files:
        content = contents.get(file)
        inside = content.get("id") if isinstance(content, dict) else None
        for name in dict.fromkeys((file.stem.casefold(), str(inside or file.stem).strip().casefold())):
            other = seen.setdefault(name, file)
            if other != file:
                faults.append(f"{file.name}: id: {other.name} is already the file of {name.upper()}")
    return faults


def issues_folder() -> Path:
    """Where the files of the pack that is used are."""
    return knowledge_folder() / "issues"


@per_pack
def load_advisories(folder: Path | None = None) -> dict[str, Advisory]:
    """Every advisory by id, sorted. Raises AdvisoryError with one line per fault of any file."""
    root = folder or issues_folder()
    files = sorted(file for file in root.iterdir() if not file.name.startswith("."))
    advisories: dict[str, Advisory] = {}
    contents: dict[Path, Any] = {}
    faults: list[str] = []
    for file in (file for file in files if file.suffix == ".yaml"):
        try:
            contents[file] = load_yaml(file)
        except FleetFileError as error:
            faults.append(_unreadable(file, error))
            continue
        advisory, found = _faults(file, contents[file])
        faults += found
        if advisory is not None:
            advisories[advisory.id] = advisory
    faults += _faults_of_names(files, contents)
    if faults:
        raise AdvisoryError("\n".join(faults))
    if not advisories:
        raise AdvisoryError(f"{root} holds no advisory")
    return dict(sorted(advisories.items()))
