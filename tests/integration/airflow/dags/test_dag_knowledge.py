"""A run of fleet_health has one pack of knowledge from its plan to its mails, whatever is chosen meanwhile."""

from typing import Any

import pytest

from kafka_fleet.documents.knowledge import knowledge_of
from kafka_fleet.knowledge.pack import builtin_pack, use_pack, used_pack, using
from kafka_fleet.report import render
from kafka_fleet.store.home import Home
from kafka_fleet.store.knowledge_packs import choose, install
from support.airflow_runs.dag_runs import DS, Runs, spark_left_out
from support.builders.packs import NEWER, pack_files

EXECUTE = "fleet_airflow.spark_submit.FleetSparkSubmit.execute"


@pytest.fixture(autouse=True)
def the_programs_own():
    with using(builtin_pack()):
        yield


@pytest.mark.sampled("dag-knowledge")
def test_a_run_uses_the_pack_that_was_chosen_when_it_began(run: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    install(run.home, pack_files(), "it", older=False)
    choose(run.home, NEWER, older=False)
    run.land()
    written: list[str] = []

    def spark(task: Any, context: Any) -> None:
        words = task.application_args
        assert words[words.index("--knowledge") + 1] == NEWER
        spark_left_out(task, context)
        choose(run.home, "builtin", older=False)  # by somebody, while the day is judged
        use_pack(builtin_pack())  # the next task is another process

    def write_letter(*given: Any) -> Any:
        written.append(used_pack().version)
        return kept(*given)

    kept = render.write_letter
    monkeypatch.setattr(render, "write_letter", write_letter)
    monkeypatch.setattr(EXECUTE, spark)
    seen = run()
    monkeypatch.setattr(EXECUTE, spark_left_out)
    assert (seen.state, set(written)) == ("success", {NEWER})
    judged = knowledge_of(Home(run.home).generation(DS, str(seen.letters)))
    assert judged is not None
    assert judged.version == NEWER
    letters = Home(run.home).generation(DS, str(seen.letters)).letters
    assert all(f"Judged by knowledge {judged}." in one.read_text() for one in letters.glob("*-eu.html"))
    again = knowledge_of(Home(run.home).generation(DS, str(run().letters)))
    assert again is not None
    assert again.builtin


@pytest.mark.sampled("dag-knowledge")
def test_a_pack_that_is_damaged_fails_the_plan_with_its_sentence(run: Runs) -> None:
    install(run.home, pack_files(), "it", older=False)
    choose(run.home, NEWER, older=False)
    (run.home / f"knowledge/{NEWER}/SHA256SUMS").unlink()
    run.land()
    seen = run()
    assert seen.tasks[("coverage", None)] == "failed"
    assert f"no pack {NEWER} is installed" in seen.log
    assert not seen.mailed
