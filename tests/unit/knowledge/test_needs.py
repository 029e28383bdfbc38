"""What a signature needs: who is asked, how much of it is enough, and in which order sentences say what is missing."""

from typing import Any

import pytest

from kafka_fleet.knowledge.needs import Coverage, Need, Shown, coverage, listed
from kafka_fleet.knowledge.signatures import load_signatures

ENOUGH = 0.75
COUNTERS = Need(
    about="counters of each broker", of="brokers", unmet={"unread": "broker {{ broker }}: {{ amount | int }}"}
)
TIMES = Need(about="times of each broker", of="brokers", unmet={"unread": "broker {{ broker }}: no times"})


def covered(needs: dict[str, Need], rows: list[Shown], brokers: int, least: float = ENOUGH) -> Coverage | None:
    """Of one cluster with so many brokers."""
    numbers = range(1, brokers + 1)
    return coverage(needs, rows, {"a": numbers}, {"a": {"min_coverage": least, "min_s": 300.9}}).get("a")


def shown(need: str, *brokers: int) -> list[Shown]:
    return [Shown("a", need, broker, None, 2) for broker in brokers]


@pytest.mark.parametrize(
    ("there", "least", "evaluated"), [(4, 1.0, True), (3, 0.75, True), (3, 0.76, False), (0, 0.0, True)]
)
def test_a_share_of_the_brokers_is_enough(there: int, least: float, evaluated: bool) -> None:
    found = covered({"counters": COUNTERS}, shown("counters", *range(1, there + 1)), 4, least)
    assert found == Coverage(evaluated, tuple(f"broker {number}: 0" for number in range(there + 1, 5)))


def test_brokers_that_nobody_asks_for_count_for_nothing() -> None:
    assert covered({"counters": COUNTERS}, shown("counters", 7, 8, 9), 1) == Coverage(False, ("broker 1: 0",))


def test_a_broker_needs_all_of_it_and_says_what_it_lacks_first_by_text() -> None:
    needs = {"counters": COUNTERS, "times": TIMES}
    found = covered(needs, [*shown("counters", *range(2, 11)), *shown("times", *range(3, 10))], 10, 0.7)
    assert found == Coverage(True, ("broker 10: no times", "broker 1: 0", "broker 2: no times"))
    assert covered(needs, shown("counters", *range(1, 11)) + shown("times", 1), 10, 0.2) == Coverage(
        False, tuple(sorted(f"broker {number}: no times" for number in range(2, 11)))
    )


def test_without_a_broker_there_is_nothing_to_say_unless_a_sentence_is_for_that() -> None:
    assert covered({"counters": COUNTERS}, [], 0) is None
    said = COUNTERS.model_copy(update={"unmet": {**COUNTERS.unmet, "no_broker": "no broker was read"}})
    assert covered({"counters": said}, [], 0) == Coverage(False, ("no broker was read",))


def test_clusters_that_are_not_asked_for_are_absent() -> None:
    asked = {"a": {"min_coverage": ENOUGH}}
    assert set(coverage({"counters": COUNTERS}, shown("counters", 1), {"a": [1], "b": [1]}, asked)) == {"a"}


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (301.0, Coverage(True, ())),
        (300.5, Coverage(False, ("300 s of 300 s",))),
        (None, Coverage(False, ("0 s of 300 s",))),
    ],
)
def test_what_a_cluster_is_asked_is_compared_with_its_threshold(amount: float | None, expected: Coverage) -> None:
    duration = Need(about="a long day of sweeps", of="cluster", evaluated="all", met="amount >= min_s",
                    unmet={"short": "{{ amount | floor }} s of {{ min_s | int }} s"})  # fmt: skip
    rows = [] if amount is None else [Shown("a", "duration", None, None, amount)]
    assert covered({"duration": duration}, rows, 1) == expected


