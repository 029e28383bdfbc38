"""The allow-list of settings: gives the names whose values may be stored or declared, and those told as set or not."""

from functools import cache
from importlib.resources import files

import yaml


@cache
def allowed(kind: str) -> frozenset[str]:
    """Names of one kind: broker, topic or client; `set_or_not` of brokers. Raises KeyError for any other kind."""
    content = yaml.safe_load(files(__package__).joinpath("config_names.yaml").read_text(encoding="utf-8"))
    return frozenset(content[kind])
