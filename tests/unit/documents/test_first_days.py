"""Since when a cluster has a finding: what ends a run of days, what does not, what is kept for the next judgement."""

import json
from pathlib import Path

import pytest

from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.first_days import EarlierDays, dated, dated_summary
from kafka_fleet.domain import fingerprint
from kafka_fleet.store.generations import publish
from support.builders.documents import day_summary
from support.builders.letter_rows import finding

BUG, CLUSTER = "KAFKA-14334", "payments-eu"
SHOWN = {"signature": "fetch_latency", "cause": "follower"}


def judged(verdict="confirmed", state="detected", exposure="exposed", reached=True, advisory=BUG):
    """The brief of a day with one finding; `absent`: with none."""
    cause = {} if state == "detected" else {"cause": None}
    row = finding(advisory, verdict, signature_state=state, exposure=exposure, **SHOWN | cause)
    return day_summary([] if verdict == "absent" else [row], {"fetch_latency": state}, reached, {}, "3.3.1")


SEEN = judged()
QUIET = judged("exposed", "quiet")
BLIND = judged("unknown", "not_evaluated", "unknown")
UNREACHED = judged("unknown", "not_evaluated", "unknown", reached=False)
FIXED = judged("absent", "quiet")
SAME_ON_FIXED = judged("look_alike", "detected", "not_exposed")
GUESSED = judged("exposed", "not_evaluated")
NO_ISSUE = judged("look_alike", advisory=None)
NO_DAY = None


def day(number: int) -> str:
    return f"2026-11-{number:02}"


def write(home: Path, ds: str, brief) -> None:
    folder = home / f"findings/ds={ds}"
    (folder / "g0001/verdicts").mkdir(parents=True, exist_ok=True)
    (folder / f"g0001/verdicts/{CLUSTER}.json").write_text(json.dumps(brief.plain()))
    publish(folder, "g0001")


def judge(home: Path, days, keeps: bool = True):
    """Judge the days in their order; keeps: as this version does. Gives the last day's first and last day."""
    for number, brief in enumerate(days, start=1):
        if brief is None:
            continue
        found = EarlierDays(home, day(number)).of(CLUSTER, brief)
        write(home, day(number), dated_summary(brief, found) if keeps else brief)
    (one,) = found.values()
    return tuple(int(ds[-2:]) if ds else None for ds in one)


@pytest.mark.parametrize("keeps", [True, False], ids=["as kept", "of earlier versions"])
@pytest.mark.parametrize(
    ("days", "run"),
    [
        ([SEEN], (1, 1)),
        ([SEEN, SEEN, SEEN], (1, 3)),
        ([SEEN, QUIET, SEEN], (3, 3)),  # it was looked for, and not there
        ([SEEN, FIXED, SEEN], (3, 3)),
        ([SEEN, BLIND, NO_DAY, UNREACHED, GUESSED, SEEN], (1, 6)),  # silence is never health
        ([BLIND, SEEN], (2, 2)),  # nor sickness
        ([QUIET, SEEN, SEEN], (2, 3)),  # seen since the second day ...
        ([QUIET, SEEN, SEEN, QUIET], (1, 4)),  # ... and exposed all the time
        ([SEEN, SAME_ON_FIXED], (1, 2)),
        ([SAME_ON_FIXED, SEEN, QUIET], (2, 3)),
        ([FIXED, QUIET, BLIND, QUIET], (2, 4)),
        ([SEEN, SEEN, BLIND], (1, 2)),  # not decided: what was open stays, with its last day
        ([QUIET, SEEN, BLIND, UNREACHED], (2, 2)),
        ([SEEN, SEEN, BLIND, BLIND, SEEN], (1, 5)),
        ([SEEN, FIXED, BLIND], (None, None)),
        ([SEEN, FIXED, BLIND, BLIND, SEEN], (5, 5)),
        ([BLIND, BLIND], (None, None)),
        ([NO_ISSUE, judged("absent", "not_evaluated"), NO_ISSUE], (1, 3)),
        ([NO_ISSUE, judged("absent", "quiet"), NO_ISSUE], (3, 3)),
    ],
)
def test_the_run_of_days(tmp_path: Path, days, run, keeps: bool) -> None:
    assert judge(tmp_path, days, keeps) == run


def test_a_run_is_known_from_the_judgement_before_it_alone(tmp_path: Path) -> None:
    judge(tmp_path, [QUIET, *[SEEN] * 20])
    for number in range(2, 20):
        (tmp_path / f"findings/ds={day(number)}/g0001/verdicts/{CLUSTER}.json").write_text("damaged")
    assert EarlierDays(tmp_path, day(22)).of(CLUSTER, SEEN)[BUG] == (day(2), day(22))
    assert EarlierDays(tmp_path, day(22)).of(CLUSTER, QUIET)[BUG] == (day(1), day(22))  # over the run that was seen


@pytest.mark.parametrize("damaged", [f"g0001/verdicts/{CLUSTER}.json", "_current.json"])
def test_a_judgement_that_cannot_be_read_is_told_and_counts_as_no_day(tmp_path: Path, capsys, damaged: str) -> None:
    judge(tmp_path, [SEEN, SEEN])
    (tmp_path / f"findings/ds={day(2)}" / damaged).write_text("damaged")
    assert EarlierDays(tmp_path, day(3)).of(CLUSTER, SEEN)[BUG] == (day(1), day(3))
    assert f"judge {day(3)}: {CLUSTER}: its judgement of {day(2)} cannot be read" in capsys.readouterr().out


def test_later_days_are_not_looked_at_and_a_second_time_gives_the_same(tmp_path: Path) -> None:
    judge(tmp_path, [SEEN, SEEN, FIXED, SEEN])
    again = dated_summary(SEEN, EarlierDays(tmp_path, day(2)).of(CLUSTER, SEEN))
    assert json.loads((tmp_path / f"findings/ds={day(2)}/g0001/verdicts/{CLUSTER}.json").read_text()) == again.plain()


def test_what_is_not_affected_has_no_days() -> None:
    rows = [Finding.model_validate(finding("KAFKA-1", "not_affected", exposure="not_exposed"))]
    assert [(one.first_day, one.last_day) for one in dated(rows, {})] == [(None, None)]


def test_a_fingerprint_is_of_the_cluster_and_the_finding_and_stays() -> None:
    def of(cluster: str = CLUSTER, advisory: str | None = BUG, **more) -> str:
        return fingerprint(cluster, Finding.model_validate(finding(advisory, "confirmed") | SHOWN | more))

    assert of() == "96c7ccbe9593e132bfe22c137616c2f8"  # other programs keep it: it may never change
    assert of() == of(subjects=["broker 2"], verdict="exposed", release="3.9.1", ds="2026-12-01", cause=None)
    assert of(advisory=None) == "15b056b7858833ddce86b2530a200720"
    assert (
        len({of(), of("other"), of(advisory="KAFKA-1"), of(advisory=None), of(advisory=None, cause="min_bytes")}) == 5
    )
