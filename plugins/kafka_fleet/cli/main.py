"""The command line (docs/reference/command_line.md): parses arguments, calls the functions that the DAGs call.

Exit code: 0 done (also with partial coverage, which is shown), 2 bad input (one sentence on stderr), 1 failure, or
nothing was measured; of `discover`: source and fleet file differ. Of `ready` and `what-if` 3: something that decides
was not measured.
"""

import argparse
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli import commands, timeline
from kafka_fleet.cli import fleet as fleet_commands
from kafka_fleet.cli.agent_files import add_agent_files
from kafka_fleet.cli.discover import add_discover
from kafka_fleet.cli.export import add_export
from kafka_fleet.cli.exporter_rules import exporter_rules
from kafka_fleet.cli.knowledge import add_knowledge
from kafka_fleet.cli.late import late
from kafka_fleet.cli.notify import add_notify
from kafka_fleet.cli.prometheus import import_history, step_of
from kafka_fleet.cli.retain import retain
from kafka_fleet.cli.roll_verbs import add_roll_verbs
from kafka_fleet.cli.tidy import tidy
from kafka_fleet.cli.trial import try_day
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.knowledge.advisories import AdvisoryError
from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.store.bucket import open_home, unreachable
from kafka_fleet.store.home_names import checked_day
from kafka_fleet.store.knowledge_packs import use_chosen
from kafka_fleet.store.versions import NewerVersion

Command = Callable[[argparse.Namespace], int]
VERDICTS = sorted(VERDICT_RANK, key=VERDICT_RANK.__getitem__, reverse=True)


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


