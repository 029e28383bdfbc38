"""What a reader is told since the last letter: rises at once, better and gone only after clean days, silence never."""

import pytest

from kafka_fleet.report.changes import UNREACHED
from support.builders.documents import compare, told_of
from support.builders.letter_rows import evidence, finding

BUG = "KAFKA-14334"


def seen(verdict="confirmed", state="detected", advisory=BUG, **more):
    return finding(advisory, verdict, signature="fetch_latency", cause="follower", signature_state=state, **more)


def changed(before, now, clean=0, reached=True):
    """The changes as (kind, key) and what is told after them."""
    found = compare(told_of(before), now, "2026-11-19", reached, lambda *_: clean)
    return [(one.kind, one.key) for one in found.changes], found


def test_the_first_letter_tells_everything_and_compares_with_nothing():
    found = compare(None, [seen(), finding("CVE-1", "not_affected")], None, True, lambda *_: 0)
    assert (found.since, found.changes) == (None, ())
    assert list(found.told) == [BUG]


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        ([], [seen()], "new"),
        ([], [finding("CVE-1", "unknown")], "new"),
        ([seen("exposed", "quiet")], [seen()], "worse"),
        ([seen("unknown", "not_evaluated")], [seen("exposed", "quiet")], "new"),
        ([seen("look_alike")], [seen("confirmed")], "worse"),
        ([finding("CVE-1", "exposed")], [finding("CVE-1", "exposed", severity="critical")], "worse"),
        ([finding("CVE-1", "exposed")], [finding("CVE-1", "exposed", severity="low")], "better"),
        ([finding("CVE-1", "exposed")], [finding("CVE-1", "not_affected")], "resolved"),
        ([finding("CVE-1", "exposed")], [finding("CVE-1", "unknown")], "unseen"),
        ([finding("CVE-1", "unknown")], [finding("CVE-1", "not_affected")], "better"),
    ],
)
def test_one_finding(was, now, kind):
    assert changed(was, now)[0] == [(kind, now[0]["advisory"])]


@pytest.mark.parametrize("now", [seen(), finding("CVE-1", "not_affected")])
def test_what_stands_as_it_was_is_no_change(now):
    assert changed([now], [now])[0] == []


@pytest.mark.parametrize(("clean", "kinds"), [(1, []), (2, []), (3, ["resolved"])])
def test_gone_is_told_after_three_clean_days(clean, kinds):
    now = [seen("not_affected", "quiet", exposure="not_exposed", release="3.3.2")]
    kind_of, found = changed([seen()], now, clean)
    assert [kind for kind, _key in kind_of] == kinds
    assert found.pending == (() if kinds else ((BUG, clean),))
    assert (found.told[BUG].verdict if BUG in found.told else None) == (None if kinds else "confirmed")
    if kinds:
        assert found.changes[0].why == "The release is 3.3.2 now; it was 3.3.1."


def test_still_exposed_but_quiet_is_better_after_three_clean_days():
    assert changed([seen()], [seen("exposed", "quiet")], 2)[0] == []
    assert changed([seen()], [seen("exposed", "quiet")], 3)[0] == [("better", BUG)]


def test_a_symptom_that_was_not_looked_for_is_never_better():
    kinds, found = changed([seen()], [seen("exposed", "not_evaluated")], clean=9)
    assert kinds == [("unseen", BUG)]
    assert found.told[BUG].verdict == "confirmed"
    again = compare(found.told, [seen("exposed", "not_evaluated")], "2026-11-20", True, lambda *_: 9)
    assert again.changes == ()  # told once
    back = compare(again.told, [seen()], "2026-11-20", True, lambda *_: 0)
    assert back.changes == ()
    assert "unseen" not in back.told[BUG].plain()


def test_a_symptom_without_an_advisory_that_is_gone_waits_for_clean_days_of_its_signature():
    was = [seen("look_alike", advisory=None)]
    quiet, unmeasured = seen("exposed", "quiet"), seen("exposed", "not_evaluated")
    key = "symptom fetch_latency (follower)"
    assert changed([*was, quiet], [quiet], 2)[0] == []
    assert changed([*was, quiet], [quiet], 3)[0] == [("resolved", key)]
    assert changed([*was, quiet], [unmeasured], 9)[0] == [("unseen", key)]


def test_a_cluster_that_was_not_reached_is_one_change_and_resolves_nothing():
    was = [seen(), finding("CVE-1", "exposed")]
    gone = [finding(BUG, "unknown"), finding("CVE-1", "unknown")]
    kinds, found = changed(was, gone, clean=9, reached=False)
    assert kinds == [("new", UNREACHED)]
    assert found.told[BUG].verdict == "confirmed"
    still = compare(found.told, gone, "2026-11-20", False, lambda *_: 9)
    assert still.changes == ()
    back = compare(still.told, was, "2026-11-20", True, lambda *_: 0)
    assert [(one.kind, one.key) for one in back.changes] == [("better", UNREACHED)]


