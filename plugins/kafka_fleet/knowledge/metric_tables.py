"""Metric names of the pack that is used: takes its metric_names.yaml and names of one's own, gives columns by name."""

from kafka_fleet.base.yaml import load_yaml
from kafka_fleet.knowledge.pack import BUILTIN, METRICS, knowledge_folder, per_pack
from kafka_fleet.schema.metric_names import Names, names_of
from kafka_fleet.schema.metric_spelling import Spelling


@per_pack
def shipped_spelling() -> Spelling:
    """The table as it is written; a pack from before it was one of a pack's files has the program's own.

    Raises FleetFileError, pydantic.ValidationError.
    """
    path = knowledge_folder() / METRICS
    return Spelling.model_validate(load_yaml(path if path.is_file() else BUILTIN / METRICS))


def load_names(own: Spelling | None = None) -> Names:
    """The names of the pack, and those of a --map file. Raises as shipped_spelling."""
    return names_of(shipped_spelling(), own)


@per_pack
def shipped_names() -> Names:
    """The names of the pack alone, read once. Raises as shipped_spelling."""
    return load_names()
