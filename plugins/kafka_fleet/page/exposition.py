"""Prometheus' text format (version 0.0.4): takes metrics with their samples, gives the answer to a scrape.

https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Sample(NamedTuple):
    """One series. labels: of any text; an empty one is left out, which means the same."""

    value: float
    labels: Mapping[str, str] = {}


class Gauge(NamedTuple):
    """A metric with its samples; without any it is left out. about: what it is, in one line."""

    name: str
    about: str
    samples: Iterable[Sample]


def exposition(metrics: Iterable[Gauge]) -> bytes:
    """The body of an answer. Halves of surrogate pairs, which UTF-8 cannot say, become question marks."""
    lines: list[str] = []
    for one in metrics:
        series = [f"{one.name}{_labels(sample.labels)} {_number(sample.value)}" for sample in one.samples]
        if series:
            lines += [f"# HELP {one.name} {one.about}", f"# TYPE {one.name} gauge", *series]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _labels(labels: Mapping[str, str]) -> str:
    shown = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items() if value)
    return f"{{{shown}}}" if shown else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
