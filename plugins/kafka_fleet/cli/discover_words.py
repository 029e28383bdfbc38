"""A comparison in words: takes what `discover` found beside a fleet file, prints it."""

from pathlib import Path

from kafka_fleet.base.text import one_line
from kafka_fleet.discover.blocks import marker
from kafka_fleet.discover.comparison import Comparison, has_no_address_of
from kafka_fleet.report.formatting import plural


def tell(result: Comparison, path: Path, name: str, label: str) -> None:
    """What differs, waits, is gone, or is of another source."""
    begin = f"{marker(label, '').rstrip()} "
    for entry, found, told in result.differing:
        print(f"{path}, line {entry.line}: {one_line(entry.id, 80)} differs from {one_line(found.origin)}")
        for one in told:
            print(f"-   {one.key}: {one.file}" if one.file else f"-   {one.key} is not there")
            print(f"+   {one.key}: {one.source}")
        if has_no_address_of(entry.raw, found):
            print("    no address is the same: where it is another cluster of that name, --prefix tells them apart")
    if result.differing:
        print(f"- is what {path} says, + what {name} says; change it there by hand")
    for block in result.waiting:
        print(
            f"{one_line(block.found.origin)}: stands in {path} as a comment; fill it in, or delete it and write again"
        )
    for entry in result.gone:
        was = (entry.origin or "").removeprefix(begin)
        print(f"{path}, line {entry.line}: {one_line(entry.id, 80)} is of {was}, which {name} does not have")
    for line in result.left:
        print(f"{path}: a comment of {line.removeprefix(begin)}, which {name} does not have")
    if result.others:
        names = ", ".join(one_line(one.id, 80) for one in result.others)
        print(f"not of this source, left alone: {names}")
    if not (result.new or result.differing or result.waiting or result.gone):
        print(f"{path}: {plural(len(result.same), 'cluster')} of this source, no difference")