@pytest.mark.parametrize(
    ("evaluated", "amounts", "enough"),
    [("share", (1, 1, 1, 0), True), ("share", (1, 0), False), ("share", (), True), ("all", (1, 1, 1, 0), False),
     ("all", (), True), ("never", (0, 0), True)],
)  # fmt: skip
def test_rows_that_ask_for_themselves(evaluated: Any, amounts: tuple[int, ...], enough: bool) -> None:
    need = Need(about="each of the restarts", evaluated=evaluated, unmet={"unread": "broker {{ broker }} restarted"})
    found = covered({"ends": need}, [Shown("a", "ends", n, None, x) for n, x in enumerate(amounts)], 1)
    assert found is not None
    assert found.evaluated is enough
    assert len(found.missing) == amounts.count(0)


def test_one_sentence_lists_brokers_by_number_and_may_be_said_of_what_is_met() -> None:
    need = Need(about="each of the restarts", unmet={"lost": "{{ brokers }} lost", "gone": "{{ brokers }} gone"})
    rows = [Shown("a", "ends", broker, "gone", 1) for broker in (10, 9, 10)]
    assert covered({"ends": need}, [*rows, Shown("a", "ends", 3, None, 0)], 1, 0.7) == Coverage(
        True, ("3 lost", "9, 10 gone")
    )


def test_sentences_by_broker_keep_the_order_of_their_need() -> None:
    unmet = {"unread": "{{ broker }} unread", "z": "{{ broker }} z", "b": "{{ broker }} b"}
    need = Need(about="counters of each broker", of="brokers", order="broker", unmet=unmet)
    rows = [Shown("a", "counters", broker, reason) for broker in (10, 2, 11) for reason in ("b", "z")]
    assert covered({"counters": need}, [*rows, *shown("counters", *range(1, 10))], 10) == Coverage(
        True, ("2 z", "2 b", "10 unread", "10 z", "10 b")
    )


def test_a_sentence_that_comes_out_empty_or_twice_is_not_said_again() -> None:
    need = Need(about="what is there by a row", evaluated="never", unmet={"few": "{% if total > 1 %}few{% endif %}"})
    assert covered({"few": need}, [Shown("a", "few", None, None, 0, total) for total in (1, 2, 3)], 1) == Coverage(
        True, ("few",)
    )


def test_a_broker_without_a_number_counts_and_is_not_named() -> None:
    need = Need(about="each of the restarts", evaluated="all", unmet={"unread": "broker {{ broker }} restarted"})
    assert covered({"ends": need}, [Shown("a", "ends", None, None, 0)], 1) == Coverage(False, ())


@pytest.mark.parametrize(("many", "text"), [(20, "19, 20"), (21, "19, 20 and 1 more"), (33, "19, 20 and 13 more")])
def test_twenty_brokers_are_listed_and_the_rest_is_counted(many: int, text: str) -> None:
    assert listed(range(1, many + 1)) == ", ".join(map(str, range(1, 19))) + f", {text}"


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"met": "amount >= min_sweep"}, "met: no such value: min_sweep"),
        ({"met": "amount >="}, "met: "),
        ({"unmet": {"unread": "{{ name }}"}}, "unread: no such value: name"),
        ({"unmet": {"unread": "{{ broker"}}, "unread: "),
    ],
)
def test_texts_of_a_need_are_checked(wrong: dict[str, object], fault: str) -> None:
    need = Need.model_validate({"about": "counters of each broker", **wrong})
    with pytest.raises(ValueError, match=fault):
        need.check(["min_coverage", "min_sweeps"])


def test_a_need_by_share_asks_for_its_threshold() -> None:
    with pytest.raises(ValueError, match="min_coverage"):
        COUNTERS.check(["min_sweeps"])


@pytest.mark.parametrize("signature", load_signatures())
def test_every_signature_asks_its_brokers(signature: str) -> None:
    needs = load_signatures()[signature].needs
    assert any(need.of == "brokers" and need.unmet for need in needs.values())
