"""`kafka-fleet try`: takes a recorded day of three real clusters, judges it, and shows its letters and its page."""

import argparse
import os
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.java import java_home
from kafka_fleet.cli.commands import submit, table
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.mail.published_letter import read_judged
from kafka_fleet.report import render
from kafka_fleet.report.formatting import VERDICTS
from kafka_fleet.report.screen_model import text_of
from kafka_fleet.report.short_letter import ShortLetter
from kafka_fleet.report.templating import wrapped
from kafka_fleet.store.bucket import address, is_uri
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.recorded_day import land_recorded_day

ISSUE = "KAFKA-14334"
FLEET = Path(__file__).with_name("trial_fleet.yaml")
# what the reader of each letter should look at; the order is that of the story
LOOK_AT = {
    "follower331": "A consumer reads from the follower in its rack, and the release has the bug. The mail opens with "
    "what that consumer suffers and the figure that proves it, beside that of a healthy broker.",
    "idle331": f"The same release, and nobody reads from a follower: the mail says that nothing is confirmed, and the "
    f"report has {ISSUE} among what the cluster is merely exposed to.",
    "follower332": f"The same consumer on the release with the fix: {ISSUE} is in neither mail nor report.",
}
_SHOWN = sorted(VERDICT_RANK, key=VERDICT_RANK.__getitem__, reverse=True)
_LOG_LINES = 20  # of Spark's log, where it fails


def try_day(options: argparse.Namespace) -> int:
    """The verb. Exit code 2 without Java, for a folder with sweeps of its own, or a port that is taken."""
    from kafka_fleet.page.app import make_app  # a web framework, which no other verb needs
    from kafka_fleet.page.static_pages import write_pages

    if options.home is not None and is_uri(address(options.home)):
        raise UsageError("try takes a folder: a browser reads what it writes")
    os.environ["JAVA_HOME"] = str(java_home())
    home = Path(options.home or mkdtemp(prefix="kafka-fleet-try-")).resolve()
    app = make_app(lambda: home, [])
    server = None
    if options.serve is not None:
        from kafka_fleet.cli.trial_server import PageServer

        server = PageServer(app, options.serve)  # a port that is taken is said before Spark runs
    ds, sweeps = land_recorded_day(home, LOOK_AT)
    results = home / "try"
    fleet, log = results / "fleet.yaml", results / "spark.log"
    replace_file(fleet, FLEET.read_bytes())
    print(f"{len(sweeps)} sweeps of {len(LOOK_AT)} real clusters, recorded on {ds}; no broker is asked now.")
    print("Spark judges the day; that takes about half a minute ...", flush=True)
    generation = claim_generation(home, ds)
    rows = sum(file.rows for one in sweeps for file in one.files.values())
    arguments = ["analyze", "--home", str(home), "--ds", ds, "--generation", generation, "--fleet", str(fleet)]
    with log.open("wb") as out:
        code = submit(arguments, rows, out)
    if code:
        print("\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES:]), file=sys.stderr)
        return code
    for cluster in LOOK_AT:
        render.write_letter(home, ds, generation, cluster)
    reports = {path.name: path for path in render.publish(home, ds, generation)}
    _verdicts(home, ds, generation)
    for cluster in LOOK_AT:
        subject, letter = _mail(home, ds, generation, cluster)
        mail = results / "mails" / f"{cluster}.html"
        replace_file(mail, letter.html.encode())
        print(f"\n{wrapped(LOOK_AT[cluster], 2, f'{cluster}: ')}")
        for line in (f"Subject: {subject}", *_said(letter)):
            print(wrapped(line, 4, "  "))
        print(f"  mail    {mail}\n  report  {reports[f'{cluster}.html']}")
    page = write_pages(make_app(lambda: home, []), results / "page")
    print(f"\nThe page of the fleet, as it is in Airflow: {page}")
    print(f"Spark's log: {log}")
    print(f"More of the day: kafka-fleet findings --home {home} --date {ds}")
    if options.open and _has_display() and webbrowser.open(server.url if server else page.as_uri()):
        print("The page is open in the browser.")
    if server:
        print(f"The page is served on {server.url} until you press Ctrl+C.", flush=True)
        server.run()
    return 0


def _verdicts(home: Path, ds: str, generation: str) -> None:
    """The clusters with their verdict on the issue that the day is about, and how many findings have which verdict."""
    day = render.read_day(home, ds, generation)
    rows = []
    for cluster in LOOK_AT:
        own = [one for one in day.findings if one.cluster == cluster]
        (verdict,) = [one.verdict for one in own if one.advisory == ISSUE]
        release = next((one.release for one in own if one.release), "?")
        rows.append([cluster, release, verdict, *(sum(one.verdict == shown for one in own) for shown in _SHOWN)])
    print()
    table(["cluster", "release", ISSUE, *(VERDICTS[one].label.lower() for one in _SHOWN)], rows)


def _mail(home: Path, ds: str, generation: str, cluster: str) -> tuple[str, ShortLetter]:
    """Subject and body of the first mail to a cluster's owners."""
    judged = read_judged(home, ds, cluster, generation, Acknowledgements([], []))
    return judged.short(judged.changes(None, None))


def _said(letter: ShortLetter) -> Iterator[str]:
    """The mail's first lines."""
    trouble = letter.screen.trouble
    if trouble is None:
        yield letter.screen.headline
        return
    yield text_of(trouble.what)
    if trouble.proof:
        healthy = f" (healthy: {trouble.proof.healthy})" if trouble.proof.healthy else ""
        yield f"{trouble.proof.value} {trouble.proof.says}{healthy}."
    for label, text in (("Do", trouble.do), ("When", trouble.when), ("Until then", trouble.meanwhile)):
        if text:
            yield f"{label}: {text}"


def _has_display() -> bool:
    """Whether a browser has a screen; on Linux a variable says so, and a text browser would take the terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
