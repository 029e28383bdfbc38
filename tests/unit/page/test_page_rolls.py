"""The page's section on rolls: the answer, its reasons, the rolls of the day; hostile names stay text."""

from pathlib import Path

from kafka_fleet.documents.readiness import ReadinessReason, answered
from support.builders.page_client import client, text
from support.builders.published_days import DS, dossier, publish_day
from support.builders.roll_reports import a_roll

CLUSTER = "payments-eu"
HOSTILE = "<script>alert(1)</script>\u202e"


def page(home: Path, **more) -> str:
    publish_day(home, DS, {CLUSTER: (dossier(CLUSTER, DS, **more), [])}, letters=False)
    answer = client(home).get(f"/clusters/{CLUSTER}?day={DS}")
    assert answer.status_code == 200
    assert "<script>" not in answer.text
    return text(answer)


def readiness(*reasons: ReadinessReason) -> dict:
    return answered(f"{DS}T23:50:00Z", None, range(1, 13), reasons).plain()


def test_the_answer_and_its_reasons_are_shown(tmp_path: Path) -> None:
    blocks = ReadinessReason(code="offline", level="blocks", broker=2, count=1, names=[HOSTILE])
    storms = [
        ReadinessReason(code="reconnects", level="warns", broker=b, count=90 + b // 7, names=["EXTERNAL"], limit=50)
        for b in range(1, 13)
    ]
    moves = [ReadinessReason(code="leaders_move", level="notes", broker=b, count=b) for b in range(1, 7)]
    shown = page(tmp_path, readiness=readiness(blocks, *storms, *moves), rolls=[])
    assert "Do not stop broker 2: 1 partition (of topic &lt;script&gt;alert(1)&lt;/script&gt;\\u202e) would" in shown
    assert "At 23:50 UTC, the last sweep of the day" in shown
    assert "Brokers that are ready : 1, 3, 4" in shown
    assert "Brokers that are not ready : 2" in shown
    assert "Brokers 1, 2, 3, 4, 5, 6: 90 connections would come back at once" in shown
    assert "Brokers 7, 8, 9, 10, 11, 12: 91 connections would come back at once" in shown
    assert "Broker 4: another broker has to lead 4 partitions." in shown
    assert "Broker 5: another broker" not in shown
    assert "And 2 more such lines, of other brokers." in shown
    assert "No broker was restarted on this day." in shown


def test_a_roll_is_shown_with_each_restart(tmp_path: Path) -> None:
    shown = page(tmp_path, rolls=[a_roll(groups=[HOSTILE], groups_moved=1)])
    assert "Upgrade of 2 brokers from 3.9.0 to 3.9.1" in shown
    assert "not controlled 3.9.0 to 3.9.1" in shown
    assert "1 group had another coordinator for a time: &lt;script&gt;" in shown


def test_days_of_earlier_versions_say_so(tmp_path: Path) -> None:
    shown = page(tmp_path)
    assert "This day was judged before that was kept, or the cluster was not reached." in shown
    assert "What restarts of this day did is not known" in shown