def command_parser() -> argparse.ArgumentParser:
    """All verbs with their options; docs/reference/command_line.md is made from it."""
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
                help="folder or s3a://bucket/prefix with all stored data",
            )
        if ds:
            sub.add_argument("--date", type=_day, required=True, metavar="D", help="the day, YYYY-MM-DD in UTC")
        return sub

    about = (
        "judge a recorded day of three real clusters, and show its letters and page; takes no brokers and no Airflow"
    )
    trial = verb("try", try_day, about, None, home=False, ds=False)
    trial.add_argument("--home", metavar="H", help="folder for all that is written; default: a new temporary one")
    trial.add_argument("--no-open", dest="open", action="store_false", help="do not open the page in a browser")
    text = "serve the page on 127.0.0.1 until Ctrl+C; default of PORT: a free one"
    trial.add_argument("--serve", nargs="?", type=int, const=0, metavar="PORT", help=text)
    about = "validate the fleet file, or the files of known issues, signatures and conditions"
    check = verb("check", fleet_commands.check, about, False, home=False, ds=False)
    check.add_argument(
        "--catalogues",
        action="store_true",
        help="validate known issues, signatures, conditions, plots and marts; takes no fleet file, or one besides",
    )
    check.add_argument(
        "--connections",
        action="store_true",
        help="a connection that is not defined here, or that its channel cannot use, is an error, exit code 2",
    )
    about = "print the JMX exporter's rules that show all that is read, or what a cluster's endpoints lack"
    add_discover(verbs)
    add_agent_files(verb)
    rules = verb("exporter-rules", exporter_rules, about, None, home=False, ds=False)
    rules.add_argument("--home", metavar="H", help="folder or s3a://bucket/prefix with all stored data")
    text = "what to add to the rules, or to the allow list, of this cluster's endpoints"
    rules.add_argument("--cluster", metavar="ID", help=text)
    text = "the allow list of Strimzi's metrics reporter that shows all that is read, in the place of rules"
    rules.add_argument("--allow-list", action="store_true", help=text)
    collect = verb(
        "collect", commands.collect, "measure every cluster once, now; print a coverage table", True, ds=False
    )
    collect.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    past = verb("import", import_history, "write sweeps of past days from what a Prometheus scraped", True, ds=False)
    past.add_argument("--prometheus", required=True, metavar="URL", help="base URL of its HTTP API, without /api")
    past.add_argument("--from", dest="first", type=_day, required=True, metavar="D", help="the first day, in UTC")
    past.add_argument("--to", dest="last", type=_day, required=True, metavar="D", help="the last day, in UTC")
    past.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    past.add_argument(
        "--step", type=_step, default="10m", metavar="S", help="time between two sweeps: 10m (default), 30s, 1h"
    )
    past.add_argument("--map", type=Path, metavar="FILE", help="file that maps series to clusters and renames metrics")
    past.add_argument("--connection", metavar="ID", help="connection id of the credentials")
    analyze = verb(
        "analyze", commands.analyze, "compute the facts, signatures and findings of a day with spark-submit", False
    )
    analyze.add_argument(
        "--signature", action="append", default=[], metavar="S", help="only this signature; repeatable"
    )
    findings = verb("findings", commands.findings, "print the findings of a day", None)
    findings.add_argument("--format", choices=["json", "table"], default="table", help="default: table")
    findings.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    findings.add_argument(
        "--verdict", action="append", default=[], choices=VERDICTS, help="only this verdict; repeatable"
    )
    verb("report", commands.report, "write the letters of a day and the fleet page", True)
    mail = verb("mail", commands.mail, "send the letters that the outbox shows as not sent yet", True)
    mail.add_argument("--dry-run", action="store_true", help="print what would be sent, and send nothing")
    add_notify(verb, _day)
    about = "check whether the letters of a day were published and mailed by the deadline; exit code 1 if they are late"
    watch = verb("late", late, about, None, ds=False)
    watch.add_argument(
        "--date", type=_day, metavar="D", help="the day; default: the newest day whose deadline has passed"
    )
    watch.add_argument("--mail", action="store_true", help="notify the platform owners once; the exit code is then 0")
    acknowledge = verb(
        "acknowledge",
        fleet_commands.acknowledge,
        "accept a finding in the state that it has on a day",
        True,
        home=False,
        ds=False,
    )
    acknowledge.add_argument("--home", metavar="H", help="folder or s3a://bucket/prefix with all stored data")
    acknowledge.add_argument("--date", type=_day, metavar="D", help="the day whose finding is accepted, YYYY-MM-DD")
    acknowledge.add_argument("--cluster", required=True, metavar="ID", help="the cluster with the finding")
    acknowledge.add_argument(
        "--finding", required=True, metavar="KEY", help="the advisory of the finding, such as KAFKA-14334"
    )
    acknowledge.add_argument("--reason", metavar="TEXT", help="why it is accepted")
    acknowledge.add_argument("--owner", metavar="MAIL", help="mail address of the person who is responsible")
    acknowledge.add_argument("--expires", type=_day, metavar="D", help="the last day of the acknowledgement")
    acknowledge.add_argument(
        "--remove", action="store_true", help="remove the acknowledgement; needs only --fleet, --cluster and --finding"
    )
    keep = verb("retain", retain, "list raw data that no day needs any more; delete it with --delete", None, ds=False)
    keep.add_argument(
        "--keep-raw-days",
        type=int,
        required=True,
        metavar="N",
        help="how many stored days to keep before the newest one",
    )
    keep.add_argument("--delete", action="store_true", help="delete what is listed")
    keep.add_argument(
        "--clock-is-right",
        action="store_true",
        help="delete although the last sweep is days old by the clock of this machine",
    )
    about = "delete raw files that no reader needs, and days of raw beyond KAFKA_FLEET_KEEP_RAW_DAYS where that is set"
    verb("tidy", tidy, about, None, ds=False)
    history = verb(
        "history", timeline.history, "print what was found when, and what changed with each upgrade", None, ds=False
    )
    history.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    about = "judge stored days by the current rules and print when each finding would have fired first; publish nothing"
    replay = verb("replay", timeline.replay, about, False, ds=False)
    replay.add_argument("--signature", action="append", default=[], metavar="S", help="only this signature; repeatable")
    replay.add_argument("--advisory", action="append", default=[], metavar="A", help="only this advisory; repeatable")
    for sub in (history, replay):
        sub.add_argument("--from", dest="first", type=_day, required=True, metavar="D", help="the first day")
        sub.add_argument("--to", dest="last", type=_day, required=True, metavar="D", help="the last day")
        sub.add_argument("--format", choices=["json", "table"], default="table", help="default: table")
    add_export(verb, _day)
    add_knowledge(verb, _day)
    add_roll_verbs(verb, _day)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    options = command_parser().parse_args(arguments)
    try:
        if getattr(options, "home", None) is not None:
            options.home = open_home(options.home)
            if options.verb not in ("knowledge", "collect"):  # the one asks for packs by name, the other does itself
                use_chosen(options.home)
        code: int = options.run(options)
        return code
    except (UsageError, NewerVersion) as error:
        print(f"kafka-fleet: {error}", file=sys.stderr)
        return 2
    except (AdvisoryError, CatalogueError) as error:
        print(f"kafka-fleet: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"kafka-fleet: {error.filename or options.verb}: {error.strerror or error}", file=sys.stderr)
        return 1
    except unreachable() as error:
        print(f"kafka-fleet: {options.verb}: {error}", file=sys.stderr)
        return 1
