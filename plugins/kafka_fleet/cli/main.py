"""The command line (docs/reference/command_line.md): parses arguments, calls the functions that the DAGs call.

Exit code: 0 done (also with partial coverage, which is shown), 2 bad input (one sentence on stderr), 1 failure, or
nothing was measured.
"""

import argparse
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli import commands, timeline
from kafka_fleet.cli import fleet as fleet_commands
from kafka_fleet.cli.late import late
from kafka_fleet.cli.prometheus import import_history, step_of
from kafka_fleet.cli.retain import retain
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.store.bucket import open_home, unreachable
from kafka_fleet.store.generations import checked_day
from kafka_fleet.store.versions import NewerVersion

Command = Callable[[argparse.Namespace], int]


def _day(text: str) -> str:
    try:
        return checked_day(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error  # argparse shows the text of no other error


def _step(text: str) -> timedelta:
    try:
        return step_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kafka-fleet", description="Which of Kafka's known bugs do our clusters have?"
    )
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(
        name: str, run: Command, about: str, fleet: bool | None, home: bool = True, ds: bool = True
    ) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=about, description=about)
        sub.set_defaults(run=run)
        if fleet is not None:
            sub.add_argument("--fleet", type=Path, required=fleet, metavar="F", help="fleet file")
        if home:
            sub.add_argument(
                "--home",
                required=True,
                metavar="H",
                help="folder, or s3a://bucket/prefix, that holds raw/ and the rest",
            )
        if ds:
            sub.add_argument("--date", type=_day, required=True, metavar="D", help="the day, YYYY-MM-DD in UTC")
        return sub

    check = verb("check", fleet_commands.check, "validate the fleet file", True, home=False, ds=False)
    check.add_argument(
        "--connections", action="store_true", help="a connection that is not defined here is an error, exit code 2"
    )
    collect = verb("collect", commands.collect, "one sweep now; prints a coverage table", True, ds=False)
    collect.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    past = verb("import", import_history, "sweeps of past days, from what a Prometheus scraped", True, ds=False)
    past.add_argument("--prometheus", required=True, metavar="URL", help="where its HTTP API is, without /api")
    past.add_argument("--from", dest="first", type=_day, required=True, metavar="D", help="the first day, in UTC")
    past.add_argument("--to", dest="last", type=_day, required=True, metavar="D", help="the last day, in UTC")
    past.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    past.add_argument("--step", type=_step, default="10m", metavar="S", help="between two sweeps: 10m, 30s, 1h")
    past.add_argument("--map", type=Path, metavar="FILE", help="which series are whose, and names of your own")
    past.add_argument("--connection", metavar="ID", help="the connection that has the credentials")
    analyze = verb("analyze", commands.analyze, "facts, signatures and findings of a day, through spark-submit", False)
    analyze.add_argument("--signature", action="append", default=[], metavar="S", help="only this one; repeatable")
    findings = verb("findings", commands.findings, "the day's findings", None)
    findings.add_argument("--format", choices=["json", "table"], default="table", help="default: table")
    findings.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    findings.add_argument(
        "--verdict", action="append", default=[], choices=list(VERDICT_RANK), help="only this verdict; repeatable"
    )
    verb("report", commands.report, "write the day's letters and the fleet page", True)
    mail = verb("mail", commands.mail, "send what is due, by the outbox", True)
    mail.add_argument("--dry-run", action="store_true", help="show what would be sent")
    about = "whether a day's letters are published and mailed by the deadline; exit code 1 where they are late"
    watch = verb("late", late, about, None, ds=False)
    watch.add_argument("--date", type=_day, metavar="D", help="the day; without it the newest whose deadline is over")
    watch.add_argument("--mail", action="store_true", help="tell the platform's owners, once; exit code 0 then")
    acknowledge = verb(
        "acknowledge", fleet_commands.acknowledge, "accept a finding as it stands on a day", True, home=False, ds=False
    )
    acknowledge.add_argument("--home", metavar="H", help="folder or bucket with the day's findings")
    acknowledge.add_argument("--date", type=_day, metavar="D", help="the day on which the finding is as it is accepted")
    acknowledge.add_argument("--cluster", required=True, metavar="ID", help="the cluster that has it")
    acknowledge.add_argument("--finding", required=True, metavar="KEY", help="its advisory, such as KAFKA-14334")
    acknowledge.add_argument("--reason", help="why it is accepted, for those who review the file")
    acknowledge.add_argument("--owner", metavar="MAIL", help="who answers for that")
    acknowledge.add_argument("--expires", type=_day, metavar="D", help="the last day on which it holds")
    acknowledge.add_argument("--remove", action="store_true", help="take it back; needs fleet, cluster, finding alone")
    keep = verb(
        "retain", retain, "delete what no day needs any more; says what, and does it with --delete", None, ds=False
    )
    keep.add_argument(
        "--keep-raw-days", type=int, required=True, metavar="N", help="so many stored days stay, besides the last"
    )
    keep.add_argument("--delete", action="store_true", help="do it")
    keep.add_argument("--clock-is-right", action="store_true", help="though the last sweep is days old by it")
    history = verb("history", timeline.history, "what was found when, and what an upgrade did", None, ds=False)
    history.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    about = "stored days by today's rules: when would each finding first have fired? Publishes nothing"
    replay = verb("replay", timeline.replay, about, False, ds=False)
    replay.add_argument("--signature", action="append", default=[], metavar="S", help="only this one; repeatable")
    replay.add_argument("--advisory", action="append", default=[], metavar="A", help="only this one; repeatable")
    for sub in (history, replay):
        sub.add_argument("--from", dest="first", type=_day, required=True, metavar="D", help="the first day")
        sub.add_argument("--to", dest="last", type=_day, required=True, metavar="D", help="the last day")
        sub.add_argument("--format", choices=["json", "table"], default="table")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    options = _parser().parse_args(arguments)
    try:
        if getattr(options, "home", None) is not None:
            options.home = open_home(options.home)
        code: int = options.run(options)
        return code
    except (UsageError, NewerVersion) as error:
        print(f"kafka-fleet: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"kafka-fleet: {error.filename or options.verb}: {error.strerror or error}", file=sys.stderr)
        return 1
    except unreachable() as error:
        print(f"kafka-fleet: {options.verb}: {error}", file=sys.stderr)
        return 1
