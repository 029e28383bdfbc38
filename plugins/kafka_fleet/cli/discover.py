"""`kafka-fleet discover`: takes what other programs know of clusters, prints or appends blocks of the fleet file."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.text import one_line
from kafka_fleet.cli.discover_input import fleet_text, source_text
from kafka_fleet.cli.discover_words import tell
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.discover.addresses import with_usable_addresses
from kafka_fleet.discover.appending import append_blocks, blocks_text
from kafka_fleet.discover.block_lines import Defaults
from kafka_fleet.discover.blocks import Block
from kafka_fleet.discover.comparison import Comparison, compare
from kafka_fleet.discover.fleet_text import EMPTY, FleetText, parse_text
from kafka_fleet.discover.found import Found, Wanted
from kafka_fleet.discover.sources import SOURCES
from kafka_fleet.report.formatting import plural


def add_discover(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`discover SOURCE [FILE]`."""
    about = (
        "print blocks of the fleet file for the clusters of a source, read from FILE or standard input: "
        f"{', '.join(SOURCES)} (docs/discover.md)"
    )
    said = "\n".join(f"  {name:<10} {source.about}\n{'':<13}{source.usage}" for name, source in SOURCES.items())
    one = verbs.add_parser(
        "discover", help=about, description=about, epilog=f"sources:\n{said}", formatter_class=_KeptLines
    )
    one.set_defaults(run=discover)
    one.add_argument("source", choices=sorted(SOURCES), metavar="SOURCE", help=", ".join(SOURCES))
    one.add_argument("file", nargs="?", default="-", metavar="FILE", help="what is read; - or none: standard input")
    one.add_argument(
        "--fleet", type=Path, metavar="F", help="compare with this fleet file; exit code 1 where source and file differ"
    )
    one.add_argument("--write", action="store_true", help="append what is new to the fleet file, change nothing")
    one.add_argument(
        "--owner", action="append", default=[], metavar="MAIL", help="owner where the source names none; repeatable"
    )
    one.add_argument(
        "--environment",
        choices=["production", "staging", "development"],
        help="environment where the source names none",
    )
    one.add_argument("--listener", metavar="NAME", help="the listener to use, as the source names it")
    one.add_argument(
        "--prefix", default="", metavar="TEXT", help="begins each id, and tells sources of one kind apart, such as eu-"
    )


class _KeptLines(argparse.HelpFormatter):
    """Leaves the lines of the list of sources as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("sources:") else super()._fill_text(text, width, indent)


def discover(options: argparse.Namespace) -> int:
    """Blocks on standard output; with a fleet file what is new, differs or is gone. 0 nothing is, 1 something is."""
    if options.write and options.fleet is None:
        raise UsageError("--write takes --fleet FILE: the fleet file to append to")
    if not re.fullmatch(r"([a-z0-9][a-z0-9-]{0,30})?", options.prefix):
        raise UsageError("--prefix must be at most 31 characters of a-z, 0-9 and hyphens, and begin with no hyphen")
    _check_owners(options.owner)
    label = f"{options.source} --prefix {options.prefix}" if options.prefix else options.source
    wanted, defaults = Wanted(options.listener), Defaults(options.owner, options.environment)
    name, text = source_text(options.file, SOURCES[options.source].usage)
    read, said = SOURCES[options.source].read(text, name, wanted)
    clusters = [with_usable_addresses(one) for one in _once(read, name, said)]
    for sentence in said:
        print(sentence, file=sys.stderr)
    if options.listener and not any(one.name == options.listener for each in clusters for one in each.listeners):
        known = sorted({one_line(one.name, 60) for each in clusters for one in each.listeners if one.name}) or ["none"]
        raise UsageError(f"{name}: has no listener of the name in --listener; it has: {', '.join(known)[:300]}")

    def compared(fleet: FleetText) -> Comparison:
        return compare(clusters, fleet, label, options.prefix, wanted, defaults)

    if options.fleet is None:
        print(EMPTY + blocks_text(compared(parse_text(EMPTY, Path("-"))).new, 2), end="")
        return 0
    if options.write:
        return _write(options.fleet, compared, label)
    result = compared(parse_text(fleet_text(options.fleet), options.fleet))
    print(blocks_text(result.new, 2).removeprefix("\n"), end="\n" if result.new else "")
    tell(result, options.fleet, name, label)
    if result.new:
        print(f"{plural(len(result.new), 'cluster')} not in {options.fleet}, above; --write appends what is new")
    return 1 if result.new or result.waiting or result.differing or result.gone else 0


def _write(path: Path, compared: Callable[[FleetText], Comparison], label: str) -> int:
    results: list[Comparison] = []

    def new(fleet: FleetText) -> list[Block]:
        results.append(compared(fleet))
        return results[-1].new

    append_blocks(path, new)
    result = results[-1]
    for one in result.new:
        state = "appended" if one.complete else "appended as a comment, with what is to be filled in"
        print(f"{one.id} ({one_line(one.found.origin)}): {state}")
    tell(result, path, "what was read", label)
    waits = sum(not one.complete for one in result.new)
    appended = plural(len(result.new), "block") if result.new else "nothing"
    print(f"{path}: {appended} appended{f', {waits} of them to be filled in' if waits else ''}")
    return 0


def _once(read: Iterable[Found], name: str, said: list[str]) -> list[Found]:
    """Each cluster once, by what it is called at the source; the others are told."""
    found: dict[str, Found] = {}
    for one in read:
        if one.origin in found:
            said.append(f"{name}: {one_line(one.origin)} is there twice: the first one is taken")
        found.setdefault(one.origin, one)
    return list(found.values())


def _check_owners(owners: Iterable[str]) -> None:
    entry = {"id": "x", "environment": "production", "owners": list(owners), "bootstrap_servers": ["localhost:9092"]}
    if list(owners) and (errors := parse_fleet({"version": 1, "clusters": [entry]}, "").errors):
        raise UsageError(f"--owner {errors[0].problem}")
