"""The allow-list of settings: gives the names whose values may be stored or declared, and those kept as set or not."""

from functools import cache
from importlib.resources import files

import yaml

LONGEST_VALUE = 16 * 1024  # characters; the longest value in use is a list of listeners or of throttled replicas
LONGEST_NAME = 256


@cache
def allowed(kind: str) -> frozenset[str]:
    """Names of one kind: broker, topic or client; `set_or_not` of brokers. Raises KeyError for any other kind."""
    content = yaml.load(files(__package__).joinpath("config_names.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return frozenset(content[kind])
