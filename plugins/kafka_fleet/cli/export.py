"""`kafka-fleet export`: what is judged or known, one file each, in a format that other programs read."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kafka_fleet.base.errors import UsageError
from kafka_fleet.documents.published import NotPublished, Published
from kafka_fleet.export.openvex import openvex
from kafka_fleet.export.osv import osv_id, osv_record
from kafka_fleet.export.packages import checked_purl, is_defect
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.formatting import plural
from kafka_fleet.store.files import list_names
from kafka_fleet.store.home import Home

Documents = Iterator[tuple[str, dict[str, Any]]]


def add_export(verb: Callable[..., argparse.ArgumentParser], day: Callable[[str], str]) -> None:
    """Add the verb. day: parses a day."""
    about = "write the verdicts of a day as OpenVEX, or the known issues as OSV"
    sub = verb("export", export, about, None, home=False, ds=False)
    sub.add_argument("--format", choices=["openvex", "osv"], required=True, help="openvex: verdicts; osv: known issues")
    sub.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for one file per document")
    sub.add_argument("--home", metavar="H", help="folder or s3a://bucket/prefix with all stored data; of openvex")
    sub.add_argument("--date", type=day, metavar="D", help="the day, YYYY-MM-DD in UTC; of openvex")
    sub.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    sub.add_argument(
        "--author",
        default="Kafka Fleet Health",
        metavar="WHO",
        help="who makes the statements of openvex: your company",
    )
    about = "a product that the statements of openvex are about beside the cluster, such as an image; repeatable"
    sub.add_argument("--product", action="append", default=[], metavar="PURL", help=about)


def export(options: argparse.Namespace) -> int:
    """Write the documents; a second run writes the same bytes."""
    openvex_only = [name for name in ("home", "date", "cluster", "product") if getattr(options, name)]
    if options.format == "osv" and openvex_only:
        raise UsageError(f"--{openvex_only[0]} is of --format openvex: known issues are of no day and cluster")
    if options.format == "openvex" and not (options.home and options.date):
        raise UsageError("--format openvex needs --home and --date")
    for one in options.product:
        try:
            checked_purl(one)
        except ValueError as error:
            raise UsageError(f"--product {error}") from error
    options.output.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, document in _osv() if options.format == "osv" else _openvex(options):
        text = json.dumps(document, ensure_ascii=True, indent=2) + "\n"
        (options.output / name).write_text(text, encoding="ascii")
        count += 1
    print(f"{plural(count, 'file')} in {options.output}")
    return 0


def _osv() -> Documents:
    known = load_advisories().values()
    for advisory in known:
        if is_defect(advisory):
            yield f"{osv_id(advisory.id)}.json", osv_record(advisory)
    rest = sum(not is_defect(advisory) for advisory in known)
    are = plural(rest, "known issue is no defect", "known issues are no defects")
    print(f"{are} of a release and are left out", file=sys.stderr)


def _openvex(options: argparse.Namespace) -> Documents:
    """Raises UsageError for a day or cluster that is not judged."""
    source = Published(options.home)
    try:
        generation = source.generation(options.date)
    except NotPublished as error:
        raise UsageError(str(error)) from error
    folder = Home(options.home).generation(options.date, generation).clusters
    judged = sorted(name.removesuffix(".json") for name in list_names(folder) if name.endswith(".json"))
    if unknown := sorted(set(options.cluster) - set(judged)):
        raise UsageError(f"{options.date} has no cluster {', '.join(unknown)}")
    named = set()
    for cluster in options.cluster or judged:
        try:
            report = source.cluster_report(options.date, cluster)
            findings = source.findings(options.date, cluster)
        except NotPublished as error:
            raise UsageError(str(error)) from error
        found = openvex(report, findings, load_advisories(), options.author, int(generation[1:]), options.product)
        if found is None:
            print(f"{cluster}: nothing was judged of it", file=sys.stderr)
            continue
        named |= {product["@id"] for statement in found["statements"] for product in statement["products"]}
        yield f"{cluster}.openvex.json", found
    for purl in sorted(set(options.product) - named):
        print(f"{purl}: no statement is about it", file=sys.stderr)
