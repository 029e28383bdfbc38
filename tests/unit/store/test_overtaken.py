"""A task that was thought dead goes on when a later run has published its day: refused, at each stage in a sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_fleet.store.generations import Overtaken
from kafka_fleet.store.home_names import POINTER
from support.builders.computed_days import copies, facts, first, judge, report
from support.builders.letter_rows import DS
from support.builders.published_days import confirmed, exposed
from support.homes.stored_days import pointers, published

STAGES = ("facts/broker_days", "facts/cluster_days", "signatures", "findings", "reports")
# what the earlier run does yet, once the later one is done
REST: dict[str, Callable[[Path], None]] = {
    "facts": lambda home: facts(home, "g0002", 7),
    "judge": lambda home: judge(home, "g0002", confirmed()),
    "report": lambda home: report(home, "g0002"),
}


@pytest.mark.fault(45)
@pytest.mark.parametrize("stage", REST)
def test_what_the_later_run_published_stays(tmp_path: Path, stage: str) -> None:
    first(tmp_path)
    done = list(REST)[: list(REST).index(stage)]
    for step in done:
        REST[step](tmp_path)
    facts(tmp_path, "g0003", 3)
    judge(tmp_path, "g0003", exposed())
    report(tmp_path, "g0003")
    followed, letters = pointers(tmp_path), copies(tmp_path)
    assert followed == {f"{stage}/ds={DS}": "g0003" for stage in STAGES}
    before = [published(tmp_path, stage, DS) for stage in STAGES]
    with pytest.raises(Overtaken, match="g0003 is published, g0002 is older and stays unpublished"):
        REST[stage](tmp_path)
    assert pointers(tmp_path) == followed
    assert [published(tmp_path, stage, DS) for stage in STAGES] == before
    assert copies(tmp_path) == letters, "nor do the copies that people link to change"
    assert not list(tmp_path.rglob(f".{POINTER}.tmp"))
