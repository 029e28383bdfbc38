"""What each verb of the command line does: takes its parsed options, gives its exit code."""

import argparse
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from kafka_fleet.base import parallel
from kafka_fleet.base.driver_jvm import driver_environment
from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import spark_application, sql_dir
from kafka_fleet.cli.findings_table import HEAD, select, table_rows
from kafka_fleet.cli.fleet import acknowledged_of, chosen, fleet_of
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.collect.sweep_result import SweepResult
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.documents.finding import Finding, parsed_findings
from kafka_fleet.knowledge.pack import used_pack
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.mail.delivery import DeliveryResult
from kafka_fleet.mail.digest import digest_owners, mail_digest
from kafka_fleet.mail.dispatch import LetterError, mail_letter
from kafka_fleet.mail.mailing_status import note_mailed
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.smtp_settings import SmtpSettingsError, from_environment
from kafka_fleet.report import render
from kafka_fleet.store.bucket import address
from kafka_fleet.store.excluded_clusters import set_aside
from kafka_fleet.store.generations import claim_generation, current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.knowledge_packs import use_for_sweeps
from kafka_fleet.store.raw.compaction import compact_finished
from kafka_fleet.store.raw.manifests import manifests
from kafka_fleet.store.versions import NewerVersion, document


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under their heads, each column as wide as its widest cell."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def collect(options: argparse.Namespace) -> int:
    """`kafka-fleet collect`: one sweep of each cluster, a few clusters at a time."""
    fleet = fleet_of(options)
    wanted = chosen(fleet, options.cluster)
    if doubt := use_for_sweeps(options.home):
        print(f"kafka-fleet: {doubt}", file=sys.stderr)
    resolver = local_credentials()
    on_terminal = sys.stderr.isatty()

    def say(line: str) -> None:
        if on_terminal:
            print(line, file=sys.stderr, flush=True)

    say(f"measuring {len(wanted)} clusters, {min(parallel.PARALLEL, len(wanted))} at a time")
    results: list[SweepResult] = parallel.run_in_parallel(
        wanted, lambda one: one.id, lambda one: sweep_cluster(one, options.home, resolver), parallel.PARALLEL, say
    )
    rows: list[list[Any]] = []
    for result in results:
        brokers = result.brokers or [(-1, "failed", "no broker is known", None)]
        for broker, outcome, kind, detail in brokers:
            name = "-" if broker < 0 else broker
            looks = [f"close look {came}" for looked, came in result.looks if looked == broker]
            told = "; ".join([*([detail] if detail else []), *looks])
            rows.append([result.cluster, name, f"{outcome}({kind})" if kind else outcome, result.admin.outcome, told])
    table(["cluster", "broker", "read", "admin", "detail"], rows)
    for result in results:
        if result.overtaken:
            print(result.overtaken)
        if result.admin.detail:
            print(f"{result.cluster}: admin protocol {result.admin.outcome}: {result.admin.detail}")
    for label, sentence in fleet.invalid.items():
        print(f"{label}: not run: {sentence}")
    return 1 if all(result.all_failed for result in results) else 0


def analyze(options: argparse.Namespace) -> int:
    """`kafka-fleet analyze`: facts, signatures and findings in one spark-submit."""
    if options.fleet is not None:
        fleet_of(options)
    known = load_signatures()
    unknown = sorted(set(options.signature) - set(known))
    if unknown:
        raise UsageError(f"no signature {', '.join(unknown)}; there are: {', '.join(known)}")
    whole, damaged = manifests(options.home, options.date)
    for one in damaged:
        print(f"{one.cluster}: the sweep {one.sweep} is not used: {one.reason}", file=sys.stderr)
    if not whole:
        raise UsageError(
            f"{options.date}: no sweep is stored under {options.home}; a day cannot be measured afterwards"
        )
    for line in compact_finished(options.home, options.date):
        print(line, file=sys.stderr)
    arguments = ["analyze", "--home", address(options.home), "--ds", options.date]
    generation = claim_generation(options.home, options.date)
    arguments += ["--generation", generation, "--sql", str(sql_dir()), "--knowledge", used_pack().handle]
    arguments += ["--fleet", str(options.fleet.resolve())] if options.fleet is not None else []
    arguments += ["--signatures", ",".join(options.signature)] if options.signature else []
    code = submit(arguments, sum(file.rows for one in whole for file in one.files.values()))
    for cluster, why in set_aside(options.home, options.date, generation).items():
        print(f"{cluster}: {why}")
    return code