def test_wider_scope_is_worse_and_a_list_that_was_cut_short_proves_nothing():
    was = seen(subjects=["broker 2", "topic a", "and 3 more topics"])
    now = seen(subjects=["broker 2", "broker 4", "topic b", "partition a-1"])
    kinds, found = changed([was], [now])
    assert kinds == [("worse", BUG)]
    assert found.changes[0].why == "Now also: broker 4."
    back = compare(found.told, [was], "2026-11-20", True, lambda *_: 0)
    assert back.changes == ()
    assert compare(back.told, [now], "2026-11-20", True, lambda *_: 0).changes == ()  # told already


def test_the_worst_comes_first():
    now = [finding("CVE-1", "exposed", severity="low"), seen(severity="critical"), finding("CVE-2", "exposed")]
    assert [key for _kind, key in changed([], now)[0]] == [BUG, "CVE-2", "CVE-1"]


def told_again(found, now, acknowledged=None, clean=0):
    """The next day's changes, and what is told after them."""
    then = compare(found.told, now, "2026-11-20", True, lambda *_: clean, acknowledged)
    return [(one.kind, one.key) for one in then.changes], then


def test_a_wider_scope_of_what_was_read_and_not_seen_is_worse_too():
    was = finding("OPS-CONSUMER-LAG", "exposed", subjects=["group a"])
    now = finding("OPS-CONSUMER-LAG", "exposed", subjects=["group a", "group b"])
    kinds, found = changed([was], [now])
    assert kinds == [("worse", "OPS-CONSUMER-LAG")]
    assert found.changes[0].why == "Now also: group b."


def test_an_advisory_beside_a_symptom_of_another_cause_was_not_measured():
    beside = finding(BUG, "exposed", signature="fetch_latency", signature_state="detected")
    gone = finding(BUG, "not_affected", signature="fetch_latency", signature_state="detected", release="3.3.2")
    assert changed([beside], [gone], clean=0)[0] == [("resolved", BUG)]


def test_a_symptom_that_is_judged_more_mildly_and_still_there_is_better_at_once():
    assert changed([seen()], [seen("look_alike")], clean=0)[0] == [("better", BUG)]


def test_a_finding_acknowledged_without_a_letter_is_reopened_once():
    _kinds, found = changed([seen()], [seen()])
    assert told_again(found, [seen()], {BUG: None})[0] == []  # no letter goes out, so no mark is kept
    kinds, after = told_again(found, [seen()], {BUG: "It was acknowledged until 2026-11-20."})
    assert kinds == [("reopened", BUG)]
    assert told_again(after, [seen()], {BUG: "It was acknowledged until 2026-11-20."})[0] == []


def test_an_acknowledgement_that_ends_while_nothing_is_measured_is_told_when_something_is():
    found = compare(None, [seen()], None, True, lambda *_: 0, {BUG: None})
    kinds, blind = told_again(found, [seen("exposed", "not_evaluated")], {BUG: "It has ended."})
    assert kinds == [("unseen", BUG)]
    assert told_again(blind, [seen()], {BUG: "It has ended."})[0] == [("reopened", BUG)]
    assert told_again(blind, [seen()], {})[0] == [("reopened", BUG)]


UPGRADED = {"exposure": "not_exposed", "release": "3.3.2"}


def test_a_symptom_that_outlives_its_fix_is_told_as_that_and_once():
    still = [seen("look_alike", **UPGRADED), seen("look_alike", advisory=None)]
    kinds, found = changed([seen()], still)
    assert kinds == [("persists", BUG)]
    (change,) = found.changes
    assert "confirmed on 3.3.1. 3.3.2 has the fix" in change.why
    assert found.persisting == ()
    again = compare(found.told, still, "2026-11-20", True, lambda *_: 0)
    assert (again.changes, again.persisting) == ((), ((BUG, "3.3.1"),))
    assert again.told[BUG].persists == "3.3.1"


def test_it_is_told_as_gone_when_it_is_quiet_for_long_enough_and_as_worse_on_the_old_release():
    told = changed([seen()], [seen("look_alike", **UPGRADED)])[1].told
    for now, clean, kind in (
        (seen("not_affected", "quiet", **UPGRADED), 3, "resolved"),
        (seen(), 0, "worse"),
    ):
        found = compare(told, [now], "2026-11-20", True, lambda *_, clean=clean: clean)
        assert [one.kind for one in found.changes] == [kind]
        assert found.persisting == ()
        assert BUG not in found.told or "persists" not in found.told[BUG].plain()


def test_a_setting_that_no_longer_allows_it_is_no_fixed_release():
    now = seen("look_alike", exposure="not_exposed", release="3.3.1")
    assert changed([seen()], [now])[0] == [("better", BUG)]


def test_figures_before_and_after_stand_beside_the_change():
    def measured(value, verdict, **more):
        return seen(verdict, evidence=[evidence(value=value)], **more)

    _kinds, found = changed([measured(0.45, "confirmed")], [measured(0.41, "look_alike", **UPGRADED)])
    figures = "45 %; now expired consumer fetches / consumer fetches: 41 %"
    assert figures in found.changes[0].why.replace("\N{NO-BREAK SPACE}", " ")
    quiet = seen("not_affected", "quiet", **UPGRADED)
    why = changed([measured(0.45, "confirmed")], [quiet], 3)[1].changes[0].why
    assert why.startswith("The release is 3.3.2 now; it was 3.3.1. Told before: expired consumer fetches")
    assert why.endswith("since then looked for on 3 days, and not there.")