def submit(arguments: list[str], rows: int, log: IO[bytes] | None = None) -> int:
    """Run spark-submit of this Python's pyspark; its own talk goes to the log, else to stderr. 1 when it fails."""
    beside = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(beside), os.environ.get("PATH", "")]),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",  # the master is local[*]: nothing of it needs to be reached from elsewhere
    }
    for name, value in driver_environment(rows).items():
        environment.setdefault(name, value)
    command = [str(beside / "spark-submit"), "--master", "local[*]", str(spark_application()), *arguments]
    done = subprocess.run(command, stdout=log or sys.stderr, stderr=log, env=environment, check=False)
    if done.returncode != 0:
        print(
            f"kafka-fleet: spark-submit ended with {done.returncode}; the day's earlier results stay", file=sys.stderr
        )
        return 1
    return 0


def _judged(home: Path, ds: str) -> tuple[str, list[Finding]]:
    """The published generation of a day and its findings."""
    day = Home(home).day(ds)
    try:
        generation = current_generation(day.findings)
        if generation is None:
            raise UsageError(f"{ds}: nothing is judged under {home}; run analyze first")
        text = day.generation(generation).finding_list.read_bytes()
        found = parsed_findings(document(text, f"what is judged of {ds}"))
    except (UsageError, NewerVersion):
        raise
    except ValueError as error:
        raise OSError(errno.EIO, "the findings are damaged; run analyze again", str(day.findings)) from error
    return generation, found


def findings(options: argparse.Namespace) -> int:
    """`kafka-fleet findings`: the JSON list of docs/reference/findings.md, or a table.

    Without --verdict the table leaves out not_affected.
    """
    _generation, judged = _judged(options.home, options.date)
    if unknown := sorted(set(options.cluster) - {one.cluster for one in judged}):
        raise UsageError(f"{options.date}: no finding is of a cluster {', '.join(unknown)}")
    found = select(judged, options.cluster, options.verdict)
    if options.format == "json":
        json.dump([one.plain() for one in found], sys.stdout, ensure_ascii=False, sort_keys=True, indent=1)
        print()
        return 0
    shown = [one for one in found if options.verdict or one.verdict != "not_affected"]
    table(HEAD, table_rows(shown))
    if not options.verdict:
        print(f"{len(found) - len(shown)} more are not_affected")
    return 0


def report(options: argparse.Namespace) -> int:
    """`kafka-fleet report`: letters and fleet page of the generation that the findings' pointer names."""
    fleet_of(options)
    generation, _found = _judged(options.home, options.date)
    for cluster in sorted(render.read_day(options.home, options.date, generation).reports):
        render.write_letter(options.home, options.date, generation, cluster)
    for path in render.publish(options.home, options.date, generation, acknowledged_of(options).entries):
        print(path)
    return 0


def mail(options: argparse.Namespace) -> int:
    """`kafka-fleet mail`: each cluster's letter to its owners, and digests; one that fails holds no other back."""
    fleet, acknowledged = fleet_of(options), acknowledged_of(options)
    generation, _found = _judged(options.home, options.date)
    try:
        smtp = None if options.dry_run else from_environment()
    except SmtpSettingsError as error:
        raise UsageError(str(error)) from error
    digests = digest_owners({cluster.id: cluster.owners for cluster in fleet.clusters})
    single = {cluster.id: [one for one in cluster.owners if one not in digests] for cluster in fleet.clusters}
    rest = (smtp, options.dry_run, None, acknowledged)
    due: list[tuple[str, Callable[[], DeliveryResult]]] = [
        (name, partial(mail_letter, options.home, options.date, name, owners, *rest))
        for name, owners in single.items()
        if owners
    ]
    due += [(one, partial(mail_digest, options.home, options.date, one, own, *rest)) for one, own in digests.items()]
    failed = False
    for name, send in due:
        try:
            result = send()
        except (LetterError, OutboxError, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
            continue
        print(result.summary())
        failed = failed or not result.ok
    if not failed and not options.dry_run:
        note_mailed(options.home, options.date, generation)
    return 1 if failed else 0
